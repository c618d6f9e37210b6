/* Neighbours by k-d trees. */
#ifndef GG_KD_NEIGHBORS_H
#define GG_KD_NEIGHBORS_H

#include "common/call.h"
#include "distance/cpu/kd_search.h"
#include "distance/cpu/near.h"
#include "distance/knn.h"

/* The k nearest, and all within a radius, as gg_cpu_knn() and gg_cpu_radius() find them. *done is
   false, and there is no result, if the search would take longer than that of all pairs. */
gpugeo_status gg_kd_knn(const gg_knn_plan *plan, gg_kd_work *work, bool *done, gg_call *call);
gpugeo_status gg_kd_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_kd_work *work,
                           bool *done, gg_call *call);

/* Visits the neighbours within a radius as gg_cpu_visit_near() does. */
gpugeo_status gg_kd_visit_near(const gg_radius_plan *plan, const gg_near_visitor *visitor,
                               bool *done, gg_call *call);

/* True if trees serve the metric and the size, and fit into the memory of the call. */
bool gg_kd_suits(const gg_dist_plan *plan, gg_tree_use use, int64_t k);

/* Returns the search for a step that gg_sum_step() returns and m coordinates. */
gg_kd_search *gg_kd_choose_search(const gg_kd_kernels *kernels, gg_step step, int64_t m);

/* Returns the number of groups, of so many leaves, by which gg_kd_is_slower() decides; 0: trees are
   used in any case. */
int64_t gg_kd_sample(gg_tree_use use, int64_t leaves);

/* Returns the leaf of one of them. */
static inline int64_t gg_kd_sampled(int64_t leaves, int64_t groups, int64_t group) {
  return (2 * group + 1) * leaves / (2 * groups);
}

/* True if so many times this work, and computing pairs with odd points, takes longer than all pairs
   of the plan. */
bool gg_kd_is_slower(const gg_dist_plan *plan, const gg_kd_work *work, double times,
                     double odd_pairs);

#endif
