/* Clusters by density: checks the arguments, plans, and passes the plan to a backend. */
#include "cluster/dbscan.h"

#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"

void gpugeo_dbscan_options_init(gpugeo_dbscan_options *options, size_t size) {
  gpugeo_dbscan_options defaults = {.metric.p = 2, .min_points = 5, .border = 1};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances and checks eps and min_points. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_dbscan_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  const int64_t values = 5; /* results and counts */
  *source = (gg_dist_source){.n = 0};
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_DBSCAN, error);
  if (!status)
    status = gg_pairs_open(x, &options->metric, options->points, &options->run, values, true,
                           source, error);
  if (status) return status;
  if (!(options->eps >= 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "eps", "eps must be " GG_RADIUS ", not %s",
                   gg_number(options->eps).text);
  if (options->min_points < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                   "min_points must be a whole number of at least 0, not %lld",
                   (long long)options->min_points);
  return GPUGEO_OK;
}

gpugeo_status gpugeo_dbscan_size(const gpugeo_distances *x, const gpugeo_dbscan_options *options,
                                 int64_t *points, gpugeo_error *error) {
  gpugeo_dbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dbscan_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

/* Clusters points of which none is near another one. */
static void cluster_alone(const gg_dbscan_plan *plan, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    plan->core[i] = plan->min_points <= 1;
    plan->cluster[i] = plan->core[i] ? (int32_t)i + 1 : 0;
  }
}

/* Clusters on the chosen backend and writes the report. */
static gpugeo_status run_job(gg_pairs_job *job, const gg_dbscan_plan *plan, gpugeo_error *error) {
  if (job->source.n < 2 || gg_pairs_are_empty(&job->source)) {
    cluster_alone(plan, job->source.n);
    return GPUGEO_OK;
  }
  gpugeo_status status = gg_pairs_plan(job, GG_FAMILY_DBSCAN, error);
  if (!status) status = job->backend->dbscan(plan, &job->clock, job->report, error);
  job->report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  job->report->seconds = gg_now() - job->clock.start;
  return status;
}

gpugeo_status gpugeo_dbscan(const gpugeo_distances *x, const gpugeo_dbscan_options *options,
                            int32_t *cluster, int32_t *core, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_dbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dbscan_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  if (!report) report = &unread;
  gg_pairs_job job = {.report = report};
  int32_t *own = NULL;
  status = open_source(x, options, &job.source, error);
  if (!status) status = gg_report_start(&options->run, GG_FAMILY_DBSCAN, job.report, error);
  gg_clock_start(&job.clock, &options->run);
  if (!status && !core) {
    core = own = gg_allocate(job.source.n, sizeof *own);
    if (!own) status = gg_fail_memory(error, job.source.n * (int64_t)sizeof *own);
  }
  const gg_dbscan_plan plan = {&job.pairs,      options->eps, options->min_points,
                               options->border, cluster,      core};
  if (!status) status = run_job(&job, &plan, error);
  gg_free(own);
  gg_pairs_free(&job);
  return status;
}
