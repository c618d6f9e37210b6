/*
 * Copying from the device to the user's result.
 *
 * Limit: the link, or the first touch of the result's pages, whichever is slower.
 */
#include "cuda/common/download.cuh"

#include <cstring>

#include "common/matrix.h"
#include "cuda/common/parallel.cuh"
#include "cuda/common/stream_copy.cuh"

namespace gpugeo {
namespace {

constexpr int64_t HUGE_PAGE = (int64_t)2 << 20; /* bytes */
constexpr int64_t GROUP = 16; /* columns that are written together across the diagonal, at least */

/* How values are copied: a large part without fetching the lines of the result, which the caches
   cannot hold. */
enum class way { cached, streamed };

template <class T> void copy_as_they_are(const T *from, int64_t count, T *to, way how) {
  if (how == way::streamed)
    stream_copy(from, count * (int64_t)sizeof *to, to);
  else
    memcpy(to, from, (size_t)count * sizeof *to);
}

void copy_values(const double *from, int64_t count, double *to, double, way how) {
  copy_as_they_are(from, count, to, how);
}

/* Copies floats as they are. */
void copy_values(const float *from, int64_t count, float *to, double, way how) {
  copy_as_they_are(from, count, to, how);
}

/* Returns a float as a double, NaN as the value for missing distances. */
double widened(float value, double missing) { return value == value ? (double)value : missing; }

/* Converts floats to doubles, NaN to the value for missing distances. */
void copy_values(const float *from, int64_t count, double *to, double missing, way how) {
  constexpr int64_t MOST = 1024;
  double some[MOST];
  for (int64_t first = 0; first < count; first += MOST) {
    const int64_t here = smaller(MOST, count - first);
    for (int64_t e = 0; e < here; ++e)
      some[e] = widened(from[first + e], missing);
    copy_as_they_are(some, here, to + first, how);
  }
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
                 int64_t end, way how) {
  for (int64_t j = block.column_of(from); from < end; ++j) {
    const int64_t start = block.offset(j), stop = smaller(block.offset(j + 1), end);
    const int64_t row = block.first_row(j) + from - start, count = stop - from;
    copy_values(values, count, column_in<To>(to, j) + row, to.missing, how);
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
    write_range<From, To>(to, block, values + first - from, first, last,
                          large ? way::streamed : way::cached);
    stream_fence();
  });
}

/* Rows and columns of a block that are turned at a time, in the first-level cache. */
constexpr int64_t TURN_ROWS = 16, TURN_COLUMNS = 192, TURN_PITCH = TURN_COLUMNS + 8;

/* Writes the other side of the diagonal, for columns [j0, j1) and rows [i0, i1): a row of the
   block becomes contiguous. At most TURN_COLUMNS columns and TURN_ROWS rows. */
template <class From, class To>
void write_mirror(const result &to, const pair_block &block, const From *values, int64_t j0,
                  int64_t j1, int64_t i0, int64_t i1) {
  From turned[TURN_ROWS * TURN_PITCH];
  int64_t width[TURN_ROWS] = {}; /* columns of each row: those left of the diagonal */
  for (int64_t j = j0; j < j1; ++j) {
    const int64_t first = larger(larger(block.first_row(j), j + 1), i0);
    const From *column = values + block.offset(j) - block.first_row(j); /* row 0 of it */
    for (int64_t i = first; i < i1; ++i) {
      turned[(i - i0) * TURN_PITCH + j - j0] = column[i];
      width[i - i0] = j + 1 - j0;
    }
  }
  for (int64_t i = i0; i < i1; ++i)
    copy_values(turned + (i - i0) * TURN_PITCH, width[i - i0],
                static_cast<To *>(to.out) + i * to.rows + j0, to.missing, way::streamed);
}

template <class From, class To>
void write_mirrors(const result &to, const pair_block &block, const From *values) {
  const int64_t tall = 32 * TURN_ROWS; /* enough parts for all threads */
  const int64_t down = divide_up(block.i1 - block.i0, tall);
  const int64_t across = divide_up(block.j1 - block.j0, TURN_COLUMNS);
  parallel_for(to.threads, across * down, 1, [&](int64_t part) {
    const int64_t j0 = block.j0 + part / down * TURN_COLUMNS;
    const int64_t j1 = smaller(j0 + TURN_COLUMNS, block.j1);
    const int64_t i0 = block.i0 + part % down * tall, i1 = smaller(i0 + tall, block.i1);
    for (int64_t i = i0; i < i1; i += TURN_ROWS)
      write_mirror<From, To>(to, block, values, j0, j1, i, smaller(i + TURN_ROWS, i1));
    stream_fence();
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
   where they are written to both sides of the diagonal; else up to the beginning of a huge
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
