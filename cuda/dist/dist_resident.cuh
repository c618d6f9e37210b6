/* Distances that stay on the device. */
#ifndef GG_CUDA_DIST_RESIDENT_CUH
#define GG_CUDA_DIST_RESIDENT_CUH

#include "cuda/common/place.cuh"
#include "cuda/common/team.cuh"
#include "dist/dist.h"
#include "dist/dist_device.h"

namespace gpugeo {

/* Computes the distances of a plan within x to a matrix on the worker's device, which has finished
   then. budget: device memory that it may take meanwhile. */
void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to);

/* Returns all pairs of n points: the block whose values a condensed matrix has. */
__host__ __device__ inline pair_block all_pairs(int64_t n) { return {0, n, 0, n, 0, 1}; }

/* Copies distances that stay on the worker's device to a matrix there; enqueues only. */
void place_device(const gpugeo_dist_device &from, const resident_matrix &to, cudaStream_t stream);

} // namespace gpugeo

#endif
