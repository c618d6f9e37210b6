#include "ordination/permuted_sums.h"

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"

gpugeo_status gg_permuted_sums_open(gg_distance_call *call, gg_family family, double bytes,
                                    gpugeo_error *error) {
  const gg_distance_limits limits = {family, .least = 2, .most = INT32_MAX};
  const gpugeo_status status = gg_distance_call_open(call, &limits, error);
  return status ? status : gg_tested_check_memory(&call->source, bytes, error);
}

double *gg_group_weights(const gpugeo_design *design, gpugeo_error *error) {
  const int64_t groups = design && design->groups > 0 ? design->groups : 0;
  double *weight = gg_allocate(groups, sizeof *weight);
  if (!weight) gg_fail_memory(error, groups * (int64_t)sizeof *weight);
  return weight;
}

/* Chooses the backend by the sums and the bytes of all distances, or of their ranks. */
static gpugeo_status choose_backend(const gg_permuted_sums_plan *plan, double work,
                                    gg_distance_call *call, gpugeo_error *error) {
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
  return gg_distance_call_choose(call, &request, 0, error);
}

gpugeo_status gg_permuted_sums_run(gg_permuted_sums_plan *plan, const gpugeo_design *design,
                                   gg_distance_call *call, gpugeo_error *error) {
  plan->source = &call->source;
  plan->name = call->name;
  plan->n = call->source.n;
  plan->group = design->group;
  plan->groups = design->groups;
  plan->order = design->order;
  plan->permutations = design->permutations;
  const double n = (double)plan->n, pairs = n * n / 2;
  const double work = pairs * (1 + 0.1 * (double)gg_permuted_sums_count(plan));
  plan->threads = gg_threads_for(call->run->threads, work);
  plan->work_bytes = call->run->work_bytes;
  gpugeo_status status = gg_distance_call_start(call, error);
  if (!status) status = choose_backend(plan, work, call, error);
  if (status) return status;
  gg_distance_call_report(call, plan->threads);
  plan->device = call->device;
  status = gg_distance_call_plan(call, false, &plan->points, error);
  return status ? status
                : call->backend->permuted_sums(plan, GG_CALL_OF(&call->clock, call->report, error));
}
