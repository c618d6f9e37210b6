#include "distance/metric_params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/random.h"
#include "distance/covariance.h"
#include "distance/gower.h"
#include "distance/pseudoinverse.h"
#include "distance/whitening.h"

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

/* Reads all points in panels, for the flags of what they have, and for their fingerprint and their
   rows without distances if these are not NULL. */
static gpugeo_status inspect_source(const gg_point_source *source,
                                    const gpugeo_dist_options *options, int *found,
                                    uint64_t *fingerprint, gg_missing_rows *missing,
                                    gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = gg_point_source_count(source), m = gg_point_source_coordinates(source);
  const int64_t panel = gg_point_source_fit(source, n, m, block_bytes(options));
  double *room;
  GG_TRY(call, gg_point_source_make_room(source, panel, m, &room, call->error));
  for (int64_t i = 0; !call->status && i < n; i += panel) {
    gpugeo_matrix view;
    int in_panel = 0;
    const gg_block block = {i, panel < n - i ? panel : n - i, 0, m};
    GG_TRY(call, gg_point_source_block(source, block, room, &view, call->error));
    gg_inspect(&view, NULL, gg_threads(options->run.threads), &in_panel, call);
    if (!call->status && fingerprint) {
      const bool rows = source->points == GPUGEO_POINTS_ROWS;
      *fingerprint += hash_view(&view, rows ? i : 0, rows ? 0 : i, call->clock);
      if (call->clock->stopped) GG_TRY(call, gg_fail_interrupt(call->error));
    }
    if (!call->status && missing) gg_missing_rows_add(&view, i, options, in_panel, missing);
    *found |= in_panel;
  }
  gg_free(room);
  return call->status;
}

