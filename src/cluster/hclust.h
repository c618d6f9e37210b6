/* The plan of a hierarchical clustering, from the core to a backend, and what becomes of its
   merges. */
#ifndef GG_HCLUST_H
#define GG_HCLUST_H

#include <stdbool.h>

#include "common/call.h"
#include "distance/dist_source.h"
#include "distance/knn.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job with all arguments checked. */
typedef struct gg_hclust_plan {
  const gg_dist_source *source; /* of the distances within n points, at least 2, started */
  const gg_dist_plan *points;   /* the same, to compute them: in condensed order, without `out`;
                                   NULL if the source has no points, and on the host if it
                                   takes the distances from the source */
  const char *name;             /* of the source in messages */
  int64_t n;
  gpugeo_linkage linkage;
  bool squared;          /* distances are squared, and heights are roots */
  bool centroids;        /* Ward's linkages of points, without a matrix of distances */
  const double *members; /* observations in each point, or NULL: 1 */
  int32_t threads;
  int32_t device;  /* CUDA device, or GPUGEO_DEVICE_ALL, */
  int32_t workers; /* and how many parts the matrix has, on these devices in turn */
  gg_tree_use trees;
} gg_hclust_plan;

/*
 * Two clusters that are merged, each given by its lowest member, and the height. A backend writes
 * n - 1 of them, each after those of which it consists: for single linkage the edges of the minimum
 * spanning tree, whose ends are any members, in any order; for centroid and median linkage in the
 * order of the result, as heights may decrease.
 */
typedef struct gg_merge {
  int32_t low, high;
  double height;
} gg_merge;

/* True if no merge can be lower than one of which it consists. */
static inline bool gg_linkage_is_reducible(gpugeo_linkage linkage) {
  return linkage != GPUGEO_LINKAGE_CENTROID && linkage != GPUGEO_LINKAGE_MEDIAN;
}

/* Sorts the merges of a backend by height, then by their lowest members; each stays after those of
   which it consists. */
gpugeo_status gg_merges_sort(gg_merge *merges, int64_t n, gpugeo_linkage linkage, gg_call *call);

/* Numbers the clusters: merge (n - 1 by 2) and order (n) as gpugeo_hclust() returns them. */
gpugeo_status gg_merges_number(const gg_merge *merges, int64_t n, int32_t *merge, int32_t *order,
                               gg_call *call);

#ifdef __cplusplus
}
#endif

#endif
