/* Indices of a clustering: what their files share. */
#ifndef GG_VALIDITY_JOB_H
#define GG_VALIDITY_JOB_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

GG_C_BEGIN

/* What the distances of a point add up to. */
typedef struct gg_point_sums {
  double own, all;          /* of powers of the distances in its cluster, and of all */
  double furthest, nearest; /* the largest in its cluster, the smallest from another one */
  double least, density;    /* DBCV: the smallest in its cluster, and the sum of (least / d)^m */
} gg_point_sums;

/* A job with all arguments checked. Points of cluster k, the number of clusters, are noise. */
typedef struct gg_validity {
  const gg_dist_source *source; /* started, at least 1 point */
  const gpugeo_validity_options *options;
  gpugeo_validity_result *result;
  gg_call *call;
  int64_t n, k;
  int64_t clusters, points; /* clusters that have points, and points of clusters */
  const int32_t *cluster;   /* of each point, from 0 */
  double *size;             /* k */
  int32_t threads;
  double dimensions;   /* of DBCV; 0: it is not wanted */
  bool pairs;          /* sums of distances are wanted */
  gg_point_sums *sums; /* n, or NULL */
} gg_validity;

/* Returns column `which` of the results of clusters, borrowed. */
static inline double *gg_validity_column(const gg_validity *v, int which) {
  return v->result->of_cluster + which * v->k;
}

/* Sets the indices that Euclidean points have by the means of clusters: sums of squares, Calinski
   and Harabasz, Davies and Bouldin. Fails for coordinates that are not finite. */
gpugeo_status gg_validity_centers(gg_validity *v);

/* Sets DBCV from the sums of all points. done, share: of the progress. */
gpugeo_status gg_validity_density(gg_validity *v, double done, double share);

GG_C_END

#endif
