/* Distances in a file: checks an existing file, computes the missing tiles, and writes each
   while the next is computed. Reads slices of a complete file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/dist_lazy.h"
#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/platform.h"
#include "distance/dist.h"
#include "distance/file/dist_file.h"
#include "distance/file/store.h"
#include "distance/file/writer.h"
#include "distance/metric_params.h"
#include "distance/tiles.h"

void gpugeo_dist_file_options_init(gpugeo_dist_file_options *options, size_t size) {
  const gpugeo_dist_file_options defaults = {0};
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks the options of a file of distances. */
static gpugeo_status check_options(const gpugeo_dist_file_options *options, gpugeo_error *error) {
  if (!options->file || !*options->file)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file", "file must be the name of a file");
  if (options->name && strlen(options->name) >= sizeof((gg_h5_dist *)0)->name)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file_name",
                   "file_name must have at most %d characters, not %lld",
                   (int)sizeof((gg_h5_dist *)0)->name - 1, (long long)strlen(options->name));
  if (options->shape != GPUGEO_SHAPE_CONDENSED && options->shape != GPUGEO_SHAPE_FULL)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "shape", "shape must be 0 or 1, not %d",
                   (int)options->shape);
  if (options->type != GPUGEO_TYPE_DOUBLE && options->type != GPUGEO_TYPE_FLOAT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be double or float, not %d",
                   (int)options->type);
  return GPUGEO_OK;
}

/* Checks that there is a label for each of n points. */
static gpugeo_status check_labels(const gpugeo_dist_file_options *options, int64_t n,
                                  gpugeo_error *error) {
  if (!options->labels || options->labels_length == n) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "labels",
                 "labels must be one for each of the %lld points, not %lld", (long long)n,
                 (long long)options->labels_length);
}

/* --- the file --------------------------------------------------------------------------------- */

/* Returns the tiles that memory must hold: one that is computed, one that is written, and for a
   square file room of up to two to gather a tile in. */
static int64_t copies_of(gpugeo_shape shape) { return shape == GPUGEO_SHAPE_FULL ? 4 : 2; }

/* Returns the number of coordinates of the panels that are in memory with the tile: of points
   from a file, and ranks. */
static int64_t panels_of(const gg_point_source *x, const gpugeo_dist_options *options) {
  const bool as_they_are = !x->dataset && options->metric.kind != GPUGEO_METRIC_SPEARMAN;
  return as_they_are ? 0 : gg_point_source_coordinates(x);
}

/* Returns the rows that are computed and written together: for a condensed file as many as fit
   into memory. */
static int64_t rows_of_piece(const gg_point_source *x, const gpugeo_dist_options *options,
                             const gg_h5_dist *about) {
  const int64_t n = about->points, side = about->side;
  const int64_t fit =
      gg_tiles_rows(panels_of(x, options), side, copies_of(about->shape), options->run.work_bytes);
  const int64_t rows =
      about->shape == GPUGEO_SHAPE_CONDENSED && fit > side ? fit / side * side : side;
  return rows < n ? rows : n;
}

/*
 * Returns the columns of a piece of a new condensed file: as many as points have coordinates, so
 * that no more is read than is written; and, if memory allows it, at most so many that its rows
 * reach to the last point, because contiguous parts of the file are written past the page cache.
 */
static int64_t choose_columns(const gg_point_source *x, const gpugeo_dist_options *options,
                              const gg_h5_dist *about) {
  const int64_t m = gg_point_source_coordinates(x), most = 256, least = 64;
  const int64_t usual = m > most ? (m + most - 1) / most * most : most;
  gg_h5_dist tried = *about;
  for (tried.side = usual; tried.side >= least && tried.side >= m; tried.side /= 2)
    if (rows_of_piece(x, options, &tried) == about->points) return tried.side;
  return usual;
}

/* Chooses the side of the tiles of a new file. A square one is written in large tiles of whole
   chunks. */
