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

gpugeo_status gg_distance_call_open(gg_distance_call *call, const gg_distance_limits *limits,
                                    gpugeo_error *error) {
  if (!call->report) call->report = &call->unread;
  gg_clock_start(&call->clock, call->run);
  gpugeo_status status = gg_check_family(call->run, limits->family, error);
  if (!status)
    status = gg_dist_source_open(call->name, call->from, call->metric, call->points, call->run,
                                 limits->spheres, &call->source, error);
  return status ? status : check_points(call, limits, error);
}

gpugeo_status gg_distance_call_check_result(const gg_distance_call *call, double values,
                                            int64_t side, gpugeo_error *error) {
  const double working = gg_dist_source_working(&call->source, side, side);
  return gg_check_result(values * (double)call->source.n, GPUGEO_TYPE_DOUBLE, working, error);
}

void gg_distance_call_take_host(gg_distance_call *call) {
  call->backend = gg_host_backend();
  call->device = -1;
}

gpugeo_status gg_distance_call_choose(gg_distance_call *call, const gg_request *request,
                                      double divided, gpugeo_error *error) {
  const gpugeo_run *run = &call->source.options.run;
  call->workers = 1;
  gpugeo_status status =
      divided > 0 ? gg_backend_divide(run, request, divided, &call->backend, &call->device,
                                      &call->workers, error)
                  : gg_backend_choose(run, request, &call->backend, &call->device, error);
  if (status) return status;
  if (gg_dist_source_is_empty(&call->source)) gg_distance_call_take_host(call);
  const gpugeo_dist_device *there = call->source.on_device;
  if (there && there->backend == call->backend && call->workers == 1) call->device = there->device;
  return GPUGEO_OK;
}

gpugeo_status gg_distance_call_start(gg_distance_call *call, gpugeo_error *error) {
  return gg_dist_source_start(&call->source, call->backend, call->device,
                              GG_CALL_OF(&call->clock, NULL, error));
}

void gg_distance_call_report(gg_distance_call *call, int32_t threads) {
  *call->report = gg_report_of(call->backend, call->device, call->workers, threads);
}

gpugeo_status gg_distance_call_plan(gg_distance_call *call, bool on_host, const gg_dist_plan **plan,
                                    gpugeo_error *error) {
  *plan = NULL;
  if (call->source.kind != GG_DIST_SOURCE_POINTS || !(call->backend->can.devices || on_host))
    return GPUGEO_OK;
  *plan = &call->plan;
  return gg_dist_source_plan(&call->source, call->backend, call->device, &call->plan, &call->memory,
                             GG_CALL_OF(&call->clock, call->report, error));
}

gpugeo_status gg_distance_call_close(gg_distance_call *call, gpugeo_status status) {
  gg_dist_memory_free(&call->memory);
  gg_dist_source_close(&call->source);
  call->report->seconds = gg_now() - call->clock.start;
  return status;
}
