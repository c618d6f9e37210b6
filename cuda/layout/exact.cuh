/* Repulsion between all pairs of vertices. */
#ifndef GG_CUDA_LAYOUT_EXACT_CUH
#define GG_CUDA_LAYOUT_EXACT_CUH

#include "cuda/common/pieces.cuh"
#include "cuda/layout/vertices.cuh"

namespace gpugeo {

/* Returns the number of parts in which the force on a vertex is summed: parts by n forces, which
   are added in their order. */
int64_t layout_exact_parts(int64_t n);
/* Launches the sums. A piece must have begun; above 1e11 pairs it is ended and others are begun. */
template <int DIM>
void layout_exact(const layout_vertices<DIM> &vertices, layout_force<DIM> *parts, pieces &pieces,
                  double fraction);

} // namespace gpugeo

#endif