static gpugeo_status choose_side(const gg_point_source *x, const gpugeo_dist_options *options,
                                 const gpugeo_dist_file_options *file_options, gg_h5_dist *about,
                                 gpugeo_error *error) {
  const int64_t n = about->points, m = gg_point_source_coordinates(x);
  const int64_t memory = options->run.work_bytes;
  about->side = file_options->side;
  if (about->side == 0) {
    about->side = gg_tiles_side(m, copies_of(about->shape), memory);
    const gpugeo_dist_lazy *lazy = file_options->lazy;
    const int64_t columns = lazy && lazy->side ? lazy->side : choose_columns(x, options, about);
    if (about->shape == GPUGEO_SHAPE_CONDENSED && about->side > columns) about->side = columns;
  }
  if (about->side > gg_h5_side_most(n)) about->side = gg_h5_side_most(n);
  gpugeo_tiles tiles; /* for its checks of side and memory */
  gpugeo_status status = gpugeo_tiles_plan(n, -1, m, about->side, memory, &tiles, error);
  about->chunk = gg_h5_chunk_of(about->side);
  return status;
}

/* Fills in the description of a new file of these distances. */
static gpugeo_status describe_file(const gg_point_source *x, const gpugeo_dist_options *options,
                                   const gpugeo_dist_file_options *file_options,
                                   uint64_t fingerprint, gg_h5_dist *about, gpugeo_error *error) {
  const bool full = file_options->shape == GPUGEO_SHAPE_FULL;
  const char *name = file_options->name && *file_options->name ? file_options->name
                     : full                                    ? "matrix"
                                                               : "dist";
  *about = (gg_h5_dist){.points = gg_point_source_count(x),
                        .shape = file_options->shape,
                        .type = file_options->type,
                        .fingerprint = fingerprint};
  if (about->points > GG_H5_MOST_POINTS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at most %lld points where distances go to a file, not %lld",
                   (long long)GG_H5_MOST_POINTS, (long long)about->points);
  strncpy(about->name, name, sizeof about->name - 1);
  const char *metric = file_options->lazy ? file_options->lazy->metric
                                          : gpugeo_name(GPUGEO_ENUM_METRIC, options->metric.kind);
  strncpy(about->metric, metric, sizeof about->metric - 1);
  return choose_side(x, options, file_options, about, error);
}

/* Checks that an existing file is one of the same distances. */
static gpugeo_status compare(const char *file, const gg_h5_dist *wanted, const gg_h5_dist *there,
                             gpugeo_error *error) {
  const char *differs = there->points != wanted->points              ? "number of points"
                        : strcmp(there->metric, wanted->metric) != 0 ? "metric"
                        : there->shape != wanted->shape              ? "shape"
                        : there->type != wanted->type                ? "precision"
                        : there->fingerprint != wanted->fingerprint  ? "data or parameters"
                                                                     : NULL;
  if (!differs) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file",
                 "file must be a new one or one of the same distances: \"%.300s\" holds those of "
                 "another %s",
                 file, differs);
}

/* Fills in the error of a file that cannot be opened, with the reason in errno. */
static gpugeo_status fail_to_open(const char *file, const char *what, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file", "file \"%.300s\" cannot be %s: %s", file,
                 what, strerror(errno));
}

/* Opens the file that was inspected; fails if another file has its name now. */
static gpugeo_status open_inspected(const char *file, const gg_h5_dist *about, gg_file_mode mode,
                                    const char *what, int *handle, gpugeo_error *error) {
  *handle = gg_handle_open(file, mode);
  if (*handle < 0) return fail_to_open(file, what, error);
  if (gg_file_is(*handle, &about->identity)) return GPUGEO_OK;
  close(*handle);
  *handle = -1;
  return gg_fail(error, GPUGEO_ERROR_FILE, "file", "file \"%.300s\" has become another file", file);
}

/* Opens a file for writing. Fails if another call writes to it. */
static gpugeo_status open_alone(const char *file, const gg_h5_dist *about, int *handle,
                                gpugeo_error *error) {
  gpugeo_status status = open_inspected(file, about, GG_FILE_UPDATE, "written", handle, error);
  if (status || gg_handle_lock(*handle, true) != EWOULDBLOCK) return status;
  close(*handle);
  *handle = -1;
  return gg_fail(error, GPUGEO_ERROR_FILE, "file",
                 "file \"%.300s\" is being written by another call", file);
}

