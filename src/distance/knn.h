/* The plans of nearest neighbours, from the core to a backend. */
#ifndef GG_KNN_H
#define GG_KNN_H

#include "common/test_hooks.h" /* gg_tree_use */
#include "distance/dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point of x at some distance from a point of y. */
typedef struct gg_neighbor {
  double distance; /* any NaN: missing */
  int32_t index;
} gg_neighbor;

/* True if a comes before b: by distance, a missing one last, then by index. */
#if defined(__CUDACC__)
__host__ __device__
#endif
    static inline bool
    gg_neighbor_before(gg_neighbor a, gg_neighbor b) {
  if (a.distance < b.distance) return true;
  if (b.distance < a.distance) return false;
  const bool a_missing = a.distance != a.distance, b_missing = b.distance != b.distance;
  return a_missing == b_missing ? a.index < b.index : b_missing;
}

/* Returns how a call searches neighbours: GG_TREES_AUTO but in tests. */
gg_tree_use gg_trees_use(void);

/* Returns the work of a search as AUTO counts it, in pairs of coordinates. In trees a query takes
   as long as 6,000 2^m of them: 2 microseconds on one thread in the plane, and twice as long for
   each dimension more. */
double gg_search_work(const gg_dist_plan *plan, gpugeo_metric metric);

/*
 * The k nearest points of x for each point of y, or, when dist.symmetric, of x, itself left out.
 *
 * dist is a plan of a distance matrix of x.nx rows and y.ny columns, in double; its shape, type and
 * out mean nothing here. Within x a distance is the one below the diagonal: of the point with the
 * larger index as row and the other as column. Where step is GG_STEP_correlation_missing an
 * infinite value is a missing distance.
 */
typedef struct gg_knn_plan {
  gg_dist_plan dist;
  gg_tree_use trees;
  int64_t k;        /* at least 1, at most the number of neighbours there are */
  int32_t *index;   /* ny by k, column-major, in order */
  double *distance; /* likewise, missing ones as dist.missing */
} gg_knn_plan;

/* All points of x at a distance of at most radius. A backend counts them, calls
   gg_radius_allocate(), and fills each point's part of found->index and found->distance, in any
   order: the core sorts. */
typedef struct gg_radius_plan {
  gg_dist_plan dist;
  gg_tree_use trees;
  double radius;
} gg_radius_plan;

/* Replaces the numbers of neighbours in found->start[i + 1] (start[0] is 0) by offsets and
   allocates the rest of `found`. On failure the core frees what was allocated. */
gpugeo_status gg_radius_allocate(gpugeo_neighbors *found, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
