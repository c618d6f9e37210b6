/* The CPU backend's closest pairs: looks through the points, and takes the method asked for. */
#include <stdlib.h>

#include "../context.h"
#include "../error.h"
#include "../memory.h"
#include "closest_grid.h"
#include "cpu.h"

/* Points on the unit sphere, for the grid: a matrix of three columns. */
static gpugeo_status make_units(const gg_point_rule *rule, const gpugeo_matrix *x, int32_t threads,
                                gg_clock *clock, gpugeo_matrix *units, gpugeo_error *error) {
  const int64_t n = x->nrow, run = 4096;
  double *to = gg_allocate(n * GG_POINT_COLUMNS, sizeof *to);
  if (!to) return gg_fail_memory(error, n * GG_POINT_COLUMNS * (int64_t)sizeof *to);
  int stop = 0;
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (n > run)
  for (int64_t first = 0; first < n; first += run) {
    int stopped;
#pragma omp atomic read
    stopped = stop;
    if (stopped) continue;
    for (int64_t i = first; i < n && i < first + run; ++i) {
      double point[GG_POINT_COLUMNS], unit[GG_POINT_COLUMNS];
      gg_point_load(rule, x, i, point);
      gg_sphere_unit(point, unit);
      for (int c = 0; c < GG_POINT_COLUMNS; ++c)
        to[i + c * n] = unit[c];
    }
    if (gg_thread_number() == 0 && gg_clock_poll(clock, 0)) {
#pragma omp atomic write
      stop = 1;
    }
  }
  *units = (gpugeo_matrix){to, GPUGEO_DOUBLE, n, GG_POINT_COLUMNS, n};
  if (!stop) return GPUGEO_OK;
  free(to);
  *units = (gpugeo_matrix){0};
  return gg_fail_interrupt(error);
}

static gpugeo_status search_grid(const gg_closest_plan *plan, const gg_point_rule *rule,
                                 gg_clock *clock, gg_best *best, gpugeo_error *error) {
  gg_closest_search search = {.x = {plan->x, plan->x},
                              .y = {plan->y, plan->y},
                              .within = plan->within,
                              .rule = *rule,
                              .threads = plan->threads,
                              .clock = clock,
                              .before = 0,
                              .share = 1};
  if (!plan->sphere) return gg_closest_grid(&search, best, error);
  gpugeo_matrix x = {0}, y = {0};
  gpugeo_status status = make_units(rule, &plan->x, plan->threads, clock, &x, error);
  if (!status && !plan->within)
    status = make_units(rule, &plan->y, plan->threads, clock, &y, error);
  search.x.place = x;
  search.y.place = plan->within ? x : y;
  if (!status) status = gg_closest_grid(&search, best, error);
  free((void *)x.data);
  free((void *)y.data);
  return status;
}

gpugeo_status gg_cpu_closest(const gg_closest_plan *plan, gg_closest_result *result,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  (void)report;
  gg_point_range x_range, y_range;
  gpugeo_status status = gg_point_survey(&plan->x, plan->threads, clock, &x_range, error);
  if (!status && !plan->within)
    status = gg_point_survey(&plan->y, plan->threads, clock, &y_range, error);
  if (!status) status = gg_closest_rule(plan, &x_range, &y_range, &result->rule, error);
  if (status) return status;
  gg_best best;
  gg_best_start(&best, plan->k, plan->distinct, result->pairs);
  status = search_grid(plan, &result->rule, clock, &best, error);
  if (status) return status;
  gg_best_finish(&best);
  result->found = best.size;
  result->ties = best.ties;
  return GPUGEO_OK;
}
