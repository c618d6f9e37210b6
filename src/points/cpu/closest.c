/* The CPU backend's closest pairs: looks through the points, and takes the algorithm asked for. */
#include <stdlib.h>

#include "common/cpu.h"
#include "common/memory.h"
#include "points/cpu/closest_divide.h"
#include "points/cpu/closest_grid.h"
#include "points/cpu/closest_sweep.h"

typedef struct conversion {
  const gg_point_rule *rule;
  const gpugeo_matrix *x;
  double *units;
} conversion;

/* Converts a range of points to units in space. */
static void convert_points(void *job, gg_range range) {
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
static gpugeo_status make_units(const gg_closest_search *search, const gpugeo_matrix *x,
                                gpugeo_matrix *units) {
  const int64_t n = x->nrow;
  double *to = gg_call_allocate(search->call, n * GG_POINT_COLUMNS, sizeof *to);
  *units = (gpugeo_matrix){to, GPUGEO_TYPE_DOUBLE, n, GG_POINT_COLUMNS, n, NULL};
  conversion c = {&search->rule, x, to};
  return gg_call_loop(search->call, (gg_loop){.threads = search->threads,
                                              .count = n,
                                              .grain = 1024,
                                              .work = convert_points,
                                              .job = &c});
}

/* Finds the closest pairs on the sphere, by a grid of the units in space. */
static gpugeo_status search_sphere(gg_closest_search *search, gg_best *best) {
  gpugeo_matrix x, y = {0};
  make_units(search, &search->x.raw, &x);
  if (!search->within) make_units(search, &search->y.raw, &y);
  search->x.location = x;
  search->y.location = search->within ? x : y;
  for (int c = 0; c < GG_POINT_COLUMNS; ++c) {
    search->low[c] = -1;
    search->high[c] = 1;
  }
  gg_closest_grid(search, best);
  gg_free((void *)x.data);
  gg_free((void *)y.data);
  return search->call->status;
}

/* Finds the closest pairs by an algorithm of the paper, on one thread. */
static gpugeo_status search_axis(const gg_closest_search *search, const gg_point_range *range,
                                 gpugeo_closest_algorithm algorithm, gg_best *best) {
  gg_sorted_axis axis;
  gg_sorted_axis_make(search, range, &axis);
  if (algorithm == GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER)
    gg_closest_divide(search, &axis, best);
  else
    gg_closest_sweep(search, &axis, algorithm, best);
  gg_sorted_axis_free(&axis);
  return search->call->status;
}

gpugeo_status gg_cpu_closest(const gg_closest_plan *plan, gg_closest_result *result,
                             gg_call *call) {
  gg_point_range x_range, y_range;
  gg_point_survey(&plan->x, plan->threads, &x_range, call);
  if (!plan->within) gg_point_survey(&plan->y, plan->threads, &y_range, call);
  if (GG_TRY(call, gg_closest_rule(plan, &x_range, &y_range, &result->rule, call->error)))
    return call->status;
  gg_best best;
  gg_best_start(&best, plan->k, plan->distinct, result->pairs);
  gg_closest_search search = {.x = {plan->x, plan->x},
                              .y = {plan->y, plan->y},
                              .within = plan->within,
                              .rule = result->rule,
                              .threads = plan->threads,
                              .call = call,
                              .share = 1};
  const gg_point_range range = plan->within ? x_range : gg_point_range_join(&x_range, &y_range);
  for (int c = 0; c < GG_POINT_COLUMNS; ++c) {
    search.low[c] = range.low[c] * result->rule.scale;
    search.high[c] = range.high[c] * result->rule.scale;
  }
  if (plan->algorithm != GPUGEO_CLOSEST_ALGORITHM_GRID) {
    call->report->threads = 1;
    search_axis(&search, &x_range, plan->algorithm, &best);
  } else if (plan->sphere) {
    search_sphere(&search, &best);
  } else {
    gg_closest_grid(&search, &best);
  }
  if (call->status) return call->status;
  gg_best_finish(&best);
  result->found = best.size;
  result->ties = best.ties;
  return GPUGEO_OK;
}
