/*
 * The CPU backend's Kendall correlations. Pairs of columns without gaps are counted by the bits of
 * all pairs of observations, 64 at a time, or with many observations by merge sort, as are pairs of
 * columns with gaps.
 *
 * Limited by the logical operations of the bits, or by the merges.
 */
#include <math.h>
#include <string.h>

#include "common/atomic.h"
#include "common/context.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/test_hooks.h"
#include "distance/cpu/kendall_merge.h"
#include "distance/cpu/pair_bits.h"

static gg_kendall_use use = GG_KENDALL_BY_COST;

void gg_kendall_set_use(gg_kendall_use chosen) { use = chosen; }

/* --- The result ------------------------------------------------------------------------------- */

/* Writes an element of the result as a number of its type. */
static void set_value(const gg_kendall_plan *plan, int64_t i, int64_t j, double value) {
  const int64_t at = i + j * plan->x->columns;
  if (plan->type == GPUGEO_TYPE_FLOAT)
    ((float *)plan->out)[at] = (float)value;
  else
    ((double *)plan->out)[at] = value;
}

/* True if a column has missing values. */
static bool has_gap(const gg_kendall_columns *x, int64_t i) { return x->present[i] < x->n; }

/* A call. */
typedef struct kendall_job {
  const gg_kendall_plan *plan;
  gg_call *call;
  bool symmetric;
  int32_t *order; /* of x, for merge sorts; or NULL */
  int32_t *room;  /* for them, 2 n numbers for each thread */
  int32_t notes;
} kendall_job;

/* Writes the correlation of a pair of columns, and its mirror image within x. */
static void write_pair(kendall_job *job, int64_t i, int64_t j, const gg_kendall_counts *c) {
  const gg_kendall_plan *plan = job->plan;
  double value = plan->missing;
  if (plan->covariance) {
    if (!has_gap(plan->x, i) && !has_gap(plan->y, j)) value = 2 * (double)c->score;
  } else if (c->untied_x > 0 && c->untied_y > 0)
    value = gg_kendall_tau(c->untied_x, c->untied_y, c->score);
  else if (plan->pairwise && c->observations > 1)
    gg_atomic_or(&job->notes, GPUGEO_NOTE_ZERO_DEVIATION);
  set_value(plan, i, j, value);
  if (job->symmetric) set_value(plan, j, i, value);
}

/* Counts a pair of columns by merge sort, unless a gap makes it missing. */
static void merge_pair(kendall_job *job, int64_t i, int64_t j, int32_t worker) {
  const gg_kendall_plan *plan = job->plan;
  const bool lost = !plan->pairwise && (has_gap(plan->x, i) || has_gap(plan->y, j));
  int32_t *room = job->room + worker * 2 * plan->x->n;
  gg_kendall_counts counts = {0};
  if (!lost) counts = gg_kendall_merge(plan->x, job->order, i, plan->y, j, room);
  write_pair(job, i, j, &counts);
}

/* --- By merge sort ---------------------------------------------------------------------------- */

/* Computes the pairs of a range of columns by merge sort. */
static void merge_columns(void *own, gg_range range) {
  kendall_job *job = own;
  const gg_kendall_plan *plan = job->plan;
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = job->symmetric ? j : 0; i < plan->x->columns; ++i) {
      if (gg_clock_poll(job->call->clock, (double)j / (double)plan->y->columns)) return;
      merge_pair(job, i, j, range.worker);
    }
}

/* Computes all pairs of columns by merge sort. */
static gpugeo_status merge_all(kendall_job *job) {
  return gg_call_loop(job->call, (gg_loop){.threads = job->plan->threads,
                                           .count = job->plan->y->columns,
                                           .grain = 1,
                                           .work = merge_columns,
                                           .job = job});
}

/* --- By bits ---------------------------------------------------------------------------------- */

/* The bits of the columns of successive groups. */
typedef struct panel {
  const gg_kendall_columns *columns;
  int64_t first, count; /* groups */
  uint64_t *bits;
} panel;

/* The two panels whose pairs are counted, and what all panels share. */
typedef struct bits_job {
  kendall_job *job;
  const gg_bits_kernels *kernels;
  int64_t words, group_words; /* of a column, and of a group with all its bits */
  bool ties;                  /* panels have `untied` bits */
  panel x, y;
  panel *made;   /* the panel that is made now */
  int16_t *code; /* of a column, for each thread */
  unsigned char *room;
  double begun, share; /* of progress */
} bits_job;

/* Returns the number of groups of columns. */
static int64_t groups_of(const gg_kendall_columns *x) {
  return (x->columns + GG_BITS_COLUMNS - 1) / GG_BITS_COLUMNS;
}

/* Returns the number of pairs of rows. */
static int64_t all_pairs(const gg_kendall_columns *x) { return x->n * (x->n - 1) / 2; }

