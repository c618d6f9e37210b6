/* Distances that stay on a device, by numbers that Octave has in structures. */
#include "dist_device.h"

#include <stdlib.h>

#include "common/error.h"
#include "dist.h"
#include "distance/dist_device.h"
#include "distance/dist_device_lazy.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Distances that were computed, until their number is freed. */
typedef struct kept {
  gpugeo_dist_device *distances;
  double number;
  struct kept *next;
} kept;

static kept *first_kept;

/* Returns the link to those that a structure has the number of; NULL if there are none. */
static kept **find_kept(const mxArray *value) {
  const mxArray *number = mxIsStruct(value) ? gg_mex_field(value, "device_distances") : NULL;
  if (!number || !mxIsDouble(number) || mxGetNumberOfElements(number) != 1) return NULL;
  for (kept **link = &first_kept; *link; link = &(*link)->next)
    if ((*link)->number == mxGetScalar(number)) return link;
  return NULL;
}

const gpugeo_dist_device *gg_mex_read_dist_device(gg_mex_call *call, const mxArray *value,
                                                  const char *name) {
  kept **link = find_kept(value);
  if (link) return (*link)->distances;
  gg_mex_check(call, gg_dist_device_check(name, NULL, &call->error));
  return NULL;
}

void gg_mex_dist_device_free(gg_mex_call *call) {
  kept **link = find_kept(call->inputs[0]);
  if (!link) return;
  kept *gone = *link;
  *link = gone->next;
  gpugeo_dist_device_free(gone->distances);
  free(gone);
}

/* Adds distances to the list, and describes them. */
static void keep_distances(gg_mex_call *call, kept *made) {
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(made->distances, &info);
  made->number = gg_mex_new_number();
  made->next = first_kept;
  first_kept = made;
  mxArray *about = gg_mex_structure_result(call, 0);
  gg_mex_set_number(about, "device_distances", made->number);
  gg_mex_set_number(about, "size", (double)info.points);
  gg_mex_set_text(about, "metric", info.metric);
  gg_mex_set_text(about, "precision", info.type == GPUGEO_TYPE_FLOAT ? "single" : "double");
  gg_mex_set_number(about, "device", info.device);
  gg_mex_set_number(about, "devices", (double)info.devices);
  gg_mex_report_result(call, 1, &call->report);
}

/* Computes distances to *made: of points, or by topological overlap. */
static void make_distances(gg_mex_call *call, gpugeo_dist_device **made) {
  const mxArray *input = call->inputs[0];
  gg_mex_points in;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  const bool overlap = mxIsStruct(input) && gg_mex_field(input, "overlap");
  if (overlap) {
    gg_mex_settings(call, false, &options.run);
    const gpugeo_dist_lazy *lazy = gg_mex_make_overlap(call, input);
    if (!call->status)
      call->status = gg_dist_device_of_lazy(lazy, &options.run, options.missing, made,
                                            &call->report, &call->error);
    return;
  }
  gg_mex_read_points(call, "y", true, &in);
  gg_mex_read_options(call, &gg_metric_options, &options.metric);
  gg_mex_settings(call, in.single, &options.run);
  if (!call->status)
    call->status = gpugeo_dist_device_make(&in.x, &options, made, &call->report, &call->error);
}

void gg_mex_dist_device(gg_mex_call *call) {
  kept *made = calloc(1, sizeof *made);
  if (!made) {
    gg_mex_check(call, gg_fail_memory(&call->error, (int64_t)sizeof *made));
    return;
  }
  make_distances(call, &made->distances);
  if (gg_mex_ended(call, NULL)) {
    keep_distances(call, made);
  } else {
    gpugeo_dist_device_free(made->distances);
    free(made);
  }
}

void gg_mex_dist_device_read(gg_mex_call *call) {
  const gpugeo_dist_device *distances = gg_mex_read_dist_device(call, call->inputs[0], "D");
  if (!distances) return;
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(distances, &info);
  int64_t row_count = 0, column_count = 0;
  const int64_t *rows =
      gg_mex_points_from_one(call, call->inputs[1], "row", info.points, &row_count);
  const int64_t *columns =
      gg_mex_points_from_one(call, call->inputs[2], "column", info.points, &column_count);
  if (call->status) return;
  double *out = gg_mex_doubles_result(call, 0, row_count, column_count);
  if (!call->status)
    gg_mex_check(call, gpugeo_dist_device_read(distances, rows, row_count, columns, column_count,
                                               out, &call->error));
}

void gg_mex_dist_device_copy(gg_mex_call *call) {
  const gpugeo_dist_device *distances = gg_mex_read_dist_device(call, call->inputs[0], "D");
  if (!distances) return;
  gpugeo_dist_device_info info;
  gpugeo_dist_device_get(distances, &info);
  double *out = gg_mex_doubles_result(call, 0, 1, info.points * (info.points - 1) / 2);
  if (!call->status) gg_mex_check(call, gpugeo_dist_device_copy(distances, out, &call->error));
}
