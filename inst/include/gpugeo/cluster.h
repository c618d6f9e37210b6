/* Hierarchical clustering, minimum spanning trees, clusters by density, silhouettes, k-medoids,
   k-means. Part of gpugeo.h. */
#ifndef GPUGEO_CLUSTER_H
#define GPUGEO_CLUSTER_H

#include "dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Hierarchical clustering ------------------------------------------------------------------ */

/*
 * The distance between two clusters. For clusters i, j and k, of so many observations n_i, n_j and
 * n_k, the distance of k from the union of i and j is:
 */
typedef enum gpugeo_linkage {
  GPUGEO_LINKAGE_SINGLE = 0,   /* min(d_ik, d_jk) */
  GPUGEO_LINKAGE_COMPLETE = 1, /* max(d_ik, d_jk) */
  GPUGEO_LINKAGE_AVERAGE = 2,  /* (n_i d_ik + n_j d_jk) / (n_i + n_j) */
  GPUGEO_LINKAGE_MCQUITTY = 3, /* (d_ik + d_jk) / 2 */
  GPUGEO_LINKAGE_WARD_D = 4,   /* ((n_i + n_k) d_ik + (n_j + n_k) d_jk - n_k d_ij) /
                                  (n_i + n_j + n_k) */
  GPUGEO_LINKAGE_WARD_D2 = 5,  /* the same of squared distances; heights are roots */
  GPUGEO_LINKAGE_CENTROID =
      6,                     /* (n_i d_ik + n_j d_jk - n_i n_j d_ij / (n_i + n_j)) / (n_i + n_j) */
  GPUGEO_LINKAGE_MEDIAN = 7, /* (d_ik + d_jk) / 2 - d_ij / 4 */
  GPUGEO_LINKAGE_COUNT = 8
} gpugeo_linkage;

typedef struct gpugeo_hclust_options {
  size_t size; /* set by gpugeo_hclust_options_init() */
  gpugeo_linkage linkage;
  int32_t squared;              /* centroid and median: nonzero: distances are squared first, and
                                   heights are roots, as in MATLAB; 0: distances are taken as they
                                   are, as in R */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  const double *members;  /* observations in each point, positive and finite; NULL: 1 */
  int64_t members_length; /* n */
  gpugeo_run run;         /* precision: of the distances of points */
} gpugeo_hclust_options;

/* Fills *options with the defaults: complete linkage, euclidean, points in rows, p = 2, no members.
   size is sizeof(gpugeo_hclust_options). */
GPUGEO_EXPORT void gpugeo_hclust_options_init(gpugeo_hclust_options *options, size_t size);

/*
 * Clusters n points: merges the two nearest clusters, n - 1 times.
 *
 * d       at least 2 points, finite distances
 * merge   n - 1 by 2, column-major: the clusters of each merge, the smaller number first. Point i
 * is cluster i, and merge k makes cluster n + k. height  n - 1: the distance of the two clusters
 * order   n: the points so that no branches of the dendrogram cross, for each merge the first
 *         cluster on the left
 *
 * Of several pairs of clusters at the smallest distance the one with the lowest points is merged:
 * the lowest of the first cluster, then that of the second. For single linkage, which is the
 * minimum spanning tree, these are pairs of points. The result is the same bits for any number of
 * threads, on all backends, and for every source of the same distances. For linkages other than
 * centroid and median, heights do not decrease.
 *
 * Memory is 8 n^2 bytes; for single linkage 4 n^2 for a file, and none for distances that are
 * condensed in memory and for points, unless the precision is single. CUDA takes 8 n^2 bytes of a
 * device, and at most 1 GiB more, for each linkage but single linkage of points; it has all but
 * centroid and median.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, with GPUGEO_ERROR_MEMORY if
 * the device of backend CUDA is too small, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_hclust(const gpugeo_distances *d,
                                          const gpugeo_hclust_options *options, int32_t *merge,
                                          double *height, int32_t *order, gpugeo_report *report,
                                          gpugeo_error *error);

/*
 * Computes the cophenetic distances of a dendrogram: for two points the height of the merge that
 * joins them.
 *
 * n              points, 2 to 2^30
 * merge, height  as gpugeo_hclust() writes them
 * run            backend AUTO or CPU; precision is ignored; work_bytes, if not 0, is at least 38 n
 * out            n (n - 1) / 2 distances, condensed
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if merge has a cluster twice or before it is made.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_cophenetic(int64_t n, const int32_t *merge, const double *height,
                                              const gpugeo_run *run, double *out,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- Orders of leaves ------------------------------------------------------------------------- */

