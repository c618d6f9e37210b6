#include "dist/gower.h"

#include <math.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"

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

/* Takes column k of the points, which is column `at` of the view. */
typedef gpugeo_status column_visitor(const gpugeo_matrix *view, gpugeo_points points, int64_t at,
                                     int64_t k, const gpugeo_metric_options *metric, double *own,
                                     gpugeo_error *error);

/* Hands all columns to the visitor, those of a file in blocks of at most `bytes`. */
static gpugeo_status visit_columns(const gg_point_source *x, const gpugeo_metric_options *metric,
                                   int64_t bytes, gg_clock *clock, column_visitor *visit,
                                   double *own, gpugeo_error *error) {
  const int64_t n = gg_point_source_count(x), m = gg_point_source_coordinates(x);
  const int64_t some = gg_point_source_fit(x, m, n, bytes);
  double *room;
  gpugeo_status status = gg_point_source_make_room(x, n, some, &room, error);
  for (int64_t k0 = 0; !status && k0 < m; k0 += some) {
    gpugeo_matrix view;
    const gg_block block = {0, n, k0, some < m - k0 ? some : m - k0};
    status = gg_point_source_block(x, block, room, &view, error);
    for (int64_t at = 0; !status && at < block.coordinates; ++at) {
      status = visit(&view, x->points, at, k0 + at, metric, own, error);
      if (!status && gg_clock_poll(clock, 0)) status = gg_fail_interrupt(error);
    }
  }
  gg_free(room);
  return status;
}

/* Checks that the values of a column are those of its type. */
static gpugeo_status check_column(const gpugeo_matrix *view, gpugeo_points points, int64_t at,
                                  int64_t k, const gpugeo_metric_options *metric, double *own,
                                  gpugeo_error *error) {
  (void)own;
  const gpugeo_column type = type_of(metric, k);
  const int64_t n = type == GPUGEO_COLUMN_NUMERIC ? 0 : gg_point_count(view, points);
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(view, points, i, at);
    const bool whole = v == floor(v) && fabs(v) <= 0x1p53, binary = v == 0 || v == 1;
    if (isnan(v) || (type == GPUGEO_COLUMN_NOMINAL ? whole : binary)) continue;
    return gg_fail(error, GPUGEO_ERROR_DATA, "types",
                   "types must be numeric for column %lld, which has the value %s: %s",
                   (long long)k + 1, gg_number(v).text,
                   type == GPUGEO_COLUMN_NOMINAL ? "nominal columns have whole numbers"
                                                 : "asymmetric columns have 0 and 1");
  }
  return GPUGEO_OK;
}

gpugeo_status gg_gower_check_points(const gg_point_source *points,
                                    const gpugeo_metric_options *metric, int64_t bytes,
                                    gg_clock *clock, gpugeo_error *error) {
  if (!metric->types) return GPUGEO_OK;
  return visit_columns(points, metric, bytes, clock, check_column, NULL, error);
}

/* Writes the minimum and the maximum of a numeric column k to own[2 k] and own[2 k + 1]. */
static gpugeo_status find_extent(const gpugeo_matrix *view, gpugeo_points points, int64_t at,
                                 int64_t k, const gpugeo_metric_options *metric, double *own,
                                 gpugeo_error *error) {
  const int64_t n = gg_point_count(view, points);
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(view, points, i, at);
    if (!isfinite(v)) continue;
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  own[2 * k] = own[2 * k + 1] = 0;
  if (type_of(metric, k) != GPUGEO_COLUMN_NUMERIC || low > high) return GPUGEO_OK;
  own[2 * k] = low;
  own[2 * k + 1] = high;
  if (!metric->scale && !isfinite(high - low))
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

gpugeo_status gg_gower_params(const gg_point_source *x, const gpugeo_metric_options *metric,
                              int64_t bytes, gg_clock *clock, double *params, gpugeo_error *error) {
  const int64_t m = gg_point_source_coordinates(x);
  double *extents = gg_allocate(2 * m, sizeof *extents);
  if (!extents) return gg_fail_memory(error, 2 * m * (int64_t)sizeof *extents);
  gpugeo_status status = visit_columns(x, metric, bytes, clock, find_extent, extents, error);
  for (int64_t k = 0; !status && k < m; ++k) {
    const double weight = metric->column_weights ? metric->column_weights[k] : 1;
    params[k] = extents[2 * k];
    params[m + k] = range_of(metric, k, extents[2 * k], extents[2 * k + 1]);
    params[2 * m + k] = type_of(metric, k) == GPUGEO_COLUMN_ASYMMETRIC ? -weight : weight;
  }
  gg_free(extents);
  return status;
}
