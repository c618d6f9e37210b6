/* Silhouettes: checks the arguments, and passes the plan to a backend or to the host. */
#include "cluster/silhouette_sums.h"

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "distance/dist_device.h"
#include "distance/distance_call.h"

GG_OPTIONS_INIT(silhouette, .metric = GG_DEFAULT_METRIC)

/* Checks the clusters, and copies their numbers from 0 on. */
static gpugeo_status take_clusters(const int32_t *cluster, int64_t length, int64_t n, int32_t *own,
                                   int64_t *clusters, gpugeo_error *error) {
  if (length != n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "clusters",
                   "clusters must have a number for each of the %lld points, not %lld numbers",
                   (long long)n, (long long)length);
  if (!cluster && n > 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "clusters",
                   "clusters must have a number for each of the %lld points, not NULL",
                   (long long)n);
  *clusters = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (cluster[i] < 1 || cluster[i] > n)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "clusters",
                     "clusters must be between 1 and %lld, the number of points, but value %lld is "
                     "%d",
                     (long long)n, (long long)i + 1, (int)cluster[i]);
    own[i] = cluster[i] - 1;
    if (*clusters < cluster[i]) *clusters = cluster[i];
  }
  return GPUGEO_OK;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Returns the request of a job whose distances are computed or read, and added up, on a device,
   which has the sums of all points, and at most 1 GiB next to them and the points. */
static gg_request request_of(const gg_silhouette_plan *plan, bool points) {
  const gg_dist_source *source = plan->source;
  const double n = (double)source->n, rest = (double)((int64_t)1 << 30);
  gg_request request = {.family = GG_FAMILY_SILHOUETTE};
  if (points) {
    const gg_dist_plan dist = gg_dist_plan_make(&source->x, NULL, &source->options, 0);
    request =
        gg_dist_request(&dist, GG_FAMILY_SILHOUETTE, &source->options, (int)source->shared[0]);
  }
  request.work += n * n;
  request.bytes += 16 * n;
  request.resident += 8 * n * (double)plan->clusters + rest;
  request.alone = true;
  return request;
}

/* Chooses the backend that adds up distances where they are. *chosen is false if the host does,
   from tiles of any backend. */
static gpugeo_status choose_backend(const gg_silhouette_plan *plan, gg_distance_call *call,
                                    bool *chosen) {
  const gg_dist_source *source = &call->source;
  const gg_backend *named = gg_backend_of(call->base.run->backend);
  const bool points = source->kind == GG_DIST_SOURCE_POINTS && !gg_dist_source_is_empty(source);
  *chosen = false;
  if (!points && source->kind != GG_DIST_SOURCE_DEVICE) return GPUGEO_OK;
  if (named && !gg_backend_has(named, GG_FAMILY_SILHOUETTE)) return GPUGEO_OK;
  const gg_request request = request_of(plan, points);
  const gpugeo_status status = gg_distance_call_choose(call, &request, 0);
  if (status || !call->backend->silhouette) return status;
  *chosen = points || source->on_device->backend == call->backend;
  return GPUGEO_OK;
}

/* Computes the results on a backend. *done is false if none does. */
static gpugeo_status compute_on_backend(gg_silhouette_plan *plan, gg_distance_call *call,
                                        bool *done) {
  gg_call *base = &call->base;
  const gpugeo_report before = *base->report;
  gg_silhouette_outcome outcome = {.declined = false};
  bool chosen;
  *done = false;
  if (choose_backend(plan, call, &chosen) || !chosen) return base->status;
  gg_distance_call_report(call, plan->threads);
  plan->device = call->device;
  gg_distance_call_plan(call, true, &plan->points);
  GG_TRY(base, call->backend->silhouette(plan, &outcome, base));
  plan->points = NULL;
  if (base->status) return base->status;
  *done = !outcome.declined;
  if (outcome.declined) *base->report = before;
  if (outcome.bad.count == 0) return GPUGEO_OK;
  return GG_TRY(base, gg_fail_distances(plan->name, &outcome.bad, base->error));
}

/* Checks the working memory and computes on a device or on the CPU. */
static gpugeo_status compute_silhouettes(gg_distance_call *call, gg_silhouette_plan *plan) {
  gg_call *base = &call->base;
  const gpugeo_run *run = base->run;
  const int64_t n = call->source.n;
  bool done = false;
  GG_TRY(base, gg_check_work(run, gg_silhouette_working(n, plan->clusters), base->error,
                             "the silhouettes of %lld clusters", (long long)plan->clusters));
  if (gg_distance_call_start(call)) return base->status;
  plan->threads = gg_threads_for(run->threads, 20 * (double)n * (double)n);
  plan->work_bytes = run->work_bytes ? run->work_bytes : GG_WORK_BYTES;
  compute_on_backend(plan, call, &done);
  if (!done) gg_silhouette_compute(plan, 0, 1, base);
  base->report->threads = plan->threads;
  for (int64_t i = 0; !base->status && i < n; ++i)
    ++plan->neighbor[i];
  return base->status;
}

/* Checks the clusters and computes the results of all points. */
static gpugeo_status run_call(gg_distance_call *call, const int32_t *cluster, int64_t length,
                              gg_silhouette_plan *plan) {
  gg_call *base = &call->base;
  const int64_t n = call->source.n;
  int32_t *own = gg_call_allocate(base, n, sizeof *own);
  plan->cluster = own;
  GG_TRY(base, take_clusters(cluster, length, n, own, &plan->clusters, base->error));
  if (!base->status && n > 0) compute_silhouettes(call, plan);
  gg_free(own);
  return base->status;
}

gpugeo_status gpugeo_silhouette(const gpugeo_distances *x, const int32_t *cluster,
                                int64_t cluster_length, const gpugeo_silhouette_options *options,
                                int32_t *neighbor, double *width, gpugeo_report *report,
                                gpugeo_error *error) {
  gpugeo_silhouette_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(silhouette_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_DIST, .most = INT32_MAX};
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_call *base = &call.base;
  gg_silhouette_plan plan = {
      .source = &call.source, .name = "x", .neighbor = neighbor, .width = width};
  gg_distance_call_open(&call, &limits);
  gg_distance_call_check_result(&call, 3, 1024);
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  run_call(&call, cluster, cluster_length, &plan);
  return gg_distance_call_close(&call);
}
