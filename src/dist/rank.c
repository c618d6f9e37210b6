#include "dist/rank.h"

#include <math.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"

/* A value and its position. */
typedef struct indexed_value {
  double value;
  int64_t index;
} indexed_value;

/* Compares by value, and equal values by position, so that the order does not depend on the
   sort. */
static int compare(const void *left, const void *right) {
  const indexed_value *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Sorts the coordinates of one point that are not missing, and returns their number. */
static int64_t sort_point(const gpugeo_matrix *x, gpugeo_points points, int64_t i, int64_t m,
                          indexed_value *sorted) {
  int64_t count = 0;
  for (int64_t k = 0; k < m; ++k) {
    const double v = gg_coordinate(x, points, i, k);
    if (!isnan(v)) sorted[count++] = (indexed_value){v, k};
  }
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  return count;
}

/* Returns the end of the run of equal values that starts at `first`. */
static int64_t run_end(const indexed_value *sorted, int64_t first, int64_t count) {
  int64_t end = first + 1;
  while (end < count && sorted[end].value == sorted[first].value)
    ++end;
  return end;
}

static void set_rank(gpugeo_type type, void *ranks, int64_t at, double rank) {
  if (type == GPUGEO_TYPE_FLOAT)
    ((float *)ranks)[at] = (float)rank;
  else
    ((double *)ranks)[at] = rank;
}

static void rank_point(const gpugeo_matrix *x, gpugeo_points points, int64_t i, int64_t m,
                       indexed_value *sorted, gpugeo_type type, void *ranks) {
  const int64_t count = sort_point(x, points, i, m, sorted);
  if (count < m)
    for (int64_t k = 0; k < m; ++k)
      set_rank(type, ranks, k + i * m, NAN);
  for (int64_t first = 0, end; first < count; first = end) {
    end = run_end(sorted, first, count);
    const double rank = 0.5 * (double)(first + 1 + end);
    for (int64_t t = first; t < end; ++t)
      set_rank(type, ranks, sorted[t].index + i * m, rank);
  }
}

typedef struct ranking {
  const gpugeo_matrix *x;
  gpugeo_points points;
  int64_t m; /* coordinates of a point */
  gpugeo_type type;
  void *ranks;
  indexed_value *sorted; /* m for each thread */
} ranking;

static void rank_range(void *job, gg_range range) {
  const ranking *r = job;
  for (int64_t i = range.first; i < range.last; ++i)
    rank_point(r->x, r->points, i, r->m, r->sorted + range.worker * r->m, r->type, r->ranks);
}

gpugeo_status gg_rank_points(const gpugeo_matrix *x, gpugeo_points points, gpugeo_type type,
                             void *ranks, int32_t threads, gg_clock *clock, gpugeo_error *error) {
  const int64_t n = points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  const int64_t m = points == GPUGEO_POINTS_ROWS ? x->ncol : x->nrow;
  ranking r = {.x = x, .points = points, .m = m, .type = type, .ranks = ranks};
  r.sorted = gg_allocate(threads * m, sizeof *r.sorted);
  if (!r.sorted) return gg_fail_memory(error, threads * m * (int64_t)sizeof *r.sorted);
  const bool done = gg_parallel_for(&(gg_loop){.threads = threads,
                                               .count = n,
                                               .grain = 1 + 16384 / (m + 1),
                                               .work = rank_range,
                                               .job = &r,
                                               .clock = clock});
  free(r.sorted);
  return done ? GPUGEO_OK : gg_fail_interrupt(error);
}

void gg_rank_order_free(gg_rank_order *made) {
  free(made->order);
  free(made->first);
  free(made->last);
}

/* Fills the order of column i. */
static void order_column(const gpugeo_matrix *x, gg_rank_order *made, int64_t i,
                         indexed_value *sorted) {
  int32_t *order = made->order + i * made->n;
  int32_t *first_of = made->first + i * made->n, *last_of = made->last + i * made->n;
  const int64_t count = sort_point(x, GPUGEO_POINTS_COLUMNS, i, made->n, sorted);
  for (int64_t first = 0, end; first < count; first = end) {
    end = run_end(sorted, first, count);
    for (int64_t t = first; t < end; ++t) {
      order[t] = (int32_t)sorted[t].index;
      first_of[order[t]] = (int32_t)first;
      last_of[order[t]] = (int32_t)end;
    }
  }
  for (int64_t k = 0, t = count; k < made->n; ++k)
    if (isnan(gg_element(x, k, i))) {
      order[t++] = (int32_t)k;
      first_of[k] = last_of[k] = -1;
    }
}

typedef struct ordering {
  const gpugeo_matrix *x;
  gg_rank_order *made;
  indexed_value *sorted; /* a column for each thread */
} ordering;

static void order_columns(void *job, gg_range range) {
  const ordering *o = job;
  for (int64_t i = range.first; i < range.last; ++i)
    order_column(o->x, o->made, i, o->sorted + range.worker * o->x->nrow);
}

gpugeo_status gg_rank_order_make(const gpugeo_matrix *x, gg_rank_order *made, int32_t threads,
                                 gg_clock *clock, gpugeo_error *error) {
  /* Squared deviations of twice the ranks sum up to n^3 / 3: that must fit into 63 bits. */
  const int64_t most = 3000000;
  if (x->nrow > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at most %lld rows for pairwise Spearman correlations, not %lld",
                   (long long)most, (long long)x->nrow);
  const int64_t values = x->nrow * x->ncol, size = sizeof(int32_t);
  made->n = x->nrow;
  made->columns = x->ncol;
  made->order = gg_allocate(values, size);
  made->first = gg_allocate(values, size);
  made->last = gg_allocate(values, size);
  ordering o = {x, made, gg_allocate(threads * x->nrow, sizeof *o.sorted)};
  if (!made->order || !made->first || !made->last || !o.sorted) {
    free(o.sorted);
    return gg_fail_memory(error, 3 * values * size + threads * x->nrow * (int64_t)sizeof *o.sorted);
  }
  const bool done = gg_parallel_for(&(gg_loop){.threads = threads,
                                               .count = x->ncol,
                                               .grain = 1,
                                               .work = order_columns,
                                               .job = &o,
                                               .clock = clock});
  free(o.sorted);
  return done ? GPUGEO_OK : gg_fail_interrupt(error);
}
