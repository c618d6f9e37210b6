/* Trees by neighbour joining: checks the arguments, reads the distances, and orders the edges. */
#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"
#include "trees/edges_in_order.h"
#include "trees/joining.h"

GG_OPTIONS_INIT(nj, .metric = GG_DEFAULT_METRIC)

static const gg_option option_rows[] = {
    {GG_OPTION("bionj", FLAG, gpugeo_nj_options, bionj)},
};

GG_DEFINE_OPTIONS(nj, option_rows);

/* Chooses a backend that joins nodes. call->backend is NULL if none does: that of the distances is
   chosen by themselves then. */
static gpugeo_status choose_backend(gg_distance_call *call, bool bionj) {
  const gg_dist_source *source = &call->source;
  const gg_backend *named = gg_backend_of(call->base.run->backend);
  const double n = (double)source->n, rest = (double)((int64_t)1 << 30);
  if (call->base.status || bionj || n <= GG_NJ_LAST) return call->base.status;
  if (named && !gg_backend_has(named, GG_FAMILY_NJ)) return GPUGEO_OK;
  const gg_request request = {.family = GG_FAMILY_NJ,
                              .sparse = gg_dist_source_is_sparse(source),
                              .work = 300 * n * n, /* 60 ns for each pair, of 16,000 points */
                              .bytes = gg_dist_source_link_bytes(source),
                              .latency = 20e-6 * n, /* of launches for each join */
                              .resident = 8 * n * n + rest,
                              .alone = true};
  gg_distance_call_choose(call, &request, 0);
  if (!call->base.status && call->backend->nj) return GPUGEO_OK;
  call->backend = NULL;
  call->device = call->workers = 0;
  return call->base.status;
}

/* Checks the working memory, and that of the host. */
static gpugeo_status check_memory(gg_distance_call *call, bool bionj) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const gg_dist_source *source = &call->source;
  const double joining = call->backend ? 0 : gg_joining_bytes(source->n, bionj);
  const double bytes =
      joining + 72 * (double)source->n + gg_dist_source_working(source, source->n, source->n);
  GG_TRY(base, gg_check_work(base->run, bytes, base->error, "the tree of %lld points",
                             (long long)source->n));
  return GG_TRY(base, gg_check_memory(bytes, call->name, base->error,
                                      "the tree of %lld points needs", (long long)source->n));
}

/* Sets the diagonal of a range of rows to 0, and `low` to NaN where a distance is missing or
   infinite; the loop's work. */
static void inspect_rows(void *own, gg_range range) {
  gg_joining *join = own;
  for (int64_t i = range.first; i < range.last; ++i) {
    double *row = join->d + i * join->n, zero = 0;
    row[i] = 0;
#pragma omp simd reduction(+ : zero)
    for (int64_t j = 0; j < join->n; ++j)
      zero += row[j] * 0;
    join->low[i] = zero;
  }
}

/* Fails if a distance is missing or infinite. */
static gpugeo_status check_finite(gg_joining *join, const char *name, gg_call *call) {
  const gg_loop loop = {.threads = join->threads,
                        .count = join->n,
                        .grain = 1 + ((int64_t)1 << 17) / join->n, /* 0.1 ms */
                        .work = inspect_rows,
                        .job = join,
                        .begun = 0.2};
  gg_bad_distances bad = {.count = 0};
  gg_call_loop(call, loop);
  for (int64_t i = 0; !call->status && i < join->n; ++i)
    for (int64_t j = i + 1; isnan(join->low[i]) && j < join->n; ++j) {
      const double d = join->d[i * join->n + j];
      if (!isfinite(d)) gg_bad_distances_add(&bad, j, i, d);
    }
  if (bad.count > 0) GG_TRY(call, gg_fail_distances(name, &bad, call->error));
  return call->status;
}

/* Orders the edges. */
static gpugeo_status order_edges(const gg_joining *join, gg_distance_call *call, int32_t *edge,
                                 double *length) {
  const gg_loose_edges loose = {2 * join->n - 3, join->parent, join->child, join->length};
  return GG_TRY(&call->base,
                gg_edges_in_order(&loose, (int32_t)join->n, edge, length, NULL, call->base.error));
}

/* Joins all points, whose edges have been allocated, and orders the edges. */
static gpugeo_status join_points(gg_joining *join, gg_distance_call *call, int32_t *edge,
                                 double *length) {
  gg_call *base = &call->base;
  if (!base->status) gg_dist_source_square(&call->source, join->d, 0, 0.2, base);
  check_finite(join, call->name, base);
  if (!base->status) gg_joining_run(join, 0.2, base);
  return base->status ? base->status : order_edges(join, call, edge, length);
}

/* Joins all points on a backend, and the last ones here. */
static gpugeo_status join_on_backend(gg_joining *join, gg_distance_call *call) {
  gg_call *base = &call->base;
  gg_nj_rest rest;
  gg_nj_plan plan = {.source = &call->source,
                     .name = call->name,
                     .n = call->source.n,
                     .threads = join->threads,
                     .device = call->device};
  plan.joins = gg_call_allocate(base, plan.n, sizeof *plan.joins);
  gg_distance_call_report(call, join->threads);
  gg_distance_call_plan(call, true, &plan.points);
  GG_TRY(base, call->backend->nj(&plan, &rest, base));
  if (!base->status) gg_joining_finish(join, plan.n, plan.joins, &rest, base);
  gg_free(plan.joins);
  return base->status;
}

/* Runs the call after the checks. */
static gpugeo_status run_call(gg_distance_call *call, const gpugeo_nj_options *options,
                              int32_t *edge, double *length) {
  gg_call *base = &call->base;
  if (gg_distance_call_start(call)) return base->status;
  gg_joining join = {.parent = NULL};
  const int64_t n = call->source.n;
  const int32_t threads = gg_threads_for(options->run.threads, 50 * (double)n * (double)n);
  if (!call->backend) gg_joining_make(&join, n, options->bionj, threads, base);
  join.n = n;
  join.threads = threads;
  join.parent = gg_call_allocate(base, 2 * n, sizeof *join.parent);
  join.child = gg_call_allocate(base, 2 * n, sizeof *join.child);
  join.length = gg_call_allocate(base, 2 * n, sizeof *join.length);
  if (base->status || !call->backend)
    join_points(&join, call, edge, length);
  else if (!join_on_backend(&join, call))
    order_edges(&join, call, edge, length);
  gg_free(join.parent);
  gg_free(join.child);
  gg_free(join.length);
  gg_joining_free(&join);
  base->report->threads = threads;
  return base->status;
}

gpugeo_status gpugeo_nj(const gpugeo_distances *d, const gpugeo_nj_options *options, int32_t *edge,
                        double *length, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_nj_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(nj_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_DIST, 3, (int64_t)1 << 30, .purpose = " to join"};
  gg_distance_call call = GG_DISTANCE_CALL("d", d, options, report, error);
  gg_call *base = &call.base;
  gg_distance_call_open(&call, &limits);
  choose_backend(&call, options->bionj);
  check_memory(&call, options->bionj);
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  if (!base->status) run_call(&call, options, edge, length);
  return gg_distance_call_close(&call);
}
