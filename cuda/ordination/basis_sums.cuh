/* Sums over the pairs of tiles with a basis, on the tensor cores. */
#ifndef GG_CUDA_BASIS_SUMS_CUH
#define GG_CUDA_BASIS_SUMS_CUH

#include "cuda/distance/dist_resident.cuh"

namespace gpugeo {

/* Tiles of GG_SUMS_SIDE rows, of one column of tiles. */
struct sums_job {
  const void *values; /* condensed distances */
  int64_t n;
  bool square;
  const void *point; /* n by lanes */
  int64_t lanes;
  int64_t first;       /* sum of lane 0 */
  int64_t column, row; /* the first of the first tile */
  int columns;         /* of a tile */
  double *added;       /* lanes by columns by tiles, lanes contiguous */
};

/* Returns the value of a pair, 0 where i <= j. */
template <class T>
__device__ __forceinline__ double value_of(const sums_job &job, int64_t i, int64_t j) {
  if (i <= j) return 0;
  const double value =
      (double)static_cast<const T *>(job.values)[all_pairs(job.n).offset(j) + i - j - 1];
  return job.square ? value * value : value;
}

/* True if the device has tensor cores that take doubles. */
bool has_basis_kernel();

/* Enqueues what add_pairs() does with a basis for so many tiles; single: of distances that are
   floats. The device must have the kernel. */
void add_basis(const sums_job &job, bool single, int64_t tiles, cudaStream_t stream);

} // namespace gpugeo

#endif
