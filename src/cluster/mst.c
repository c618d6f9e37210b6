/* Minimum spanning trees: checks the arguments, plans, and passes the plan to a backend. */
#include "cluster/mst.h"

#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "dist/dist_source.h"

void gpugeo_mst_options_init(gpugeo_mst_options *options, size_t size) {
  gpugeo_mst_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* Opens a source of at most 2^31 - 1 points. To be closed also after a failure. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_mst_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  gpugeo_status status = gg_dist_source_open("x", x, &options->metric, options->points,
                                             &options->run, source, error);
  if (status) return status;
  if (source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                   INT32_MAX, (long long)source->n);
  /* The result and, in working memory, edges: three for each point, and as many to sort them. */
  const double working = gg_dist_source_working(source, 1024, 1024) + 96 * (double)source->n;
  return gg_check_result(2 * (double)source->n, GPUGEO_TYPE_DOUBLE, working, error);
}

gpugeo_status gpugeo_mst_size(const gpugeo_distances *x, const gpugeo_mst_options *options,
                              int64_t *size, gpugeo_error *error) {
  gpugeo_mst_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mst_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *size = source.n > 1 ? source.n - 1 : 0;
  gg_dist_source_close(&source);
  return status;
}

static gpugeo_status fail_missing(const gg_missing_pairs *missing, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "x",
                 "x must have a distance between any two points, but %lld %s missing; the first is "
                 "between points %lld and %lld",
                 (long long)missing->count, missing->count == 1 ? "is" : "are",
                 (long long)missing->i + 1, (long long)missing->j + 1);
}

/* --- Planning --------------------------------------------------------------------------------- */

/* A call. */
typedef struct job {
  gg_dist_source source;
  gg_clock clock;
  gg_dist_memory memory; /* of the plan */
  gg_mst_plan plan;
  const gg_backend *backend;
  gpugeo_report *report;
} job;

static gpugeo_status read_tile(void *own, const gpugeo_tile *tile, double *out, double done,
                               double share, gpugeo_error *error) {
  job *job = own;
  return gg_dist_source_tile(&job->source, tile, out, &job->clock, done, share, job->report, error);
}

/* Plans the distances of points. */
static gpugeo_status plan_points(job *job, gpugeo_error *error) {
  gg_dist_source *source = &job->source;
  gg_dist_plan *plan = &job->plan.dist;
  gpugeo_status status = gg_dist_source_start(source, &job->clock, error);
  if (status) return status;
  *plan = gg_dist_plan_make(&source->x, NULL, &source->options, 0);
  plan->single = false;
  plan->missing = NAN;
  job->plan.threads = plan->threads;
  return gg_dist_prepare_shared(plan, &source->options, source->shared, &job->memory, &job->clock,
                                job->report, error);
}

/* Chooses the backend and makes the plan of a job with at least two points. */
static gpugeo_status plan_job(job *job, gpugeo_error *error) {
  const gg_dist_source *source = &job->source;
  const gpugeo_run *run = &source->options.run;
  const bool points = source->kind == GG_DIST_SOURCE_POINTS;
  const double n = (double)source->n;
  const gg_request request = {.family = GG_FAMILY_MST,
                              .sparse = points && source->x.sparse,
                              .work = n * n / 2,
                              .bytes = 8 * n * n / 2};
  int32_t device = -1;
  gpugeo_status status = gg_backend_choose(run, &request, &job->backend, &device, error);
  if (status) return status;
  job->plan.n = source->n;
  if (points) {
    status = plan_points(job, error);
  } else {
    job->plan.threads = gg_threads_for(run->threads, n * n);
    job->plan.read = read_tile;
    job->plan.own = job;
  }
  if (!status) *job->report = gg_report_of(job->backend, device, 1, job->plan.threads);
  return status;
}

/* --- The tree --------------------------------------------------------------------------------- */

/* True if no pair has a distance, because there are no coordinates. */
static bool is_empty(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS &&
         gg_point_size(&source->x, source->options.points) == 0;
}

static gpugeo_status find_tree(job *job, gg_mst_result *result, gpugeo_error *error) {
  const int64_t n = job->source.n;
  if (is_empty(&job->source)) {
    result->missing = (gg_missing_pairs){n * (n - 1) / 2, 0, 1};
  } else {
    gpugeo_status status = plan_job(job, error);
    if (!status)
      status = job->backend->mst(&job->plan, result, &job->clock, job->report, error);
    if (status) return status;
  }
  return result->missing.count > 0 ? fail_missing(&result->missing, error) : GPUGEO_OK;
}

static gpugeo_status run_job(job *job, int32_t *i, int32_t *j, double *distance,
                             gpugeo_error *error) {
  gg_mst_result result = {.missing.count = 0};
  gpugeo_status status = find_tree(job, &result, error);
  for (int64_t e = 0; !status && e < result.tree.count; ++e) {
    i[e] = result.tree.edge[e].i;
    j[e] = result.tree.edge[e].j;
    distance[e] = result.tree.edge[e].weight;
  }
  gg_forest_free(&result.tree);
  gg_dist_memory_free(&job->memory);
  return status;
}

gpugeo_status gpugeo_mst(const gpugeo_distances *x, const gpugeo_mst_options *options, int32_t *i,
                         int32_t *j, double *distance, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mst_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mst_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  job job = {.report = report ? report : &unread};
  status = open_source(x, options, &job.source, error);
  if (!status) status = gg_report_start(&options->run, GG_FAMILY_MST, job.report, error);
  gg_clock_start(&job.clock, &options->run);
  if (!status && job.source.n > 1) {
    status = run_job(&job, i, j, distance, error);
    job.report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
    job.report->seconds = gg_now() - job.clock.start;
  }
  gg_dist_source_close(&job.source);
  return status;
}
