/* Nearest neighbours: the choice of a search. */
#ifndef GG_KNN_H
#define GG_KNN_H

#include "common/c_linkage.h"
#include "common/test_hooks.h" /* gg_tree_use */
#include "distance/dist.h"

GG_C_BEGIN

/* Returns how a call searches neighbours: GG_TREES_AUTO but in tests. */
gg_tree_use gg_trees_use(void);

/* Returns the work of a search as AUTO counts it, in pairs of coordinates. In trees a query takes
   as long as 6,000 2^m of them: 2 microseconds on one thread in the plane, and twice as long for
   each dimension more. */
double gg_search_work(const gg_dist_plan *plan, gpugeo_metric metric);

GG_C_END

#endif
