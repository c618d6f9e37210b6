/* A CUDA library whose devices can fail: build/tests/failing_cuda.so, linked with
   -Wl,--wrap=cudaMalloc,--wrap=cudaFree. */
#ifndef FAILING_H
#define FAILING_H

#include <stddef.h>

/* Of all devices: requests for memory, pieces that are not freed, and at which request cudaMalloc()
   returns `failure`; 0: never. */
typedef struct failing_devices {
  int requests, live, fails_at, failure;
} failing_devices;

extern failing_devices gpugeo_cuda_failing;

#endif
