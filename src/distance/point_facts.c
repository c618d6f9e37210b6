#include "distance/point_facts.h"

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"

/* Points of fewer bytes are looked through on the host before a device has begun. */
static const int64_t least_bytes = 1 << 20;

/* Returns what distances need of each coordinate. */
static gg_column_facts columns_of(const gpugeo_metric_options *metric) {
  if (metric->kind == GPUGEO_METRIC_GOWER) return GG_COLUMNS_EXTENTS;
  return metric->kind == GPUGEO_METRIC_SEUCLIDEAN && !metric->scale ? GG_COLUMNS_MOMENTS
                                                                    : GG_COLUMNS_NONE;
}

/* True if the backend finds them out. */
static bool suits_backend(const gpugeo_matrix *x, gpugeo_points points, const gg_backend *backend) {
  const int64_t size = x->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
  const int64_t n = gg_point_count(x, points), m = gg_point_size(x, points);
  return backend && backend->inspect_points && !x->sparse && n > 0 && m > 0 &&
         n >= (least_bytes + m * size - 1) / (m * size);
}

/* Has the backend find them out; facts->done stays false if it left them to the host. */
static gpugeo_status find_on_backend(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                                     const gg_backend *backend, int32_t device,
                                     gg_point_facts *facts, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = gg_point_size(x, options->points);
  const gg_inspect_plan plan = {
      .x = *x,
      .points = options->points,
      .metric = options->metric.kind,
      .columns = columns_of(&options->metric),
      .types = options->metric.types,
      .threads = gg_threads(options->run.threads),
      .device = device >= 0 ? device : backend->device_default(),
      .work_bytes = options->run.work_bytes,
  };
  if (plan.columns != GG_COLUMNS_NONE) {
    facts->columns = gg_call_allocate(call, 4 * m, sizeof *facts->columns);
    if (!facts->columns) return call->status;
  }
  facts->backend = backend;
  gpugeo_report unread = {0};
  gg_call silent = *call;
  silent.report = &unread;
  return GG_TRY(call, backend->inspect_points(&plan, facts, &silent));
}

gpugeo_status gg_point_facts_find(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                                  const gg_backend *backend, int32_t device, gg_point_facts *facts,
                                  gg_call *call) {
  if (call->status) return call->status;
  *facts = (gg_point_facts){0};
  if (suits_backend(x, options->points, backend))
    find_on_backend(x, options, backend, device, facts, call);
  if (call->status || facts->done) return call->status;
  gg_free(facts->columns);
  facts->columns = NULL;
  const double work = 5 * (double)x->nrow * (double)x->ncol; /* 0.5 ns for each coordinate */
  gg_inspect(x, NULL, gg_threads_for(options->run.threads, work), &facts->found, call);
  if (!call->status) gg_missing_rows_add(x, 0, options, facts->found, &facts->rows);
  return call->status;
}

void gg_point_facts_free(gg_point_facts *facts) {
  gg_free(facts->columns);
  if (facts->brought.data) facts->backend->free_points(&facts->brought);
  *facts = (gg_point_facts){0};
}
