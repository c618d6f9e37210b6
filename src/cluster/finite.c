/* Whether the minimum spanning tree of points shows that all of their distances are finite. */
#include <math.h>

#include "cluster/mst.h"
#include "common/inspect.h"
#include "common/matrix.h"

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
