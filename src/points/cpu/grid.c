#include "points/cpu/grid.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/inline.h"
#include "common/memory.h"
#include "common/parallel.h"

/* --- shape ------------------------------------------------------------------------------------ */

/* Returns the cells of a column, which are at least `length` wide. */
static gg_grid_axis make_axis(double low, double high, double length, double box) {
  const double most = 0x1p40;
  const double extent = box > 0 ? box : high - low;
  const double size = length * (1 + 0x1p-8); /* room for roundings */
  gg_grid_axis axis = {box > 0 ? 0 : low, 0, box, 1, 1};
  if (!(extent > 0) || isinf(extent)) return axis;
  double cells = size > 0 ? floor(extent / size) : most;
  if (!(cells < most)) cells = most;
  if (cells < 1) return axis;
  /* A periodic column has whole cells; other columns end within their last cell. */
  axis.count = (int64_t)cells + (box > 0 ? 0 : 1);
  axis.inverse = box > 0 ? cells / extent : fmin(1 / size, cells / extent);
  axis.folded = axis.count;
  return axis;
}

/* Folds the cells of a column; the last cell of a periodic column stays next to the first. */
static void fold_cells(gg_grid_axis *axis, int64_t most) {
  axis->folded = most;
  if (!(axis->period > 0)) return;
  axis->count = axis->count / most * most;
  axis->inverse = (double)axis->count / axis->period;
}

gg_grid_shape gg_grid_shape_make(int columns, const double *low, const double *high,
                                 const double *length, const double *box) {
  gg_grid_shape shape = {.columns = columns, .keys = 1};
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    shape.axis[c] = c < columns ? make_axis(low[c], high[c], length[c], box ? box[c] : 0)
                                : make_axis(0, 0, 0, 0);
  double keys = 1;
  for (int c = 0; c < columns; ++c)
    keys *= (double)shape.axis[c].count;
  /* Primes below 2^14 and 2^22, so points at regular distances do not all have the same
     key. */
  const int64_t most = columns == 3 ? 16381 : 4194301;
  for (int c = 0; c < columns; ++c) {
    if (keys > 0x1p44 && shape.axis[c].count > most) fold_cells(&shape.axis[c], most);
    shape.keys *= (uint64_t)shape.axis[c].folded;
  }
  return shape;
}

/* --- sorting ---------------------------------------------------------------------------------- */

/*
 * Points are first moved, coordinates and all, into buckets by the upper bits of their keys, each
 * small enough for a level 2 cache. There each bucket is sorted by the rest of the key. Therefore
 * memory is traversed four times: twice to read (keys, then coordinates), once to write, once to
 * sort.
 */
typedef struct build {
  const gg_grid_shape *shape;
  const gpugeo_matrix *points;
  double scale;
  gg_grid *grid;
  int shift, buckets; /* a key's bucket is key >> shift */
  uint16_t *bucket;   /* of each row */
  int slices;         /* of the rows, for one thread at a time each */
  int64_t *counts;    /* rows by bucket for each slice, then where its next row goes */
  int64_t *start;     /* of each bucket, and the end */
  int64_t largest;    /* rows of a bucket */
  uint64_t *scratch;  /* 3 * largest for each thread */
  int32_t threads;
  gg_clock *clock;
  double before, share; /* progress */
} build;

/* Returns whether the call is interrupted, after polling its clock. */
static bool asked_to_stop(const build *b) { return gg_clock_poll(b->clock, b->before); }

GG_INLINE double value_of(const gpugeo_matrix *x, int64_t at, bool doubles) {
  if (doubles || x->type == GPUGEO_TYPE_DOUBLE) return ((const double *)x->data)[at];
  return x->type == GPUGEO_TYPE_FLOAT ? (double)((const float *)x->data)[at]
                                      : (double)((const int32_t *)x->data)[at];
}