/* Reads how many tiles the file has. */
static gpugeo_status read_done(const char *file, int handle, const gg_h5_dist *about, int64_t tiles,
                               int64_t *done, gpugeo_error *error) {
  const int failed = gg_read_at(handle, done, sizeof *done, about->marker);
  if (!failed && *done >= 0 && *done <= tiles) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, "file", "file \"%.300s\" is damaged: %s", file,
                 failed ? strerror(failed) : "it does not say how much of it is there");
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Adds a piece's report to the call's. */
static void add_report(gpugeo_report *sum, const gpugeo_report *piece) {
  const int32_t notes = sum->notes | piece->notes;
  const double device_seconds = sum->device_seconds + piece->device_seconds;
  *sum = *piece;
  sum->notes = notes;
  sum->device_seconds = device_seconds;
}

/* Joins tiles below each other, from the given one on, that together have at most so many rows
   (at least one tile) into a piece, which is contiguous in a condensed file. Returns their
   number. */
static int64_t take_piece(const gpugeo_tiles *tiles, int64_t first, int64_t rows,
                          gpugeo_tile *piece) {
  gpugeo_tiles_get(tiles, first, piece, NULL);
  const int64_t below = tiles->nx - piece->row, whole = rows / tiles->side * tiles->side;
  const int64_t fit = rows < below ? whole : below;
  if (fit > piece->rows) piece->rows = fit;
  return (piece->rows + tiles->side - 1) / tiles->side;
}

/* Returns the fraction of all pairs, counted in both directions, that a piece has. */
static double share_of(const gpugeo_tile *piece, int64_t n) {
  const double once = (double)piece->columns * (double)piece->columns;
  const double pairs = (double)piece->rows * (double)piece->columns;
  return (2 * pairs - (piece->row == piece->column ? once : 0)) / ((double)n * (double)n);
}

/* Computes a piece of a family's distances, which a file of floats has rounded. */
static gpugeo_status compute_lazy(const gpugeo_dist_lazy *lazy, const gpugeo_tile *piece,
                                  gpugeo_type type, void *out, double done, double share,
                                  gg_call *call) {
  const int64_t count = piece->rows * piece->columns;
  float *rounded = type == GPUGEO_TYPE_FLOAT ? out : NULL;
  double *values = rounded ? gg_call_allocate(call, count, sizeof *values) : out;
  if (!values) return call->status;
  lazy->tile(lazy, piece, values, done, share, call);
  for (int64_t k = 0; rounded && !call->status && k < count; ++k)
    rounded[k] = (float)values[k];
  if (rounded) gg_free(values);
  return call->status;
}

/* Computes the missing tiles in pieces, each while the previous one is written. lazy: NULL unless
   they are of a family's distances. */
static gpugeo_status write_tiles(const gg_point_source *x, const gpugeo_dist_options *options,
                                 const gpugeo_dist_lazy *lazy, const double *shared,
                                 const gpugeo_tiles *tiles, gg_dist_writer *to, gg_call *call) {
  if (call->status) return call->status;
  gpugeo_dist_options limited = *options;
  limited.run.work_bytes = gg_tiles_backend_bytes(options->run.work_bytes);
  const int64_t first = to->written;
  const gg_tile_setting setting = {x, NULL, &limited, shared, to->store.about->type};
  double done = 0;
  for (int64_t t = 0, taken; !call->status && t < tiles->count; t += taken) {
    gpugeo_tile piece;
    taken = take_piece(tiles, t, t < first ? 1 : to->rows, &piece);
    const double share = share_of(&piece, tiles->nx);
    if (t >= first) {
      gpugeo_report piece_report = *call->report;
      piece_report.notes = 0;
      piece_report.device_seconds = 0;
      gg_call part = *call;
      part.report = &piece_report;
      void *room = gg_dist_writer_room(to);
      GG_TRY(call, lazy ? compute_lazy(lazy, &piece, setting.type, room, done, share, &part)
                        : gg_tile_compute(&setting, &piece, room, done, share, NULL, &part));
      if (call->status) break;
      add_report(call->report, &piece_report);
      if (!gg_dist_writer_put(to, &piece, taken)) break;
    }
    done += share;
  }
  return call->status;
}

/* Reads the description of a file that exists or has been created for this call. */
static gpugeo_status find_output(const gpugeo_dist_file_options *options, gg_h5_dist *about,
                                 gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  gg_file_about there;
  if (!gg_path_describe(options->file, &there))
    status = gg_h5_dist_create(options->file, about, options->labels, error);
  gg_h5_dist found = {.points = 0};
  if (!status) status = gg_h5_dist_inspect(options->file, about->name, &found, error);
  if (!status) status = compare(options->file, about, &found, error);
  if (!status) *about = found;
  return status;
}