/*
 * What the order of the leaves of a dendrogram makes the smallest. Each two neighbours are joined
 * by one merge of two clusters, which are next to each other.
 */
typedef enum gpugeo_leaf_criterion {
  GPUGEO_LEAF_CRITERION_ADJACENT = 0, /* the sum of the distances between neighbours */
  GPUGEO_LEAF_CRITERION_GROUP = 1, /* for each two neighbours, the sum of the distances of each from
                                      all leaves of the other one's cluster */
  GPUGEO_LEAF_CRITERION_COUNT = 2
} gpugeo_leaf_criterion;

typedef struct gpugeo_leaf_order_options {
  size_t size; /* set by gpugeo_leaf_order_options_init() */
  gpugeo_leaf_criterion criterion;
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  gpugeo_run run; /* precision: of the distances of points */
} gpugeo_leaf_order_options;

/* What gpugeo_leaf_order() returns, in memory of the caller. */
typedef struct gpugeo_leaf_order_result {
  int32_t *merge; /* n - 1 by 2, column-major: the merges with the cluster first that is on the
                     left; may be the argument `merge` */
  int32_t *order; /* n: the points from left to right */
  double sum;     /* set: what is the smallest */
} gpugeo_leaf_order_result;

/* Fills *options with the defaults: ADJACENT, euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_leaf_order_options). */
GPUGEO_EXPORT void gpugeo_leaf_order_options_init(gpugeo_leaf_order_options *options, size_t size);

/*
 * Orders the leaves of a dendrogram so that no branches cross and neighbours are near each other
 * (Bar-Joseph, Gifford and Jaakkola 2001). No other of the 2^(n - 1) orders has a smaller sum.
 *
 * d       n points, 2 to 2^30, finite distances
 * merge   n - 1 by 2 as gpugeo_hclust() writes it; merges: n - 1
 *
 * Sums are rounded. Of several orders with the same sum that of gpugeo_hclust() is taken, or else
 * one that differs little from it: the first cluster of the last merge is on the left; then, the
 * last merge first, the leaf on the left end has the lowest position in the order of
 * gpugeo_hclust(), that on the right end the highest, and of the neighbours that a merge joins that
 * of the first cluster the highest, then that of the second the lowest. The result has the same
 * bits for any number of threads and for every source of the same distances.
 *
 * Time: n^3 / 6 additions if each merge halves its cluster, n^2 in a chain. Memory: 8.5 n^2 bytes,
 * and at most 768 n for each thread.
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if merge has a cluster twice or before it is made, with
 * GPUGEO_ERROR_DATA if a distance is missing or infinite or all sums overflow, or as gpugeo_dist()
 * does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_leaf_order(const gpugeo_distances *d, const int32_t *merge,
                                              int64_t merges,
                                              const gpugeo_leaf_order_options *options,
                                              gpugeo_leaf_order_result *result,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- Minimum spanning trees ------------------------------------------------------------------- */

typedef struct gpugeo_mst_options {
  size_t size; /* set by gpugeo_mst_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  gpugeo_run run; /* precision is ignored: distances are doubles */
} gpugeo_mst_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_mst_options). */
GPUGEO_EXPORT void gpugeo_mst_options_init(gpugeo_mst_options *options, size_t size);

