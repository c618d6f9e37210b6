/* Distance matrices in tiles, and into files. */
#include <math.h>

#include "common/error.h"
#include "dist.h"
#include "families.h"
#include "result.h"
#include "sequences.h"
#include "settings.h"
#include "value.h"

/* Points: a matrix or a dataset of a file. */
typedef struct points {
  gpugeo_matrix matrix;
  gpugeo_point_source source;
} points;

/* Reads a matrix, or a structure with the fields file and name. */
static void read_source(gg_mex_call *call, const mxArray *value, const char *name, points *points) {
  points->source = (gpugeo_point_source){0};
  if (mxIsStruct(value) && gg_mex_field(value, "file")) {
    points->source.file = gg_mex_text(call, gg_mex_field(value, "file"), "file");
    points->source.name = gg_mex_text(call, gg_mex_field(value, "name"), "name");
  } else {
    gg_mex_any_matrix(call, value, name, &points->matrix);
    points->source.matrix = &points->matrix;
  }
}

static bool is_single(const points *points) {
  return points->source.matrix && points->matrix.type == GPUGEO_TYPE_FLOAT;
}

/* The arguments that all computations of tiles read. */
typedef struct job {
  gpugeo_dist_options options;
  points x, second;
  const gpugeo_point_source *y; /* NULL: within x */
  bool single;
} job;

/* Reads the metric, x, and y unless it is NULL or []. */
static void read_job(gg_mex_call *call, const mxArray *y, job *job) {
  gpugeo_dist_options_init(&job->options, sizeof job->options);
  gg_mex_read_options(call, &gg_metric_options, &job->options.metric);
  read_source(call, call->inputs[0], "x", &job->x);
  job->y = NULL;
  if (y && !mxIsEmpty(y)) {
    read_source(call, y, "y", &job->second);
    job->y = &job->second.source;
  }
  job->single = !call->status && (is_single(&job->x) || (job->y && is_single(&job->second)));
}

void gg_mex_point_source_size(gg_mex_call *call) {
  points x;
  int64_t rows = 0, columns = 0;
  read_source(call, call->inputs[0], "x", &x);
  if (call->status ||
      !gg_mex_check(call, gpugeo_point_source_size(&x.source, &rows, &columns, &call->error)))
    return;
  double *size = gg_mex_doubles_result(call, 0, 1, 2);
  if (!size) return;
  size[0] = (double)rows;
  size[1] = (double)columns;
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Writes a row for each tile: row, rows, column, columns. */
static void write_table(gg_mex_call *call, const gpugeo_tiles *tiles) {
  const int64_t count = tiles->count;
  double *table = gg_mex_doubles_result(call, 1, count, 4);
  if (call->status) return;
  for (int64_t t = 0; t < count; ++t) {
    gpugeo_tile tile = {0};
    gpugeo_tiles_get(tiles, t, &tile, NULL);
    table[t] = (double)(tile.row + 1);
    table[t + count] = (double)tile.rows;
    table[t + 2 * count] = (double)(tile.column + 1);
    table[t + 3 * count] = (double)tile.columns;
  }
}

/* Reads three whole numbers that a user function has made. */
static const double *read_three(gg_mex_call *call, const mxArray *value, const char *name) {
  const double *numbers = NULL;
  int64_t length = 0;
  gg_mex_doubles(call, value, name, &numbers, &length);
  bool whole = length >= 3;
  for (int i = 0; whole && i < 3; ++i)
    whole = fabs(numbers[i]) <= 0x1p53;
  if (!call->status && !whole)
    gg_mex_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, name,
                               "%s must have 3 whole numbers", name));
  return call->status ? NULL : numbers;
}

void gg_mex_tiles_plan(gg_mex_call *call) {
  gpugeo_tiles tiles;
  int64_t side = 0, memory_limit = 0;
  const double *sizes = read_three(call, call->inputs[0], "sizes");
  gg_mex_whole(call, "side", 1, (int64_t)1 << 53, &side);
  gg_mex_whole(call, "memory_limit", 1 << 20, (int64_t)1 << 53, &memory_limit);
  if (call->status ||
      !gg_mex_check(call, gpugeo_tiles_plan((int64_t)sizes[0], (int64_t)sizes[1], (int64_t)sizes[2],
                                            side, memory_limit, &tiles, &call->error)))
    return;
  gg_mex_number_result(call, 0, (double)tiles.side);
  write_table(call, &tiles);
}

