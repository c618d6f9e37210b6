#include "distances.h"
#include "distance/square.h"
#include "families.h"
#include "result.h"
#include "sequences.h"

#include <math.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "settings.h"
#include "value.h"

static void close_file(void *file) { gpugeo_dist_file_close(file); }

/* Opens the file that a structure of gpu_dist_file describes. */
static void open_file(gg_mex_call *call, const mxArray *about, gg_mex_distances *distances) {
  gpugeo_dist_file *file = NULL;
  gpugeo_dist_file_info info;
  const char *path = gg_mex_text(call, gg_mex_field(about, "file"), "file");
  const char *name = gg_mex_text(call, gg_mex_field(about, "name"), "name");
  if (call->status ||
      !gg_mex_check(call, gpugeo_dist_file_open(path, name, &file, &info, &call->error)))
    return;
  gg_mex_release_later(call, close_file, file);
  distances->given.file = file;
  distances->points = info.points;
}

/* Takes the distances on a device that a structure has the number of. */
static void take_device(gg_mex_call *call, const mxArray *about, const char *name,
                        gg_mex_distances *distances) {
  gpugeo_dist_device_info info;
  distances->given.device = gg_mex_read_dist_device(call, about, name);
  if (call->status) return;
  gpugeo_dist_device_get(distances->given.device, &info);
  distances->points = info.points;
}

/* Reads n (n - 1) / 2 distances. */
static void read_condensed(gg_mex_call *call, const mxArray *value, const char *name,
                           gg_mex_distances *distances) {
  int64_t length = 0;
  gg_mex_doubles(call, value, name, &distances->given.condensed, &length);
  if (call->status) return;
  const int64_t n = (int64_t)floor((1 + sqrt(1 + 8 * (double)length)) / 2);
  distances->given.condensed_points = distances->points = n;
  if (n * (n - 1) / 2 == length) return;
  gg_mex_check(call,
               gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, name,
                       "%s must have n (n - 1) / 2 distances, not %lld", name, (long long)length));
}

int64_t gg_mex_count_points(gg_mex_call *call, const gg_mex_distances *distances) {
  int64_t n = 0;
  if (!call->status)
    gg_mex_check(call,
                 gpugeo_distances_points(&distances->given, GPUGEO_POINTS_ROWS, &n, &call->error));
  return gg_room(n, INT32_MAX);
}

void gg_mex_read_stored(gg_mex_call *call, const mxArray *value, const char *name,
                        gg_mex_distances *distances) {
  *distances = (gg_mex_distances){.given = {.x = NULL}};
  if (!mxIsStruct(value)) {
    read_condensed(call, value, name, distances);
  } else if (gg_mex_field(value, "device_distances")) {
    take_device(call, value, name, distances);
  } else if (gg_mex_field(value, "sequences")) {
    distances->given.lazy = gg_mex_make_lazy(call, value);
    distances->points = gg_mex_count_points(call, distances);
  } else {
    open_file(call, value, distances);
  }
}

void gg_mex_read_distances(gg_mex_call *call, const char *name, gg_mex_distances *distances,
                           gpugeo_metric_options *metric) {
  const mxArray *input = call->inputs[0];
  if (mxIsStruct(input) || gg_mex_option(call, "condensed")) {
    gg_mex_read_stored(call, input, name, distances);
    return;
  }
  *distances = (gg_mex_distances){.given = {.x = NULL}};
  gg_mex_any_matrix(call, input, name, &distances->x);
  distances->given.x = &distances->x;
  gg_mex_read_options(call, &gg_metric_options, metric);
}

int64_t gg_mex_open_distances(gg_mex_call *call, gg_mex_distances *distances,
                              const gg_option_table *table, void *options,
                              gpugeo_metric_options *metric, gpugeo_run *run) {
  if (table) table->fill(options);
  gg_mex_read_distances(call, "x", distances, metric);
  if (table) gg_mex_read_options(call, table, options);
  gg_mex_settings(call, false, run);
  return gg_mex_count_points(call, distances);
}

/* --- Square matrices -------------------------------------------------------------------------- */

void gg_mex_square(gg_mex_call *call) {
  gpugeo_matrix square;
  const char *name = gg_mex_text(call, call->inputs[1], "name");
  const char *hint = gg_mex_text(call, call->inputs[2], "hint");
  gg_mex_matrix(call, call->inputs[0], name, &square);
  if (call->status) return;
  const gg_asymmetry found = gg_asymmetry_find(&square);
  if (!gg_is_symmetric(&square, &found)) {
    const gg_given above = gg_given_number(gg_element(&square, found.column, found.row));
    const gg_given below = gg_given_number(gg_element(&square, found.row, found.column));
    gg_mex_check(call, gg_fail_asymmetric(&call->error, name, &found, &above, &below, hint));
    return;
  }
  const gpugeo_type type = square.type == GPUGEO_TYPE_FLOAT ? square.type : GPUGEO_TYPE_DOUBLE;
  const int64_t n = square.nrow;
  void *condensed = gg_mex_result(call, 0, type, 1, n * (n - 1) / 2);
  if (condensed) gg_square_condense(&square, condensed);
}

void gg_mex_looks_like_distances(gg_mex_call *call) {
  gpugeo_matrix x;
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  if (!call->status) call->results[0] = mxCreateLogicalScalar(gg_looks_like_distances(&x));
}
