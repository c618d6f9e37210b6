/* A CUDA library whose devices can fail: build/tests/failing_cuda.so, linked with
   -Wl,--wrap=cudaMalloc,--wrap=cudaFree. */
#ifndef FAILING_H
#define FAILING_H

#include <stddef.h>

#include <stdint.h>

/* Of all devices: requests for memory, pieces that are not freed, and at which request cudaMalloc()
   returns `failure`; 0: never. bytes: of the pieces that are not freed; most_bytes: the largest
   number of them since it was last set. Pieces beyond FAILING_PIECES are not counted in bytes. */
typedef struct failing_devices {
  int requests, live, fails_at, failure;
  int64_t bytes, most_bytes;
} failing_devices;
enum { FAILING_PIECES = 4096 };

extern failing_devices gpugeo_cuda_failing;

#endif
