/* Minimum spanning trees: checks the arguments, plans, and passes the plan to a backend. */
#include "cluster/mst.h"

#include <math.h>

#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/options.h"
#include "common/parallel.h"

GG_OPTIONS_INIT(mst, .metric = GG_DEFAULT_METRIC)

/* Fails with the number of missing pairs and the first of them. */
static gpugeo_status fail_missing_pairs(const gg_missing_pairs *missing, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_DATA, "x",
                 "x must have a distance between any two points, but %lld %s missing; the first is "
                 "between points %lld and %lld",
                 (long long)missing->count, missing->count == 1 ? "is" : "are",
                 (long long)missing->i + 1, (long long)missing->j + 1);
}

gpugeo_status gg_pairs_find_tree(gg_pairs_job *job, const gg_reach_plan *reach,
                                 gg_mst_result *result) {
  gg_distance_call *call = &job->call;
  gg_call *base = &call->base;
  const int64_t n = call->source.n;
  if (base->status) return base->status;
  if (gg_dist_source_is_empty(&call->source)) {
    result->missing = (gg_missing_pairs){n * (n - 1) / 2, 0, 1};
  } else {
    gg_pairs_plan(job, reach ? GG_FAMILY_HDBSCAN : GG_FAMILY_MST);
    GG_TRY(base, reach ? call->backend->hdbscan(reach, result, base)
                       : call->backend->mst(&job->pairs, result, base));
  }
  if (result->missing.count == 0) return base->status;
  return GG_TRY(base, fail_missing_pairs(&result->missing, base->error));
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

/* Finds the tree and copies its edges. */
static gpugeo_status run_job(gg_pairs_job *job, int32_t *i, int32_t *j, double *distance) {
  gg_mst_result result = {.missing.count = 0};
  const gpugeo_status status = gg_pairs_find_tree(job, NULL, &result);
  copying copy = {result.tree.edge, i, j, distance};
  if (!status)
    gg_parallel_for(&(gg_loop){.threads = job->pairs.threads,
                               .count = result.tree.count,
                               .grain = 16384, /* 50 us, mostly the first touch of pages */
                               .work = copy_edges,
                               .job = &copy});
  gg_forest_free(&result.tree);
  return status;
}

gpugeo_status gpugeo_mst(const gpugeo_distances *x, const gpugeo_mst_options *options, int32_t *i,
                         int32_t *j, double *distance, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mst_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mst_options, options, taken, error);
  if (status) return status;
  const int64_t values = 14; /* the result, and three edges for each point twice */
  gg_pairs_job job = {.call = GG_DISTANCE_CALL("x", x, options, report, error)};
  gg_call *base = &job.call.base;
  gg_pairs_open(&job.call, GG_FAMILY_MST, values, false);
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_MST, base->report, error));
  if (job.call.source.n > 1) run_job(&job, i, j, distance);
  return gg_distance_call_close(&job.call);
}

/* --- Whether all distances are finite --------------------------------------------------------- */

/* True if a coordinate is negative. */
static bool has_negative(const gpugeo_matrix *x) {
  if (x->sparse && !x->data) return false; /* all stored elements are 1 */
  const gpugeo_matrix values = x->sparse ? gg_sparse_values(x) : *x;
  for (int64_t j = 0; j < values.ncol; ++j)
    for (int64_t i = 0; i < values.nrow; ++i)
      if (gg_element(&values, i, j) < 0) return true;
  return false;
}

/* True if no distance of the points can be infinite, whatever the other distances are. */
static bool are_bounded(const gg_dist_source *points) {
  const gpugeo_metric_options *metric = &points->options.metric;
  const bool moderate = !((int)points->shared[0] & (GG_HAS_INFINITE | GG_HAS_HUGE));
  switch (metric->kind) {
  case GPUGEO_METRIC_CANBERRA:
  case GPUGEO_METRIC_BINARY:
  case GPUGEO_METRIC_COSINE:
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
  case GPUGEO_METRIC_HAMMING:
  case GPUGEO_METRIC_JACCARD:
  case GPUGEO_METRIC_GOWER:
    return true;
  case GPUGEO_METRIC_BRAYCURTIS:
    return !has_negative(&points->x);
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_SQEUCLIDEAN:
  case GPUGEO_METRIC_MANHATTAN:
  case GPUGEO_METRIC_MAXIMUM:
    return moderate;
  case GPUGEO_METRIC_MINKOWSKI: /* powers of differences of 2^129, and roots of their sums */
    return moderate && ((metric->p >= 0.125 && metric->p <= 4) || isinf(metric->p));
  default:
    return false;
  }
}

/* True if no distance is more than the sum of those of a way between the two points. */
static bool has_triangles(const gg_dist_source *points) {
  const gpugeo_metric_options *metric = &points->options.metric;
  if ((int)points->shared[0] & GG_HAS_MISSING) return false;
  switch (metric->kind) {
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_SQEUCLIDEAN: /* of their roots */
  case GPUGEO_METRIC_SEUCLIDEAN:
  case GPUGEO_METRIC_MAHALANOBIS:
  case GPUGEO_METRIC_MANHATTAN:
  case GPUGEO_METRIC_MAXIMUM:
    return true;
  case GPUGEO_METRIC_MINKOWSKI:
    return metric->p >= 1;
  default:
    return false;
  }
}

bool gg_tree_shows_finite(const gg_dist_source *points, const gg_mst_result *found) {
  if (found->missing.count > 0) return false;
  const double longest = fabs(found->tree.edge[found->tree.count - 1].distance);
  return isfinite(longest) && (are_bounded(points) || (has_triangles(points) && longest < 0x1p100));
}
