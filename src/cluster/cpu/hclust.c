/* Hierarchical clustering on the CPU. */
#include "cluster/hclust.h"

#include "cluster/cpu/working.h"
#include "common/cpu.h"

/* Part of the call's time that the distances take, for progress. */
static const double share_of_distances = 1.0 / 3;

gpugeo_status gg_cpu_hclust(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call) {
  if (call->status) return call->status;
  if (plan->linkage == GPUGEO_LINKAGE_SINGLE) return gg_merge_single(plan, merges, call);
  if (plan->centroids) return gg_merge_centroids(plan, merges, call);
  gg_working w;
  gg_working_make(plan, merges, &w, call);
  gg_working_fill(&w, share_of_distances);
  if (gg_linkage_is_reducible(plan->linkage))
    gg_merge_reducible(&w);
  else
    gg_merge_generic(&w);
  gg_working_free(&w);
  return call->status;
}
