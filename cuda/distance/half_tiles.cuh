/*
 * Products of rows in half precision, in tiles of 128 rows by 128. A block of threads takes a tile
 * of rows, and one tile of other rows after the other. Rows are copied to shared memory ahead by
 * asynchronous copies, and a warp holds the products of 64 rows and 32 others in registers.
 */
#ifndef GG_CUDA_HALF_TILES_CUH
#define GG_CUDA_HALF_TILES_CUH

#include <cuda_pipeline.h>

#include "cuda/distance/half_mma.cuh"

namespace gpugeo {

constexpr int HALF_TILE = 128; /* rows of a tile, */
constexpr int HALF_THREADS = 256;
constexpr int HALF_PANELS = 4; /* and panels in shared memory */

/* DEPTH coordinates of a tile's rows. From one row to the next it is PITCH, so that the rows of a
   matrix meet no bank twice. */
template <int DEPTH> struct half_panel {
  static constexpr int PITCH = DEPTH + 8, SIZE = HALF_TILE * PITCH, WORDS = DEPTH / 8;

  static __device__ __forceinline__ void copy(__half *to, const __half *from, int64_t columns) {
#pragma unroll
    for (int word = (int)threadIdx.x; word < HALF_TILE * WORDS; word += HALF_THREADS) {
      const int row = word / WORDS, at = word % WORDS * 8;
      __pipeline_memcpy_async(to + row * PITCH + at, from + row * columns + at, 16);
    }
  }
};

/* A warp's position in a tile, and its products. */
struct warp_tile {
  enum { ROWS = 64, COLUMNS = 32 };
  int lane, row, column;
  float sum[4][4][4];

  __device__ __forceinline__ warp_tile()
      : lane((int)threadIdx.x % 32), row((int)threadIdx.x / 32 % 2 * ROWS),
        column((int)threadIdx.x / 32 / 2 * COLUMNS) {}

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          sum[i][j][e] = 0;
  }

  /* Returns the row and the column of sum[i][j][2 half] in the tile; the next column is that of
     sum[i][j][2 half + 1]. */
  __device__ __forceinline__ int row_of(int i, int half) const {
    return row + 16 * i + 8 * half + lane / 4;
  }
  __device__ __forceinline__ int column_of(int j) const { return column + 8 * j + lane % 4 * 2; }

  /* Adds the products of DEPTH coordinates. */
  template <int DEPTH>
  __device__ __forceinline__ void add(const __half *rows, const __half *others) {
    constexpr int PITCH = half_panel<DEPTH>::PITCH;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    const __half *a_row = rows + (row + lane % 16) * PITCH + lane / 16 * 8;
    const __half *b_row = others + (column + lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 * 8;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_matrices(a[i], a_row + 16 * i * PITCH + k);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        load_matrices(b[j], b_row + 16 * j * PITCH + k);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
#else
    /* Without these matrix instructions: in single precision, which has the same bounds. */
    for (int k = 0; k < DEPTH; ++k) {
      float a[8], b[8];
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        a[u] = __half2float(rows[row_of(u / 2, u % 2) * PITCH + k]);
        b[u] = __half2float(others[(column_of(u / 2) + u % 2) * PITCH + k]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          float &to = sum[i / 2][j / 2][i % 2 * 2 + j % 2];
          to = __fmaf_rn(a[i], b[j], to);
        }
    }
#endif
  }
};

/* The products of a tile of rows with one tile of others after the other. DEPTH columns at a time;
   WHOLE: they have no more, and the rows stay in shared memory. All threads of a block. */
template <int DEPTH, bool WHOLE> class half_stream {
public:
  using panel = half_panel<DEPTH>;
  static constexpr int BYTES = HALF_PANELS * panel::SIZE * (int)sizeof(__half);

  /* Begins to copy. shared: BYTES. */
  __device__ __forceinline__ half_stream(void *shared, const __half *rows, const __half *others,
                                         int64_t columns, int tiles)
      : panels_(static_cast<__half *>(shared)), rows_(rows), others_(others), columns_(columns),
        parts_(WHOLE ? 1 : (int)(columns / DEPTH)), steps_(tiles * parts_) {
    if (WHOLE) panel::copy(rows_at(0), rows, DEPTH);
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage)
      copy(stage, stage);
  }

  /* Multiplies with the next tile. The first barrier in it comes before any product. */
  __device__ __forceinline__ void multiply_next(warp_tile &warp) {
    warp.clear();
    for (int part = 0; part < (WHOLE ? 1 : parts_); ++part, ++step_) {
      __pipeline_wait_prior(STAGES - 2);
      __syncthreads(); /* this stage is there, and everyone has left the one that is filled next */
      copy(step_ + STAGES - 1, stage_ == 0 ? STAGES - 1 : stage_ - 1);
      warp.template add<DEPTH>(rows_at(stage_), others_at(stage_));
      stage_ = stage_ == STAGES - 1 ? 0 : stage_ + 1;
    }
  }

private:
  static constexpr int STAGES = WHOLE ? HALF_PANELS - 1 : HALF_PANELS / 2;

  __device__ __forceinline__ int64_t columns() const { return WHOLE ? DEPTH : columns_; }
  __device__ __forceinline__ __half *rows_at(int stage) const {
    return panels_ + (WHOLE ? 0 : 2 * stage) * panel::SIZE;
  }
  __device__ __forceinline__ __half *others_at(int stage) const {
    return panels_ + (WHOLE ? 1 + stage : 2 * stage + 1) * panel::SIZE;
  }

  __device__ __forceinline__ void copy(int step, int stage) {
    if (step < steps_) {
      const int tile = WHOLE ? step : step / parts_, column = WHOLE ? 0 : step % parts_ * DEPTH;
      panel::copy(others_at(stage), others_ + (int64_t)tile * HALF_TILE * columns() + column,
                  columns());
      if (!WHOLE) panel::copy(rows_at(stage), rows_ + column, columns());
    }
    __pipeline_commit(); /* also when empty, so that the wait above can count */
  }

  __half *panels_;
  const __half *rows_, *others_;
  int64_t columns_;
  int parts_, steps_, stage_ = 0, step_ = 0;
};

} // namespace gpugeo

#endif
