/* Principal coordinates: checks the arguments, plans, and passes the plan to a backend. */
#include "ordination/pcoa.h"

#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"

static const double usual_passes = 20;   /* for 10 axes */
static const double pass_latency = 1e-3; /* seconds of a pass over few points on a device */

void gpugeo_pcoa_options_init(gpugeo_pcoa_options *options, size_t size) {
  gpugeo_pcoa_options defaults = {.metric.p = 2, .k = 2, .tolerance = 1e-10, .max_passes = 1000};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Checks k, the correction, the tolerance and the passes. */
static gpugeo_status check_options(const gpugeo_pcoa_options *options, int64_t n,
                                   gpugeo_error *error) {
  if (options->k < 1 || options->k > n - 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "k",
                   "k must be a whole number between 1 and %lld, not %lld", (long long)n - 1,
                   (long long)options->k);
  if ((int)options->correction < 0 || options->correction >= GPUGEO_PCOA_CORRECTION_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "correction",
                   "correction must be between 0 and %d, not %d", GPUGEO_PCOA_CORRECTION_COUNT - 1,
                   (int)options->correction);
  if (!(options->tolerance >= 0 && options->tolerance <= 1))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "tolerance",
                   "tolerance must be between 0 and 1, not %s", gg_number(options->tolerance).text);
  if (options->max_passes < 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "max_passes",
                   "max_passes must be a whole number of at least 1, not %lld",
                   (long long)options->max_passes);
  return GPUGEO_OK;
}

/* Opens the distances and checks the options and the memory for n points. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_pcoa_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  const gpugeo_run *run = &options->run;
  *source = (gg_dist_source){.n = 0};
  gpugeo_status status = gg_check_family(run, GG_FAMILY_PCOA, error);
  if (!status)
    status =
        gg_dist_source_open("x", x, &options->metric, options->points, run, false, source, error);
  if (status) return status;
  if (source->n < 2 || source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have 2 to %d points, not %lld",
                   INT32_MAX, (long long)source->n);
  status = check_options(options, source->n, error);
  if (status) return status;
  return gg_check_memory(gg_pcoa_working(source->n, options->k), "", error,
                         "%lld principal coordinates of %lld points need", (long long)options->k,
                         (long long)source->n);
}

gpugeo_status gpugeo_pcoa_size(const gpugeo_distances *x, const gpugeo_pcoa_options *options,
                               int64_t *points, gpugeo_error *error) {
  gpugeo_pcoa_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(pcoa_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

/* True if distances are computed from points. */
static bool is_points(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS;
}

/* Chooses the backend and its device. Without coordinates all distances are missing, which is an
   error anywhere. */
static gpugeo_status choose_backend(const gg_dist_source *source, const gpugeo_run *run,
                                    double work, double working, const gg_backend **backend,
                                    int32_t *device, gpugeo_error *error) {
  const double n = (double)source->n;
  const bool there = source->kind == GG_DIST_SOURCE_DEVICE;
  const gg_request request = {.family = GG_FAMILY_PCOA,
                              .sparse = is_points(source) && source->x.sparse,
                              .work = work,
                              .bytes = gg_dist_source_link_bytes(source),
                              .latency = usual_passes * pass_latency,
                              .resident = (there ? 0 : 4 * n * n) + working,
                              .alone = true};
  const gpugeo_status status = gg_backend_choose(run, &request, backend, device, error);
  if (status) return status;
  if (is_points(source) && gg_point_size(&source->x, source->options.points) == 0)
    *backend = gg_host_backend();
  *device = (*backend)->can.devices ? gg_dist_source_device(source, *backend, *device) : -1;
  return GPUGEO_OK;
}

/* Has a backend compute a plan, whose result gets its report. */
static gpugeo_status compute(const gg_backend *backend, gg_pcoa_plan *plan, gg_clock *clock,
                             gpugeo_report *report, gpugeo_error *error) {
  gg_dist_plan points;
  gg_dist_memory memory = {0};
  gpugeo_status status = GPUGEO_OK;
  *report = gg_report_of(backend, plan->device, 1, plan->threads);
  if (is_points(plan->source) && backend->can.devices) {
    status = gg_dist_source_plan(plan->source, backend, plan->device, &points, &memory, clock,
                                 report, error);
    plan->points = &points;
  }
  if (!status) status = backend->pcoa(plan, clock, report, error);
  gg_dist_memory_free(&memory);
  plan->points = NULL;
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  return status;
}

/* Chooses the backend, makes the plan and runs it. */
static gpugeo_status run_plan(gg_dist_source *source, const gpugeo_pcoa_options *options,
                              gpugeo_pcoa_result *result, gpugeo_report *report,
                              gpugeo_error *error) {
  const gpugeo_run *run = &options->run;
  const double n = (double)source->n;
  const double work = usual_passes * n * n / 2 * (double)(options->k + GG_PANEL);
  gg_pcoa_plan plan = {.source = source,
                       .name = "x",
                       .n = source->n,
                       .k = options->k,
                       .correction = options->correction,
                       .tolerance = options->tolerance,
                       .most = options->max_passes,
                       .working = gg_pcoa_working(source->n, options->k),
                       .threads = gg_threads_for(run->threads, work),
                       .storable =
                           run->work_bytes ? (double)run->work_bytes : gg_machine_memory() / 2,
                       .result = result};
  const gg_backend *backend;
  gg_clock clock;
  gg_clock_start(&clock, run);
  gpugeo_status status =
      choose_backend(source, run, work, plan.working, &backend, &plan.device, error);
  if (!status) gg_dist_source_choose(source, backend, plan.device);
  if (!status) status = gg_dist_source_start(source, &clock, error);
  if (!status) status = compute(backend, &plan, &clock, report, error);
  report->seconds = gg_now() - clock.start;
  return status;
}

gpugeo_status gpugeo_pcoa(const gpugeo_distances *x, const gpugeo_pcoa_options *options,
                          gpugeo_pcoa_result *result, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_pcoa_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(pcoa_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) status = run_plan(&source, options, result, report ? report : &unread, error);
  gg_dist_source_close(&source);
  return status;
}
