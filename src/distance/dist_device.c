/* Distances that stay on a device: checks the arguments, plans, and passes the plan to a backend
   that computes on devices; reads them back. */
#include "distance/dist_device.h"

#include <stdio.h>
#include <unistd.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/options.h"
#include "distance/dist.h"
#include "distance/missing_rows.h"

/* --- Computing -------------------------------------------------------------------------------- */

gpugeo_status gg_dist_device_check_size(int64_t n, int64_t m, gpugeo_error *error) {
  if (n < 2 || m < 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at least 2 points and 1 column for distances that stay on a "
                   "device, not %lld and %lld",
                   (long long)n, (long long)m);
  return GPUGEO_OK;
}

/* Chooses the backend, and its devices: one, or all where one has no room. */
static gpugeo_status choose_backend(gg_dist_plan *plan, gg_request request, gpugeo_run run,
                                    const gg_backend **backend, gpugeo_error *error) {
  const double pairs = (double)plan->nx * (double)(plan->nx - 1) / 2;
  const double matrix = pairs * (plan->single ? sizeof(float) : sizeof(double));
  const double rest = (double)((int64_t)1 << 28); /* while they are computed */
  if (run.backend == GPUGEO_BACKEND_AUTO) run.backend = gg_backend_with(GG_FAMILY_DIST_DEVICE)->id;
  request.resident += matrix + rest;
  request.alone = true;
  return gg_backend_divide(&run, &request, matrix, backend, &plan->device, &plan->workers, error);
}

gpugeo_status gg_dist_device_start(gg_dist_plan *plan, const gg_request *request,
                                   gpugeo_dist_device *made, gg_call *call) {
  GG_TRY(call, choose_backend(plan, *request, *call->run, &made->backend, call->error));
  if (call->status) return call->status;
  plan->backend = made->backend;
  made->device = plan->device;
  made->devices = 1;
  made->n = plan->nx;
  made->threads = gg_threads(call->run->threads);
  made->process = (long)getpid();
  *call->report = gg_report_of(made->backend, plan->device, plan->workers, plan->threads);
  return GPUGEO_OK;
}

/* Inspects the points of a plan and computes the distances to *made, whose other fields are filled.
 */
static gpugeo_status compute_plan(gg_dist_plan *plan, const gpugeo_dist_options *options,
                                  gg_dist_memory *memory, gpugeo_dist_device *made, gg_call *call) {
  if (call->status) return call->status;
  int found = 0;
  gg_dist_inspect(plan, options, memory, &found, call);
  gg_dist_prepare(plan, options, found, memory, call);
  made->single = plan->single;
  plan->type = plan->single ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
  return GG_TRY(call, made->backend->dist_device_make(plan, made, call));
}

/* Computes distances on a device, and fills in what describes them. */
static gpugeo_status compute_distances(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                                       gpugeo_dist_device *made, gg_call *call) {
  if (call->status) return call->status;
  gg_dist_plan plan = gg_dist_plan_make(x, NULL, options, 0);
  const gg_request request = gg_dist_request(&plan, GG_FAMILY_DIST_DEVICE, options, 0);
  made->metric = gpugeo_name(GPUGEO_ENUM_METRIC, options->metric.kind);
  made->missing = options->missing;
  if (gg_dist_device_start(&plan, &request, made, call)) return call->status;
  gg_dist_memory memory = {0};
  compute_plan(&plan, options, &memory, made, call);
  const gpugeo_missing missing = gg_missing_within(&memory.facts[0].rows);
  gg_report_missing(call->report, &missing);
  gg_dist_memory_free(&memory);
  return gg_call_end(call);
}

gpugeo_status gpugeo_dist_device_make(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                                      gpugeo_dist_device **made, gpugeo_report *report,
                                      gpugeo_error *error) {
  gpugeo_dist_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_options, options, taken, error);
  if (status) return status;
  taken = *options;
  taken.shape = GPUGEO_SHAPE_CONDENSED;
  gg_call call;
  gg_call_begin(&call, &taken.run, report, error);
  GG_TRY(&call, gg_dist_check_options(&taken, GPUGEO_TYPE_DOUBLE, error));
  GG_TRY(&call, gg_dist_check(x, NULL, "y", &taken, error));
  GG_TRY(&call, gg_check_family(&taken.run, GG_FAMILY_DIST_DEVICE, error));
  GG_TRY(&call, gg_dist_device_check_size(gg_point_count(x, taken.points),
                                          gg_point_size(x, taken.points), error));
  gpugeo_dist_device *distances = call.status ? NULL : gg_allocate_zeros(1, sizeof *distances);
  if (!distances) return GG_TRY(&call, gg_fail_memory(error, (int64_t)sizeof *distances));
  if (compute_distances(x, &taken, distances, &call))
    gpugeo_dist_device_free(distances);
  else
    *made = distances;
  return call.status;
}

