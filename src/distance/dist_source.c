/* Distances within n points from any of their sources. */
#include "distance/dist_source.h"

#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/dist_lazy.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/dist_device.h"
#include "distance/file/dist_file.h"
#include "distance/metric_params.h"
#include "distance/tiles.h"

/* --- Arguments -------------------------------------------------------------------------------- */

/* Fills in the error of an argument that is no source of distances. */
static gpugeo_status fail_source(const char *name, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                 "%s must be points, condensed distances, a file of them or distances on a device",
                 name);
}

/* True if exactly one source is given, and nothing in the fields of later ones. */
static bool is_one_source(const gpugeo_distances *from) {
  if (!from || (from->x != NULL) + (from->condensed != NULL) + (from->file != NULL) +
                       (from->device != NULL) + (from->lazy != NULL) !=
                   1)
    return false;
  for (size_t i = 0; i < sizeof from->reserved / sizeof *from->reserved; ++i)
    if (from->reserved[i]) return false;
  return true;
}

/* Fails if the number of points is negative. */
static gpugeo_status check_count(const char *name, int64_t n, gpugeo_error *error) {
  if (n >= 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name, "%s must have at least 0 points, not %lld",
                 name, (long long)n);
}

gpugeo_status gpugeo_distances_points(const gpugeo_distances *x, gpugeo_points points, int64_t *n,
                                      gpugeo_error *error) {
  if (!is_one_source(x)) return fail_source("x", error);
  if (x->file) return gg_dist_file_points(x->file, n, error);
  *n = x->x        ? gg_point_count(x->x, points)
       : x->device ? x->device->n
       : x->lazy   ? x->lazy->n
                   : x->condensed_points;
  return check_count("x", *n, error);
}

/* Makes points with a metric the source; `spheres` leaves out the checks of a metric. */
static gpugeo_status open_points(const char *name, const gpugeo_matrix *x, bool spheres,
                                 gg_dist_source *source, gpugeo_error *error) {
  source->kind = GG_DIST_SOURCE_POINTS;
  gpugeo_status status = gg_check_any_matrix(name, x, error);
  if (!status && !spheres)
    status = gg_dist_check_options(&source->options, GPUGEO_TYPE_DOUBLE, error);
  if (!status) status = gg_dist_check_sizes(x, NULL, "y", &source->options, error);
  if (status) return status;
  source->x = *x;
  source->n = gg_point_count(x, source->options.points);
  return GPUGEO_OK;
}

/* Makes condensed distances in memory the source. */
static gpugeo_status open_condensed(const char *name, const gpugeo_distances *from,
                                    gg_dist_source *source, gpugeo_error *error) {
  source->kind = GG_DIST_SOURCE_CONDENSED;
  source->condensed = from->condensed;
  source->n = from->condensed_points;
  return check_count(name, source->n, error);
}

/* Makes distances on a device the source. */
static gpugeo_status open_device(const char *name, const gpugeo_dist_device *from,
                                 gg_dist_source *source, gpugeo_error *error) {
  source->kind = GG_DIST_SOURCE_DEVICE;
  source->on_device = from;
  source->n = from->n;
  return gg_dist_device_check(name, from, error);
}

/* Makes the distances of a family's objects the source. */
static gpugeo_status open_lazy(const gpugeo_dist_lazy *from, gg_dist_source *source) {
  source->kind = GG_DIST_SOURCE_LAZY;
  source->lazy = from;
  source->n = from->n;
  return GPUGEO_OK;
}

void gpugeo_dist_lazy_free(gpugeo_dist_lazy *distances) {
  if (distances) distances->release(distances);
}

gpugeo_status gg_dist_source_open(const char *name, const gpugeo_distances *from, bool spheres,
                                  gg_dist_source *source, gpugeo_error *error) {
  gpugeo_status status = gg_check_run(&source->options.run, error);
  if (status) return status;
  if (!is_one_source(from)) return fail_source(name, error);
  if (from->x) return open_points(name, from->x, spheres, source, error);
  if (from->condensed) return open_condensed(name, from, source, error);
  if (from->device) return open_device(name, from->device, source, error);
  if (from->lazy) return open_lazy(from->lazy, source);
  source->kind = GG_DIST_SOURCE_FILE;
  source->file = from->file;
  return gg_dist_file_points(from->file, &source->n, error);
}

