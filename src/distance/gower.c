#include "distance/gower.h"

#include <math.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"

/* Returns the type of a column, numeric if no types are given. */
static gpugeo_column type_of(const gpugeo_metric_options *metric, int64_t k) {
  return metric->types ? (gpugeo_column)metric->types[k] : GPUGEO_COLUMN_NUMERIC;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Checks that an argument is given with Gower's metric, and its length. */
static gpugeo_status check_length(const char *argument, const gpugeo_metric_options *metric,
                                  int64_t length, int64_t m, gpugeo_error *error) {
  if (metric->kind != GPUGEO_METRIC_GOWER)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must be given with method \"gower\", not \"%s\"", argument,
                   gpugeo_name(GPUGEO_ENUM_METRIC, metric->kind));
  if (length != m)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must have a value for each of the %lld columns of x, not %lld values",
                   argument, (long long)m, (long long)length);
  return GPUGEO_OK;
}

gpugeo_status gg_gower_check_options(const gpugeo_metric_options *metric, int64_t m,
                                     gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  if (metric->types) status = check_length("types", metric, metric->types_length, m, error);
  for (int64_t k = 0; !status && metric->types && k < m; ++k) {
    const double type = metric->types[k];
    if (type != GPUGEO_COLUMN_NUMERIC && type != GPUGEO_COLUMN_NOMINAL &&
        type != GPUGEO_COLUMN_ASYMMETRIC)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "types",
                     "types must be 0 (numeric), 1 (nominal) or 2 (asymmetric), but value %lld is "
                     "%s",
                     (long long)k + 1, gg_number(type).text);
  }
  if (!status && metric->column_weights)
    status = check_length("column_weights", metric, metric->weights_length, m, error);
  for (int64_t k = 0; !status && metric->column_weights && k < m; ++k) {
    const double weight = metric->column_weights[k];
    if (!(weight >= 0 && isfinite(weight)))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "column_weights",
                     "column_weights must be at least 0 and finite, but value %lld is %s",
                     (long long)k + 1, gg_number(weight).text);
  }
  return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* Writes two numbers for column k of the points, which is column `at` of the view. */
typedef void column_visitor(const gpugeo_matrix *view, gpugeo_points points, int64_t at, int64_t k,
                            const gpugeo_metric_options *metric, double own[2]);

/* Columns that threads visit. */
typedef struct column_job {
  const gpugeo_matrix *view;
  gpugeo_points points;
  int64_t first; /* number of the view's first column */
  const gpugeo_metric_options *metric;
  column_visitor *visit;
  double *own; /* 2 for each column of the points */
} column_job;

/* Visits a range of the view's columns; the loop's work. */
static void visit_range(void *own, gg_range range) {
  const column_job *job = own;
  for (int64_t at = range.first; at < range.last; ++at) {
    const int64_t k = job->first + at;
    job->visit(job->view, job->points, at, k, job->metric, job->own + 2 * k);
  }
}

/* Hands all columns to the visitor, those of a file in blocks of at most `bytes`. */
static gpugeo_status visit_columns(const gg_point_source *x, const gpugeo_metric_options *metric,
                                   int64_t bytes, int32_t threads, column_visitor *visit,
                                   double *own, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = gg_point_source_count(x), m = gg_point_source_coordinates(x);
  const int64_t some = gg_point_source_fit(x, m, n, bytes), run = 1 << 16; /* values of a thread */
  double *room;
  GG_TRY(call, gg_point_source_make_room(x, n, some, &room, call->error));
  for (int64_t k = 0; !call->status && k < m; k += some) {
    gpugeo_matrix view;
    const gg_block block = {0, n, k, some < m - k ? some : m - k};
    GG_TRY(call, gg_point_source_block(x, block, room, &view, call->error));
    column_job job = {&view, x->points, k, metric, visit, own};
    const gg_loop loop = {.threads = threads,
                          .count = block.coordinates,
                          .grain = 1 + run / (n + 1),
                          .work = visit_range,
                          .job = &job,
                          .clock = call->clock};
    gg_call_loop(call, loop);
  }
  gg_free(room);
  return call->status;
}

/* Writes the point whose value is the first that is none of its column's type, and the value; -1
   for no point. */
