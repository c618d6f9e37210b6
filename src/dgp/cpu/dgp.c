/* The CPU backend's one-dimensional distance geometry: the choice of an algorithm, and the vector
   of all sums. */
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/superaccumulator.h"
#include "dgp/cpu/exhaustive.h"
#include "dgp/cpu/meet.h"
#include "dgp/cpu/tree.h"

gpugeo_status gg_cpu_dgp(const gg_dgp_plan *plan, gg_call *call) {
  gg_cpu_dgp_work work = {.plan = plan, .clock = call->clock, .share = 1};
  if (call->status) return call->status;
  if (plan->algorithm == GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE)
    gg_cpu_dgp_tree(&work);
  else if (plan->algorithm == GPUGEO_DGP_ALGORITHM_EXHAUSTIVE || plan->n < 2)
    gg_cpu_dgp_exhaustive(&work);
  else
    gg_cpu_dgp_meet(&work, call);
  return gg_call_require(call, !gg_clock_stopped(call->clock));
}

/* --- all sums --------------------------------------------------------------------------------- */

enum { LOW_SIGNS = 10, LOW_ROWS = 1 << LOW_SIGNS };

/* Computes the sums of the first signs, for all their choices. */
static void make_low(const gg_dgp_sums_plan *plan, int signs, uint64_t *low) {
  const int words = plan->words;
  for (int64_t row = 0; row < (int64_t)1 << signs; ++row) {
    uint64_t *sum = low + row * words;
    for (int w = 0; w < words; ++w)
      sum[w] = 0;
    gg_superaccumulator_add_row(sum, plan->d, signs, words, (uint64_t)row, 0);
  }
}

typedef struct all_sums {
  const gg_dgp_sums_plan *plan;
  int signs;     /* low ones, whose sums stand in a table */
  uint64_t *low; /* the table */
} all_sums;

/* Fills a run of sums that share the high signs. */
static void fill_run(const all_sums *all, int64_t run) {
  const gg_dgp_sums_plan *plan = all->plan;
  const uint64_t *low = all->low;
  const int words = plan->words, signs = all->signs;
  uint64_t high[GG_FIXED_WORDS] = {0}, sum[GG_FIXED_WORDS];
  gg_superaccumulator_add_row(high, plan->d + (int64_t)signs * words, plan->n - signs, words,
                              (uint64_t)run, 0);
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
    gg_superaccumulator_add(sum, low + row * words, words, false);
    sums[row] = gg_superaccumulator_double(sum, words, plan->exponent);
  }
}

/* Fills a range of runs of a table of sums. */
static void fill_runs(void *job, gg_range range) {
  for (int64_t run = range.first; run < range.last; ++run)
    fill_run(job, run);
}

gpugeo_status gg_cpu_dgp_sums(const gg_dgp_sums_plan *plan, gg_call *call) {
  all_sums all = {plan, plan->n < LOW_SIGNS ? plan->n : LOW_SIGNS, NULL};
  const int64_t bytes = plan->words * (int64_t)sizeof *all.low;
  all.low = gg_call_allocate(call, LOW_ROWS, bytes);
  if (!all.low) return call->status;
  make_low(plan, all.signs, all.low);
  gg_prefer_huge_pages(plan->sums, ((int64_t)sizeof(double)) << plan->n);
  gg_call_loop(call, (gg_loop){.threads = plan->threads,
                               .count = (int64_t)1 << (plan->n - all.signs),
                               .grain = 64,
                               .work = fill_runs,
                               .job = &all,
                               .share = 1});
  gg_free(all.low);
  return call->status;
}
