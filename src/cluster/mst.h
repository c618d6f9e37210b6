/* The plan of a minimum spanning tree, from the core to a backend. */
#ifndef GG_MST_H
#define GG_MST_H

#include "cluster/forest.h"
#include "dist/dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tree of n points: those of dist.x, where dist is a plan of a distance matrix within x, in
   double, whose shape, type and out mean nothing; or those whose distances are read. */
typedef struct gg_mst_plan {
  int64_t n; /* at least 2 */
  int32_t threads;
  gg_dist_plan dist;
  /* Reads a tile of distances; for the calling thread only. Missing ones are NaN. done, share: the
     call's progress. NULL: dist has the points. */
  gpugeo_status (*read)(void *own, const gpugeo_tile *tile, double *out, double done, double share,
                        gpugeo_error *error);
  void *own;
} gg_mst_plan;

/* Pairs without a distance: their number and the first of them, i < j. Begins as {0}. */
typedef struct gg_missing_pairs {
  int64_t count, i, j;
} gg_missing_pairs;

/* Adds a pair. */
static inline void gg_missing_pairs_add(gg_missing_pairs *missing, int64_t a, int64_t b) {
  const int64_t i = a < b ? a : b, j = a < b ? b : a;
  if (missing->count++ > 0 && (missing->i < i || (missing->i == i && missing->j < j))) return;
  missing->i = i;
  missing->j = j;
}

/* Adds pairs that were counted by themselves. */
static inline void gg_missing_pairs_join(gg_missing_pairs *missing, const gg_missing_pairs *more) {
  if (more->count == 0) return;
  gg_missing_pairs_add(missing, more->i, more->j);
  missing->count += more->count - 1;
}

/* What a backend returns. Where pairs are missing there is no tree. */
typedef struct gg_mst_result {
  gg_forest tree; /* sorted; the core frees it, also after a failure */
  gg_missing_pairs missing;
} gg_mst_result;

#ifdef __cplusplus
}
#endif

#endif
