/* Ranges of sums, which both algorithms of one-dimensional distance geometry look for. */
#ifndef GG_CUDA_DGP_RANGES_CUH
#define GG_CUDA_DGP_RANGES_CUH

#include "common/uint128.h"
#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"
#include "dgp/plan.h"

namespace gpugeo {

/* Sums from low to high, both included; none when low > high. */
struct sum_range {
  int64_t low, high;

  __host__ __device__ bool holds(int64_t sum) const { return low <= sum && sum <= high; }
  bool operator==(const sum_range &other) const { return low == other.low && high == other.high; }
};

/* Returns the sum of all distances, which is the largest sum. */
inline int64_t sum_of_distances(const gg_dgp_plan &plan) {
  int64_t sum = 0;
  for (int32_t j = 0; j < plan.n; ++j)
    sum += plan.d[j];
  return sum;
}

/* Returns the part of a window in which sums can lie, with which no arithmetic overflows. */
inline sum_range range_of(const gg_dgp_window &window, int64_t largest_sum) {
  return {larger(window.low, -largest_sum), smaller(window.high, largest_sum)};
}

/* Ranges [first, end) of a list. */
struct range_group {
  int first, end;
};

/* Divides ranges that are sorted by `low` into groups with a gap of more than `widest` between
   them: rows in a gap take time, and each group takes a search of its own. */
std::vector<range_group> groups_of(const std::vector<sum_range> &ranges, double widest);

/* Returns the range from the first to the last sum of a group. */
sum_range hull_of(const std::vector<sum_range> &ranges, const range_group &group);

/* Returns the approximate mean gap near 0 between the 2^count sums of so many distances. */
double mean_gap(const int64_t *d, int count);

/* Returns the sum of d_j where bit j of `signs` is set and -d_j elsewhere. */
__host__ __device__ inline int64_t signed_sum(const int64_t *d, int count, uint64_t signs) {
  int64_t sum = 0;
  for (int j = 0; j < count; ++j)
    sum += signs >> j & 1 ? d[j] : -d[j];
  return sum;
}

#ifdef __CUDACC__ /* not in files without code for the device */

/* Adds count to a total; any thread of the device may call it. */
__device__ inline void add_count(gpugeo_uint128 *total, uint64_t count) {
  unsigned long long *words = reinterpret_cast<unsigned long long *>(total);
  const unsigned long long before = atomicAdd(words, (unsigned long long)count);
  if (before + count < before) atomicAdd(words + 1, 1ull);
}

#endif

} // namespace gpugeo

#endif
