/*
 * Turns candidates, which are pairs of points on the device, into the k closest pairs of rows.
 *
 * Limited by the sort of candidates, which are about k.
 */
#include "cuda/points/closest_result.cuh"

#include <algorithm>
#include <queue>

#include "points/points.h"

namespace gpugeo {
namespace {

/* The row pairs of two locations, in the order of (i, j). */
class location_pair {
public:
  location_pair(gg_square square, std::vector<int32_t> a, std::vector<int32_t> b, bool within)
      : square_(square), a_(std::move(a)), b_(std::move(b)), within_(within) {}

  /* Returns the present pair, which must exist. */
  gg_closest_pair pair() const {
    return first_ ? gg_closest_pair{square_, a_[at_a_], b_[other_]}
                  : gg_closest_pair{square_, b_[at_b_], a_[other_]};
  }

  /* Moves to the first or next pair. Returns false if there is none. */
  bool next() {
    if (begun_) {
      if (++other_ < (first_ ? b_.size() : a_.size())) return true;
      ++(first_ ? at_a_ : at_b_);
    }
    begun_ = true;
    if (at_a_ == a_.size() || at_b_ == b_.size()) return false;
    first_ = !within_ || a_[at_a_] < b_[at_b_];
    other_ = !within_ ? 0 : first_ ? at_b_ : at_a_; /* those before come first in their pairs */
    return true;
  }

private:
  gg_square square_;
  std::vector<int32_t> a_, b_;
  bool within_, begun_ = false, first_ = true;
  size_t at_a_ = 0, at_b_ = 0, other_ = 0;
};

} // namespace

void write_pairs(const gg_closest_plan &plan, const std::vector<int32_t> &rows,
                 const locations *joined, found_pairs pairs, gg_closest_result *result) {
  std::vector<closest_candidate> &found = pairs.candidates;
  const auto lower = [](const closest_candidate &a, const closest_candidate &b) {
    return a.word < b.word;
  };
  if ((int64_t)found.size() > plan.k) {
    std::nth_element(found.begin(), found.begin() + (plan.k - 1), found.end(), lower);
    const square_word most = found[(size_t)plan.k - 1].word;
    found.erase(std::remove_if(found.begin(), found.end(),
                               [most](const closest_candidate &c) { return c.word > most; }),
                found.end());
  }
  /* Now in the order of the exact squares. */
  const int64_t nx = plan.x.nrow;
  std::vector<std::pair<gg_closest_pair, square_word>> exact;
  exact.reserve(found.size());
  for (const closest_candidate &c : found) {
    double a[GG_POINT_COLUMNS], b[GG_POINT_COLUMNS];
    const int64_t j = plan.within ? c.j : c.j - nx;
    gg_point_load(&result->rule, &plan.x, rows.empty() ? c.i : rows[(size_t)c.i], a);
    gg_point_load(&result->rule, &plan.y, rows.empty() ? j : rows[(size_t)j], b);
    exact.push_back({{gg_point_square(&result->rule, a, b), c.i, j}, c.weight});
  }
  std::sort(exact.begin(), exact.end(),
            [](const auto &a, const auto &b) { return gg_closest_before(&a.first, &b.first); });
  result->ties = 0;
  for (const auto &one : exact)
    if (gg_square_equal(one.first.square, exact[0].first.square))
      result->ties += (int64_t)one.second;
  if (pairs.ties >= 0) result->ties = pairs.ties;

  /* The row pairs of all pairs of locations are merged in the order of results. */
  const auto later = [](const std::pair<gg_closest_pair, size_t> &a,
                        const std::pair<gg_closest_pair, size_t> &b) {
    return gg_closest_before(&b.first, &a.first);
  };
  std::priority_queue<std::pair<gg_closest_pair, size_t>,
                      std::vector<std::pair<gg_closest_pair, size_t>>, decltype(later)>
      queue(later);
  std::vector<location_pair> several;
  const auto write_before = [&](const gg_closest_pair *next) {
    while (result->found < plan.k && !queue.empty() &&
           (!next || gg_closest_before(&queue.top().first, next))) {
      const size_t at = queue.top().second;
      result->pairs[result->found++] = queue.top().first;
      queue.pop();
      if (several[at].next()) queue.push({several[at].pair(), at});
    }
  };
  result->found = 0;
  for (size_t e = 0; e < exact.size() && result->found < plan.k; ++e) {
    const gg_closest_pair &pair = exact[e].first;
    write_before(&pair);
    if (result->found == plan.k) return;
    if (exact[e].second == 1) {
      result->pairs[result->found++] = pair;
      continue;
    }
    std::vector<int32_t> a = joined->rows_of((int32_t)pair.i);
    std::vector<int32_t> b = joined->rows_of((int32_t)(plan.within ? pair.j : pair.j + nx));
    if (!plan.within)
      for (int32_t &row : b)
        row -= (int32_t)nx;
    several.emplace_back(pair.square, std::move(a), std::move(b), plan.within);
    several.back().next();
    queue.push({several.back().pair(), several.size() - 1});
  }
  write_before(nullptr);
}

} // namespace gpugeo
