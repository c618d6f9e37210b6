/*
 * Points at whole numbers that collide when they are equal: sorted by their coordinates, equal
 * points are runs, and a run of n points has n (n - 1) / 2 pairs. (The paper's linear algorithm,
 * without an array over all coordinates.)
 */
#include "points/cpu/collide_lattice.h"

#include <math.h>
#include <stdlib.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "points/cpu/collide_bulk.h"

typedef struct lattice {
  gg_cpu_search *search;
  gg_grid grid_a, grid_b; /* grid_b is not there within x */
  const gg_grid *b;
} lattice;

/* --- Locations -------------------------------------------------------------------------------- */

/* Wraps periodic coordinates to [0, length), exactly. */
static void wrap(const gg_collide_plan *plan, gg_cpu_points *points) {
  for (int c = 0; c < plan->rule.columns; ++c) {
    const double length = plan->rule.box[c];
    double *at = points->coordinate[c];
    for (int64_t i = 0; length > 0 && i < points->n; ++i) {
      at[i] = fmod(at[i], length);
      if (at[i] < 0) at[i] += length;
    }
  }
}

/* Compares two locations: returns -1, 0 or 1. */
static int compare(const gg_collide_plan *plan, const gg_cpu_points *a, int64_t i,
                   const gg_cpu_points *b, int64_t j) {
  for (int c = 0; c < plan->rule.columns; ++c) {
    const double first = a->coordinate[c][i], second = b->coordinate[c][j];
    if (first != second) return first < second ? -1 : 1;
  }
  return 0;
}

/* Returns the end of the run of equal points from i on. */
static int64_t run_end(const gg_collide_plan *plan, const gg_cpu_points *points, int64_t i,
                       int64_t end) {
  int64_t j = i + 1;
  while (j < end && compare(plan, points, i, points, j) == 0)
    ++j;
  return j;
}

typedef struct location {
  double at[GG_POINT_COLUMNS], row;
} location;

/* Compares points by location, then by row, for qsort(). */
static int compare_locations(const void *a, const void *b) {
  const location *first = a, *second = b;
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    if (first->at[c] != second->at[c]) return first->at[c] < second->at[c] ? -1 : 1;
  return (first->row > second->row) - (first->row < second->row);
}

/* Sorts the points of a cell if it has more than one location, which happens only if there are more
   cells than keys. Returns false if there is no memory. */
static bool sort_cell(const gg_collide_plan *plan, gg_cpu_points *points, gg_span cell) {
  bool sorted = true;
  for (int64_t i = cell.begin + 1; sorted && i < cell.end; ++i)
    sorted = compare(plan, points, i - 1, points, i) <= 0;
  if (sorted) return true;
  const int64_t n = cell.end - cell.begin;
  location *locations = gg_allocate(n, sizeof *locations);
  if (!locations) return false;
  for (int64_t i = 0; i < n; ++i) {
    locations[i] = (location){{0}, points->row[cell.begin + i]};
    for (int c = 0; c < plan->rule.columns; ++c)
      locations[i].at[c] = points->coordinate[c][cell.begin + i];
  }
  qsort(locations, (size_t)n, sizeof *locations, compare_locations);
  for (int64_t i = 0; i < n; ++i) {
    points->row[cell.begin + i] = locations[i].row;
    for (int c = 0; c < plan->rule.columns; ++c)
      points->coordinate[c][cell.begin + i] = locations[i].at[c];
  }
  gg_free(locations);
  return true;
}

typedef struct sorting {
  const gg_collide_plan *plan;
  const gg_grid *grid;
  gg_cpu_points *points;
  bool lacking; /* memory */
} sorting;

/* Sorts the cells that begin in a range. */
static void sort_range(void *job, gg_range range) {
  sorting *s = job;
  for (int64_t p = gg_grid_cell_start(s->grid, range.first), next; p < range.last; p = next) {
    next = gg_grid_cell_end(s->grid, p);
    if (!sort_cell(s->plan, s->points, (gg_span){p, next})) gg_atomic_store(&s->lacking, true);
  }
}

/* Sorts the points of all cells by location. */
static gpugeo_status sort_cells(gg_cpu_search *search, const gg_grid *grid, gg_cpu_points *points) {
  gg_call *call = search->call;
  sorting s = {search->plan, grid, points, false};
  const bool done = gg_parallel_for(&(gg_loop){.threads = search->plan->threads,
                                               .count = grid->n,
                                               .grain = 16384,
                                               .work = sort_range,
                                               .job = &s,
                                               .stop = &s.lacking,
                                               .clock = call->clock});
  if (s.lacking) GG_TRY(call, gg_fail_memory(call->error, grid->n * (int64_t)sizeof(location)));
  return gg_call_require(call, done);
}

/* --- Candidate pairs -------------------------------------------------------------------------- */

/* Takes the partners of each point of a run of a in a run of b, whose rows ascend. */
static void take_partners(gg_cpu_search *search, gg_span a, gg_span b) {
  const gg_collide_plan *plan = search->plan;
  gg_collide_result *result = search->result;
  for (int64_t i = a.begin, later = b.begin; i < a.end; ++i) {
    const double row = search->a.row[i];
    while (plan->within && later < b.end && search->b.row[later] - row <= (double)plan->exclude)
      ++later;
    int64_t *first = &result->first[(int64_t)row];
    for (int64_t j = later; search->filling && j < b.end; ++j)
      result->partner[*first + j - later] = (int32_t)search->b.row[j];
    *first += b.end - later;
  }
}