/*
 * Finds the minimum spanning tree of the complete graph of points. Of edges with the same distance
 * the one with the smaller i comes first, then the one with the smaller j: there is one
 * tree. Distances have the bits of gpugeo_dist().
 *
 * x         at most 2^31 - 1 points; distances that are given are read on the CPU
 * i, j      the ends of each edge, i < j, from 0; edges in ascending order of distance, i, j
 * distance  of each edge
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_mst(const gpugeo_distances *x, const gpugeo_mst_options *options,
                                       int32_t *i, int32_t *j, double *distance,
                                       gpugeo_report *report, gpugeo_error *error);

/* --- Clusters by density ---------------------------------------------------------------------- */

typedef struct gpugeo_dbscan_options {
  size_t size; /* set by gpugeo_dbscan_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  double eps;             /* at least 0 */
  int64_t min_points;     /* at least 0 */
  int32_t border;         /* nonzero: border points belong to a cluster */
  gpugeo_run run;         /* precision is ignored: distances are doubles */
  const double *weights;  /* NULL, or how many points each point counts as: finite, at least 0 */
  int64_t weights_length; /* points */
} gpugeo_dbscan_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, eps = 0, min_points = 5,
   border = 1, no weights. size is sizeof(gpugeo_dbscan_options). */
GPUGEO_EXPORT void gpugeo_dbscan_options_init(gpugeo_dbscan_options *options, size_t size);

/*
 * Finds clusters by density (DBSCAN, Ester et al. 1996). A core point has at least
 * options->min_points points, itself included, at a distance of at most options->eps; with weights,
 * theirs have at least this sum. Weights are rounded up to multiples of at most 2^-29 min_points,
 * of 2^-47 min_points for fewer than 2^13 points, and are for the CPU only. Core points within eps
 * of each other are in one cluster; clusters are numbered by their first core points. Other points
 * within eps of core points belong to the first of their clusters. Points without a distance are
 * not near each other.
 *
 * x        at most 2^31 - 1 points
 * cluster  n: the number of each point's cluster, from 1; 0: noise
 * core     n: 1 for core points, else 0; may be NULL
 *
 * Fails with GPUGEO_ERROR_DATA as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dbscan(const gpugeo_distances *x,
                                          const gpugeo_dbscan_options *options, int32_t *cluster,
                                          int32_t *core, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_optics_options {
  size_t size; /* set by gpugeo_optics_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  double eps;         /* at least 0; NaN: the largest distance of a point to its neighbour of number
                         min_points */
  int64_t min_points; /* at least 1; less than the number of points if eps is NaN */
  gpugeo_run run;     /* precision is ignored: distances are doubles */
} gpugeo_optics_options;

/* What gpugeo_optics() returns of n points, in memory of the caller. */
typedef struct gpugeo_optics_result {
  int32_t *order;       /* the points, as they are visited */
  double *reachability; /* of each point; infinite for those that begin a part */
  double *core_distance;
  int32_t *predecessor; /* from which a point is reached; -1: it begins a part */
  double eps;           /* set */
} gpugeo_optics_result;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, eps = NaN, min_points = 5.
   size is sizeof(gpugeo_optics_options). */
GPUGEO_EXPORT void gpugeo_optics_options_init(gpugeo_optics_options *options, size_t size);

/*
 * Orders points by density (OPTICS, Ankerst et al. 1999). The core distance of a point is the
 * smallest within which it has min_points points, itself included; it is infinite if it is larger
 * than eps. A point is reached from another one within eps by the larger of that one's core
 * distance and their distance. The next point is the one with the smallest reachability from those
 * before, of several the one with the highest number; if there is none, the first one that is left
 * begins a part.
 *
 * With eps, the neighbours of all points are stored. Otherwise the distances of a point are
 * computed when it is visited, and of great circles nearly all distances are stored. Points at a
 * missing distance are not near each other. The result has the same bits for any number of threads.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_optics(const gpugeo_distances *x,
                                          const gpugeo_optics_options *options,
                                          gpugeo_optics_result *result, gpugeo_report *report,
                                          gpugeo_error *error);

typedef struct gpugeo_lof_options {
  size_t size; /* set by gpugeo_lof_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t min_points; /* 2 to the number of points */
  gpugeo_run run;     /* precision is ignored: distances are doubles */
} gpugeo_lof_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, min_points = 5. size is
   sizeof(gpugeo_lof_options). */
