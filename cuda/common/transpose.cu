/*
 * Transposing points on the device.
 *
 * Limit: device memory, of which each value is read and written once.
 */
#include "cuda/common/transpose.cuh"

#include "cuda/common/pairs.cuh"

namespace gpugeo {
namespace {

enum { SQUARE = 32, ROWS = 8 };

/* Squares of points by coordinates, through shared memory so that both sides are read in rows. */
template <class T>
__global__ void transpose(const T *from, int64_t count, int64_t m, T *to, int64_t ld) {
  __shared__ T square[SQUARE][SQUARE + 1];
  const int64_t point0 = (int64_t)blockIdx.x * SQUARE;
  for (int64_t k0 = (int64_t)blockIdx.y * SQUARE; k0 < m; k0 += (int64_t)gridDim.y * SQUARE) {
    for (int row = threadIdx.y; row < SQUARE; row += ROWS) {
      const int64_t i = point0 + row, k = k0 + threadIdx.x;
      if (i < count && k < m) square[row][threadIdx.x] = from[k + i * m];
    }
    __syncthreads();
    for (int row = threadIdx.y; row < SQUARE; row += ROWS) {
      const int64_t i = point0 + threadIdx.x, k = k0 + row;
      if (i < count && k < m) to[i + k * ld] = square[threadIdx.x][row];
    }
    __syncthreads();
  }
}

} // namespace

template <class T>
void transpose_points(const T *from, int64_t count, int64_t m, T *to, int64_t ld,
                      cudaStream_t stream) {
  /* Returns a grid of blocks along the points, with enough along the coordinates to fill any
     device. */
  const dim3 grid((unsigned)divide_up(count, SQUARE),
                  (unsigned)smaller(divide_up(m, SQUARE), 4096));
  transpose<<<grid, dim3(SQUARE, ROWS), 0, stream>>>(from, count, m, to, ld);
  GG_CUDA(cudaGetLastError());
}
template void transpose_points<double>(const double *, int64_t, int64_t, double *, int64_t,
                                       cudaStream_t);
template void transpose_points<float>(const float *, int64_t, int64_t, float *, int64_t,
                                      cudaStream_t);

} // namespace gpugeo
