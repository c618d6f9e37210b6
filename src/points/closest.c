/* Closest pairs: checks the arguments, plans, passes the plan to a backend, and turns the
   squares that it returns into distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "points/points.h"

GG_OPTIONS_INIT(closest, .k = 1, .sphere_radius = GG_EARTH_RADIUS)

static const gg_option option_rows[] = {
    {GG_OPTION("k", WHOLE, gpugeo_closest_options, k)},
    {GG_OPTION("distinct", FLAG, gpugeo_closest_options, distinct)},
    {GG_OPTION("metric", CHOICE, gpugeo_closest_options, metric),
     .choices = GPUGEO_ENUM_CLOSEST_METRIC},
    {GG_OPTION("sphere_radius", NUMBER, gpugeo_closest_options, sphere_radius), .may_be_null = true,
     .allowed = GG_POSITIVE},
    {GG_OPTION_ARRAY("box", DOUBLES, gpugeo_closest_options, box, box_length)},
    {GG_OPTION("algorithm", CHOICE, gpugeo_closest_options, algorithm),
     .choices = GPUGEO_ENUM_CLOSEST_ALGORITHM},
};

GG_DEFINE_OPTIONS(closest, option_rows);

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks the algorithm. Those of the paper are there for pairs within one set only, in the plane,
   on the line and in space. */
static gpugeo_status check_method(const gpugeo_matrix *y, const gpugeo_closest_options *options,
                                  gpugeo_error *error) {
  const gpugeo_closest_algorithm algorithm = options->algorithm;
  const char *name = gpugeo_name(GPUGEO_ENUM_CLOSEST_ALGORITHM, algorithm);
  if (algorithm < GPUGEO_CLOSEST_ALGORITHM_AUTO || algorithm >= GPUGEO_CLOSEST_ALGORITHM_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must be between 0 and %d, not %d", GPUGEO_CLOSEST_ALGORITHM_COUNT - 1,
                   (int)algorithm);
  if (algorithm == GPUGEO_CLOSEST_ALGORITHM_AUTO || algorithm == GPUGEO_CLOSEST_ALGORITHM_GRID)
    return GPUGEO_OK;
  if (y)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must be \"auto\" or \"grid\" with y, not \"%s\"", name);
  if (options->metric == GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE)
    return gg_fail(
        error, GPUGEO_ERROR_ARGUMENT, "algorithm",
        "algorithm must be \"auto\" or \"grid\" with metric \"great-circle\", not \"%s\"", name);
  if (options->box)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "algorithm",
                   "algorithm must be \"auto\" or \"grid\" with box, not \"%s\"", name);
  return gg_check_algorithm(&options->run, GG_FAMILY_CLOSEST, (int)algorithm, name, error);
}

/* Checks that there are points, and as many as k pairs of them. */
static gpugeo_status check_k(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t k,
                             gpugeo_error *error) {
  if (y && (x->nrow < 1 || y->nrow < 1))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, x->nrow < 1 ? "x" : "y",
                   "x and y must have at least 1 row each to make a pair, not %lld and %lld",
                   (long long)x->nrow, (long long)y->nrow);
  if (!y && x->nrow < 2)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at least 2 rows to make a pair, not %lld", (long long)x->nrow);
  const int64_t pairs = y ? x->nrow * y->nrow : x->nrow * (x->nrow - 1) / 2;
  if (k >= 1 && k <= pairs) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "k",
                 "k must be between 1 and %lld (the pairs there are), not %lld", (long long)pairs,
                 (long long)k);
}

/* Checks the arguments of a search of closest pairs. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                     const gpugeo_closest_options *options, gg_call *call) {
  gpugeo_error *error = call->error;
  GG_TRY(call, gg_check_run(&options->run, error));
  GG_TRY(call, gg_check_points(x, y, error));
  GG_TRY(call, gg_check_sphere(x, options->metric, options->sphere_radius, options->box, error));
  GG_TRY(call, gg_check_box(options->box, options->box_length, x->ncol, error));
  GG_TRY(call, check_method(y, options, error));
  return GG_TRY(call, check_k(x, y, options->k, error));
}

/* Returns the bytes of working memory: the pairs that are found, and the coordinates, key and
   row of each point in a grid. */
static double working_bytes(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t k) {
  const double points = (double)x->nrow + (y ? (double)y->nrow : 0);
  return (double)k * sizeof(gg_closest_pair) + points * (8.0 * (double)x->ncol + 16);
}

