/* The CPU backend's closest pairs: looks through the points, and takes the algorithm asked for. */
#include <stdlib.h>

#include "common/cpu.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "points/cpu/closest_divide.h"
#include "points/cpu/closest_grid.h"
#include "points/cpu/closest_sweep.h"

typedef struct conversion {
  const gg_point_rule *rule;
  const gpugeo_matrix *x;
  double *units;
} conversion;

/* Converts a range of points to units in space. */
static void convert(void *job, gg_range range) {
  const conversion *c = job;
  const int64_t n = c->x->nrow;
  for (int64_t i = range.first; i < range.last; ++i) {
    double point[GG_POINT_COLUMNS], unit[GG_POINT_COLUMNS];
    gg_point_load(c->rule, c->x, i, point);
    gg_sphere_unit(point, unit);
    for (int j = 0; j < GG_POINT_COLUMNS; ++j)
      c->units[i + j * n] = unit[j];
  }
}

/* Computes points on the unit sphere for the grid: a matrix of three columns. */
static gpugeo_status make_units(const gg_point_rule *rule, const gpugeo_matrix *x, int32_t threads,
                                gg_clock *clock, gpugeo_matrix *units, gpugeo_error *error) {
  const int64_t n = x->nrow;
  double *to = gg_allocate(n * GG_POINT_COLUMNS, sizeof *to);
  if (!to) return gg_fail_memory(error, n * GG_POINT_COLUMNS * (int64_t)sizeof *to);
  conversion c = {rule, x, to};
  const bool done = gg_parallel_for(&(gg_loop){
      .threads = threads, .count = n, .grain = 1024, .work = convert, .job = &c, .clock = clock});
  *units = (gpugeo_matrix){to, GPUGEO_TYPE_DOUBLE, n, GG_POINT_COLUMNS, n, NULL};
  if (done) return GPUGEO_OK;
  gg_free(to);
  *units = (gpugeo_matrix){0};
  return gg_fail_interrupt(error);
}

/* Finds the closest pairs on the sphere, by a grid of the units in space. */
static gpugeo_status search_sphere(gg_closest_search *search, gg_best *best, gpugeo_error *error) {
  gpugeo_matrix x = {0}, y = {0};
  gpugeo_status status =
      make_units(&search->rule, &search->x.raw, search->threads, search->clock, &x, error);
  if (!status && !search->within)
    status = make_units(&search->rule, &search->y.raw, search->threads, search->clock, &y, error);
  search->x.location = x;
  search->y.location = search->within ? x : y;
  for (int c = 0; c < GG_POINT_COLUMNS; ++c) {
    search->low[c] = -1;
    search->high[c] = 1;
  }
  if (!status) status = gg_closest_grid(search, best, error);
  gg_free((void *)x.data);
  gg_free((void *)y.data);
  return status;
}

/* Finds the closest pairs by an algorithm of the paper, on one thread. */
static gpugeo_status search_axis(const gg_closest_search *search, const gg_point_range *range,
                                 gpugeo_closest_algorithm algorithm, gg_best *best,
                                 gpugeo_error *error) {
  gg_sorted_axis axis;
  gpugeo_status status = gg_sorted_axis_make(search, range, &axis, error);
  if (status) return status;
  status = algorithm == GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER
               ? gg_closest_divide(search, &axis, best, error)
               : gg_closest_sweep(search, &axis, algorithm, best, error);
  gg_sorted_axis_free(&axis);
  return status;
}

gpugeo_status gg_cpu_closest(const gg_closest_plan *plan, gg_closest_result *result,
                             gg_call *call) {
  gg_point_range x_range, y_range;
  gpugeo_status status =
      gg_point_survey(&plan->x, plan->threads, call->clock, &x_range, call->error);
  if (!status && !plan->within)
    status = gg_point_survey(&plan->y, plan->threads, call->clock, &y_range, call->error);
  if (!status) status = gg_closest_rule(plan, &x_range, &y_range, &result->rule, call->error);
  if (status) return status;
  gg_best best;
  gg_best_start(&best, plan->k, plan->distinct, result->pairs);
  gg_closest_search search = {.x = {plan->x, plan->x},
                              .y = {plan->y, plan->y},
                              .within = plan->within,
                              .rule = result->rule,
                              .threads = plan->threads,
                              .clock = call->clock,
                              .share = 1};
  const gg_point_range range = plan->within ? x_range : gg_point_range_join(&x_range, &y_range);
  for (int c = 0; c < GG_POINT_COLUMNS; ++c) {
    search.low[c] = range.low[c] * result->rule.scale;
    search.high[c] = range.high[c] * result->rule.scale;
  }
  if (plan->algorithm != GPUGEO_CLOSEST_ALGORITHM_GRID) {
    call->report->threads = 1;
    status = search_axis(&search, &x_range, plan->algorithm, &best, call->error);
  } else if (plan->sphere) {
    status = search_sphere(&search, &best, call->error);
  } else {
    status = gg_closest_grid(&search, &best, call->error);
  }
  if (status) return status;
  gg_best_finish(&best);
  result->found = best.size;
  result->ties = best.ties;
  return GPUGEO_OK;
}
