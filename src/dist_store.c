#define _GNU_SOURCE /* O_DIRECT */
#include "dist_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "dist.h"

int gg_write_at(int handle, const void *from, int64_t bytes, int64_t place) {
  const char *next = from;
  while (bytes > 0) {
    const ssize_t written = pwrite(handle, next, (size_t)bytes, (off_t)place);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    next += written;
    place += written;
    bytes -= written;
  }
  return 0;
}

int gg_read_at(int handle, void *to, int64_t bytes, int64_t place) {
  char *next = to;
  while (bytes > 0) {
    const ssize_t read = pread(handle, next, (size_t)bytes, (off_t)place);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return errno;
    if (read == 0) return ENODATA;
    next += read;
    place += read;
    bytes -= read;
  }
  return 0;
}

/* Past the page cache, which costs the processor more than the disk: whole pages, in the file and
   in memory. EINVAL where the file system does not do that. */
static int write_past_cache(int handle, const void *from, int64_t bytes, int64_t place) {
#if defined(O_DIRECT)
  const int flags = fcntl(handle, F_GETFL);
  if (flags < 0 || fcntl(handle, F_SETFL, flags | O_DIRECT)) return EINVAL;
  const int failed = gg_write_at(handle, from, bytes, place);
  (void)fcntl(handle, F_SETFL, flags);
  return failed;
#else
  (void)handle, (void)from, (void)bytes, (void)place;
  return EINVAL;
#endif
}

