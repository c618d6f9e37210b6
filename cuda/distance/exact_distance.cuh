/* Distances of single pairs, computed as the tile kernels do: the same arithmetic in the same
   order. For the steps that the filter in half precision takes. */
#ifndef GG_CUDA_EXACT_DISTANCE_CUH
#define GG_CUDA_EXACT_DISTANCE_CUH

#include "cuda/distance/neighbors.cuh"

namespace gpugeo {

namespace exact {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "distance/power.h"
#include "distance/metric_step.h"
#include "cuda/distance/near_pair.cuh"
/* clang-format on */

/* Returns the distance of points i and j of a and b, whose value of step product this is. Limited
   by the latency of memory: near pairs must be few for the speed of a kernel to be kept. */
static __device__ __noinline__ real recompute_near(const points &a, int64_t i, const points &b,
                                                   int64_t j, int64_t m) {
  const step_run run = step_run_make(m, 2, GG_FINISH_SQUARED);
  const real *x = static_cast<const real *>(a.data) + (i - a.first);
  const real *y = static_cast<const real *>(b.data) + (j - b.first);
  real sum = 0;
#pragma unroll 8
  for (int64_t k = 0; k < m; ++k)
    euclidean_step(x[k * a.ld], y[k * b.ld], 1, &run, &sum);
  return near_distance(sum);
}

/* AHEAD: coordinates that are read before the first of them is used. */
#define EXACT_DISTANCE(name)                                                                       \
  template <int AHEAD> struct name##_distance {                                                    \
    static __device__ __forceinline__ double of(const exact_points &p, int64_t query, int64_t c) { \
      const step_run run = step_run_make(p.m, 2, p.finish);                                        \
      const double *a = static_cast<const double *>(p.candidates.data) + (c - p.candidates.first); \
      const double *b = static_cast<const double *>(p.asking.data) + (query - p.asking.first);     \
      double sum = sum_start(GG_STEP_##name, 0);                                                   \
      _Pragma("unroll AHEAD") for (int64_t k = 0; k < p.m; ++k)                                    \
          name##_step(a[k * p.candidates.ld], b[k * p.asking.ld],                                  \
                      GG_STEP_##name == GG_STEP_seuclidean ? p.weight[k] : 1, &run, &sum);         \
      const double value = name##_finish(&sum, &run);                                              \
      if (GG_STEP_##name == GG_STEP_product && has_lost_digits(value, p.finish))                   \
        return recompute_near(p.candidates, c, p.asking, query, p.m);                              \
      return value;                                                                                \
    }                                                                                              \
  };
EXACT_DISTANCE(euclidean)
EXACT_DISTANCE(seuclidean)
EXACT_DISTANCE(product)
#undef EXACT_DISTANCE

/* Does what choose() does, with AHEAD chosen. */
template <int AHEAD, class Choose> auto choose_ahead(gg_step step, Choose choose) {
  if (step == GG_STEP_product) return choose(product_distance<AHEAD>());
  if (step == GG_STEP_seuclidean) return choose(seuclidean_distance<AHEAD>());
  return choose(euclidean_distance<AHEAD>());
}

/*
 * Calls choose(distance) with the step's distance as a type.
 *
 * few: a warp has few pairs at a time, as with panels of points. Then the latency of memory is the
 * limit, and more registers pay: on an H100 the 15 nearest of 200,000 sparse points with 2,000
 * coordinates take 2.0 and not 3.2 s. As dense points they take 1.09 s, and would take 1.12.
 */
template <class Choose> auto choose(gg_step step, bool few, Choose choose) {
  return few ? choose_ahead<32>(step, choose) : choose_ahead<8>(step, choose);
}

} // namespace exact
} // namespace gpugeo

#endif
