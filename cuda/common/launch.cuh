/* Helpers of kernels and launches: the number of blocks, a thread's item, sums over the lanes of a
   warp and over the threads before one, and the last block to end. Reductions over a block are in
   block_reduce.cuh. */
#ifndef GG_CUDA_LAUNCH_CUH
#define GG_CUDA_LAUNCH_CUH

#include <cstdint>

namespace gpugeo {

/* Returns the number of blocks of so many threads with a thread for each item. */
inline unsigned blocks_for(int64_t items, int threads) {
  return (unsigned)((items + threads - 1) / threads);
}

/* Returns the item of this thread, in blocks of one dimension. */
__device__ __forceinline__ int64_t this_item() {
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Returns the sum of the whole numbers of a warp's lanes to lane 0; their order does not matter. */
template <class T> __device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(~0u, value, step);
  return value;
}

/* Returns the smallest, warp_max() the largest, whole number of a warp's lanes to all of them. */
__device__ __forceinline__ uint32_t warp_min(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  for (int step = 16; step > 0; step /= 2)
    value = min(value, __shfl_xor_sync(~0u, value, step));
  return value;
#endif
}
__device__ __forceinline__ uint32_t warp_max(uint32_t value) { return ~warp_min(~value); }

/* Returns the sum of the values of all threads of the block before this one; with its own value,
   the last thread has the sum of all. */
template <int THREADS, class T> __device__ __forceinline__ T block_sum_before(T value) {
  __shared__ T of_warp[THREADS / 32];
  T sum = value; /* of the lanes up to this one */
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(~0u, sum, step);
    if (threadIdx.x % 32 >= step) sum += before;
  }
  __syncthreads(); /* all have read what the last call left */
  if (threadIdx.x % 32 == 31) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum -= value;
#pragma unroll
  for (int w = 0; w < THREADS / 32 - 1; ++w)
    if (w < (int)threadIdx.x / 32) sum += of_warp[w];
  return sum;
}

/* True if this is the last of so many blocks to end, for all of its threads. It sees what the
   others have written if it reads by __ldcg(). ended: 0 before and after. A barrier. */
__device__ __forceinline__ bool is_last_block(unsigned *ended, unsigned blocks) {
  __shared__ unsigned before;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    before = atomicAdd(ended, 1u);
    if (before == blocks - 1) *ended = 0;
  }
  __syncthreads();
  __threadfence();
  return before == blocks - 1;
}

} // namespace gpugeo

#endif
