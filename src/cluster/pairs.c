#include "cluster/pairs.h"

#include <math.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"

gpugeo_status gg_pairs_open(gg_distance_call *call, gg_family family, int64_t values,
                            bool spheres) {
  const gg_distance_limits limits = {family, .most = INT32_MAX, .spheres = spheres};
  gg_distance_call_open(call, &limits);
  return gg_distance_call_check_result(call, (double)values, GG_READ_SIDE);
}

bool gg_pairs_prefer_host(const gg_dist_source *source) {
  if (source->options.run.backend != GPUGEO_BACKEND_AUTO || source->kind != GG_DIST_SOURCE_POINTS ||
      gg_dist_source_is_empty(source))
    return false;
  if (!((int)source->shared[0] & (GG_HAS_MISSING | GG_HAS_INFINITE))) return false;
  const gg_dist_plan plan = gg_dist_plan_make(&source->x, NULL, &source->options, 0);
  return gg_search_work(&plan, source->options.metric.kind) < gg_dist_work(&plan);
}

/* Makes the plan of the distances of points, which gg_dist_prepare_shared() completes. */
static void make_plan(gg_pairs_job *job) {
  gg_dist_plan *plan = &job->pairs.dist;
  *plan = gg_dist_plan_make(&job->call.source.x, NULL, &job->call.source.options, 0);
  plan->single = false;
  plan->missing = NAN;
}

/* Completes the plan for the backend. */
static gpugeo_status plan_points(gg_pairs_job *job) {
  gg_distance_call *call = &job->call;
  gg_dist_plan *plan = &job->pairs.dist;
  plan->backend = call->backend;
  plan->device = call->device;
  plan->workers = 1;
  return gg_dist_prepare_shared(plan, &call->source.options, call->source.shared, &call->memory,
                                &call->base);
}

/* Returns the request of points: each takes some searches, and some 300 bytes on a device. */
static gg_request request_for_points(const gg_pairs_job *job, gg_family family) {
  const gg_dist_source *source = &job->call.source;
  const double bytes = gg_dist_source_link_bytes(source), n = (double)source->n;
  return (gg_request){.family = family,
                      .sparse = source->x.sparse,
                      .sphere = source->options.metric.kind == GPUGEO_METRIC_GREAT_CIRCLE,
                      .work = gg_search_work(&job->pairs.dist, source->options.metric.kind),
                      .bytes = bytes + 24 * n,
                      .resident = bytes + 300 * n};
}

/* Chooses the backend for a source that was started. Distances that are there already are read on
   the host. */
static gpugeo_status choose_backend(gg_pairs_job *job, gg_family family, bool points) {
  const gg_request any = {.family = family};
  const gg_request request = points ? request_for_points(job, family) : any;
  gg_distance_call_choose(&job->call, &request, 0);
  if (job->call.base.status) return job->call.base.status;
  if (!points || (family == GG_FAMILY_MST && gg_pairs_prefer_host(&job->call.source)))
    gg_distance_call_take_host(&job->call);
  return GPUGEO_OK;
}

gpugeo_status gg_pairs_plan(gg_pairs_job *job, gg_family family) {
  gg_distance_call *call = &job->call;
  if (call->base.status) return call->base.status;
  const bool points = call->source.kind == GG_DIST_SOURCE_POINTS;
  const double n = (double)call->source.n;
  if (points) make_plan(job);
  gg_distance_call_start(call);
  if (choose_backend(job, family, points)) return call->base.status;
  job->pairs.n = call->source.n;
  job->pairs.trees = gg_trees_use();
  job->pairs.threads =
      points ? job->pairs.dist.threads : gg_threads_for(call->base.run->threads, n * n);
  gg_distance_call_report(call, job->pairs.threads);
  if (points) return plan_points(job);
  job->pairs.dist = gg_dist_source_plan_read(&call->source, job->pairs.threads);
  return GPUGEO_OK;
}
