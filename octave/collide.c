/* Collisions, at once or as a future. */
#include <stdlib.h>

#include "common/error.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Collisions that are being computed or are done. */
typedef struct job {
  gpugeo_collisions *collisions;
  gpugeo_collisions_what what;
  int64_t rows; /* of x */
  int32_t groups;
} job;

/* A job that was launched, until its future is released. */
typedef struct future {
  job job;
  double number;
  struct future *next;
} future;

static future *futures;

/* --- Futures ---------------------------------------------------------------------------------- */

/* Returns the link to the future that a structure has the number of, NULL when there is none. */
static future **find_future(const mxArray *value) {
  const mxArray *number = mxIsStruct(value) ? gg_mex_field(value, "future") : NULL;
  if (!number || !mxIsDouble(number) || mxGetNumberOfElements(number) != 1) return NULL;
  for (future **link = &futures; *link; link = &(*link)->next)
    if ((*link)->number == mxGetScalar(number)) return link;
  return NULL;
}

/* Releases a future. Waits for its job if needed, see gpugeo_collisions_free(). */
static void release_futures(future **link) {
  future *gone = *link;
  *link = gone->next;
  gpugeo_collisions_free(gone->job.collisions);
  free(gone);
}

void gg_mex_release_futures(void) {
  while (futures)
    release_futures(&futures);
}

void gg_mex_release(gg_mex_call *call) {
  future **link = find_future(call->inputs[0]);
  if (link) release_futures(link);
}

void gg_mex_done(gg_mex_call *call) {
  future **link = find_future(call->inputs[0]);
  call->results[0] = mxCreateLogicalScalar(link && gpugeo_collisions_done((*link)->job.collisions));
}

/* --- Options ---------------------------------------------------------------------------------- */

static void read_options(gg_mex_call *call, gpugeo_collisions_options *options) {
  gpugeo_collisions_options_init(options, sizeof *options);
  gg_mex_read_options(call, &gg_collisions_options, options);
  gg_mex_settings(call, false, &options->run);
  options->run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
}

/* --- Results ---------------------------------------------------------------------------------- */

static void write_pairs(gg_mex_call *call, const job *of, int64_t count) {
  double *pairs = gg_mex_doubles_result(call, 0, count, 2);
  if (call->status ||
      !gg_mex_check(
          call, gpugeo_collisions_pairs(of->collisions, GPUGEO_TYPE_DOUBLE, pairs, &call->error)))
    return;
  for (int64_t i = 0; i < 2 * count; ++i)
    ++pairs[i];
}

/* Writes the distances of pairs that were written, as the third result. */
static void write_distances(gg_mex_call *call, const job *of, const gg_mex_points *points) {
  double *distances = gg_mex_doubles_result(call, 2, (int64_t)mxGetM(call->results[0]), 1);
  if (call->status) return;
  gg_mex_check(call, gpugeo_collisions_distances(of->collisions, &points->x, points->y, distances,
                                                 &call->error));
}

/* Writes the result of a job that found `count` pairs. */
static void write_result(gg_mex_call *call, const job *of, int64_t count) {
  if (of->what == GPUGEO_COLLISIONS_WHAT_COUNT) {
    gg_mex_number_result(call, 0, (double)count);
  } else if (of->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    double *per_point = gg_mex_doubles_result(call, 0, of->rows, 1);
    if (call->status) return;
    gg_mex_check(call, gpugeo_collisions_per_point(of->collisions, per_point, &call->error));
  } else if (of->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    double *table = gg_mex_doubles_result(call, 0, of->groups, of->groups);
    if (call->status) return;
    gg_mex_check(call, gpugeo_collisions_table(of->collisions, table, &call->error));
  } else {
    write_pairs(call, of, count);
  }
}

/* Waits for a job and writes its result and the report. */
static void write_job(gg_mex_call *call, const job *of, const gpugeo_run *run) {
  int64_t count = 0;
  call->status = gpugeo_collisions_wait(of->collisions, run, &count, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_result(call, of, count);
  gg_mex_report_result(call, 1, &call->report);
}

/* --- Commands --------------------------------------------------------------------------------- */

static void free_collisions(void *collisions) { gpugeo_collisions_free(collisions); }

void gg_mex_collide(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_collisions_options options;
  gg_mex_read_points(call, "y", false, &in);
  read_options(call, &options);
  if (call->status) return;
  job of = {NULL, options.what, in.x.nrow, options.groups};
  const gpugeo_status status =
      gpugeo_collisions_compute(&in.x, in.y, &options, &of.collisions, &call->error);
  if (status == GPUGEO_OK) gg_mex_release_later(call, free_collisions, of.collisions);
  if (call->status || !gg_mex_finish(call, status, NULL, NULL)) return;
  write_job(call, &of, &options.run);
  if (!call->status && of.what == GPUGEO_COLLISIONS_WHAT_PAIRS) write_distances(call, &of, &in);
}

void gg_mex_launch(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_collisions_options options;
  gg_mex_read_points(call, "y", false, &in);
  read_options(call, &options);
  if (call->status) return;
  future *made = malloc(sizeof *made);
  if (!made) {
    gg_mex_check(call, gg_fail_memory(&call->error, sizeof *made));
    return;
  }
  *made = (future){{NULL, options.what, in.x.nrow, options.groups}, gg_mex_new_number(), futures};
  if (!gg_mex_check(call, gpugeo_collisions_launch(&in.x, in.y, &options, &made->job.collisions,
                                                   &call->error))) {
    free(made);
    return;
  }
  futures = made;
  gg_mex_number_result(call, 0, made->number);
}

void gg_mex_fetch(gg_mex_call *call) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  future **link = find_future(call->inputs[0]);
  if (!link) {
    const gg_given given = gg_mex_given(call->inputs[0]);
    gg_mex_check(call, gg_fail_given(&call->error, "future", GG_FUTURE, &given));
    return;
  }
  gg_mex_settings(call, false, &run);
  if (call->status) return;
  const job *of = &(*link)->job;
  write_job(call, of, &run);
  if (call->status || call->input_count == 1) return;
  gg_mex_points in; /* after the future, if distances are wanted */
  ++call->inputs;
  --call->input_count;
  gg_mex_read_points(call, "y", false, &in);
  if (!call->status) write_distances(call, of, &in);
}
