/* Sums over the lanes of a warp and the warps of a block, in a fixed order. */
#ifndef GG_CUDA_LAYOUT_STRESS_SUM_CUH
#define GG_CUDA_LAYOUT_STRESS_SUM_CUH

#include "cuda/layout/stress_pivots.cuh"

namespace gpugeo {

/* Returns the sum over a warp to all lanes. */
__device__ __forceinline__ double stress_lane_sum(double value) {
#pragma unroll
  for (int step = STRESS_LANES / 2; step > 0; step /= 2)
    value += __shfl_xor_sync(~0u, value, step);
  return value;
}

/* Writes the sums of all threads of a block, COUNT for each, by its first thread. A barrier. */
template <int COUNT>
__device__ __forceinline__ void stress_block_sum(const double *sum, double *to) {
  constexpr int WARPS = STRESS_THREADS / STRESS_LANES;
  __shared__ double of_warp[WARPS][COUNT];
#pragma unroll
  for (int c = 0; c < COUNT; ++c) {
    const double all = stress_lane_sum(sum[c]);
    if (threadIdx.x % STRESS_LANES == 0) of_warp[threadIdx.x / STRESS_LANES][c] = all;
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
#pragma unroll
  for (int c = 0; c < COUNT; ++c) {
    double all = 0;
    for (int w = 0; w < WARPS; ++w)
      all += of_warp[w][c];
    to[c] = all;
  }
}

/* Returns the number of this warp, and of all in a launch. */
__device__ __forceinline__ int64_t stress_warp() {
  return ((int64_t)blockIdx.x * STRESS_THREADS + threadIdx.x) / STRESS_LANES;
}
__device__ __forceinline__ int64_t stress_warps() {
  return (int64_t)gridDim.x * (STRESS_THREADS / STRESS_LANES);
}

} // namespace gpugeo

#endif
