/* What the parts of the CUDA backend's layouts share. */
#ifndef GG_CUDA_LAYOUT_CUH
#define GG_CUDA_LAYOUT_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/pieces.cuh"
#include "layout/step.h"

namespace gpugeo {

/* A vertex's position, and its offset in the frame as whole numbers (see layout/step.h). */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_position { double at[DIM]; };
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_fine { int32_t at[DIM]; };

/* A force, in units of the frame and per unit of the vertex's mass. */
template <int DIM> struct alignas(DIM == 2 ? 8 : 4) layout_force { float at[DIM]; };

/* What iterations hand on. */
struct layout_state {
  gg_layout_frame frame; /* of the present positions */
  int64_t iterations;    /* done */
  int32_t converged;     /* not 0: kernels have nothing more to do */
};

/* The vertices as kernels see them. */
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

/* An offset in units, as multiples of 1 and what is left: the differences of both parts of two
   offsets are exact, so that the difference of the offsets is rounded once. */
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

/* d = to - from. */
template <int DIM>
__device__ __forceinline__ void layout_difference(const layout_offset<DIM> &to,
                                                  const layout_offset<DIM> &from, float *d) {
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    d[c] = (to.whole[c] - from.whole[c]) + (to.rest[c] - from.rest[c]);
}

/* 1 / x within an ulp, for x in the normal range. */
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

/* --- Repulsion between all pairs ------------------------------------------------------------ */

/* In how many parts the force on a vertex is summed: parts by n forces, to be added up in their
   order. */
int64_t layout_exact_parts(int64_t n);
/* A piece must have begun; for very many vertices it is ended and others begun. */
template <int DIM>
void layout_exact(const layout_vertices<DIM> &vertices, layout_force<DIM> *parts, pieces &pieces,
                  double fraction);

/* --- Repulsion by a tree -------------------------------------------------------------------- */

/* Vertices of a leaf and children of a node, at most, and levels. */
enum { LAYOUT_LEAF = 8, LAYOUT_FAN = 4, LAYOUT_LEVELS = 15 };

/* The vertices below a node, seen from their centre of mass; lengths are in units. */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_node {
  double at[DIM];            /* centre of mass */
  float low[DIM], high[DIM]; /* bounds, from the centre */
  float mass;
  float reach;     /* may be taken as a whole by vertices further away; negative: by all */
  float moment[6]; /* plane: sums of m e^2, m e^3, m e^4 as complex numbers, e from the centre;
                      space: sums of m e e', as xx, xy, xz, yy, yz, zz */
};

/* A tree over vertices in the order of a Hilbert curve. Level 0 are the leaves, each of the next
   LAYOUT_LEAF vertices; a node has the next LAYOUT_FAN of the level below. */
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

  /* Builds the tree of the present positions. */
  void build(const layout_vertices<DIM> &vertices, cudaStream_t stream);

  const layout_tree_view<DIM> &view() const { return view_; }

private:
  void climb(const layout_state *state, cudaStream_t stream);

  const float theta_;
  layout_tree_view<DIM> view_ = {};
  int64_t scratch_bytes_ = 0;
  device_memory nodes_, keys_[2], vertices_[2], fine_[2], mass_, scratch_;
};

/* Scratch of a walk: runs of LAYOUT_RUN vertices that lie too far apart to be walked for together.
 */
enum { LAYOUT_RUN = 32 };
struct layout_scattered {
  int32_t *count, *run; /* how many; their numbers, in any order */
};

/* The repulsion of all vertices, one force for each, by an expansion of the given order. */
template <int DIM>
void layout_walk(const layout_tree_view<DIM> &tree, const layout_state *state, int32_t order,
                 const layout_scattered &scattered, layout_force<DIM> *repulsion,
                 cudaStream_t stream);

/* --- Attraction and moves -------------------------------------------------------------------- */

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

/* Where the forces on vertices come from. */
template <int DIM> struct layout_sources {
  const layout_force<DIM> *repulsion; /* parts by n */
  int64_t parts;
  double *pulls; /* of segments */
};

/* Which vertices may move where. */
template <int DIM> struct layout_limits {
  const uint8_t *fixed;                      /* NULL: none */
  const layout_position<DIM> *lower, *upper; /* NULL: none */
};

/* Of positions after a move: bounds, and the square of the longest move. */
template <int DIM> struct layout_extent { double low[DIM], high[DIM], longest; };

/* At most so many extents are written by a move. */
enum { LAYOUT_EXTENTS = 2048 };

/* Fills sources.pulls. */
template <int DIM>
void layout_pull(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, cudaStream_t stream);

/* Moves all vertices from their positions to `to`, and brings the state, of which the vertices know
   the same, to the next iteration. */
template <int DIM>
void layout_move(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, const layout_limits<DIM> &limits,
                 double temperature, double tolerance, layout_position<DIM> *to,
                 layout_extent<DIM> *extents, layout_state *state, cudaStream_t stream);

/* The forces themselves: n by DIM each, column-major. */
template <int DIM>
void layout_tell(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, double *repulsion, double *attraction,
                 cudaStream_t stream);

} // namespace gpugeo

#endif