void gg_mex_dist_metric_params(gg_mex_call *call) {
  job job;
  int64_t size = 0;
  read_job(call, call->inputs[1], &job);
  gg_mex_set_interrupt(call, &job.options.run);
  if (call->status ||
      !gg_mex_check(call, gpugeo_dist_metric_params_size(&job.x.source, job.y, &job.options, &size,
                                                         &call->error)))
    return;
  double *shared = gg_mex_doubles_result(call, 0, 1, size);
  if (call->status) return;
  gg_mex_finish(call,
                gpugeo_dist_metric_params(&job.x.source, job.y, &job.options, shared, &call->report,
                                          &call->error),
                &call->report, job.y ? "y" : NULL);
}

/* Finds the tile that has a number. */
static void read_tile(gg_mex_call *call, const mxArray *plan, const mxArray *number,
                      gpugeo_tiles *tiles, int64_t *tile, gpugeo_tile *range) {
  const double *sizes = read_three(call, plan, "plan");
  if (call->status ||
      !gg_mex_check(call, gpugeo_tiles_plan((int64_t)sizes[0], (int64_t)sizes[1], 0,
                                            (int64_t)sizes[2], 0, tiles, &call->error)))
    return;
  const gg_given given = gg_mex_given(number);
  if (gg_mex_check(call,
                   gg_number_from_one("tile", "tiles", &given, tiles->count, tile, &call->error)))
    gg_mex_check(call, gpugeo_tiles_get(tiles, *tile, range, &call->error));
}

void gg_mex_dist_tile(gg_mex_call *call) {
  job job;
  gpugeo_tiles tiles;
  gpugeo_tile range = {0};
  int64_t tile = 0, shared_length = 0;
  const double *shared = NULL;
  read_job(call, call->inputs[1], &job);
  gg_mex_doubles(call, call->inputs[3], "shared", &shared, &shared_length);
  read_tile(call, call->inputs[2], call->inputs[4], &tiles, &tile, &range);
  gg_mex_settings(call, job.single, &job.options.run);
  if (call->status) return;

  const gpugeo_type type = job.single ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  void *distances = gg_mex_result(call, 0, type, range.rows, range.columns);
  if (call->status) return;
  call->status =
      gpugeo_dist_tile(&job.x.source, job.y, &job.options, shared_length > 0 ? shared : NULL,
                       shared_length, &tiles, tile, type, distances, &call->report, &call->error);
  if (gg_mex_ended(call, job.y ? "y" : NULL)) gg_mex_report_result(call, 1, &call->report);
}

/* --- Into a file ------------------------------------------------------------------------------ */

/* Reads an option that is one of two words: 0, the default, for the first, 1 for the second. */
static int one_of(gg_mex_call *call, const char *name, const char *first, const char *second) {
  const char *const words[] = {first, second};
  const char *word = gg_mex_word(call, name);
  int which = 0;
  if (word) gg_mex_check(call, gg_one_of(name, word, words, &which, &call->error));
  return which;
}

void gg_mex_dist_file(gg_mex_call *call) {
  job job;
  gpugeo_dist_file_options file;
  gpugeo_dist_file_options_init(&file, sizeof file);
  const mxArray *x = call->inputs[0];
  const bool overlap = mxIsStruct(x) && gg_mex_field(x, "overlap");
  const bool computed = overlap || (mxIsStruct(x) && gg_mex_field(x, "sequences"));
  if (computed) {
    job = (struct job){.single = false};
    gpugeo_dist_options_init(&job.options, sizeof job.options);
    file.lazy = overlap ? gg_mex_make_overlap(call, x) : gg_mex_make_lazy(call, x);
  } else {
    read_job(call, NULL, &job);
  }
  file.file = gg_mex_text(call, gg_mex_field(call->options, "file"), "file");
  const char *name = gg_mex_word(call, "file_name");
  file.name = name ? name : "";
  file.shape = one_of(call, "file_shape", "condensed", "square") ? GPUGEO_SHAPE_FULL
                                                                 : GPUGEO_SHAPE_CONDENSED;
  file.type =
      one_of(call, "file_precision", "double", "float") ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  gg_mex_settings(call, job.single, &job.options.run);
  if (call->status) return;
  call->status = gpugeo_dist_file_write(computed ? NULL : &job.x.source, &job.options, &file,
                                        &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 0, &call->report);
}
