#include "dist/metric_params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/random.h"
#include "dist/covariance.h"
#include "dist/gower.h"
#include "dist/pseudoinverse.h"

/* Returns the bytes of a dataset that are read together. */
static int64_t block_bytes(const gpugeo_dist_options *options) {
  return (options->run.work_bytes ? options->run.work_bytes : GG_WORK_BYTES) / 4;
}

int64_t gg_dist_metric_params_size(gpugeo_metric metric, int64_t m) {
  return 1 + (metric == GPUGEO_METRIC_SEUCLIDEAN    ? m
              : metric == GPUGEO_METRIC_MAHALANOBIS ? m + m * m
              : metric == GPUGEO_METRIC_GOWER       ? 3 * m
                                                    : 0);
}

/* --- a hash ----------------------------------------------------------------------------------- */

/* Returns a hash that is a sum over the elements and therefore the same for panels of any size;
   row0 is the view's first row and column0 its first column. All NaN have the same hash. */
static uint64_t hash_view(const gpugeo_matrix *view, int64_t row0, int64_t column0,
                          gg_clock *clock) {
  uint64_t sum = 0;
  for (int64_t column = 0; column < view->ncol && !gg_clock_poll(clock, 0); ++column) {
    const uint64_t column_hash = gg_random_mix((uint64_t)(column0 + column));
    for (int64_t row = 0; row < view->nrow; ++row) {
      const double value = gg_element(view, row, column);
      uint64_t bits = 0x7ff8u;
      if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
      sum += gg_random_mix(bits ^ (column_hash + (uint64_t)(row0 + row) * GG_RANDOM_STEP));
    }
  }
  return sum;
}

/* Adds a value to a running hash. */
static uint64_t hash_value(uint64_t hash, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return gg_random_mix(hash + GG_RANDOM_STEP) ^ gg_random_mix(bits);
}

/* --- over all points -------------------------------------------------------------------------- */

static gpugeo_status inspect_source(const gg_point_source *source,
                                    const gpugeo_dist_options *options, gg_clock *clock, int *found,
                                    uint64_t *fingerprint, gg_missing_rows *missing,
                                    gpugeo_error *error) {
  const int64_t n = gg_point_source_count(source), m = gg_point_source_coordinates(source);
  const int64_t panel = gg_point_source_fit(source, n, m, block_bytes(options));
  double *room;
  gpugeo_status status = gg_point_source_make_room(source, panel, m, &room, error);
  for (int64_t i = 0; !status && i < n; i += panel) {
    gpugeo_matrix view;
    int in_panel = 0;
    const gg_block block = {i, panel < n - i ? panel : n - i, 0, m};
    status = gg_point_source_block(source, block, room, &view, error);
    if (!status)
      status = gg_inspect(&view, NULL, gg_threads(options->run.threads), clock, &in_panel, error);
    if (!status && fingerprint) {
      const bool rows = source->points == GPUGEO_POINTS_ROWS;
      *fingerprint += hash_view(&view, rows ? i : 0, rows ? 0 : i, clock);
      if (clock->stopped) status = gg_fail_interrupt(error);
    }
    if (!status && missing) gg_missing_rows_add(&view, i, options, in_panel, missing);
    *found |= in_panel;
  }
  gg_free(room);
  return status;
}

static gpugeo_status share_deviations(const gg_point_source *x, const gpugeo_dist_options *options,
                                      gg_clock *clock, double *deviation, gpugeo_error *error) {
  const int64_t n = gg_point_source_count(x), m = gg_point_source_coordinates(x);
  if (options->metric.scale) {
    memcpy(deviation, options->metric.scale, (size_t)m * sizeof *deviation);
    return GPUGEO_OK;
  }
  const int64_t some = gg_point_source_fit(x, m, n, block_bytes(options));
  double *room;
  gpugeo_status status = gg_point_source_make_room(x, n, some, &room, error);
  for (int64_t k = 0; !status && k < m; k += some) {
    gpugeo_matrix view;
    const gg_block block = {0, n, k, some < m - k ? some : m - k};
    status = gg_point_source_block(x, block, room, &view, error);
    if (!status)
      status = gg_deviations(&view, x->points, k, options->metric.singular, deviation + k, error);
    if (!status && gg_clock_poll(clock, 0)) status = gg_fail_interrupt(error);
  }
  gg_free(room);
  return status;
}

/* Copies a given covariance, and takes the first point as centre: any point would do, it only
   avoids loss of digits. */
