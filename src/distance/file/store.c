#include "distance/file/store.h"

#include <errno.h>
#include <string.h>

#include "common/atomic.h"
#include "common/file.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/platform.h"
#include "distance/dist.h"

/* Writes long parts past the page cache, whose copies take CPU time from the distances (12 s,
   next to 24 s for 65,536 x 64). The parts of pages at both ends go through the cache. The
   offset within a page must be the same in memory as in the file. */
static int write_long(const gg_dist_store *to, const char *from, int64_t bytes, int64_t offset) {
  const int64_t page = GG_PAGE_BYTES, worth = (int64_t)1 << 20;
  const int64_t head = gg_smaller((page - offset % page) % page, bytes);
  const int64_t whole = (bytes - head) / page * page, done = head + whole;
  const bool suits = to->direct >= 0 && whole >= worth && ((intptr_t)from - offset) % page == 0;
  int failed = suits ? gg_write_at(to->direct, from + head, whole, offset + head) : EINVAL;
  /* After a partial write the rest may not begin at a page. */
  if (failed == EINVAL) return gg_write_at(to->handle, from, bytes, offset);
  if (!failed) failed = gg_write_at(to->handle, from, head, offset);
  return failed ? failed : gg_write_at(to->handle, from + done, bytes - done, offset + done);
}

/* Returns the number of chunks for a size. */
static int64_t chunks_of(int64_t size, int64_t chunk) { return (size + chunk - 1) / chunk; }

/* Returns the number of chunks next to each other. */
static int64_t chunks_across(const gg_h5_dist *about) {
  return chunks_of(about->points, about->chunk);
}

/* Returns the bytes of a chunk. */
static int64_t chunk_bytes(const gg_h5_dist *about) {
  return about->chunk * about->chunk * gg_h5_value_bytes(about);
}

/* Returns the offset of the distance of points row > column in a condensed file. */
static int64_t condensed_offset(const gg_h5_dist *about, int64_t row, int64_t column) {
  const int64_t element = gg_condensed_column(about->points, column) + row - column - 1;
  return about->data + element * gg_h5_value_bytes(about);
}

