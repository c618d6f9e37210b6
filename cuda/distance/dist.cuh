/* The interface between the distance kernels and their driver. */
#ifndef GG_CUDA_DIST_CUH
#define GG_CUDA_DIST_CUH

#include "cuda/common/team.cuh"
#include "cuda/distance/tile_job.cuh"

namespace gpugeo {

/* Returns a lane's own plan. */
inline gg_dist_plan plan_of(gg_dist_plan plan, const worker &here) {
  plan.device = here.device;
  plan.threads = here.threads;
  return plan;
}

/* Trees are made of points with at most so many columns: with more, keys have less than 4 bits of a
   coordinate. */
constexpr int64_t TREE_COLUMNS_MOST = 16;

/* True if the last bits of a distance depend on the order of its points. */
bool depends_on_order(gg_step step);

/* Copies the weights of a plan to the device, as reals of its kernels; none if it has none. To be
   called once. */
void bring_weights(const gg_dist_plan &plan, device_memory &weight);

/* Returns the kernel for a plan with so many pairs at a time: that with large tiles, unless
   there are fewer of them than the device can run at once. */
tile_kernel choose_kernel(const gg_dist_plan &plan, double pairs);

/* Launches so many tiles of the job, from job.first_tile on. */
void launch(const tile_kernel &kernel, tile_job job, int64_t tiles, cudaStream_t stream);

/* Returns the number of tiles for one launch, which bounds the delay of an interrupt; at least
   two for each multiprocessor. */
int64_t tiles_of_launch(const gg_dist_plan &plan, const tile_kernel &kernel);

} // namespace gpugeo

#endif
