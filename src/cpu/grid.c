#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "../context.h"
#include "../error.h"
#include "../memory.h"

/* --- shape ------------------------------------------------------------------------------------ */

static gg_grid_axis make_axis(double low, double high, double length, double box) {
  const double most = 0x1p40;
  const double extent = box > 0 ? box : high - low;
  const double size = length * (1 + 0x1p-8); /* room for roundings */
  gg_grid_axis axis = {box > 0 ? 0 : low, 0, box, 1, 1};
  if (!(extent > 0) || isinf(extent)) return axis;
  double cells = size > 0 ? floor(extent / size) : most;
  if (!(cells < most)) cells = most;
  if (cells < 1) return axis;
  /* A periodic column has whole cells; another one ends within its last. */
  axis.count = (int64_t)cells + (box > 0 ? 0 : 1);
  axis.inverse = box > 0 ? cells / extent : fmin(1 / size, cells / extent);
  axis.folded = axis.count;
  return axis;
}

/* So that the last of a periodic column's cells is beside the first, folded too. */
static void fold(gg_grid_axis *axis, int64_t most) {
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
  const int64_t most = (int64_t)1 << (columns == 3 ? 16 : 24);
  for (int c = 0; c < columns; ++c) {
    if (keys > 0x1p48 && shape.axis[c].count > most) fold(&shape.axis[c], most);
    shape.keys *= (uint64_t)shape.axis[c].folded;
  }
  return shape;
}

/* --- sorting ---------------------------------------------------------------------------------- */

typedef struct entry {
  uint64_t key;
  int32_t row;
} entry;

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* What the threads of a build share. */
typedef struct build {
  const gg_grid_shape *shape;
  const gpugeo_matrix *points;
  double scale;
  gg_grid *grid;
  entry *entries[2];
  int64_t *counts; /* BUCKETS for each thread */
  gg_clock *clock;
  double before, share; /* progress */
  int stop;
} build;

static bool asked_to_stop(build *b, double done) {
  if (gg_thread_number() == 0 && gg_clock_poll(b->clock, b->before + b->share * done)) {
#pragma omp atomic write
    b->stop = 1;
  }
  int stop;
#pragma omp atomic read
  stop = b->stop;
  return stop;
}

static double value_of(const gpugeo_matrix *x, int64_t at) {
  switch (x->type) {
  case GPUGEO_FLOAT:
    return (double)((const float *)x->data)[at];
  case GPUGEO_INT32:
    return (double)((const int32_t *)x->data)[at];
  default:
    return ((const double *)x->data)[at];
  }
}

static void make_keys(build *b, int64_t first, int64_t last) {
  const gpugeo_matrix *x = b->points;
  for (int64_t i = first; i < last; ++i) {
    double at[GG_POINT_COLUMNS] = {0, 0, 0};
    for (int c = 0; c < b->shape->columns; ++c)
      at[c] = value_of(x, i + c * x->ld) * b->scale;
    b->entries[0][i].key = gg_grid_key(b->shape, at);
    b->entries[0][i].row = (int32_t)i;
  }
}

/* One stable pass over the digit at `shift`, all threads of the team: each counts and moves its own
   share of the entries. */