/* Finds or creates the file, and reads how many of its tiles are written. The handle is -1 if
   all are; a complete file may be read-only. */
static gpugeo_status open_output(const gpugeo_dist_file_options *options, gg_h5_dist *about,
                                 gpugeo_tiles *tiles, int *handle, int64_t *done,
                                 gpugeo_error *error) {
  *handle = -1;
  gpugeo_status status = find_output(options, about, error);
  if (!status) status = gpugeo_tiles_plan(about->points, -1, 0, about->side, 0, tiles, error);
  int reader = -1;
  if (!status) status = open_inspected(options->file, about, GG_FILE_READ, "read", &reader, error);
  if (!status) status = read_done(options->file, reader, about, tiles->count, done, error);
  if (reader >= 0) close(reader);
  if (!status && *done < tiles->count) status = open_alone(options->file, about, handle, error);
  return status;
}

/* Checks that the tiles of a file that another call has begun fit into this call's memory. */
static gpugeo_status check_memory(const gg_point_source *x, const gpugeo_dist_options *options,
                                  const char *file, const gg_h5_dist *about, gpugeo_error *error) {
  const int64_t limit = options->run.work_bytes ? options->run.work_bytes : GG_WORK_BYTES;
  const int64_t side = about->side < about->points ? about->side : about->points;
  const double needed =
      gg_tiles_limit(gg_point_source_coordinates(x), side, copies_of(about->shape));
  if (needed <= (double)limit) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "memory_limit",
                 "memory_limit must be at least %.0f bytes, not %lld: file \"%.300s\" was begun "
                 "with tiles of %lld x %lld",
                 needed, (long long)limit, file, (long long)side, (long long)side);
}

/* Fills in the error of a write; `failed` is the system's error number. */
static gpugeo_status fail_write(const char *file, int failed, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_FILE, "file",
                 "file \"%.300s\" cannot be written: %s; what it has is kept, and the same call "
                 "goes on from there",
                 file, strerror(failed));
}

/* Writes a file of distances, or the rest of one that was begun. */
static gpugeo_status write_file(const gg_point_source *x, const gpugeo_dist_options *options,
                                const gpugeo_dist_file_options *file_options, const double *shared,
                                gg_h5_dist *about, gg_call *call) {
  if (call->status) return call->status;
  gpugeo_tiles tiles;
  int handle;
  int64_t done;
  const int64_t side = about->side;
  GG_TRY(call, open_output(file_options, about, &tiles, &handle, &done, call->error));
  if (call->status || handle < 0) return call->status;
  if (about->side != side)
    GG_TRY(call, check_memory(x, options, file_options->file, about, call->error));
  if (call->status) {
    close(handle);
    return call->status;
  }
  gg_dist_writer to;
  const int64_t rows = rows_of_piece(x, options, about);
  GG_TRY(call,
         gg_dist_writer_start(&to, file_options->file, handle, about, done, rows, call->error));
  if (!call->status && !to.failed)
    write_tiles(x, options, file_options->lazy, shared, &tiles, &to, call);
  const int failed = gg_dist_writer_end(&to);
  return failed ? GG_TRY(call, fail_write(file_options->file, failed, call->error)) : call->status;
}

/* Opens the points whose distances are written: those of a family's distances have no
   coordinates. */
static gpugeo_status open_source(const gpugeo_point_source *x, const gpugeo_dist_options *options,
                                 const gpugeo_dist_lazy *lazy, gg_point_source *source,
                                 gpugeo_error *error) {
  gg_point_source none;
  if (!lazy) return gg_tiles_open(x, NULL, options, GPUGEO_TYPE_DOUBLE, source, &none, error);
  *source = (gg_point_source){.view = {.nrow = lazy->n, .type = GPUGEO_TYPE_DOUBLE},
                              .points = GPUGEO_POINTS_ROWS};
  if (x) return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must be NULL with lazy distances");
  return gg_check_run(&options->run, error);
}

/* Computes what all distances share, and their fingerprint. Distances of a family, which share
   nothing, are reported as computed by the host. */
