#include "cluster/pairs.h"

#include <math.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"

gpugeo_status gg_pairs_open(const gpugeo_distances *x, const gpugeo_metric_options *metric,
                            gpugeo_points points, const gpugeo_run *run, int64_t values,
                            bool spheres, gg_dist_source *source, gpugeo_error *error) {
  gpugeo_status status = gg_dist_source_open("x", x, metric, points, run, spheres, source, error);
  if (status) return status;
  if (source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                   INT32_MAX, (long long)source->n);
  const double working = gg_dist_source_working(source, GG_PAIRS_SIDE, GG_PAIRS_SIDE);
  return gg_check_result((double)values * (double)source->n, GPUGEO_TYPE_DOUBLE, working, error);
}

bool gg_pairs_are_empty(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS &&
         gg_point_size(&source->x, source->options.points) == 0;
}

bool gg_pairs_prefer_host(const gg_dist_source *source) {
  if (source->options.run.backend != GPUGEO_BACKEND_AUTO || source->kind != GG_DIST_SOURCE_POINTS ||
      gg_pairs_are_empty(source))
    return false;
  if (!((int)source->shared[0] & (GG_HAS_MISSING | GG_HAS_INFINITE))) return false;
  const gg_dist_plan plan = gg_dist_plan_make(&source->x, NULL, &source->options, 0);
  return gg_search_work(&plan, source->options.metric.kind) < gg_dist_work(&plan);
}

/* Reads a tile of distances from the source; done, share: of the progress. */
static gpugeo_status read_tile(void *own, const gpugeo_tile *tile, double *out, double done,
                               double share, gpugeo_error *error) {
  gg_pairs_job *job = own;
  return gg_dist_source_tile(&job->source, tile, out, &job->clock, done, share, job->report, error);
}

/* Makes the plan of the distances of points, which gg_dist_prepare_shared() completes. */
static void make_plan(gg_pairs_job *job) {
  gg_dist_plan *plan = &job->pairs.dist;
  *plan = gg_dist_plan_make(&job->source.x, NULL, &job->source.options, 0);
  plan->single = false;
  plan->missing = NAN;
}

/* Completes the plan for a backend. */
static gpugeo_status plan_points(gg_pairs_job *job, int32_t device, gpugeo_error *error) {
  gg_dist_source *source = &job->source;
  gg_dist_plan *plan = &job->pairs.dist;
  plan->backend = job->backend;
  plan->device = device;
  plan->workers = 1;
  job->pairs.threads = plan->threads;
  return gg_dist_prepare_shared(plan, &source->options, source->shared, &job->memory, &job->clock,
                                job->report, error);
}

/* Returns the request of points: each takes some searches, and some 300 bytes on a device. */
static gg_request request_for_points(const gg_pairs_job *job, gg_family family) {
  const gg_dist_source *source = &job->source;
  const double bytes = gg_dist_source_link_bytes(source), n = (double)source->n;
  return (gg_request){.family = family,
                      .sparse = source->x.sparse,
                      .sphere = source->options.metric.kind == GPUGEO_METRIC_GREAT_CIRCLE,
                      .work = gg_search_work(&job->pairs.dist, source->options.metric.kind),
                      .bytes = bytes + 24 * n,
                      .resident = bytes + 300 * n};
}

/* Chooses the backend for a source that was started. Distances that are there already are read on
   the host. */
static gpugeo_status choose_backend(gg_pairs_job *job, gg_family family, bool points,
                                    int32_t *device, gpugeo_error *error) {
  const gg_request any = {.family = family};
  const gg_request request = points ? request_for_points(job, family) : any;
  gpugeo_status status =
      gg_backend_choose(&job->source.options.run, &request, &job->backend, device, error);
  if (status || (points && !(family == GG_FAMILY_MST && gg_pairs_prefer_host(&job->source))))
    return status;
  job->backend = gg_host_backend();
  *device = -1;
  return GPUGEO_OK;
}

gpugeo_status gg_pairs_plan(gg_pairs_job *job, gg_family family, gpugeo_error *error) {
  gg_dist_source *source = &job->source;
  const gpugeo_run *run = &source->options.run;
  const bool points = source->kind == GG_DIST_SOURCE_POINTS;
  const double n = (double)source->n;
  int32_t device = -1;
  if (points) make_plan(job);
  gpugeo_status status = gg_dist_source_start(source, &job->clock, error);
  if (!status) status = choose_backend(job, family, points, &device, error);
  if (status) return status;
  job->pairs.n = source->n;
  job->pairs.trees = gg_trees_use();
  if (points) {
    status = plan_points(job, device, error);
  } else {
    job->pairs.threads = gg_threads_for(run->threads, n * n);
    job->pairs.read = read_tile;
    job->pairs.own = job;
  }
  if (!status) *job->report = gg_report_of(job->backend, device, 1, job->pairs.threads);
  return status;
}

void gg_pairs_free(gg_pairs_job *job) {
  gg_dist_memory_free(&job->memory);
  gg_dist_source_close(&job->source);
}
