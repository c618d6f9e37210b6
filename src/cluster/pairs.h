/* The pairs of points whose distances a family of clusters needs: what a call and a backend share.
 */
#ifndef GG_PAIRS_H
#define GG_PAIRS_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "distance/dist.h"
#include "distance/distance_call.h"
#include "distance/knn.h"

GG_C_BEGIN

/* The pairs of n points: those of a plan of a distance matrix within x, in double, whose shape,
   type and out mean nothing, or whose distances are read. */
typedef struct gg_pairs {
  int64_t n; /* at least 2 */
  int32_t threads;
  gg_dist_plan dist;
  gg_tree_use trees;
} gg_pairs;

/* A call on pairs of points. */
typedef struct gg_pairs_job {
  gg_distance_call call;
  gg_pairs pairs;
} gg_pairs_job;

/* Opens a call on at most 2^31 - 1 points. `values` is the number of doubles of result and working
   memory for each point; spheres: great circles are a metric. The call must be closed by
   gg_distance_call_close(), also after a failure. */
gpugeo_status gg_pairs_open(gg_distance_call *call, gg_family family, int64_t values, bool spheres);

/* True if the spanning tree of points is left to the host by default, since some coordinates are
   missing or infinite: its trees exclude these points, and a device computes all pairs. The
   source has been started. */
bool gg_pairs_prefer_host(const gg_dist_source *source);

/* Chooses the backend and plans the pairs of a job whose call is open and has at least two points
   and a coordinate. */
gpugeo_status gg_pairs_plan(gg_pairs_job *job, gg_family family);

GG_C_END

#endif