/* Returns the offset of a chunk in the file. */
static int64_t chunk_offset(const gg_h5_dist *about, int64_t chunk_row, int64_t chunk_column) {
  return about->data + (chunk_column * chunks_across(about) + chunk_row) * chunk_bytes(about);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The values of one column of a tile that a condensed file has. */
typedef struct column_part {
  int64_t row, count; /* the first one's in the matrix, and how many */
  const char *values;
} column_part;

/* Returns the part of a tile's column that is in a condensed file. */
static column_part part_of(const gg_h5_dist *about, const gpugeo_tile *tile, int64_t column,
                           const char *values) {
  const int64_t end = tile->row + tile->rows, after = tile->column + column + 1;
  const int64_t row = tile->row > after ? tile->row : gg_smaller(after, end);
  const int64_t at = column * tile->rows + row - tile->row;
  return (column_part){row, end - row, values + at * gg_h5_value_bytes(about)};
}

/* True if all values of the tile are contiguous in a condensed file. */
static bool is_run(const gg_h5_dist *about, const gpugeo_tile *tile) {
  return tile->row <= tile->column + 1 && tile->row + tile->rows == about->points;
}

/* Such a tile in the file, and its address in memory with the same offset within pages. */
typedef struct run {
  int64_t offset;
  char *values;
} run;

/* Returns the offset of a run and its values, in memory with the same offset within a page. */
static run run_of(const gg_h5_dist *about, const gpugeo_tile *tile, char *values) {
  const int64_t offset = condensed_offset(about, tile->column + 1, tile->column);
  return (run){offset, values - GG_PAGE_BYTES + offset % GG_PAGE_BYTES};
}

void gg_dist_store_pack(const gg_h5_dist *about, const gpugeo_tile *tile, void *values) {
  if (about->shape != GPUGEO_SHAPE_CONDENSED || !is_run(about, tile)) return;
  char *to = run_of(about, tile, values).values;
  for (int64_t c = 0; c < tile->columns; ++c) {
    const column_part part = part_of(about, tile, c, values);
    const int64_t bytes = part.count * gg_h5_value_bytes(about);
    memmove(to, part.values, (size_t)bytes);
    to += bytes;
  }
}

/* Writes a tile whose columns are contiguous in a condensed file. */
static int store_run(const gg_dist_store *to, const gpugeo_tile *tile, char *values) {
  const run run = run_of(to->about, tile, values);
  const int64_t below = tile->rows - (tile->column + 1 - tile->row); /* in the first column */
  const int64_t count = tile->columns * below - tile->columns * (tile->columns - 1) / 2;
  return write_long(to, run.values, count * gg_h5_value_bytes(to->about), run.offset);
}

/* Writes a tile to a condensed file. */
static int store_condensed(const gg_dist_store *to, const gpugeo_tile *tile, char *values) {
  const gg_h5_dist *about = to->about;
  if (is_run(about, tile)) return store_run(to, tile, values);
  int failed = 0;
  for (int64_t c = 0; !failed && c < tile->columns; ++c) {
    const column_part part = part_of(about, tile, c, values);
    failed = gg_write_at(to->handle, part.values, part.count * gg_h5_value_bytes(about),
                         condensed_offset(about, part.row, tile->column + c));
  }
  return failed;
}

/* A part of a tile: rows and columns within it. */
typedef struct part {
  int64_t row, rows, column, columns;
} part;

/* Copies a part of a tile into a chunk. */
static void gather_part(const char *values, int64_t ld, const part *p, int64_t chunk, int64_t size,
                        char *to) {
  for (int64_t c = 0; c < p->columns; ++c)
    memcpy(to + c * chunk * size, values + (p->row + (p->column + c) * ld) * size,
           (size_t)(p->rows * size));
}

/* Transposes in squares that fit into the cache. */
#define GATHER_ACROSS(type)                                                                        \
  static void gather_across_##type(const type *values, int64_t ld, const part *p, int64_t chunk,   \
                                   type *to) {                                                     \
    const int64_t square = 16;                                                                     \
    for (int64_t c0 = 0; c0 < p->columns; c0 += square)                                            \
      for (int64_t r0 = 0; r0 < p->rows; r0 += square)                                             \
        for (int64_t c = c0; c < gg_smaller(c0 + square, p->columns); ++c)                         \
          for (int64_t r = r0; r < gg_smaller(r0 + square, p->rows); ++r)                          \
            to[c + r * chunk] = values[p->row + r + (p->column + c) * ld];                         \
  }
GATHER_ACROSS(double)
GATHER_ACROSS(float)

/* Chunks of a tile that are contiguous in the file: those of one column of chunks or,
   in its mirror image, of one row of them. */
typedef struct strip {
  int64_t column, first, chunks; /* of chunks, counted in the matrix */
  int64_t at;                    /* its first column, or row, in the tile */
  bool mirrored;
} strip;

/* Returns the number of strips; those of a tile on the diagonal are their own mirror image. */
static int64_t strip_count(const gg_h5_dist *about, const gpugeo_tile *tile) {
  const int64_t straight = chunks_of(tile->columns, about->chunk);
  return tile->row == tile->column ? straight : straight + chunks_of(tile->rows, about->chunk);
}

/* Returns a strip of a tile by its number. */
static strip strip_of(const gg_h5_dist *about, const gpugeo_tile *tile, int64_t nth) {
  const int64_t chunk = about->chunk, straight = chunks_of(tile->columns, chunk);
  const bool mirrored = nth >= straight;
  const int64_t along = mirrored ? tile->column : tile->row;
  const int64_t length = mirrored ? tile->columns : tile->rows;
  const int64_t at = (mirrored ? nth - straight : nth) * chunk;
  const int64_t chunk_column = ((mirrored ? tile->row : tile->column) + at) / chunk;
  return (strip){chunk_column, along / chunk, chunks_of(length, chunk), at, mirrored};
}

/* Copies a strip's chunks one after the other; values beyond the matrix are 0. */
static void gather_strip(const gg_h5_dist *about, const gpugeo_tile *tile, const strip *s,
                         const void *values, void *to) {
  const int64_t chunk = about->chunk, bytes = chunk_bytes(about);
  for (int64_t c = 0; c < s->chunks; ++c) {
    const int64_t row = s->mirrored ? s->at : c * chunk, column = s->mirrored ? c * chunk : s->at;
    const part p = {row, gg_smaller(chunk, tile->rows - row), column,
                    gg_smaller(chunk, tile->columns - column)};
    char *const room = (char *)to + c * bytes;
    if (p.rows < chunk || p.columns < chunk) memset(room, 0, (size_t)bytes);
    if (!s->mirrored)
      gather_part(values, tile->rows, &p, chunk, gg_h5_value_bytes(about), room);
    else if (about->type == GPUGEO_TYPE_FLOAT)
      gather_across_float(values, tile->rows, &p, chunk, (float *)room);
    else
      gather_across_double(values, tile->rows, &p, chunk, (double *)room);
  }
}

