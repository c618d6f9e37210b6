/* Indices of clusterings, and what two clusterings have in common. Part of gpugeo.h. */
#ifndef GPUGEO_VALIDITY_H
#define GPUGEO_VALIDITY_H

#include "dist.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpugeo_validity_options {
  size_t size;                  /* set by gpugeo_validity_options_init() */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  /* Which indices are computed: 0: not; 1: it is an error if they do not exist; other: they are NaN
     then. */
  int32_t within, calinski_harabasz, davies_bouldin, dunn, silhouette, dbcv;
  double power;       /* of the distances in the sums within clusters, positive */
  int64_t dimensions; /* of the space, for DBCV; 0: the number of coordinates of points */
  gpugeo_run run;     /* precision: of the distances of points; backend: that computes these */
} gpugeo_validity_options;

/* The columns of results for each cluster: its points, sum within, largest distance within,
   smallest distance from another one, mean silhouette and validity of DBCV. NaN: not computed, or
   the cluster has no points. */
typedef enum gpugeo_validity_column {
  GPUGEO_VALIDITY_COLUMN_SIZE = 0,
  GPUGEO_VALIDITY_COLUMN_WITHIN = 1,
  GPUGEO_VALIDITY_COLUMN_DIAMETER = 2,
  GPUGEO_VALIDITY_COLUMN_SEPARATION = 3,
  GPUGEO_VALIDITY_COLUMN_SILHOUETTE = 4,
  GPUGEO_VALIDITY_COLUMN_DBCV = 5,
  GPUGEO_VALIDITY_COLUMN_COUNT = 6
} gpugeo_validity_column;

/* What gpugeo_validity() returns. NaN: not computed, or it does not exist. */
typedef struct gpugeo_validity_result {
  double *of_cluster; /* k by GPUGEO_VALIDITY_COLUMN_COUNT, column-major, in memory of the caller; k
                         is the largest number of a cluster */
  double within, calinski_harabasz, davies_bouldin, dunn, silhouette, dbcv; /* set */
} gpugeo_validity_result;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, all indices that exist, and
   a power of 2. size is sizeof(gpugeo_validity_options). */
GPUGEO_EXPORT void gpugeo_validity_options_init(gpugeo_validity_options *options, size_t size);

/*
 * Computes indices of a clustering. With the distances d of points, n_c points in cluster c, n in
 * clusters and k clusters that have points:
 *
 * - within: the sum over clusters of W_c, the sum of d^power over the pairs in c, divided by n_c.
 *   With power 2 and Euclidean points it is the sum of squared distances from the means.
 * - calinski_harabasz: (T - W) / (k - 1) / (W / (n - k)), with power 2; T is W of one cluster of
 *   all points.
 * - davies_bouldin: the mean over clusters of the largest (S_c + S_e) / |m_c - m_e|, where S_c is
 *   the mean distance of the points of c from their mean m_c. Euclidean points only.
 * - dunn: the smallest distance between clusters, divided by the largest one within one.
 * - silhouette: the mean silhouette of points, as gpugeo_silhouette() computes it.
 * - dbcv: Moulavi et al. (2014): see cluster/dbcv.c.
 *
 * All but `within` are NaN for fewer than two clusters. Equal means make davies_bouldin infinite.
 *
 * x        at most 2^31 - 1 points, finite distances
 * cluster  cluster_length = n numbers from 0 to n, not all of which need occur. 0: noise, which is
 *          left out; DBCV counts it as points without a valid cluster
 *
 * No distances are stored: they are computed or read in tiles once, twice more for DBCV, and a
 * second time for silhouettes as by gpugeo_silhouette(). The result has the same bits for any
 * number of threads and memory, and every source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_validity(const gpugeo_distances *x, const int32_t *cluster,
                                            int64_t cluster_length,
                                            const gpugeo_validity_options *options,
                                            gpugeo_validity_result *result, gpugeo_report *report,
                                            gpugeo_error *error);

/* What two clusterings have in common. */
typedef struct gpugeo_agreement_result {
  double rand;        /* the adjusted Rand index (Hubert and Arabie 1985) */
  double information; /* the mutual information, in nats */
  double entropy[2];  /* of each */
  /* The mutual information divided by a mean of both entropies: */
  double nmi_arithmetic, nmi_geometric, nmi_min, nmi_max;
} gpugeo_agreement_result;

/*
 * Compares two clusterings of n points, whose numbers may be any. Two that consist of one cluster
 * each, or of single points, agree: all are 1. Otherwise, a clustering of one cluster has an nmi of
 * 0 with any other one.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_agreement(const int32_t *a, const int32_t *b, int64_t n,
                                             gpugeo_agreement_result *result, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
