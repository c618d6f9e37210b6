/* Launch and fetch of collisions (the paper's count_collisions_launch() and _fetch()). */
#include "points/future.h"

#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/parallel.h"
#include "common/thread_flags.h"

/* --- Inputs ----------------------------------------------------------------------------------- */

/* Returns the bytes of an element. */
static int64_t element_size(gpugeo_type type) { return type == GPUGEO_TYPE_DOUBLE ? 8 : 4; }

/* Takes the next `bytes` of a block, rounded up to whole cache lines. */
static void *take_bytes(char **block, int64_t bytes) {
  char *start = *block;
  *block += (bytes + 63) / 64 * 64;
  return start;
}

/* Replaces *from, unless it is NULL, by a pointer to a copy. */
#define COPY(block, from, count)                                                                   \
  if (from)                                                                                        \
  from = memcpy(take_bytes(block, (count) * (int64_t)sizeof *(from)), from,                        \
                (size_t)(count) * sizeof *(from))

/* Copies the data of a matrix to the next position in the block of inputs. */
static void copy_matrix(char **block, gpugeo_matrix *x) {
  const int64_t column = x->nrow * element_size(x->type);
  char *copy = take_bytes(block, column * x->ncol);
  for (int64_t k = 0; column > 0 && k < x->ncol; ++k)
    memcpy(copy + k * column, (const char *)x->data + k * x->ld * element_size(x->type),
           (size_t)column);
  x->data = copy;
  x->ld = x->nrow;
}

/* Copies all that the plan points to into one block of memory. */
static gpugeo_status copy_inputs(gpugeo_collisions *p, gg_call *call) {
  gg_collide_plan *plan = &p->plan;
  const int64_t point = plan->x.ncol * 8 + (int64_t)sizeof(double) + (int64_t)sizeof(int32_t);
  const int64_t bytes = (plan->nx + (plan->within ? 0 : plan->ny)) * point + 16 * 64;
  char *block = p->inputs = gg_call_allocate(call, bytes, 1);
  if (!block) return call->status;
  copy_matrix(&block, &plan->x);
  COPY(&block, plan->radii_x, plan->nx);
  COPY(&block, plan->group_x, plan->nx);
  if (plan->within) {
    plan->y = plan->x;
    plan->radii_y = plan->radii_x;
    plan->group_y = plan->group_x;
  } else {
    copy_matrix(&block, &plan->y);
    COPY(&block, plan->radii_y, plan->ny);
    COPY(&block, plan->group_y, plan->ny);
  }
  return GPUGEO_OK;
}

/* --- Launch ----------------------------------------------------------------------------------- */

/* Returns whether the job is cancelled, as the interrupt hook of its call. */
static int cancelled(void *job) { return gg_job_cancelled(job); }

/* Stores the progress of the job, as the progress hook of its call. */
static void store_progress(double fraction, void *job) {
  atomic_store(&((gpugeo_collisions *)job)->fraction, fraction);
}

/* Computes the collisions, on a worker thread. The hooks are those of the job. */
static void compute_collisions(gg_job *job) {
  gpugeo_collisions *p = (gpugeo_collisions *)job;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  run.interrupt = cancelled;
  run.progress = store_progress;
  run.hook_data = job;
  gg_clock clock;
  gg_clock_start_worker(&clock, &run);
  gg_call *call = GG_CALL_OF(&clock, &p->report, &p->error);
  p->status = gg_collide_run(&p->plan, p->backend, &p->result, call);
  gg_free(p->inputs);
  p->inputs = NULL;
}

/* Frees a future that is no longer used. */
static void free_future(gg_job *job) {
  gpugeo_collisions *p = (gpugeo_collisions *)job;
  gg_collide_result_free(&p->result);
  gg_free(p->inputs);
  gg_free(p);
}

/* Returns a future with its plan, to be passed to finish_future(), or NULL after an error. */
static gpugeo_collisions *make_future(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                      const gpugeo_collisions_options *options, gg_call *call) {
  gpugeo_collisions *p = gg_allocate_zeros(1, sizeof *p);
  if (!p) {
    call->status = gg_fail_memory(call->error, (int64_t)sizeof *p);
    return NULL;
  }
  p->job.work = compute_collisions;
  p->job.destroy = free_future;
  if (!gg_collide_prepare(x, y, options, &p->plan, &p->backend, call)) return p;
  gg_free(p);
  return NULL;
}

/* Gives a future to the caller, or frees it after an error. Returns the status of the call. */
static gpugeo_status finish_future(gpugeo_collisions *p, gpugeo_collisions **collisions,
                                   const gg_call *call) {
  if (call->status)
    free_future(&p->job);
  else
    *collisions = p;
  return call->status;
}