static gpugeo_status prepare(const gg_point_source *source, const gpugeo_dist_options *options,
                             const gpugeo_dist_lazy *lazy, double **shared, uint64_t *fingerprint,
                             gg_missing_rows *rows, gg_call *call) {
  if (!lazy)
    return gg_dist_metric_params(source, NULL, options, NULL, -1, shared, fingerprint, rows, call);
  if (call->status) return call->status;
  *fingerprint = lazy->fingerprint(lazy);
  *call->report = gg_report_of(gg_host_backend(), -1, 1, gg_threads(options->run.threads));
  return GPUGEO_OK;
}

gpugeo_status gpugeo_dist_file_write(const gpugeo_point_source *x,
                                     const gpugeo_dist_options *options,
                                     const gpugeo_dist_file_options *file_options,
                                     gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_dist_file_options file_taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (!status) status = GG_OPTIONS_TAKE(dist_file_options, file_options, file_taken, error);
  if (status) return status;
  gg_point_source source;
  const gpugeo_dist_lazy *lazy = file_options->lazy;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, open_source(x, options, lazy, &source, error));
  GG_TRY(&call, check_options(file_options, error));
  GG_TRY(&call, check_labels(file_options, gg_point_source_count(&source), error));
  if (!lazy) GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_DIST, call.report, error));
  if (!call.status) {
    double *shared = NULL;
    uint64_t fingerprint;
    gg_h5_dist about;
    gg_missing_rows rows[2] = {{0}};
    prepare(&source, options, lazy, &shared, &fingerprint, rows, &call);
    GG_TRY(&call, describe_file(&source, options, file_options, fingerprint, &about, error));
    write_file(&source, options, file_options, shared, &about, &call);
    const gpugeo_missing missing = gg_missing_within(&rows[0]);
    if (!lazy) gg_report_missing(call.report, &missing);
    gg_call_end(&call);
    gg_free(shared);
  }
  gg_point_source_close(&source);
  return call.status;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct gpugeo_dist_file {
  int handle;
  gg_h5_dist about;
  gpugeo_tiles tiles;
  int64_t done;
  char *labels;
  int64_t label_width;
};

/* Opens a file of distances for reading, with its labels and the number of its tiles. */
static gpugeo_status open_file(const char *file, const char *name, gpugeo_dist_file *opened,
                               gpugeo_error *error) {
  gpugeo_status status = gg_h5_dist_inspect(file, name, &opened->about, error);
  const gg_h5_dist *about = &opened->about;
  if (!status)
    status = gg_h5_dist_labels(file, about, &opened->labels, &opened->label_width, error);
  if (!status)
    status = gpugeo_tiles_plan(about->points, -1, 0, about->side, 0, &opened->tiles, error);
  if (status) return status;
  status = open_inspected(file, about, GG_FILE_READ, "read", &opened->handle, error);
  if (status) return status;
  return read_done(file, opened->handle, about, opened->tiles.count, &opened->done, error);
}

gpugeo_status gpugeo_dist_file_open(const char *file, const char *name, gpugeo_dist_file **opened,
                                    gpugeo_dist_file_info *info, gpugeo_error *error) {
  if (!file || !*file)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "file", "file must be the name of a file");
  gpugeo_dist_file *made = gg_allocate_zeros(1, sizeof *made);
  if (!made) return gg_fail_memory(error, sizeof *made);
  made->handle = -1;
  gpugeo_status status = open_file(file, name, made, error);
  if (status) {
    gpugeo_dist_file_close(made);
    return status;
  }
  *info = (gpugeo_dist_file_info){.points = made->about.points,
                                  .shape = made->about.shape,
                                  .type = made->about.type,
                                  .tiles = made->tiles.count,
                                  .tiles_done = made->done,
                                  .labels = made->labels != NULL};
  memcpy(info->name, made->about.name, sizeof info->name);
  memcpy(info->metric, made->about.metric, sizeof info->metric);
  *opened = made;
  return GPUGEO_OK;
}

void gpugeo_dist_file_close(gpugeo_dist_file *file) {
  if (!file) return;
  if (file->handle >= 0) close(file->handle);
  gg_free(file->labels);
  gg_free(file);
}

const char *gpugeo_dist_file_label(const gpugeo_dist_file *file, int64_t point) {
  if (!file->labels || point < 0 || point >= file->about.points) return NULL;
  return file->labels + point * file->label_width;
}

/* Checks that indices, counted from 0, are those of n points. */
static gpugeo_status check_points(const char *argument, const int64_t *points, int64_t count,
                                  int64_t n, gpugeo_error *error) {
  for (int64_t i = 0; i < count; ++i)
    if (points[i] < 0 || points[i] >= n)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                     "%s must be between 0 and %lld (the points there are), not %lld", argument,
                     (long long)n - 1, (long long)points[i]);
  return GPUGEO_OK;
}

