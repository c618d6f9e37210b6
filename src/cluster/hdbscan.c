/* Clusters by density at all scales: checks the arguments, plans, passes the plan to a backend, and
   condenses the tree that it returns. */
#include "cluster/condense.h"

#include "cluster/hclust.h"
#include "cluster/mst.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"

GG_OPTIONS_INIT(hdbscan, .metric = GG_DEFAULT_METRIC, .min_points = 5)

static const gg_option option_rows[] = {
    {GG_OPTION("minPts", WHOLE, gpugeo_hdbscan_options, min_points), .octave = "minpts", .least = 2,
     .most = INT32_MAX},
    {GG_OPTION("cluster_selection_epsilon", NUMBER, gpugeo_hdbscan_options, selection_epsilon),
     .allowed = GG_RADIUS},
};

GG_DEFINE_OPTIONS(hdbscan, option_rows);

/* Checks selection_epsilon, and that min_points is between 2 and the number of points, n. */
static gpugeo_status check_options(const gpugeo_hdbscan_options *options, int64_t n,
                                   gpugeo_error *error) {
  const int64_t k = options->min_points;
  if (k < 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                   "min_points must be a whole number of at least 2, not %lld", (long long)k);
  if (!(options->selection_epsilon >= 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cluster_selection_epsilon",
                   "cluster_selection_epsilon must be " GG_RADIUS ", not %s",
                   gg_number(options->selection_epsilon).text);
  if (k <= n) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "min_points",
                 "min_points must be at most the number of points, %lld, not %lld", (long long)n,
                 (long long)k);
}

/* Numbers the dendrogram of a sorted tree. */
static gpugeo_status number_tree(const gg_forest *tree, gpugeo_hdbscan_result *result,
                                 gg_call *call) {
  if (call->status) return call->status;
  gg_merge *merges = gg_call_allocate(call, tree->n, sizeof *merges);
  for (int64_t k = 0; merges && k < tree->count; ++k) {
    if (k % 65536 == 0 && gg_call_poll(call, 0)) break;
    const gg_edge edge = tree->edge[k];
    result->height[k] = gg_edge_weight(edge, tree->core);
    merges[k] = (gg_merge){edge.i, edge.j, result->height[k]};
  }
  gg_merges_number(merges, tree->n, result->merge, result->order, call);
  gg_free(merges);
  return call->status;
}

/* Finds the tree, numbers and condenses it. */
static gpugeo_status run_job(gg_pairs_job *job, const gpugeo_hdbscan_options *options,
                             gpugeo_hdbscan_result *result) {
  const gg_reach_plan reach = {&job->pairs, options->min_points - 1, result->core_distance};
  gg_mst_result found = {.missing.count = 0};
  gg_pairs_find_tree(job, &reach, &found);
  number_tree(&found.tree, result, &job->call.base);
  gg_forest_free(&found.tree);
  return gg_condense(job->call.source.n, options, result, &job->call.base);
}

gpugeo_status gpugeo_hdbscan(const gpugeo_distances *x, const gpugeo_hdbscan_options *options,
                             gpugeo_hdbscan_result *result, gpugeo_report *report,
                             gpugeo_error *error) {
  gpugeo_hdbscan_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hdbscan_options, options, taken, error);
  if (status) return status;
  const int64_t k = options->min_points;
  /* The result, three edges for each point twice, and the distances of k neighbours. */
  const int64_t values = 28 + (k > 0 && k < INT32_MAX ? k : 0);
  gg_pairs_job job = {.call = GG_DISTANCE_CALL("x", x, options, report, error)};
  gg_call *base = &job.call.base;
  gg_pairs_open(&job.call, GG_FAMILY_HDBSCAN, values, false);
  GG_TRY(base, check_options(options, job.call.source.n, error));
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_HDBSCAN, base->report, error));
  run_job(&job, options, result);
  return gg_distance_call_close(&job.call);
}
