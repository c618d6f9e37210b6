/* Minimum spanning trees on the CPU: by a k-d tree, or by the tiles of a distance matrix. */
#ifndef GG_CPU_MST_H
#define GG_CPU_MST_H

#include "cluster/mst.h"

/* Finds the tree by all pairs. */
gpugeo_status gg_mst_tiles(const gg_pairs *plan, gg_mst_result *result, gg_clock *clock,
                           gpugeo_report *report, gpugeo_error *error);

/* Finds the tree by a k-d tree. *done is false, and there is no result, if this would take longer
   than all pairs. */
gpugeo_status gg_mst_kd(const gg_pairs *plan, gg_mst_result *result, bool *done, gg_clock *clock,
                        gpugeo_error *error);

#endif