GPUGEO_EXPORT void gpugeo_lof_options_init(gpugeo_lof_options *options, size_t size);

/*
 * Computes the local outlier factor of each point (Breunig et al. 2000), by its neighbours: all
 * other points at a distance of at most that of the one of number min_points - 1, ties included. It
 * is 1 if the point and enough others are equal, and infinite if only its neighbours have equal
 * ones.
 *
 * factor  n
 *
 * Stores the neighbours, twice as many each time until all ties are among them. Fails with
 * GPUGEO_ERROR_DATA if a point has fewer than min_points - 1 finite distances, or as gpugeo_knn()
 * does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_lof(const gpugeo_distances *x, const gpugeo_lof_options *options,
                                       double *factor, gpugeo_report *report, gpugeo_error *error);

typedef struct gpugeo_hdbscan_options {
  size_t size; /* set by gpugeo_hdbscan_options_init() */
  gpugeo_metric_options metric;
  gpugeo_points points;
  int64_t min_points;       /* at least 2, at most the number of points */
  gpugeo_run run;           /* precision is ignored: distances are doubles */
  double selection_epsilon; /* at least 0: clusters do not divide below this height */
} gpugeo_hdbscan_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, min_points = 5,
   selection_epsilon = 0. size is sizeof(gpugeo_hdbscan_options). */
GPUGEO_EXPORT void gpugeo_hdbscan_options_init(gpugeo_hdbscan_options *options, size_t size);

/* The result for n points. All arrays are the caller's. */
typedef struct gpugeo_hdbscan_result {
  /* Of each point, n: */
  int32_t *cluster;   /* from 1; 0: noise */
  double *membership; /* 0 for noise and for the point of a cluster with the largest core distance;
                         1 where the core distance is 0 */
  double *outlier_score; /* 0 to 1 */
  double *core_distance;
  /* The dendrogram of mutual reachability, as gpugeo_hclust() writes it. */
  int32_t *merge; /* n - 1 by 2 */
  double *height; /* n - 1 */
  int32_t *order; /* n */
  /* The nodes of the condensed tree, which the call counts. Arrays have room for
     2 floor(n / options->min_points) - 1 of them. Children come after their parents. */
  int64_t nodes, clusters;
  int32_t *merge_node;   /* n - 1: the node of each merge */
  int32_t *parent;       /* -1: the root, which is node 0 */
  int32_t *divided;      /* points that the node has where it divides into two; 0: it does not */
  int32_t *number;       /* cluster to which the node's points belong; 0: none */
  int32_t *selected;     /* 1: the node is a cluster */
  double *birth, *death; /* heights */
  double *stability;
  double *score; /* its stability, or the sum of its children's scores if that is larger */
  /* The points that leave node c are point[start[c]], ..., point[start[c + 1] - 1], at the heights
     leaves_at. */
  int32_t *start;    /* as many as nodes, and one */
  int32_t *point;    /* n */
  double *leaves_at; /* n */
} gpugeo_hdbscan_result;

/*
 * Finds clusters by density at all scales (HDBSCAN, Campello, Moulavi and Sander 2013). The core
 * distance of a point is that of its neighbour number options->min_points - 1. The mutual
 * reachability of two points is the largest of their distance and both core distances; the
 * dendrogram is that of its minimum spanning tree. Of edges with the same mutual reachability the
 * one with the smaller distance comes first, then the one with the smaller first point, then the
 * one with the smaller second point: there is one tree.
 *
 * A cluster is a node of the condensed tree whose stability exceeds the scores of its children, or
 * whose children begin below options->selection_epsilon (Malzer and Baum 2020), unless it is the
 * root or below another cluster. The density of a point is 1 / height. Heights in the condensed
 * tree are at least the lowest positive height of the dendrogram, so that coincident points have a
 * finite density, and stabilities and outlier scores are finite. Clusters are numbered from the
 * root down, the first side of a merge first.
 *
 * x  at most 2^31 - 1 points
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing, and as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_hdbscan(const gpugeo_distances *x,
                                           const gpugeo_hdbscan_options *options,
                                           gpugeo_hdbscan_result *result, gpugeo_report *report,
                                           gpugeo_error *error);

/* --- Silhouettes ------------------------------------------------------------------------------ */

