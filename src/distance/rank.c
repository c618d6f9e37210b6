#include "distance/rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sparse.h"

/* A value and its position. */
typedef struct indexed_value {
  double value;
  int64_t index;
} indexed_value;

#define MERGE_SORT_VALUE  indexed_value
#define MERGE_SORT_KEY(v) (v).value
#define MERGE_SORT_COUNTS 0
#include "distance/merge_sort.h"

/* Sorts the coordinates of one point that are not missing by value, and equal ones by position.
   Returns them and their number; `room` has room for 2 * m. */
static const indexed_value *sort_point(const gpugeo_matrix *x, gpugeo_points points, int64_t i,
                                       int64_t m, indexed_value *room, int64_t *count) {
  *count = 0;
  for (int64_t k = 0; k < m; ++k) {
    const double v = gg_coordinate(x, points, i, k);
    if (!isnan(v)) room[(*count)++] = (indexed_value){v, k};
  }
  return merge_sort(room, room + m, *count, NULL);
}

/* --- ranks of points -------------------------------------------------------------------------- */

/* Returns the end of the run of equal values that starts at `first`. */
static int64_t run_end(const indexed_value *sorted, int64_t first, int64_t count) {
  int64_t end = first + 1;
  while (end < count && sorted[end].value == sorted[first].value)
    ++end;
  return end;
}

/* Writes a rank as a number of the type. */
static void set_rank(gpugeo_type type, void *ranks, int64_t at, double rank) {
  if (type == GPUGEO_TYPE_FLOAT)
    ((float *)ranks)[at] = (float)rank;
  else
    ((double *)ranks)[at] = rank;
}

/* Points whose coordinates are replaced by ranks. */
typedef struct ranking {
  const gpugeo_matrix *x;
  gpugeo_points points;
  int64_t m; /* coordinates of a point */
  gpugeo_type type;
  void *ranks;
  indexed_value *room; /* 2 * m for each thread */
} ranking;

/* Writes the ranks of a point's coordinates, the first at `at`, then `stride` apart. room: 2 * m
   for this thread. */
static void rank_point(const ranking *r, int64_t i, indexed_value *room, int64_t at,
                       int64_t stride) {
  int64_t count;
  const indexed_value *sorted = sort_point(r->x, r->points, i, r->m, room, &count);
  if (count < r->m)
    for (int64_t k = 0; k < r->m; ++k)
      set_rank(r->type, r->ranks, at + k * stride, NAN);
  for (int64_t first = 0, end; first < count; first = end) {
    end = run_end(sorted, first, count);
    const double rank = 0.5 * (double)(first + 1 + end);
    for (int64_t t = first; t < end; ++t)
      set_rank(r->type, r->ranks, at + sorted[t].index * stride, rank);
  }
}

int64_t gg_rank_room(int64_t m) { return 2 * m * (int64_t)sizeof(indexed_value); }

void gg_rank_panel(double *z, int64_t count, int64_t m, int64_t stride, void *room) {
  const gpugeo_matrix panel = {
      .data = z, .type = GPUGEO_TYPE_DOUBLE, .nrow = count, .ncol = m, .ld = stride};
  const ranking r = {
      .x = &panel, .points = GPUGEO_POINTS_ROWS, .m = m, .type = GPUGEO_TYPE_DOUBLE, .ranks = z};
  for (int64_t i = 0; i < count; ++i)
    rank_point(&r, i, room, i, stride);
}

/* Some columns whose ranks are written to z, in panels of these points. */
typedef struct block_ranking {
  const gpugeo_matrix *x;
  int64_t first, count, m;
  double *z;
  char *room; /* gg_rank_room(m) for each thread */
} block_ranking;

enum { PANEL = 16 }; /* points whose ranks are written at a time: two cache lines of a coordinate */

/* Copies points [i, i + count) of the block to their positions in z. */
static void load_panel(const block_ranking *b, int64_t i, int64_t count) {
  if (b->x->sparse) {
    const gg_block block = {b->first + i, count, 0, b->m};
    gg_sparse_load(b->x, GPUGEO_POINTS_COLUMNS, block, b->count, 1, b->z + i);
    return;
  }
  for (int64_t k = 0; k < b->m; ++k)
    for (int64_t p = i; p < i + count; ++p)
      b->z[k * b->count + p] = gg_coordinate(b->x, GPUGEO_POINTS_COLUMNS, b->first + p, k);
}

