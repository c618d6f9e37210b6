/*
 * Sums of products of distances for many permutations on the CPU. Threads draw permutations. A row
 * of x stays in the cache while its elements are taken in the order of the permutation.
 *
 * Limited by loads: a number of a point, an element of x and one of y for each product. Gathers of
 * vector instructions are not faster.
 */
#include "ordination/mantel.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum {
  LANES = 8, /* sums that are added up side by side, to hide the latency of an addition */
  OFTEN = 64 /* rows between two polls of the clock */
};

typedef struct job {
  const gg_mantel_plan *plan;
  gg_clock *clock;
  int32_t *identity; /* n */
} job;

/* Adds row[at[k]] * y[k] to sum[k % LANES]. */
static void add_row(const double *row, const int32_t *at, const double *y, int64_t count,
                    double *sum) {
  int64_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (int l = 0; l < LANES; ++l)
      sum[l] += row[at[k + l]] * y[k + l];
  for (int l = 0; k + l < count; ++l)
    sum[l] += row[at[k + l]] * y[k + l];
}

/* Returns the sum of one permutation with y or z. Stops early if the call must. */
static double add_pairs(const job *j, const int32_t *order, const double *y, double fraction) {
  const int64_t n = j->plan->n;
  double sum[LANES] = {0};
  for (int64_t c = 0; c < n - 1; y += n - 1 - c++) {
    if (c % OFTEN == OFTEN - 1 && gg_clock_poll(j->clock, fraction)) break;
    add_row(j->plan->x + order[c] * n, order + c + 1, y, n - 1 - c, sum);
  }
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      sum[l] += sum[l + half];
  return sum[0];
}

static void take_sums(void *own, gg_range range) {
  const job *j = own;
  const gg_mantel_plan *plan = j->plan;
  const int64_t all = 1 + plan->permutations;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int64_t p = k % all;
    const int32_t *order = p > 0 ? plan->order + (p - 1) * plan->n : j->identity;
    const double share = (1 - plan->done) / (double)(plan->z ? 2 * all : all);
    plan->sums[k] =
        add_pairs(j, order, k < all ? plan->y : plan->z, plan->done + share * (double)range.first);
  }
}

gpugeo_status gg_cpu_mantel(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error) {
  (void)report;
  job j = {plan, clock, gg_allocate(plan->n, sizeof *j.identity)};
  if (!j.identity) return gg_fail_memory(error, plan->n * (int64_t)sizeof *j.identity);
  for (int64_t i = 0; i < plan->n; ++i)
    j.identity[i] = (int32_t)i;
  const int64_t all = 1 + plan->permutations;
  const gg_loop loop = {.threads = plan->threads,
                        .count = plan->z ? 2 * all : all,
                        .grain = 1 + 1000000 / (plan->n * plan->n), /* at most some 1 ms */
                        .work = take_sums,
                        .job = &j,
                        .clock = clock,
                        .begun = plan->done,
                        .share = 1 - plan->done};
  const bool finished = gg_parallel_for(&loop) && !gg_clock_stopped(clock);
  gg_free(j.identity);
  return finished ? GPUGEO_OK : gg_fail_interrupt(error);
}
