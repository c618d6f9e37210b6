/* Preparation of each point on the device, before the pairs. */
#ifndef GG_CUDA_PREPARE_CUH
#define GG_CUDA_PREPARE_CUH

#include "cuda/common/device.cuh"
#include "distance/dist.h"

namespace gpugeo {

/* Returns the bytes of scratch that prepare_points() needs for so many points. */
int64_t prepare_scratch(int64_t count);

/* Prepares `count` points in place; coordinate k of point i is at z[i + k * ld]. centre (m) and
   factor (m by m, row-major, or m) are on the device, for GG_PREPARE_WHITENED and
   GG_PREPARE_SCALED. Does not wait. */
void prepare_points(double *z, int64_t ld, int64_t count, int64_t m, gg_prepare what,
                    const double *centre, const double *factor, void *scratch, cudaStream_t stream);

/* Rounds coordinates to float. */
void round_points(const double *from, int64_t from_ld, float *to, int64_t to_ld, int64_t count,
                  int64_t m, cudaStream_t stream);

} // namespace gpugeo

#endif
