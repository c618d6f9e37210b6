#include "ordination/permuted_sums.h"

#include "common/backend.h"
#include "common/context.h"

/* A call with its backend. */
typedef struct job {
  const gg_backend *backend;
  int32_t device;
  gg_dist_plan points;
  gg_dist_memory memory;
} job;

/* True if distances are computed from points. */
static bool is_points(const gg_permuted_sums_plan *plan) {
  return plan->source->kind == GG_DIST_SOURCE_POINTS;
}

/* Chooses the backend. Without coordinates all distances are missing, an error on any backend. */
static gpugeo_status choose_backend(const gg_permuted_sums_plan *plan, const gpugeo_run *run,
                                    double work, job *job, gpugeo_error *error) {
  const gg_dist_source *source = plan->source;
  const double n = (double)plan->n, rest = (double)((int64_t)1 << 30);
  const bool there = source->kind == GG_DIST_SOURCE_DEVICE;
  const gg_request request = {.family = plan->within ? GG_FAMILY_MRPP : GG_FAMILY_PERMUTED_SUMS,
                              .sparse = is_points(plan) && source->x.sparse,
                              .work = work,
                              .bytes =
                                  gg_dist_source_link_bytes(source) + (plan->ranks ? 4 * n * n : 0),
                              .resident = (plan->ranked ? 12 * n * n
                                           : there      ? 0
                                                        : 4 * n * n) +
                                          rest,
                              .alone = true};
  const gpugeo_status status = gg_backend_choose(run, &request, &job->backend, &job->device, error);
  if (status) return status;
  if (is_points(plan) && gg_point_size(&source->x, source->options.points) == 0)
    job->backend = gg_host_backend();
  job->device =
      job->backend->can.devices ? gg_dist_source_device(source, job->backend, job->device) : -1;
  return GPUGEO_OK;
}

gpugeo_status gg_permuted_sums_run(gg_permuted_sums_plan *plan, const gpugeo_run *run,
                                   gg_clock *clock, double done, gpugeo_report *report,
                                   gpugeo_error *error) {
  const double n = (double)plan->n, pairs = n * n / 2;
  const double work = pairs * (1 + 0.1 * (double)gg_permuted_sums_count(plan));
  job job = {.device = -1};
  gpugeo_status status = choose_backend(plan, run, work, &job, error);
  if (status) return status;
  plan->threads = gg_threads_for(run->threads, work);
  plan->work_bytes = run->work_bytes;
  plan->done = done;
  plan->device = job.device;
  *report = gg_report_of(job.backend, job.device, 1, plan->threads);
  if (is_points(plan) && job.backend->can.devices) {
    status = gg_dist_source_plan(plan->source, job.backend, job.device, &job.points, &job.memory,
                                 clock, report, error);
    plan->points = &job.points;
  }
  if (!status) status = job.backend->permuted_sums(plan, clock, report, error);
  gg_dist_memory_free(&job.memory);
  plan->points = NULL;
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  return status;
}
