/*
 * Copying from the device to the user's result.
 *
 * Limit: the link, or the first touch of the result's pages, whichever is slower.
 */
#include "cuda/common/download.cuh"

#include <cstring>

#include "common/matrix.h"
#include "cuda/common/parallel.cuh"

namespace gpugeo {
namespace {

constexpr int64_t HUGE_PAGE = (int64_t)2 << 20; /* bytes */
constexpr int64_t GROUP = 16; /* columns that are written together across the diagonal */

void copy_values(const double *from, int64_t count, double *to, double) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

/* Copies floats as they are. */
void copy_values(const float *from, int64_t count, float *to, double) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

/* Converts floats to doubles, NaN to the value for missing distances. */
void copy_values(const float *from, int64_t count, double *to, double missing) {
  for (int64_t e = 0; e < count; ++e)
    to[e] = from[e] == from[e] ? (double)from[e] : missing;
}

/* Returns the address of row 0 of column j in the result, which may be outside of it. */
template <class To> To *column_in(const result &to, int64_t j) {
  To *out = static_cast<To *>(to.out);
  return to.condensed ? out + gg_condensed_column(to.rows, j) - j - 1 : out + j * to.rows;
}

/* Returns the address of value e of a block in the result. */
template <class To> To *address_of(const result &to, const pair_block &block, int64_t e) {
  const int64_t j = block.column_of(e);
  return column_in<To>(to, j) + block.first_row(j) + e - block.offset(j);
}

/* Returns the distance from the beginning of its huge page to value e, in values. */
template <class To> int64_t into_page(const result &to, const pair_block &block, int64_t e) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(address_of<To>(to, block, e));
  return (int64_t)(address % HUGE_PAGE / sizeof(To));
}

/* Values [from, end) of a block; values points to the first of them. */
template <class From, class To>
void write_range(const result &to, const pair_block &block, const From *values, int64_t from,
                 int64_t end) {
  for (int64_t j = block.column_of(from); from < end; ++j) {
    const int64_t start = block.offset(j), stop = smaller(block.offset(j + 1), end);
    const int64_t row = block.first_row(j) + from - start, count = stop - from;
    copy_values(values, count, column_in<To>(to, j) + row, to.missing);
    values += count;
    from = stop;
  }
}

/* Does the same on several threads, each huge page on one: two threads that touch a new page at
   the same time both clear it. */
template <class From, class To>
void write_values(const result &to, const pair_block &block, const From *values, int64_t from,
                  int64_t end) {
  const int64_t page = HUGE_PAGE / (int64_t)sizeof(To), size = end - from;
  const bool large = size >= page * to.threads / 2;
  const int64_t step = large ? page : larger(divide_up(size, to.threads), 512);
  const int64_t origin = large ? from - into_page<To>(to, block, from) : from;
  parallel_for(to.threads, divide_up(end - origin, step), 1, [&](int64_t part) {
    const int64_t at = origin + part * step;
    const int64_t first = larger(at, from), last = smaller(at + step, end);
    write_range<From, To>(to, block, values + first - from, first, last);
  });
}

/* Writes the other side of the diagonal, for columns [j0, j1) and rows [i0, i1): a row of the
   block becomes contiguous. */
template <class From, class To>
void write_mirror(const result &to, const pair_block &block, const From *values, int64_t j0,
                  int64_t j1, int64_t i0, int64_t i1) {
  int64_t first[GROUP];
  const From *column[GROUP]; /* row 0 of it */
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
void write_mirrors(const result &to, const pair_block &block, const From *values) {
  const int64_t wide = GROUP, tall = 1024; /* enough parts for all threads */
  const int64_t down = divide_up(block.i1 - block.i0, tall);
  const int64_t across = divide_up(block.j1 - block.j0, wide);
  parallel_for(to.threads, across * down, 4, [&](int64_t part) {
    const int64_t j = block.j0 + part / down * wide, i = block.i0 + part % down * tall;
    write_mirror<From, To>(to, block, values, j, smaller(j + wide, block.j1), i,
                           smaller(i + tall, block.i1));
  });
}

template <class From, class To>
void write_part(const result &to, const downloader::part &part, const void *pinned) {
  const From *values = static_cast<const From *>(pinned);
  write_values<From, To>(to, part.block, values, part.from, part.end);
  if (to.symmetric && !to.condensed) {
    const pair_block &block = part.block;
    const int64_t j0 = block.column_of(part.from), j1 = block.column_of(part.end - 1) + 1;
    write_mirrors<From, To>(to, block.columns(j0, j1), values);
  }
}

} // namespace

downloader::downloader(device_resources &resources, const result &to, gg_clock *clock,
                       progress *done, int64_t slot_bytes)
    : resources_(resources), to_(to), clock_(clock), done_(done), slot_bytes_(slot_bytes) {
  if (!to.resident.values) reserve_down(resources, slot_bytes);
}

void downloader::place(const pair_block &block, const void *values) {
  if (to_.from_float)
    place_block(block, static_cast<const float *>(values), to_.resident, resources_.download);
  else
    place_block(block, static_cast<const double *>(values), to_.resident, resources_.download);
  done_->written += (double)block.size();
}

void downloader::empty_slot(int slot) {
  part &content = content_[slot];
  if (content.from == content.end) return;
  wait(arrived_[slot], clock_, done_->fraction());
  const void *values = resources_.pinned_down[slot];
  if (!to_.from_float)
    write_part<double, double>(to_, content, values);
  else if (to_.type == GPUGEO_TYPE_FLOAT)
    write_part<float, float>(to_, content, values);
  else
    write_part<float, double>(to_, content, values);
  done_->written += (double)(content.end - content.from);
  content.from = content.end;
}

/* Returns the end of the part that begins at value `from`: whole columns, in groups of GROUP,
   where they are * written to both sides of the diagonal; else up to the beginning of a huge
   page. */
int64_t downloader::part_end(const pair_block &block, int64_t from) const {
  const int64_t room = slot_bytes_ / to_.value_bytes();
  if (block.size() - from <= room) return block.size();
  if (to_.symmetric && !to_.condensed) {
    const int64_t j = block.column_of(from), end = block.column_of(from + room);
    return block.offset(end - j > GROUP ? j + (end - j) / GROUP * GROUP : end);
  }
  const int64_t beyond = to_.type == GPUGEO_TYPE_FLOAT ? into_page<float>(to_, block, from + room)
                                                       : into_page<double>(to_, block, from + room);
  return beyond < room ? from + room - beyond : from + room;
}

void downloader::fetch(const pair_block &block, const void *values) {
  if (to_.resident.values) return place(block, values);
  const int64_t value = to_.value_bytes();
  for (int64_t from = 0, end; from < block.size(); from = end) {
    end = part_end(block, from);
    const int slot = next_;
    next_ = (next_ + 1) % slots;
    empty_slot(slot);
    GG_CUDA(cudaMemcpyAsync(
        resources_.pinned_down[slot], static_cast<const char *>(values) + from * value,
        (size_t)((end - from) * value), cudaMemcpyDeviceToHost, resources_.download));
    GG_CUDA(cudaEventRecord(arrived_[slot], resources_.download));
    content_[slot] = {block, from, end};
  }
}

void downloader::finish() {
  for (int turn = 0; turn < slots; ++turn) {
    empty_slot(next_);
    next_ = (next_ + 1) % slots;
  }
}

} // namespace gpugeo
