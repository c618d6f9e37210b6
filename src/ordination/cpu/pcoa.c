/*
 * Products of the matrix of distances, and of panels, on the CPU. The matrix is taken in strips of
 * SIDE columns, below the diagonal: of stored distances as they are, else each strip is computed or
 * read by itself. Threads draw tiles of SIDE rows of a strip, and multiply each by the panels of
 * its columns and, transposed, by those of its rows. Sums run over the points in tiles of SIDE, in
 * their order.
 *
 * Limited by the pipes for fma with two threads; the matrix is read once for each product.
 */
#include <math.h>
#include <string.h>

#include "common/context.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "ordination/cpu/panels_kernels.h"
#include "ordination/pcoa_solve.h"

enum {
  SIDE = GG_GOWER_SIDE, /* points of a tile: 128 KiB of elements, which stay in the second cache */
  ROWS = GG_GOWER_ROWS  /* of panels that a thread takes at a time */
};

/* Sums of one tile. */
typedef struct tile_sums {
  double sum, squares, largest;
} tile_sums;

typedef struct job {
  const gg_pcoa_plan *plan;
  gg_panel_kernel *kernel;
  int64_t n, sides; /* sides: tiles of a column of the matrix */
  const double *condensed;
  double *stored; /* condensed distances, or a strip; to be freed */
  double *tile;   /* of each thread */
  double *below;  /* of each tile of a strip: its transpose times the panels, room for `room` */
  int64_t room;
  double *partial; /* products of each ROWS of two panels, room for `products` */
  int64_t products;
  /* The strip, and what is done with it: */
  int64_t column; /* the first */
  gg_gower_matrix matrix;
  double *const *v, *const *out;
  int64_t panels;
  tile_sums *sums; /* of each tile */
  /* Panels: */
  double *const *q;
  const double *factor;
  bool afresh;
  double *to;
  gg_lock lock; /* of: */
  gg_bad_distances bad;
  gg_call *call;
} job;

/* Returns a loop over the call's threads. */
static gg_loop make_loop(job *j, void (*work)(void *, gg_range), int64_t count, double progress) {
  return (gg_loop){.threads = j->plan->threads,
                   .count = count,
                   .grain = 1,
                   .work = work,
                   .job = j,
                   .begun = progress};
}

/* Runs work over the ranges of rows of a panel, which cannot be interrupted. */
static void run_rows(job *j, void (*work)(void *, gg_range)) {
  const gg_loop loop = make_loop(j, work, (j->n + ROWS - 1) / ROWS, 0);
  gg_parallel_for(&loop);
}

/* --- Strips ----------------------------------------------------------------------------------- */

/* Returns the distances of a column of the strip, from row `row` on, which is below the diagonal.
 */
static const double *distances_at(const job *j, int64_t column, int64_t row) {
  if (j->condensed) return j->condensed + gg_condensed_at(j->n, row, column);
  return j->stored + (column - j->column) * (j->n - j->column) + row - j->column;
}

/* Computes or reads a strip that is not stored. */
static gpugeo_status begin_strip(job *j, double progress) {
  if (j->condensed) return j->call->status;
  const gpugeo_tile tile = {j->column, j->n - j->column, j->column,
                            gg_smaller(SIDE, j->n - j->column)};
  return gg_dist_source_tile(j->plan->source, &tile, j->stored, progress, 0, j->call);
}

/* --- Measures --------------------------------------------------------------------------------- */

/* Counts the distances of a column that cannot be used. */
static void find_bad(job *j, int64_t column, int64_t row, int64_t rows, const double *distance) {
  gg_lock_take(&j->lock);
  for (int64_t r = 0; r < rows; ++r)
    if (!isfinite(distance[r])) gg_bad_distances_add(&j->bad, row + r, column, distance[r]);
  gg_lock_give(&j->lock);
}

