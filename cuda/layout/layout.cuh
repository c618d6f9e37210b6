/* The parts of layouts on CUDA. */
#ifndef GG_CUDA_LAYOUT_CUH
#define GG_CUDA_LAYOUT_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/pieces.cuh"
#include "layout/step.h"

namespace gpugeo {

/* A vertex's position, and its fine offset in the frame (see layout/step.h). */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_position { double at[DIM]; };
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_fine { int32_t at[DIM]; };

/* A force, in units of the frame and per unit of the vertex's mass. */
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_force { float at[DIM]; };

/* The state that an iteration passes on to the next. */
struct layout_state {
  gg_layout_frame frame; /* of the current positions */
  int64_t iterations;    /* done */
  int32_t converged;     /* nonzero: kernels return at once */
};

/* The vertices in device memory. */
template <int DIM> struct layout_vertices {
  int64_t n;
  const layout_position<DIM> *position;
  const float *mass; /* NULL: all 1 */
  const layout_state *state;

  __device__ __forceinline__ float mass_of(int64_t vertex) const {
    return mass ? mass[vertex] : 1.0f;
  }
  __device__ __forceinline__ layout_fine<DIM> fine_of(int64_t vertex) const {
    const uint64_t hash = gg_layout_hash(vertex, state->iterations);
    const layout_position<DIM> here = position[vertex];
    layout_fine<DIM> fine;
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      fine.at[c] = gg_layout_fine(gg_layout_offset(&state->frame, here.at[c], c), hash, c);
    return fine;
  }
};

/* An offset in units, as a whole part and a rest: the differences of both parts of two offsets are
   exact, so that the difference of the offsets is rounded once. */
template <int DIM> struct layout_offset { float whole[DIM], rest[DIM]; };

template <int DIM>
__device__ __forceinline__ layout_offset<DIM> layout_offset_of(const layout_fine<DIM> &fine) {
  layout_offset<DIM> offset;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    const int32_t rest = fine.at[c] & (GG_LAYOUT_FINE - 1);
    offset.whole[c] = (float)(fine.at[c] - rest) * (1.0f / GG_LAYOUT_FINE);
    offset.rest[c] = (float)rest * (1.0f / GG_LAYOUT_FINE);
  }
  return offset;
}

/* Computes d = to - from. */
template <int DIM>
__device__ __forceinline__ void layout_difference(const layout_offset<DIM> &to,
                                                  const layout_offset<DIM> &from, float *d) {
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    d[c] = (to.whole[c] - from.whole[c]) + (to.rest[c] - from.rest[c]);
}

/* Returns 1 / x within one ulp, for normal x. */
__device__ __forceinline__ float layout_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}

/* Adds the repulsion of a mass to a force; d leads from it to the vertex. */
template <int DIM>
__device__ __forceinline__ void layout_repel(const float *d, float mass, float *force) {
  float square = GG_LAYOUT_SOFT;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    square = fmaf(d[c], d[c], square);
  const float factor = mass * layout_reciprocal(square);
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    force[c] = fmaf(factor, d[c], force[c]);
}

/* --- Repulsion between all pairs -------------------------------------------------------------- */

/* Returns the number of parts in which the force on a vertex is summed: parts by n forces, which
   are added in their order. */
int64_t layout_exact_parts(int64_t n);
/* Launches the sums. A piece must have begun; above 1e11 pairs it is ended and others are begun. */
template <int DIM>
void layout_exact(const layout_vertices<DIM> &vertices, layout_force<DIM> *parts, pieces &pieces,
                  double fraction);

/* --- Repulsion by a tree ---------------------------------------------------------------------- */

/* Maximum numbers of vertices of a leaf, of children of a node, and of levels. */
enum { LAYOUT_LEAF = 8, LAYOUT_FAN = 4, LAYOUT_LEVELS = 15 };

/* The expansion of the vertices below a node about their centre of mass; lengths are in units. */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_node {
  double at[DIM];            /* centre of mass */
  float low[DIM], high[DIM]; /* bounds, from the centre */
  float mass;
  float reach;     /* vertices further away take the node as a whole; negative: all vertices */
  float moment[6]; /* plane: sums of m e^2, m e^3, m e^4 as complex numbers, e from the centre;
                      space: sums of m e e', as xx, xy, xz, yy, yz, zz */
};

