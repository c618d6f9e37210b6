/* Principal coordinates: checks the arguments, plans, and passes the plan to a backend. */
#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"
#include "ordination/pcoa_solve.h"

static const double usual_passes = 20;   /* for 10 axes */
static const double pass_latency = 1e-3; /* seconds of a pass over few points on a device */

GG_OPTIONS_INIT(pcoa, .metric = GG_DEFAULT_METRIC, .k = 2, .tolerance = 1e-10, .max_passes = 1000)

static const gg_option option_rows[] = {
    {GG_OPTION("k", WHOLE, gpugeo_pcoa_options, k)},
    {GG_OPTION("correction", CHOICE, gpugeo_pcoa_options, correction),
     .choices = GPUGEO_ENUM_PCOA_CORRECTION},
    {GG_OPTION("tolerance", NUMBER, gpugeo_pcoa_options, tolerance), .allowed = "between 0 and 1"},
    {GG_OPTION("max_passes", WHOLE, gpugeo_pcoa_options, max_passes)},
};

GG_DEFINE_OPTIONS(pcoa, option_rows);

/* Checks k, the correction, the tolerance, the passes, and the memory for n points. */
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
  return gg_check_memory(gg_pcoa_working(n, options->k), "", error,
                         "%lld principal coordinates of %lld points need", (long long)options->k,
                         (long long)n);
}

/* Chooses the backend, makes the plan and runs it. */
static gpugeo_status run_plan(gg_distance_call *call, const gpugeo_pcoa_options *options,
                              gpugeo_pcoa_result *result) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const gg_dist_source *source = &call->source;
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
  const bool there = source->kind == GG_DIST_SOURCE_DEVICE;
  const gg_request request = {.family = GG_FAMILY_PCOA,
                              .sparse = gg_dist_source_is_sparse(source),
                              .work = work,
                              .bytes = gg_dist_source_link_bytes(source),
                              .latency = usual_passes * pass_latency,
                              .resident = (there ? 0 : 4 * n * n) + plan.working,
                              .alone = true};
  gg_distance_call_choose(call, &request, 0);
  if (gg_distance_call_start(call)) return base->status;
  gg_distance_call_report(call, plan.threads);
  plan.device = call->device;
  gg_distance_call_plan(call, false, &plan.points);
  return GG_TRY(base, call->backend->pcoa(&plan, base));
}

gpugeo_status gpugeo_pcoa(const gpugeo_distances *x, const gpugeo_pcoa_options *options,
                          gpugeo_pcoa_result *result, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_pcoa_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(pcoa_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_PCOA, .least = 2, .most = INT32_MAX};
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_distance_call_open(&call, &limits);
  GG_TRY(&call.base, check_options(options, call.source.n, error));
  run_plan(&call, options, result);
  return gg_distance_call_close(&call);
}
