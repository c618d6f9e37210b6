/*
 * Meet in the middle on the CPU: 2^(n/2) steps instead of 2^n (Horowitz and Sahni 1974).
 *
 * The sums of a half come in pairs s, -s, so a list holds the absolute values alone, ascending.
 * Another distance d turns a list P into |P - d| merged with P + d: no sort is needed, since each
 * is a run of P, read forwards or backwards. A sum of both halves is one of a - b, b - a, a + b, -a
 * - b; how many of them lie in a window follows from how many b are below each a + x, which one
 * pass over both lists counts. Signs that do not fit into the lists are fixed in turn and shift the
 * window.
 *
 * The next step of a walk depends on a comparison that no processor can predict. Therefore it has
 * no branch, and four walks are interleaved, because each waits for its own loads. The first steps
 * of several walks are found by bisection along a diagonal (merge path).
 */
#include "dgp/cpu/meet.h"

#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/error.h"
#include "common/inline.h"
#include "common/memory.h"
#include "common/uint128.h"
#include "dgp/problem.h"

enum {
  CHAINS = 4,
  PART_BITS = 16, /* steps that a thread takes at a time, and elements of a */
  PART = 1 << PART_BITS,
  FIXED =
      2, /* signs that are fixed even where memory suffices: a quarter of it for the same time */
};
static const int64_t pad = (int64_t)1 << 62; /* beyond any sum, before and after each list */
static const int64_t little = 2048;          /* elements of lists: below, 20 us, one thread */
static const int64_t farthest = ((int64_t)1 << 61) + 1; /* window bounds beyond any sum */

/* --- walks along two runs --------------------------------------------------------------------- */

/* Two ascending runs: a[i] + a_add, and b[j] + b_add or, backwards, b_add - b[-j]. */
typedef struct runs {
  const int64_t *a, *b;
  int64_t a_size, b_size, a_add, b_add;
  bool backwards;
} runs;

GG_INLINE int64_t value_b(const int64_t *b, int64_t j, int64_t add, bool backwards) {
  return backwards ? add - b[-j] : add + b[j];
}

/* Returns how many of the first `diagonal` elements of the merged runs are of a; of equal ones
   those of a come first. */
static int64_t split_runs(const runs *r, int64_t diagonal) {
  int64_t least = diagonal > r->b_size ? diagonal - r->b_size : 0;
  int64_t most = diagonal < r->a_size ? diagonal : r->a_size;
  while (least < most) {
    const int64_t middle = (least + most) / 2;
    if (r->a[middle] + r->a_add <= value_b(r->b, diagonal - 1 - middle, r->b_add, r->backwards))
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

/* Takes `steps` steps of each walk c, from step start[c] on, at[c] of which were in a. Writes
   the merged elements to out, or (NULL) returns the sum over all steps of `at` after it. */
GG_INLINE uint64_t merge_steps(const runs *r, int64_t *at, const int64_t *start, int64_t steps,
                               int chains, bool backwards, int64_t *out) {
  const int64_t *a = r->a, a_add = r->a_add, b_add = r->b_add;
  const int64_t *b[CHAINS];
  int64_t i[CHAINS], *to[CHAINS];
  uint64_t sum = 0;
  for (int c = 0; c < chains; ++c) {
    b[c] = backwards ? r->b - start[c] : r->b + start[c];
    i[c] = at[c];
    to[c] = out ? out + start[c] : NULL;
  }
  for (int64_t t = 0; t < steps; ++t) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; ++c) {
      const int64_t a_value = a[i[c]] + a_add, b_value = value_b(b[c], t - i[c], b_add, backwards);
      if (out) to[c][t] = b_value < a_value ? b_value : a_value;
      i[c] += b_value >= a_value;
      if (!out) sum += (uint64_t)i[c];
    }
  }
  for (int c = 0; c < chains; ++c)
    at[c] = i[c];
  return sum;
}