static void find_unfit(const gpugeo_matrix *view, gpugeo_points points, int64_t at, int64_t k,
                       const gpugeo_metric_options *metric, double own[2]) {
  const gpugeo_column type = type_of(metric, k);
  const int64_t n = type == GPUGEO_COLUMN_NUMERIC ? 0 : gg_point_count(view, points);
  own[0] = -1;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(view, points, i, at);
    const bool whole = v == floor(v) && fabs(v) <= 0x1p53, binary = v == 0 || v == 1;
    if (isnan(v) || (type == GPUGEO_COLUMN_NOMINAL ? whole : binary)) continue;
    own[0] = (double)i;
    own[1] = v;
    return;
  }
}

gpugeo_status gg_gower_check_found(const double *found, int64_t m,
                                   const gpugeo_metric_options *metric, gpugeo_error *error) {
  for (int64_t k = 0; k < m; ++k)
    if (found[2 * k] >= 0)
      return gg_fail(error, GPUGEO_ERROR_DATA, "types",
                     "types must be numeric for column %lld, which has the value %s: %s",
                     (long long)k + 1, gg_number(found[2 * k + 1]).text,
                     type_of(metric, k) == GPUGEO_COLUMN_NOMINAL
                         ? "nominal columns have whole numbers"
                         : "asymmetric columns have 0 and 1");
  return GPUGEO_OK;
}

gpugeo_status gg_gower_check_points(const gg_point_source *points,
                                    const gpugeo_metric_options *metric, int64_t bytes,
                                    int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  if (!metric->types) return GPUGEO_OK;
  const int64_t m = gg_point_source_coordinates(points);
  double *found = gg_call_allocate(call, 2 * m, sizeof *found);
  if (!found) return call->status;
  visit_columns(points, metric, bytes, threads, find_unfit, found, call);
  GG_TRY(call, gg_gower_check_found(found, m, metric, call->error));
  gg_free(found);
  return call->status;
}

/* Writes the minimum and the maximum of a numeric column, 0 for others. */
static void find_extent(const gpugeo_matrix *view, gpugeo_points points, int64_t at, int64_t k,
                        const gpugeo_metric_options *metric, double own[2]) {
  const int64_t n = gg_point_count(view, points);
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(view, points, i, at);
    if (!isfinite(v)) continue;
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  const bool none = type_of(metric, k) != GPUGEO_COLUMN_NUMERIC || low > high;
  own[0] = none ? 0 : low;
  own[1] = none ? 0 : high;
}

/* Fails if the range of a column is larger than the largest number. */
static gpugeo_status check_extents(const double *extents, int64_t m,
                                   const gpugeo_metric_options *metric, gpugeo_error *error) {
  for (int64_t k = 0; k < m; ++k)
    if (!metric->scale && !isfinite(extents[2 * k + 1] - extents[2 * k]))
      return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                     "scale must be given: column %lld of x has range Inf, and it must be finite",
                     (long long)k + 1);
  return GPUGEO_OK;
}

/* Returns what differences in column k are divided by, which extends from low to high. */
static double range_of(const gpugeo_metric_options *metric, int64_t k, double low, double high) {
  if (type_of(metric, k) != GPUGEO_COLUMN_NUMERIC) return 1;
  if (metric->scale) return metric->scale[k];
  return high > low ? high - low : 1;
}

gpugeo_status gg_gower_params_of(const double *extents, int64_t m,
                                 const gpugeo_metric_options *metric, double *params,
                                 gpugeo_error *error) {
  gpugeo_status status = check_extents(extents, m, metric, error);
  for (int64_t k = 0; !status && k < m; ++k) {
    const double weight = metric->column_weights ? metric->column_weights[k] : 1;
    params[k] = extents[2 * k] + 0.0; /* not -0, which may be equal to another value */
    params[m + k] = range_of(metric, k, extents[2 * k], extents[2 * k + 1]);
    params[2 * m + k] = type_of(metric, k) == GPUGEO_COLUMN_ASYMMETRIC ? -weight : weight;
  }
  return status;
}

gpugeo_status gg_gower_params(const gg_point_source *x, const gpugeo_metric_options *metric,
                              int64_t bytes, int32_t threads, double *params, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_source_coordinates(x);
  double *extents = gg_call_allocate(call, 2 * m, sizeof *extents);
  if (!extents) return call->status;
  visit_columns(x, metric, bytes, threads, find_extent, extents, call);
  GG_TRY(call, gg_gower_params_of(extents, m, metric, params, call->error));
  gg_free(extents);
  return call->status;
}
