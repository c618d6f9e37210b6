/* The minimum spanning tree of points, joined component by component. */
#ifndef GG_CUDA_SPANNING_TREE_CUH
#define GG_CUDA_SPANNING_TREE_CUH

#include <cstdint>
#include <vector>

#include "cluster/hclust.h"
#include "cuda/cluster/working.cuh"

namespace gpugeo {

/*
 * Edges are ordered by distance, then by their smaller point, then by the larger one. No two are
 * equal, so that there is one tree, and the first edge from a component to another one is in it.
 */
class spanning_tree {
public:
  /* Makes a component of each of n points. */
  explicit spanning_tree(int64_t n);

  int64_t components() const { return components_; }

  /* Returns the component of each point: one of its points. */
  const int32_t *component() const { return component_.data(); }

  /* Adds the first edge of each component. nearest, distance: of each point the first edge to
     another component. */
  void join(const int32_t *nearest, const double *distance);

  /* Returns the edges, n - 1 when there is one component, in no order. */
  const std::vector<gg_merge> &edges() const { return edges_; }

private:
  int32_t find(int32_t point);

  int64_t components_;
  std::vector<int32_t> component_, parent_;
  std::vector<gg_merge> edges_, first_; /* first_: of each component */
};

} // namespace gpugeo

#endif
