/* Reductions over the threads of a block. cub has them too, but its header takes the compiler about
   4 seconds for each file that includes it. */
#ifndef GG_CUDA_BLOCK_REDUCE_CUH
#define GG_CUDA_BLOCK_REDUCE_CUH

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gpugeo {

/* Returns the value of the lane `step` after this one; undefined if the warp has none. */
template <class T> __device__ __forceinline__ T value_after(const T &value, int step) {
  constexpr int WORDS = sizeof(T) / sizeof(uint32_t);
  static_assert(sizeof(T) == WORDS * sizeof(uint32_t), "a value consists of words of 32 bits");
  uint32_t word[WORDS];
  memcpy(word, &value, sizeof value);
#pragma unroll
  for (int w = 0; w < WORDS; ++w)
    word[w] = __shfl_down_sync(~0u, word[w], step);
  T after;
  memcpy(&after, word, sizeof after);
  return after;
}

/* Returns the values of a warp's lanes, reduced by join(a, b), to the first lane. */
template <class T, class Join> __device__ __forceinline__ T warp_reduce(T value, Join join) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2)
    value = join(value, value_after(value, step));
  return value;
}

/* Reduces the values of all THREADS threads of a block by join(a, b), and returns the result to the
   first thread; the others get nothing of use. join is associative and commutative, so that the
   order does not matter. All threads must call it, which is a barrier. */
template <int THREADS, class T, class Join>
__device__ __forceinline__ T block_reduce(T value, Join join) {
  static_assert(THREADS % 32 == 0, "all warps are full");
  __shared__ T of_warp[THREADS / 32];
  __syncthreads(); /* all have read what the last call left */
  value = warp_reduce(value, join);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int w = 1; w < THREADS / 32; ++w)
      value = join(value, of_warp[w]);
  }
  return value;
}

/* Returns the sum of whole numbers in the same way. */
template <int THREADS, class T> __device__ __forceinline__ T block_sum(T value) {
  static_assert(std::is_integral<T>::value, "the order of a sum of other numbers matters");
  return block_reduce<THREADS>(value, [](T a, T b) { return a + b; });
}

} // namespace gpugeo

#endif
