/*
 * Preparing points on the device: finding the terms of a point takes one thread, as its sums have a
 * fixed order; applying them takes one for each coordinate.
 *
 * Limited by device memory. Centring reads every coordinate five times and writes it once.
 * Whitening is limited by arithmetic: m^2 / 2 products a point.
 */
#include "cuda/distance/prepare.cuh"

#include <cuda_pipeline.h>

#include "cuda/common/pairs.cuh"
#include "cuda/distance/square_sums.cuh"

namespace gpugeo {
namespace {

/* Threads of a block: THREADS if a thread takes a whole point, so that there are enough blocks
   for the device; MANY if it takes single coordinates. */
enum { THREADS = 32, MANY = 128 };

/* --- Reading a point's coordinates one after another ------------------------------------------ */

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

/* Returns a reader of a point, and begins to copy its first parts. */
static __device__ __forceinline__ reader read_point(const double *z, int64_t stride, int64_t m) {
  __shared__ double rings[PARTS * PART * THREADS];
  reader point = {rings + threadIdx.x, z, stride, m, 0, nullptr};
#pragma unroll 1
  for (int part = 0; part < PARTS - 1; ++part)
    copy_part(&point, part);
  return point;
}

/* Returns the next coordinate of a point. */
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
#include "distance/metric_prepare.h"
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

/* The terms of the sums of a square of coordinates by points: elements of the factor and
   coordinates that are finished, both from coordinate l0 on. */
struct whitening_terms {
  double factor[4], z[4];

  __device__ __forceinline__ void fetch(const double *factors, const double *points, int64_t ld,
                                        int64_t count, int64_t m, int64_t row0, int64_t point0,
                                        int64_t l0) {
    const int64_t row = row0 + threadIdx.x / 4;
    const double *from = factors + row * m + l0 + threadIdx.x % 4 * 4;
    const int64_t i = smaller(point0 + threadIdx.x % SQUARE_SIDE, count - 1);
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      factor[q] = row < m ? from[q] : 0;
      z[q] = points[i + (l0 + threadIdx.x / SQUARE_SIDE + 4 * q) * ld];
    }
  }

  __device__ __forceinline__ void store(square_terms &to) const {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      to.rows[threadIdx.x % 4 * 4 + q][threadIdx.x / 4] = factor[q];
      to.columns[threadIdx.x / SQUARE_SIDE + 4 * q][threadIdx.x % SQUARE_SIDE] = z[q];
    }
  }
};

/*
 * Does what prepare_whitened() in metric_prepare.h does, for SQUARE_SIDE points in each block and
 * as many coordinates at a time: first the products with all coordinates before these, in their
 * order, then those within the square.
 *
 * Limited by the FP64 pipes.
 */
__global__ void __launch_bounds__(SQUARE_THREADS)
    whiten(double *z, int64_t ld, int64_t count, int64_t m, const double *centre,
           const double *factor) {
  __shared__ __align__(16) square_terms terms[2];
  static_assert(sizeof terms == SQUARE_SIDE * SQUARE_PITCH * sizeof(double), "a square fits");
  double *square = &terms[0].rows[0][0]; /* when the terms have been added */
  const int64_t point0 = (int64_t)blockIdx.x * SQUARE_SIDE;
  const int lane = threadIdx.x % SQUARE_SIDE, group = threadIdx.x / SQUARE_SIDE;
  for (int64_t row0 = 0; row0 < m; row0 += SQUARE_SIDE) {
    double rest[4][4];
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        const int64_t k = row0 + square_row(a), i = point0 + square_column(b);
        const double d = k < m && i < count ? z[i + k * ld] - centre[k] : 0;
        rest[a][b] = d + (d - d);
      }
    whitening_terms next;
    if (row0 > 0) {
      next.fetch(factor, z, ld, count, m, row0, point0, 0);
      next.store(terms[0]);
      __syncthreads();
    }
    for (int64_t l0 = 0; l0 < row0; l0 += SQUARE_DEPTH) {
      const int now = (int)(l0 / SQUARE_DEPTH % 2);
      const bool more = l0 + SQUARE_DEPTH < row0;
      if (more) next.fetch(factor, z, ld, count, m, row0, point0, l0 + SQUARE_DEPTH);
#pragma unroll
      for (int l = 0; l < SQUARE_DEPTH; ++l)
        add_term(terms[now], l, rest, [](double f, double x, double s) { return fma(-f, x, s); });
      if (more) next.store(terms[1 - now]);
      __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
      for (int b = 0; b < 4; ++b)
        square[square_row(a) * SQUARE_PITCH + square_column(b)] = rest[a][b];
    __syncthreads();
    const int rows = (int)smaller(SQUARE_SIDE, m - row0);
    for (int k = 0; k < rows; ++k) {
      const double *column = factor + row0 * m + row0 + k; /* of the factor */
      if (group == 0) square[k * SQUARE_PITCH + lane] /= column[k * m];
      __syncthreads();
      const double x = square[k * SQUARE_PITCH + lane];
#pragma unroll 4
      for (int j = k + 1 + group; j < rows; j += SQUARE_THREADS / SQUARE_SIDE)
        square[j * SQUARE_PITCH + lane] = fma(-column[j * m], x, square[j * SQUARE_PITCH + lane]);
      __syncthreads();
    }
    for (int k = group; k < rows && point0 + lane < count; k += SQUARE_THREADS / SQUARE_SIDE)
      z[point0 + lane + (row0 + k) * ld] = square[k * SQUARE_PITCH + lane];
    __syncthreads(); /* the block's other threads read these coordinates, and fill the square */
  }
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
    whiten<<<(unsigned)divide_up(count, SQUARE_SIDE), SQUARE_THREADS, 0, stream>>>(z, ld, count, m,
                                                                                   centre, factor);
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
