/*
 * First positions of a layout by stress: classical scaling of the distances from some pivots; see
 * layout/pivot_scaling.c. The products of columns are added by blocks of threads over parts of the
 * vertices, and the host adds the parts in their order.
 *
 * Limit: shared memory, for the products.
 */
#include "common/random.h"
#include "cuda/common/launch.cuh"
#include "cuda/layout/stress_scaling.cuh"
#include "cuda/layout/stress_sum.cuh"
#include "layout/pivot_axes.h"

namespace gpugeo {
namespace {

constexpr int THREADS = STRESS_THREADS, LANES = STRESS_LANES, WARPS = THREADS / LANES;
constexpr int MOST = GG_PIVOTS_START;
constexpr int TILE = 32; /* vertices whose rows are in shared memory */
constexpr int PAIRS = (STRESS_PRODUCTS + THREADS - 1) / THREADS; /* of a thread */
static_assert(MOST <= 2 * LANES && STRESS_PRODUCTS == MOST * (MOST + 1) / 2,
              "a lane has two columns");

/* Adds the squares of a column, which blockIdx.y gives. */
__global__ void __launch_bounds__(THREADS)
    sum_squares(const stress_scaling scaling, unsigned long long *sums) {
  const stress_pivots &pivots = scaling.pivots;
  const int32_t p = scaling.start[blockIdx.y];
  unsigned long long sum = 0;
  for (int64_t v = this_item(); v < pivots.n; v += (int64_t)gridDim.x * THREADS) {
    const unsigned long long hops = pivots.hops[v * pivots.count + p];
    sum += hops * hops;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % LANES == 0) atomicAdd(sums + blockIdx.y, sum);
}

/* Returns the centred squares of a vertex, of columns lane and lane + LANES: 0 beyond the last. All
   lanes must call it. Sums of squares are whole numbers below 2^53. */
__device__ __forceinline__ double2 centered(const stress_scaling &scaling, int64_t v) {
  const int lane = threadIdx.x % LANES;
  const uint16_t *hops = scaling.pivots.hops + v * scaling.pivots.count;
  double square[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int j = lane + h * LANES;
    const double d = j < scaling.starts ? (double)hops[scaling.start[j]] : 0;
    square[h] = d * d;
  }
  const double own = stress_lane_sum(square[0] + square[1]) / (double)scaling.starts;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int j = lane + h * LANES;
    square[h] = j < scaling.starts
                    ? -0.5 * (square[h] - own - scaling.mean[j] + scaling.mean[scaling.starts])
                    : 0;
  }
  return make_double2(square[0], square[1]);
}

/* Adds the products over a part of the vertices, which blockIdx.x gives. */
__global__ void __launch_bounds__(THREADS)
    multiply(const stress_scaling scaling, int64_t part, double *parts) {
  __shared__ double row[TILE][2 * LANES];
  const int pairs = scaling.starts * (scaling.starts + 1) / 2;
  int column[PAIRS][2];
  double sum[PAIRS] = {};
#pragma unroll
  for (int k = 0; k < PAIRS; ++k) {
    int i = 0, left = (int)threadIdx.x + k * THREADS; /* pairs before column i's are passed */
    if (left >= pairs) left = 0;
    while (left > i)
      left -= ++i;
    column[k][0] = i;
    column[k][1] = left;
  }
  const int64_t first = blockIdx.x * part, last = smaller(first + part, scaling.pivots.n);
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  for (int64_t begin = first; begin < last; begin += TILE) {
    __syncthreads(); /* all threads have used the last tile */
    for (int t = warp; t < TILE; t += WARPS) {
      const int64_t v = begin + t;
      const double2 two = v < last ? centered(scaling, v) : make_double2(0, 0);
      row[t][lane] = two.x;
      row[t][lane + LANES] = two.y;
    }
    __syncthreads();
    for (int t = 0; t < TILE; ++t)
#pragma unroll
      for (int k = 0; k < PAIRS; ++k)
        sum[k] = fma(row[t][column[k][0]], row[t][column[k][1]], sum[k]);
  }
#pragma unroll
  for (int k = 0; k < PAIRS; ++k) {
    const int pair = (int)threadIdx.x + k * THREADS;
    if (pair < pairs) parts[(int64_t)blockIdx.x * pairs + pair] = sum[k];
  }
}

/* Projects vertices, a warp for each. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    project(const stress_scaling scaling, const double *axes, layout_position<DIM> *positions) {
  const int lane = threadIdx.x % LANES;
  for (int64_t v = stress_warp(); v < scaling.pivots.n; v += stress_warps()) {
    const double2 row = centered(scaling, v);
    layout_position<DIM> to;
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      const double *axis = axes + c * MOST;
      double sum = lane < MOST ? row.x * axis[lane] : 0;
      if (lane + LANES < MOST) sum += row.y * axis[lane + LANES];
      to.at[c] = stress_lane_sum(sum);
    }
    if (lane == 0) positions[v] = to;
  }
}

/* Adds the terms of the factor of positions, a warp for each vertex. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    fit(const stress_scaling scaling, const layout_position<DIM> *positions,
        const layout_position<DIM> *at, double *parts) {
  const stress_pivots &pivots = scaling.pivots;
  double sum[2] = {};
  for (int64_t v = stress_warp(); v < pivots.n; v += stress_warps()) {
    const layout_position<DIM> x = positions[v];
    for (int j = threadIdx.x % LANES; j < scaling.starts; j += LANES) {
      const int32_t p = scaling.start[j];
      const layout_position<DIM> y = at[p];
      double square = 0;
#pragma unroll
      for (int c = 0; c < DIM; ++c)
        square = fma(x.at[c] - y.at[c], x.at[c] - y.at[c], square);
      sum[0] = fma(sqrt(square), (double)pivots.hops[v * pivots.count + p], sum[0]);
      sum[1] += square;
    }
  }
  stress_block_sum<2>(sum, parts + 2 * blockIdx.x);
}

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    shake(int64_t n, double factor, double side, uint64_t seed, layout_position<DIM> *positions) {
  const int64_t v = this_item();
  if (v >= n) return;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    const double by = gg_random_unit(seed, (uint64_t)(v * DIM + c)) - 0.5;
    positions[v].at[c] = fma(side, by, factor * positions[v].at[c]);
  }
}

} // namespace

void stress_sum_squares(const stress_scaling &scaling, unsigned long long *sums,
                        cudaStream_t stream) {
  const dim3 blocks(STRESS_PARTS, (unsigned)scaling.starts);
  sum_squares<<<blocks, THREADS, 0, stream>>>(scaling, sums);
}

void stress_multiply(const stress_scaling &scaling, double *parts, cudaStream_t stream) {
  multiply<<<STRESS_PARTS, THREADS, 0, stream>>>(scaling, divide_up(scaling.pivots.n, STRESS_PARTS),
                                                 parts);
}

template <int DIM>
void stress_project(const stress_scaling &scaling, const double *axes,
                    layout_position<DIM> *positions, cudaStream_t stream) {
  project<DIM><<<STRESS_PARTS, THREADS, 0, stream>>>(scaling, axes, positions);
}

template <int DIM>
void stress_fit(const stress_scaling &scaling, const layout_position<DIM> *positions,
                const layout_position<DIM> *at, double *parts, cudaStream_t stream) {
  fit<DIM><<<STRESS_PARTS, THREADS, 0, stream>>>(scaling, positions, at, parts);
}

template <int DIM>
void stress_shake(int64_t n, double factor, double side, uint64_t seed,
                  layout_position<DIM> *positions, cudaStream_t stream) {
  shake<DIM><<<blocks_for(n, THREADS), THREADS, 0, stream>>>(n, factor, side, seed, positions);
}

#define INSTANTIATE(DIM)                                                                           \
  template void stress_project(const stress_scaling &, const double *, layout_position<DIM> *,     \
                               cudaStream_t);                                                      \
  template void stress_fit(const stress_scaling &, const layout_position<DIM> *,                   \
                           const layout_position<DIM> *, double *, cudaStream_t);                  \
  template void stress_shake(int64_t, double, double, uint64_t, layout_position<DIM> *,            \
                             cudaStream_t);
INSTANTIATE(2)
INSTANTIATE(3)

} // namespace gpugeo