/* Writes the deviation of each coordinate: the scale that was given, or that of all points. */
static gpugeo_status share_deviations(const gg_point_source *x, const gpugeo_dist_options *options,
                                      const gg_point_facts *facts, double *deviation,
                                      gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = gg_point_source_count(x), m = gg_point_source_coordinates(x);
  if (options->metric.scale) {
    memcpy(deviation, options->metric.scale, (size_t)m * sizeof *deviation);
    return GPUGEO_OK;
  }
  if (facts && facts->columns) {
    memcpy(deviation, facts->columns + m, (size_t)m * sizeof *deviation);
    return GG_TRY(call, gg_check_deviations(facts->columns, m, 0, options->metric.singular,
                                            deviation, call->error));
  }
  const int64_t some = gg_point_source_fit(x, m, n, block_bytes(options));
  double *room;
  GG_TRY(call, gg_point_source_make_room(x, n, some, &room, call->error));
  for (int64_t k = 0; !call->status && k < m; k += some) {
    gpugeo_matrix view;
    const gg_block block = {0, n, k, some < m - k ? some : m - k};
    GG_TRY(call, gg_point_source_block(x, block, room, &view, call->error));
    gg_deviations(&view, x->points, k, options->metric.singular, gg_threads(options->run.threads),
                  deviation + k, call);
    gg_call_poll(call, 0);
  }
  gg_free(room);
  return call->status;
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

/* What the parameters of a metric are computed from, and where. */
typedef struct params_job {
  const gg_point_source *x;
  const gpugeo_dist_options *options;
  const gg_backend *backend; /* NULL: the host's */
  int32_t device;
  gg_call *call;
} params_job;

/* Computes factor and centre on the host. `covariance` is room for m by m, filled if it is given.
 */
static gpugeo_status whiten_on_host(const params_job *job, double *covariance, double *centre) {
  const gpugeo_dist_options *options = job->options;
  gg_call *call = job->call;
  const int64_t m = gg_point_source_coordinates(job->x), singular = options->metric.singular;
  const bool given = options->metric.cov.data;
  if (!given) {
    gg_covariance(job->x, &options->run, block_bytes(options), centre, covariance, call);
    GG_TRY(call, gg_check_covariance(covariance, m, call->error));
  }
  if (singular == GPUGEO_SINGULAR_PINV) return gg_pseudo_cholesky(covariance, m, centre + m, call);
  return gg_cholesky(covariance, m, given, singular, centre + m, call);
}

/* Has the backend compute them, if it can; *done becomes false if it left them to the host.
   covariance: NULL unless it is given. */
static gpugeo_status whiten_on_backend(const params_job *job, const double *covariance,
                                       double *centre, bool *done) {
  gg_call *call = job->call;
  if (call->status) return call->status;
  const gpugeo_dist_options *options = job->options;
  const int64_t m = gg_point_source_coordinates(job->x);
  *done = false;
  if (!job->backend || !job->backend->whitening || job->x->dataset ||
      gg_point_source_count(job->x) < 2)
    return GPUGEO_OK;
  const gg_whitening_plan plan = {
      .x = job->x->view,
      .points = job->x->points,
      .m = m,
      .covariance = covariance,
      .drop = options->metric.singular == GPUGEO_SINGULAR_DROP,
      .pinv = options->metric.singular == GPUGEO_SINGULAR_PINV,
      .centre = centre,
      .factor = centre + m,
      .threads = gg_threads(options->run.threads),
      .device = job->device,
      .work_bytes = options->run.work_bytes,
  };
  gg_whitening_result result = {.column = -1};
  gpugeo_report unread = {0};
  gg_call silent = *call;
  silent.report = &unread;
  GG_TRY(call, job->backend->whitening(&plan, &result, &silent));
  *done = result.done;
  if (call->status || !result.done) return call->status;
  if (!covariance && result.complete < 2)
    return GG_TRY(call, gg_fail_complete(result.complete, call->error));
  if (plan.pinv) return GG_TRY(call, gg_fail_pseudo(result.failure, call->error));
  if (result.column < 0) return GPUGEO_OK;
  if (!covariance) return GG_TRY(call, gg_fail_singular(false, result.column, call->error));
  *done = false; /* the host finds out whether it is singular or indefinite */
  return GPUGEO_OK;
}

/* Writes the factor of Mahalanobis' metric, of the covariance that was given or of all points. */
static gpugeo_status share_whitening(const params_job *job, double *centre) {
  const int64_t m = gg_point_source_coordinates(job->x);
  const bool given = job->options->metric.cov.data;
  gg_call *call = job->call;
  if (m == 0) return GPUGEO_OK; /* all distances are missing, as in gpugeo_dist() */
  bool done = false;
  if (!given) whiten_on_backend(job, NULL, centre, &done);
  if (call->status || done) return call->status;
  double *covariance = gg_call_allocate(call, m * m, sizeof *covariance);
  if (!covariance) return call->status;
  if (given) {
    GG_TRY(call, copy_covariance(job->x, job->options, centre, covariance, call->error));
    GG_TRY(call, gg_check_covariance(covariance, m, call->error));
    if (job->options->metric.singular != GPUGEO_SINGULAR_PINV)
      GG_TRY(call, gg_check_variances(covariance, m, call->error));
    whiten_on_backend(job, covariance, centre, &done);
  }
  if (!done) whiten_on_host(job, covariance, centre);
  gg_free(covariance);
  return call->status;
}

gpugeo_status gg_metric_check_gower(const gg_point_source *points,
                                    const gpugeo_dist_options *options, const gg_point_facts *facts,
                                    gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_source_coordinates(points);
  if (facts && facts->columns)
    return GG_TRY(call,
                  gg_gower_check_found(facts->columns + 2 * m, m, &options->metric, call->error));
  return gg_gower_check_points(points, &options->metric, block_bytes(options),
                               gg_threads(options->run.threads), call);
}

/* Checks the points for Gower's metric and writes its parameters. */
static gpugeo_status share_gower(const gg_point_source *x, const gpugeo_dist_options *options,
                                 const gg_point_facts *facts, double *params, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_source_coordinates(x);
  if (gg_metric_check_gower(x, options, facts, call)) return call->status;
  if (facts && facts->columns)
    return GG_TRY(call,
                  gg_gower_params_of(facts->columns, m, &options->metric, params, call->error));
  return gg_gower_params(x, &options->metric, block_bytes(options),
                         gg_threads(options->run.threads), params, call);
}

gpugeo_status gg_dist_metric_params_found(const gg_point_source *x,
                                          const gpugeo_dist_options *options,
                                          const gg_backend *backend, int32_t device, int found,
                                          const gg_point_facts *facts, double **shared,
                                          gg_call *call) {
  if (call->status) return call->status;
  const params_job job = {x, options, backend, device, call};
  const int64_t size =
      gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(x));
  double *values = gg_call_allocate(call, size, sizeof *values);
  if (!values) return call->status;
  values[0] = found;
  if (options->metric.kind == GPUGEO_METRIC_SEUCLIDEAN)
    share_deviations(x, options, facts, values + 1, call);
  else if (options->metric.kind == GPUGEO_METRIC_MAHALANOBIS)
    share_whitening(&job, values + 1);
  else if (options->metric.kind == GPUGEO_METRIC_GOWER)
    share_gower(x, options, facts, values + 1, call);
  if (call->status)
    gg_free(values);
  else
    *shared = values;
  return call->status;
}

