/*
 * The exact count and the solutions of smallest residual.
 *
 * A row and its mirror image, all signs turned, have the same residual: they are a pair, and its
 * first is the row with the highest bit 0, the smaller one. This file counts pairs.
 *
 * The backends compute with numbers of one word with a known error. Sums that are certainly within
 * the tolerance are counted; those that may be on either side are listed and added up exactly. If
 * there are more than BAND of these (ties), everything is computed again on exact numbers by
 * distinct sums.
 */
#include "dgp/select.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/uint128.h"
#include "dgp/distinct.h"

enum {
  BAND = 1 << 18,    /* rows that are settled one by one, at the most */
  LIST_NOW = 1 << 12 /* solutions that are listed in the same go as all are counted */
};

/* A pair: its first row, and its exact residual of so many words. */
typedef struct candidate {
  gpugeo_uint128 row;
  const uint64_t *residual;
  int words;
} candidate;

typedef struct candidate_list {
  int64_t size;
  candidate *item;
  uint64_t *residuals;
} candidate_list;

/* Frees a list of candidates. */
static void free_candidates(candidate_list *list) {
  gg_free(list->item);
  gg_free(list->residuals);
  *list = (candidate_list){0};
}

/* Allocates a list of candidates, to be freed by free_candidates(), also after a failure. */
static gpugeo_status candidates_room(candidate_list *list, int64_t size, int words, gg_call *call) {
  *list = (candidate_list){0};
  if (call->status) return call->status;
  *list = (candidate_list){0, gg_allocate(size, sizeof *list->item),
                           gg_allocate(size, words * (int64_t)sizeof *list->residuals)};
  if (list->item && list->residuals) return GPUGEO_OK;
  free_candidates(list);
  return call->status =
             gg_fail_memory(call->error, size * (int64_t)(sizeof *list->item +
                                                          (size_t)words * sizeof *list->residuals));
}

/* Compares candidates by residual, then by row, for qsort(). */
static int by_residual(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  const int order = gg_superaccumulator_compare(a->residual, b->residual, a->words);
  if (order) return order;
  return gg_uint128_less(a->row, b->row) ? -1 : gg_uint128_less(b->row, a->row);
}

