/* Distances that stay on the device. */
#ifndef GG_CUDA_DIST_RESIDENT_CUH
#define GG_CUDA_DIST_RESIDENT_CUH

#include "cuda/common/place.cuh"
#include "cuda/common/team.cuh"
#include "dist/dist.h"

namespace gpugeo {

/* Computes the distances of a plan within x, in condensed order and double, to a matrix on the
   worker's device. budget: device memory that it may take meanwhile. */
void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to);

} // namespace gpugeo

#endif
