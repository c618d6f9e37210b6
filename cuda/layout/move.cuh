/* Attraction and moves of vertices. */
#ifndef GG_CUDA_LAYOUT_MOVE_CUH
#define GG_CUDA_LAYOUT_MOVE_CUH

#include "cuda/layout/vertices.cuh"

namespace gpugeo {

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
  double temperature;                        /* no move is longer */
  double tolerance;                          /* without a longer one, the layout has converged */
  const uint8_t *fixed;                      /* NULL: none */
  const layout_position<DIM> *lower, *upper; /* NULL: none */
};

/* The bounds of positions after a move, and the squared length of the longest move. */
template <int DIM> struct layout_extent { double low[DIM], high[DIM], longest; };

/* Maximum number of extents that a move writes. */
enum { LAYOUT_EXTENTS = 2048 };

/* What a move writes. */
template <int DIM> struct layout_moved {
  layout_position<DIM> *to;
  layout_extent<DIM> *extents; /* LAYOUT_EXTENTS */
  layout_state *state;         /* that of the vertices */
};

/* Computes sources.pulls. */
template <int DIM>
void layout_pull(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, cudaStream_t stream);

/* Moves all vertices from their positions to moved.to, and advances the state to the next
   iteration. */
template <int DIM>
void layout_move(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                 const layout_sources<DIM> &sources, const layout_limits<DIM> &limits,
                 const layout_moved<DIM> &moved, cudaStream_t stream);

/* Copies the forces: n by DIM each, column-major. */
template <int DIM>
void layout_copy_forces(const layout_vertices<DIM> &vertices, const layout_csr &csr,
                        const layout_sources<DIM> &sources, double *repulsion, double *attraction,
                        cudaStream_t stream);

} // namespace gpugeo

#endif
