/* Points with a coordinate that is not finite, which are in no k-d tree: see mst_kd.c. */
#ifndef GG_MST_ODD_H
#define GG_MST_ODD_H

#include "cluster/cpu/mst_search.h"

/* Adds the edges of odd points that may be in the tree. Counts pairs without a distance. */
gpugeo_status gg_mst_join_odd(gg_mst_search *s, gg_missing_pairs *missing);

#endif
