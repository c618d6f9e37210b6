#include "failing.h"

int __wrap_cudaMalloc(void **memory, size_t size);
int __wrap_cudaFree(void *memory);
int __real_cudaMalloc(void **memory, size_t size);
int __real_cudaFree(void *memory);

failing_devices gpugeo_cuda_failing;

int __wrap_cudaMalloc(void **memory, size_t size) {
  failing_devices *all = &gpugeo_cuda_failing;
  if (__atomic_add_fetch(&all->requests, 1, __ATOMIC_RELAXED) == all->fails_at) return all->failure;
  const int code = __real_cudaMalloc(memory, size);
  if (code == 0) __atomic_add_fetch(&all->live, 1, __ATOMIC_RELAXED);
  return code;
}

int __wrap_cudaFree(void *memory) {
  if (memory) __atomic_sub_fetch(&gpugeo_cuda_failing.live, 1, __ATOMIC_RELAXED);
  return __real_cudaFree(memory);
}