/* A tree over vertices in the order of a Hilbert curve. Level 0 has the leaves, of LAYOUT_LEAF
   successive vertices each; a node has LAYOUT_FAN successive children on the level below. */
template <int DIM> struct layout_tree_view {
  int64_t n;
  int levels;
  const layout_node<DIM> *level[LAYOUT_LEVELS];
  int32_t nodes[LAYOUT_LEVELS];
  const int32_t *vertex; /* by rank in the order, as fine and mass are */
  const layout_fine<DIM> *fine;
  const float *mass; /* NULL: all 1 */

  __device__ __forceinline__ float mass_of(int64_t rank) const { return mass ? mass[rank] : 1.0f; }
};

template <int DIM> class layout_tree {
public:
  /* Takes device memory for n > 0 vertices. */
  layout_tree(int64_t n, bool masses, double theta);

  /* Builds the tree of the current positions. */
  void build(const layout_vertices<DIM> &vertices, cudaStream_t stream);

  const layout_tree_view<DIM> &view() const { return view_; }

private:
  void climb(const layout_state *state, cudaStream_t stream);

  const float theta_;
  layout_tree_view<DIM> view_ = {};
  int64_t scratch_bytes_ = 0;
  device_memory nodes_, keys_[2], vertices_[2], fine_[2], mass_, scratch_;
};

/* Scratch of a walk: the runs of LAYOUT_RUN vertices that are too scattered for a common walk. */
enum { LAYOUT_RUN = 32 };
struct layout_scattered {
  int32_t *count, *run; /* their count; their numbers, in any order */
};

/* Computes the repulsion of all vertices by expansions of the given order. */
template <int DIM>
void layout_walk(const layout_tree_view<DIM> &tree, const layout_state *state,
                 int32_t expansion_order, const layout_scattered &scattered,
                 layout_force<DIM> *repulsion, cudaStream_t stream);

/* --- Attraction and moves --------------------------------------------------------------------- */

/* A part of a long row. */
struct layout_segment {
  int64_t first, end; /* entries */
  int32_t vertex;
};

/* The graph in device memory. Rows longer than LAYOUT_ROW are summed in segments first. */
enum { LAYOUT_ROW = 256, LAYOUT_SEGMENT = 1024 };
struct layout_csr {
  const int64_t *start;
  const int32_t *neighbor;
  const float *weight; /* NULL: all 1 */
  int32_t long_rows, segments;
  const int32_t *long_row;     /* their vertices, ascending */
  const int32_t *long_segment; /* first segment of each, and the number of segments */
  const layout_segment *segment;
};

/* The forces that a move adds. */
template <int DIM> struct layout_sources {
  const layout_force<DIM> *repulsion; /* parts by n */
  int64_t parts;
  double *pulls; /* of segments */
};

/* The limits of moves. */
template <int DIM> struct layout_limits {
  const uint8_t *fixed;                      /* NULL: none */
  const layout_position<DIM> *lower, *upper; /* NULL: none */
};

/* The bounds of positions after a move, and the squared length of the longest move. */
template <int DIM> struct layout_extent { double low[DIM], high[DIM], longest; };

/* Maximum number of extents that a move writes. */
enum { LAYOUT_EXTENTS = 2048 };

/* Computes sources.pulls. */
template <int DIM>
void layout_pull(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, cudaStream_t stream);

/* Moves all vertices from their positions to `to`, and advances the state, which is that of the
   vertices, to the next iteration. */
template <int DIM>
void layout_move(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, const layout_limits<DIM> &limits,
                 double temperature, double tolerance, layout_position<DIM> *to,
                 layout_extent<DIM> *extents, layout_state *state, cudaStream_t stream);

/* Copies the forces: n by DIM each, column-major. */
template <int DIM>
void layout_copy_forces(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                        const layout_sources<DIM> &sources, double *repulsion, double *attraction,
                        cudaStream_t stream);

} // namespace gpugeo

#endif
