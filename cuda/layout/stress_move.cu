/*
 * Iterations of a layout by stress: moves of vertices; see layout/majorization.c. A warp has a
 * vertex: each lane adds every 32nd term in their order, and the lanes are added in a fixed order.
 *
 * Limit: double precision, of which a term takes some 30 operations.
 */
#include <cmath>

#include "cuda/common/launch.cuh"
#include "cuda/layout/stress_move.cuh"
#include "cuda/layout/stress_sum.cuh"
#include "layout/stress_plan.h"

namespace gpugeo {
namespace {

constexpr int THREADS = STRESS_THREADS, LANES = STRESS_LANES;

/* The sums over the terms of a vertex: of w (d - r) / r (x - y), w, and w (d - r)^2, at a distance
   r in the layout and d in the graph. */
template <int DIM> struct stress_pull {
  double to[DIM] = {}, weight = 0, stress = 0;
};

/* Adds the term of a vertex at x with one at y. */
template <int DIM>
__device__ __forceinline__ void add_term(const layout_position<DIM> &x,
                                         const layout_position<DIM> &y, double distance,
                                         double weight, stress_pull<DIM> &sum) {
  double by[DIM], square = 0;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    by[c] = x.at[c] - y.at[c];
    square = fma(by[c], by[c], square);
  }
  square = square > GG_STRESS_LEAST_SQUARE ? square : GG_STRESS_LEAST_SQUARE;
  const double inverse = rsqrt(square), missing = fma(-square, inverse, distance);
  const double force = weight * missing, factor = force * inverse;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    sum.to[c] = fma(factor, by[c], sum.to[c]);
  sum.weight += weight;
  sum.stress = fma(force, missing, sum.stress);
}

/* Adds all terms of a vertex, those of this lane. */
template <int DIM>
__device__ __forceinline__ stress_pull<DIM> pull_of(const stress_layout<DIM> &layout, int64_t v,
                                                    const layout_position<DIM> &x) {
  const int lane = threadIdx.x % LANES;
  const int32_t count = layout.pivots.count, depth = layout.weights.depth;
  const uint16_t *hops = layout.pivots.hops + v * count;
  stress_pull<DIM> sum;
#pragma unroll 4
  for (int32_t p = lane; p < count; p += LANES) {
    const int32_t d = hops[p];
    const double weight = (double)layout.weights.weight[(int64_t)p * depth + d];
    add_term(x, layout.pivot_positions[p], (double)d, weight, sum);
  }
  const int64_t end = layout.graph.start[v + 1];
#pragma unroll 2
  for (int64_t e = layout.graph.start[v] + lane; e < end; e += LANES)
    add_term(x, layout.positions[layout.graph.neighbor[e]], 1.0, 1.0, sum);
  return sum;
}

/* Returns the next coordinate of a vertex that moves. */
template <int DIM>
__device__ __forceinline__ double moved_to(const stress_layout<DIM> &layout, int64_t v, int c,
                                           double x, double by) {
  double to = fma(GG_STRESS_RELAXATION, by, x);
  if (layout.lower) to = fmax(to, layout.lower[v].at[c]);
  if (layout.upper) to = fmin(to, layout.upper[v].at[c]);
  return to;
}

/* Computes the next positions of the vertices [first, last) of the order, a warp for each. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    move(const stress_layout<DIM> layout, int64_t first, int64_t last) {
  const int64_t i = first + stress_warp();
  if (i >= last || layout.state->converged) return;
  const int64_t v = layout.order[i];
  const layout_position<DIM> x = layout.positions[v];
  stress_pull<DIM> sum = pull_of(layout, v, x);
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    sum.to[c] = stress_lane_sum(sum.to[c]);
  sum.weight = stress_lane_sum(sum.weight);
  sum.stress = stress_lane_sum(sum.stress);
  if (threadIdx.x % LANES > 0) return;
  layout.stress[i] = sum.stress;
  layout_position<DIM> to = x;
  if (sum.weight > 0 && !(layout.fixed && layout.fixed[v]))
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      to.at[c] = moved_to(layout, v, c, x.at[c], sum.to[c] / sum.weight);
  layout.moved[i - first] = to;
}

/* Moves the vertices to their next positions; a vertex at distance 0 from a pivot is the pivot. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    finish(const stress_layout<DIM> layout, int64_t first, int64_t last) {
  const int64_t i = first + this_item();
  if (layout.state->converged) return;
  double square = 0;
  if (i < last) {
    const int64_t v = layout.order[i];
    const layout_position<DIM> to = layout.moved[i - first], from = layout.positions[v];
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      square = fma(to.at[c] - from.at[c], to.at[c] - from.at[c], square);
    layout.positions[v] = to;
    if (layout.pivots.nearest[v] == 0) layout.pivot_positions[layout.pivots.region[v]] = to;
  }
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2)
    square = fmax(square, __shfl_xor_sync(~0u, square, step));
  if (threadIdx.x % LANES == 0)
    atomicMax(&layout.state->longest, (unsigned long long)__double_as_longlong(square));
}

/* Adds the stress of the vertices in parts. */
template <int DIM>
__global__ void __launch_bounds__(THREADS) sum_stress(const stress_layout<DIM> layout) {
  if (layout.state->converged) return;
  double sum = 0;
  for (int64_t i = this_item(); i < layout.pivots.n; i += STRESS_PARTS * THREADS)
    sum += layout.stress[i];
  stress_block_sum<1>(&sum, layout.parts + blockIdx.x);
}

/* Computes the state after an iteration, by one block. */
template <int DIM>
__global__ void __launch_bounds__(THREADS) end(const stress_layout<DIM> layout, double tolerance) {
  stress_state *state = layout.state;
  if (state->converged) return;
  __shared__ double stress;
  double sum = 0;
  for (int part = threadIdx.x; part < STRESS_PARTS; part += THREADS)
    sum += layout.parts[part];
  stress_block_sum<1>(&sum,
                      &stress); /* has a barrier, after which all threads have read the state */
  if (threadIdx.x > 0) return;
  const double before = state->before;
  state->decrease = isinf(before) ? 1 : (before - stress) / before;
  const double least = GG_STRESS_LEAST_DECREASE(state->iterations);
  state->steady = state->decrease < least ? state->steady + 1 : 0;
  const double longest = sqrt(__longlong_as_double((long long)state->longest));
  state->converged = longest <= tolerance || state->steady >= GG_STRESS_STEADY;
  state->before = stress;
  state->longest = 0;
  state->iterations += 1;
}

/* Copies the positions of the pivots. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    copy_pivots(const stress_layout<DIM> layout, const int32_t *pivot) {
  const int64_t p = this_item();
  if (p < layout.pivots.count) layout.pivot_positions[p] = layout.positions[pivot[p]];
}

/* Adds ratios of distances, a warp for each vertex. */
template <int DIM>
__global__ void __launch_bounds__(THREADS) ratios(const stress_layout<DIM> layout, double *parts) {
  const stress_pivots &pivots = layout.pivots;
  double sum[2] = {};
  for (int64_t v = stress_warp(); v < pivots.n; v += stress_warps()) {
    const layout_position<DIM> x = layout.positions[v];
    for (int32_t p = threadIdx.x % LANES; p < pivots.count; p += LANES) {
      const int32_t d = pivots.hops[v * pivots.count + p];
      const layout_position<DIM> y = layout.pivot_positions[p];
      double square = 0;
#pragma unroll
      for (int c = 0; c < DIM; ++c)
        square = fma(x.at[c] - y.at[c], x.at[c] - y.at[c], square);
      if (d == 0) continue;
      const double ratio = sqrt(square) / (double)d;
      sum[0] += ratio;
      sum[1] = fma(ratio, ratio, sum[1]);
    }
  }
  stress_block_sum<2>(sum, parts + 2 * blockIdx.x);
}

} // namespace

