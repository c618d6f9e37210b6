#include "result.h"

#include <string.h>

#include "common/error.h"
#include "host.h"
#include "settings.h"

static mxArray *new_matrix(gg_mex_call *call, gpugeo_type type, int64_t rows, int64_t columns) {
  mxArray *matrix = gg_host_untouched(type == GPUGEO_TYPE_FLOAT, (mwSize)rows, (mwSize)columns);
  const int64_t size = type == GPUGEO_TYPE_FLOAT ? sizeof(float) : sizeof(double);
  if (!matrix) gg_mex_check(call, gg_fail_memory(&call->error, rows * columns * size));
  return matrix;
}

void *gg_mex_result(gg_mex_call *call, int which, gpugeo_type type, int64_t rows, int64_t columns) {
  mxArray *matrix = new_matrix(call, type, rows, columns);
  call->results[which] = matrix;
  return matrix ? mxGetData(matrix) : NULL;
}

double *gg_mex_doubles_result(gg_mex_call *call, int which, int64_t rows, int64_t columns) {
  return gg_mex_result(call, which, GPUGEO_TYPE_DOUBLE, rows, columns);
}

void gg_mex_number_result(gg_mex_call *call, int which, double number) {
  call->results[which] = mxCreateDoubleScalar(number);
}

void gg_mex_text_result(gg_mex_call *call, int which, const char *text) {
  call->results[which] = mxCreateString(text);
}

mxArray *gg_mex_structure_result(gg_mex_call *call, int which) {
  return call->results[which] = mxCreateStructMatrix(1, 1, 0, NULL);
}

static mxArray *describe_report(const gpugeo_report *report) {
  const char *names[] = {"backend", "device", "devices", "threads", "seconds", "device_seconds"};
  mxArray *info = mxCreateStructMatrix(1, 1, sizeof names / sizeof *names, names);
  gg_mex_set_text(info, "backend", gpugeo_name(GPUGEO_ENUM_BACKEND, report->backend));
  gg_mex_set_number(info, "device", report->device);
  gg_mex_set_number(info, "devices", report->devices);
  gg_mex_set_number(info, "threads", report->threads);
  gg_mex_set_number(info, "seconds", report->seconds);
  gg_mex_set_number(info, "device_seconds", report->device_seconds);
  return info;
}

/* The report of the last call that had one. */
static gpugeo_report last_report;
static bool reported;

mxArray *gg_mex_report_result(gg_mex_call *call, int which, const gpugeo_report *report) {
  last_report = *report;
  reported = true;
  return call->results[which] = describe_report(report);
}

mxArray *gg_mex_last_report(void) {
  return reported ? describe_report(&last_report) : mxCreateDoubleMatrix(0, 0, mxREAL);
}

void gg_mex_number_from_one(const int32_t *index, int64_t count, double *numbers) {
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = index[i] + 1.0;
}

static void free_neighbors(void *neighbors) { gpugeo_neighbors_free(neighbors); }

void gg_mex_neighbors_results(gg_mex_call *call, gpugeo_neighbors *found, gpugeo_status status) {
  if (status == GPUGEO_OK) gg_mex_release_later(call, free_neighbors, found);
  if (call->status || !gg_mex_finish(call, status, &call->report, NULL)) return;

  const int64_t total = found->start[found->points];
  double *numbers = gg_mex_doubles_result(call, 0, 1, total);
  if (call->status) return;
  double *distances = gg_mex_doubles_result(call, 1, 1, total);
  if (call->status) return;
  double *counts = gg_mex_doubles_result(call, 2, 1, found->points);
  if (call->status) return;
  gg_mex_number_from_one(found->index, total, numbers);
  if (total > 0) memcpy(distances, found->distance, (size_t)total * sizeof *distances);
  for (int64_t i = 0; i < found->points; ++i)
    counts[i] = (double)(found->start[i + 1] - found->start[i]);
  gg_mex_report_result(call, 3, &call->report);
}

void gg_mex_set(mxArray *structure, const char *name, mxArray *value) {
  if (mxGetFieldNumber(structure, name) < 0) mxAddField(structure, name);
  mxSetField(structure, 0, name, value);
}

void gg_mex_set_number(mxArray *structure, const char *name, double number) {
  gg_mex_set(structure, name, mxCreateDoubleScalar(number));
}

void gg_mex_set_text(mxArray *structure, const char *name, const char *text) {
  gg_mex_set(structure, name, mxCreateString(text));
}

double *gg_mex_set_doubles(gg_mex_call *call, mxArray *structure, const char *name, int64_t rows,
                           int64_t columns) {
  mxArray *matrix = new_matrix(call, GPUGEO_TYPE_DOUBLE, rows, columns);
  if (!matrix) return NULL;
  gg_mex_set(structure, name, matrix);
  return mxGetData(matrix);
}
