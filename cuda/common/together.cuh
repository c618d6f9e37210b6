/* Kernels whose blocks run at the same time, so that they can wait for each other. */
#ifndef GG_CUDA_TOGETHER_CUH
#define GG_CUDA_TOGETHER_CUH

#include "cuda/common/device.cuh"

namespace gpugeo {

/* Returns the number of blocks that run at the same time for certain: one for each multiprocessor,
   if the kernel's blocks fit there at all. */
inline int64_t most_blocks_together() {
  const int device = current_device();
  return attribute(cudaDevAttrCooperativeLaunch, device)
             ? attribute(cudaDevAttrMultiProcessorCount, device)
             : 1;
}

/* Launches at most most_blocks_together() blocks. */
template <class... Parameters, class... Arguments>
void launch_together(void (*kernel)(Parameters...), unsigned blocks, int threads,
                     cudaStream_t stream, const Arguments &...arguments) {
  void *list[] = {const_cast<void *>(static_cast<const void *>(&arguments))...};
  if (blocks == 1)
    GG_CUDA(
        cudaLaunchKernel((const void *)kernel, dim3(1), dim3((unsigned)threads), list, 0, stream));
  else
    GG_CUDA(cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3((unsigned)threads),
                                        list, 0, stream));
}

/* Values that one thread passes to threads of other blocks, which wait for them. In memory each is
   in a word of its own next to a tag, so that no order of the words matters. */
template <int COUNT> struct tagged_words {
  uint32_t value[COUNT];

  /* Sets the words in memory. Only what the thread has written before a __threadfence() before this
     is visible to those that get them. */
  __device__ __forceinline__ void set(unsigned long long *word, unsigned tag) const {
#pragma unroll
    for (int k = 0; k < COUNT; ++k)
      static_cast<volatile unsigned long long *>(word)[k] =
          (unsigned long long)value[k] << 32 | tag;
  }

  /* Waits until all words have the tag. */
  __device__ __forceinline__ static tagged_words wait(const unsigned long long *word,
                                                      unsigned tag) {
    tagged_words got;
    bool all;
    do {
      all = true;
#pragma unroll
      for (int k = 0; k < COUNT; ++k) {
        const unsigned long long one = static_cast<const volatile unsigned long long *>(word)[k];
        got.value[k] = (uint32_t)(one >> 32);
        all = all && (unsigned)one == tag;
      }
    } while (!all);
    return got;
  }
};

} // namespace gpugeo

#endif
