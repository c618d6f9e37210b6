/* Transposing points on the device. */
#ifndef GG_CUDA_TRANSPOSE_CUH
#define GG_CUDA_TRANSPOSE_CUH

#include "cuda/common/device.cuh"

namespace gpugeo {

/* Transposes points of consecutive coordinates, point i's k-th at from[k + i * m], into `to`
   with coordinate k of point i at to[i + k * ld]. T is double or float. */
template <class T>
void transpose_points(const T *from, int64_t count, int64_t m, T *to, int64_t ld,
                      cudaStream_t stream);

} // namespace gpugeo

#endif
