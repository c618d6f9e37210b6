/* Minimum spanning trees on the CPU: by a k-d tree, or by the tiles of a distance matrix. */
#ifndef GG_CPU_MST_H
#define GG_CPU_MST_H

#include <math.h>

#include "cluster/mst.h"
#include "common/call.h"

/* Finds core distances by all pairs, and counts those that are missing. Progress is [0, share]. */
gpugeo_status gg_core_tiles(const gg_reach_plan *plan, gg_missing_pairs *missing, double share,
                            gg_call *call);

/* Finds the tree by a k-d tree. *done is false, and there is no result, if this would take longer
   than all pairs; or if core distances are needed and a point has a coordinate that is not finite.
 */
gpugeo_status gg_mst_kd(const gg_reach_plan *plan, gg_mst_result *result, bool *done,
                        gg_call *call);

/* True if an infinite distance of a tile is a missing one. */
static inline bool gg_marks_missing(const gg_pairs *pairs) {
  return pairs->dist.step == GG_STEP_correlation_missing;
}

/* True if a distance is missing. marked: an infinite one is, too. */
static inline bool gg_is_missing(double distance, bool marked) {
  return isnan(distance) || (marked && isinf(distance));
}

#endif
