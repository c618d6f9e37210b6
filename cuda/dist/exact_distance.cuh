/* Distances of single pairs, computed as the tile kernels do: the same arithmetic in the same
   order. For the steps that the filter in half precision takes. */
#ifndef GG_CUDA_EXACT_DISTANCE_CUH
#define GG_CUDA_EXACT_DISTANCE_CUH

#include "cuda/dist/neighbors.cuh"

namespace gpugeo {

namespace exact {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "dist/power.h"
#include "dist/metric_step.h"
/* clang-format on */

#define EXACT_DISTANCE(name)                                                                       \
  struct name##_distance {                                                                         \
    static __device__ __forceinline__ double of(const exact_points &p, int64_t query, int64_t c) { \
      const step_run run = step_run_make(p.m, 2, p.finish);                                        \
      const double *a = static_cast<const double *>(p.candidates.data) + (c - p.candidates.first); \
      const double *b = static_cast<const double *>(p.asking.data) + (query - p.asking.first);     \
      double sum = sum_start(GG_STEP_##name, 0);                                                   \
      _Pragma("unroll 8") for (int64_t k = 0; k < p.m; ++k)                                        \
          name##_step(a[k * p.candidates.ld], b[k * p.asking.ld],                                  \
                      GG_STEP_##name == GG_STEP_seuclidean ? p.weight[k] : 1, &run, &sum);         \
      return name##_finish(&sum, &run);                                                            \
    }                                                                                              \
  };
EXACT_DISTANCE(euclidean)
EXACT_DISTANCE(seuclidean)
EXACT_DISTANCE(product)
#undef EXACT_DISTANCE

/* Calls choose(distance) with the step's distance as a type. */
template <class Choose> auto choose(gg_step step, Choose choose) {
  if (step == GG_STEP_product) return choose(product_distance());
  if (step == GG_STEP_seuclidean) return choose(seuclidean_distance());
  return choose(euclidean_distance());
}

} // namespace exact
} // namespace gpugeo

#endif
