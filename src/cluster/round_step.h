/*
 * The rules of rounds, in which all pairs of clusters that are nearest to each other are merged in
 * the order of their lower clusters. Which pairs a round has shows in the bits of averages, so
 * all backends must follow these rules. They depend on counts, distances and numbers of clusters.
 */
#ifndef GG_ROUND_STEP_H
#define GG_ROUND_STEP_H

#include <stdint.h>

#include "cluster/linkage_step.h"

enum {
  GG_UNKNOWN = -1, /* nearest cluster: not known, the distance is a lower bound */
  GG_SEARCHES = 12 /* of rows whose nearest cluster was merged that each merge allows */
};

/*
 * True if a round rewrites the whole matrix, without the columns of clusters that were merged, and
 * finds all nearest clusters. Otherwise only rows and columns of pairs are rewritten. Merging a
 * pair in place moves about as many bytes as rewriting eight rows. active: columns of the matrix;
 * alive: clusters that are left, before the round.
 */
GG_LINKAGE int gg_round_rewrites(int64_t active, int64_t alive, int64_t pairs) {
  return 8 * pairs >= active || 3 * (active - alive) >= active;
}

/*
 * True if a round searches all `lost` rows whose nearest cluster is not known, which the credit
 * must allow. Otherwise it searches one of them: the cluster that is the nearest of another one at
 * the smallest distance. Without this, a cluster that is the nearest of most others would have
 * their rows searched again after each of its merges.
 */
GG_LINKAGE int gg_round_searches_all(int64_t pairs, int64_t lost, int64_t *credit) {
  *credit += GG_SEARCHES * pairs;
  if (lost > *credit) return 0;
  *credit -= lost;
  return 1;
}

/* A cluster's nearest one, the first of several, and the distance from it. */
typedef struct gg_nearest {
  double distance;
  int32_t cluster;
} gg_nearest;

/* Returns what a cluster's nearest one is compared as with clusters that were merged. lost: it was
   merged itself; then only clusters up to it come before all others at the same distance. */
GG_LINKAGE gg_nearest gg_nearest_begin(double distance, int32_t cluster, int lost) {
  const gg_nearest nearest = {distance, lost ? cluster + 1 : cluster};
  return nearest;
}

/* Compares a cluster with those found so far: nonzero if it is nearer. */
GG_LINKAGE int gg_nearest_take(gg_nearest *nearest, double distance, int32_t cluster) {
  if (!(distance < nearest->distance ||
        (distance == nearest->distance && cluster < nearest->cluster)))
    return 0;
  nearest->distance = distance;
  nearest->cluster = cluster;
  return 1;
}

#endif