/* Adds up the distances of a tile of a strip, column by column. */
static void measure_tile(job *j, int64_t which) {
  tile_sums *sums = &j->sums[which];
  const int64_t row = j->column + which * SIDE, end = gg_smaller(row + SIDE, j->n);
  *sums = (tile_sums){0, 0, 0};
  for (int64_t c = j->column; c < j->column + SIDE && c < j->n; ++c) {
    const int64_t first = c < row ? row : c + 1;
    if (first >= end) continue;
    const double *distance = distances_at(j, c, first);
    double sum = 0, squares = 0, largest = 0;
    for (int64_t r = 0; r < end - first; ++r) {
      const double d = distance[r] * j->matrix.scale;
      sum += d;
      squares += d * d;
      largest = fabs(distance[r]) > largest ? fabs(distance[r]) : largest;
    }
    if (!isfinite(sum)) find_bad(j, c, first, end - first, distance);
    sums->sum += sum;
    sums->squares += squares;
    sums->largest = largest > sums->largest ? largest : sums->largest;
  }
}

/* Measures a range of tiles of the strip; the loop's work. */
static void measure_tiles(void *own, gg_range range) {
  for (int64_t t = range.first; t < range.last; ++t)
    measure_tile(own, t);
}

/* Computes the sums of all distances and of their squares. */
static gpugeo_status measure_distances(const gg_gower *gower, double scale, gg_distance_sums *sums,
                                       double progress, gpugeo_error *error) {
  job *j = gower->own;
  gg_call *call = j->call;
  (void)error; /* the call's */
  j->matrix = (gg_gower_matrix){.scale = scale};
  *sums = (gg_distance_sums){0, 0, 0};
  for (j->column = 0; !call->status && j->column < j->n; j->column += SIDE) {
    const int64_t tiles = j->sides - j->column / SIDE;
    begin_strip(j, progress);
    gg_call_loop(call, make_loop(j, measure_tiles, tiles, progress));
    for (int64_t t = 0; !call->status && t < tiles; ++t) {
      sums->sum += j->sums[t].sum;
      sums->squares += j->sums[t].squares;
      if (j->sums[t].largest > sums->largest) sums->largest = j->sums[t].largest;
    }
  }
  if (j->bad.count > 0) GG_TRY(call, gg_fail_distances(j->plan->name, &j->bad, call->error));
  return call->status;
}

/* --- Products with the matrix ----------------------------------------------------------------- */

/* Writes elements of A for distances that follow each other. */
static void write_elements(const gg_gower_matrix *matrix, const double *distance, int64_t count,
                           double *element) {
  if (matrix->root)
    for (int64_t r = 0; r < count; ++r)
      element[r] = distance[r] * matrix->scale;
  else
    for (int64_t r = 0; r < count; ++r) {
      const double d = distance[r] * matrix->scale + matrix->shift;
      element[r] = d * d;
    }
}

/* Writes the elements of a tile, column-major with SIDE rows; that on the diagonal as a whole. */
static void fill_tile(const job *j, int64_t row, int64_t rows, int64_t columns, double *tile) {
  for (int64_t c = 0; c < columns; ++c) {
    const bool crosses = row == j->column; /* the diagonal */
    const int64_t first = crosses ? c + 1 : 0;
    if (crosses) tile[c + c * SIDE] = 0;
    if (first >= rows) continue;
    write_elements(&j->matrix, distances_at(j, j->column + c, row + first), rows - first,
                   tile + c * SIDE + first);
    for (int64_t r = first; crosses && r < rows; ++r)
      tile[c + r * SIDE] = tile[r + c * SIDE];
  }
}

