/* The merges of a hierarchical clustering: what a backend writes, and what becomes of it. */
#ifndef GG_MERGES_H
#define GG_MERGES_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"

GG_C_BEGIN

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

/* Checks that each of n points and each earlier merge is merged once; merge: n - 1 by 2. */
gpugeo_status gg_merges_check(const int32_t *merge, int64_t n, gpugeo_error *error);

/* Sets of each of the 2 n - 1 clusters its number of points, and the position of the first of them
   in the order that has the first cluster of each merge on the left. The merges are checked. */
void gg_merges_lay_out(const int32_t *merge, int64_t n, int32_t *size, int32_t *start);

/* Numbers the clusters: merge (n - 1 by 2) and order (n) as gpugeo_hclust() returns them. */
gpugeo_status gg_merges_number(const gg_merge *merges, int64_t n, int32_t *merge, int32_t *order,
                               gg_call *call);

GG_C_END

#endif
