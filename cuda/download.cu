/*
 * From the device to the user's result.
 *
 * Limit: the link, or the first touch of the result's pages, whichever is slower.
 */
#include "download.cuh"

#include <cstring>

#include "dist.h"

namespace gpugeo {
namespace {

void copy_values(const double *from, int64_t count, double *to, double) {
  memcpy(to, from, (size_t)count * sizeof *to);
}
void copy_values(const float *from, int64_t count, float *to, double) {
  memcpy(to, from, (size_t)count * sizeof *to);
}
void copy_values(const float *from, int64_t count, double *to, double missing) {
  for (int64_t e = 0; e < count; ++e)
    to[e] = from[e] == from[e] ? (double)from[e] : missing;
}

/* Where the value of row 0 of column j would stand in the result. */
template <class To> To *column_in(const result &to, int64_t j) {
  To *out = static_cast<To *>(to.out);
  return to.condensed ? out + gg_condensed_column(to.rows, j) - j - 1 : out + j * to.rows;
}

/* Values [from, end) of a block. */
template <class From, class To>
void write_values(const result &to, const pair_block &block, const From *values, int64_t from,
                  int64_t end) {
  if (from == end) return;
  for (int64_t j = block.column_of(from); from < end; ++j) {
    const int64_t start = block.offset(j), stop = smaller(block.offset(j + 1), end);
    const int64_t row = block.first_row(j) + from - start;
    copy_values(values + from, stop - from, column_in<To>(to, j) + row, to.missing);
    from = stop;
  }
}

/* The other side of the diagonal, for columns [j0, j1) and rows [i0, i1): what stands in a row of
   the block goes to consecutive places. */
template <class From, class To>
void write_mirror(const result &to, const pair_block &block, const From *values, int64_t j0,
                  int64_t j1, int64_t i0, int64_t i1) {
  enum { WIDTH = 16 };
  int64_t first[WIDTH];
  const From *column[WIDTH]; /* row 0 of it */
  for (int64_t j = j0; j < j1; ++j) {
    first[j - j0] = larger(block.first_row(j), j + 1);
    column[j - j0] = values + block.offset(j) - block.first_row(j);
  }
  for (int64_t i = i0; i < i1; ++i) {
    To *row = static_cast<To *>(to.out) + i * to.rows;
    for (int64_t j = j0; j < j1; ++j)
      if (i >= first[j - j0]) copy_values(column[j - j0] + i, 1, row + j, to.missing);
  }
}

template <class From, class To>
void write_block(const result &to, const pair_block &block, const From *values) {
  const int64_t size = block.size(), parts = smaller(to.threads, divide_up(size, 4096));
#pragma omp parallel for num_threads(to.threads) schedule(static)
  for (int64_t p = 0; p < parts; ++p)
    write_values<From, To>(to, block, values, size / parts * p,
                           p == parts - 1 ? size : size / parts * (p + 1));
  if (to.condensed || !to.symmetric) return;
  const int64_t wide = 16, tall = 1024; /* whole cache lines, and enough parts for all threads */
#pragma omp parallel for num_threads(to.threads) schedule(dynamic, 4) collapse(2)
  for (int64_t j = block.j0; j < block.j1; j += wide)
    for (int64_t i = block.i0; i < block.i1; i += tall)
      write_mirror<From, To>(to, block, values, j, smaller(j + wide, block.j1), i,
                             smaller(i + tall, block.i1));
}

} // namespace

downloader::downloader(kept &kept, const result &to, gg_clock *clock, int64_t slot_bytes)
    : kept_(kept), to_(to), clock_(clock), slot_bytes_(slot_bytes) {
  reserve_down(kept, slot_bytes);
}

void downloader::empty_slot(int slot) {
  slot_content &content = content_[slot];
  if (!content.full) return;
  wait(arrived_[slot], clock_, fraction());
  const void *values = kept_.pinned_down[slot];
  if (!to_.from_float)
    write_block<double, double>(to_, content.block, static_cast<const double *>(values));
  else if (to_.type == GPUGEO_FLOAT)
    write_block<float, float>(to_, content.block, static_cast<const float *>(values));
  else
    write_block<float, double>(to_, content.block, static_cast<const float *>(values));
  written_ += (double)content.block.size();
  content.full = false;
}

void downloader::fetch(const pair_block &block, const void *values) {
  const int64_t room = slot_bytes_ / to_.value_bytes(), in_line = 16;
  for (int64_t j = block.j0, end; j < block.j1; j = end) {
    const int64_t at = block.offset(j);
    if (block.size() - at <= room) {
      end = block.j1;
    } else {
      end = block.column_of(at + room);
      if (end - j > in_line) end = j + (end - j) / in_line * in_line;
    }
    const pair_block part = block.columns(j, end);
    if (part.size() == 0) continue; /* the last point, without the diagonal */
    const int slot = next_;
    next_ = (next_ + 1) % slots;
    empty_slot(slot);
    GG_CUDA(cudaMemcpyAsync(
        kept_.pinned_down[slot], static_cast<const char *>(values) + at * to_.value_bytes(),
        (size_t)(part.size() * to_.value_bytes()), cudaMemcpyDeviceToHost, kept_.download));
    GG_CUDA(cudaEventRecord(arrived_[slot], kept_.download));
    content_[slot].block = part;
    content_[slot].full = true;
  }
}

void downloader::finish() {
  for (int turn = 0; turn < slots; ++turn) {
    empty_slot(next_);
    next_ = (next_ + 1) % slots;
  }
}

} // namespace gpugeo
