/* The factor of a singular covariance on the device. */
#ifndef GG_CUDA_PSEUDOINVERSE_CUH
#define GG_CUDA_PSEUDOINVERSE_CUH

#include "cuda/common/device.cuh"
#include "distance/pseudoinverse.h"

namespace gpugeo {

/* Returns the bytes of device memory that pseudo_factor() takes for m coordinates. */
int64_t pseudo_bytes(int64_t m);

/* Computes what gg_pseudo_cholesky() does, with the same bits, from an m by m covariance on the
   device, which it overwrites, to `factor` on the host. Returns why it failed, if it did. */
gg_pseudo_failure pseudo_factor(double *covariance, int64_t m, double *factor, cudaStream_t stream,
                                gg_clock *clock);

} // namespace gpugeo

#endif