/* Chooses the backend that the run names, if distances of points can be computed there; *backend is
   NULL if not. */
static void choose_named(const gpugeo_matrix *x, const gpugeo_run *run, const gg_backend **backend,
                         int32_t *device) {
  const gg_request any = {.family = GG_FAMILY_DIST, .sparse = x->sparse};
  gpugeo_error unread;
  if (run->backend == GPUGEO_BACKEND_AUTO || gg_backend_choose(run, &any, backend, device, &unread))
    *backend = NULL;
}

gpugeo_status gg_find_flags(const gpugeo_matrix *x, const gpugeo_dist_options *options, int *found,
                            gg_call *call) {
  if (call->status) return call->status;
  const gg_backend *backend;
  int32_t device = -1;
  gg_point_facts facts;
  gpugeo_dist_options any = *options;
  any.metric.kind = GPUGEO_METRIC_EUCLIDEAN; /* which has no test of points */
  choose_named(x, &options->run, &backend, &device);
  gg_point_facts_find(x, &any, backend, device, &facts, call);
  *found = facts.found;
  gg_point_facts_free(&facts);
  return call->status;
}

/* Chooses the backend for what is computed from points: that for a covariance, or the one that the
   run names. */
static gpugeo_status choose_backend(const gg_point_source *x, const gpugeo_dist_options *options,
                                    const gg_backend **backend, int32_t *device,
                                    gpugeo_error *error) {
  *backend = NULL;
  *device = -1;
  if (options->metric.kind != GPUGEO_METRIC_MAHALANOBIS) {
    choose_named(&x->view, &options->run, backend, device);
    return GPUGEO_OK;
  }
  const double n = (double)gg_point_source_count(x), m = (double)gg_point_source_coordinates(x);
  const gg_request request = {.family = GG_FAMILY_DIST,
                              .sparse = x->view.sparse,
                              .work = (n / 2 + m / 6) * m * m,
                              .bytes = 8 * m * (n + m),
                              .resident = 8 * m * (n + m),
                              .alone = true};
  return gg_backend_choose(&options->run, &request, backend, device, error);
}

/* Finds the facts of points in memory, or reads those of a file. Those of the latter, and all that
   have a fingerprint, are looked through on the host. */
static gpugeo_status inspect_points(const gg_point_source *x, const gpugeo_dist_options *options,
                                    const gg_backend *backend, int32_t device,
                                    uint64_t *fingerprint, gg_point_facts *facts, gg_call *call) {
  if (call->status) return call->status;
  if (!x->dataset && !fingerprint)
    return gg_point_facts_find(&x->view, options, backend, device, facts, call);
  *facts = (gg_point_facts){0};
  return inspect_source(x, options, &facts->found, fingerprint, &facts->rows, call);
}

gpugeo_status gg_dist_metric_params(const gg_point_source *x, const gg_point_source *y,
                                    const gpugeo_dist_options *options, const gg_backend *backend,
                                    int32_t device, double **shared, uint64_t *fingerprint,
                                    gg_missing_rows *missing, gg_call *call) {
  if (call->status) return call->status;
  if (fingerprint) *fingerprint = 0;
  gg_point_facts facts[2] = {{0}, {0}};
  if (!backend) GG_TRY(call, choose_backend(x, options, &backend, &device, call->error));
  inspect_points(x, options, backend, device, fingerprint, &facts[0], call);
  if (!call->status && y) inspect_points(y, options, backend, device, NULL, &facts[1], call);
  if (!call->status && y && options->metric.kind == GPUGEO_METRIC_GOWER)
    gg_metric_check_gower(y, options, &facts[1], call);
  gg_dist_metric_params_found(x, options, backend, device, facts[0].found | facts[1].found,
                              &facts[0], shared, call);
  for (int v = 0; v < 2; ++v) {
    if (missing) missing[v] = facts[v].rows;
    gg_point_facts_free(&facts[v]);
  }
  if (call->status || !fingerprint) return call->status;
  const int64_t size =
      gg_dist_metric_params_size(options->metric.kind, gg_point_source_coordinates(x));
  for (int64_t k = 0; k < size; ++k)
    *fingerprint = hash_value(*fingerprint, (*shared)[k]);
  if (options->metric.kind == GPUGEO_METRIC_MINKOWSKI)
    *fingerprint = hash_value(*fingerprint, options->metric.p);
  *fingerprint = hash_value(*fingerprint, (double)options->run.precision);
  return GPUGEO_OK;
}
