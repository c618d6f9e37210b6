/* Sparse points that stay on the device as they are stored. */
#ifndef GG_CUDA_SPARSE_ROWS_CUH
#define GG_CUDA_SPARSE_ROWS_CUH

#include "cuda/common/upload.cuh"

namespace gpugeo {

/* The stored elements of points, 12 bytes each: those of point i are start[i] to end[i] - 1, in no
   particular order. */
struct sparse_view {
  const int64_t *start, *end;
  const double *value;
  const uint32_t *coordinate;
};

/* Points of a list: number p is index[p], or if that is NULL, (first + p) * step % n. */
struct point_choice {
  int64_t first, step, n;
  const int32_t *index;

  __device__ __forceinline__ int64_t at(int64_t p) const {
    if (index) return index[p];
    return step == 1 ? first + p : (first + p) * step % n;
  }
};

/* A sparse matrix in device memory, compressed by its points. */
class sparse_rows {
public:
  /* Copies n points of x by a loader that puts its work on `stream`. Returns when they are there.
     To be called once. */
  void load(const gpugeo_matrix &x, gpugeo_points points, int64_t n, uploader &loader,
            cudaStream_t stream);

  /* Writes coordinate k of the chosen point number p to to[p + k * ld], for `count` of them, and 0
     to all else of m rows of ld. Does not wait. */
  void expand(const point_choice &choice, int64_t count, int64_t m, double *to, int64_t ld,
              cudaStream_t stream) const;

private:
  device_memory start_, end_, value_, coordinate_;
};

} // namespace gpugeo

#endif