void gg_dist_source_close(gg_dist_source *source) {
  gg_free(source->shared);
  source->shared = NULL;
}

gpugeo_status gg_dist_source_start(gg_dist_source *source, const gg_backend *backend,
                                   int32_t device, gg_call *call) {
  if (call->status) return call->status;
  if (source->kind != GG_DIST_SOURCE_POINTS) return GPUGEO_OK;
  const gg_point_source points = gg_point_source_of(&source->x, source->options.points);
  return gg_dist_metric_params(&points, NULL, &source->options, backend, device, &source->shared,
                               NULL, NULL, call);
}

gpugeo_status gg_dist_source_plan(const gg_dist_source *source, const gg_backend *backend,
                                  int32_t device, gg_dist_plan *plan, gg_dist_memory *memory,
                                  gg_call *call) {
  if (call->status) return call->status;
  gpugeo_dist_options options = source->options;
  options.shape = GPUGEO_SHAPE_CONDENSED;
  options.missing = NAN;
  *plan = gg_dist_plan_make(&source->x, NULL, &options, 0);
  plan->type = GPUGEO_TYPE_DOUBLE;
  plan->backend = backend;
  plan->device = device;
  plan->workers = 1;
  return gg_dist_prepare_shared(plan, &options, source->shared, memory, call);
}

double gg_dist_source_link_bytes(const gg_dist_source *source) {
  const double n = (double)source->n;
  if (source->kind == GG_DIST_SOURCE_DEVICE) return 0;
  if (source->kind != GG_DIST_SOURCE_POINTS) return 4 * n * n;
  return 8 * n * (double)gg_point_size(&source->x, source->options.points);
}

/* Returns the number of columns of n distances that are computed at a time: at most 8 MiB, or 64
   columns. */
static int64_t strip_width(int64_t n) {
  const int64_t fits = ((int64_t)1 << 20) / (n + 1);
  return gg_smaller(n, fits < 64 ? 64 : fits);
}

