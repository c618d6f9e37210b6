/* Helpers of kernels and launches: the number of blocks, a thread's item, and reductions over
   the threads of a block. Small enough to be compiled in every file, unlike cub's. */
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

/* Reduces the values of a warp's lanes by join(a, b), which is associative, to lane 0. */
template <class T, class Join> __device__ __forceinline__ T warp_reduce(T value, Join join) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = join(value, __shfl_down_sync(~0u, value, step));
  return value;
}

/* Does the same for a block of THREADS threads; all of them must call it, and all get the
   result. */
template <int THREADS, class T, class Join>
__device__ __forceinline__ T block_reduce(T value, Join join) {
  __shared__ T of_warp[THREADS / 32];
  value = warp_reduce(value, join);
  __syncthreads(); /* all have read what the last call left */
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warp[0];
#pragma unroll
  for (int w = 1; w < THREADS / 32; ++w)
    value = join(value, of_warp[w]);
  return value;
}

/* Return sums of whole numbers, whose order does not matter. */
template <class T> __device__ __forceinline__ T warp_sum(T value) {
  return warp_reduce(value, [](T a, T b) { return a + b; });
}
template <int THREADS, class T> __device__ __forceinline__ T block_sum(T value) {
  return block_reduce<THREADS>(value, [](T a, T b) { return a + b; });
}

/* Returns the sum of the values of all threads of the block before this one. */
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

} // namespace gpugeo

#endif
