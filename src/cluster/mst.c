/* Minimum spanning trees: checks the arguments, plans, and passes the plan to a backend. */
#include "cluster/mst.h"

#include "common/error.h"
#include "common/options.h"
#include "common/parallel.h"

void gpugeo_mst_options_init(gpugeo_mst_options *options, size_t size) {
  gpugeo_mst_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances and checks the memory. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_mst_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  *source = (gg_dist_source){.n = 0};
  const int64_t values = 14; /* the result, and three edges for each point twice */
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_MST, error);
  if (status) return status;
  return gg_pairs_open(x, &options->metric, options->points, &options->run, values, false, source,
                       error);
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

gpugeo_status gg_fail_missing_pairs(const gg_missing_pairs *missing, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "x",
                 "x must have a distance between any two points, but %lld %s missing; the first is "
                 "between points %lld and %lld",
                 (long long)missing->count, missing->count == 1 ? "is" : "are",
                 (long long)missing->i + 1, (long long)missing->j + 1);
}

/* Finds the minimum spanning tree; fails if pairs have no distance. */
static gpugeo_status find_tree(gg_pairs_job *job, gg_mst_result *result, gpugeo_error *error) {
  const int64_t n = job->source.n;
  gpugeo_status status = GPUGEO_OK;
  if (gg_pairs_are_empty(&job->source)) {
    result->missing = (gg_missing_pairs){n * (n - 1) / 2, 0, 1};
  } else {
    status = gg_pairs_plan(job, GG_FAMILY_MST, error);
    if (!status) status = job->backend->mst(&job->pairs, result, &job->clock, job->report, error);
  }
  if (status || result->missing.count == 0) return status;
  return gg_fail_missing_pairs(&result->missing, error);
}

/* The edges of a tree, and the caller's arrays. */
typedef struct copying {
  const gg_edge *edge;
  int32_t *i, *j;
  double *distance;
} copying;

/* Copies a range of edges to the result; the loop's work. */
static void copy_edges(void *own, gg_range range) {
  const copying *c = own;
  for (int64_t e = range.first; e < range.last; ++e) {
    c->i[e] = c->edge[e].i;
    c->j[e] = c->edge[e].j;
    c->distance[e] = c->edge[e].distance;
  }
}

/* Finds the tree, copies its edges and writes the report. */
static gpugeo_status run_job(gg_pairs_job *job, int32_t *i, int32_t *j, double *distance,
                             gpugeo_error *error) {
  gg_mst_result result = {.missing.count = 0};
  gpugeo_status status = find_tree(job, &result, error);
  copying copy = {result.tree.edge, i, j, distance};
  if (!status)
    gg_parallel_for(&(gg_loop){.threads = job->pairs.threads,
                               .count = result.tree.count,
                               .grain = 16384, /* 50 us, mostly the first touch of pages */
                               .work = copy_edges,
                               .job = &copy});
  gg_forest_free(&result.tree);
  job->report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  job->report->seconds = gg_now() - job->clock.start;
  return status;
}

gpugeo_status gpugeo_mst(const gpugeo_distances *x, const gpugeo_mst_options *options, int32_t *i,
                         int32_t *j, double *distance, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mst_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mst_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  if (!report) report = &unread;
  gg_pairs_job job = {.report = report};
  status = open_source(x, options, &job.source, error);
  if (!status) status = gg_report_start(&options->run, GG_FAMILY_MST, job.report, error);
  gg_clock_start(&job.clock, &options->run);
  if (!status && job.source.n > 1) status = run_job(&job, i, j, distance, error);
  gg_pairs_free(&job);
  return status;
}
