/* Lists of neighbours within a radius, in device memory, which are counted and filled; or what is
   done with them instead of a list. */
#ifndef GG_CUDA_RADIUS_LISTS_CUH
#define GG_CUDA_RADIUS_LISTS_CUH

#include "cuda/distance/density_links.cuh"
#include "cuda/distance/nearest_list.cuh"

namespace gpugeo {

/* Offsets of neighbours: of each query from `first` on, `start` has that of its first one and
   `next` that of its next one. */
struct radius_lists {
  int64_t *start, *next;
  double *distance; /* NULL while they are counted */
  int32_t *index;
  int64_t first;
  density_links links; /* if neighbours are visited and not written */

  /* Takes the neighbours of a warp's lanes that are within the radius, and returns the offset of
     the next one. */
  __device__ __forceinline__ int64_t take(int64_t query, int64_t next, bool near, double of,
                                          int64_t candidate) {
    const int lane = threadIdx.x % LANES;
    const uint32_t all = __ballot_sync(~0u, near);
    if (near) put((int32_t)query, next + __popc(all & ((1u << lane) - 1)), of, (int32_t)candidate);
    return next + __popc(all);
  }

  /* Writes a neighbour, unless neighbours are only counted or visited. */
  __device__ __forceinline__ void put(int32_t query, int64_t at, double of, int32_t candidate) {
    if (!distance) return links.visit(query, candidate);
    distance[at] = of;
    index[at] = candidate;
  }
};

} // namespace gpugeo

#endif