double gg_dist_source_working(const gg_dist_source *source, int64_t rows, int64_t columns) {
  if (source->kind == GG_DIST_SOURCE_FILE) return 8 * (double)(rows > columns ? rows : columns);
  if (source->kind == GG_DIST_SOURCE_LAZY)
    return rows == source->n ? 8 * (double)rows * (double)strip_width(rows) : 0;
  if (source->kind != GG_DIST_SOURCE_POINTS) return 0;
  return gg_dist_working(&source->x, NULL, &source->options);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Copies a tile of a condensed matrix, in squares of which both sides fit into the cache. */
static void copy_tile(const gg_dist_source *source, const gpugeo_tile *tile, double *out) {
  const int64_t n = source->n, square = 32;
  for (int64_t c0 = 0; c0 < tile->columns; c0 += square)
    for (int64_t r0 = 0; r0 < tile->rows; r0 += square)
      for (int64_t c = c0; c < c0 + square && c < tile->columns; ++c)
        for (int64_t r = r0; r < r0 + square && r < tile->rows; ++r) {
          const int64_t i = tile->row + r, j = tile->column + c;
          out[r + c * tile->rows] =
              i == j ? 0 : source->condensed[gg_condensed_at(n, i > j ? i : j, i > j ? j : i)];
        }
}

/* Reads a tile from a file of distances. */
static gpugeo_status read_tile(const gg_dist_source *source, const gpugeo_tile *tile, double *out,
                               gpugeo_error *error) {
  int64_t *points;
  gpugeo_status status = gg_tile_points(tile, &points, error);
  if (status) return status;
  status = gpugeo_dist_file_read(source->file, points, tile->rows, points + tile->rows,
                                 tile->columns, NAN, out, error);
  gg_free(points);
  return status;
}

gpugeo_status gg_dist_source_tile(const gg_dist_source *source, const gpugeo_tile *tile,
                                  double *out, double done, double share, gg_call *call) {
  if (call->status) return call->status;
  if (source->kind == GG_DIST_SOURCE_POINTS) {
    const gg_point_source points = gg_point_source_of(&source->x, source->options.points);
    const gg_tile_setting setting = {&points, NULL, &source->options, source->shared,
                                     GPUGEO_TYPE_DOUBLE};
    return gg_tile_compute(&setting, tile, out, done, share, NULL, call);
  }
  if (source->kind == GG_DIST_SOURCE_LAZY)
    return source->lazy->tile(source->lazy, tile, out, done, share, call);
  if (gg_call_poll(call, done)) return call->status;
  if (source->kind == GG_DIST_SOURCE_FILE)
    return GG_TRY(call, read_tile(source, tile, out, call->error));
  if (source->kind == GG_DIST_SOURCE_DEVICE)
    return GG_TRY(call, gg_dist_device_tile(source->on_device, tile, out, call->error));
  copy_tile(source, tile, out);
  return GPUGEO_OK;
}

/* Reads a tile for a plan. */
static gpugeo_status read_for_plan(void *own, const gpugeo_tile *tile, double *out, double done,
                                   double share, gg_call *call) {
  return gg_dist_source_tile(own, tile, out, done, share, call);
}

gg_dist_plan gg_dist_source_plan_read(const gg_dist_source *source, int32_t threads) {
  const gg_tile_reader reader = {read_for_plan, (void *)(uintptr_t)source};
  return gg_dist_plan_read(source->n, threads, reader);
}

/* --- All distances ---------------------------------------------------------------------------- */

/* Computes all distances of points in the shape. */
static gpugeo_status compute_all(const gg_dist_source *source, gpugeo_shape shape, double *out,
                                 double done, double share, gg_call *call) {
  if (call->status) return call->status;
  const gpugeo_dist_options *options = &source->options;
  const int64_t n = source->n;
  if (n == 0 || gg_dist_source_is_empty(source)) {
    gg_fill(GPUGEO_TYPE_DOUBLE, out, shape == GPUGEO_SHAPE_FULL ? n * n : n * (n - 1) / 2,
            options->missing);
    return GPUGEO_OK;
  }
  gg_call_part part;
  gg_call_part_begin(call, done, share, &part);
  gg_dist_plan plan = gg_dist_plan_make(&source->x, NULL, options, 0);
  plan.shape = shape;
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = out;
  gg_dist_run(&plan, options, 0, source->shared, &part.call);
  return gg_call_part_end(&part);
}

/* Reads column after column; polls the clock for each 2^20 distances. */
static gpugeo_status read_all(const gg_dist_source *source, double *out, double done, double share,
                              gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = source->n, all = n * (n - 1) / 2, often = (int64_t)1 << 20;
  for (int64_t j = 0, at = 0, next = 0; !call->status && j < n - 1; at += n - 1 - j++) {
    if (at >= next && gg_call_poll(call, done + share * (double)at / (double)all)) break;
    if (at >= next) next = at + often;
    GG_TRY(call, gg_dist_file_column(source->file, j, out + at, call->error));
  }
  return call->status;
}

/* Copies the distances below the diagonal of a strip of columns that begins on it. */
static double *copy_strip(const gpugeo_tile *strip, const double *values, double *out) {
  for (int64_t c = 0; c < strip->columns && c < strip->rows - 1; ++c) {
    memcpy(out, values + c * strip->rows + c + 1, (size_t)(strip->rows - c - 1) * sizeof *out);
    out += strip->rows - c - 1;
  }
  return out;
}

/* Computes strip after strip. */
static gpugeo_status compute_strips(const gg_dist_source *source, double *out, double done,
                                    double share, gg_call *call) {
  const int64_t n = source->n, width = strip_width(n);
  double *values = gg_call_allocate(call, n * width, sizeof *values);
  for (int64_t j = 0; j < n && !call->status; j += width) {
    const gpugeo_tile strip = {j, n - j, j, gg_smaller(width, n - j)};
    const double before = 1 - (double)(n - j) / (double)n * (double)(n - j) / (double)n;
    const double rest = (double)(strip.rows - strip.columns) / (double)n;
    const double part = 1 - rest * rest - before;
    source->lazy->tile(source->lazy, &strip, values, done + share * before, share * part, call);
    if (!call->status) out = copy_strip(&strip, values, out);
  }
  gg_free(values);
  return call->status;
}

gpugeo_status gg_dist_source_condensed(const gg_dist_source *source, double *out, double done,
                                       double share, gg_call *call) {
  if (call->status) return call->status;
  if (source->kind == GG_DIST_SOURCE_POINTS)
    return compute_all(source, GPUGEO_SHAPE_CONDENSED, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_LAZY) return compute_strips(source, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_FILE) return read_all(source, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_DEVICE)
    return gg_dist_device_columns(source->on_device, 0, source->n - 1, out, done, share, call);
  memcpy(out, source->condensed, (size_t)(source->n * (source->n - 1) / 2) * sizeof *out);
  return GPUGEO_OK;
}

/* A copy of memory, in parts of 1 MiB. */
typedef struct copy {
  const double *from;
  double *to;
  int64_t count;
} copy;

enum { COPIED = 1 << 17 /* distances */ };

/* Copies a range of parts. */
static void copy_parts(void *own, gg_range range) {
  const copy *c = own;
  const int64_t first = range.first * COPIED, last = range.last * COPIED;
  memcpy(c->to + first, c->from + first,
         (size_t)((last < c->count ? last : c->count) - first) * sizeof *c->to);
}

gpugeo_status gg_dist_source_columns(const gg_dist_source *source, int64_t first, int64_t last,
                                     double *out, gpugeo_error *error) {
  const int64_t n = source->n, at = gg_condensed_column(n, first);
  if (source->kind == GG_DIST_SOURCE_CONDENSED) {
    copy c = {source->condensed + at, out, gg_condensed_column(n, last) - at};
    gg_parallel_for(
        &(gg_loop){.threads = gg_copying_threads(gg_threads(source->options.run.threads)),
                   .count = (c.count + COPIED - 1) / COPIED,
                   .grain = 1,
                   .work = copy_parts,
                   .job = &c});
    return GPUGEO_OK;
  }
  if (source->kind == GG_DIST_SOURCE_DEVICE)
    return gg_dist_device_copy(source->on_device, first, last, out, error);
  gpugeo_status status = GPUGEO_OK;
  for (int64_t j = first; !status && j < last; ++j)
    status = gg_dist_file_column(source->file, j, out + gg_condensed_column(n, j) - at, error);
  return status;
}

/* The condensed matrix that becomes a square one, row by row. */
typedef struct expansion {
  const double *condensed;
  double *out;
  int64_t n;
} expansion;

enum { STRIP = 32 /* rows that are written together: a square of them fits into the cache */ };

/* Writes rows [i0, last) of STRIP columns from j0 on, all before the diagonal: the transpose of a
   part of the condensed matrix. */
static void transpose_square(const expansion *e, int64_t i0, int64_t last, int64_t j0) {
  const double *column[STRIP]; /* of each, where its row i would be */
  const int64_t n = e->n;
  for (int64_t c = 0; c < STRIP; ++c)
    column[c] = e->condensed + gg_condensed_at(n, i0, j0 + c);
  for (int64_t i = i0; i < last; ++i)
    for (int64_t c = 0; c < STRIP; ++c)
      e->out[i * n + j0 + c] = column[c][i - i0];
}

/* Writes strips of rows: the part after the diagonal is a column of the condensed matrix, and the
   part before it is transposed. */
static void expand_strips(void *own, gg_range range) {
  const expansion *e = own;
  const int64_t n = e->n;
  for (int64_t i0 = range.first * STRIP; i0 < n && i0 < range.last * STRIP; i0 += STRIP) {
    const int64_t last = i0 + STRIP < n ? i0 + STRIP : n;
    for (int64_t j0 = 0; j0 < i0; j0 += STRIP)
      transpose_square(e, i0, last, j0);
    for (int64_t i = i0; i < last; ++i) {
      double *row = e->out + i * n;
      for (int64_t j = i0; j < i; ++j)
        row[j] = e->condensed[gg_condensed_at(n, i, j)];
      row[i] = 0;
      memcpy(row + i + 1, e->condensed + gg_condensed_at(n, i + 1, i),
             (size_t)(n - i - 1) * sizeof *row);
    }
  }
}

/* Expands condensed distances to a square matrix. */
static gpugeo_status expand(const gg_dist_source *source, double *out, double done, double share,
                            gg_call *call) {
  if (call->status) return call->status;
  expansion e = {source->condensed, out, source->n};
  const gg_loop loop = {.threads = gg_threads(source->options.run.threads),
                        .count = (source->n + STRIP - 1) / STRIP,
                        .grain = 1,
                        .work = expand_strips,
                        .job = &e,
                        .begun = done,
                        .share = share};
  return gg_call_loop(call, loop);
}

/* Reads a file into the upper triangle, and copies that to the lower one. */
static gpugeo_status read_square(const gg_dist_source *source, double *out, double done,
                                 double share, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = source->n;
  for (int64_t i = 0; !call->status && i < n; ++i) {
    if (gg_call_poll(call, done + share * (double)i / (double)n)) return call->status;
    GG_TRY(call, gg_dist_file_column(source->file, i, out + i * n + i + 1, call->error));
    out[i * n + i] = 0;
  }
  for (int64_t i0 = 0; !call->status && i0 < n; i0 += STRIP)
    for (int64_t j0 = 0; j0 <= i0; j0 += STRIP)
      for (int64_t i = i0; i < i0 + STRIP && i < n; ++i)
        for (int64_t j = j0; j < j0 + STRIP && j < i; ++j)
          out[i * n + j] = out[j * n + i];
  return call->status;
}

/* Copies panels of columns of the square matrix from the device. */
static gpugeo_status read_device_square(const gg_dist_source *source, double *out, double done,
                                        double share, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = source->n, panel = 256;
  for (int64_t j = 0; !call->status && j < n; j += panel) {
    if (gg_call_poll(call, done + share * (double)j / (double)n)) return call->status;
    const gpugeo_tile tile = {0, n, j, n - j < panel ? n - j : panel};
    GG_TRY(call, gg_dist_device_tile(source->on_device, &tile, out + j * n, call->error));
  }
  return call->status;
}

gpugeo_status gg_dist_source_square(const gg_dist_source *source, double *out, double done,
                                    double share, gg_call *call) {
  if (call->status) return call->status;
  if (source->kind == GG_DIST_SOURCE_POINTS)
    return compute_all(source, GPUGEO_SHAPE_FULL, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_FILE) return read_square(source, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_DEVICE)
    return read_device_square(source, out, done, share, call);
  if (source->kind == GG_DIST_SOURCE_LAZY)
    return source->lazy->tile(source->lazy, &(gpugeo_tile){0, source->n, 0, source->n}, out, done,
                              share, call);
  return expand(source, out, done, share, call);
}

/* --- Distances that cannot be used ------------------------------------------------------------ */

void gg_bad_distances_add(gg_bad_distances *bad, int64_t i, int64_t j, double value) {
  if (bad->count++ > 0 && (bad->j < j || (bad->j == j && bad->i <= i))) return;
  bad->i = i;
  bad->j = j;
  bad->value = value;
}

void gg_bad_distances_join(gg_bad_distances *bad, const gg_bad_distances *more) {
  if (more->count == 0) return;
  gg_bad_distances_add(bad, more->i, more->j, more->value);
  bad->count += more->count - 1;
}

gpugeo_status gg_fail_distances(const char *name, const gg_bad_distances *bad,
                                gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, name,
                 "%s must have finite distances only, but %lld of them %s not; the first is %s, "
                 "between points %lld and %lld",
                 name, (long long)bad->count, bad->count == 1 ? "is" : "are",
                 isnan(bad->value) ? "missing" : gg_number(bad->value).text, (long long)bad->j + 1,
                 (long long)bad->i + 1);
}
