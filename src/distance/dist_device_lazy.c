/* Distances that a family computes, on a device: computed to the memory of the host, then copied.
 */
#include "distance/dist_device_lazy.h"

#include "common/context.h"
#include "common/dist_lazy.h"
#include "common/error.h"
#include "common/memory.h"
#include "distance/dist_device.h"
#include "distance/dist_source.h"

/* Computes the distances of a source, condensed, and copies them to the devices of a plan. values:
   room for them. */
static gpugeo_status fill_device(const gg_dist_source *lazy, gg_dist_plan *plan, double *values,
                                 gpugeo_dist_device *made, gg_call *call) {
  const gg_dist_source stored = {
      .kind = GG_DIST_SOURCE_CONDENSED, .n = lazy->n, .condensed = values};
  gpugeo_report report = *call->report; /* of the device */
  gg_dist_source_condensed(lazy, values, 0, 0.9, call);
  report.notes |= call->report->notes;
  report.missing = call->report->missing;
  *call->report = report;
  plan->reader = gg_dist_source_plan_read(&stored, made->threads).reader;
  plan->shape = GPUGEO_SHAPE_CONDENSED;
  plan->type = GPUGEO_TYPE_DOUBLE;
  gg_call_part part;
  gg_call_part_begin(call, 0.9, 0.1, &part);
  GG_TRY(&part.call, made->backend->dist_device_make(plan, made, &part.call));
  return gg_call_part_end(&part);
}

/* Does so in memory of its own, on the backend of the run. */
static gpugeo_status make_of_lazy(const gg_dist_source *lazy, gpugeo_dist_device *made,
                                  gg_call *call) {
  const int64_t n = lazy->n, pairs = n * (n - 1) / 2;
  gg_dist_plan plan = gg_dist_source_plan_read(lazy, gg_threads(call->run->threads));
  const gg_request request = {
      .family = GG_FAMILY_DIST_DEVICE, .bytes = 8 * (double)pairs, .alone = true};
  GG_TRY(call, gg_check_memory(8 * (double)pairs, "x", call->error,
                               "the distances of %lld points need", (long long)n));
  if (call->status || gg_dist_device_start(&plan, &request, made, call)) return call->status;
  double *values = gg_call_allocate(call, pairs, sizeof *values);
  if (values) fill_device(lazy, &plan, values, made, call);
  gg_free(values);
  return call->status;
}

gpugeo_status gg_dist_device_of_lazy(const gpugeo_dist_lazy *lazy, const gpugeo_run *run,
                                     double missing, gpugeo_dist_device **made,
                                     gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_dist_source source = {.options = {.run = *run}};
  const gpugeo_distances given = {.lazy = lazy};
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_family(run, GG_FAMILY_DIST_DEVICE, error));
  GG_TRY(&call, gg_dist_device_check_size(lazy->n, 1, error));
  GG_TRY(&call, gg_dist_source_open("x", &given, false, &source, error));
  gpugeo_dist_device *distances = gg_call_allocate(&call, 1, sizeof *distances);
  if (distances) {
    *distances = (gpugeo_dist_device){.metric = lazy->metric, .missing = missing};
    if (make_of_lazy(&source, distances, &call))
      gpugeo_dist_device_free(distances);
    else
      *made = distances;
  }
  gg_dist_source_close(&source);
  return gg_call_end(&call);
}
