/* Clusters by density: checks the arguments, plans, and passes the plan to a backend. */
#include "cluster/dbscan.h"

#include <math.h>

#include "common/backend.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"

GG_OPTIONS_INIT(dbscan, .metric = GG_DEFAULT_METRIC, .min_points = 5, .border = 1)

static const gg_option option_rows[] = {
    {GG_OPTION("eps", NUMBER, gpugeo_dbscan_options, eps), .octave = "epsilon", .is_argument = true,
     .allowed = GG_RADIUS},
    {GG_OPTION("minPts", WHOLE, gpugeo_dbscan_options, min_points), .octave = "minpts", .least = 0,
     .most = INT32_MAX},
    {GG_OPTION("borderPoints", FLAG, gpugeo_dbscan_options, border)},
    {GG_OPTION_ARRAY("weights", DOUBLES, gpugeo_dbscan_options, weights, weights_length)},
};

GG_DEFINE_OPTIONS(dbscan, option_rows);

/* Checks that there is a weight for each point, finite and at least 0, and that a named backend has
   weights; NULL is allowed. */
static gpugeo_status check_weights(const gpugeo_dbscan_options *options, int64_t n,
                                   gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(options->run.backend);
  if (!options->weights) return GPUGEO_OK;
  if (options->weights_length != n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                   "weights must have a value for each of the %lld points, not %lld values",
                   (long long)n, (long long)options->weights_length);
  for (int64_t i = 0; i < n; ++i)
    if (!(options->weights[i] >= 0 && isfinite(options->weights[i])))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weights",
                     "weights must be finite and at least 0, but value %lld is %s",
                     (long long)i + 1, gg_number(options->weights[i]).text);
  if (!named || named == gg_host_backend()) return GPUGEO_OK;
  return gg_fail_backend(&options->run, error, "with weights");
}

/* Checks eps, min_points and the weights. */
static gpugeo_status check_options(const gpugeo_dbscan_options *options, int64_t n,
                                   gpugeo_error *error) {
  if (!(options->eps >= 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "eps", "eps must be " GG_RADIUS ", not %s",
                   gg_number(options->eps).text);
  if (options->min_points < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                   "min_points must be a whole number of at least 0, not %lld",
                   (long long)options->min_points);
  return check_weights(options, n, error);
}

/* Sets the weights of the plan to whole numbers, whose sums do not depend on their order, and the
   least sum in the same unit. Weights are rounded up, so 1 / 3 three times is 1, and those
   beyond min_points count as that, so sums are less than 2^61. The result must be freed. */
static int64_t *take_weights(const gpugeo_dbscan_options *options, int64_t n,
                             gg_dbscan_plan *plan) {
  const double most = (double)options->min_points;
  int64_t *own = gg_allocate(n, sizeof *own);
  int bits = 0, of_points = 0;
  frexp(most, &bits);
  frexp((double)n, &of_points);
  const int unit = (of_points > 13 ? 61 - of_points : 48) - bits;
  for (int64_t i = 0; own && i < n; ++i)
    own[i] = (int64_t)ceil(ldexp(fmin(options->weights[i], most), unit));
  plan->weight = own;
  plan->least_weight = (int64_t)ldexp(most, unit);
  return own;
}

/* Clusters points of which none is near another one. */
static void cluster_alone(const gg_dbscan_plan *plan, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    plan->core[i] = plan->weight ? plan->weight[i] >= plan->least_weight : plan->min_points <= 1;
    plan->cluster[i] = plan->core[i] ? (int32_t)i + 1 : 0;
  }
}

/* Clusters on the chosen backend. */
static gpugeo_status cluster_pairs(gg_pairs_job *job, const gg_dbscan_plan *plan) {
  gg_distance_call *call = &job->call;
  if (call->base.status) return call->base.status;
  if (call->source.n < 2 || gg_dist_source_is_empty(&call->source)) {
    cluster_alone(plan, call->source.n);
    return GPUGEO_OK;
  }
  gg_pairs_plan(job, GG_FAMILY_DBSCAN);
  return GG_TRY(&call->base, call->backend->dbscan(plan, &call->base));
}

/* Takes the weights and makes room for the core points, where the caller has none, and clusters. */
static gpugeo_status run_job(gg_pairs_job *job, const gpugeo_dbscan_options *options,
                             gg_dbscan_plan *plan) {
  gg_call *base = &job->call.base;
  const int64_t n = job->call.source.n;
  int32_t *own = NULL;
  int64_t *weight = NULL;
  if (!plan->core) plan->core = own = gg_call_allocate(base, n, sizeof *own);
  if (!base->status && options->weights) {
    job->call.source.options.run.backend = GPUGEO_BACKEND_CPU;
    weight = take_weights(options, n, plan);
    if (!weight) base->status = gg_fail_memory(base->error, n * (int64_t)sizeof *weight);
  }
  cluster_pairs(job, plan);
  gg_free(own);
  gg_free(weight);
  return base->status;
}

gpugeo_status gpugeo_dbscan(const gpugeo_distances *x, const gpugeo_dbscan_options *options,
                            int32_t *cluster, int32_t *core, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_dbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dbscan_options, options, taken, error);
  if (status) return status;
  const int64_t values = options->weights ? 7 : 5; /* results, counts, weights and their sums */
  gg_pairs_job job = {.call = GG_DISTANCE_CALL("x", x, options, report, error)};
  gg_call *base = &job.call.base;
  gg_dbscan_plan plan = {.pairs = &job.pairs,
                         .eps = options->eps,
                         .min_points = options->min_points,
                         .border = options->border,
                         .cluster = cluster,
                         .core = core};
  gg_pairs_open(&job.call, GG_FAMILY_DBSCAN, values, true);
  GG_TRY(base, check_options(options, job.call.source.n, error));
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DBSCAN, base->report, error));
  run_job(&job, options, &plan);
  return gg_distance_call_close(&job.call);
}
