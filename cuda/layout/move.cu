/*
 * Attraction, and the step of each vertex.
 *
 * Limit: the gathers of the neighbours' positions, which come from the device's L2 cache up to
 * about a million vertices.
 */
#include "cuda/layout/move.cuh"

#include <cfloat>

#include "cuda/common/block_reduce.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256, LANES = 32;
constexpr int ROW_LANES = 8; /* lanes of a warp for a vertex */

/* --- Attraction ------------------------------------------------------------------------------- */

template <int DIM>
__device__ __forceinline__ void offset_of(const layout_vertices<DIM> &vertices, int64_t vertex,
                                          double *offset) {
  const layout_position<DIM> here = vertices.position[vertex];
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    offset[c] = gg_layout_offset(&vertices.state->frame, here.at[c], c);
}

/* Adds the sums of a group of lanes; all lanes get the result. */
template <int GROUP, int DIM> __device__ __forceinline__ void add_lanes(double *sum) {
#pragma unroll
  for (int step = GROUP / 2; step > 0; step /= 2)
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      sum[c] += __shfl_xor_sync(~0u, sum[c], step);
}

/* Adds the pulls of every GROUP-th entry from `first` on. */
template <int DIM, int GROUP>
__device__ __forceinline__ void pull(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                                     const double *offset, int64_t first, int64_t end,
                                     double *sum) {
  for (int64_t e = first; e < end; e += GROUP) {
    double other[DIM];
    offset_of(vertices, csr.neighbor[e], other);
    gg_layout_pull(offset, other, csr.weight ? (double)csr.weight[e] : 1.0, DIM, sum);
  }
}

/* Computes the pulls of segments of long rows, a warp for each segment. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    pull_segments(const layout_vertices<DIM> vertices, const layout_csr csr, double *pulls) {
  const int lane = threadIdx.x % LANES;
  const int64_t s = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
  if (s >= csr.segments || vertices.state->converged) return;
  const layout_segment segment = csr.segment[s];
  double offset[DIM], sum[DIM] = {};
  offset_of(vertices, segment.vertex, offset);
  pull<DIM, LANES>(vertices, csr, offset, segment.first + lane, segment.end, sum);
  add_lanes<LANES, DIM>(sum);
  if (lane > 0) return;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    pulls[s * DIM + c] = sum[c];
}

/* Computes both forces on a vertex, in units of the frame and per unit of its mass, by ROW_LANES
   lanes. All lanes of a warp must call it. */
template <int DIM>
__device__ __forceinline__ void forces_on(const layout_vertices<DIM> &vertices,
                                          const layout_csr &csr, const layout_sources<DIM> &sources,
                                          int64_t vertex, double *repulsion, double *attraction) {
  const int lane = threadIdx.x % ROW_LANES;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    repulsion[c] = attraction[c] = 0;
  if (vertex < vertices.n) {
    for (int64_t part = lane; part < sources.parts; part += ROW_LANES) {
      const layout_force<DIM> one = sources.repulsion[part * vertices.n + vertex];
#pragma unroll
      for (int c = 0; c < DIM; ++c)
        repulsion[c] += (double)one.at[c];
    }
    const int64_t first = csr.start[vertex], end = csr.start[vertex + 1];
    if (end - first <= LAYOUT_ROW) {
      double offset[DIM];
      offset_of(vertices, vertex, offset);
      pull<DIM, ROW_LANES>(vertices, csr, offset, first + lane, end, attraction);
    } else {
      int32_t row = 0; /* binary search among the long rows */
      for (int32_t last = csr.long_rows - 1; row < last;) {
        const int32_t middle = row + (last - row) / 2;
        if (csr.long_row[middle] < vertex)
          row = middle + 1;
        else
          last = middle;
      }
      for (int32_t s = csr.long_segment[row] + lane; s < csr.long_segment[row + 1]; s += ROW_LANES)
#pragma unroll
        for (int c = 0; c < DIM; ++c)
          attraction[c] += sources.pulls[(int64_t)s * DIM + c];
    }
    const double mass = (double)vertices.mass_of(vertex);
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      attraction[c] /= mass;
  }
  add_lanes<ROW_LANES, DIM>(repulsion);
  add_lanes<ROW_LANES, DIM>(attraction);
}

/* --- Moves ------------------------------------------------------------------------------------ */

/* Returns the extent of no positions. */
template <int DIM> __device__ __forceinline__ layout_extent<DIM> no_extent() {
  layout_extent<DIM> extent;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    extent.low[c] = DBL_MAX;
    extent.high[c] = -DBL_MAX;
  }
  extent.longest = 0;
  return extent;
}

template <int DIM>
__device__ __forceinline__ void join_extents(layout_extent<DIM> &to,
                                             const layout_extent<DIM> &other) {
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    to.low[c] = fmin(to.low[c], other.low[c]);
    to.high[c] = fmax(to.high[c], other.high[c]);
  }
  to.longest = fmax(to.longest, other.longest);
}

/* Returns the extent of all threads of a block to its first thread. */
template <int DIM>
__device__ __forceinline__ layout_extent<DIM> join_block(const layout_extent<DIM> &extent) {
  return block_reduce<THREADS>(extent, [](layout_extent<DIM> a, const layout_extent<DIM> &b) {
    join_extents(a, b);
    return a;
  });
}