/* Notes the pairs of two runs of points at the same or neighbouring locations. */
static void test_runs(gg_cpu_search *search, gg_cpu_found *found, gg_span a, gg_span b) {
  if (search->what == GPUGEO_COLLISIONS_WHAT_PAIRS)
    take_partners(search, a, b);
  else if (search->pairing == GG_CPU_ONCE)
    gg_cpu_bulk_within(search, found, a);
  else
    gg_cpu_bulk_between(search, found, a, b);
}

/* Compares the runs of two sorted cells with the same key. */
static void test_cells(gg_cpu_search *search, gg_cpu_found *found, gg_span a, gg_span b) {
  const gg_collide_plan *plan = search->plan;
  while (a.begin < a.end && b.begin < b.end) {
    const int order = compare(plan, &search->a, a.begin, &search->b, b.begin);
    const int64_t next_a = run_end(plan, &search->a, a.begin, a.end);
    const int64_t next_b = run_end(plan, &search->b, b.begin, b.end);
    if (order == 0)
      test_runs(search, found, (gg_span){a.begin, next_a}, (gg_span){b.begin, next_b});
    if (order <= 0) a.begin = next_a;
    if (order >= 0) b.begin = next_b;
  }
}

/* Returns the first position with a key of at least `key`. */
static int64_t find_key(const gg_grid *grid, uint64_t key) {
  int64_t low = 0, high = grid->n;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (grid->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

enum { CHUNK = 4096 };

/* Runs a task: the cells that begin in a run of positions. */
static void do_task(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task) {
  const lattice *l = own;
  const gg_grid *a = &l->grid_a, *b = l->b;
  const int64_t end = gg_smaller((task + 1) * CHUNK, a->n);
  int64_t p = gg_grid_cell_start(a, task * CHUNK);
  if (p >= end) return;
  int64_t q = a == b ? p : find_key(b, a->key[p]);
  for (int64_t next; p < end; p = next) {
    next = gg_grid_cell_end(a, p);
    while (q < b->n && b->key[q] < a->key[p])
      ++q;
    if (q == b->n) return;
    const int64_t last = b->key[q] == a->key[p] ? gg_grid_cell_end(b, q) : q;
    test_cells(search, found, (gg_span){p, next}, (gg_span){q, last});
    if (gg_cpu_stopped_after(search, found, next - p + last - q)) return;
    q = last;
  }
}

/* --- The search ------------------------------------------------------------------------------- */

/* Returns a shape whose cells begin at whole numbers and are slightly smaller than 1, so
   each has one location. */
static gg_grid_shape make_shape(const gg_collide_plan *plan) {
  const gg_point_range range = gg_point_range_join(&plan->range_x, &plan->range_y);
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS], length[GG_POINT_COLUMNS];
  for (int c = 0; c < plan->rule.columns; ++c) {
    low[c] = range.low[c] * plan->rule.scale;
    high[c] = range.high[c] * plan->rule.scale;
    length[c] = 0.99 * plan->rule.scale;
  }
  return gg_grid_shape_make(plan->rule.columns, low, high, length, plan->rule.box);
}

/* Makes the grid of some points and sorts them by location. */
static gpugeo_status make_points(gg_cpu_search *search, const gg_grid_shape *shape,
                                 const gpugeo_matrix *x, const double *radii, gg_grid *grid,
                                 gg_cpu_points *points) {
  const gg_collide_plan *plan = search->plan;
  const gg_grid_points from = {shape, x, plan->rule.scale, plan->threads, 0, 0.5};
  gg_grid_build(&from, grid, search->call);
  if (gg_cpu_points_allocate(search, x->nrow, points)) return search->call->status;
  gg_cpu_points_of_grid(plan, grid, radii, points);
  wrap(plan, points);
  return sort_cells(search, grid, points);
}

gpugeo_status gg_cpu_collide_lattice(gg_cpu_search *search) {
  const gg_collide_plan *plan = search->plan;
  lattice l = {.search = search};
  const gg_grid_shape shape = make_shape(plan);
  make_points(search, &shape, &plan->x, plan->radii_x, &l.grid_a, &search->a);
  l.b = plan->within ? &l.grid_a : &l.grid_b;
  if (plan->within)
    search->b = search->a;
  else
    make_points(search, &shape, &plan->y, plan->radii_y, &l.grid_b, &search->b);
  const bool own = !plan->within || plan->what == GPUGEO_COLLISIONS_WHAT_PER_POINT ||
                   plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS;
  const int64_t tasks = (plan->nx + CHUNK - 1) / CHUNK;
  gg_cpu_passes(search, own, tasks, do_task, &l);
  gg_grid_free(&l.grid_a);
  if (!plan->within) {
    gg_grid_free(&l.grid_b);
    gg_free(search->b.block);
  }
  gg_free(search->a.block);
  return search->call->status;
}