static gpugeo_status copy_covariance(const gg_point_source *x, const gpugeo_dist_options *options,
                                     double *centre, double *covariance, gpugeo_error *error) {
  const int64_t m = gg_point_source_coordinates(x);
  const bool none = gg_point_source_count(x) == 0;
  double *room;
  gpugeo_matrix view;
  gpugeo_status status = gg_point_source_make_room(x, 1, m, &room, error);
  if (!status && !none)
    status = gg_point_source_block(x, (gg_block){0, 1, 0, m}, room, &view, error);
  for (int64_t k = 0; !status && k < m; ++k) {
    const double v = none ? 0 : gg_coordinate(&view, x->points, 0, k);
    centre[k] = isfinite(v) ? v : 0;
    for (int64_t i = 0; i < m; ++i)
      covariance[i + k * m] = gg_element(&options->metric.cov, i, k);
  }
  gg_free(room);
  return status;
}

static gpugeo_status share_whitening(const gg_point_source *x, const gpugeo_dist_options *options,
                                     gg_clock *clock, double *centre, gpugeo_error *error) {
  const int64_t m = gg_point_source_coordinates(x);
  const bool given = options->metric.cov.data;
  if (m == 0) return GPUGEO_OK; /* all distances are missing, as in gpugeo_dist() */
  double *covariance = gg_allocate(m * m, sizeof *covariance);
  if (!covariance) return gg_fail_memory(error, m * m * (int64_t)sizeof *covariance);
  gpugeo_status status = given ? copy_covariance(x, options, centre, covariance, error)
                               : gg_covariance(x, &options->run, block_bytes(options), clock,
                                               centre, covariance, error);
  if (!status) status = gg_check_covariance(covariance, m, error);
  if (!status)
    status =
        options->metric.singular == GPUGEO_SINGULAR_PINV
            ? gg_pseudo_cholesky(covariance, m, centre + m, clock, error)
            : gg_cholesky(covariance, m, given, options->metric.singular, centre + m, clock, error);
  gg_free(covariance);
  return status;
}

static gpugeo_status share_gower(const gg_point_source *x, const gpugeo_dist_options *options,
                                 gg_clock *clock, double *params, gpugeo_error *error) {
  const int64_t bytes = block_bytes(options);
  gpugeo_status status = gg_gower_check_points(x, &options->metric, bytes, clock, error);
  return status ? status : gg_gower_params(x, &options->metric, bytes, clock, params, error);
}

gpugeo_status gg_dist_metric_params_found(const gg_point_source *x,
                                          const gpugeo_dist_options *options, int found,
                                          gg_clock *clock, double **shared, gpugeo_error *error) {
  const int64_t size =
      gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(x));
  double *values = gg_allocate(size, sizeof *values);
  if (!values) return gg_fail_memory(error, size * (int64_t)sizeof *values);
  values[0] = found;
  gpugeo_status status = GPUGEO_OK;
  if (options->metric.kind == GPUGEO_METRIC_SEUCLIDEAN)
    status = share_deviations(x, options, clock, values + 1, error);
  else if (options->metric.kind == GPUGEO_METRIC_MAHALANOBIS)
    status = share_whitening(x, options, clock, values + 1, error);
  else if (options->metric.kind == GPUGEO_METRIC_GOWER)
    status = share_gower(x, options, clock, values + 1, error);
  if (status)
    gg_free(values);
  else
    *shared = values;
  return status;
}

gpugeo_status gg_dist_metric_params(const gg_point_source *x, const gg_point_source *y,
                                    const gpugeo_dist_options *options, gg_clock *clock,
                                    double **shared, uint64_t *fingerprint,
                                    gg_missing_rows *missing, gpugeo_error *error) {
  int found = 0;
  if (fingerprint) *fingerprint = 0;
  if (missing) missing[0] = missing[1] = (gg_missing_rows){0};
  gpugeo_status status = inspect_source(x, options, clock, &found, fingerprint, missing, error);
  if (!status && y)
    status = inspect_source(y, options, clock, &found, NULL, missing ? &missing[1] : NULL, error);
  if (!status && y && options->metric.kind == GPUGEO_METRIC_GOWER)
    status = gg_gower_check_points(y, &options->metric, block_bytes(options), clock, error);
  if (!status) status = gg_dist_metric_params_found(x, options, found, clock, shared, error);
  if (status || !fingerprint) return status;
  const int64_t size =
      gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(x));
  for (int64_t k = 0; k < size; ++k)
    *fingerprint = hash_value(*fingerprint, (*shared)[k]);
  if (options->metric.kind == GPUGEO_METRIC_MINKOWSKI)
    *fingerprint = hash_value(*fingerprint, options->metric.p);
  *fingerprint = hash_value(*fingerprint, (double)options->run.precision);
  return GPUGEO_OK;
}
