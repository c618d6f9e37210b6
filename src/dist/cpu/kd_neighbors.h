/* Neighbours by k-d trees. */
#ifndef GG_KD_NEIGHBORS_H
#define GG_KD_NEIGHBORS_H

#include "dist/cpu/kd_search.h"
#include "dist/knn.h"

/* The k nearest, and all within a radius, as gg_cpu_knn() and gg_cpu_radius() find them. *done is
   false, and there is no result, if the search would take longer than that of all pairs. */
gpugeo_status gg_kd_knn(const gg_knn_plan *plan, gg_kd_work *work, bool *done, gg_clock *clock,
                        gpugeo_error *error);
gpugeo_status gg_kd_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_kd_work *work,
                           bool *done, gg_clock *clock, gpugeo_error *error);

/* True if trees serve the metric and the size, and fit into the memory of the call. */
bool gg_kd_suits(const gg_dist_plan *plan, gg_tree_use use, int64_t k);

#endif
