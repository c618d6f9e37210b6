/* The CPU backend's one-dimensional distance geometry: what its methods share, and the vector of
   all sums. */
#include "dgp.h"

#include <stdlib.h>

#include "../error.h"
#include "../fixed.h"
#include "../memory.h"

bool gg_cpu_dgp_stop(gg_cpu_dgp_work *work, double done) {
  return gg_clock_poll_team(work->clock, work->before + work->share * done, &work->stop);
}

void gg_cpu_dgp_keep(gg_cpu_dgp_work *work, int window, gpugeo_wide row) {
  const gg_dgp_window *w = &work->plan->windows[window];
  int64_t at;
#pragma omp atomic read
  at = work->kept[window];
  if (at >= w->capacity) return;
#pragma omp atomic capture
  at = work->kept[window]++;
  if (at < w->capacity) w->rows[at] = row;
}

void gg_cpu_dgp_hull(const gg_dgp_plan *plan, int64_t *low, int64_t *high) {
  *low = INT64_MAX;
  *high = INT64_MIN;
  for (int w = 0; w < plan->window_count; ++w) {
    const gg_dgp_window *window = &plan->windows[w];
    if (window->low > window->high) continue;
    if (window->low < *low) *low = window->low;
    if (window->high > *high) *high = window->high;
  }
}

gpugeo_status gg_cpu_dgp(const gg_dgp_plan *plan, gg_clock *clock, gpugeo_report *report,
                         gpugeo_error *error) {
  (void)report;
  gg_cpu_dgp_work work = {.plan = plan, .clock = clock, .share = 1};
  gpugeo_status status = GPUGEO_OK;
  if (plan->method == GPUGEO_DGP_BRANCH_AND_PRUNE)
    status = gg_cpu_dgp_tree(&work, error);
  else if (plan->method == GPUGEO_DGP_EXHAUSTIVE || plan->n < 2)
    status = gg_cpu_dgp_exhaustive(&work, error);
  else
    status = gg_cpu_dgp_meet(&work, error);
  if (!status && work.stop) status = gg_fail_interrupt(error);
  return status;
}

/* --- all sums ------------------------------------------------------------------------------- */

enum { LOW_SIGNS = 10, LOW_ROWS = 1 << LOW_SIGNS };

/* The sums of the first signs, for all their choices. */
static void make_low(const gg_dgp_rows_plan *plan, int signs, uint64_t *low) {
  const int words = plan->words;
  for (int64_t row = 0; row < (int64_t)1 << signs; ++row) {
    uint64_t *sum = low + row * words;
    for (int w = 0; w < words; ++w)
      sum[w] = 0;
    gg_fixed_add_row(sum, plan->d, signs, words, (uint64_t)row, 0);
  }
}

/* A run of sums that share the high signs. */
static void fill_run(const gg_dgp_rows_plan *plan, int signs, const uint64_t *low, int64_t run) {
  const int words = plan->words;
  uint64_t high[GG_FIXED_WORDS] = {0}, sum[GG_FIXED_WORDS];
  gg_fixed_add_row(high, plan->d + (int64_t)signs * words, plan->n - signs, words, (uint64_t)run,
                   0);
  double *sums = plan->sums + (run << signs);
  const int64_t rows = (int64_t)1 << signs;
  if (words == 1) {
    const double unit = ldexp(1, plan->exponent);
    for (int64_t row = 0; row < rows; ++row)
      sums[row] = (double)(int64_t)(high[0] + low[row]) * unit;
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int w = 0; w < words; ++w)
      sum[w] = high[w];
    gg_fixed_add(sum, low + row * words, words, false);
    sums[row] = gg_fixed_double(sum, words, plan->exponent);
  }
}

gpugeo_status gg_cpu_dgp_rows(const gg_dgp_rows_plan *plan, gg_clock *clock, gpugeo_report *report,
                              gpugeo_error *error) {
  (void)report;
  const int signs = plan->n < LOW_SIGNS ? plan->n : LOW_SIGNS;
  uint64_t *low = gg_allocate(LOW_ROWS, plan->words * (int64_t)sizeof *low);
  if (!low) return gg_fail_memory(error, LOW_ROWS * plan->words * (int64_t)sizeof *low);
  make_low(plan, signs, low);
  gg_prefer_huge_pages(plan->sums, ((int64_t)sizeof(double)) << plan->n);
  const int64_t runs = (int64_t)1 << (plan->n - signs);
  int stop = 0;
#pragma omp parallel for num_threads(plan->threads) schedule(dynamic, 64)
  for (int64_t run = 0; run < runs; ++run) {
    if (!gg_clock_poll_team(clock, (double)run / (double)runs, &stop))
      fill_run(plan, signs, low, run);
  }
  free(low);
  return stop ? gg_fail_interrupt(error) : GPUGEO_OK;
}