typedef struct gpugeo_silhouette_options {
  size_t size;                  /* set by gpugeo_silhouette_options_init() */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  gpugeo_run run; /* precision: of the distances of points; backend: that computes these, and CUDA
                     also adds them up */
} gpugeo_silhouette_options;

/* Fills *options with the defaults: euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_silhouette_options). */
GPUGEO_EXPORT void gpugeo_silhouette_options_init(gpugeo_silhouette_options *options, size_t size);

/*
 * Computes the silhouette of each point (Rousseeuw 1987): with a, its mean distance from the other
 * points of its cluster, and b, the smallest of its mean distances from the points of each other
 * cluster, the width (b - a) / max(a, b). It is 0 if a and b are equal or the cluster has no other
 * points.
 *
 * x         at most 2^31 - 1 points, finite distances
 * cluster   cluster_length = n numbers from 1 to n; numbers may be left out
 * neighbor  n: the cluster at the mean distance b, the first of several; 0: there is none
 * width     n; NaN: there is one cluster
 *
 * No distances are stored: they are computed or read in tiles, once, or twice if n times the number
 * of clusters is more than run.work_bytes / 16. With CUDA, distances of points and distances on its
 * device are added up there, if it has the memory for n times the number of clusters doubles, and
 * not copied to the host. Distances from the points of a cluster are added up in the order of the
 * points: the result has the same bits for any number of threads, memory, backend and every
 * source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_silhouette(const gpugeo_distances *x, const int32_t *cluster,
                                              int64_t cluster_length,
                                              const gpugeo_silhouette_options *options,
                                              int32_t *neighbor, double *width,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- k-medoids -------------------------------------------------------------------------------- */

typedef struct gpugeo_pam_options {
  size_t size;                  /* set by gpugeo_pam_options_init() */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  int64_t k;              /* medoids, 1 to n */
  int32_t swap;           /* nonzero: swaps medoids until no swap is better, */
  int32_t eager;          /* nonzero: each point that is better at once; 0: the best of all */
  int64_t max_swaps;      /* the most swaps, at least 0 */
  const int32_t *medoids; /* different points from 0 to begin with; NULL: chosen (BUILD) */
  int64_t medoids_length; /* k */
  gpugeo_run run;         /* precision: of the distances of points; backend: that computes these */
} gpugeo_pam_options;

/* What gpugeo_pam() returns, in memory of the caller. */
typedef struct gpugeo_pam_result {
  int32_t *medoid;  /* k: the points, in the order of their clusters */
  int32_t *cluster; /* n: the number of each point's cluster, from 1 in the order of the points */
  double *distance; /* n: from its medoid */
  double *all;      /* NULL, or n by k, column-major: from all medoids */
  /* NULL together, or n each: the silhouette as by gpugeo_silhouette(), the largest distance within
     the point's cluster, and the smallest distance from another cluster (infinity: there is none).
   */
  int32_t *neighbor;
  double *width, *furthest, *nearest;
  double objective[2]; /* set: the mean of the distances before and after swaps */
  int64_t swaps;       /* set */
  int32_t converged;   /* set: 0 if swaps ended at max_swaps, and a further one may be better */
} gpugeo_pam_result;

/* Fills *options with the defaults: euclidean, points in rows, p = 2, k = 1, swap = 1,
   eager = 1,
   max_swaps = INT64_MAX. size is sizeof(gpugeo_pam_options). */
GPUGEO_EXPORT void gpugeo_pam_options_init(gpugeo_pam_options *options, size_t size);

