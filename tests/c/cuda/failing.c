#include "failing.h"

#include <pthread.h>

int __wrap_cudaMalloc(void **memory, size_t size);
int __wrap_cudaFree(void *memory);
int __real_cudaMalloc(void **memory, size_t size);
int __real_cudaFree(void *memory);

failing_devices gpugeo_cuda_failing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  void *memory;
  int64_t bytes;
} pieces[FAILING_PIECES];

/* Finds a piece, or for NULL an unused entry, and makes it one of so many bytes, or of none. */
static void change_piece(void *from, void *to, int64_t bytes) {
  failing_devices *all = &gpugeo_cuda_failing;
  pthread_mutex_lock(&lock);
  for (int p = 0; p < FAILING_PIECES; ++p)
    if (pieces[p].memory == from) {
      all->bytes += bytes - pieces[p].bytes;
      if (all->bytes > all->most_bytes) all->most_bytes = all->bytes;
      pieces[p].memory = to;
      pieces[p].bytes = bytes;
      break;
    }
  pthread_mutex_unlock(&lock);
}

int __wrap_cudaMalloc(void **memory, size_t size) {
  failing_devices *all = &gpugeo_cuda_failing;
  if (__atomic_add_fetch(&all->requests, 1, __ATOMIC_RELAXED) == all->fails_at) return all->failure;
  const int code = __real_cudaMalloc(memory, size);
  if (code != 0 || !*memory) return code;
  __atomic_add_fetch(&all->live, 1, __ATOMIC_RELAXED);
  change_piece(NULL, *memory, (int64_t)size);
  return code;
}

int __wrap_cudaFree(void *memory) {
  if (memory) {
    __atomic_sub_fetch(&gpugeo_cuda_failing.live, 1, __ATOMIC_RELAXED);
    change_piece(memory, NULL, 0);
  }
  return __real_cudaFree(memory);
}
