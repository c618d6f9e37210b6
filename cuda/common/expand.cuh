/* Expanding the elements of sparse points on the device. */
#ifndef GG_CUDA_EXPAND_CUH
#define GG_CUDA_EXPAND_CUH

#include "common/sparse.h"
#include "cuda/common/device.cuh"

namespace gpugeo {

/* Writes `count` entries, in device memory, to points: coordinate k of point i to to[i + k * ld].
   T is double or float. Does not wait. */
template <class T>
void expand_entries(const gg_sparse_entry *entries, int64_t count, T *to, int64_t ld,
                    cudaStream_t stream);

} // namespace gpugeo

#endif
