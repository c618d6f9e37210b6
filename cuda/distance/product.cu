/*
 * Step product in double on the tensor cores: inner products of all pairs, for Pearson, Spearman
 * and cosine without missing values.
 *
 * A double-precision matrix instruction adds its products to a sum one after another in the order
 * of k, each rounded as by fma (measured, and held by tests/c against the CPU), so that the result
 * has the same bits as a plain loop.
 *
 * Limited by the FP64 tensor cores. A lane reads 6 times 16 bytes from shared memory for 16
 * instructions of 16 by 8 by 4 products.
 */
#include "cuda/common/double_mma.cuh"
#include "cuda/distance/panel_copy.cuh"

namespace gpugeo {
namespace {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "distance/power.h"
#include "distance/metric_step.h"
#include "cuda/distance/near_pair.cuh"
/* clang-format on */

/* A block's tile has TILE rows and columns: four by four warps of 32 by 32, because fewer warps
   do not use the tensor cores fully. From one coordinate to the next it is PITCH doubles, so
   that four lanes at different coordinates meet no bank twice. */
enum { TILE = 128, THREADS = 512, DEPTH = 16, PITCH = 132, STAGES = 3, PANEL = DEPTH * PITCH };
static_assert(THREADS / 32 * 32 * 32 == TILE * TILE, "the warps cover the tile");
constexpr int SHARED_BYTES = STAGES * 2 * PANEL * sizeof(double);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* Adds the products of 4 coordinates, of which `left` exist, to a warp's sums. Beyond them a is
   made -0 and b 0: adding -0 changes no sum, not even its sign. */
template <bool WHOLE>
__device__ __forceinline__ void add_products(double (&sum)[2][4][4], const double *a_rows,
                                             const double *b_rows, int left) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  double2 a[2], b[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) { /* fragment rows g and g + 8 are neighbours in memory */
    a[i] = *reinterpret_cast<const double2 *>(a_rows + t * PITCH + 16 * i + 2 * g);
    if (!WHOLE && t >= left) a[i] = make_double2(-0.0, -0.0);
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) { /* and so are columns g of two fragments */
    b[j] = *reinterpret_cast<const double2 *>(b_rows + t * PITCH + 16 * j + 2 * g);
    if (!WHOLE && t >= left) b[j] = make_double2(0, 0);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      multiply(sum[i][j], a[i], j % 2 == 0 ? b[j / 2].x : b[j / 2].y);
}

/* Adds the squared differences of one coordinate to a warp's sums. */
__device__ __forceinline__ void add_squares(double (&sum)[2][4][4], const double *a_rows,
                                            const double *b_rows, const step_run &run) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  double2 a[2], b[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    a[i] = *reinterpret_cast<const double2 *>(a_rows + 16 * i + 2 * g);
#pragma unroll
    for (int e = 0; e < 2; ++e)
      b[i][e] = *reinterpret_cast<const double2 *>(b_rows + 16 * i + 2 * (2 * t + e));
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const double y = j % 2 == 0 ? b[j / 2][e].x : b[j / 2][e].y;
        euclidean_step(a[i].x, y, 1, &run, &sum[i][j][e]);
        euclidean_step(a[i].y, y, 1, &run, &sum[i][j][2 + e]);
      }
}

/* Copies the coordinates of a tile to shared memory, DEPTH at a time, and has `add` take each
   stage: the rows, the columns, how many coordinates, and a function that starts the copy of a
   later stage. */
template <class ADD>
__device__ __forceinline__ void walk(const tile_job &job, const tile_position &position,
                                     double *stage, const ADD &add) {
  panel_copy<double, TILE, PITCH, DEPTH, THREADS> a_copy(job.a, position.i),
      b_copy(job.b, position.j);
  const auto copy = [&](int buffer, int64_t k) {
    if (k < job.m) {
      a_copy.start(stage + 2 * buffer * PANEL, job.m - k);
      b_copy.start(stage + (2 * buffer + 1) * PANEL, job.m - k);
    }
    __pipeline_commit(); /* also when empty, so that the wait below can count */
  };
  copy(0, 0);
  copy(1, DEPTH);
  int buffer = 0;
  for (int64_t k = 0; k < job.m; k += DEPTH) {
    __pipeline_wait_prior(1);
    __syncthreads(); /* this stage is there, and everyone has left the one that is filled next */
    const double *a = stage + 2 * buffer * PANEL;
    add(a, a + PANEL, (int)smaller(DEPTH, job.m - k),
        [&] { copy((buffer + 2) % STAGES, k + 2 * DEPTH); });
    buffer = buffer == STAGES - 1 ? 0 : buffer + 1;
  }
}

/* Calls `use` for each pair of the tile that this thread has: with its sum, the number of the pair
   among those of the thread, and its position in the result. */
template <class USE>
__device__ __forceinline__ void each_pair(const tile_job &job, const tile_position &position,
                                          int row0, int column0, double (&sum)[2][4][4],
                                          const USE &use) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int64_t column = position.j + column0 + j / 2 * 16 + (2 * t + e) * 2 + j % 2;
      if (column >= position.end) continue;
      const int64_t first = job.block.first_row(column);
      const int64_t at = job.block.offset(column) - first + position.i;
      const int low = (int)larger(first - position.i, 0);
      const int high = (int)smaller(job.block.i1 - position.i, TILE);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = row0 + 16 * i + 2 * g + half;
          if (row >= low && row < high)
            use(sum[i][j][2 * half + e], (i * 4 + j) * 4 + 2 * half + e, at + row);
        }
    }
  }
}

