/* Sets of points that all collide with each other: their pairs are counted from their sizes,
   less the pairs that are excluded. */
#include "points/cpu/collide_bulk.h"

#include "common/atomic.h"

/* Returns the number of pairs of a row of a and one of b that are at most `exclude` rows apart;
   both ascend. */
static int64_t close_pairs(const double *a, int64_t na, const double *b, int64_t nb,
                           double exclude) {
  int64_t pairs = 0, first = 0, last = 0;
  for (int64_t i = 0; i < na; ++i) {
    while (first < nb && b[first] < a[i] - exclude)
      ++first;
    while (last < nb && b[last] <= a[i] + exclude)
      ++last;
    pairs += last - first;
  }
  return pairs;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Adds a number of pairs to an element of the table, the thread's own if it has one. */
static void add_groups(gg_cpu_search *search, gg_cpu_found *found, int64_t a, int64_t b,
                       int64_t pairs) {
  const int64_t offset = a + b * search->plan->groups;
  if (found->table)
    found->table[offset] += pairs;
  else
    gg_atomic_add(&search->result->table[offset], pairs);
}

/* Adds a pair to the table, or removes it if sign is -1. */
static void add_pair(gg_cpu_search *search, gg_cpu_found *found, double i, double j, int sign) {
  const gg_collide_plan *plan = search->plan;
  add_groups(search, found, plan->group_x[(int64_t)i], plan->group_y[(int64_t)j], sign);
}

/* Counts the rows of each group. */
static void count_groups(const int32_t *group, int64_t groups, const double *rows, int64_t n,
                         int64_t *histogram) {
  for (int64_t g = 0; g < groups; ++g)
    histogram[g] = 0;
  for (int64_t i = 0; i < n; ++i)
    ++histogram[group[(int64_t)rows[i]]];
}

/* Subtracts the excluded pairs, within one list or between two. */
static void remove_close(gg_cpu_search *search, gg_cpu_found *found, const double *a, int64_t na,
                         const double *b, int64_t nb) {
  const double exclude = (double)search->plan->exclude;
  int64_t first = 0;
  for (int64_t i = 0; i < na; ++i) {
    while (first < nb && (a == b ? first <= i : b[first] < a[i] - exclude))
      ++first;
    for (int64_t j = first; j < nb && b[j] <= a[i] + exclude; ++j)
      add_pair(search, found, a[i], b[j], -1);
  }
}

/* Adds all pairs of some points to the table. */
static void table_within(gg_cpu_search *search, gg_cpu_found *found, const double *rows,
                         int64_t n) {
  const int64_t groups = search->plan->groups;
  int64_t *h = found->histogram;
  count_groups(search->plan->group_x, groups, rows, n, h);
  for (int64_t a = 0; a < groups; ++a)
    for (int64_t b = 0; h[a] > 0 && b <= a; ++b)
      if (h[b] > 0) add_groups(search, found, a, b, a == b ? h[a] * (h[a] - 1) / 2 : h[a] * h[b]);
  if (search->plan->exclude > 0) remove_close(search, found, rows, n, rows, n);
}

/* Adds all pairs of two lists of points to the table. */
static void table_between(gg_cpu_search *search, gg_cpu_found *found, const double *a, int64_t na,
                          const double *b, int64_t nb) {
  const int64_t groups = search->plan->groups;
  int64_t *ha = found->histogram, *hb = ha + groups;
  count_groups(search->plan->group_x, groups, a, na, ha);
  count_groups(search->plan->group_y, groups, b, nb, hb);
  for (int64_t i = 0; i < groups; ++i)
    for (int64_t j = 0; ha[i] > 0 && j < groups; ++j)
      if (hb[j] > 0) add_groups(search, found, i, j, ha[i] * hb[j]);
  if (search->plan->within && search->plan->exclude > 0) remove_close(search, found, a, na, b, nb);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* True if there are excluded pairs, which are found in ascending rows. */
static bool rows_matter(const gg_cpu_search *search) {
  return search->plan->within && search->plan->exclude > 0;
}

void gg_cpu_bulk_within(gg_cpu_search *search, gg_cpu_found *found, gg_span a) {
  const double *rows = search->a.row + a.begin;
  const int64_t n = a.end - a.begin;
  if (search->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    table_within(search, found, rows, n);
    return;
  }
  found->count += n * (n - 1) / 2;
  if (rows_matter(search))
    found->count -= (close_pairs(rows, n, rows, n, (double)search->plan->exclude) - n) / 2;
}

/* Adds all of b to the counts of the points of a, which may be among b. */
static void add_to_points(gg_cpu_search *search, gg_span a, gg_span b) {
  const double *rows = search->b.row, exclude = (double)search->plan->exclude;
  int64_t first = b.begin, last = b.begin; /* rows that are too close */
  for (int64_t i = a.begin; i < a.end; ++i) {
    const double row = search->a.row[i];
    int64_t close = search->plan->within && i >= b.begin && i < b.end;
    if (rows_matter(search)) {
      while (first < b.end && rows[first] < row - exclude)
        ++first;
      while (last < b.end && rows[last] <= row + exclude)
        ++last;
      close = last - first;
    }
    search->result->per_point[(int64_t)row] += b.end - b.begin - close;
  }
}

void gg_cpu_bulk_between(gg_cpu_search *search, gg_cpu_found *found, gg_span a, gg_span b) {
  const double *rows_a = search->a.row + a.begin, *rows_b = search->b.row + b.begin;
  const int64_t na = a.end - a.begin, nb = b.end - b.begin;
  if (search->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    table_between(search, found, rows_a, na, rows_b, nb);
  } else if (search->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    add_to_points(search, a, b);
  } else {
    found->count += na * nb;
    if (rows_matter(search))
      found->count -= close_pairs(rows_a, na, rows_b, nb, (double)search->plan->exclude);
  }
}
