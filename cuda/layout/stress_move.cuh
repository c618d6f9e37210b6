/* Iterations of layouts by stress on the device. All launches take a stream and return at once. */
#ifndef GG_CUDA_LAYOUT_STRESS_MOVE_CUH
#define GG_CUDA_LAYOUT_STRESS_MOVE_CUH

#include "cuda/layout/stress_pivots.cuh"
#include "cuda/layout/vertices.cuh"

namespace gpugeo {

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
