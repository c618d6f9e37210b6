/* The plan of a hierarchical clustering, from the core to a backend. */
#ifndef GG_HCLUST_H
#define GG_HCLUST_H

#include <stdbool.h>

#include "cluster/merges.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/dist_source.h"
#include "distance/knn.h"
#include "gpugeo.h"

GG_C_BEGIN

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

GG_C_END

#endif
