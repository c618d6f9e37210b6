/* Reductions over the threads of a block, by cub. Not in launch.cuh, because cub's header takes the
   compiler 3 seconds for each file that includes it. Whole numbers are added up by
   block_sum_before(). */
#ifndef GG_CUDA_BLOCK_REDUCE_CUH
#define GG_CUDA_BLOCK_REDUCE_CUH

#include <cub/block/block_reduce.cuh>

namespace gpugeo {

/* Reduces the values of all THREADS threads of a block by join(a, b), and returns the result to the
   first thread; the others get nothing of use. join is associative and commutative, so that the
   order, which is cub's, does not matter. All threads must call it, which is a barrier. */
template <int THREADS, class T, class Join>
__device__ __forceinline__ T block_reduce(T value, Join join) {
  using reduction = cub::BlockReduce<T, THREADS>;
  __shared__ typename reduction::TempStorage memory;
  __syncthreads(); /* all have read what the last call left */
  return reduction(memory).Reduce(value, join);
}

} // namespace gpugeo

#endif
