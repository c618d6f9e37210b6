/* Single linkage: the minimum spanning tree of gpugeo_mst(), without a matrix. */
#include <float.h>
#include <math.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/working.h"
#include "common/cpu.h"
#include "common/inspect.h"
#include "common/matrix.h"

/* A source that is read, and whether it has been seen to have a distance that is not finite. */
typedef struct reader {
  const gg_hclust_plan *plan;
  gg_clock *clock;
  gpugeo_report *report;
  bool bad;
} reader;

/* True if all values are finite. */
static bool are_finite(const double *values, int64_t count) {
  double zero = 0;
#pragma omp simd reduction(+ : zero)
  for (int64_t i = 0; i < count; ++i)
    zero += values[i] * 0;
  return zero == 0;
}

/* Reads a tile and notes whether a distance is not finite. */
static gpugeo_status read_tile(void *own, const gpugeo_tile *tile, double *out, double done,
                               double share, gpugeo_error *error) {
  reader *r = own;
  gpugeo_status status =
      gg_dist_source_tile(r->plan->source, tile, out, r->clock, done, share, r->report, error);
  if (!status) r->bad = r->bad || !are_finite(out, tile->rows * tile->columns);
  return status;
}

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

/* True if it is certain that no distance of points is missing or infinite: the coordinates exclude
   it, or a way along the tree between any two points is shorter than what overflows. */
static bool are_surely_finite(const gg_dist_source *points, const gg_mst_result *found) {
  if (found->missing.count > 0) return false;
  const double longest = fabs(found->tree.edge[found->tree.count - 1].distance);
  return isfinite(longest) && (are_bounded(points) || (has_triangles(points) && longest < 0x1p100));
}

/* Fails if a distance is missing or infinite. */
static gpugeo_status check_distances(const gg_hclust_plan *plan, const gg_pairs *pairs,
                                     gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  gg_bad_distances bad = {0};
  gpugeo_status status = gg_bad_tiles(pairs, &bad, clock, report, error);
  return status || bad.count == 0 ? status : gg_fail_distances(plan->name, &bad, error);
}

gpugeo_status gg_merge_single(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                              gpugeo_report *report, gpugeo_error *error) {
  gg_pairs pairs = {.n = plan->n, .threads = plan->threads, .trees = plan->trees};
  reader own = {.plan = plan, .clock = clock, .report = report};
  if (plan->points) {
    pairs.dist = *plan->points;
    pairs.threads = plan->points->threads;
  } else {
    pairs.read = read_tile;
    pairs.own = &own;
  }
  gg_mst_result found = {.missing.count = 0};
  gpugeo_status status = gg_cpu_mst(&pairs, &found, clock, report, error);
  if (!status && (plan->points ? !are_surely_finite(plan->source, &found) : own.bad))
    status = check_distances(plan, &pairs, clock, report, error);
  for (int64_t k = 0; !status && k < plan->n - 1; ++k) {
    const gg_edge edge = found.tree.edge[k];
    merges[k] = (gg_merge){edge.i, edge.j, edge.distance};
  }
  gg_forest_free(&found.tree);
  return status;
}
