/*
 * Preparing points on the device: finding the terms of a point takes one thread, as its sums have a
 * fixed order; applying them takes one for each coordinate.
 *
 * Limit: device memory. Centring reads every coordinate five times and writes it once.
 */
#include "prepare.cuh"

#include "pairs.cuh"

namespace gpugeo {
namespace {

using real = double;
/* clang-format off */
#include "vector.h"
#include "dist_prepare.h"
/* clang-format on */

/* Small blocks, so that they find room beside the tiles of earlier points. */
enum { THREADS = 64 };

__global__ void find_terms(const double *z, int64_t ld, int64_t count, int64_t m, gg_prepare what,
                           double *terms) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  point_terms found;
  if (what == GG_PREPARE_CENTRED)
    found = centred_terms(z + i, ld, m);
  else if (what == GG_PREPARE_UNIT)
    found = unit_terms(z + i, ld, m);
  else
    found = magnitude_terms(z + i, ld, m);
  terms[i] = found.scale;
  terms[i + count] = found.first;
  terms[i + 2 * count] = found.mean;
  terms[i + 3 * count] = found.length;
}

/* A grid of points by coordinates; blocks take every gridDim.y-th coordinate. */
__global__ void apply_terms_at(double *z, int64_t ld, int64_t count, int64_t m,
                               const double *terms) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  const point_terms found = {terms[i], terms[i + count], terms[i + 2 * count],
                             terms[i + 3 * count]};
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    z[i + k * ld] = prepared_value(z[i + k * ld], &found);
}

__global__ void make_binary(double *z, int64_t ld, int64_t count, int64_t m) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    z[i + k * ld] = binary_value(z[i + k * ld]);
}

__global__ void whiten(double *z, int64_t ld, int64_t count, int64_t m, const double *centre,
                       const double *factor) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i < count) prepare_whitened(z + i, ld, m, centre, factor);
}

__global__ void round_to_float(const double *from, int64_t from_ld, float *to, int64_t to_ld,
                               int64_t count, int64_t m) {
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= count) return;
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    to[i + k * to_ld] = (float)from[i + k * from_ld];
}

enum { SQUARE = 32, LINES = 8 };

/* Squares of points by coordinates, through shared memory so that both sides are read in rows. */
template <class T>
__global__ void transpose(const T *from, int64_t count, int64_t m, T *to, int64_t ld) {
  __shared__ T square[SQUARE][SQUARE + 1];
  const int64_t point0 = (int64_t)blockIdx.x * SQUARE;
  for (int64_t k0 = (int64_t)blockIdx.y * SQUARE; k0 < m; k0 += (int64_t)gridDim.y * SQUARE) {
    for (int line = threadIdx.y; line < SQUARE; line += LINES) {
      const int64_t i = point0 + line, k = k0 + threadIdx.x;
      if (i < count && k < m) square[line][threadIdx.x] = from[k + i * m];
    }
    __syncthreads();
    for (int line = threadIdx.y; line < SQUARE; line += LINES) {
      const int64_t i = point0 + threadIdx.x, k = k0 + line;
      if (i < count && k < m) to[i + k * ld] = square[threadIdx.x][line];
    }
    __syncthreads();
  }
}

/* Blocks along the points, and along the coordinates as many as a grid may have. */
dim3 grid_over(int64_t count, int64_t points_a_block, int64_t m) {
  return dim3((unsigned)divide_up(count, points_a_block), (unsigned)smaller(m, 65535));
}

} // namespace

void prepare_points(double *z, int64_t ld, int64_t count, int64_t m, gg_prepare what,
                    const double *centre, const double *factor, double *scratch,
                    cudaStream_t stream) {
  const dim3 line((unsigned)divide_up(count, THREADS)), grid = grid_over(count, THREADS, m);
  switch (what) {
  case GG_PREPARE_NOTHING:
    return;
  case GG_PREPARE_BINARY:
    make_binary<<<grid, THREADS, 0, stream>>>(z, ld, count, m);
    break;
  case GG_PREPARE_WHITENED:
    whiten<<<line, THREADS, 0, stream>>>(z, ld, count, m, centre, factor);
    break;
  default:
    find_terms<<<line, THREADS, 0, stream>>>(z, ld, count, m, what, scratch);
    GG_CUDA(cudaGetLastError());
    apply_terms_at<<<grid, THREADS, 0, stream>>>(z, ld, count, m, scratch);
  }
  GG_CUDA(cudaGetLastError());
}

void round_points(const double *from, int64_t from_ld, float *to, int64_t to_ld, int64_t count,
                  int64_t m, cudaStream_t stream) {
  round_to_float<<<grid_over(count, THREADS, m), THREADS, 0, stream>>>(from, from_ld, to, to_ld,
                                                                       count, m);
  GG_CUDA(cudaGetLastError());
}

template <class T>
void transpose_points(const T *from, int64_t count, int64_t m, T *to, int64_t ld,
                      cudaStream_t stream) {
  const dim3 grid = grid_over(count, SQUARE, divide_up(m, SQUARE));
  transpose<<<grid, dim3(SQUARE, LINES), 0, stream>>>(from, count, m, to, ld);
  GG_CUDA(cudaGetLastError());
}
template void transpose_points<double>(const double *, int64_t, int64_t, double *, int64_t,
                                       cudaStream_t);
template void transpose_points<float>(const float *, int64_t, int64_t, float *, int64_t,
                                      cudaStream_t);

} // namespace gpugeo
