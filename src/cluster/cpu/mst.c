#include "cluster/cpu/mst.h"

#include "common/cpu.h"
#include "dist/cpu/kd_neighbors.h"

gpugeo_status gg_cpu_mst(const gg_pairs *plan, gg_mst_result *result, gg_clock *clock,
                         gpugeo_report *report, gpugeo_error *error) {
  if (!plan->read && gg_kd_suits(&plan->dist, plan->trees, 0)) {
    bool done = false;
    gpugeo_status status = gg_mst_kd(plan, result, &done, clock, error);
    if (status || done) return status;
    gg_forest_free(&result->tree);
  }
  return gg_mst_tiles(plan, result, clock, report, error);
}