/* Finds and counts the buckets of the rows [first, last), which lie in one slice. */
GG_INLINE void count_rows(const build *b, int64_t *mine, int64_t first, int64_t last, int columns,
                          bool doubles) {
  const gpugeo_matrix x = *b->points;
  const double scale = b->scale;
  gg_grid_shape shape = *b->shape;
  shape.columns = columns;
  const int shift = b->shift;
  uint16_t *buckets = b->bucket;
  for (int64_t i = first; i < last; ++i) {
    double at[GG_POINT_COLUMNS] = {0, 0, 0};
    for (int c = 0; c < columns; ++c)
      at[c] = value_of(&x, i + c * x.ld, doubles) * scale;
    const uint64_t bucket = gg_grid_key(&shape, at) >> shift;
    buckets[i] = (uint16_t)bucket;
    ++mine[bucket];
  }
}

/* Replaces counts by offsets: bucket by bucket, and within each the slices in their order. */
static void add_up(build *b) {
  int64_t sum = 0;
  b->largest = 0;
  for (int bucket = 0; bucket < b->buckets; ++bucket) {
    b->start[bucket] = sum;
    for (int slice = 0; slice < b->slices; ++slice) {
      int64_t *count = b->counts + (int64_t)slice * b->buckets + bucket;
      const int64_t here = *count;
      *count = sum;
      sum += here;
    }
    if (sum - b->start[bucket] > b->largest) b->largest = sum - b->start[bucket];
  }
  b->start[b->buckets] = sum;
}

/* Moves the rows [first, last), which lie in one slice, to their buckets. */
GG_INLINE void move_rows(const build *b, int64_t *mine, int64_t first, int64_t last, int columns,
                         bool doubles) {
  const gpugeo_matrix x = *b->points;
  const double scale = b->scale;
  const gg_grid grid = *b->grid;
  for (int64_t i = first; i < last; ++i) {
    const int64_t to = mine[b->bucket[i]]++;
    grid.row[to] = (int32_t)i;
    for (int c = 0; c < columns; ++c)
      grid.at[c][to] = value_of(&x, i + c * x.ld, doubles) * scale;
  }
}

/* Processes the rows [first, last) of a slice, whose part of the counts is `mine`. */
typedef void row_step(const build *b, int64_t *mine, int64_t first, int64_t last);

/* Defines name_steps: the step for doubles of 1 to 3 columns, and at 0 for anything. */
#define ROW_STEP(name, kind, columns, doubles)                                                     \
  static void name##_##kind(const build *b, int64_t *mine, int64_t first, int64_t last) {          \
    name(b, mine, first, last, columns, doubles);                                                  \
  }
#define ROW_STEPS(name)                                                                            \
  ROW_STEP(name, any, b->shape->columns, false)                                                    \
  ROW_STEP(name, 1, 1, true)                                                                       \
  ROW_STEP(name, 2, 2, true)                                                                       \
  ROW_STEP(name, 3, 3, true)                                                                       \
  static row_step *const name##_steps[] = {name##_any, name##_1, name##_2, name##_3};
ROW_STEPS(count_rows)
ROW_STEPS(move_rows)

/* Runs a step over slices in pieces, and polls the hooks between them. */
static void in_pieces(const build *b, gg_range slices, row_step *const *steps) {
  const int64_t piece = (int64_t)1 << 16, n = b->grid->n;
  row_step *step = steps[b->points->type == GPUGEO_TYPE_DOUBLE ? b->shape->columns : 0];
  for (int64_t slice = slices.first; slice < slices.last; ++slice) {
    int64_t *mine = b->counts + slice * b->buckets;
    const int64_t first = n * slice / b->slices, last = n * (slice + 1) / b->slices;
    for (int64_t i = first; i < last && !asked_to_stop(b); i += piece)
      step(b, mine, i, i + piece < last ? i + piece : last);
  }
}

/* Counts the points of a range of slices in each bucket. */
static void count_slices(void *job, gg_range range) { in_pieces(job, range, count_rows_steps); }

/* Moves the points of a range of slices to their buckets. */
static void move_slices(void *job, gg_range range) { in_pieces(job, range, move_rows_steps); }

