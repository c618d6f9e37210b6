/* Silhouettes: checks the arguments. */
#include "cluster/silhouette.h"

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"

void gpugeo_silhouette_options_init(gpugeo_silhouette_options *options, size_t size) {
  gpugeo_silhouette_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

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

static gpugeo_status compute(gg_dist_source *source, const gpugeo_silhouette_options *options,
                             gg_silhouette_plan *plan, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error) {
  const int64_t n = source->n;
  const double bytes = gg_silhouette_working(n, plan->clusters);
  gpugeo_status status = gg_check_work(
      &options->run, bytes, error, "the silhouettes of %lld clusters", (long long)plan->clusters);
  if (!status) status = gg_dist_source_start(source, clock, error);
  if (status) return status;
  plan->threads = gg_threads_for(options->run.threads, 20 * (double)n * (double)n);
  plan->work_bytes = options->run.work_bytes ? options->run.work_bytes : GG_WORK_BYTES;
  status = gg_silhouette_compute(plan, clock, 0, 1, report, error);
  report->threads = plan->threads;
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  for (int64_t i = 0; i < n; ++i)
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