template <int DIM>
void stress_copy_pivots(const stress_layout<DIM> &layout, const int32_t *pivot,
                        cudaStream_t stream) {
  copy_pivots<DIM><<<blocks_for(layout.pivots.count, THREADS), THREADS, 0, stream>>>(layout, pivot);
}

template <int DIM>
void stress_move(const stress_layout<DIM> &layout, int64_t first, int64_t last,
                 cudaStream_t stream) {
  if (first == last) return;
  move<DIM>
      <<<blocks_for((last - first) * LANES, THREADS), THREADS, 0, stream>>>(layout, first, last);
  finish<DIM><<<blocks_for(last - first, THREADS), THREADS, 0, stream>>>(layout, first, last);
}

template <int DIM>
void stress_end(const stress_layout<DIM> &layout, double tolerance, cudaStream_t stream) {
  sum_stress<DIM><<<STRESS_PARTS, THREADS, 0, stream>>>(layout);
  end<DIM><<<1, THREADS, 0, stream>>>(layout, tolerance);
}

template <int DIM>
void stress_ratios(const stress_layout<DIM> &layout, double *parts, cudaStream_t stream) {
  ratios<DIM><<<STRESS_PARTS, THREADS, 0, stream>>>(layout, parts);
}

#define INSTANTIATE(DIM)                                                                           \
  template void stress_copy_pivots(const stress_layout<DIM> &, const int32_t *, cudaStream_t);     \
  template void stress_move(const stress_layout<DIM> &, int64_t, int64_t, cudaStream_t);           \
  template void stress_end(const stress_layout<DIM> &, double, cudaStream_t);                      \
  template void stress_ratios(const stress_layout<DIM> &, double *, cudaStream_t);
INSTANTIATE(2)
INSTANTIATE(3)

} // namespace gpugeo
