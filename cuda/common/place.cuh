/* Copying blocks of distances to their positions in a matrix that stays on the device. */
#ifndef GG_CUDA_PLACE_CUH
#define GG_CUDA_PLACE_CUH

#include "cuda/common/device.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {

/* A matrix of distances within n points in device memory: condensed, or symmetric, n by n, whose
   diagonal is not written; or some rows of the symmetric one. */
struct resident_matrix {
  void *values; /* doubles or floats */
  int64_t n;
  bool condensed;
  bool single = false;
  int64_t first = 0, last = INT64_MAX; /* rows of the symmetric matrix that are here */

  __device__ bool has_row(int64_t row) const { return row >= first && row < last; }
};

/* Copies the values of a block without the diagonal, packed in device memory, to where they belong,
   in the symmetric matrix on both sides of the diagonal. T is double or float; a single matrix
   takes floats only. Does not wait. */
template <class T>
void place_block(const pair_block &block, const T *values, const resident_matrix &to,
                 cudaStream_t stream);

} // namespace gpugeo

#endif
