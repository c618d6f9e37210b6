/* The CPU backend's closest pairs: the simplest version, all pairs, best k kept in order. */
#include "cpu.h"

#include "../context.h"
#include "../error.h"

/* Puts a pair in its place among the best so far. */
static void offer(const gg_closest_plan *plan, gg_closest_result *result, gg_closest_pair pair) {
  if (plan->distinct && gg_square_zero(pair.square)) return;
  const bool smaller = result->found == 0 || gg_square_less(pair.square, result->pairs[0].square);
  if (smaller) result->ties = 0;
  if (smaller || gg_square_equal(pair.square, result->pairs[0].square)) ++result->ties;
  int64_t at = result->found;
  if (at < plan->k)
    ++result->found;
  else if (gg_closest_before(&pair, &result->pairs[at - 1]))
    --at;
  else
    return;
  for (; at > 0 && gg_closest_before(&pair, &result->pairs[at - 1]); --at)
    result->pairs[at] = result->pairs[at - 1];
  result->pairs[at] = pair;
}

gpugeo_status gg_cpu_closest(const gg_closest_plan *plan, gg_closest_result *result,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  (void)report;
  gg_point_range x_range, y_range;
  gpugeo_status status = gg_point_survey(&plan->x, plan->threads, clock, &x_range, error);
  if (!status) status = gg_point_survey(&plan->y, plan->threads, clock, &y_range, error);
  if (!status) status = gg_closest_rule(plan, &x_range, &y_range, &result->rule, error);
  if (status) return status;
  result->found = result->ties = 0;
  for (int64_t i = 0; i < plan->x.nrow; ++i) {
    double a[GG_POINT_COLUMNS], b[GG_POINT_COLUMNS];
    gg_point_load(&result->rule, &plan->x, i, a);
    for (int64_t j = plan->within ? i + 1 : 0; j < plan->y.nrow; ++j) {
      gg_point_load(&result->rule, &plan->y, j, b);
      const gg_closest_pair pair = {gg_point_square(&result->rule, a, b), i, j};
      offer(plan, result, pair);
    }
    if (gg_clock_poll(clock, (double)i / (double)plan->x.nrow)) return gg_fail_interrupt(error);
  }
  return GPUGEO_OK;
}
