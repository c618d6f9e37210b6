/* Clusterings whose working matrix is on one device. */
#ifndef GG_CUDA_CLUSTER_HCLUST_CUH
#define GG_CUDA_CLUSTER_HCLUST_CUH

#include "cluster/hclust.h"
#include "cuda/common/team.cuh"

namespace gpugeo {

/* Computes the merges of a clustering whose matrix is on one device. */
gpugeo_status hclust_on_one(const gg_hclust_plan &plan, gg_merge *merges, call &call);

} // namespace gpugeo

#endif
