/*
 * Sums of products of distances for many permutations on the CPU. Threads draw batches of
 * permutations, and each row of x stays in the cache for all permutations of a batch: its elements
 * are taken in the order of the permutation, next to the row of y of the point in its place.
 *
 * Limited by loads: a number of a point, which is in the second cache, an element of x from the
 * first, and one of y, in order from memory, for each product. Gathers of vector instructions are
 * not faster.
 */
#include "ordination/mantel.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"

enum {
  LANES = 8,              /* sums that are added up side by side, to hide an addition's latency */
  OFTEN = 64,             /* rows of one permutation between two polls of the clock */
  BATCH_NUMBERS = 1 << 17 /* numbers of points of a batch, half of a second cache of 1 MiB */
};

typedef struct job {
  const gg_mantel_plan *plan;
  gg_clock *clock;
  int64_t sums, batch; /* all sums, and those of a batch */
  int32_t *identity;   /* n */
  int32_t *places;     /* batch by n for each thread: of each point where it is */
  double *lanes;       /* batch by LANES for each thread */
} job;

/* Returns the permutation of a sum. */
static const int32_t *order_of(const job *j, int64_t sum) {
  const int64_t p = sum % (1 + j->plan->permutations);
  return p > 0 ? j->plan->order + (p - 1) * j->plan->n : j->identity;
}

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

/* Adds the products of row r of x to the sums of a batch. */
static void add_products(const job *j, int64_t first, int64_t count, int64_t r,
                         const int32_t *places, double *lanes) {
  const gg_mantel_plan *plan = j->plan;
  const int64_t n = plan->n;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t at = places[b * n + r], later = n - 1 - at;
    const double *y = first + b > plan->permutations ? plan->z : plan->y;
    if (later > 0)
      add_row(plan->x + r * n, order_of(j, first + b) + at + 1, y + gg_condensed_column(n, at),
              later, lanes + b * LANES);
  }
}

static double add_lanes(double *sum) {
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l)
      sum[l] += sum[l + half];
  return sum[0];
}

/* Computes the sums of a batch. Stops early if the call must. */
static void take_batch(const job *j, int64_t first, int32_t worker) {
  const int64_t n = j->plan->n, left = j->sums - first, count = left < j->batch ? left : j->batch;
  int32_t *places = j->places + worker * j->batch * n;
  double *lanes = j->lanes + worker * j->batch * LANES;
  const double share = (1 - j->plan->done) / (double)j->sums;
  for (int64_t b = 0; b < count; ++b) {
    const int32_t *order = order_of(j, first + b);
    for (int64_t i = 0; i < n; ++i)
      places[b * n + order[i]] = (int32_t)i;
  }
  for (int64_t l = 0; l < count * LANES; ++l)
    lanes[l] = 0;
  for (int64_t r = 0, added = 0; r < n; ++r) {
    add_products(j, first, count, r, places, lanes);
    added += count;
    if (added >= OFTEN && gg_clock_poll(j->clock, j->plan->done + share * (double)first)) break;
    if (added >= OFTEN) added = 0;
  }
  for (int64_t b = 0; b < count; ++b)
    j->plan->sums[first + b] = add_lanes(lanes + b * LANES);
}

static void take_batches(void *own, gg_range range) {
  const job *j = own;
  for (int64_t k = range.first; k < range.last; ++k)
    take_batch(j, k * j->batch, range.worker);
}

/* Returns the number of sums of a batch, so that each thread has some batches. */
static int64_t size_of_batch(const gg_mantel_plan *plan, int64_t sums) {
  const int64_t fits = BATCH_NUMBERS / plan->n, fair = sums / (4 * plan->threads);
  const int64_t size = fits < fair ? fits : fair;
  return size > 1 ? size : 1;
}

gpugeo_status gg_cpu_mantel(const gg_mantel_plan *plan, gg_clock *clock, gpugeo_report *report,
                            gpugeo_error *error) {
  (void)report;
  const int64_t n = plan->n, sums = (plan->z ? 2 : 1) * (1 + plan->permutations);
  const int64_t batch = size_of_batch(plan, sums), all = plan->threads * batch;
  job j = {.plan = plan,
           .clock = clock,
           .sums = sums,
           .batch = batch,
           .identity = gg_allocate(n, sizeof *j.identity),
           .places = gg_allocate(all * n, sizeof *j.places),
           .lanes = gg_allocate(all * LANES, sizeof *j.lanes)};
  bool finished = false;
  const bool made = j.identity && j.places && j.lanes;
  for (int64_t i = 0; made && i < n; ++i)
    j.identity[i] = (int32_t)i;
  if (made)
    finished = gg_parallel_for(&(gg_loop){.threads = plan->threads,
                                          .count = (sums + batch - 1) / batch,
                                          .grain = 1,
                                          .work = take_batches,
                                          .job = &j,
                                          .clock = clock,
                                          .begun = plan->done,
                                          .share = 1 - plan->done}) &&
               !gg_clock_stopped(clock);
  gg_free(j.identity);
  gg_free(j.places);
  gg_free(j.lanes);
  if (!made) return gg_fail_memory(error, 4 * n + all * (4 * n + LANES * 8));
  return finished ? GPUGEO_OK : gg_fail_interrupt(error);
}
