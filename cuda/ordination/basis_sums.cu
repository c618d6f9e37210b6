/*
 * Sums over the pairs of tiles with a basis, on the tensor cores: for each column of a tile and
 * each lane, the values of the column times the elements of the rows, added in the order of the
 * rows as by fma (double_mma.cuh), and so with the bits of add_pairs() and of the CPU.
 *
 * Limited by the FP64 tensor cores: 25,145 points and 1,000 lanes are 3.2e11 fma. A lane reads 2
 * times 16 and 4 times 8 bytes from shared memory for 8 instructions of 16 by 8 by 4 products.
 */
#include "cuda/ordination/basis_sums.cuh"

#include <cuda_pipeline.h>

#include "cuda/common/double_mma.cuh"
#include "ordination/permuted_sums.h"

namespace gpugeo {
namespace {

/* A thread block has LANES lanes and COLUMNS columns: four by four warps of 32 by 32. DEPTH rows
   come at a time. Pitches are such that no bank is met twice. */
enum {
  SIDE = GG_SUMS_SIDE,
  LANES = 128,
  COLUMNS = 128,
  THREADS = 512,
  DEPTH = 16,
  STAGES = 3, /* of elements, which are copied while earlier rows are multiplied */
  POINT_PITCH = LANES + 4,
  VALUE_PITCH = DEPTH + 4,
  EACH = DEPTH * COLUMNS / THREADS /* values that a thread brings */
};
static_assert(THREADS / 32 * 32 * 32 == LANES * COLUMNS, "the warps cover the lanes and columns");

struct basis_room {
  double point[STAGES][DEPTH][POINT_PITCH];
  double value[2][COLUMNS][VALUE_PITCH];
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* Starts to copy the elements of DEPTH rows from r0 on, 0 beyond the rows of the tile. */
__device__ __forceinline__ void start_points(const sums_job &job, int64_t first_row, int rows,
                                             int r0, double (&to)[DEPTH][POINT_PITCH]) {
  constexpr int words = LANES / 2, turn = THREADS / words;
  const int own = (int)threadIdx.x % words * 2;
  const double *point = static_cast<const double *>(job.point) + (int64_t)blockIdx.y * LANES + own;
#pragma unroll
  for (int r = (int)threadIdx.x / words; r < DEPTH; r += turn) {
    const bool there = r0 + r < rows;
    __pipeline_memcpy_async(&to[r][own], point + (there ? (first_row + r0 + r) * job.lanes : 0), 16,
                            there ? 0 : 16);
  }
}

/* The values that a thread brings: of one of DEPTH rows, and every TURN-th column. */
template <class T> class value_reader {
public:
  __device__ __forceinline__ value_reader(const sums_job &job, int64_t first_row, int first_column)
      : row_((int)threadIdx.x % DEPTH), column_(first_column + (int)threadIdx.x / DEPTH),
        below_((int)(first_row - job.column)) {
    const int64_t j = job.column + column_;
    next_ =
        static_cast<const T *>(job.values) + all_pairs(job.n).offset(j) + first_row + row_ - j - 1;
    turn_ = TURN * (job.n - 1 - j) - TURN * (TURN - 1) / 2 - TURN;
  }

  /* Reads those of rows r0, ... of the tile, 0 beyond its rows and columns and where i <= j. */
  __device__ __forceinline__ void read(const sums_job &job, int rows, int r0, double (&to)[EACH]) {
    const int r = r0 + row_;
    const T *from = next_ + r0;
    int64_t turn = turn_;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
      const int c = column_ + e * TURN;
      const bool there = c < job.columns && r < rows && below_ + r > c;
      const double value = there ? (double)*from : 0;
      to[e] = job.square ? value * value : value;
      from += turn;
      turn -= TURN * TURN;
    }
  }

private:
  enum { TURN = THREADS / DEPTH };

