/* Copying coordinates of a tile's points from device memory to shared memory. */
#ifndef GG_CUDA_PANEL_COPY_CUH
#define GG_CUDA_PANEL_COPY_CUH

#include <cuda_pipeline.h>

#include "cuda/distance/tile_job.cuh"

namespace gpugeo {

/*
 * Copies DEPTH coordinates at a time of COUNT points, asynchronously and by all THREADS threads of
 * a block, in words of 16 bytes; from one coordinate to the next it is PITCH reals in shared
 * memory. Each thread keeps to one column of words.
 */
template <class real, int COUNT, int PITCH, int DEPTH, int THREADS> class panel_copy {
public:
  /* The points begin with point `first`, the coordinates with 0. For points beyond the last one,
     another point's coordinates are copied. */
  __device__ __forceinline__ panel_copy(const points &from, int64_t first)
      : row_(threadIdx.x / WORDS), offset_(row_ * PITCH + threadIdx.x % WORDS * WORD),
        turn_(ROWS * from.ld) {
    const int64_t point = first - from.first + threadIdx.x % WORDS * WORD;
    next_ = static_cast<const real *>(from.data) + smaller(point, from.ld - WORD) + row_ * from.ld;
  }

  /* Starts to copy the next DEPTH coordinates, or the `left` last ones. */
  __device__ __forceinline__ void start(real *to, int64_t left) {
    if (left >= DEPTH && (ROWS <= DEPTH || row_ < DEPTH)) {
#pragma unroll
      for (int row = 0; row < DEPTH; row += ROWS, next_ += turn_)
        __pipeline_memcpy_async(to + offset_ + row * PITCH, next_, 16);
      if (ROWS > DEPTH) next_ += turn_ / ROWS * DEPTH - turn_;
    } else {
#pragma unroll 1
      for (int row = row_; row < left && row < DEPTH; row += ROWS, next_ += turn_)
        __pipeline_memcpy_async(to + offset_ + (row - row_) * PITCH, next_, 16);
    }
  }

private:
  static constexpr int WORD = 16 / sizeof(real), WORDS = COUNT / WORD, ROWS = THREADS / WORDS;
  static_assert(COUNT % WORD == 0 && THREADS % WORDS == 0, "threads form whole rows of words");
  static_assert(ROWS > DEPTH || DEPTH % ROWS == 0, "a copy takes whole turns");

  const int row_, offset_; /* in a stage: the thread's first coordinate, and its first word */
  const int64_t turn_;     /* from one of the thread's words to the next, in device memory */
  const real *next_;
};

} // namespace gpugeo

#endif