/* Checks the arguments, and that there is memory for the call. */
static gpugeo_status check_call(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                const gpugeo_closest_options *options, gg_call *call) {
  const double columns = 3; /* i, j and the distance */
  check_arguments(x, y, options, call);
  return GG_TRY(call, gg_check_result(columns * (double)options->k, GPUGEO_TYPE_DOUBLE,
                                      working_bytes(x, y, options->k), call->error));
}

gpugeo_status gpugeo_closest_pair_size(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                       const gpugeo_closest_options *options, int64_t *size,
                                       gpugeo_error *error) {
  gpugeo_closest_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(closest_options, options, taken, error);
  if (status) return status;
  gg_call call = {.error = error};
  if (!check_call(x, y, options, &call)) *size = options->k;
  return call.status;
}

/* --- the call --------------------------------------------------------------------------------- */

/* Copies the pairs to the result, with their distances. */
static void write_pairs(const gg_closest_plan *plan, const gg_closest_result *result,
                        double sphere_radius, gpugeo_pair *pairs) {
  double a[GG_POINT_COLUMNS], b[GG_POINT_COLUMNS];
  for (int64_t p = 0; p < result->found; ++p) {
    const gg_closest_pair *pair = &result->pairs[p];
    gg_point_load(&result->rule, &plan->x, pair->i, a);
    gg_point_load(&result->rule, &plan->y, pair->j, b);
    pairs[p].i = pair->i;
    pairs[p].j = pair->j;
    pairs[p].distance = gg_point_distance(&result->rule, sphere_radius, a, b);
  }
}

/* Returns the plan of checked arguments, without threads and device. */
static gg_closest_plan make_plan(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                 const gpugeo_closest_options *options) {
  return (gg_closest_plan){
      .x = *x,
      .y = y ? *y : *x,
      .within = !y,
      .sphere = options->metric == GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE,
      .box = options->box,
      .k = options->k,
      .distinct = options->distinct != 0,
      .algorithm = options->algorithm == GPUGEO_CLOSEST_ALGORITHM_AUTO
                       ? GPUGEO_CLOSEST_ALGORITHM_GRID
                       : options->algorithm,
      .work_bytes = options->run.work_bytes,
  };
}

/* Work for gg_backend_choose(): the CPU's grid takes 60 ns for each point and thread, as long as
   600 pairs of coordinates of a distance matrix. */
static const double work_per_point = 600;

/* Returns the backend, or NULL after an error, and decides threads and device of the plan. */
static const gg_backend *choose_backend(gg_closest_plan *plan, gg_call *call) {
  const gpugeo_matrix *x = &plan->x;
  const double points = (double)x->nrow + (plan->within ? 0 : (double)plan->y.nrow);
  const gg_request request = {.family = GG_FAMILY_CLOSEST,
                              .algorithm = (int)plan->algorithm,
                              .work = work_per_point * points,
                              .bytes = points * (double)x->ncol *
                                       (x->type == GPUGEO_TYPE_DOUBLE ? 8 : 4)};
  plan->threads = gg_threads_for(call->run->threads, request.work);
  const gg_backend *backend = NULL;
  if (GG_TRY(call, gg_backend_choose(call->run, &request, &backend, &plan->device, call->error)))
    return NULL;
  *call->report = gg_report_of(backend, plan->device, 1, plan->threads);
  return backend;
}

gpugeo_status gpugeo_closest_pair(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                  const gpugeo_closest_options *options, gpugeo_pair *pairs,
                                  int64_t *found, int64_t *ties, gpugeo_report *report,
                                  gpugeo_error *error) {
  gpugeo_closest_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(closest_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  if (check_call(x, y, options, &call)) return call.status;
  gg_closest_plan plan = make_plan(x, y, options);
  const gg_backend *backend = choose_backend(&plan, &call);
  if (!backend) return call.status;
  gg_closest_result result = {.pairs = gg_call_allocate(&call, plan.k, sizeof(gg_closest_pair))};
  GG_TRY(&call, backend->closest(&plan, &result, &call));
  if (!call.status) {
    write_pairs(&plan, &result, options->sphere_radius, pairs);
    *found = result.found;
    *ties = result.ties;
  }
  gg_free(result.pairs);
  return gg_call_end(&call);
}