#endif

/* Computes tiles; one with near pairs is walked through twice, the second time for the squared
   differences. */
__global__ void __launch_bounds__(THREADS, 1) product_tile(const tile_job job) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ double2 shared[];
  double *stage = reinterpret_cast<double *>(shared);
  const tile_position position =
      tile_grid{TILE, TILE}.position(job.block, job.first_tile + blockIdx.x);
  const int warp = threadIdx.x / 32, row0 = warp % 4 * 32, column0 = warp / 4 * 32;
  const step_run run = step_run_make(job.m, 1, job.finish);
  double sum[2][4][4] = {};
  walk(job, position, stage,
       [&](const double *a, const double *b, int rows, const auto &copy_next) {
         a += row0, b += column0;
         if (rows < DEPTH) {
#pragma unroll 1
           for (int part = 0; part < rows; part += 4)
             add_products<false>(sum, a + part * PITCH, b + part * PITCH, rows - part);
           return;
         }
#pragma unroll
         for (int part = 0; part < DEPTH; part += 4) {
           add_products<true>(sum, a + part * PITCH, b + part * PITCH, 4);
           /* Only now, so that the first reads of the stage need not queue behind the copies. */
           if (part == 0) copy_next();
         }
       });

  unsigned near = 0; /* a bit for each pair */
  each_pair(job, position, row0, column0, sum, [&](double &s, int pair, int64_t at) {
    const double value = product_finish(&s, &run);
    if (has_lost_digits(value, job.finish))
      near |= 1u << pair;
    else
      put_value<false>(job, at, value);
    s = 0;
  });
  if (!__syncthreads_or(near != 0)) return;
  walk(job, position, stage,
       [&](const double *a, const double *b, int rows, const auto &copy_next) {
         copy_next();
#pragma unroll 1
         for (int row = 0; row < rows; ++row)
           add_squares(sum, a + row * PITCH + row0, b + row * PITCH + column0, run);
       });
  each_pair(job, position, row0, column0, sum, [&](double &s, int pair, int64_t at) {
    if (near >> pair & 1) put_value<false>(job, at, near_distance(s));
  });
#endif
}

} // namespace

const tile_kernel product_kernel = {product_tile, {TILE, TILE}, THREADS, SHARED_BYTES};

} // namespace gpugeo
