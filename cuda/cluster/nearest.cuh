/* The nearest of the clusters that the threads of a block have found. */
#ifndef GG_CUDA_CLUSTER_NEAREST_CUH
#define GG_CUDA_CLUSTER_NEAREST_CUH

#include <cmath>
#include <cstdint>

#include "cuda/cluster/working.cuh"

namespace gpugeo {

/* Returns what comes after all clusters. */
__device__ __forceinline__ gg_nearest no_nearest() { return {INFINITY, INT32_MAX}; }

/* Returns the one with the smaller distance or, if they are equal, the lower number. */
__device__ __forceinline__ gg_nearest nearer(gg_nearest a, gg_nearest b) {
  const bool first = a.distance < b.distance || (a.distance == b.distance && a.cluster < b.cluster);
  return first ? a : b;
}

/* Reads what another block has found, past the first cache. */
__device__ __forceinline__ gg_nearest read_found(const gg_nearest *found) {
  return {__ldcg(&found->distance), __ldcg(&found->cluster)};
}

/* Returns the nearest cluster of a warp's lanes to the first one. */
__device__ __forceinline__ gg_nearest nearest_of_warp(gg_nearest mine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    mine = nearer(mine, {__shfl_down_sync(~0u, mine.distance, step),
                         __shfl_down_sync(~0u, mine.cluster, step)});
  return mine;
}

/* Returns the nearest cluster of all threads of a block to thread 0. All threads must call it,
   which is a barrier. */
template <int THREADS> __device__ __forceinline__ gg_nearest nearest_of_block(gg_nearest mine) {
  constexpr int WARPS = THREADS / 32;
  __shared__ double distance[WARPS];
  __shared__ int32_t cluster[WARPS];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  mine = nearest_of_warp(mine);
  __syncthreads(); /* all have read what the last call left */
  if (lane == 0) {
    distance[warp] = mine.distance;
    cluster[warp] = mine.cluster;
  }
  __syncthreads();
  if (warp > 0) return mine;
  return nearest_of_warp(lane < WARPS ? gg_nearest{distance[lane], cluster[lane]} : no_nearest());
}

} // namespace gpugeo

#endif
