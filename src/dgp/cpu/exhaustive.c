/*
 * All rows on the CPU: the product of the matrix M and d of Hengeveld and Mucherino (2022), without
 * pruning. The sums of the low signs are in a table; for each choice of the high signs their sum
 * moves the windows instead of all sums, which leaves one subtraction and one comparison a row.
 */
#include "dgp/cpu/exhaustive.h"

#include "common/context.h"
#include "common/uint128.h"
#include "dgp/cpu/count.h"

enum {
  LOW_SIGNS = 11, /* 16 KiB of sums: half of a level 1 cache */
  LOW_ROWS = 1 << LOW_SIGNS,
  LEAST_ROWS = 16,
  RUN_SIGNS = 6, /* choices of high signs in Gray code, a run */
  RUNS = 4       /* that a thread takes at a time: 0.1 to 2 ms */
};

typedef struct job {
  gg_cpu_dgp_work *work;
  gg_cpu_dgp_count *count;
  int low_signs, high_signs;
  int64_t rows, size; /* of the table: those there are, and with padding */
  int64_t low, high;  /* hull of the windows */
  int64_t *table;
  int run_signs;
  uint64_t counts[GG_DGP_WINDOWS];
} job;

/* Returns the sum of a row. */
static int64_t row_sum(const int64_t *d, int signs, uint64_t row) {
  int64_t sum = 0;
  for (int j = 0; j < signs; ++j)
    sum += row >> j & 1 ? d[j] : -d[j];
  return sum;
}

/* A window shifted for the table, whose sums lie within 2^61, and clipped to exclude the
   padding. */
typedef struct span {
  int64_t low;
  uint64_t width;
} span;

/* Returns a window less a sum, limited to numbers that do not overflow. */
static span move_window(int64_t low, int64_t high, int64_t sum) {
  const int64_t beyond = ((int64_t)1 << 61) + 1;
  low = low - sum < -beyond ? -beyond : low - sum > beyond ? beyond : low - sum;
  high = high - sum < -beyond ? -beyond : high - sum > beyond ? beyond : high - sum;
  return (span){low, (uint64_t)high - (uint64_t)low};
}

/* Counts one choice of the high signs: all windows, if any sum is in their hull. */
static void look_at(const job *job, uint64_t choice, int64_t sum, uint64_t *counts) {
  const gg_dgp_plan *plan = job->work->plan;
  const span hull = move_window(job->low, job->high, sum);
  if (job->count(job->table, job->size, hull.low, hull.width) == 0) return;
  for (int w = 0; w < plan->window_count; ++w) {
    const gg_dgp_window *window = &plan->windows[w];
    if (window->low > window->high) continue;
    const span s = move_window(window->low, window->high, sum);
    const int64_t count = job->count(job->table, job->size, s.low, s.width);
    counts[w] += (uint64_t)count;
    if (count == 0 || gg_atomic_load(&job->work->kept[w]) >= window->capacity) continue;
    for (int64_t row = 0; row < job->rows; ++row)
      if ((uint64_t)job->table[row] - (uint64_t)s.low <= s.width)
        gg_cpu_dgp_keep(job->work, w, gg_uint128_make((uint64_t)row | choice << job->low_signs, 0));
  }
}

/* Counts a run of choices of the high signs, each of which differs from the previous one by one
   sign. */
static void look_at_run(const job *job, int64_t run, uint64_t *counts) {
  const int64_t *d = job->work->plan->d + job->low_signs;
  uint64_t choice = (uint64_t)run << job->run_signs;
  int64_t sum = row_sum(d, job->high_signs, choice);
  for (uint64_t step = 1;; ++step) {
    look_at(job, choice, sum, counts);
    if (step >> job->run_signs) return;
    const int turned = __builtin_ctzll(step);
    choice ^= (uint64_t)1 << turned;
    sum += choice >> turned & 1 ? 2 * d[turned] : -2 * d[turned];
  }
}

/* Counts the sums of a range of runs that are in the windows. */
static void look_at_runs(void *data, gg_range range) {
  job *job = data;
  uint64_t counts[GG_DGP_WINDOWS] = {0};
  for (int64_t run = range.first; run < range.last; ++run)
    look_at_run(job, run, counts);
  for (int w = 0; w < job->work->plan->window_count; ++w)
    gg_atomic_add(&job->counts[w], counts[w]);
}

/* Counts all runs; if stopped, the result is incomplete. */
static void look_at_all(job *job) {
  const gg_cpu_dgp_work *work = job->work;
  job->run_signs = job->high_signs < RUN_SIGNS ? job->high_signs : RUN_SIGNS;
  (void)gg_parallel_for(&(gg_loop){.threads = work->plan->threads,
                                   .count = (int64_t)1 << (job->high_signs - job->run_signs),
                                   .grain = RUNS,
                                   .work = look_at_runs,
                                   .job = job,
                                   .clock = work->clock,
                                   .begun = work->before,
                                   .share = work->share});
}

void gg_cpu_dgp_exhaustive(gg_cpu_dgp_work *work) {
  const gg_dgp_plan *plan = work->plan;
  _Alignas(64) int64_t table[LOW_ROWS];
  const int low_signs = plan->n < LOW_SIGNS ? plan->n : LOW_SIGNS;
  job job = {.work = work,
             .count = GG_SIMD_CHOOSE(gg_cpu_dgp_count, gg_cpu_dgp_count),
             .low_signs = low_signs,
             .high_signs = plan->n - low_signs,
             .rows = (int64_t)1 << low_signs,
             .table = table};
  job.size = job.rows < LEAST_ROWS ? LEAST_ROWS : job.rows;
  for (int w = 0; w < plan->window_count; ++w)
    plan->windows[w].count = gg_uint128_make(0, 0);
  gg_cpu_dgp_hull(plan, &job.low, &job.high);
  if (job.low > job.high) return;
  for (int64_t row = 0; row < job.rows; ++row)
    table[row] = row_sum(plan->d, low_signs, (uint64_t)row);
  for (int64_t row = job.rows; row < job.size; ++row)
    table[row] = (int64_t)1 << 62; /* in no window */
  look_at_all(&job);
  for (int w = 0; w < plan->window_count; ++w)
    plan->windows[w].count = gg_uint128_make(job.counts[w], 0);
}
