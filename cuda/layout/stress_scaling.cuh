/* First positions of layouts by stress on the device, by classical scaling of pivots. All launches
   take a stream and return at once. */
#ifndef GG_CUDA_LAYOUT_STRESS_SCALING_CUH
#define GG_CUDA_LAYOUT_STRESS_SCALING_CUH

#include "cuda/layout/stress_pivots.cuh"
#include "cuda/layout/vertices.cuh"

namespace gpugeo {

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

} // namespace gpugeo

#endif
