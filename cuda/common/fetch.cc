/*
 * Copying from the device to host memory without conversion.
 *
 * Limit: the link, or the first touch of the memory's pages, whichever is slower.
 */
#include "cuda/common/fetch.cuh"

#include "common/context.h"
#include "cuda/common/pairs.cuh"
#include "cuda/common/parallel.cuh"
#include "cuda/common/stream_copy.cuh"

namespace gpugeo {
namespace {

constexpr int64_t SLOT_BYTES = (int64_t)32 << 20, PAGE = 4096;

/* Bytes [at, end) of the columns, one after the other, to where they belong. */
void put(const char *from, int64_t at, int64_t end, const column_room &to) {
  for (int64_t length; at < end; at += length, from += length) {
    const int64_t column = at / to.bytes, within = at % to.bytes;
    length = smaller(end - at, to.bytes - within);
    stream_copy(from, length, static_cast<char *>(to.data) + column * to.pitch + within);
  }
  stream_fence();
}

/* Copies a slot to the result, with whole pages for each thread. */
void empty_slot(const char *pinned, int64_t first, int64_t bytes, const column_room &to,
                int32_t threads) {
  const int32_t copying = gg_copying_threads(threads);
  const int64_t part = larger(round_up(divide_up(bytes, copying), PAGE), 16 * PAGE);
  parallel_for(copying, divide_up(bytes, part), 1, [&](int64_t nth) {
    const int64_t at = nth * part;
    put(pinned + at, first + at, first + smaller(at + part, bytes), to);
  });
}

} // namespace

void fetch_columns(device_resources &resources, const void *from, const column_room &to,
                   int32_t threads, gg_clock *clock, double fraction) {
  const int64_t bytes = to.bytes * to.count;
  const int64_t slot = smaller(SLOT_BYTES, round_up(larger(divide_up(bytes, slots), 1), PAGE));
  reserve_down(resources, slot);
  event arrived[slots];
  finish_streams finish(resources); /* before an interrupt lets go of `from` */
  const int64_t parts = divide_up(bytes, slot);
  const auto length = [&](int64_t part) { return smaller(slot, bytes - part * slot); };
  /* One slot is emptied while the others cross the link. */
  for (int64_t part = 0; part < parts + slots - 1; ++part) {
    const int64_t past = part - (slots - 1);
    if (part < parts) {
      GG_CUDA(cudaMemcpyAsync(resources.pinned_down[part % slots],
                              static_cast<const char *>(from) + part * slot, (size_t)length(part),
                              cudaMemcpyDeviceToHost, resources.download));
      GG_CUDA(cudaEventRecord(arrived[part % slots], resources.download));
    }
    if (past < 0 || past >= parts) continue;
    wait(arrived[past % slots], clock, fraction);
    empty_slot(static_cast<const char *>(resources.pinned_down[past % slots]), past * slot,
               length(past), to, threads);
  }
}

void fetch(device_resources &resources, const void *from, int64_t bytes, void *to, int32_t threads,
           gg_clock *clock, double fraction) {
  fetch_columns(resources, from, {to, bytes, 1, bytes}, threads, clock, fraction);
}

} // namespace gpugeo