/* Moves all vertices from their positions to `to`, ROW_LANES lanes for each. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    move_vertices(const layout_vertices<DIM> vertices, const layout_csr csr,
                  const layout_sources<DIM> sources, const layout_limits<DIM> limits,
                  layout_position<DIM> *to, layout_extent<DIM> *extents) {
  if (vertices.state->converged) return;
  constexpr int ROWS = THREADS / ROW_LANES;
  layout_extent<DIM> extent = no_extent<DIM>();
  for (int64_t first = (int64_t)blockIdx.x * ROWS; first < vertices.n;
       first += (int64_t)gridDim.x * ROWS) {
    const int64_t vertex = first + threadIdx.x / ROW_LANES;
    double repulsion[DIM], attraction[DIM], step[DIM];
    forces_on(vertices, csr, sources, vertex, repulsion, attraction);
    if (threadIdx.x % ROW_LANES > 0 || vertex >= vertices.n) continue;
    layout_position<DIM> moved = vertices.position[vertex];
    if (!limits.fixed || !limits.fixed[vertex]) {
      gg_layout_step(&vertices.state->frame, repulsion, attraction, limits.temperature, DIM, step);
      double square = 0;
#pragma unroll
      for (int c = 0; c < DIM; ++c) {
        const double x = moved.at[c];
        moved.at[c] =
            gg_layout_moved(x, step[c], limits.lower ? limits.lower[vertex].at[c] : -DBL_MAX,
                            limits.upper ? limits.upper[vertex].at[c] : DBL_MAX);
        square = fma(moved.at[c] - x, moved.at[c] - x, square);
      }
      extent.longest = fmax(extent.longest, square);
    }
    to[vertex] = moved;
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      extent.low[c] = fmin(extent.low[c], moved.at[c]);
      extent.high[c] = fmax(extent.high[c], moved.at[c]);
    }
  }
  extent = join_block(extent);
  if (threadIdx.x == 0) extents[blockIdx.x] = extent;
}

/* Computes the state after an iteration, by one block. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    end_iteration(const layout_extent<DIM> *extents, int count, double tolerance,
                  layout_state *state) {
  if (state->converged) return;
  layout_extent<DIM> extent = no_extent<DIM>();
  for (int i = threadIdx.x; i < count; i += THREADS)
    join_extents(extent, extents[i]);
  extent = join_block(extent); /* has a barrier, after which all threads have read the state */
  if (threadIdx.x > 0) return;
  state->frame = gg_layout_frame_make(extent.low, extent.high, DIM);
  state->iterations += 1;
  state->converged = sqrt(extent.longest) <= tolerance;
}

/* Copies the forces, ROW_LANES lanes for a vertex: n by DIM each, column-major. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    copy_forces(const layout_vertices<DIM> vertices, const layout_csr csr,
                const layout_sources<DIM> sources, double *repulsion, double *attraction) {
  const int64_t vertex = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / ROW_LANES;
  const double unit = vertices.state->frame.unit;
  double pushed[DIM], pulled[DIM];
  forces_on(vertices, csr, sources, vertex, pushed, pulled);
  if (threadIdx.x % ROW_LANES > 0 || vertex >= vertices.n) return;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    repulsion[vertex + c * vertices.n] = pushed[c] / unit;
    attraction[vertex + c * vertices.n] = pulled[c] * unit * unit;
  }
}

} // namespace

template <int DIM>
void layout_pull(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, cudaStream_t stream) {
  if (csr.segments == 0) return;
  const int64_t blocks = divide_up((int64_t)csr.segments * LANES, THREADS);
  pull_segments<DIM><<<(unsigned)blocks, THREADS, 0, stream>>>(vertices, csr, sources.pulls);
}

template <int DIM>
void layout_move(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, const layout_limits<DIM> &limits,
                 const layout_moved<DIM> &moved, cudaStream_t stream) {
  const int64_t blocks = smaller(divide_up(vertices.n, THREADS / ROW_LANES), LAYOUT_EXTENTS);
  move_vertices<DIM><<<(unsigned)blocks, THREADS, 0, stream>>>(vertices, csr, sources, limits,
                                                               moved.to, moved.extents);
  end_iteration<DIM>
      <<<1, THREADS, 0, stream>>>(moved.extents, (int)blocks, limits.tolerance, moved.state);
}

template <int DIM>
void layout_copy_forces(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                        const layout_sources<DIM> &sources, double *repulsion, double *attraction,
                        cudaStream_t stream) {
  const int64_t blocks = divide_up(vertices.n * ROW_LANES, THREADS);
  copy_forces<DIM>
      <<<(unsigned)blocks, THREADS, 0, stream>>>(vertices, csr, sources, repulsion, attraction);
}

#define INSTANTIATE(DIM)                                                                           \
  template void layout_pull(const layout_vertices<DIM> &, const layout_csr &,                      \
                            const layout_sources<DIM> &, cudaStream_t);                            \
  template void layout_move(const layout_vertices<DIM> &, const layout_csr &,                      \
                            const layout_sources<DIM> &, const layout_limits<DIM> &,               \
                            const layout_moved<DIM> &, cudaStream_t);                              \
  template void layout_copy_forces(const layout_vertices<DIM> &, const layout_csr &,               \
                                   const layout_sources<DIM> &, double *, double *, cudaStream_t);
INSTANTIATE(2)
INSTANTIATE(3)

} // namespace gpugeo