  const int row_, column_, below_; /* below_: from the first column of the tiles to the first row */
  const T *next_;
  int64_t turn_; /* from one of the columns to the next: TURN * TURN less each time */
};

/* Adds the products of 4 rows to a warp's sums. */
__device__ __forceinline__ void add_products(double (&sum)[2][4][4],
                                             const double (&point)[DEPTH][POINT_PITCH],
                                             const double (&value)[COLUMNS][VALUE_PITCH], int lane0,
                                             int column0, int r) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  double2 a[2];
  double b[4];
#pragma unroll
  for (int i = 0; i < 2; ++i) /* fragment rows g and g + 8 are neighbours in memory */
    a[i] = *reinterpret_cast<const double2 *>(&point[r + t][lane0 + 16 * i + 2 * g]);
#pragma unroll
  for (int j = 0; j < 4; ++j)
    b[j] = value[column0 + 8 * j + g][r + t];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      multiply(sum[i][j], a[i], b[j]);
}

#endif

template <class T>
__global__ void __launch_bounds__(THREADS, 1) multiply_tiles(const sums_job job) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ double2 shared[];
  basis_room &room = *reinterpret_cast<basis_room *>(shared);
  const int first_column = (int)blockIdx.x * COLUMNS;
  const int64_t first_row = job.row + (int64_t)blockIdx.z * SIDE;
  const int rows = (int)smaller(SIDE, job.n - first_row);
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int lane0 = warp % 4 * 32, column0 = warp / 4 * 32;
  double sum[2][4][4] = {}, next[EACH];

  const auto start = [&](int r0) {
    if (r0 < rows) start_points(job, first_row, rows, r0, room.point[r0 / DEPTH % STAGES]);
    __pipeline_commit(); /* also when empty, so that the wait below can count */
  };
  const auto put = [&](int buffer) {
    const int r = (int)threadIdx.x % DEPTH, c0 = (int)threadIdx.x / DEPTH;
#pragma unroll
    for (int e = 0; e < EACH; ++e)
      room.value[buffer][c0 + e * (THREADS / DEPTH)][r] = next[e];
  };
  start(0);
  start(DEPTH);
  value_reader<T> values(job, first_row, first_column);
  values.read(job, rows, 0, next);
  put(0);
  for (int r0 = 0; r0 < rows; r0 += DEPTH) {
    const int step = r0 / DEPTH, buffer = step % 2;
    __pipeline_wait_prior(1);
    __syncthreads(); /* these rows are there, and everyone has left those that are filled next */
    start(r0 + 2 * DEPTH);
    const bool more = r0 + DEPTH < rows;
    if (more) values.read(job, rows, r0 + DEPTH, next);
#pragma unroll
    for (int r = 0; r < DEPTH; r += 4)
      add_products(sum, room.point[step % STAGES], room.value[buffer], lane0, column0, r);
    if (more) put(1 - buffer);
  }

#pragma unroll
  for (int j = 0; j < 4; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int c = first_column + column0 + 8 * j + 2 * t + e;
      if (c >= job.columns) continue;
      const int64_t at = ((int64_t)blockIdx.z * job.columns + c) * job.lanes;
      double *added = job.added + at + (int64_t)blockIdx.y * LANES + lane0 + 2 * g;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<double2 *>(added + 16 * i) = make_double2(sum[i][j][e], sum[i][j][2 + e]);
    }
#endif
}

template <class T> void launch(const sums_job &job, int64_t tiles, cudaStream_t stream) {
  constexpr int bytes = sizeof(basis_room);
  GG_CUDA(
      cudaFuncSetAttribute(multiply_tiles<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid((unsigned)divide_up(job.columns, COLUMNS), (unsigned)(job.lanes / LANES),
                  (unsigned)tiles);
  multiply_tiles<T><<<grid, THREADS, bytes, stream>>>(job);
}

} // namespace

bool has_basis_kernel() {
  cudaFuncAttributes attributes;
  GG_CUDA(cudaFuncGetAttributes(&attributes, (const void *)multiply_tiles<double>));
  return attributes.ptxVersion >= 80;
}

void add_basis(const sums_job &job, bool single, int64_t tiles, cudaStream_t stream) {
  if (single)
    launch<float>(job, tiles, stream);
  else
    launch<double>(job, tiles, stream);
}

} // namespace gpugeo
