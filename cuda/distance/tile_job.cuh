/* The kernels of tiles, and what a launch of one is given. */
#ifndef GG_CUDA_TILE_JOB_CUH
#define GG_CUDA_TILE_JOB_CUH

#include <cuda_runtime.h>

#include "cuda/common/pairs.cuh"
#include "distance/dist.h"

namespace gpugeo {

/* Coordinate k of point i is at data[(i - first) + k * ld], a double or a float. Rows are
   aligned to 16 bytes, and all of ld may be read. */
struct points {
  const void *data;
  int64_t ld, first;
};

/* An order of n points: that at position p is point p * step % n. */
struct point_order {
  int64_t step, n;
  __device__ __forceinline__ int64_t at(int64_t position) const {
    return step == 1 ? position : position * step % n;
  }
};

/* Work of one launch: some tiles of a block. */
struct tile_job {
  points a, b; /* rows and columns */
  int64_t m;
  const void *weight; /* m reals, or NULL */
  double p;
  int finish; /* GG_FINISH_... */

  pair_block block;
  int64_t first_tile;
  void *out;           /* the block's values */
  bool to_float;       /* out is float though the arithmetic is double */
  double missing;      /* replaces NaN in a double out, */
  float missing_float; /* and in a float one */
  int32_t *flat;       /* set to 1 when an infinite value tells of a constant point */
};

/* A kernel that computes tiles of one shape, with a thread block for each tile. */
struct tile_kernel {
  void (*run)(tile_job job);
  tile_grid grid;
  int threads;
  int shared_bytes; /* dynamic shared memory, to be asked for when more than 48 KiB */
};

/* For each step, the kernel for many pairs, and the one with small tiles for few. */
extern const tile_kernel f64_kernels[GG_STEP_COUNT], f64_small_kernels[GG_STEP_COUNT];
extern const tile_kernel f32_kernels[GG_STEP_COUNT], f32_small_kernels[GG_STEP_COUNT];

/* Step product in double on the tensor cores, for compute capability 8.0 and above. */
extern const tile_kernel product_kernel;

/* Writes a finished value, a double or a float, to out[at]. */
template <bool MARKS_FLAT, class real>
__device__ __forceinline__ void put_value(const tile_job &job, int64_t at, real value) {
  bool there = value == value;
  if (MARKS_FLAT && isinf(value)) {
    there = false;
    *job.flat = 1; /* all threads write the same value */
  }
  if (sizeof(real) == sizeof(float) || job.to_float)
    static_cast<float *>(job.out)[at] = there ? (float)value : job.missing_float;
  else
    static_cast<double *>(job.out)[at] = there ? (double)value : job.missing;
}

} // namespace gpugeo

#endif
