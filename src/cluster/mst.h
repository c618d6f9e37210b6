/* What a backend gets and returns of a minimum spanning tree of all pairs of points. */
#ifndef GG_MST_H
#define GG_MST_H

#include "cluster/forest.h"
#include "cluster/pairs.h"
#include "common/c_linkage.h"

GG_C_BEGIN

/* A tree of mutual reachability: the core distance of a point is that of its k-th neighbour. */
typedef struct gg_reach_plan {
  const gg_pairs *pairs;
  int64_t k;    /* 1 <= k < n; 0: a tree of distances */
  double *core; /* n, which the backend writes; not used if k is 0 */
} gg_reach_plan;

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

/* Finds the minimum spanning tree of a job's distances; if `reach` is not NULL, that of its mutual
   reachability. Fails if pairs have no distance. */
gpugeo_status gg_pairs_find_tree(gg_pairs_job *job, const gg_reach_plan *reach,
                                 gg_mst_result *result);

/* True if it is certain that no distance of points is missing or infinite: the coordinates exclude
   it, or a way along their tree between any two points is shorter than what overflows. */
bool gg_tree_shows_finite(const gg_dist_source *points, const gg_mst_result *found);

GG_C_END

#endif
