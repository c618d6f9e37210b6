/* Clusters by density: neighbours are visited on the device (cuda/distance/density.cuh), and
   clusters numbered on the host. */
#include "cluster/dbscan.h"

#include "cuda/distance/density.cuh"

namespace gpugeo {
namespace {

/* Replaces roots by the numbers of clusters, in the order of their first core points. */
void number_clusters(const gg_dbscan_plan &plan) {
  const int64_t n = plan.pairs->n;
  int32_t *cluster = plan.cluster, clusters = 0;
  for (int64_t i = 0; i < n; ++i)
    if (plan.core[i]) cluster[i] = cluster[i] == i ? ++clusters : cluster[cluster[i]];
  for (int64_t i = 0; i < n; ++i)
    if (!plan.core[i]) cluster[i] = cluster[i] == INT32_MAX ? 0 : cluster[cluster[i]];
}

} // namespace

gpugeo_status dbscan(const gg_dbscan_plan &plan, call &call) {
  const gg_radius_plan near = {plan.pairs->dist, plan.pairs->trees, plan.eps};
  density(near, plan.min_points, plan.border, plan.core, plan.cluster, call.workers());
  number_clusters(plan);
  return GPUGEO_OK;
}

} // namespace gpugeo