/* Returns the columns of a group, which are fewer in the last one. */
static int64_t group_size(const gg_kendall_columns *x, int64_t group) {
  return gg_smaller(GG_BITS_COLUMNS, x->columns - group * GG_BITS_COLUMNS);
}

/* Writes the bits of a range of groups of columns. */
static void make_groups(void *own, gg_range range) {
  const bits_job *b = own;
  const panel *made = b->made;
  const gg_kendall_columns *x = made->columns;
  int16_t *narrow = b->code + range.worker * x->n;
  unsigned char *room = b->room + range.worker * gg_bits_room(x->n);
  for (int64_t g = range.first; g < range.last; ++g) {
    uint64_t *bits = made->bits + g * b->group_words;
    const int64_t group = made->first + g, size = group_size(x, group);
    if (size < GG_BITS_COLUMNS) memset(bits, 0, (size_t)b->group_words * sizeof *bits);
    for (int64_t c = 0; c < size; ++c) {
      const int32_t *code = x->code + (group * GG_BITS_COLUMNS + c) * x->n;
      for (int64_t k = 0; k < x->n; ++k)
        narrow[k] = (int16_t)code[k];
      b->kernels->compare(narrow, x->n, room, bits + c,
                          b->ties ? bits + b->words * GG_BITS_COLUMNS + c : NULL);
    }
  }
}

/* Makes the bits of a panel. */
static gpugeo_status make_panel(bits_job *b, panel *made, int64_t first, int64_t most) {
  made->first = first;
  made->count = gg_smaller(most, groups_of(made->columns) - first);
  b->made = made;
  return gg_call_loop(b->job->call, (gg_loop){.threads = b->job->plan->threads,
                                              .count = made->count,
                                              .grain = 1 + 4096 / b->words,
                                              .work = make_groups,
                                              .job = b,
                                              .begun = b->begun});
}

/* True if some column of a group has ties. */
static bool group_has_ties(const gg_kendall_columns *x, int64_t group) {
  for (int64_t c = 0; c < group_size(x, group); ++c)
    if (x->untied[group * GG_BITS_COLUMNS + c] < all_pairs(x)) return true;
  return false;
}

/* Writes the correlations of two groups, numbered from those of the panels. */
static void count_groups(const bits_job *b, int64_t gx, int64_t gy, int32_t worker) {
  kendall_job *job = b->job;
  const gg_kendall_columns *x = b->x.columns, *y = b->y.columns;
  const uint64_t *x_bits = b->x.bits + gx * b->group_words;
  const uint64_t *y_bits = b->y.bits + gy * b->group_words;
  const int64_t x_group = b->x.first + gx, y_group = b->y.first + gy;
  const bool ties = b->ties && (group_has_ties(x, x_group) || group_has_ties(y, y_group));
  int64_t count[GG_BITS_COLUMNS * GG_BITS_COLUMNS] = {0};
  (ties ? b->kernels->concordant : b->kernels->differing)(x_bits, y_bits, b->words, count);
  for (int64_t d = 0, j = y_group * GG_BITS_COLUMNS; d < group_size(y, y_group); ++d, ++j)
    for (int64_t c = 0, i = x_group * GG_BITS_COLUMNS; c < group_size(x, x_group); ++c, ++i) {
      if (job->symmetric && i < j) continue;
      if (has_gap(x, i) || has_gap(y, j)) {
        merge_pair(job, i, j, worker);
        continue;
      }
      const int64_t counted = count[GG_BITS_COLUMNS * d + c];
      const gg_kendall_counts counts = {.observations = x->n,
                                        .untied_x = x->untied[i],
                                        .untied_y = y->untied[j],
                                        .score = ties ? counted : all_pairs(x) - 2 * counted};
      write_pair(job, i, j, &counts);
    }
}

/* Counts groups of the panel of y with all groups of that of x; within x, with later ones. */
static void count_range(void *own, gg_range range) {
  const bits_job *b = own;
  const bool later = b->job->symmetric && b->x.first == b->y.first;
  const double share = b->share / (double)b->y.count;
  for (int64_t gx = later ? range.first : 0; gx < b->x.count; ++gx) {
    if (gg_clock_poll(b->job->call->clock, b->begun + share * (double)range.first)) return;
    for (int64_t gy = range.first; gy < range.last; ++gy)
      if (!later || gx >= gy) count_groups(b, gx, gy, range.worker);
  }
}

/* Counts the pairs of the two panels. */
static gpugeo_status count_panels(bits_job *b) {
  const int32_t threads = b->job->plan->threads;
  const int64_t most = 1 + 800 / b->words, grain = b->y.count / (16 * threads);
  return gg_call_loop(b->job->call, (gg_loop){.threads = threads,
                                              .count = b->y.count,
                                              .grain = grain < 1 ? 1 : gg_smaller(grain, most),
                                              .work = count_range,
                                              .job = b,
                                              .begun = b->begun,
                                              .share = b->share});
}