/*
 * Partitions points around k medoids (Kaufman and Rousseeuw 1990): points whose distances from all
 * points, each to its nearest medoid, have a small sum. Chooses medoids one after the other, each
 * that which makes the sum the smallest (BUILD), then swaps them with other points where this makes
 * the sum smaller: eagerly, in the order of the points (FasterPAM, Schubert and Rousseeuw 2021), or
 * always by the best of all swaps, as PAM does (FastPAM1). Of several points that are equally good
 * the last is chosen first, and the first is swapped; nothing is random. A medoid is in its own
 * cluster, another point in that of the nearest medoid, the lowest of several.
 *
 * x  1 to 2^31 - 1 points, finite distances
 *
 * The matrix of distances is stored if its 8 n^2 bytes are at most run.work_bytes, by default half
 * of the memory that the process may use. If not, columns are computed or read again for each pass
 * over all points. The result has the same bits for any number of threads, any memory and every
 * source of the same distances.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_pam(const gpugeo_distances *x, const gpugeo_pam_options *options,
                                       gpugeo_pam_result *result, gpugeo_report *report,
                                       gpugeo_error *error);

/* --- k-means ---------------------------------------------------------------------------------- */

typedef enum gpugeo_kmeans_algorithm {
  GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG = 0, /* Hartigan and Wong (1979) */
  GPUGEO_KMEANS_ALGORITHM_LLOYD = 1,         /* Lloyd (1982) */
  GPUGEO_KMEANS_ALGORITHM_FORGY = 2,         /* another name of the same */
  GPUGEO_KMEANS_ALGORITHM_MACQUEEN = 3,      /* MacQueen (1967) */
  GPUGEO_KMEANS_ALGORITHM_COUNT = 4
} gpugeo_kmeans_algorithm;

typedef struct gpugeo_kmeans_options {
  size_t size; /* set by gpugeo_kmeans_options_init() */
  gpugeo_kmeans_algorithm algorithm;
  int64_t k;              /* clusters, 1 to n */
  int64_t max_iterations; /* at least 1 */
  gpugeo_matrix centers;  /* k by ncol: different centres to begin with; data NULL: */
  const double *uniform;  /* k numbers in [0, 1), by which points are drawn (k-means++, Arthur and
                             Vassilvitskii 2007); NULL: the first k points */
  int64_t uniform_length;
  gpugeo_run run; /* backend AUTO or CPU; precision is ignored */
} gpugeo_kmeans_options;

/* What gpugeo_kmeans() returns, in memory of the caller. */
typedef struct gpugeo_kmeans_result {
  int32_t *cluster;   /* n: the number of each point's cluster, from 1 */
  double *centers;    /* k by ncol, column-major: the means of the clusters; NaN: it is empty */
  double *withinss;   /* k: the sums of squared distances from them */
  int32_t *sizes;     /* k: points */
  double totss;       /* set: the sum of squared distances from the mean of all points */
  int64_t iterations; /* set: max_iterations + 1 if they do not suffice */
  int32_t fault; /* set: 0; 2: max_iterations do not suffice; 4: a quick-transfer stage of Hartigan
                    and Wong took more than 50 n steps */
} gpugeo_kmeans_result;

/* Fills *options with the defaults: Hartigan and Wong, k = 1, max_iterations = 10. size is
   sizeof(gpugeo_kmeans_options). */
GPUGEO_EXPORT void gpugeo_kmeans_options_init(gpugeo_kmeans_options *options, size_t size);

/*
 * Divides points into k clusters whose sums of squared distances from their means are small.
 * From the same centres the result is that of R's stats::kmeans().
 *
 * x  1 to 2^31 - 1 points in rows, at least one column, dense, finite
 *
 * Memory: 24 bytes for each point, or for HARTIGAN_WONG and MACQUEEN a second copy of the points.
 * The result has the same bits for any number of threads.
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if two centres are the same, if x has fewer different rows than
 * k-means++ draws, or if HARTIGAN_WONG begins with an empty cluster.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_kmeans(const gpugeo_matrix *x,
                                          const gpugeo_kmeans_options *options,
                                          gpugeo_kmeans_result *result, gpugeo_report *report,
                                          gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
