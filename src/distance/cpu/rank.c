/* The CPU backend's pairwise Spearman correlations: one pair of columns a thread. */
#include <stdbool.h>
#include <stdlib.h>

#include "common/atomic.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/rank.h"

/* Sets before[t] to the number of observations that both columns have among the first t of
   column i's order. Returns their number among all. */
static int32_t count_common(const gg_rank_order *x, int64_t i, const int32_t *first_x,
                            const int32_t *first_y, int32_t *before) {
  const int32_t *order = x->order + i * x->n;
  int32_t count = 0;
  for (int64_t t = 0; t < x->n; ++t) {
    before[t] = count;
    count += first_x[order[t]] >= 0 && first_y[order[t]] >= 0;
  }
  before[x->n] = count;
  return count;
}

/* Returns the correlation of column i of x with column j of y; `before` has room for 2 (n + 1)
   counts. */
static double correlate_pair(const gg_rank_plan *plan, int64_t i, int64_t j, int32_t *before,
                             int32_t *notes) {
  const gg_rank_order *x = plan->x, *y = plan->y;
  const int64_t n = x->n;
  const int32_t *first_x = x->first + i * n, *last_x = x->last + i * n;
  const int32_t *first_y = y->first + j * n, *last_y = y->last + j * n;
  int32_t *before_x = before, *before_y = before + n + 1;
  const int64_t common = count_common(x, i, first_x, first_y, before_x);
  count_common(y, j, first_y, first_x, before_y);
  if (common < 2) return plan->missing;
  int64_t xx = 0, yy = 0, xy = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (first_x[k] < 0 || first_y[k] < 0) continue;
    /* Twice the rank is (before the ties + 1) + (up to their end); its mean is common + 1. */
    const int64_t a = (int64_t)before_x[first_x[k]] + before_x[last_x[k]] - common;
    const int64_t b = (int64_t)before_y[first_y[k]] + before_y[last_y[k]] - common;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  if (xx > 0 && yy > 0) return gg_rank_correlation(xx, yy, xy);
  *notes |= GPUGEO_NOTE_ZERO_DEVIATION;
  return plan->missing;
}

/* Writes an element of the result as a number of its type. */
static void set_value(const gg_rank_plan *plan, int64_t i, int64_t j, double value) {
  const int64_t at = i + j * plan->x->columns;
  if (plan->type == GPUGEO_TYPE_FLOAT)
    ((float *)plan->out)[at] = (float)value;
  else
    ((double *)plan->out)[at] = value;
}

typedef struct pairing {
  const gg_rank_plan *plan;
  gg_call *call;
  int32_t *before; /* counts for a pair, of each thread */
  int32_t notes;
} pairing;

/* Correlates all columns of x with columns of y; within x, only with later columns. */
static void correlate_columns(void *job, gg_range range) {
  pairing *p = job;
  const gg_rank_plan *plan = p->plan;
  const bool symmetric = plan->x == plan->y;
  int32_t *before = p->before + range.worker * 2 * (plan->x->n + 1), notes = 0;
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = symmetric ? j : 0; i < plan->x->columns; ++i) {
      if (gg_clock_poll(p->call->clock, (double)j / (double)plan->y->columns)) break;
      const double value = correlate_pair(plan, i, j, before, &notes);
      set_value(plan, i, j, value);
      if (symmetric) set_value(plan, j, i, value);
    }
  if (notes) gg_atomic_or(&p->notes, notes);
}

gpugeo_status gg_cpu_rank_pairs(const gg_rank_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  const int64_t counts = plan->threads * 2 * (plan->x->n + 1);
  pairing p = {
      .plan = plan, .call = call, .before = gg_call_allocate(call, counts, sizeof *p.before)};
  if (!p.before) return call->status;
  gg_call_loop(call, (gg_loop){.threads = plan->threads,
                               .count = plan->y->columns,
                               .grain = 1,
                               .work = correlate_columns,
                               .job = &p});
  gg_free(p.before);
  call->report->notes |= p.notes;
  return call->status;
}