/* Appends a row as a pair if its exact sum is small enough. */
static void add_candidate(const gg_dgp_problem *p, gpugeo_uint128 row, candidate_list *list) {
  uint64_t *sum = list->residuals + list->size * p->words;
  memset(sum, 0, (size_t)p->words * sizeof *sum);
  gg_superaccumulator_add_row(sum, p->d, p->n, p->words, row.low, row.high);
  if (gg_superaccumulator_negative(sum, p->words)) gg_superaccumulator_negate(sum, p->words);
  if (gg_superaccumulator_compare(sum, p->limit, p->words) > 0) return;
  if (gg_uint128_bit(row, p->n - 1)) row = gg_uint128_mirror(row, p->n);
  list->item[list->size++] = (candidate){row, sum, p->words};
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Has the backend count, and list, the rows in windows. */
static gpugeo_status fill_windows(const gg_dgp_job *job, gg_dgp_window *windows, int count) {
  gg_dgp_plan plan = job->plan;
  plan.windows = windows;
  plan.window_count = count;
  return GG_TRY(job->call, job->backend->dgp(&plan, job->call));
}

/* Returns the sum of a row in numbers of 64 bits. */
static int64_t narrow_sum(const gg_dgp_problem *p, gpugeo_uint128 row) {
  int64_t sum = 0;
  for (int j = 0; j < p->n; ++j)
    sum += gg_uint128_bit(row, j) ? p->narrow[j] : -p->narrow[j];
  return sum;
}

/* Collects the pairs among the rows of a window of sums of at least 0 that holds all its rows. A
   pair of sum 0 is in the window twice. */
static gpugeo_status gather_rows(const gg_dgp_job *job, const gg_dgp_window *window,
                                 candidate_list *list) {
  const gg_dgp_problem *p = job->problem;
  const int64_t rows = (int64_t)window->count.low;
  if (candidates_room(list, rows, p->words, job->call)) return job->call->status;
  for (int64_t i = 0; i < rows; ++i) {
    const gpugeo_uint128 row = window->rows[i];
    if (window->low <= 0 && gg_uint128_bit(row, p->n - 1) && narrow_sum(p, row) == 0) continue;
    add_candidate(p, row, list);
  }
  if (list->size) qsort(list->item, (size_t)list->size, sizeof *list->item, by_residual);
  return GPUGEO_OK;
}

/* True if the window lists all of its rows. */
static bool all_listed(const gg_dgp_window *window) {
  return window->count.high == 0 && window->count.low <= (uint64_t)window->capacity;
}

/* Allocates the rows of a window. */
static gpugeo_status rows_room(gg_dgp_window *window, int64_t capacity, gg_call *call) {
  window->capacity = capacity;
  window->rows = gg_call_allocate(call, capacity, sizeof *window->rows);
  return call->status;
}

/* --- the smallest rows ------------------------------------------------------------------------ */

/* The whole numbers in which rows are searched: exact ones, or those of one word. */
typedef struct search {
  const gg_dgp_job *job;
  const gg_dgp_problem *p;
  uint64_t low[2][GG_FIXED_WORDS], high[2][GG_FIXED_WORDS];
  int windows; /* one or two */
  int64_t want, found;
  gpugeo_uint128 *rows;
} search;

/* Counts the rows of the first m signs whose sums, added to `before`, lie in any of the windows.
   Returns false after an error. */
static bool count_below(search *s, int m, const uint64_t *before, gpugeo_uint128 *count) {
  gg_call *call = s->job->call;
  const int words = s->p->words;
  gg_dgp_window window[2];
  *count = gg_uint128_make(0, 0);
  for (int i = 0; i < s->windows; ++i) {
    uint64_t low[GG_FIXED_WORDS], high[GG_FIXED_WORDS];
    memcpy(low, s->low[i], sizeof low);
    memcpy(high, s->high[i], sizeof high);
    gg_superaccumulator_add(low, before, words, true);
    gg_superaccumulator_add(high, before, words, true);
    gpugeo_uint128 part;
    if (s->job->distinct || words > 1) {
      const gg_dgp_distinct what = {s->p->d, m, words, low, high, s->job->list_bytes};
      if (gg_dgp_distinct_count(&what, &part, call)) return false;
      *count = gg_uint128_add(*count, part);
    } else {
      window[i] = (gg_dgp_window){.low = (int64_t)low[0], .high = (int64_t)high[0]};
    }
  }
  if (s->job->distinct || words > 1) return true;
  gg_dgp_plan plan = s->job->plan;
  plan.algorithm = GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE;
  plan.n = m;
  plan.windows = window;
  plan.window_count = s->windows;
  GG_TRY(call, s->job->backend->dgp(&plan, call));
  for (int i = 0; !call->status && i < s->windows; ++i)
    *count = gg_uint128_add(*count, window[i].count);
  return !call->status;
}

/* True if the sum is in one of the windows. */
static bool in_windows(const search *s, const uint64_t *sum) {
  for (int i = 0; i < s->windows; ++i)
    if (gg_superaccumulator_compare(s->low[i], sum, s->p->words) <= 0 &&
        gg_superaccumulator_compare(sum, s->high[i], s->p->words) <= 0)
      return true;
  return false;
}

enum { LEAF_SIGNS = 10 }; /* looked through one by one */

/* Finds the rows in the windows among those that differ in the lowest m signs. */
static void search_leaf(search *s, int m, const uint64_t *before, gpugeo_uint128 row) {
  for (uint64_t low = 0; low < (uint64_t)1 << m && s->found < s->want; ++low) {
    uint64_t sum[GG_FIXED_WORDS];
    memcpy(sum, before, sizeof sum);
    gg_superaccumulator_add_row(sum, s->p->d, m, s->p->words, low, 0);
    if (in_windows(s, sum)) s->rows[s->found++] = gg_uint128_add(row, gg_uint128_make(low, 0));
  }
}

/* Lists in ascending order the rows in the windows that begin with the given signs from m on;
   there are `count`. */
static void search_rows(search *s, int m, const uint64_t *before, gpugeo_uint128 row,
                        gpugeo_uint128 count) {
  const gpugeo_uint128 none = {0, 0};
  if (s->job->call->status || s->found == s->want || gg_uint128_equal(count, none)) return;
  if (m <= LEAF_SIGNS) {
    search_leaf(s, m, before, row);
    return;
  }
  const uint64_t *d = s->p->d + (int64_t)(m - 1) * s->p->words;
  uint64_t next[GG_FIXED_WORDS];
  memcpy(next, before, sizeof next);
  gg_superaccumulator_add(next, d, s->p->words, true);
  gpugeo_uint128 minus;
  if (!count_below(s, m - 1, next, &minus)) return;
  search_rows(s, m - 1, next, row, minus);
  memcpy(next, before, sizeof next);
  gg_superaccumulator_add(next, d, s->p->words, false);
  search_rows(s, m - 1, next, gg_uint128_add(row, gg_uint128_power(m - 1)),
              gg_uint128_subtract(count, minus));
}

/* Finds the `want` smallest first rows of pairs in the windows set in s. */
static gpugeo_status first_rows(search *s, int64_t want, gpugeo_uint128 *rows) {
  const gg_dgp_problem *p = s->p;
  s->want = want;
  s->found = 0;
  s->rows = rows;
  uint64_t before[GG_FIXED_WORDS] = {0};
  gg_superaccumulator_add(before, p->d + (int64_t)(p->n - 1) * p->words, p->words, true);
  gpugeo_uint128 count;
  if (p->n - 1 <= LEAF_SIGNS)
    search_leaf(s, p->n - 1, before, gg_uint128_make(0, 0));
  else if (count_below(s, p->n - 1, before, &count))
    search_rows(s, p->n - 1, before, gg_uint128_make(0, 0), count);
  return s->job->call->status;
}

/* Sets windows of the sums of exactly this size, or (within) of at most this size. */
static void set_windows(search *s, const uint64_t *size, bool within) {
  memset(s->low, 0, sizeof s->low);
  memset(s->high, 0, sizeof s->high);
  const size_t bytes = (size_t)s->p->words * sizeof *size;
  memcpy(s->low[0], size, bytes);
  memcpy(s->high[0], size, bytes);
  gg_superaccumulator_negate(s->low[0], s->p->words);
  s->windows = 1;
  uint64_t zero[GG_FIXED_WORDS] = {0};
  if (within || memcmp(size, zero, bytes) == 0) return;
  memcpy(s->high[0], s->low[0], bytes);
  memcpy(s->low[1], size, bytes);
  memcpy(s->high[1], size, bytes);
  s->windows = 2;
}

/* Adds up to `want` pairs of the smallest rows among those in the search's windows to the list. */
static gpugeo_status add_first_rows(search *s, int64_t want, candidate_list *list) {
  const gg_dgp_job *job = s->job;
  gpugeo_uint128 *rows = gg_call_allocate(job->call, want, sizeof *rows);
  if (!rows) return job->call->status;
  first_rows(s, want, rows);
  for (int64_t i = 0; !job->call->status && i < s->found; ++i)
    add_candidate(job->problem, rows[i], list);
  gg_free(rows);
  return job->call->status;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Returns the count from the number of pairs. */
static gpugeo_uint128 count_of_pairs(const gg_dgp_job *job, gpugeo_uint128 pairs) {
  return job->symmetric ? pairs : gg_uint128_add(pairs, pairs);
}

/* Returns half a number of 128 bits, rounded down. */
static gpugeo_uint128 half(gpugeo_uint128 a) {
  return gg_uint128_make(a.low >> 1 | a.high << 63, a.high >> 1);
}

/* Returns the smaller of two numbers. */
static int64_t at_most(gpugeo_uint128 count, int64_t most) {
  return count.high || count.low > (uint64_t)most ? most : (int64_t)count.low;
}

/* Writes the solutions from at least as many sorted pairs, or all pairs. */
static gpugeo_status write_solutions(const gg_dgp_job *job, const candidate_list *pairs,
                                     int64_t returned, gpugeo_dgp_solution *solutions) {
  const gg_dgp_problem *p = job->problem;
  const int64_t used = pairs->size < returned ? pairs->size : returned;
  const int images = job->symmetric ? 1 : 2;
  candidate *item = gg_call_allocate(job->call, images * used, sizeof *item);
  if (!item) return job->call->status;
  for (int64_t i = 0; i < used; ++i) {
    item[i] = pairs->item[i];
    if (images == 1) continue;
    item[used + i] = item[i];
    item[used + i].row = gg_uint128_mirror(item[i].row, p->n);
  }
  if (images == 2 && used) qsort(item, (size_t)(2 * used), sizeof *item, by_residual);
  for (int64_t i = 0; i < returned; ++i) {
    uint64_t residual[GG_FIXED_WORDS];
    memcpy(residual, item[i].residual, (size_t)p->words * sizeof *residual);
    solutions[i].row = item[i].row;
    solutions[i].residual = gg_superaccumulator_double(residual, p->words, p->exponent);
  }
  gg_free(item);
  return GPUGEO_OK;
}

/* --- by distinct sums ------------------------------------------------------------------------- */

/* Counts the pairs of rows and their mirror images whose sums are at most `size` from 0. */
static gpugeo_status count_within(search *s, const uint64_t *size, gpugeo_uint128 *pairs) {
  const uint64_t zero[GG_FIXED_WORDS] = {0};
  set_windows(s, size, true);
  if (!count_below(s, s->p->n, zero, pairs)) return s->job->call->status;
  *pairs = half(*pairs);
  return GPUGEO_OK;
}

/* Finds the smallest size within which there are at least so many pairs, by doubling and
   bisection: `size` is the limit, within which there are so many. */
static gpugeo_status find_size(search *s, int64_t pairs, uint64_t *size) {
  const int words = s->p->words;
  const gpugeo_uint128 want = gg_uint128_make((uint64_t)pairs, 0);
  uint64_t one[GG_FIXED_WORDS] = {1}, least[GG_FIXED_WORDS] = {0}, trial[GG_FIXED_WORDS] = {0};
  /* The size wanted is in [least, size]. */
  for (bool doubling = true; gg_superaccumulator_compare(least, size, words) < 0;) {
    if (!doubling) { /* half way */
      memcpy(trial, least, sizeof trial);
      gg_superaccumulator_add(trial, size, words, false);
      for (int w = 0; w < words; ++w)
        trial[w] = trial[w] >> 1 | (w + 1 < words ? trial[w + 1] << 63 : 0);
    }
    gpugeo_uint128 count;
    if (count_within(s, trial, &count)) return s->job->call->status;
    if (!gg_uint128_less(count, want)) {
      memcpy(size, trial, sizeof trial);
      doubling = false;
    } else {
      memcpy(least, trial, sizeof trial);
      gg_superaccumulator_add(least, one, words, false);
      if (doubling) {
        gg_superaccumulator_add(trial, least, words, false);
        if (gg_superaccumulator_compare(trial, size, words) >= 0) doubling = false;
      }
    }
  }
  return GPUGEO_OK;
}

/* Solves the problem by counts of distinct sums of the numbers p, which must be exact. */
static gpugeo_status solve_distinct(gg_dgp_job *job, const gg_dgp_problem *p,
                                    gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions) {
  search s = {.job = job, .p = p};
  gpugeo_uint128 pairs;
  gg_call *call = job->call;
  if (count_within(&s, p->limit, &pairs)) return call->status;
  result->count = count_of_pairs(job, pairs);
  result->returned = at_most(result->count, job->wanted);
  const int64_t needed = at_most(pairs, result->returned);
  if (needed == 0) return GPUGEO_OK;
  uint64_t size[GG_FIXED_WORDS], one[GG_FIXED_WORDS] = {1};
  memcpy(size, p->limit, sizeof size);
  find_size(&s, needed, size);
  candidate_list list;
  if (candidates_room(&list, needed, job->problem->words, call)) return call->status;
  gg_superaccumulator_add(size, one, p->words, true);
  if (!gg_superaccumulator_negative(
          size, p->words)) { /* all that are smaller, then of this size the first */
    set_windows(&s, size, true);
    add_first_rows(&s, needed, &list);
  }
  gg_superaccumulator_add(size, one, p->words, false);
  set_windows(&s, size, false);
  if (list.size < needed) add_first_rows(&s, needed - list.size, &list);
  if (!call->status) {
    qsort(list.item, (size_t)list.size, sizeof *list.item, by_residual);
    write_solutions(job, &list, result->returned, solutions);
  }
  free_candidates(&list);
  return call->status;
}

/* --- by windows ------------------------------------------------------------------------------- */

/* The search for a window [0, high] that holds the pairs needed and at most as many rows as fit. */
typedef struct window_search {
  int64_t low, high; /* too few rows within low; too many within high, or all are below it */
  double rows_low, rows_high;
  double aim; /* rows wanted */
  int tries;
} window_search;

/* Returns the number of rows that a window should hold. */
static double aim_at(int64_t needed) { return 1.3 * (double)needed + 3 * sqrt((double)needed) + 8; }

/* Returns the largest number of rows that a window may hold. */
static int64_t capacity_for(int64_t needed) { return 2 * needed + 1024; }

/* Returns the next size of a window to try, by interpolation or bisection. */
static int64_t next_window(window_search *w) {
  double part = (w->aim - w->rows_low) / (w->rows_high - w->rows_low);
  if (++w->tries > 6 || !(part >= 0 && part <= 1)) part = 0.5;
  int64_t at = w->low + (int64_t)((double)(w->high - w->low) * part);
  if (at <= w->low) at = w->low + 1;
  if (at >= w->high) at = w->high - 1;
  return at;
}

/* True if the residual of every pair outside the window [0, high] is larger than this one's. */
static bool is_separate(const gg_dgp_problem *p, const candidate *c, int64_t high) {
  return p->error == 0 || gg_dgp_whole_units(p, c->residual) <= high - p->error;
}

/* Takes all pairs below `size`, which are listed, and the first of those with narrow sums of
   exactly `size`, of which there are too many to list. Narrow sums are exact. */
static gpugeo_status take_ties(gg_dgp_job *job, const candidate_list *below, int64_t size,
                               int64_t needed, int64_t returned, gpugeo_dgp_solution *solutions) {
  candidate_list all;
  if (candidates_room(&all, needed, job->problem->words, job->call)) return job->call->status;
  for (int64_t i = 0; i < below->size; ++i)
    add_candidate(job->problem, below->item[i].row, &all);
  search s = {.job = job, .p = job->narrow};
  const uint64_t tied[GG_FIXED_WORDS] = {(uint64_t)size};
  set_windows(&s, tied, false);
  if (!add_first_rows(&s, needed - all.size, &all)) {
    qsort(all.item, (size_t)all.size, sizeof *all.item, by_residual);
    write_solutions(job, &all, returned, solutions);
  }
  free_candidates(&all);
  return job->call->status;
}

/* Finds a window that holds the pairs needed and at most as many rows as fit; `list` is the
   first one tried. */
static gpugeo_status find_solutions(gg_dgp_job *job, gg_dgp_window *list, double rows,
                                    int64_t needed, gpugeo_dgp_result *result,
                                    gpugeo_dgp_solution *solutions) {
  const gg_dgp_problem *p = job->problem;
  const int64_t top = p->narrow_limit + p->error;
  window_search s = {-1, top + 1, 0, rows, aim_at(needed), 0};
  candidate_list found = {0};
  for (;;) {
    int64_t next = -1;
    if (all_listed(list)) {
      free_candidates(&found);
      if (gather_rows(job, list, &found)) break;
      const bool enough = found.size >= needed;
      if (list->high == top || (enough && is_separate(p, &found.item[needed - 1], list->high))) {
        write_solutions(job, &found, result->returned, solutions);
        break;
      }
      s.low = list->high;
      s.rows_low = (double)list->count.low;
      if (enough) next = gg_dgp_whole_units(p, found.item[needed - 1].residual) + p->error;
      if (next > top) next = top;
    } else {
      s.high = list->high;
      s.rows_high = gg_uint128_double(list->count);
    }
    if (s.high - s.low == 1 || next >= s.high) { /* ties */
      if (p->error)
        solve_distinct(job, p, result, solutions);
      else
        take_ties(job, &found, s.high, needed, result->returned, solutions);
      break;
    }
    list->high = next > 0 ? next : next_window(&s);
    if (fill_windows(job, list, 1)) break;
  }
  free_candidates(&found);
  return job->call->status;
}

enum { INSIDE, DOUBTFUL, LIST, WINDOWS };

/* Makes the windows of sums: those that are solutions for certain, which are counted; those that
   exact sums must decide, which are listed; and the smallest, which are listed at once if few
   solutions are wanted. */
static gpugeo_status make_windows(const gg_dgp_job *job, bool list_now,
                                  gg_dgp_window window[WINDOWS]) {
  const int64_t error = job->problem->error, limit = job->problem->narrow_limit;
  const int64_t surely = limit - error, top = limit + error;
  for (int w = 0; w < WINDOWS; ++w)
    window[w] = (gg_dgp_window){.low = 0, .high = -1};
  if (surely >= 0) {
    window[INSIDE].low = -surely;
    window[INSIDE].high = surely;
  }
  if (error) {
    window[DOUBTFUL].low = surely >= 0 ? surely + 1 : 0;
    window[DOUBTFUL].high = top;
    rows_room(&window[DOUBTFUL], BAND, job->call);
  }
  if (!list_now) return job->call->status;
  const double guess = aim_at(job->wanted) / job->density;
  window[LIST].high = guess < (double)top ? (int64_t)guess : top;
  return rows_room(&window[LIST], capacity_for(job->wanted), job->call);
}

/* Counts the solutions without their mirror images, deciding the doubtful ones by exact sums. */
static gpugeo_status count_windows(gg_dgp_job *job, gg_dgp_window window[WINDOWS],
                                   gpugeo_uint128 *pairs) {
  candidate_list settled = {0};
  if (job->problem->error) gather_rows(job, &window[DOUBTFUL], &settled);
  *pairs = gg_uint128_add(half(window[INSIDE].count), gg_uint128_make((uint64_t)settled.size, 0));
  free_candidates(&settled);
  return job->call->status;
}

/* Lists the sums from which `needed` of the solutions are taken. */
static gpugeo_status list_later(gg_dgp_job *job, gpugeo_uint128 pairs, int64_t needed,
                                gg_dgp_window *list) {
  const int64_t top = job->problem->narrow_limit + job->problem->error;
  rows_room(list, capacity_for(needed), job->call);
  const double part = aim_at(needed) / (gg_uint128_double(pairs) + 1);
  list->high = part < 1 ? (int64_t)(part * (double)top) : top;
  return fill_windows(job, list, 1);
}

/* Counts and lists the solutions once all windows have been looked through. */
static gpugeo_status take_windows(gg_dgp_job *job, bool list_now, gg_dgp_window window[WINDOWS],
                                  gpugeo_dgp_result *result, gpugeo_dgp_solution *solutions) {
  gpugeo_uint128 pairs;
  if (count_windows(job, window, &pairs)) return job->call->status;
  result->count = count_of_pairs(job, pairs);
  result->returned = at_most(result->count, job->wanted);
  const int64_t needed = at_most(pairs, result->returned);
  if (needed == 0) return GPUGEO_OK;
  if (!list_now && list_later(job, pairs, needed, &window[LIST])) return job->call->status;
  return find_solutions(job, &window[LIST], gg_uint128_double(pairs) + 1, needed, result,
                        solutions);
}

/* Solves a problem by windows of sums, and exactly if the doubtful ones are too many to list. */
static gpugeo_status solve_windows(gg_dgp_job *job, gpugeo_dgp_result *result,
                                   gpugeo_dgp_solution *solutions) {
  const bool list_now = job->wanted > 0 && job->wanted <= LIST_NOW;
  gg_dgp_window window[WINDOWS];
  make_windows(job, list_now, window);
  if (!fill_windows(job, window, WINDOWS)) {
    if (all_listed(&window[DOUBTFUL]))
      take_windows(job, list_now, window, result, solutions);
    else
      solve_distinct(job, job->problem, result, solutions);
  }
  gg_free(window[DOUBTFUL].rows);
  gg_free(window[LIST].rows);
  return job->call->status;
}

gpugeo_status gg_dgp_solve(gg_dgp_job *job, gpugeo_dgp_result *result,
                           gpugeo_dgp_solution *solutions) {
  if (!job->distinct) return solve_windows(job, result, solutions);
  return solve_distinct(job, job->problem->error ? job->problem : job->narrow, result, solutions);
}