/* Multiplies one tile: adds to the panels of its rows, and writes what those of its columns get. */
static void multiply_tile(job *j, int64_t which, double *tile) {
  const int64_t row = j->column + which * SIDE, rows = gg_smaller(SIDE, j->n - row);
  const int64_t columns = gg_smaller(SIDE, j->n - j->column);
  fill_tile(j, row, rows, columns, tile);
  for (int64_t t = 0; t < j->panels; ++t) {
    const gg_panel_product across = {.a = tile,
                                     .row_step = 1,
                                     .step = SIDE,
                                     .rows = rows,
                                     .count = columns,
                                     .panel = j->v[t] + j->column * GG_PANEL};
    j->kernel(&across, j->out[t] + row * GG_PANEL);
    if (which == 0) continue; /* the tile on the diagonal */
    const gg_panel_product down = {.a = tile,
                                   .row_step = SIDE,
                                   .step = 1,
                                   .rows = columns,
                                   .count = rows,
                                   .panel = j->v[t] + row * GG_PANEL};
    double *below = j->below + (which * j->panels + t) * SIDE * GG_PANEL;
    memset(below, 0, SIDE * GG_PANEL * sizeof *below);
    j->kernel(&down, below);
  }
}

/* Multiplies a range of tiles by the panels; the loop's work. */
static void multiply_tiles(void *own, gg_range range) {
  job *j = own;
  double *tile = j->tile + (int64_t)range.worker * SIDE * SIDE;
  for (int64_t t = range.first; t < range.last; ++t)
    multiply_tile(j, t, tile);
}

/* Adds what the tiles below the diagonal give to the panels of a strip's columns, which are
   complete then. */
static void complete_columns(job *j, int64_t tiles) {
  const int64_t count = gg_smaller(SIDE, j->n - j->column) * GG_PANEL;
  for (int64_t t = 0; t < j->panels; ++t) {
    double *out = j->out[t] + j->column * GG_PANEL;
    for (int64_t which = 1; which < tiles; ++which) {
      const double *below = j->below + (which * j->panels + t) * SIDE * GG_PANEL;
      for (int64_t i = 0; i < count; ++i)
        out[i] += below[i];
    }
    for (int64_t i = 0; i < count; ++i)
      out[i] *= -0.5;
  }
}

/* Makes room for the products of a strip with so many panels, which the job owns. */
static gpugeo_status make_room(job *j, int64_t panels) {
  const int64_t needed = j->sides * panels * SIDE * GG_PANEL;
  if (j->call->status || needed <= j->room) return j->call->status;
  gg_free(j->below);
  j->below = gg_allocate_large(needed, sizeof *j->below);
  j->room = j->below ? needed : 0;
  if (!j->below)
    j->call->status = gg_fail_memory(j->call->error, needed * (int64_t)sizeof *j->below);
  return j->call->status;
}

/* Multiplies the matrix of Gower by panels of vectors; out: as many panels. */
static gpugeo_status multiply(const gg_gower *gower, const gg_gower_matrix *matrix,
                              double *const *v, int64_t panels, double *const *out, double progress,
                              gpugeo_error *error) {
  job *j = gower->own;
  gg_call *call = j->call;
  (void)error; /* the call's */
  make_room(j, panels);
  j->matrix = *matrix;
  j->v = v;
  j->out = out;
  j->panels = panels;
  for (int64_t t = 0; t < panels; ++t)
    memset(out[t], 0, (size_t)(j->n * GG_PANEL) * sizeof **out);
  for (j->column = 0; !call->status && j->column < j->n; j->column += SIDE) {
    const int64_t tiles = j->sides - j->column / SIDE;
    begin_strip(j, progress);
    if (!gg_call_loop(call, make_loop(j, multiply_tiles, tiles, progress)))
      complete_columns(j, tiles);
  }
  return call->status;
}

/* --- Panels ----------------------------------------------------------------------------------- */

/* Allocates a panel of n by GG_PANEL numbers, to be freed by panel_free(); NULL without memory. */
static double *panel_make(const gg_gower *gower) {
  return gg_allocate_large(gower->n * GG_PANEL, sizeof(double));
}

