/*
 * Searches of a tree of boxes: a warp for the 32 queries of a leaf of their own tree, a lane each.
 *
 * The sums of boxes are those of the gaps between them and a query, or the box of all queries, in
 * the steps of the metric, see sum_limit.h: rounding leaves out no point that is a neighbour.
 */
#ifndef GG_CUDA_TREE_SEARCH_CUH
#define GG_CUDA_TREE_SEARCH_CUH

#include "cuda/distance/nearest_list.cuh"
#include "cuda/distance/radius_lists.cuh"
#include "cuda/distance/tree_queries.cuh"

namespace gpugeo {

/* Memory for the lists that warps fill at a time, where shared memory has no room for them. */
class nearest_room {
public:
  /* For lists of k neighbours of so many queries, at most `bytes` unless a thread block needs more.
   */
  nearest_room(int64_t k, int64_t queries, double bytes);

  struct view {
    double *distance; /* NULL: in shared memory */
    int32_t *index;
    unsigned blocks; /* that there is room for */
  };
  view get() const { return {distance_.as<double>(), index_.as<int32_t>(), blocks_}; }

private:
  device_memory distance_, index_;
  unsigned blocks_ = UINT32_MAX;
};

/* Enqueue searches: the k nearest into lists, and those within a radius, counted or written.
   Without lists.distance or lists.next nothing is written. */
void search_nearest(const tree_search &search, gg_step step, const nearest_lists &lists,
                    const nearest_room &room, cudaStream_t stream);
void search_near(const tree_search &search, gg_step step, double radius, const radius_lists &lists,
                 cudaStream_t stream);

} // namespace gpugeo

#endif
