/*
 * Repulsion between all pairs of vertices: sum over j of m_j (x_i - x_j) / (d_ij^2 + soft), with
 * GG_LAYOUT_SOFT of layout/step.h.
 *
 * Limit: a pair takes 11 operations of the FP32 pipes in the plane, 128 a cycle and multiprocessor,
 * and a reciprocal, 16 a cycle.
 */
#include "cuda/layout/exact.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 128;
constexpr int TARGETS = 2;              /* vertices for each thread */
constexpr int TILE = THREADS * TARGETS; /* vertices in shared memory at a time */
constexpr int64_t BLOCKS = 2048;        /* more than a device runs at a time */
constexpr double LAUNCH_PAIRS = 1e11;   /* a launch takes less than 0.1 s */

template <int DIM> struct alignas(16) exact_source {
  layout_offset<DIM> offset;
  float mass;
};

/* Returns a vertex as a source; of mass 0 after the last vertex. */
template <int DIM>
__device__ __forceinline__ exact_source<DIM> source_of(const layout_vertices<DIM> &vertices,
                                                       int64_t vertex) {
  exact_source<DIM> source = {};
  if (vertex >= vertices.n) return source;
  source.offset = layout_offset_of(vertices.fine_of(vertex));
  source.mass = vertices.mass_of(vertex);
  return source;
}

/* Computes the force of one part of all vertices on the tiles from first_tile on. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    repel_all(const layout_vertices<DIM> vertices, int64_t first_tile, int64_t part_length,
              layout_force<DIM> *parts) {
  __shared__ exact_source<DIM> source[TILE];
  if (vertices.state->converged) return;
  const int64_t first = (first_tile + blockIdx.x) * TILE + threadIdx.x;
  layout_offset<DIM> target[TARGETS];
  float force[TARGETS][DIM] = {};
#pragma unroll
  for (int t = 0; t < TARGETS; ++t)
    target[t] = source_of(vertices, first + t * THREADS).offset;

  const int64_t begin = blockIdx.y * part_length;
  const int64_t end = smaller(begin + part_length, vertices.n);
  for (int64_t tile = begin; tile < end; tile += TILE) {
    __syncthreads(); /* all threads have used the previous tile */
    for (int i = threadIdx.x; i < TILE; i += THREADS)
      source[i] = source_of(vertices, tile + i);
    __syncthreads();
    float sum[TARGETS][DIM] = {};
#pragma unroll 4
    for (int i = 0; i < TILE; ++i) {
      const exact_source<DIM> from = source[i];
#pragma unroll
      for (int t = 0; t < TARGETS; ++t) {
        float d[DIM];
        layout_difference(target[t], from.offset, d);
        layout_repel<DIM>(d, from.mass, sum[t]);
      }
    }
#pragma unroll
    for (int t = 0; t < TARGETS; ++t)
#pragma unroll
      for (int c = 0; c < DIM; ++c)
        force[t][c] += sum[t][c];
  }
#pragma unroll
  for (int t = 0; t < TARGETS; ++t) {
    const int64_t vertex = first + t * THREADS;
    if (vertex >= vertices.n) continue;
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      parts[blockIdx.y * vertices.n + vertex].at[c] = force[t][c];
  }
}

/* Returns the number of vertices of a part: whole tiles, for about BLOCKS blocks in total. */
int64_t part_length(int64_t n) {
  const int64_t tiles = divide_up(n, TILE);
  const int64_t parts = smaller(divide_up(BLOCKS, tiles), tiles);
  return divide_up(tiles, parts) * TILE;
}

} // namespace

int64_t layout_exact_parts(int64_t n) { return divide_up(n, part_length(n)); }

template <int DIM>
void layout_exact(const layout_vertices<DIM> &vertices, layout_force<DIM> *parts, pieces &pieces,
                  double fraction) {
  const int64_t n = vertices.n, tiles = divide_up(n, TILE);
  const int64_t most = larger((int64_t)(LAUNCH_PAIRS / TILE / (double)n), 1);
  for (int64_t tile = 0; tile < tiles; tile += most) {
    if (tile > 0) {
      pieces.end();
      pieces.begin(fraction);
    }
    const dim3 blocks((unsigned)smaller(most, tiles - tile), (unsigned)layout_exact_parts(n));
    repel_all<DIM><<<blocks, THREADS, 0, pieces.stream()>>>(vertices, tile, part_length(n), parts);
  }
}

template void layout_exact(const layout_vertices<2> &, layout_force<2> *, pieces &, double);
template void layout_exact(const layout_vertices<3> &, layout_force<3> *, pieces &, double);

} // namespace gpugeo