/* Frees a panel. */
static void panel_free(const gg_gower *gower, double *panel) {
  (void)gower;
  gg_free(panel);
}

/* Copies n by GG_PANEL values into a panel. */
static void panel_write(const gg_gower *gower, const double *values, double *panel) {
  memcpy(panel, values, (size_t)(gower->n * GG_PANEL) * sizeof *panel);
}

/* Copies a panel into n by GG_PANEL values. */
static void panel_read(const gg_gower *gower, const double *panel, double *values) {
  memcpy(values, panel, (size_t)(gower->n * GG_PANEL) * sizeof *panel);
}

/* Adds up the rows of a range of chunks for each column of the panel; the loop's work. */
static void add_rows(void *own, gg_range range) {
  job *j = own;
  for (int64_t chunk = range.first; chunk < range.last; ++chunk) {
    double *sum = j->partial + chunk * GG_PANEL;
    memset(sum, 0, GG_PANEL * sizeof *sum);
    for (int64_t i = chunk * ROWS; i < j->n && i < (chunk + 1) * ROWS; ++i)
      for (int l = 0; l < GG_PANEL; ++l)
        sum[l] += j->to[i * GG_PANEL + l];
  }
}

/* Subtracts the columns' means from the rows of a range of chunks; the loop's work. */
static void subtract_mean(void *own, gg_range range) {
  job *j = own;
  for (int64_t i = range.first * ROWS; i < j->n && i < range.last * ROWS; ++i)
    for (int l = 0; l < GG_PANEL; ++l)
      j->to[i * GG_PANEL + l] -= j->factor[l];
}

/* Subtracts the means of its columns from a panel. */
static void centre(const gg_gower *gower, double *panel) {
  job *j = gower->own;
  const int64_t chunks = (j->n + ROWS - 1) / ROWS;
  double mean[GG_PANEL] = {0};
  j->to = panel;
  j->factor = mean;
  run_rows(j, add_rows);
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int l = 0; l < GG_PANEL; ++l)
      mean[l] += j->partial[chunk * GG_PANEL + l];
  for (int l = 0; l < GG_PANEL; ++l)
    mean[l] /= (double)j->n;
  run_rows(j, subtract_mean);
}

/* Computes the products of a range of chunks of rows; the loop's work. */
static void project_rows(void *own, gg_range range) {
  job *j = own;
  const int64_t size = j->panels * GG_PANEL * GG_PANEL;
  for (int64_t chunk = range.first; chunk < range.last; ++chunk) {
    const int64_t first = chunk * ROWS;
    double *to = j->partial + chunk * size;
    memset(to, 0, (size_t)size * sizeof *to);
    for (int64_t t = 0; t < j->panels; ++t)
      j->kernel(&(gg_panel_product){.a = j->q[t] + first * GG_PANEL,
                                    .row_step = 1,
                                    .step = GG_PANEL,
                                    .rows = GG_PANEL,
                                    .count = gg_smaller(ROWS, j->n - first),
                                    .panel = j->factor + first * GG_PANEL},
                to + t * GG_PANEL * GG_PANEL);
  }
}

/* Computes the products of panels q with v: GG_PANEL by GG_PANEL numbers for each panel. */
static void project(const gg_gower *gower, double *const *q, int64_t panels, const double *v,
                    double *product) {
  job *j = gower->own;
  const int64_t chunks = (j->n + ROWS - 1) / ROWS, size = panels * GG_PANEL * GG_PANEL;
  j->q = q;
  j->panels = panels;
  j->factor = v;
  run_rows(j, project_rows);
  memset(product, 0, (size_t)size * sizeof *product);
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (int64_t i = 0; i < size; ++i)
      product[i] += j->partial[chunk * size + i];
}

