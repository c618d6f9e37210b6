/* Ranges of sums, which both algorithms of one-dimensional distance geometry look for. */
#include "cuda/dgp/ranges.cuh"

#include <cmath>

namespace gpugeo {

std::vector<range_group> groups_of(const std::vector<sum_range> &ranges, double widest) {
  std::vector<range_group> groups;
  int64_t end = 0; /* of the sums so far */
  for (int r = 0; r < (int)ranges.size(); ++r) {
    const sum_range &range = ranges[(size_t)r];
    if (r > 0 && (double)(range.low - end) <= fmax(widest, 1))
      groups.back().end = r + 1;
    else
      groups.push_back({r, r + 1});
    end = r > 0 ? larger(end, range.high) : range.high;
  }
  return groups;
}

sum_range hull_of(const std::vector<sum_range> &ranges, const range_group &group) {
  sum_range hull = ranges[(size_t)group.first];
  for (int r = group.first; r < group.end; ++r)
    hull.high = larger(hull.high, ranges[(size_t)r].high);
  return hull;
}

/* Uses that the distribution of the sums is nearly normal. */
double mean_gap(const int64_t *d, int count) {
  double squares = 0;
  for (int j = 0; j < count; ++j)
    squares += (double)d[j] * (double)d[j];
  return ldexp(sqrt(2 * 3.14159265358979323846 * squares), -count);
}

} // namespace gpugeo
