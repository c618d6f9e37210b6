/* Copying from the device to host memory without conversion. */
#ifndef GG_CUDA_FETCH_CUH
#define GG_CUDA_FETCH_CUH

#include "cuda/common/device.cuh"

namespace gpugeo {

/* Copies bytes that are ready in device memory to host memory that may not have been touched
   yet, through pinned slots, which `threads` host threads empty. Returns when all have arrived;
   passes `fraction` to the progress hook. Throws interrupted. */
void fetch(device_resources &resources, const void *from, int64_t bytes, void *to, int32_t threads,
           gg_clock *clock, double fraction);

/* So many columns of host memory, each `pitch` bytes after the last. */
struct column_room {
  void *data;
  int64_t bytes, count, pitch; /* bytes: of a column */
};

/* Does the same for columns that are contiguous in device memory. */
void fetch_columns(device_resources &resources, const void *from, const column_room &to,
                   int32_t threads, gg_clock *clock, double fraction);

} // namespace gpugeo

#endif