/* Counts all pairs of columns, `most` groups of each matrix at a time. */
static gpugeo_status count_all(bits_job *b, int64_t most) {
  const int64_t x_groups = groups_of(b->x.columns), y_groups = groups_of(b->y.columns);
  const gg_call *call = b->job->call;
  b->share = 1 / (ceil((double)x_groups / (double)most) * ceil((double)y_groups / (double)most));
  uint64_t *const x_bits = b->x.bits;
  for (int64_t y = 0; !call->status && y < y_groups; y += most) {
    make_panel(b, &b->y, y, most);
    for (int64_t x = b->job->symmetric ? y : 0; !call->status && x < x_groups; x += most) {
      const bool same = b->job->symmetric && x == y;
      b->x.bits = same ? b->y.bits : x_bits;
      b->x.first = x;
      b->x.count = b->y.count;
      if (!same) make_panel(b, &b->x, x, most);
      count_panels(b);
      b->begun += b->share;
    }
  }
  return call->status;
}

/* Returns how many groups of each matrix may have bits at a time, 0 if not even one. */
static int64_t groups_at_a_time(const bits_job *b) {
  const gg_kendall_plan *plan = b->job->plan;
  const int64_t limit = plan->work_bytes ? plan->work_bytes : GG_WORK_BYTES;
  const int64_t most = limit / (8 * b->group_words);
  return b->job->symmetric && most >= groups_of(plan->x) ? most : most / 2;
}

/* Allocates panels of `most` groups, and the room of all threads. */
static bool allocate_bits(bits_job *b, int64_t most) {
  const int64_t n = b->job->plan->x->n, threads = b->job->plan->threads;
  const int64_t x_groups = gg_smaller(most, groups_of(b->x.columns));
  const int64_t y_groups = gg_smaller(most, groups_of(b->y.columns));
  const bool one = b->job->symmetric && most >= groups_of(b->x.columns); /* panel */
  b->y.bits = gg_allocate(y_groups * b->group_words, sizeof *b->y.bits);
  b->x.bits = one ? b->y.bits : gg_allocate(x_groups * b->group_words, sizeof *b->x.bits);
  b->code = gg_allocate(threads * n, sizeof *b->code);
  b->room = gg_allocate(threads * gg_bits_room(n), 1);
  return b->x.bits && b->y.bits && b->code && b->room;
}

/* Computes all pairs of columns by bits, with up to `most` groups in memory, and frees its memory.
 */
static gpugeo_status count_bits(bits_job *b, int64_t most) {
  gg_call *call = b->job->call;
  if (call->status) return call->status;
  const bool there = allocate_bits(b, most);
  uint64_t *const x_bits = b->x.bits;
  if (there)
    count_all(b, most);
  else
    call->status =
        gg_fail_memory(call->error, 2 * most * b->group_words * (int64_t)sizeof(uint64_t));
  if (x_bits != b->y.bits) gg_free(x_bits);
  gg_free(b->y.bits);
  gg_free(b->code);
  gg_free(b->room);
  return call->status;
}

/* Returns what a computation by bits needs, without its memory. */
static bits_job prepare_bits(kendall_job *job) {
  const gg_kendall_columns *x = job->plan->x, *y = job->plan->y;
  bits_job b = {.job = job,
                .kernels = GG_SIMD_CHOOSE(const gg_bits_kernels, gg_bits_kernels),
                .words = gg_bits_words(x->n),
                .ties = x->ties || y->ties,
                .x.columns = x,
                .y.columns = y};
  b.group_words = (b.ties ? 2 : 1) * b.words * GG_BITS_COLUMNS;
  return b;
}

/* --- Choosing --------------------------------------------------------------------------------- */

/* Makes what merge sorts need. */
static gpugeo_status prepare_merges(kendall_job *job) {
  const gg_kendall_plan *plan = job->plan;
  gg_kendall_order(plan->x, plan->threads, &job->order, job->call);
  job->room = gg_call_allocate(job->call, plan->threads * 2 * plan->x->n, sizeof *job->room);
  return job->call->status;
}

gpugeo_status gg_cpu_kendall(const gg_kendall_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  kendall_job job = {.plan = plan, .call = call, .symmetric = plan->x == plan->y};
  bits_job b = prepare_bits(&job);
  int64_t most = 0;
  if (plan->x->n > 1 && plan->x->n <= GG_BITS_MOST_ROWS && use != GG_KENDALL_MERGE)
    most = groups_at_a_time(&b); /* one row has no pair, and no bits */
  if (most == 0 || plan->x->gaps || plan->y->gaps) prepare_merges(&job);
  if (most > 0)
    count_bits(&b, most);
  else
    merge_all(&job);
  gg_free(job.order);
  gg_free(job.room);
  call->report->notes |= job.notes;
  return call->status;
}
