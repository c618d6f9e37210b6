#include "distance/distance_call.h"

#include "common/error.h"
#include "common/memory.h"
#include "distance/dist_device.h"

/* Checks that the number of points is within the limits. */
static gpugeo_status check_points(const gg_distance_call *call, const gg_distance_limits *limits,
                                  gpugeo_error *error) {
  const int64_t n = call->source.n;
  if (n >= limits->least && n <= limits->most) return GPUGEO_OK;
  if (limits->least == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, call->name,
                   "%s must have at most %lld points, not %lld", call->name,
                   (long long)limits->most, (long long)n);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, call->name,
                 "%s must have %lld to %lld points%s, not %lld", call->name,
                 (long long)limits->least, (long long)limits->most,
                 limits->purpose ? limits->purpose : "", (long long)n);
}

gpugeo_status gg_distance_call_open(gg_distance_call *call, const gg_distance_limits *limits) {
  gg_call *base = &call->base;
  gg_call_begin(base, base->run, base->report, base->error);
  GG_TRY(base, gg_check_family(base->run, limits->family, base->error));
  gpugeo_dist_options *options = &call->source.options;
  gpugeo_dist_options_init(options, sizeof *options);
  options->metric = *call->metric;
  options->points = call->points;
  options->run = *base->run;
  GG_TRY(base,
         gg_dist_source_open(call->name, call->from, limits->spheres, &call->source, base->error));
  return GG_TRY(base, check_points(call, limits, base->error));
}

gpugeo_status gg_distance_call_check_result(gg_distance_call *call, double values, int64_t side) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const double working = gg_dist_source_working(&call->source, side, side);
  return GG_TRY(base, gg_check_result(values * (double)call->source.n, GPUGEO_TYPE_DOUBLE, working,
                                      base->error));
}

void gg_distance_call_take_host(gg_distance_call *call) {
  call->backend = gg_host_backend();
  call->device = -1;
  call->workers = 1;
}

gpugeo_status gg_distance_call_choose(gg_distance_call *call, const gg_request *request,
                                      double divided) {
  const gpugeo_run *run = &call->source.options.run;
  gg_call *base = &call->base;
  call->workers = 1;
  if (divided > 0)
    GG_TRY(base, gg_backend_divide(run, request, divided, &call->backend, &call->device,
                                   &call->workers, base->error));
  else
    GG_TRY(base, gg_backend_choose(run, request, &call->backend, &call->device, base->error));
  if (base->status) return base->status;
  if (gg_dist_source_needs_host(&call->source)) gg_distance_call_take_host(call);
  const gpugeo_dist_device *there = call->source.on_device;
  if (there && there->backend == call->backend && call->workers == 1) call->device = there->device;
  return GPUGEO_OK;
}

gpugeo_status gg_distance_call_start(gg_distance_call *call) {
  return gg_dist_source_start(&call->source, call->backend, call->device, &call->base);
}

void gg_distance_call_report(gg_distance_call *call, int32_t threads) {
  *call->base.report = gg_report_of(call->backend, call->device, call->workers, threads);
}

gpugeo_status gg_distance_call_plan(gg_distance_call *call, bool on_host,
                                    const gg_dist_plan **plan) {
  *plan = NULL;
  if (call->base.status || call->source.kind != GG_DIST_SOURCE_POINTS ||
      !(call->backend->can.devices || on_host))
    return call->base.status;
  *plan = &call->plan;
  return gg_dist_source_plan(&call->source, call->backend, call->device, &call->plan, &call->memory,
                             &call->base);
}

gpugeo_status gg_distance_call_close(gg_distance_call *call) {
  gg_dist_memory_free(&call->memory);
  gg_dist_source_close(&call->source);
  return gg_call_end(&call->base);
}