/* Ranks the points of a range of panels. */
static void rank_panels(void *job, gg_range range) {
  const block_ranking *b = job;
  for (int64_t panel = range.first; panel < range.last; ++panel) {
    const int64_t i = panel * PANEL, count = gg_smaller(PANEL, b->count - i);
    load_panel(b, i, count);
    gg_rank_panel(b->z + i, count, b->m, b->count, b->room + range.worker * gg_rank_room(b->m));
  }
}

bool gg_rank_columns(const gpugeo_matrix *x, int64_t first, int64_t count, double *z, void *room,
                     int32_t threads, gg_clock *clock) {
  const int64_t m = x->nrow;
  block_ranking b = {x, first, count, m, z, room};
  return gg_parallel_for(&(gg_loop){.threads = threads,
                                    .count = (count + PANEL - 1) / PANEL,
                                    .grain = 1 + 1024 / (m + 1),
                                    .work = rank_panels,
                                    .job = &b,
                                    .clock = clock});
}

/* Ranks a range of points. */
static void rank_range(void *job, gg_range range) {
  const ranking *r = job;
  for (int64_t i = range.first; i < range.last; ++i)
    rank_point(r, i, r->room + 2 * range.worker * r->m, i * r->m, 1);
}

gpugeo_status gg_rank_points(const gpugeo_matrix *x, gpugeo_points points, gpugeo_type type,
                             void *ranks, int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  const int64_t m = points == GPUGEO_POINTS_ROWS ? x->ncol : x->nrow;
  ranking r = {.x = x, .points = points, .m = m, .type = type, .ranks = ranks};
  r.room = gg_call_allocate(call, 2 * threads * m, sizeof *r.room);
  if (!r.room) return call->status;
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = n,
                               .grain = 1 + 16384 / (m + 1),
                               .work = rank_range,
                               .job = &r});
  gg_free(r.room);
  return call->status;
}

/* --- orders of columns ------------------------------------------------------------------------ */

void gg_rank_order_free(gg_rank_order *made) {
  gg_free(made->order);
  gg_free(made->first);
  gg_free(made->last);
}

/* Fills the order of column i. */
static void order_column(const gpugeo_matrix *x, gg_rank_order *made, int64_t i,
                         indexed_value *room) {
  int32_t *order = made->order + i * made->n;
  int32_t *first_of = made->first + i * made->n, *last_of = made->last + i * made->n;
  int64_t count;
  const indexed_value *sorted = sort_point(x, GPUGEO_POINTS_COLUMNS, i, made->n, room, &count);
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
  indexed_value *room; /* two columns for each thread */
} ordering;

/* Sorts the rows of a range of columns. */
static void order_columns(void *job, gg_range range) {
  const ordering *o = job;
  for (int64_t i = range.first; i < range.last; ++i)
    order_column(o->x, o->made, i, o->room + 2 * range.worker * o->x->nrow);
}

gpugeo_status gg_rank_order_make(const gpugeo_matrix *x, bool ordered, gg_rank_order *made,
                                 int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  /* Squared deviations of twice the ranks sum up to n^3 / 3: that must fit into 63 bits. */
  const int64_t most = 3000000;
  if (x->nrow > most)
    return GG_TRY(
        call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                      "x must have at most %lld rows for pairwise Spearman correlations, not %lld",
                      (long long)most, (long long)x->nrow));
  const int64_t values = x->nrow * x->ncol, size = sizeof(int32_t);
  made->n = x->nrow;
  made->columns = x->ncol;
  made->values = x;
  if (!ordered) return GPUGEO_OK;
  made->order = gg_allocate(values, size);
  made->first = gg_allocate(values, size);
  made->last = gg_allocate(values, size);
  ordering o = {x, made, gg_allocate(2 * threads * x->nrow, sizeof *o.room)};
  if (!made->order || !made->first || !made->last || !o.room) {
    gg_free(o.room);
    return GG_TRY(call,
                  gg_fail_memory(call->error, 3 * values * size +
                                                  2 * threads * x->nrow * (int64_t)sizeof *o.room));
  }
  gg_call_loop(
      call,
      (gg_loop){
          .threads = threads, .count = x->ncol, .grain = 1, .work = order_columns, .job = &o});
  gg_free(o.room);
  return call->status;
}
