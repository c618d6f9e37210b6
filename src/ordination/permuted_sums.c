#include "ordination/permuted_sums.h"

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"

gpugeo_status gg_permuted_sums_open(gg_distance_call *call, gg_family family, double bytes) {
  const gg_distance_limits limits = {family, .least = 2, .most = INT32_MAX};
  gg_distance_call_open(call, &limits);
  return GG_TRY(&call->base, gg_tested_check_memory(&call->source, bytes, call->base.error));
}

double *gg_group_weights(const gpugeo_design *design, gg_call *call) {
  const int64_t groups = design && design->groups > 0 ? design->groups : 0;
  return gg_call_allocate(call, groups, sizeof(double));
}

/* Chooses the backend by the sums and the bytes of all distances, or of their ranks. */
static gpugeo_status choose_backend(const gg_permuted_sums_plan *plan, double work,
                                    gg_distance_call *call) {
  const gg_dist_source *source = &call->source;
  const double n = (double)source->n, rest = (double)((int64_t)1 << 30);
  const bool there = source->kind == GG_DIST_SOURCE_DEVICE;
  const gg_request request = {.family = plan->within ? GG_FAMILY_MRPP : GG_FAMILY_PERMUTED_SUMS,
                              .sparse = gg_dist_source_is_sparse(source),
                              .work = work,
                              .bytes =
                                  gg_dist_source_link_bytes(source) + (plan->ranks ? 4 * n * n : 0),
                              .resident = (plan->ranked ? 12 * n * n
                                           : there      ? 0
                                                        : 4 * n * n) +
                                          rest,
                              .alone = true};
  return gg_distance_call_choose(call, &request, 0);
}

gpugeo_status gg_permuted_sums_run(gg_permuted_sums_plan *plan, const gpugeo_design *design,
                                   gg_distance_call *call) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  plan->source = &call->source;
  plan->name = call->name;
  plan->n = call->source.n;
  plan->group = design->group;
  plan->groups = design->groups;
  plan->order = design->order;
  plan->permutations = design->permutations;
  const double n = (double)plan->n, pairs = n * n / 2;
  const double work = pairs * (1 + 0.1 * (double)gg_permuted_sums_count(plan));
  plan->threads = gg_threads_for(base->run->threads, work);
  plan->work_bytes = base->run->work_bytes;
  gg_distance_call_start(call);
  if (choose_backend(plan, work, call)) return base->status;
  gg_distance_call_report(call, plan->threads);
  plan->device = call->device;
  gg_distance_call_plan(call, false, &plan->points);
  return GG_TRY(base, call->backend->permuted_sums(plan, base));
}