gpugeo_status gpugeo_collisions_launch(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                       const gpugeo_collisions_options *options,
                                       gpugeo_collisions **collisions, gpugeo_error *error) {
  gpugeo_collisions_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(collisions_options, options, taken, error);
  if (status) return status;
  gpugeo_run quiet;
  gpugeo_run_init(&quiet, sizeof quiet);
  gg_call call;
  gg_call_begin(&call, &quiet, NULL, error);
  gpugeo_collisions *p = make_future(x, y, options, &call);
  if (!p) return call.status;
  copy_inputs(p, &call);
  GG_TRY(&call, gg_job_start(&p->job, error));
  return finish_future(p, collisions, &call);
}

gpugeo_status gpugeo_collisions_compute(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                        const gpugeo_collisions_options *options,
                                        gpugeo_collisions **collisions, gpugeo_error *error) {
  gpugeo_collisions_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(collisions_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, NULL, error);
  gpugeo_collisions *p = make_future(x, y, options, &call);
  if (!p) return call.status;
  call.report = &p->report;
  gg_collide_run(&p->plan, p->backend, &p->result, &call);
  gg_job_finish(&p->job);
  return finish_future(p, collisions, &call);
}

/* --- Fetch ------------------------------------------------------------------------------------ */

int32_t gpugeo_collisions_done(const gpugeo_collisions *collisions) {
  return collisions && gg_job_done(&collisions->job);
}

/* Returns the status of a finished computation. */
static gpugeo_status outcome(const gpugeo_collisions *p, gpugeo_error *error) {
  if (p->status && error) *error = p->error;
  return p->status;
}

/* Checks that a future is there, and computed in this process. */
static gpugeo_status check_future(const gpugeo_collisions *p, gpugeo_error *error) {
  if (!p)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "collisions",
                   "collisions must come from gpugeo_collisions_launch()");
  if (gg_job_lost(&p->job))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "collisions",
                   "these collisions are being computed by the process that launched them, from "
                   "which this one was forked: launch them here anew");
  return GPUGEO_OK;
}

/* Fails in a hook of a call on a device for collisions that need the device and are still being
   computed: the wait would never end. */
static gpugeo_status check_wait(const gpugeo_collisions *p, gpugeo_error *error) {
  if (gg_job_done(&p->job) || !p->backend->can.exclusive || !gg_thread_is(GG_THREAD_HOLDS_DEVICE))
    return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_BACKEND, "collisions",
                 "these collisions cannot be waited for in a hook of a call that computes on a %s "
                 "device",
                 p->backend->title);
}

gpugeo_status gpugeo_collisions_wait(gpugeo_collisions *collisions, const gpugeo_run *run,
                                     int64_t *count, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_run quiet, taken;
  gpugeo_run_init(&quiet, sizeof quiet);
  gpugeo_status status = run ? GG_OPTIONS_TAKE(run, run, taken, error) : GPUGEO_OK;
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, run ? run : &quiet, NULL, error);
  if (run) GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, check_future(collisions, error));
  if (GG_TRY(&call, check_wait(collisions, error))) return call.status;
  gg_call_require(&call, gg_job_wait(&collisions->job, &collisions->fraction, call.clock));
  if (GG_TRY(&call, outcome(collisions, error))) return call.status;
  if (count) *count = collisions->result.count;
  if (report) *report = collisions->report;
  return GPUGEO_OK;
}

/* Checks that the computation has finished without an error and computes `what`, which has this
   name. */
static gpugeo_status check_result(const gpugeo_collisions *p, gpugeo_collisions_what what,
                                  const char *name, gpugeo_error *error) {
  gpugeo_status status = check_future(p, error);
  if (status) return status;
  if (!gg_job_done(&p->job))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "collisions",
                   "these collisions are still being computed: wait for them first");
  status = outcome(p, error);
  if (status || p->plan.what == what) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "what",
                 "what must be \"%s\" for this result to be there", name);
}

/* Converts counts to doubles. */
static void to_doubles(const int64_t *from, int64_t count, double *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = (double)from[i];
}

gpugeo_status gpugeo_collisions_per_point(const gpugeo_collisions *collisions, double *per_point,
                                          gpugeo_error *error) {
  gpugeo_status status =
      check_result(collisions, GPUGEO_COLLISIONS_WHAT_PER_POINT, "per_point", error);
  if (!status) to_doubles(collisions->result.per_point, collisions->plan.nx, per_point);
  return status;
}

gpugeo_status gpugeo_collisions_table(const gpugeo_collisions *collisions, double *table,
                                      gpugeo_error *error) {
  gpugeo_status status = check_result(collisions, GPUGEO_COLLISIONS_WHAT_TABLE, "table", error);
  if (!status) {
    const int64_t groups = collisions->plan.groups;
    to_doubles(collisions->result.table, groups * groups, table);
  }
  return status;
}

/* Writing both columns of the pairs of rows [range.first, range.last). */
typedef struct pairs_job {
  const gg_collide_result *result;
  void *pairs;
} pairs_job;