/* Returns the number of strips that are written at once, whatever the threads of the call:
   writing waits for the disk, which is faster with more than one request. */
static int64_t rooms_of(const gg_h5_dist *about) {
  return gg_smaller(4, 2 * chunks_of(about->side, about->chunk));
}

/* Returns the bytes of the longest strip. */
static int64_t strip_bytes(const gg_h5_dist *about) {
  return chunks_of(about->side, about->chunk) * chunk_bytes(about);
}

/* Strips of a tile on their way into a square file. */
typedef struct storing {
  const gg_dist_store *to;
  const gpugeo_tile *tile;
  const void *values;
  char *rooms; /* of a strip, for each thread */
  int failed;  /* an errno */
  bool stop;
} storing;

/* Writes the first strip of a range; each range has one. */
static void store_strip(void *job, gg_range range) {
  storing *w = job;
  const gg_h5_dist *about = w->to->about;
  char *const room = w->rooms + range.worker * strip_bytes(about);
  const strip s = strip_of(about, w->tile, range.first);
  gather_strip(about, w->tile, &s, w->values, room);
  const int failed = write_long(w->to, room, s.chunks * chunk_bytes(about),
                                chunk_offset(about, s.first, s.column));
  if (!failed) return;
  gg_atomic_store(&w->failed, failed);
  gg_atomic_store(&w->stop, true);
}

/* Writes a tile and its mirror image to a square file. */
static int store_square(const gg_dist_store *to, const gpugeo_tile *tile, const void *values,
                        char *rooms) {
  storing w = {.to = to, .tile = tile, .values = values, .rooms = rooms};
  gg_parallel_for(&(gg_loop){.threads = (int32_t)rooms_of(to->about),
                             .count = strip_count(to->about, tile),
                             .grain = 1,
                             .work = store_strip,
                             .job = &w,
                             .stop = &w.stop});
  return w.failed;
}

int64_t gg_dist_store_bytes(const gg_h5_dist *about) {
  return about->shape == GPUGEO_SHAPE_CONDENSED ? 0 : rooms_of(about) * strip_bytes(about);
}

int gg_dist_store_tile(const gg_dist_store *to, const gpugeo_tile *tile, void *values,
                       void *scratch) {
  if (to->about->shape == GPUGEO_SHAPE_CONDENSED) return store_condensed(to, tile, values);
  return store_square(to, tile, values, scratch);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads contiguous values. Floats are read into the second half of their doubles' memory. */
static int fetch_run(int handle, const gg_h5_dist *about, int64_t offset, int64_t count,
                     double *values) {
  if (about->type == GPUGEO_TYPE_DOUBLE) return gg_read_at(handle, values, count * 8, offset);
  const float *floats = (const float *)values + count;
  const int failed = gg_read_at(handle, (float *)values + count, count * 4, offset);
  for (int64_t i = 0; !failed && i < count; ++i) {
    float value;
    memcpy(&value, floats + i, sizeof value);
    values[i] = (double)value;
  }
  return failed;
}

int gg_dist_fetch(int handle, const gg_h5_dist *about, int64_t row, int64_t column, int64_t count,
                  double *values) {
  if (about->shape == GPUGEO_SHAPE_CONDENSED)
    return fetch_run(handle, about, condensed_offset(about, row, column), count, values);
  const int64_t chunk = about->chunk;
  int failed = 0;
  for (int64_t i = 0, run; !failed && i < count; i += run) {
    const int64_t in_row = (row + i) % chunk, in_column = column % chunk;
    run = gg_smaller(chunk - in_row, count - i);
    const int64_t offset = chunk_offset(about, (row + i) / chunk, column / chunk) +
                           (in_column * chunk + in_row) * gg_h5_value_bytes(about);
    failed = fetch_run(handle, about, offset, run, values + i);
  }
  return failed;
}
