#include "cluster/cpu/mst.h"

#include "common/cpu.h"
#include "distance/cpu/kd_neighbors.h"

gpugeo_status gg_cpu_hdbscan(const gg_reach_plan *plan, gg_mst_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_pairs *pairs = plan->pairs;
  if (!pairs->read && gg_kd_suits(&pairs->dist, pairs->trees, plan->k)) {
    bool done = false;
    gg_mst_kd(plan, result, &done, call);
    if (call->status || done) return call->status;
    gg_forest_free(&result->tree);
  }
  return gg_mst_tiles(plan, result, call);
}

gpugeo_status gg_cpu_mst(const gg_pairs *plan, gg_mst_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_reach_plan distances = {.pairs = plan};
  return gg_cpu_hdbscan(&distances, result, call);
}
