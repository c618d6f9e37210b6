/* Ward's linkages of points without a matrix. */
#ifndef GG_CUDA_CLUSTER_CENTROIDS_CUH
#define GG_CUDA_CLUSTER_CENTROIDS_CUH

#include "cluster/hclust.h"
#include "cuda/common/team.cuh"

namespace gpugeo {

/* Merges the points of a plan. Fails if the device's memory is too small. */
gpugeo_status merge_by_centroids(const gg_hclust_plan &plan, const worker &here, gg_merge *merges,
                                 gpugeo_error *error);

} // namespace gpugeo

#endif