#define WRITE_PAIRS(type)                                                                          \
  static void write_##type(void *job, gg_range range) {                                            \
    const gg_collide_result *result = ((const pairs_job *)job)->result;                            \
    type *pairs = ((const pairs_job *)job)->pairs;                                                 \
    for (int64_t i = range.first; i < range.last; ++i)                                             \
      for (int64_t e = result->first[i]; e < result->first[i + 1]; ++e) {                          \
        pairs[e] = (type)i;                                                                        \
        pairs[e + result->count] = (type)result->partner[e];                                       \
      }                                                                                            \
  }
WRITE_PAIRS(int32_t)
WRITE_PAIRS(double)

gpugeo_status gpugeo_collisions_pairs(const gpugeo_collisions *collisions, gpugeo_type type,
                                      void *pairs, gpugeo_error *error) {
  if (type != GPUGEO_TYPE_INT32 && type != GPUGEO_TYPE_DOUBLE)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "type", "type must be int32 or double, not %d",
                   (int)type);
  gpugeo_status status = check_result(collisions, GPUGEO_COLLISIONS_WHAT_PAIRS, "pairs", error);
  if (status) return status;
  const gg_collide_result *result = &collisions->result;
  pairs_job job = {result, pairs};
  gg_prefer_huge_pages(pairs, 2 * result->count * element_size(type));
  gg_parallel_for(&(gg_loop){.threads = gg_threads(collisions->plan.threads),
                             .count = collisions->plan.nx,
                             .grain = 16384,
                             .work = type == GPUGEO_TYPE_INT32 ? write_int32_t : write_double,
                             .job = &job});
  return GPUGEO_OK;
}

/* Computing the distances of the pairs of rows [range.first, range.last). */
typedef struct distances_job {
  const gg_collide_result *result;
  const gg_point_rule *rule;
  double sphere_radius;
  const gpugeo_matrix *x;
  const double (*y)[GG_POINT_COLUMNS]; /* points of the rule */
  double *distance;
} distances_job;

/* Computes the distances of the pairs of a range of points. */
static void write_distances(void *data, gg_range range) {
  const distances_job *job = data;
  const gg_collide_result *result = job->result;
  const gg_point_rule rule = *job->rule;
  double a[GG_POINT_COLUMNS];
  for (int64_t i = range.first; i < range.last; ++i) {
    gg_point_load(&rule, job->x, i, a);
    for (int64_t e = result->first[i]; e < result->first[i + 1]; ++e)
      job->distance[e] =
          gg_point_distance(&rule, job->sphere_radius, a, job->y[result->partner[e]]);
  }
}

/* Computes the distances of all pairs of a finished computation. */
static gpugeo_status compute_distances(const gpugeo_collisions *p, const gpugeo_matrix *x,
                                       const gpugeo_matrix *y, double *distance,
                                       gpugeo_error *error) {
  const int64_t bytes = (int64_t)sizeof(double[GG_POINT_COLUMNS]);
  double(*loaded)[GG_POINT_COLUMNS] = gg_allocate(y->nrow, bytes);
  if (!loaded) return gg_fail_memory(error, y->nrow * bytes);
  for (int64_t j = 0; j < y->nrow; ++j)
    gg_point_load(&p->plan.rule, y, j, loaded[j]);
  distances_job job = {&p->result, &p->plan.rule, p->plan.sphere_radius, x, loaded, distance};
  gg_parallel_for(&(gg_loop){.threads = gg_threads(p->plan.threads),
                             .count = p->plan.nx,
                             .grain = 4096,
                             .work = write_distances,
                             .job = &job});
  gg_free(loaded);
  return GPUGEO_OK;
}

/* Checks that points have the shape and storage of those of the plan. */
static gpugeo_status check_same(const char *argument, const gpugeo_matrix *given,
                                const gpugeo_matrix *planned, gpugeo_error *error) {
  if (given && given->nrow == planned->nrow && given->ncol == planned->ncol &&
      given->type == planned->type)
    return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                 "%s must be the points that the collisions were computed of", argument);
}

gpugeo_status gpugeo_collisions_distances(const gpugeo_collisions *collisions,
                                          const gpugeo_matrix *x, const gpugeo_matrix *y,
                                          double *distance, gpugeo_error *error) {
  gpugeo_status status = check_result(collisions, GPUGEO_COLLISIONS_WHAT_PAIRS, "pairs", error);
  if (status) return status;
  const gg_collide_plan *plan = &collisions->plan;
  status = check_same("x", x, &plan->x, error);
  if (status) return status;
  if (y || !plan->within) status = check_same("y", y, &plan->y, error);
  if (status) return status;
  return compute_distances(collisions, x, plan->within ? x : y, distance, error);
}

void gpugeo_collisions_free(gpugeo_collisions *collisions) {
  if (collisions) gg_job_drop(&collisions->job);
}
