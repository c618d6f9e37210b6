/* Clusters by density at all scales: checks the arguments, plans, passes the plan to a backend, and
   condenses the tree that it returns. */
#include "cluster/hdbscan.h"

#include "cluster/hclust.h"
#include "cluster/mst.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"

void gpugeo_hdbscan_options_init(gpugeo_hdbscan_options *options, size_t size) {
  gpugeo_hdbscan_options defaults = {.metric.p = 2, .min_points = 5};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances and checks min_points and selection_epsilon. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_hdbscan_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  const int64_t k = options->min_points;
  /* The result, three edges for each point twice, and the distances of k neighbours. */
  const int64_t values = 28 + (k > 0 && k < INT32_MAX ? k : 0);
  *source = (gg_dist_source){.n = 0};
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_HDBSCAN, error);
  if (status) return status;
  if (k < 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                   "min_points must be a whole number of at least 2, not %lld", (long long)k);
  if (!(options->selection_epsilon >= 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cluster_selection_epsilon",
                   "cluster_selection_epsilon must be " GG_RADIUS ", not %s",
                   gg_number(options->selection_epsilon).text);
  status = gg_pairs_open(x, &options->metric, options->points, &options->run, values, false, source,
                         error);
  if (status || k <= source->n) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                 "min_points must be at most the number of points, %lld, not %lld",
                 (long long)source->n, (long long)k);
}

gpugeo_status gpugeo_hdbscan_size(const gpugeo_distances *x, const gpugeo_hdbscan_options *options,
                                  int64_t *points, int64_t *nodes, gpugeo_error *error) {
  gpugeo_hdbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hdbscan_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) {
    *points = source.n;
    *nodes = gg_condensed_nodes(source.n, options->min_points);
  }
  gg_dist_source_close(&source);
  return status;
}

/* Numbers the dendrogram of a sorted tree. */
static gpugeo_status number_tree(const gg_forest *tree, gpugeo_hdbscan_result *result,
                                 gg_clock *clock, gpugeo_error *error) {
  gg_merge *merges = gg_allocate(tree->n, sizeof *merges);
  if (!merges) return gg_fail_memory(error, tree->n * (int64_t)sizeof *merges);
  gpugeo_status status = GPUGEO_OK;
  for (int64_t k = 0; !status && k < tree->count; ++k) {
    if (gg_clock_poll_loop(clock, k)) status = gg_fail_interrupt(error);
    const gg_edge edge = tree->edge[k];
    result->height[k] = gg_edge_weight(edge, tree->core);
    merges[k] = (gg_merge){edge.i, edge.j, result->height[k]};
  }
  if (!status)
    status = gg_merges_number(merges, tree->n, result->merge, result->order, clock, error);
  gg_free(merges);
  return status;
}

/* Finds the spanning tree of mutual reachability; fails if pairs have no distance. */
static gpugeo_status find_tree(gg_pairs_job *job, int64_t min_points, gpugeo_hdbscan_result *result,
                               gg_mst_result *found, gpugeo_error *error) {
  const int64_t n = job->source.n;
  gpugeo_status status = GPUGEO_OK;
  if (gg_pairs_are_empty(&job->source)) {
    found->missing = (gg_missing_pairs){n * (n - 1) / 2, 0, 1};
  } else {
    const gg_reach_plan plan = {&job->pairs, min_points - 1, result->core_distance};
    status = gg_pairs_plan(job, GG_FAMILY_HDBSCAN, error);
    if (!status) status = job->backend->hdbscan(&plan, found, &job->clock, job->report, error);
  }
  if (status || found->missing.count == 0) return status;
  return gg_fail_missing_pairs(&found->missing, error);
}

/* Finds the tree, numbers and condenses it, and writes the report. */
static gpugeo_status run_job(gg_pairs_job *job, const gpugeo_hdbscan_options *options,
                             gpugeo_hdbscan_result *result, gpugeo_error *error) {
  gg_mst_result found = {.missing.count = 0};
  gpugeo_status status = find_tree(job, options->min_points, result, &found, error);
  if (!status) status = number_tree(&found.tree, result, &job->clock, error);
  gg_forest_free(&found.tree);
  if (!status) status = gg_condense(job->source.n, options, result, &job->clock, error);
  job->report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  job->report->seconds = gg_now() - job->clock.start;
  return status;
}

gpugeo_status gpugeo_hdbscan(const gpugeo_distances *x, const gpugeo_hdbscan_options *options,
                             gpugeo_hdbscan_result *result, gpugeo_report *report,
                             gpugeo_error *error) {
  gpugeo_hdbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hdbscan_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  if (!report) report = &unread;
  gg_pairs_job job = {.report = report};
  status = open_source(x, options, &job.source, error);
  if (!status) status = gg_report_start(&options->run, GG_FAMILY_HDBSCAN, job.report, error);
  gg_clock_start(&job.clock, &options->run);
  if (!status) status = run_job(&job, options, result, error);
  gg_pairs_free(&job);
  return status;
}