/* Combines a range of chunks of rows; the loop's work. */
static void combine_rows(void *own, gg_range range) {
  job *j = own;
  for (int64_t chunk = range.first; chunk < range.last; ++chunk) {
    const int64_t first = chunk * ROWS, rows = gg_smaller(ROWS, j->n - first);
    if (j->afresh) memset(j->to + first * GG_PANEL, 0, (size_t)(rows * GG_PANEL) * sizeof *j->to);
    for (int64_t t = 0; t < j->panels; ++t)
      j->kernel(&(gg_panel_product){.a = j->q[t] + first * GG_PANEL,
                                    .row_step = GG_PANEL,
                                    .step = 1,
                                    .rows = rows,
                                    .count = GG_PANEL,
                                    .panel = j->factor + t * GG_PANEL * GG_PANEL},
                j->to + first * GG_PANEL);
  }
}

/* Adds panels q, each multiplied by its block of c, to v; afresh: v begins as 0. */
static void combine(const gg_gower *gower, double *const *q, int64_t panels, const double *c,
                    bool afresh, double *v) {
  job *j = gower->own;
  j->q = q;
  j->panels = panels;
  j->factor = c;
  j->afresh = afresh;
  j->to = v;
  run_rows(j, combine_rows);
}

/* --- The call --------------------------------------------------------------------------------- */

/* Stores all distances if they are not in memory and fit, else makes room for a strip. */
static gpugeo_status store_distances(job *j, double *done) {
  gg_call *call = j->call;
  const gg_dist_source *source = j->plan->source;
  const int64_t n = j->n, pairs = n * (n - 1) / 2;
  const double share = 0.3; /* of the call's progress */
  j->condensed = source->condensed;
  if (j->condensed) return GPUGEO_OK;
  const bool fits = 8 * (double)pairs <= j->plan->storable;
  const int64_t count = fits ? pairs : n * gg_smaller(SIDE, n);
  j->stored = gg_allocate_large(count, sizeof *j->stored);
  if (!j->stored)
    return call->status = gg_fail_memory(call->error, count * (int64_t)sizeof *j->stored);
  if (!fits) return GPUGEO_OK;
  j->condensed = j->stored;
  *done += share;
  return gg_dist_source_condensed(source, j->stored, *done - share, share, call);
}

gpugeo_status gg_cpu_pcoa(const gg_pcoa_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  job j = {.plan = plan,
           .kernel = GG_SIMD_CHOOSE(gg_panel_kernel, gg_panel_multiply),
           .n = plan->n,
           .sides = (plan->n + SIDE - 1) / SIDE,
           .call = call};
  gg_pcoa_plan rest = *plan;
  const gg_gower gower = {.n = plan->n,
                          .own = &j,
                          .measure = measure_distances,
                          .multiply = multiply,
                          .panel_make = panel_make,
                          .panel_free = panel_free,
                          .panel_write = panel_write,
                          .panel_read = panel_read,
                          .centre = centre,
                          .project = project,
                          .combine = combine,
                          .clock = call->clock};
  const int64_t limit = gg_krylov_limit(plan->k + 1) + gg_krylov_block(plan->k + 1);
  const int64_t chunks = (plan->n + ROWS - 1) / ROWS;
  const int64_t partial = chunks * limit * GG_PANEL * GG_PANEL;
  j.tile = gg_allocate((int64_t)plan->threads * SIDE * SIDE, sizeof *j.tile);
  j.sums = gg_allocate(j.sides, sizeof *j.sums);
  j.partial = gg_allocate(partial, sizeof *j.partial);
  gg_lock_make(&j.lock);
  GG_TRY(call, j.tile && j.sums && j.partial
                   ? store_distances(&j, &rest.done)
                   : gg_fail_memory(call->error, partial * (int64_t)sizeof *j.partial));
  GG_TRY(call, gg_pcoa_solve(&rest, &gower, call->error));
  gg_lock_free(&j.lock);
  gg_free(j.stored);
  gg_free(j.tile);
  gg_free(j.sums);
  gg_free(j.partial);
  gg_free(j.below);
  return call->status;
}
