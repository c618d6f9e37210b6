/* Sums over points of the deviations of each coordinate, in the order of the points. */
#ifndef GG_CUDA_MOMENTS_CUH
#define GG_CUDA_MOMENTS_CUH

#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {

/* Points on the device: coordinate k of the i-th is at z[row[i] + k * ld], or z[i + k * ld] if row
   is NULL. */
struct moment_view {
  double *z;
  int64_t ld, count, m;
  const int32_t *row;
  /* Of each coordinate, as in src/distance/covariance.c: values are taken as differences from the
     first one; their sum; their mean. */
  double *first, *sum, *centre;

  __device__ __forceinline__ int64_t at(int64_t i) const { return row ? row[i] : i; }
};

enum { SUM_THREADS = 256, SUM_COLUMNS = 32, SUM_POINTS = 64, SUM_PITCH = SUM_POINTS + 1 };

/* Sums the deviations of each coordinate from its centre so far, or their squares, point after
   point, those of missing values left out: the first warp adds, and all load the next points. A
   thread block of SUM_THREADS has SUM_COLUMNS coordinates. */
template <bool SQUARES>
__global__ void __launch_bounds__(SUM_THREADS) sum_deviations(const moment_view p) {
  __shared__ double values[2][SUM_COLUMNS][SUM_PITCH];
  constexpr int WARPS = SUM_THREADS / 32, ROWS = SUM_COLUMNS / WARPS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t k0 = (int64_t)blockIdx.x * SUM_COLUMNS, own = k0 + lane;
  const double first = own < p.m ? p.first[own] : 0, centre = own < p.m ? p.centre[own] : 0;
  double next[2 * ROWS], sum = 0;
  const auto fetch = [&](int64_t i0) {
    const int64_t low = p.at(smaller(i0 + lane, p.count - 1));
    const int64_t high = p.at(smaller(i0 + lane + 32, p.count - 1));
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int64_t k = smaller(k0 + warp + r * WARPS, p.m - 1);
      next[2 * r] = p.z[low + k * p.ld];
      next[2 * r + 1] = p.z[high + k * p.ld];
    }
  };
  const auto store = [&](int buffer) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      values[buffer][warp + r * WARPS][lane] = next[2 * r];
      values[buffer][warp + r * WARPS][lane + 32] = next[2 * r + 1];
    }
  };
  fetch(0);
  store(0);
  __syncthreads();
  int buffer = 0;
  for (int64_t i0 = 0; i0 < p.count; i0 += SUM_POINTS) {
    const bool more = i0 + SUM_POINTS < p.count;
    if (more) fetch(i0 + SUM_POINTS);
    if (warp == 0) {
      const int here = (int)smaller(SUM_POINTS, p.count - i0);
#pragma unroll 16
      for (int i = 0; i < here; ++i) {
        const double value = values[buffer][lane][i], d = (value - first) - centre;
        const double added = SQUARES ? d * d : d;
        sum += isnan(value) ? 0 : added;
      }
    }
    if (more) store(1 - buffer);
    __syncthreads();
    buffer = 1 - buffer;
  }
  if (warp == 0 && own < p.m) p.sum[own] = sum;
}

} // namespace gpugeo

#endif