void gpugeo_dist_device_free(gpugeo_dist_device *distances) {
  if (distances && distances->values && distances->process == (long)getpid())
    distances->backend->dist_device_free(distances);
  gg_free(distances);
}

/* --- Reading ---------------------------------------------------------------------------------- */

void gpugeo_dist_device_get(const gpugeo_dist_device *distances, gpugeo_dist_device_info *info) {
  const int64_t n = distances->n, value = distances->single ? 4 : 8;
  *info = (gpugeo_dist_device_info){
      .points = n,
      .type = distances->single ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE,
      .device = distances->device,
      .devices = distances->devices,
      .bytes = distances->values ? n * (n - 1) / 2 * value : 0,
  };
  snprintf(info->metric, sizeof info->metric, "%s", distances->metric);
}

gpugeo_status gg_dist_device_check(const char *name, const gpugeo_dist_device *from,
                                   gpugeo_error *error) {
  if (!from)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                   "%s must be distances that this session has on a device, not those of another "
                   "session or from a file",
                   name);
  if (from->process != (long)getpid())
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                   "%s must be computed in this process: it was forked from the one that has the "
                   "distances on a device",
                   name);
  if (from->values) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, name,
                 "%s must have its distances on the device, but they were released", name);
}

/* Checks that indices, counted from 0, are those of n points. */
static gpugeo_status check_points(const char *what, const int64_t *points, int64_t count, int64_t n,
                                  gpugeo_error *error) {
  for (int64_t i = 0; i < count; ++i)
    if (points[i] < 0 || points[i] >= n)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, what,
                     "%s must be between 1 and %lld (points), not %lld", what, (long long)n,
                     (long long)points[i] + 1);
  return GPUGEO_OK;
}

gpugeo_status gpugeo_dist_device_read(const gpugeo_dist_device *distances, const int64_t *rows,
                                      int64_t row_count, const int64_t *columns,
                                      int64_t column_count, double *out, gpugeo_error *error) {
  const gg_point_lists lists = {rows, columns, row_count, column_count};
  gpugeo_status status = gg_dist_device_check("x", distances, error);
  if (!status) status = check_points("row", rows, row_count, distances->n, error);
  if (!status) status = check_points("column", columns, column_count, distances->n, error);
  if (status || row_count == 0 || column_count == 0) return status;
  return distances->backend->dist_device_read(distances, &lists, out, error);
}

gpugeo_status gg_tile_points(const gpugeo_tile *tile, int64_t **points, gpugeo_error *error) {
  const int64_t count = tile->rows + tile->columns;
  *points = gg_allocate(count, sizeof **points);
  if (!*points) return gg_fail_memory(error, count * (int64_t)sizeof **points);
  for (int64_t r = 0; r < tile->rows; ++r)
    (*points)[r] = tile->row + r;
  for (int64_t c = 0; c < tile->columns; ++c)
    (*points)[tile->rows + c] = tile->column + c;
  return GPUGEO_OK;
}

gpugeo_status gg_dist_device_tile(const gpugeo_dist_device *from, const gpugeo_tile *tile,
                                  double *out, gpugeo_error *error) {
  int64_t *points;
  gpugeo_status status = gg_tile_points(tile, &points, error);
  if (status) return status;
  status = gpugeo_dist_device_read(from, points, tile->rows, points + tile->rows, tile->columns,
                                   out, error);
  gg_free(points);
  return status;
}

gpugeo_status gg_dist_device_columns(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                     double *out, double done, double share, gg_call *call) {
  if (call->status) return call->status;
  if (GG_TRY(call, gg_dist_device_check("x", from, call->error))) return call->status;
  gg_call_part part;
  gg_call_part_begin(call, done, share, &part);
  GG_TRY(&part.call, from->backend->dist_device_columns(from, first, last, out, &part.call));
  return gg_call_part_end(&part);
}

gpugeo_status gg_dist_device_copy(const gpugeo_dist_device *from, int64_t first, int64_t last,
                                  double *out, gpugeo_error *error) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run); /* no hooks */
  gg_call call;
  gg_call_begin(&call, &run, NULL, error);
  return gg_dist_device_columns(from, first, last, out, 0, 1, &call);
}

gpugeo_status gpugeo_dist_device_copy(const gpugeo_dist_device *distances, double *out,
                                      gpugeo_error *error) {
  return gg_dist_device_copy(distances, 0, distances->n - 1, out, error);
}
