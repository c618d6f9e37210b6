/* Silhouettes: what a clustering of points with pairwise distances is measured by. */
#ifndef GG_SILHOUETTE_SUMS_H
#define GG_SILHOUETTE_SUMS_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Distances between points [first, first + count) and [other, other + others): that of first + r
   and other + k is value[r * point_step + k * other_step]. */
typedef struct gg_distance_block {
  int64_t first, count, other, others;
  const double *value;
  int64_t point_step, other_step;
} gg_distance_block;

/* Takes a block, on any thread. All blocks of a point come on one thread at a time, in the order of
   their other points, and include all points. */
typedef void gg_pair_visit(void *own, const gg_distance_block *block);

/* A job with all arguments checked. */
struct gg_silhouette_plan {
  const gg_dist_source *source; /* started, at least 1 point */
  const char *name;             /* of the source in messages */
  const int32_t *cluster;       /* of each point, from 0 */
  int64_t clusters;             /* some of which may have no points */
  bool has_noise;               /* the last one is noise, which is no neighbor */
  int32_t threads;
  int64_t work_bytes; /* of sums and tiles */
  /* Results, one for each point. */
  int32_t *neighbor; /* from 0; -1: none */
  double *width;     /* NULL: no silhouettes are computed */
  /* What all distances are given to, or NULL. */
  gg_pair_visit *visit;
  void *visitor;
  /* For a backend, which adds up the distances of points, or those that are on its device: */
  const gg_dist_plan *points; /* or NULL */
  int32_t device;
};

/* What a backend has found. */
struct gg_silhouette_outcome {
  bool declined;        /* nothing: the job does not fit into its memory, or is left to the host */
  gg_bad_distances bad; /* of x; if there are any, there is no other result */
};

/* Returns the bytes that sums and tiles take at the least. */
double gg_silhouette_working(int64_t n, int64_t clusters);

/* Computes the results on the host, from tiles. done, share: the call's progress. report gets what
   computed the distances. Fails for distances that are missing or infinite. */
gpugeo_status gg_silhouette_compute(const gg_silhouette_plan *plan, double done, double share,
                                    gg_call *call);

GG_C_END

#endif
