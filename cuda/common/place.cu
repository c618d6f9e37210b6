/*
 * Copying blocks of distances to their positions in a matrix that stays on the device.
 *
 * Limit: device memory. Each value is read once and written twice, in rows of 32 on both sides of
 * the diagonal: 24 bytes for each pair of the symmetric matrix, 16 of the condensed one. 65,536
 * points take 52 GB.
 */
#include "cuda/common/place.cuh"

namespace gpugeo {
namespace {

enum { SQUARE = 32, ROWS = 8 };

/* Returns the position of the distance between points i > j in condensed order. */
__device__ __forceinline__ int64_t condensed_position(int64_t n, int64_t i, int64_t j) {
  return n * j - j * (j + 1) / 2 + i - j - 1;
}

/* Squares of the block, through shared memory, so that both sides are written in rows. */
template <class T, class To>
__global__ void __launch_bounds__(SQUARE *ROWS)
    place(const pair_block block, const T *values, const resident_matrix to) {
  __shared__ To square[SQUARE][SQUARE + 1];
  To *const out = static_cast<To *>(to.values);
  const int64_t i0 = block.i0 + (int64_t)blockIdx.x * SQUARE;
  const int64_t j0 = block.j0 + (int64_t)blockIdx.y * SQUARE;
  for (int column = threadIdx.y; column < SQUARE; column += ROWS) {
    const int64_t i = i0 + threadIdx.x, j = j0 + column;
    if (i >= block.i1 || j >= block.j1) continue;
    const int64_t first = block.first_row(j);
    if (i < first) continue;
    const To value = (To)values[block.offset(j) + i - first];
    if (to.condensed)
      out[condensed_position(to.n, i, j)] = value;
    else if (to.has_row(j))
      out[(j - to.first) * to.n + i] = value;
    square[column][threadIdx.x] = value;
  }
  if (to.condensed) return;
  __syncthreads();
  for (int row = threadIdx.y; row < SQUARE; row += ROWS) {
    const int64_t i = i0 + row, j = j0 + threadIdx.x;
    if (i >= block.i1 || j >= block.j1 || i < block.first_row(j) || !to.has_row(i)) continue;
    out[(i - to.first) * to.n + j] = square[threadIdx.x][row];
  }
}

} // namespace

template <class T>
void place_block(const pair_block &block, const T *values, const resident_matrix &to,
                 cudaStream_t stream) {
  const dim3 grid((unsigned)divide_up(block.i1 - block.i0, SQUARE),
                  (unsigned)divide_up(block.j1 - block.j0, SQUARE));
  if (to.single)
    place<T, float><<<grid, dim3(SQUARE, ROWS), 0, stream>>>(block, values, to);
  else
    place<T, double><<<grid, dim3(SQUARE, ROWS), 0, stream>>>(block, values, to);
  GG_CUDA(cudaGetLastError());
}
template void place_block<double>(const pair_block &, const double *, const resident_matrix &,
                                  cudaStream_t);
template void place_block<float>(const pair_block &, const float *, const resident_matrix &,
                                 cudaStream_t);

} // namespace gpugeo