static int64_t value_size(const gg_h5_dist *about) { return about->type == GPUGEO_FLOAT ? 4 : 8; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Chunks beside each other. */
static int64_t chunks_across(const gg_h5_dist *about) {
  return (about->points + about->chunk - 1) / about->chunk;
}

int64_t gg_dist_chunk_bytes(const gg_h5_dist *about) {
  return about->shape == GPUGEO_CONDENSED ? 0 : about->chunk * about->chunk * value_size(about);
}

int64_t gg_dist_bytes(const gg_h5_dist *about) {
  if (about->points == 0) return 0;
  if (about->shape == GPUGEO_CONDENSED)
    return about->points * (about->points - 1) / 2 * value_size(about);
  return chunks_across(about) * chunks_across(about) * gg_dist_chunk_bytes(about);
}

/* Where the distance of points row > column is in a condensed file. */
static int64_t condensed_place(const gg_h5_dist *about, int64_t row, int64_t column) {
  const int64_t element = gg_condensed_column(about->points, column) + row - column - 1;
  return about->data + element * value_size(about);
}

static int64_t chunk_place(const gg_h5_dist *about, int64_t chunk_row, int64_t chunk_column) {
  return about->data +
         (chunk_column * chunks_across(about) + chunk_row) * gg_dist_chunk_bytes(about);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The values of one column of a tile that a condensed file has. */
typedef struct column_part {
  int64_t row, count; /* the first one's in the matrix, and how many */
  const char *values;
} column_part;

static column_part part_of(const gg_h5_dist *about, const gpugeo_tile *tile, int64_t column,
                           const char *values) {
  const int64_t end = tile->row + tile->rows, after = tile->column + column + 1;
  const int64_t row = tile->row > after ? tile->row : smaller(after, end);
  const int64_t at = column * tile->rows + row - tile->row;
  return (column_part){row, end - row, values + at * value_size(about)};
}

/* Do all values of the tile follow each other in a condensed file? */
static bool is_run(const gg_h5_dist *about, const gpugeo_tile *tile) {
  return tile->row <= tile->column + 1 && tile->row + tile->rows == about->points;
}

/* Such a tile in the file, and where it stands in memory when its pages are those of the file. */
typedef struct run {
  int64_t place;
  char *values;
} run;

static run run_of(const gg_h5_dist *about, const gpugeo_tile *tile, char *values) {
  const int64_t place = condensed_place(about, tile->column + 1, tile->column);
  return (run){place, values - GG_STORE_PAGE + place % GG_STORE_PAGE};
}

void gg_dist_store_pack(const gg_h5_dist *about, const gpugeo_tile *tile, void *values) {
  if (about->shape != GPUGEO_CONDENSED || !is_run(about, tile)) return;
  char *to = run_of(about, tile, values).values;
  for (int64_t c = 0; c < tile->columns; ++c) {
    const column_part part = part_of(about, tile, c, values);
    const int64_t bytes = part.count * value_size(about);
    memmove(to, part.values, (size_t)bytes);
    to += bytes;
  }
}

/* Its whole pages past the cache. */
static int store_run(int handle, const gg_h5_dist *about, const gpugeo_tile *tile, char *values) {
  const run run = run_of(about, tile, values);
  const int64_t below = tile->rows - (tile->column + 1 - tile->row); /* in the first column */
  const int64_t count = tile->columns * below - tile->columns * (tile->columns - 1) / 2;
  const int64_t bytes = count * value_size(about), page = GG_STORE_PAGE;
  const int64_t head = smaller((page - run.place % page) % page, bytes);
  const int64_t whole = (bytes - head) / page * page, worth = (int64_t)1 << 20;
  int failed = EINVAL;
  if (whole >= worth) failed = write_past_cache(handle, run.values + head, whole, run.place + head);
  if (failed == EINVAL) return gg_write_at(handle, run.values, bytes, run.place);
  if (!failed) failed = gg_write_at(handle, run.values, head, run.place);
  const int64_t done = head + whole;
  return failed ? failed : gg_write_at(handle, run.values + done, bytes - done, run.place + done);
}

static int store_condensed(int handle, const gg_h5_dist *about, const gpugeo_tile *tile,
                           char *values) {
  if (is_run(about, tile)) return store_run(handle, about, tile, values);
  int failed = 0;
  for (int64_t c = 0; !failed && c < tile->columns; ++c) {
    const column_part part = part_of(about, tile, c, values);
    failed = gg_write_at(handle, part.values, part.count * value_size(about),
                         condensed_place(about, part.row, tile->column + c));
  }
  return failed;
}

/* A part of a tile: rows and columns within it. */
typedef struct part {
  int64_t row, rows, column, columns;
} part;

static void gather(const char *values, int64_t ld, const part *p, int64_t chunk, int64_t size,
                   char *to) {
  for (int64_t c = 0; c < p->columns; ++c)
    memcpy(to + c * chunk * size, values + (p->row + (p->column + c) * ld) * size,
           (size_t)(p->rows * size));
}

/* Transposed, in squares that stay in the cache. */
#define GATHER_ACROSS(type)                                                                        \
  static void gather_across_##type(const type *values, int64_t ld, const part *p, int64_t chunk,   \
                                   type *to) {                                                     \
    const int64_t square = 16;                                                                     \
    for (int64_t c0 = 0; c0 < p->columns; c0 += square)                                            \
      for (int64_t r0 = 0; r0 < p->rows; r0 += square)                                             \
        for (int64_t c = c0; c < smaller(c0 + square, p->columns); ++c)                            \
          for (int64_t r = r0; r < smaller(r0 + square, p->rows); ++r)                             \
            to[c + r * chunk] = values[p->row + r + (p->column + c) * ld];                         \
  }
GATHER_ACROSS(double)
GATHER_ACROSS(float)

/* The chunk that begins at that row and column of the tile, and its mirror image. */
static int store_chunk(int handle, const gg_h5_dist *about, const gpugeo_tile *tile,
                       const void *values, int64_t row, int64_t column, void *scratch) {
  const int64_t chunk = about->chunk, bytes = gg_dist_chunk_bytes(about);
  const part p = {row, smaller(chunk, tile->rows - row), column,
                  smaller(chunk, tile->columns - column)};
  const int64_t chunk_row = (tile->row + row) / chunk,
                chunk_column = (tile->column + column) / chunk;
  if (p.rows < chunk || p.columns < chunk) memset(scratch, 0, (size_t)bytes);
  gather(values, tile->rows, &p, chunk, value_size(about), scratch);
  const int failed =
      gg_write_at(handle, scratch, bytes, chunk_place(about, chunk_row, chunk_column));
  if (failed || tile->row == tile->column) return failed;
  if (p.rows < chunk || p.columns < chunk) memset(scratch, 0, (size_t)bytes);
  if (about->type == GPUGEO_FLOAT)
    gather_across_float(values, tile->rows, &p, chunk, scratch);
  else
    gather_across_double(values, tile->rows, &p, chunk, scratch);
  return gg_write_at(handle, scratch, bytes, chunk_place(about, chunk_column, chunk_row));
}

int gg_dist_store_tile(int handle, const gg_h5_dist *about, const gpugeo_tile *tile, void *values,
                       void *scratch) {
  if (about->shape == GPUGEO_CONDENSED) return store_condensed(handle, about, tile, values);
  int failed = 0;
  for (int64_t column = 0; !failed && column < tile->columns; column += about->chunk)
    for (int64_t row = 0; !failed && row < tile->rows; row += about->chunk)
      failed = store_chunk(handle, about, tile, values, row, column, scratch);
  return failed;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Values that follow each other in the file. Floats are read into the end of their doubles. */
static int fetch_run(int handle, const gg_h5_dist *about, int64_t place, int64_t count,
                     double *values) {
  if (about->type == GPUGEO_DOUBLE) return gg_read_at(handle, values, count * 8, place);
  const float *floats = (const float *)values + count;
  const int failed = gg_read_at(handle, (float *)values + count, count * 4, place);
  for (int64_t i = 0; !failed && i < count; ++i) {
    float value;
    memcpy(&value, floats + i, sizeof value);
    values[i] = (double)value;
  }
  return failed;
}

int gg_dist_fetch(int handle, const gg_h5_dist *about, int64_t row, int64_t column, int64_t count,
                  double *values) {
  if (about->shape == GPUGEO_CONDENSED)
    return fetch_run(handle, about, condensed_place(about, row, column), count, values);
  const int64_t chunk = about->chunk;
  int failed = 0;
  for (int64_t i = 0, run; !failed && i < count; i += run) {
    const int64_t in_row = (row + i) % chunk, in_column = column % chunk;
    run = smaller(chunk - in_row, count - i);
    const int64_t place = chunk_place(about, (row + i) / chunk, column / chunk) +
                          (in_column * chunk + in_row) * value_size(about);
    failed = fetch_run(handle, about, place, run, values + i);
  }
  return failed;
}
