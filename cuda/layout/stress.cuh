/* Layouts by stress on the device: pivots, first positions, iterations. All launches take a stream
   and return at once. */
#ifndef GG_CUDA_LAYOUT_STRESS_CUH
#define GG_CUDA_LAYOUT_STRESS_CUH

#include "cuda/layout/paths.cuh"
#include "cuda/layout/vertices.cuh"

namespace gpugeo {

enum {
  STRESS_THREADS = 256, /* of a block */
  STRESS_LANES = 32,    /* of a vertex: a warp */
  STRESS_PARTS = 512    /* of sums over vertices, which the host or one block adds in their order */
};

/* --- Pivots ----------------------------------------------------------------------------------- */

/* Distances of all vertices from pivots. */
struct stress_pivots {
  int64_t n;
  int32_t count;            /* pivots */
  uint16_t *hops;           /* n by count: the distances of a vertex next to each other */
  uint16_t *nearest;        /* of each vertex: the distance from the nearest pivot, */
  int32_t *region;          /* and its number, the first of several */
  unsigned long long *best; /* GG_PATHS_SOURCES words for draws */
};

/* Writes the vertex that is farthest from the first pivot, the first of several, to best[0], as
   2^32 - 1 minus its number in the lower half. */
void stress_find_farthest(const stress_pivots &pivots, cudaStream_t stream);

/* Lowers the distances from the nearest pivot by those from pivots [first, last). */
void stress_lower_nearest(const stress_pivots &pivots, int32_t first, int32_t last,
                          cudaStream_t stream);

/* Draws a vertex of each of so many parts of all vertices, which are random, too, to the lower
   halves of best; all bits are 1 for a part that has only pivots. A vertex is drawn with a
   probability in proportion to its distance from the nearest pivot. */
void stress_draw(const stress_pivots &pivots, uint64_t round, int32_t parts, cudaStream_t stream);

/* The weights of terms by pivot and distance, count by depth, where depth is the largest distance
   plus 1: s / d^2 as in layout/pivots.c, 0 for distances 0 and 1. */
struct stress_weights {
  int32_t depth;
  int32_t *within; /* count by depth, working memory that is 0 on entry */
  float *weight;
};
void stress_weigh(const stress_pivots &pivots, const stress_weights &weights, cudaStream_t stream);

/* --- First positions -------------------------------------------------------------------------- */

/* Squared distances from the pivots of the start, centred by rows and columns. */
struct stress_scaling {
  const stress_pivots pivots;
  int32_t starts;       /* at most GG_PIVOTS_START */
  const int32_t *start; /* their numbers among the pivots */
  const double *mean;   /* of each column of squares, and of all */
};

enum { STRESS_PRODUCTS = 50 * 51 / 2 }; /* of two columns, the most */

/* Adds the squared distances from each start pivot: exact sums, to `sums` that are 0. */
void stress_sum_squares(const stress_scaling &scaling, unsigned long long *sums,
                        cudaStream_t stream);

/* Adds products of columns i >= j in parts: STRESS_PARTS by starts * (starts + 1) / 2, pairs in the
   order of i, then j. */
void stress_multiply(const stress_scaling &scaling, double *parts, cudaStream_t stream);

/* Projects the vertices on axes, DIM by GG_PIVOTS_START. */
template <int DIM>
void stress_project(const stress_scaling &scaling, const double *axes,
                    layout_position<DIM> *positions, cudaStream_t stream);

/* Adds d g and d^2 over vertices and start pivots, at a distance d in the layout and g in the
   graph, in parts: STRESS_PARTS by 2. at: positions of all pivots. */
template <int DIM>
void stress_fit(const stress_scaling &scaling, const layout_position<DIM> *positions,
                const layout_position<DIM> *at, double *parts, cudaStream_t stream);

/* Multiplies positions by a factor and moves them by up to half of `side`, at random. */
template <int DIM>
void stress_shake(int64_t n, double factor, double side, uint64_t seed,
                  layout_position<DIM> *positions, cudaStream_t stream);

/* --- Iterations ------------------------------------------------------------------------------- */

/* The state that an iteration passes on to the next. */
struct stress_state {
  double before;              /* the stress before the last iteration; INFINITY at first */
  double decrease;            /* in the last iteration, as a fraction */
  unsigned long long longest; /* move of this iteration: the bits of its square */
  int64_t iterations;         /* done */
  int32_t steady;             /* the last iterations that hardly decreased the stress */
  int32_t converged;          /* nonzero: kernels return at once */
};

/* A layout in progress. */
template <int DIM> struct stress_layout {
  stress_pivots pivots;
  stress_weights weights;
  path_view graph;
  const int32_t *order; /* vertices by groups */
  layout_position<DIM> *positions;
  layout_position<DIM> *pivot_positions;
  layout_position<DIM> *moved; /* new positions of the present group, in its order */
  double *stress;              /* of each vertex before its move, in the order */
  double *parts;               /* STRESS_PARTS */
  stress_state *state;
  const uint8_t *fixed;                      /* NULL: none */
  const layout_position<DIM> *lower, *upper; /* NULL: none */
};

/* Copies the positions of pivots, given by their vertices. */
template <int DIM>
void stress_copy_pivots(const stress_layout<DIM> &layout, const int32_t *pivot,
                        cudaStream_t stream);

/* Moves the vertices [first, last) of the order, all from the same positions. */
template <int DIM>
void stress_move(const stress_layout<DIM> &layout, int64_t first, int64_t last,
                 cudaStream_t stream);

/* Adds up the stress and ends an iteration. */
template <int DIM>
void stress_end(const stress_layout<DIM> &layout, double tolerance, cudaStream_t stream);

/* Adds r and r^2 over the pairs of a vertex and a pivot, r = d / g, in parts: STRESS_PARTS by 2. */
template <int DIM>
void stress_ratios(const stress_layout<DIM> &layout, double *parts, cudaStream_t stream);

} // namespace gpugeo

#endif
