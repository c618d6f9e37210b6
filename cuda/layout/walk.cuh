/* Repulsion by a tree. */
#ifndef GG_CUDA_LAYOUT_WALK_CUH
#define GG_CUDA_LAYOUT_WALK_CUH

#include "cuda/layout/tree.cuh"

namespace gpugeo {

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

} // namespace gpugeo

#endif
