/*
 * Preparing points on the device: finding the terms of a point takes one thread, as its sums have a
 * fixed order; applying them takes one for each coordinate.
 *
 * Limited by device memory. Centring reads every coordinate five times and writes it once.
 */
#include "cuda/dist/prepare.cuh"

#include <cuda_pipeline.h>

#include "cuda/common/pairs.cuh"

namespace gpugeo {
namespace {

/* Threads of a block: THREADS if a thread takes a whole point, so that there are enough blocks
   for the device; MANY if it takes single coordinates. */
enum { THREADS = 32, MANY = 128 };

/* --- Reading a point's coordinates one after another ---------------------------------------- */

/* Each thread has its own ring of coordinates in shared memory, in parts that are copied while
   earlier ones are in use: far more is under way than registers could hold. */
enum { PART = 16, PARTS = 8 };

struct reader {
  double *ring;            /* of this thread, THREADS apart */
  const double *ahead;     /* the coordinate to be copied next, */
  int64_t stride, waiting; /* and how many are still to be copied */
  int64_t next;            /* number of the coordinate to be read, */
  const double *now;       /* and where it is */
};

/* Starts to copy the next part to its position in the ring, as far as there is more to copy. */
static __device__ __forceinline__ void copy_part(reader *point, int part) {
  double *to = point->ring + part * PART * THREADS;
  if (point->waiting >= PART) {
#pragma unroll
    for (int u = 0; u < PART; ++u, point->ahead += point->stride)
      __pipeline_memcpy_async(to + u * THREADS, point->ahead, sizeof(double));
  } else {
#pragma unroll 1
    for (int u = 0; u < point->waiting; ++u, point->ahead += point->stride)
      __pipeline_memcpy_async(to + u * THREADS, point->ahead, sizeof(double));
  }
  point->waiting = larger(0, point->waiting - PART);
  __pipeline_commit(); /* also when empty, so that read_next() can count */
}

static __device__ __forceinline__ reader read_point(const double *z, int64_t stride, int64_t m) {
  __shared__ double rings[PARTS * PART * THREADS];
  reader point = {rings + threadIdx.x, z, stride, m, 0, nullptr};
#pragma unroll 1
  for (int part = 0; part < PARTS - 1; ++part)
    copy_part(&point, part);
  return point;
}

static __device__ __forceinline__ double read_next(reader *point) {
  if (point->next % PART == 0) {
    const int part = (int)(point->next / PART % PARTS);
    copy_part(point, (part + PARTS - 1) % PARTS);
    __pipeline_wait_prior(PARTS - 1); /* the part that begins here is there */
    point->now = point->ring + part * PART * THREADS;
  }
  const double x = *point->now;
  point->now += THREADS;
  ++point->next;
  return x;
}

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "dist/metric_prepare.h"
/* clang-format on */

__global__ void find_terms(const double *z, int64_t ld, int64_t count, int64_t m, gg_prepare what,
                           point_terms *terms) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  if (what == GG_PREPARE_CENTRED)
    terms[i] = centred_terms(z + i, ld, m);
  else if (what == GG_PREPARE_UNIT)
    terms[i] = unit_terms(z + i, ld, m);
  else
    terms[i] = magnitude_terms(z + i, ld, m);
}

/* Applies the terms in a grid of points by coordinates; blocks take every gridDim.y-th
   coordinate. */
__global__ void apply_terms_at(double *z, int64_t ld, int64_t count, int64_t m,
                               const point_terms *terms) {
  const int64_t i = (int64_t)blockIdx.x * MANY + threadIdx.x;
  if (i >= count) return;
  const point_terms found = terms[i];
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    z[i + k * ld] = prepared_value(z[i + k * ld], &found);
}

__global__ void make_binary(double *z, int64_t ld, int64_t count, int64_t m) {
  const int64_t i = (int64_t)blockIdx.x * MANY + threadIdx.x;
  if (i >= count) return;
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    z[i + k * ld] = binary_value(z[i + k * ld]);
}

__global__ void scale_at(double *z, int64_t ld, int64_t count, int64_t m, const double *centre,
                         const double *factor) {
  const int64_t i = (int64_t)blockIdx.x * MANY + threadIdx.x;
  if (i >= count) return;
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    z[i + k * ld] = scaled_value(z[i + k * ld], centre[k], factor[k]);
}

__global__ void whiten(double *z, int64_t ld, int64_t count, int64_t m, const double *centre,
                       const double *factor) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) prepare_whitened(z + i, ld, m, centre, factor);
}

__global__ void round_to_float(const double *from, int64_t from_ld, float *to, int64_t to_ld,
                               int64_t count, int64_t m) {
  const int64_t i = (int64_t)blockIdx.x * MANY + threadIdx.x;
  if (i >= count) return;
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    to[i + k * to_ld] = (float)from[i + k * from_ld];
}

/* Returns a grid of blocks along the points, with enough along the coordinates to fill any
   device. */
dim3 grid_over(int64_t count, int64_t points_a_block, int64_t m) {
  return dim3((unsigned)divide_up(count, points_a_block), (unsigned)smaller(m, 4096));
}

} // namespace

int64_t prepare_scratch(int64_t count) { return count * (int64_t)sizeof(point_terms); }

void prepare_points(double *z, int64_t ld, int64_t count, int64_t m, gg_prepare what,
                    const double *centre, const double *factor, void *scratch,
                    cudaStream_t stream) {
  point_terms *terms = static_cast<point_terms *>(scratch);
  const dim3 blocks((unsigned)divide_up(count, THREADS)), grid = grid_over(count, MANY, m);
  switch (what) {
  case GG_PREPARE_NOTHING:
    return;
  case GG_PREPARE_BINARY:
    make_binary<<<grid, MANY, 0, stream>>>(z, ld, count, m);
    break;
  case GG_PREPARE_WHITENED:
    whiten<<<blocks, THREADS, 0, stream>>>(z, ld, count, m, centre, factor);
    break;
  case GG_PREPARE_SCALED:
    scale_at<<<grid, MANY, 0, stream>>>(z, ld, count, m, centre, factor);
    break;
  default:
    find_terms<<<blocks, THREADS, 0, stream>>>(z, ld, count, m, what, terms);
    GG_CUDA(cudaGetLastError());
    apply_terms_at<<<grid, MANY, 0, stream>>>(z, ld, count, m, terms);
  }
  GG_CUDA(cudaGetLastError());
}

void round_points(const double *from, int64_t from_ld, float *to, int64_t to_ld, int64_t count,
                  int64_t m, cudaStream_t stream) {
  round_to_float<<<grid_over(count, MANY, m), MANY, 0, stream>>>(from, from_ld, to, to_ld, count,
                                                                 m);
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo
