/* Silhouettes: checks the arguments, and passes the plan to a backend or to the host. */
#include "cluster/silhouette.h"

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "dist/dist_device.h"

void gpugeo_silhouette_options_init(gpugeo_silhouette_options *options, size_t size) {
  gpugeo_silhouette_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances and checks the number of points and the memory. */
static gpugeo_status open_source(const gpugeo_distances *x,
                                 const gpugeo_silhouette_options *options, gg_dist_source *source,
                                 gpugeo_error *error) {
  gpugeo_status status = gg_dist_source_open("x", x, &options->metric, options->points,
                                             &options->run, false, source, error);
  if (status) return status;
  if (source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                   INT32_MAX, (long long)source->n);
  const double working = gg_dist_source_working(source, 1024, 1024);
  return gg_check_result(3 * (double)source->n, GPUGEO_TYPE_DOUBLE, working, error);
}

gpugeo_status gpugeo_silhouette_size(const gpugeo_distances *x,
                                     const gpugeo_silhouette_options *options, int64_t *points,
                                     gpugeo_error *error) {
  gpugeo_silhouette_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(silhouette_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

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

/* --- The call ----------------------------------------------------------------------------------
 */

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

/* Chooses the backend that adds up distances where they are; *backend is NULL if the host does,
   from tiles of any backend. */
static gpugeo_status choose_backend(const gg_silhouette_plan *plan, const gg_backend **backend,
                                    int32_t *device, gpugeo_error *error) {
  const gg_dist_source *source = plan->source;
  const gpugeo_run *run = &source->options.run;
  const gg_backend *named = gg_backend_of(run->backend), *chosen;
  const bool points = source->kind == GG_DIST_SOURCE_POINTS &&
                      gg_point_size(&source->x, source->options.points) > 0;
  *backend = NULL;
  if (!points && source->kind != GG_DIST_SOURCE_DEVICE) return GPUGEO_OK;
  if (named && !gg_backend_has(named, GG_FAMILY_SILHOUETTE)) return GPUGEO_OK;
  const gg_request request = request_of(plan, points);
  gpugeo_status status = gg_backend_choose(run, &request, &chosen, device, error);
  if (status || !chosen->silhouette) return status;
  if (!points && source->on_device->backend != chosen) return GPUGEO_OK;
  *backend = chosen;
  *device = gg_dist_source_device(source, chosen, *device);
  return GPUGEO_OK;
}

/* Computes the results on a backend. *done is false if none does. */
static gpugeo_status compute_on_backend(gg_silhouette_plan *plan, gg_clock *clock, bool *done,
                                        gpugeo_report *report, gpugeo_error *error) {
  const gg_dist_source *source = plan->source;
  const gpugeo_report before = *report;
  const gg_backend *backend;
  gg_dist_plan points;
  gg_dist_memory memory = {0};
  gg_silhouette_outcome outcome = {.declined = false};
  *done = false;
  gpugeo_status status = choose_backend(plan, &backend, &plan->device, error);
  if (status || !backend) return status;
  *report = gg_report_of(backend, plan->device, 1, plan->threads);
  if (source->kind == GG_DIST_SOURCE_POINTS) {
    plan->points = &points;
    status =
        gg_dist_source_plan(source, backend, plan->device, &points, &memory, clock, report, error);
  }
  if (!status) status = backend->silhouette(plan, &outcome, clock, report, error);
  gg_dist_memory_free(&memory);
  plan->points = NULL;
  if (status) return status;
  *done = !outcome.declined;
  if (outcome.declined) *report = before;
  return outcome.bad.count > 0 ? gg_fail_distances(plan->name, &outcome.bad, error) : GPUGEO_OK;
}

/* Checks the working memory and computes on a device or on the CPU. */
static gpugeo_status compute(gg_dist_source *source, const gpugeo_silhouette_options *options,
                             gg_silhouette_plan *plan, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error) {
  const int64_t n = source->n;
  const double bytes = gg_silhouette_working(n, plan->clusters);
  bool done = false;
  gpugeo_status status = gg_check_work(
      &options->run, bytes, error, "the silhouettes of %lld clusters", (long long)plan->clusters);
  if (!status) status = gg_dist_source_start(source, clock, error);
  if (status) return status;
  plan->threads = gg_threads_for(options->run.threads, 20 * (double)n * (double)n);
  plan->work_bytes = options->run.work_bytes ? options->run.work_bytes : GG_WORK_BYTES;
  status = compute_on_backend(plan, clock, &done, report, error);
  if (!status && !done) status = gg_silhouette_compute(plan, clock, 0, 1, report, error);
  report->threads = plan->threads;
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  for (int64_t i = 0; !status && i < n; ++i)
    ++plan->neighbor[i];
  return status;
}

gpugeo_status gpugeo_silhouette(const gpugeo_distances *x, const int32_t *cluster,
                                int64_t cluster_length, const gpugeo_silhouette_options *options,
                                int32_t *neighbor, double *width, gpugeo_report *report,
                                gpugeo_error *error) {
  gpugeo_report unread;
  if (!report) report = &unread;
  gpugeo_silhouette_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(silhouette_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) status = gg_report_start(&options->run, GG_FAMILY_DIST, report, error);
  if (!status) {
    gg_clock clock;
    gg_clock_start(&clock, &options->run);
    const int64_t n = source.n;
    int32_t *own = gg_allocate(n, sizeof *own);
    gg_silhouette_plan plan = {
        .source = &source, .name = "x", .cluster = own, .neighbor = neighbor, .width = width};
    status = own ? take_clusters(cluster, cluster_length, n, own, &plan.clusters, error)
                 : gg_fail_memory(error, n * (int64_t)sizeof *own);
    if (!status && n > 0) status = compute(&source, options, &plan, &clock, report, error);
    gg_free(own);
    report->seconds = gg_now() - clock.start;
  }
  gg_dist_source_close(&source);
  return status;
}