/* Returns the number of bits of the numbers below count. */
static int bits_of(uint64_t count) {
  int bits = 0;
  while (bits < 64 && (count - 1) >> bits)
    ++bits;
  return bits;
}

enum { DIGIT = 8, DIGITS = 1 << DIGIT };

/* Sorts words by the bits from `low` up to `high`; equal ones keep their order. Returns which of
   the two holds the result. */
static uint64_t *sort_words(const build *b, uint64_t *from, uint64_t *to, int64_t count, int low,
                            int high) {
  for (int shift = low; shift < high && !asked_to_stop(b); shift += DIGIT) {
    int64_t start[DIGITS] = {0};
    for (int64_t i = 0; i < count; ++i)
      ++start[from[i] >> shift & (DIGITS - 1)];
    if (start[from[0] >> shift & (DIGITS - 1)] == count) continue;
    int64_t sum = 0;
    for (int d = 0; d < DIGITS; ++d) {
      const int64_t here = start[d];
      start[d] = sum;
      sum += here;
    }
    for (int64_t i = 0; i < count; ++i)
      to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

/* Sorts the points at [first, last), whose keys differ in the lower `shift` bits alone. A word to
   sort is these bits and, below, the point's number in the bucket: together at most 64, see
   gg_grid_shape_make() and gg_grid_build(). */
static void sort_bucket(const build *b, int64_t first, int64_t last, uint64_t *scratch) {
  gg_grid *grid = b->grid;
  const int64_t count = last - first;
  const int index_bits = bits_of((uint64_t)count);
  const uint64_t low_keys = ((uint64_t)1 << b->shift) - 1,
                 indices = ((uint64_t)1 << index_bits) - 1;
  uint64_t *words = scratch, *other = scratch + b->largest;
  uint64_t upper = 0;
  for (int64_t i = 0; i < count; ++i) {
    double at[GG_POINT_COLUMNS] = {0, 0, 0};
    for (int c = 0; c < grid->shape.columns; ++c)
      at[c] = grid->at[c][first + i];
    const uint64_t key = gg_grid_key(&grid->shape, at);
    upper = key & ~low_keys;
    words[i] = (key & low_keys) << index_bits | (uint64_t)i;
  }
  const uint64_t *sorted = sort_words(b, words, other, count, index_bits, index_bits + b->shift);
  if (gg_clock_stopped(b->clock)) return;
  for (int64_t i = 0; i < count; ++i)
    grid->key[first + i] = upper | sorted[i] >> index_bits;
  double *column = (double *)(scratch + 2 * b->largest);
  for (int c = 0; c < grid->shape.columns; ++c) {
    memcpy(column, grid->at[c] + first, (size_t)count * sizeof *column);
    for (int64_t i = 0; i < count; ++i)
      grid->at[c][first + i] = column[sorted[i] & indices];
  }
  int32_t *row = (int32_t *)column;
  memcpy(row, grid->row + first, (size_t)count * sizeof *row);
  for (int64_t i = 0; i < count; ++i)
    grid->row[first + i] = row[sorted[i] & indices];
}

/* Sorts a range of buckets by cell. */
static void sort_buckets(void *job, gg_range range) {
  const build *b = job;
  uint64_t *scratch = b->scratch + 3 * b->largest * range.worker;
  for (int64_t bucket = range.first; bucket < range.last; ++bucket) {
    const int64_t first = b->start[bucket], last = b->start[bucket + 1];
    if (first < last) sort_bucket(b, first, last, scratch);
  }
}

/* Runs one of the steps over slices or buckets. */
static gpugeo_status do_step(build *b, int64_t count, void (*work)(void *job, gg_range range),
                             double share, gg_call *call) {
  return gg_call_loop(call, (gg_loop){.threads = b->threads,
                                      .count = count,
                                      .grain = 1,
                                      .work = work,
                                      .job = b,
                                      .begun = b->before,
                                      .share = share});
}

/* Sorts all points by cell. */
static gpugeo_status sort_all(build *b, gg_call *call) {
  if (do_step(b, b->slices, count_slices, 0, call)) return call->status;
  add_up(b);
  b->scratch = gg_call_allocate(call, 3 * b->largest * b->threads, sizeof *b->scratch);
  do_step(b, b->slices, move_slices, 0, call);
  return do_step(b, b->buckets, sort_buckets, b->share, call);
}

/* --- the grid --------------------------------------------------------------------------------- */

void gg_grid_free(gg_grid *grid) {
  gg_free(grid->memory);
  grid->memory = NULL;
}

/* Allocates one block for all arrays: keys, coordinates, rows. */
static gpugeo_status allocate_grid(const gg_grid_shape *shape, int64_t n, gg_grid *grid,
                                   gg_call *call) {
  const int64_t size = (int64_t)sizeof(uint64_t) + (int64_t)sizeof(int32_t) +
                       shape->columns * (int64_t)sizeof(double);
  *grid = (gg_grid){.shape = *shape, .n = n, .memory = gg_call_allocate(call, n, size)};
  if (call->status) return call->status;
  gg_prefer_huge_pages(grid->memory, n * size);
  grid->key = grid->memory;
  double *at = (double *)(grid->key + n);
  for (int c = 0; c < shape->columns; ++c, at += n)
    grid->at[c] = at;
  grid->row = (int32_t *)at;
  return GPUGEO_OK;
}

/* Returns the number of slices, of at least 8,192 rows, eight for each thread: the others wait
   at most one slice for a thread that is not scheduled. */
static int slices_of(int64_t n, int32_t threads) {
  const int64_t most = threads > 1 ? 8 * (int64_t)threads : 1, slices = (n + 8191) / 8192;
  return (int)(slices < 1 ? 1 : slices < most ? slices : most);
}

gpugeo_status gg_grid_build(const gg_grid_points *from, gg_grid *grid, gg_call *call) {
  const gg_grid_shape *shape = from->shape;
  const int64_t n = from->points->nrow;
  if (allocate_grid(shape, n, grid, call)) return call->status;
  build b = {.shape = shape,
             .points = from->points,
             .scale = from->scale,
             .grid = grid,
             .threads = n > 10000 ? from->threads : 1,
             .clock = call->clock,
             .before = from->before,
             .share = from->after - from->before};
  /* Buckets of some 4096 points, at most 4096 of them, so a word has room for the rest. */
  const int bits = bits_of(shape->keys), index_bits = bits_of((uint64_t)n + 1);
  int bucket_bits = index_bits < 12 ? 0 : index_bits > 24 ? 12 : index_bits - 12;
  if (bucket_bits > bits) bucket_bits = bits;
  b.shift = bits - bucket_bits;
  b.buckets = 1 << (bucket_bits < 3 ? 3 : bucket_bits); /* slices share no cache line of counts */
  b.slices = slices_of(n, b.threads);
  b.bucket = gg_allocate(n, sizeof *b.bucket);
  b.counts = gg_allocate((int64_t)b.slices * b.buckets, sizeof *b.counts);
  b.start = gg_allocate(b.buckets + 1, sizeof *b.start);
  if (b.bucket && b.counts && b.start) {
    memset(b.counts, 0, (size_t)b.slices * (size_t)b.buckets * sizeof *b.counts);
    sort_all(&b, call);
  } else {
    GG_TRY(call, gg_fail_memory(call->error, n * (int64_t)sizeof *b.bucket));
  }
  gg_free(b.bucket);
  gg_free(b.counts);
  gg_free(b.start);
  gg_free(b.scratch);
  if (call->status) gg_grid_free(grid);
  return call->status;
}

/* --- cells near a cell ------------------------------------------------------------------------ */

int64_t gg_grid_cell_end(const gg_grid *grid, int64_t position) {
  const uint64_t key = grid->key[position];
  while (++position < grid->n && grid->key[position] == key) {
  }
  return position;
}

int64_t gg_grid_cell_start(const gg_grid *grid, int64_t position) {
  if (position <= 0) return 0;
  if (position >= grid->n) return grid->n;
  return grid->key[position] == grid->key[position - 1] ? gg_grid_cell_end(grid, position)
                                                        : position;
}

/* Returns the first position whose key is at least `key`, by steps of growing length from the
   last position, then bisection. */
static inline int64_t seek_key(const gg_grid *grid, uint64_t key, int64_t *from) {
  int64_t low = *from, high = low; /* at the end: key[low - 1] < key <= key[high] */
  int64_t step = 1;
  if (low < grid->n && grid->key[low] < key) {
    do {
      low = high + 1;
      high += step;
      step *= 2;
    } while (high < grid->n && grid->key[high] < key);
    if (high > grid->n) high = grid->n;
  } else {
    while (low > 0 && grid->key[low - 1] >= key) {
      high = low - 1;
      low = low > step ? low - step : 0;
      step *= 2;
    }
  }
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (grid->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return *from = low;
}

/* A cyclic range of `count` folded cell numbers from `first` on. */
typedef struct near_cells {
  int64_t first, count;
} near_cells;

/* Returns the cell of a coordinate and its neighbours. */
static inline near_cells cells_near(const gg_grid_axis *axis, double a) {
  const bool round = axis->period > 0 || axis->folded < axis->count;
  int64_t low = gg_grid_cell(axis, a) - 1, high = low + 2;
  if (!round && low < 0) low = 0;
  if (!round && high >= axis->count) high = axis->count - 1;
  near_cells near = {low < 0 ? low + axis->folded : gg_grid_fold(axis, low), high - low + 1};
  if (near.count >= axis->folded) near = (near_cells){0, axis->folded};
  return near;
}

/* Returns the folded sum of two folded numbers. */
static inline int64_t go_round(const gg_grid_axis *axis, int64_t number) {
  return number < axis->folded ? number : number - axis->folded;
}

/* Adds the positions of the keys [from, from + count), from `least` on. Returns the number of
   runs. */
static inline int add_run(const gg_grid *grid, int64_t from, int64_t count, int64_t least,
                          uint64_t least_key, int64_t *walk, gg_grid_run *run) {
  const uint64_t to = (uint64_t)(from + count);
  if (count == 0 || to <= least_key) return 0;
  const int64_t first = (uint64_t)from <= least_key ? least : seek_key(grid, (uint64_t)from, walk);
  int64_t last = first;
  while (last < grid->n && grid->key[last] < to)
    ++last;
  *run = (gg_grid_run){first, last};
  return last > first;
}

int gg_grid_near(const gg_grid *grid, const double *location, int64_t least, gg_grid_walk *walk,
                 gg_grid_run *runs) {
  const gg_grid_axis *axis = grid->shape.axis;
  near_cells near[GG_POINT_COLUMNS] = {{0, 1}, {0, 1}, {0, 1}};
  for (int c = 0; c < grid->shape.columns; ++c)
    near[c] = cells_near(&axis[c], location[c]);
  if (least >= grid->n) return 0;
  const uint64_t least_key = grid->key[least];
  /* A row of cells that wraps around is two parts: up to the last cell, and from 0 on. */
  const int64_t round = near[0].first + near[0].count - axis[0].folded;
  const int64_t after = round > 0 ? round : 0, until = near[0].count - after;
  int count = 0, slot = 0;
  for (int64_t z = 0; z < near[2].count; ++z)
    for (int64_t y = 0; y < near[1].count; ++y, slot += 2) {
      const int64_t row = go_round(&axis[2], near[2].first + z) * axis[1].folded +
                          go_round(&axis[1], near[1].first + y);
      const int64_t key = row * axis[0].folded;
      count += add_run(grid, key, after, least, least_key, &walk->position[slot], &runs[count]);
      count += add_run(grid, key + near[0].first, until, least, least_key,
                       &walk->position[slot + 1], &runs[count]);
    }
  return count;
}