/* Takes steps [from, to) of the walk along both runs, as several walks at once. */
GG_INLINE uint64_t walk_part(const runs *r, int64_t from, int64_t to, bool backwards,
                             int64_t *out) {
  const int64_t each = (to - from) / CHAINS;
  int64_t at[CHAINS], start[CHAINS];
  uint64_t sum = 0;
  if (each < 16) {
    start[0] = from;
    at[0] = split_runs(r, from);
    return merge_steps(r, at, start, to - from, 1, backwards, out);
  }
  for (int c = 0; c < CHAINS; ++c) {
    start[c] = from + c * each;
    at[c] = split_runs(r, start[c]);
  }
  sum = merge_steps(r, at, start, each, CHAINS, backwards, out);
  start[0] = from + CHAINS * each;
  return sum + merge_steps(r, &at[CHAINS - 1], start, to - start[0], 1, backwards, out);
}

/* Merges a part of two runs, forwards or backwards. */
static void merge_part(const runs *r, int64_t from, int64_t to, int64_t *out) {
  if (r->backwards)
    walk_part(r, from, to, true, out);
  else
    walk_part(r, from, to, false, out);
}

/* Returns the sum over all a of the number of b below it. */
static uint64_t rank_all(const runs *r) {
  const int64_t steps = r->a_size + r->b_size;
  const uint64_t ats =
      r->backwards ? walk_part(r, 0, steps, true, NULL) : walk_part(r, 0, steps, false, NULL);
  /* The number of a step in a, less the earlier steps in a, is the number of steps in b; summed
     by parts. */
  const uint64_t size = (uint64_t)r->a_size;
  return (uint64_t)steps * size - ats - size * (size - 1) / 2;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Ascending; element -1 is -pad and element `size` is pad. */
typedef struct list {
  int64_t *memory, *value;
  int64_t size;
} list;

enum { BEFORE = 8 }; /* elements before the first, to keep it aligned */

/* Allocates a list, with room before and after it. Returns false without memory. */
static bool list_room(list *l, int64_t most) {
  l->memory = gg_allocate(most + BEFORE + 1, sizeof *l->memory);
  if (!l->memory) return false;
  gg_prefer_huge_pages(l->memory, (most + BEFORE + 1) * (int64_t)sizeof *l->memory);
  l->value = l->memory + BEFORE;
  return true;
}

/* Sets the size of a list and the values that end it on both sides. */
static void close_list(list *l, int64_t size) {
  l->size = size;
  l->value[-1] = -pad;
  l->value[size] = pad;
}

/* Returns the first element that is not below the bound. */
static int64_t lower_bound(const list *l, int64_t bound) {
  int64_t first = 0;
  for (int64_t left = l->size; left > 0;) {
    const int64_t step = left / 2;
    const bool below = l->value[first + step] < bound;
    first = below ? first + step + 1 : first;
    left = below ? left - step - 1 : step;
  }
  return first;
}

typedef struct merge {
  const runs *runs;
  int64_t *out;
} merge;

/* Merges a range of the result. */
static void merge_range(void *job, gg_range range) {
  const merge *m = job;
  merge_part(m->runs, range.first, range.last, m->out);
}

/* Merges two runs in parallel. */
static void merge_runs(gg_cpu_dgp_work *work, const runs *r, int64_t *out) {
  merge m = {r, out};
  (void)gg_parallel_for(&(gg_loop){.threads = work->plan->threads,
                                   .count = r->a_size + r->b_size,
                                   .grain = PART,
                                   .work = merge_range,
                                   .job = &m,
                                   .clock = work->clock,
                                   .begun = work->before});
}

/* Computes to = |from - d| merged with from + d. Below d there are d - p of the p below d,
   backwards, and p - d; above it the other p - d and all p + d. */
static void grow_list(gg_cpu_dgp_work *work, const list *from, int64_t d, list *to) {
  const int64_t turn = lower_bound(from, d), twice = lower_bound(from, 2 * d);
  const runs below = {from->value + turn, from->value + turn - 1, twice - turn, turn, -d, d, true};
  const runs above = {from->value, from->value + twice, from->size, from->size - twice, d, -d,
                      false};
  merge_runs(work, &below, to->value);
  merge_runs(work, &above, to->value + twice);
  close_list(to, 2 * from->size);
}

/* Makes the list of the given distances, at least one; two buffers alternate, and the last list
   is in the first of them. */
static void make_list(gg_cpu_dgp_work *work, const int64_t *d, int count, list *made, list *spare) {
  list *now = count % 2 ? made : spare, *next = count % 2 ? spare : made;
  now->value[0] = d[0];
  close_list(now, 1);
  for (int j = 1; j < count && !gg_cpu_dgp_stop(work, 0); ++j) {
    grow_list(work, now, d[j], next);
    list *done = next;
    next = now;
    now = done;
  }
}

/* --- the job ---------------------------------------------------------------------------------- */

/* A sum of each half whose total is in a window, with the signs of both as in the four kinds of
   sums. */
typedef struct meeting {
  int64_t a, b; /* absolute values */
  bool a_plus, b_plus;
  int window;
  uint64_t outer; /* the choice of the fixed signs */
} meeting;

typedef struct job {
  gg_cpu_dgp_work *work;
  int first, second, outer; /* signs of the halves, and fixed ones */
  list a, b;
  uint64_t choices; /* of the fixed signs */
  int64_t parts;    /* of list a */
  gg_lock counts;   /* for the windows' counts */
  meeting *met;
  int64_t met_count[GG_DGP_WINDOWS];
  int64_t met_first[GG_DGP_WINDOWS]; /* where a window's part of `met` begins */
} job;

/* A part of the elements of a, and the kind of sums that is counted: a_sign a + b_sign b in
   [low, high] becomes a - b or (backwards) a + b. */
typedef struct look {
  int64_t from, to;
  int64_t low, high;
  bool backwards;
} look;

/* Returns the sum over the part's a of the number of b, or -b backwards, below a + add. */
static uint64_t rank_part(const job *job, const look *l, int64_t add, int64_t *first) {
  const list *a = &job->a, *b = &job->b;
  const int64_t least = a->value[l->from] + add, most = a->value[l->to - 1] + add;
  /* -b < x where b > -x */
  const int64_t start = l->backwards ? b->size - lower_bound(b, 1 - least) : lower_bound(b, least);
  const int64_t end = l->backwards ? b->size - lower_bound(b, 1 - most) : lower_bound(b, most);
  const uint64_t count = (uint64_t)(l->to - l->from);
  *first = start;
  if (start == end) return count * (uint64_t)start;
  const runs r = {a->value + l->from,
                  l->backwards ? b->value + b->size - 1 - start : b->value + start,
                  l->to - l->from,
                  end - start,
                  add,
                  0,
                  l->backwards};
  return rank_all(&r) + count * (uint64_t)start;
}

/* Stores the pairs of a part's elements whose sum is in the window: each pair of values once,
   however often they are in the lists. */
static void note_meetings(job *job, const look *l, int64_t first, int64_t last, bool turned,
                          int window, uint64_t outer) {
  const int64_t *a = job->a.value, *b = job->b.value;
  const int64_t size = job->b.size, capacity = job->work->plan->windows[window].capacity;
  int64_t under = first, within = last;
  for (int64_t i = l->from; i < l->to; ++i) {
#define B(j) (l->backwards ? -b[size - 1 - (j)] : b[j])
    while (under < size && B(under) < a[i] - l->high)
      ++under;
    while (within < size && B(within) < a[i] - l->low + 1)
      ++within;
    if (i > 0 && a[i - 1] == a[i]) continue;
    for (int64_t j = under; j < within; ++j) {
      if (j > under && B(j - 1) == B(j)) continue;
      const int64_t at = gg_atomic_add(&job->met_count[window], 1);
      if (at >= capacity) {
        gg_atomic_store(&job->met_count[window], capacity);
        return;
      }
      const int64_t value = B(j);
      job->met[job->met_first[window] + at] = (meeting){
          a[i], value < 0 ? -value : value, !turned, l->backwards != turned, window, outer};
    }
#undef B
  }
}

/* Counts one kind of sums of a part that are in the window. */
static uint64_t look_at(job *job, const look *l, bool turned, int window, uint64_t outer) {
  int64_t under, within;
  const uint64_t count =
      rank_part(job, l, 1 - l->low, &within) - rank_part(job, l, -l->high, &under);
  const gg_dgp_window *w = &job->work->plan->windows[window];
  if (count == 0 || w->capacity == 0) return count;
  if (gg_atomic_load(&job->met_count[window]) < w->capacity)
    note_meetings(job, l, under, within, turned, window, outer);
  return count;
}

/* Returns a bound, limited to numbers that do not overflow. */
static int64_t clamp(int64_t bound) {
  return bound < -farthest ? -farthest : bound > farthest ? farthest : bound;
}

/* Counts one part of list a for one choice of the fixed signs and one window. For a window that
   is its own mirror image, half of the choices or half of the kinds are counted twice. */
static uint64_t count_part(job *job, int64_t part, uint64_t choice, int window) {
  const gg_dgp_plan *plan = job->work->plan;
  const gg_dgp_window *w = &plan->windows[window];
  const bool mirrored = w->low == -w->high && w->capacity == 0;
  if (w->low > w->high) return 0;
  if (mirrored && job->outer > 0 && choice >> (job->outer - 1)) return 0;
  int64_t shift = 0;
  for (int i = 0; i < job->outer; ++i) {
    const int64_t d = plan->d[job->first + job->second + i];
    shift += choice >> i & 1 ? d : -d;
  }
  const int64_t low = clamp(w->low - shift), high = clamp(w->high - shift);
  const int64_t from = part << PART_BITS, to = from + PART;
  uint64_t count = 0;
  const int kinds = mirrored && job->outer == 0 ? 1 : 2;
  for (int turned = 0; turned < kinds; ++turned)
    for (int backwards = 0; backwards < 2; ++backwards) {
      const look l = {from, to < job->a.size ? to : job->a.size, turned ? -high : low,
                      turned ? -low : high, backwards};
      count += look_at(job, &l, turned, window, choice);
    }
  return mirrored ? 2 * count : count;
}

/* Counts tasks; a task is a part and a choice. */
static void count_tasks(void *data, gg_range range) {
  job *job = data;
  const gg_dgp_plan *plan = job->work->plan;
  gpugeo_uint128 counts[GG_DGP_WINDOWS] = {{0, 0}};
  for (int64_t task = range.first; task < range.last; ++task)
    for (int w = 0; w < plan->window_count; ++w) {
      const uint64_t choice = (uint64_t)(task / job->parts);
      const uint64_t count = count_part(job, task % job->parts, choice, w);
      counts[w] = gg_uint128_add(counts[w], gg_uint128_make(count, 0));
    }
  gg_lock_take(&job->counts);
  for (int w = 0; w < plan->window_count; ++w)
    plan->windows[w].count = gg_uint128_add(plan->windows[w].count, counts[w]);
  gg_lock_give(&job->counts);
}

/* Counts the pairs of sums in the windows in parallel. */
static void count_all(job *job) {
  gg_cpu_dgp_work *work = job->work;
  const int64_t tasks = (int64_t)job->choices * job->parts;
  const double elements = (double)job->choices * (double)(job->a.size + job->b.size);
  gg_lock_make(&job->counts);
  (void)gg_parallel_for(&(gg_loop){.threads = elements > (double)little ? work->plan->threads : 1,
                                   .count = tasks,
                                   .grain = 1,
                                   .work = count_tasks,
                                   .job = job,
                                   .clock = work->clock,
                                   .begun = work->before,
                                   .share = work->share});
  gg_lock_free(&job->counts);
}

/* --- rows of the sums that meet --------------------------------------------------------------- */

/* A sum of a quarter of the signs and its row. */
typedef struct quarter_sum {
  int64_t sum;
  uint64_t row;
} quarter_sum;

/* The rows of a half, as sums of its two parts. */
typedef struct half_rows {
  int signs;               /* of the half */
  int low_signs;           /* of its low part */
  quarter_sum *low, *high; /* ascending */
  int64_t low_size, high_size;
} half_rows;

/* Compares sums for qsort(). */
static int by_sum(const void *left, const void *right) {
  const int64_t a = ((const quarter_sum *)left)->sum, b = ((const quarter_sum *)right)->sum;
  return a < b ? -1 : a > b;
}

/* Returns the sorted sums of all rows of a quarter of the signs, or NULL without memory. */
static quarter_sum *make_quarter(const int64_t *d, int signs, int shift) {
  const int64_t size = (int64_t)1 << signs;
  quarter_sum *sums = gg_allocate(size, sizeof *sums);
  if (!sums) return NULL;
  for (int64_t row = 0; row < size; ++row) {
    int64_t sum = 0;
    for (int j = 0; j < signs; ++j)
      sum += row >> j & 1 ? d[j] : -d[j];
    sums[row] = (quarter_sum){sum, (uint64_t)row << shift};
  }
  qsort(sums, (size_t)size, sizeof *sums, by_sum);
  return sums;
}

/* Makes both quarters of a half. Returns false without memory. */
static bool make_half_rows(half_rows *h, const int64_t *d, int signs) {
  h->signs = signs;
  h->low_signs = signs / 2;
  h->low_size = (int64_t)1 << h->low_signs;
  h->high_size = (int64_t)1 << (signs - h->low_signs);
  h->low = make_quarter(d, h->low_signs, 0);
  h->high = make_quarter(d + h->low_signs, signs - h->low_signs, h->low_signs);
  return h->low && h->high;
}

/* An iteration over the rows of a half that have exactly the given sum. */
typedef struct row_search {
  const half_rows *half;
  int64_t sum;
  bool zero_plus; /* for sum 0, which is its own negative: only rows with this highest sign */
  int64_t high;   /* the present sum of the high part */
  int64_t low;    /* sums of the low part from here on are too large, or were had */
  int64_t next;
} row_search;

/* Returns a search for the rows of a half with a sum, given by its size and sign. */
static row_search start_search(const half_rows *half, int64_t size, bool plus) {
  return (row_search){half, plus ? size : -size, plus, 0, half->low_size, half->low_size};
}

/* Finds the next row of a search. Returns false if there is none. */
static bool next_row(row_search *s, uint64_t *row) {
  const half_rows *h = s->half;
  for (; s->high < h->high_size; ++s->high, s->next = s->low) {
    const int64_t need = s->sum - h->high[s->high].sum;
    while (s->low > 0 && h->low[s->low - 1].sum > need)
      --s->low;
    if (s->next > s->low) s->next = s->low;
    while (s->next > 0 && h->low[s->next - 1].sum == need) {
      *row = h->low[--s->next].row | h->high[s->high].row;
      if (s->sum != 0 || (*row >> (h->signs - 1) & 1) == s->zero_plus) return true;
    }
  }
  return false;
}

/* Stores every row of a pair of sums, until the window is full. */
static void keep_meeting(job *job, const half_rows *half, const meeting *m) {
  const int64_t capacity = job->work->plan->windows[m->window].capacity;
  uint64_t a, b;
  row_search of_a = start_search(&half[0], m->a, m->a_plus);
  while (next_row(&of_a, &a)) {
    row_search of_b = start_search(&half[1], m->b, m->b_plus);
    while (next_row(&of_b, &b)) {
      gpugeo_uint128 row = gg_uint128_add(gg_uint128_make(a, 0),
                                          gg_uint128_shift(gg_uint128_make(b, 0), job->first));
      row = gg_uint128_add(
          row, gg_uint128_shift(gg_uint128_make(m->outer, 0), job->first + job->second));
      gg_cpu_dgp_keep(job->work, m->window, row);
      if (gg_atomic_load(&job->work->kept[m->window]) >= capacity) return;
    }
  }
}

/* The pairs of sums of a window. */
typedef struct keeping {
  job *job;
  const half_rows *half;
  const meeting *met;
} keeping;

/* Stores the rows of a range of pairs of sums. */
static void keep_meetings(void *data, gg_range range) {
  const keeping *k = data;
  for (int64_t i = range.first; i < range.last; ++i)
    keep_meeting(k->job, k->half, &k->met[i]);
}

/* Stores the rows of a window's pairs of sums in parallel. */
static void keep_window(job *job, const half_rows *half, int window) {
  gg_cpu_dgp_work *work = job->work;
  const int64_t count = job->met_count[window];
  const int64_t steps = count * (half[0].low_size + half[0].high_size);
  keeping k = {job, half, job->met + job->met_first[window]};
  (void)gg_parallel_for(&(gg_loop){.threads = steps > little ? work->plan->threads : 1,
                                   .count = count,
                                   .grain = 1,
                                   .work = keep_meetings,
                                   .job = &k,
                                   .clock = work->clock,
                                   .begun = work->before + work->share});
}

/* Stores the rows of all windows. */
static gpugeo_status keep_rows(job *job, gg_call *call) {
  const gg_dgp_plan *plan = job->work->plan;
  int64_t total = 0;
  for (int w = 0; w < plan->window_count; ++w)
    total += job->met_count[w];
  if (total == 0) return call->status;
  half_rows half[2] = {{0}, {0}};
  if (!make_half_rows(&half[0], plan->d, job->first) ||
      !make_half_rows(&half[1], plan->d + job->first, job->second))
    call->status = gg_fail_memory(call->error, (half[0].low_size + half[0].high_size) * 32);
  for (int w = 0; !call->status && w < plan->window_count; ++w)
    keep_window(job, half, w);
  for (int i = 0; i < 2; ++i) {
    gg_free(half[i].low);
    gg_free(half[i].high);
  }
  return call->status;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Allocates the lists of sums and the pairs of the windows. */
static gpugeo_status make_room(job *job, list *spare, gg_call *call) {
  if (call->status) return call->status;
  const gg_dgp_plan *plan = job->work->plan;
  const int64_t a = (int64_t)1 << (job->first - 1), b = (int64_t)1 << (job->second - 1);
  int64_t meetings = 0;
  for (int w = 0; w < plan->window_count; ++w) {
    job->met_first[w] = meetings;
    if (plan->windows[w].low <= plan->windows[w].high) meetings += plan->windows[w].capacity;
  }
  job->met = gg_allocate(meetings, sizeof *job->met);
  if (job->met && list_room(&job->a, a) && list_room(&job->b, b) && list_room(spare, a / 2 + 1))
    return GPUGEO_OK;
  return call->status =
             gg_fail_memory(call->error, meetings * (int64_t)sizeof *job->met +
                                             (a + b + a / 2) * (int64_t)sizeof *job->a.value);
}

gpugeo_status gg_cpu_dgp_meet(gg_cpu_dgp_work *work, gg_call *call) {
  const gg_dgp_plan *plan = work->plan;
  const int64_t bytes = plan->work_bytes ? plan->work_bytes : (int64_t)(gg_machine_memory() / 4);
  job job = {.work = work};
  list spare = {0};
  gg_dgp_halves(plan->n > 8 ? plan->n - FIXED : plan->n, bytes, &job.first, &job.second);
  job.outer = plan->n - job.first - job.second;
  job.choices = (uint64_t)1 << job.outer;
  if (!make_room(&job, &spare, call)) {
    make_list(work, plan->d, job.first, &job.a, &spare);
    make_list(work, plan->d + job.first, job.second, &job.b, &spare);
  }
  gg_free(spare.memory);
  for (int w = 0; w < plan->window_count; ++w)
    plan->windows[w].count = gg_uint128_make(0, 0);
  if (!call->status && !gg_clock_stopped(work->clock)) {
    job.parts = (job.a.size + PART - 1) / PART;
    count_all(&job);
    if (!gg_clock_stopped(work->clock)) keep_rows(&job, call);
  }
  gg_free(job.met);
  gg_free(job.a.memory);
  gg_free(job.b.memory);
  return call->status;
}
