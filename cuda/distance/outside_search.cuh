/* Searches of a tree of boxes for the nearest points of other components. */
#ifndef GG_CUDA_OUTSIDE_SEARCH_CUH
#define GG_CUDA_OUTSIDE_SEARCH_CUH

#include "cuda/common/ordered_bits.cuh"
#include "cuda/distance/tree_search.cuh"

namespace gpugeo {

/*
 * The components of the points of a tree, and their edges. An edge has a weight: its distance or,
 * if points have core distances, the largest of its distance and both core distances. Edges of a
 * point are ordered by weight, then by distance, then by the index of the other point.
 */
struct outside_view {
  /* Of each position in the tree: */
  const int32_t *component;
  const double *core; /* NULL: there are none */
  double *bound;      /* no edge to another component has a smaller weight, */
  int32_t *nearest;   /* and the first one, with this weight, leads to this position; or -1 */
  double *distance;   /* with core distances: of this edge */

  const int32_t *uniform[TREE_LEVELS]; /* of each node: the component of all its points, or -1 */
  double_bits *best;                   /* of each component: the smallest weight that is known */
};

/* Computes `uniform` of all levels. */
void find_uniform(const tree_view &tree, const int32_t *component, int32_t *const *uniform,
                  cudaStream_t stream);

/* Enqueues a search for the first edges of the points of search.asking, whose indices are positions
   in search.tree. Edges with a weight larger than the best one of their component may be left out:
   the bound is then larger than that. Lowers the best weights. */
void search_outside(const tree_search &search, gg_step step, const outside_view &view,
                    cudaStream_t stream);

} // namespace gpugeo

#endif
