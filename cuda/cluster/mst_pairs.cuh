/* First edges of points by all pairs, and pairs without a distance. */
#ifndef GG_CUDA_CLUSTER_MST_PAIRS_CUH
#define GG_CUDA_CLUSTER_MST_PAIRS_CUH

#include "cuda/cluster/components.cuh"
#include "cuda/distance/neighbors.cuh"

namespace gpugeo {

/* Counts the pairs without a distance, and finds the first one. Each pair of points adds `share` to
   the finished work. Waits for it. */
gg_missing_pairs count_missing(const gg_dist_plan &plan, neighbor_blocks &blocks, double share);

/* Searches the first edges of points by the tile kernels. */
class pair_search {
public:
  pair_search(const gg_dist_plan &plan, neighbor_blocks &blocks);

  /* Enqueues the search for so many active positions, which are points. */
  void run(const component_view &view, const int32_t *active, int64_t count);

private:
  void search(const component_view &view, const int32_t *active, int64_t count);

  const gg_dist_plan &plan_;
  neighbor_blocks &blocks_;
  point_store queries_;
  device_memory weight_, distance_, point_; /* of each query's first edge so far */
};

} // namespace gpugeo

#endif
