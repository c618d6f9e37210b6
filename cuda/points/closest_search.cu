/* Shared parts of the searches for closest pairs, and a first bound from successive points. */
#include "cuda/points/closest_search.cuh"

#include <cmath>

namespace gpugeo {

namespace {

constexpr int64_t ROOM_LEAST = 1 << 20; /* candidates */

/* The points that follow in some order: a sample of close pairs. */
struct follower_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  int64_t n, followers;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    pair_tester<PLAIN> one(to, at, row, p);
    const int64_t last = smaller(p + followers, n - 1);
    for (int64_t q = p + 1; q <= last; ++q)
      one.test(q);
  }
};

} // namespace

void closest_search::begin(const gg_point_rule &rule, double farthest) {
  plain_ = rule.kind == GG_POINT_DOUBLE;
  for (int k = 0; k < rule.columns; ++k)
    plain_ = plain_ && rule.box[k] == 0;
  to.room = larger(ROOM_LEAST, 2 * plan_.k);
  state_.allocate(sizeof(select_state));
  found_.allocate(to.room * (int64_t)sizeof(closest_candidate));
  to.rule = rule;
  to.within = plan_.within;
  to.distinct = plan_.distinct;
  to.slack = plan_.sphere ? 0x1p-46 : farthest * 0x1p-45;
  to.spread = 1 + (plan_.sphere ? 0x1p-40 : 0x1p-50);
  to.state = state();
  to.found = found_.as<closest_candidate>();
}

void closest_search::set_state(square_word bound) {
  select_state *state = state_.as<select_state>();
  GG_CUDA(cudaMemsetAsync(state, 0, sizeof *state, stream_));
  const square_word start[2] = {bound, NO_BOUND};
  GG_CUDA(cudaMemcpyAsync(state, start, sizeof start, cudaMemcpyHostToDevice, stream_));
}

double closest_search::reach_of(square_word word) const {
  const gg_point_kind kind = to.rule.kind;
  double square;
  if (kind == GG_POINT_INTEGER) {
    square = word < WIDE_SQUARE ? (double)word : 8 * ((double)(word - WIDE_SQUARE) + 1);
  } else {
    square = word_value(word);
    if (!(square <= INFINITY)) square = INFINITY;
    if (kind == GG_POINT_SPHERE) square *= 4;
  }
  return sqrt(square) * to.spread + to.slack;
}

void closest_search::find_bound_by_followers(const double *const (&at)[MOST_COLUMNS],
                                             const int32_t *row, int64_t n, int64_t followers) {
  find_bound(follower_source{{at[0], at[1], at[2]}, row, n, followers}, n);
}

std::vector<closest_candidate> closest_search::candidates(int64_t count) const {
  std::vector<closest_candidate> found((size_t)count);
  GG_CUDA(cudaMemcpyAsync(found.data(), found_.as(), sizeof(closest_candidate) * found.size(),
                          cudaMemcpyDeviceToHost, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
  return found;
}

bool pairs_at_zero(closest_call &call) {
  if (call.plan.distinct) return false;
  call.joined.reset(new locations);
  call.joined->build(call.points, call.search.stream());
  if (!call.joined->exact()) return false;
  call.result->ties = call.joined->count_pairs(call.points, call.search.stream());
  const std::vector<gg_closest_pair> pairs =
      call.joined->first_pairs(call.points, call.plan.k, call.search.stream());
  call.result->found = (int64_t)pairs.size();
  std::copy(pairs.begin(), pairs.end(), call.result->pairs);
  return true;
}

} // namespace gpugeo