/* Returns how many points, from `at` on, are consecutive. */
static int64_t run_length(const int64_t *points, int64_t count, int64_t at) {
  int64_t end = at + 1;
  while (end < count && points[end] == points[end - 1] + 1)
    ++end;
  return end - at;
}

/*
 * Reads the distances of one point to others, out[i * stride]; from a condensed file only those to
 * later points. Consecutive ones are read together.
 */
static int fetch_column(const gpugeo_dist_file *file, int64_t point, const int64_t *others,
                        int64_t count, double *room, double *out, int64_t stride) {
  const bool condensed = file->about.shape == GPUGEO_SHAPE_CONDENSED;
  int failed = 0;
  for (int64_t i = 0, run; !failed && i < count; i += run) {
    run = run_length(others, count, i);
    int64_t left_out = 0;
    if (condensed && others[i] <= point) left_out = point + 1 - others[i];
    if (left_out >= run) continue;
    failed = gg_dist_fetch(file->handle, &file->about, others[i] + left_out, point, run - left_out,
                           room);
    for (int64_t k = left_out; !failed && k < run; ++k)
      out[(i + k) * stride] = room[k - left_out];
  }
  return failed;
}

/* Writes 0 on the diagonal of a condensed file, and the value for missing distances. */
static void finish_values(const int64_t *rows, int64_t row_count, int64_t column, bool condensed,
                          double missing, double *out) {
  for (int64_t i = 0; i < row_count; ++i) {
    if (condensed && rows[i] == column) out[i] = 0;
    if (isnan(out[i])) out[i] = missing;
  }
}

/* Checks that all tiles are in the file. */
static gpugeo_status check_complete(const gpugeo_dist_file *file, gpugeo_error *error) {
  if (file->done >= file->tiles.count) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_FILE, "file",
                 "file is not complete: %lld of %lld tiles are there; the same call that began "
                 "it goes on",
                 (long long)file->done, (long long)file->tiles.count);
}

/* Fills in the error of a read; `failed` is the system's error number. */
static gpugeo_status fail_read(int failed, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_FILE, "file", "file cannot be read: %s", strerror(failed));
}

gpugeo_status gpugeo_dist_file_read(const gpugeo_dist_file *file, const int64_t *rows,
                                    int64_t row_count, const int64_t *columns, int64_t column_count,
                                    double missing, double *out, gpugeo_error *error) {
  const int64_t n = file->about.points;
  gpugeo_status status = check_points("row", rows, row_count, n, error);
  if (!status) status = check_points("column", columns, column_count, n, error);
  if (!status) status = check_complete(file, error);
  if (status) return status;
  const int64_t longest = row_count > column_count ? row_count : column_count;
  double *room = gg_allocate(longest, sizeof *room);
  if (!room) return gg_fail_memory(error, longest * (int64_t)sizeof *room);
  const bool condensed = file->about.shape == GPUGEO_SHAPE_CONDENSED;
  int failed = 0;
  for (int64_t j = 0; !failed && j < column_count; ++j)
    failed = fetch_column(file, columns[j], rows, row_count, room, out + j * row_count, 1);
  for (int64_t i = 0; condensed && !failed && i < row_count; ++i)
    failed = fetch_column(file, rows[i], columns, column_count, room, out + i, row_count);
  for (int64_t j = 0; !failed && j < column_count; ++j)
    finish_values(rows, row_count, columns[j], condensed, missing, out + j * row_count);
  gg_free(room);
  return failed ? fail_read(failed, error) : GPUGEO_OK;
}

gpugeo_status gg_dist_file_points(const gpugeo_dist_file *file, int64_t *points,
                                  gpugeo_error *error) {
  *points = file->about.points;
  return check_complete(file, error);
}

gpugeo_status gg_dist_file_column(const gpugeo_dist_file *file, int64_t point, double *out,
                                  gpugeo_error *error) {
  const int64_t count = file->about.points - point - 1;
  const int failed =
      count > 0 ? gg_dist_fetch(file->handle, &file->about, point + 1, point, count, out) : 0;
  return failed ? fail_read(failed, error) : GPUGEO_OK;
}