static void sort_pass(build *b, const entry *from, entry *to, int shift, int64_t first,
                      int64_t last, int threads) {
  int64_t *mine = b->counts + (int64_t)gg_thread_number() * BUCKETS;
  memset(mine, 0, BUCKETS * sizeof *mine);
  for (int64_t i = first; i < last; ++i)
    ++mine[from[i].key >> shift & (BUCKETS - 1)];
#pragma omp barrier
#pragma omp single
  {
    int64_t sum = 0;
    for (int bucket = 0; bucket < BUCKETS; ++bucket)
      for (int t = 0; t < threads; ++t) {
        int64_t *count = b->counts + (int64_t)t * BUCKETS + bucket;
        const int64_t here = *count;
        *count = sum;
        sum += here;
      }
  }
  for (int64_t i = first; i < last; ++i)
    to[mine[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
#pragma omp barrier
}

static void gather(build *b, const entry *sorted, int64_t first, int64_t last) {
  gg_grid *grid = b->grid;
  for (int64_t p = first; p < last; ++p) {
    grid->key[p] = sorted[p].key;
    grid->row[p] = sorted[p].row;
    for (int c = 0; c < b->shape->columns; ++c)
      grid->at[c][p] = value_of(b->points, sorted[p].row + c * b->points->ld) * b->scale;
  }
}

/* Runs a step over this thread's share in pieces, between which the hooks are asked. */
static void in_pieces(build *b, int64_t first, int64_t last, double done,
                      void (*step)(build *, const entry *, int64_t, int64_t), const entry *sorted) {
  const int64_t piece = (int64_t)1 << 18;
  for (int64_t i = first; i < last && !asked_to_stop(b, done); i += piece)
    step(b, sorted, i, i + piece < last ? i + piece : last);
}

static void keys_step(build *b, const entry *unused, int64_t first, int64_t last) {
  (void)unused;
  make_keys(b, first, last);
}

static int bits_of(uint64_t keys) {
  int bits = 0;
  while (bits < 64 && (keys - 1) >> bits)
    ++bits;
  return bits;
}

static void sort_all(build *b, int32_t threads) {
  const int64_t n = b->grid->n;
  const int bits = bits_of(b->shape->keys);
  (void)threads;
#pragma omp parallel num_threads(threads) if (n > 10000)
  {
    const int team = gg_team_size(), me = gg_thread_number();
    const int64_t first = n * me / team, last = n * (me + 1) / team;
    in_pieces(b, first, last, 0, keys_step, NULL);
#pragma omp barrier
    int from = 0;
    for (int shift = 0; shift < bits; shift += DIGIT) {
      (void)asked_to_stop(b, (double)shift / bits);
#pragma omp barrier
      int stop;
#pragma omp atomic read
      stop = b->stop;
#pragma omp barrier
      if (stop) break;
      sort_pass(b, b->entries[from], b->entries[1 - from], shift, first, last, team);
      from = 1 - from;
    }
    in_pieces(b, first, last, 1, gather, b->entries[from]);
  }
}

/* --- the grid --------------------------------------------------------------------------------- */

void gg_grid_free(gg_grid *grid) {
  free(grid->memory);
  grid->memory = NULL;
}

/* One block for all arrays: keys, coordinates, rows. */
static gpugeo_status allocate(const gg_grid_shape *shape, int64_t n, gg_grid *grid,
                              gpugeo_error *error) {
  const int64_t size = (int64_t)sizeof(uint64_t) + (int64_t)sizeof(int32_t) +
                       shape->columns * (int64_t)sizeof(double);
  *grid = (gg_grid){.shape = *shape, .n = n, .memory = gg_allocate(n, size)};
  if (!grid->memory) return gg_fail_memory(error, n * size);
  gg_prefer_huge_pages(grid->memory, n * size);
  grid->key = grid->memory;
  double *at = (double *)(grid->key + n);
  for (int c = 0; c < shape->columns; ++c, at += n)
    grid->at[c] = at;
  grid->row = (int32_t *)at;
  return GPUGEO_OK;
}

gpugeo_status gg_grid_build(const gg_grid_shape *shape, const gpugeo_matrix *points, double scale,
                            int32_t threads, gg_clock *clock, double before, double after,
                            gg_grid *grid, gpugeo_error *error) {
  const int64_t n = points->nrow;
  gpugeo_status status = allocate(shape, n, grid, error);
  if (status) return status;
  build b = {.shape = shape,
             .points = points,
             .scale = scale,
             .grid = grid,
             .clock = clock,
             .before = before,
             .share = after - before};
  entry *entries = gg_allocate(2 * n, sizeof(entry));
  b.counts = gg_allocate((int64_t)threads * BUCKETS, sizeof *b.counts);
  if (entries && b.counts) {
    gg_prefer_huge_pages(entries, 2 * n * (int64_t)sizeof(entry));
    b.entries[0] = entries;
    b.entries[1] = entries + n;
    sort_all(&b, threads);
    if (b.stop) status = gg_fail_interrupt(error);
  } else {
    status = gg_fail_memory(error, 2 * n * (int64_t)sizeof(entry));
  }
  free(b.counts);
  free(entries);
  if (status) gg_grid_free(grid);
  return status;
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

/* First position whose key is at least `key`, by steps of growing length from where the search was
   last, then bisection. */
static int64_t seek(const gg_grid *grid, uint64_t key, int64_t *from) {
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

/* Folded cell numbers from `first` on, `count` of them, going on from 0 after the last. */
typedef struct near_cells {
  int64_t first, count;
} near_cells;

static near_cells cells_near(const gg_grid_axis *axis, double a) {
  const bool round = axis->period > 0 || axis->folded < axis->count;
  int64_t low = gg_grid_cell(axis, a) - 1, high = low + 2;
  if (!round && low < 0) low = 0;
  if (!round && high >= axis->count) high = axis->count - 1;
  near_cells near = {(low + axis->folded) % axis->folded, high - low + 1};
  if (near.count >= axis->folded) near = (near_cells){0, axis->folded};
  return near;
}

/* The positions of the keys [from, from + count), from `least` on; returns how many runs. */
static int add_run(const gg_grid *grid, int64_t from, int64_t count, int64_t least,
                   uint64_t least_key, int64_t *walk, gg_grid_run *run) {
  const uint64_t to = (uint64_t)(from + count);
  if (count == 0 || to <= least_key) return 0;
  int64_t first = seek(grid, (uint64_t)from, walk);
  if (first < least) first = least;
  int64_t last = first;
  while (last < grid->n && grid->key[last] < to)
    ++last;
  *run = (gg_grid_run){first, last};
  return last > first;
}

int gg_grid_near(const gg_grid *grid, const double *place, int64_t least, gg_grid_walk *walk,
                 gg_grid_run *runs) {
  const gg_grid_axis *axis = grid->shape.axis;
  near_cells near[GG_POINT_COLUMNS] = {{0, 1}, {0, 1}, {0, 1}};
  for (int c = 0; c < grid->shape.columns; ++c)
    near[c] = cells_near(&axis[c], place[c]);
  if (least >= grid->n) return 0;
  const uint64_t least_key = grid->key[least];
  /* A row of cells is in two parts where it goes round: up to the last cell, and from 0 on. */
  const int64_t round = near[0].first + near[0].count - axis[0].folded;
  const int64_t after = round > 0 ? round : 0, until = near[0].count - after;
  int count = 0, slot = 0;
  for (int64_t z = 0; z < near[2].count; ++z)
    for (int64_t y = 0; y < near[1].count; ++y, slot += 2) {
      const int64_t row = (near[2].first + z) % axis[2].folded * axis[1].folded +
                          (near[1].first + y) % axis[1].folded;
      const int64_t key = row * axis[0].folded;
      count += add_run(grid, key, after, least, least_key, &walk->position[slot], &runs[count]);
      count += add_run(grid, key + near[0].first, until, least, least_key,
                       &walk->position[slot + 1], &runs[count]);
    }
  return count;
}
