/*
 * Collisions by a grid whose cells are as large as the largest radius sum: a point is tested with
 * those of its cell and of the cells around it. Cells with many points have a tree each.
 *
 * Limited by sorting the points, and by memory latency if cells hold about one point.
 */
#include "points/cpu/collide_grid.h"

#include <stdlib.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/parallel.h"
#include "points/collide_result.h"
#include "points/cpu/collide_tree.h"

enum {
  CROWD = 256,    /* points: a cell of more has a tree */
  UNIT = 2048,    /* points of a tree that are one task, and positions that are one */
  SPANS = 64,     /* of points near a cell: each of GG_GRID_RUNS is parted by up to three crowds */
  NEIGHBOURS = 32 /* crowded cells near a cell, 27 at most */
};

/* A crowded cell. */
typedef struct crowd {
  gg_span span;
  gg_cpu_tree tree;
} crowd;

/* All cells of a grid with more than CROWD points, in its order. */
typedef struct crowds {
  crowd *cells;
  int64_t count;
} crowds;

/* A task of its own: a node of a crowd of a. */
typedef struct unit {
  int64_t crowd;
  int32_t node;
} unit;

typedef struct grid_search {
  gg_cpu_search *search;
  gg_grid grid_a, grid_b; /* grid_b is not there within x */
  const gg_grid *b;       /* grid_b, or grid_a within x */
  crowds crowds_a, crowds_b;
  unit *units;
  int64_t unit_count, chunks;
} grid_search;

/* --- Neighbours ------------------------------------------------------------------------------- */

/* The points near a cell. */
typedef struct neighbours {
  gg_span spans[SPANS];
  const crowd *crowds[NEIGHBOURS];
  int spans_count, crowds_count;
} neighbours;

/* Returns the first crowd that begins at or after a position. */
static int64_t find_crowd(const crowds *crowds, int64_t position) {
  int64_t low = 0, high = crowds->count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (crowds->cells[middle].span.begin < position)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Adds a span, unless it is empty. */
static void add_span(neighbours *near, int64_t begin, int64_t end) {
  if (begin < end) near->spans[near->spans_count++] = (gg_span){begin, end};
}

/* Finds the points near the cell of point i of a: those in crowds, and the others. `least` as
   for gg_grid_near(). */
static void find_near(const grid_search *g, const crowds *crowds, int64_t i, int64_t least,
                      gg_grid_walk *walk, neighbours *near) {
  double location[GG_POINT_COLUMNS] = {0};
  for (int c = 0; c < g->b->shape.columns; ++c)
    location[c] = g->grid_a.at[c][i];
  gg_grid_run runs[GG_GRID_RUNS];
  const int count = gg_grid_near(g->b, location, least, walk, runs);
  near->spans_count = near->crowds_count = 0;
  for (int r = 0; r < count; ++r) {
    int64_t begin = runs[r].first;
    if (runs[r].last - begin > CROWD)
      for (int64_t k = find_crowd(crowds, begin);
           k < crowds->count && crowds->cells[k].span.begin < runs[r].last; ++k) {
        add_span(near, begin, crowds->cells[k].span.begin);
        near->crowds[near->crowds_count++] = &crowds->cells[k];
        begin = crowds->cells[k].span.end;
      }
    add_span(near, begin, runs[r].last);
  }
}

/* --- Tasks ------------------------------------------------------------------------------------ */

/* Tests the points of a cell that is not crowded with those near it. */
static void test_cell(grid_search *g, gg_cpu_found *found, gg_span cell, gg_grid_walk *walk) {
  gg_cpu_search *search = g->search;
  const bool once = search->pairing == GG_CPU_ONCE;
  const crowds *crowds = search->plan->within ? &g->crowds_a : &g->crowds_b;
  neighbours near;
  find_near(g, crowds, cell.begin, once ? cell.end : 0, walk, &near);
  gg_span *own = NULL; /* the rest of the cell itself */
  if (once) {
    own = &near.spans[near.spans_count++];
    own->end = cell.end;
  }
  for (int64_t i = cell.begin; i < cell.end; ++i) {
    if (once) own->begin = i + 1;
    gg_cpu_test_point(search, found, i, near.spans, near.spans_count);
  }
  if (near.crowds_count == 0) return;
  const gg_cpu_node node = gg_cpu_node_make(search, &search->a, cell);
  for (int k = 0; k < near.crowds_count; ++k)
    gg_cpu_test_nodes(search, found, &node, 0, near.crowds[k]->tree.nodes, 0);
}

/* Tests the points of a part of a crowd with those near it. */
static void test_unit(grid_search *g, gg_cpu_found *found, const unit *unit, gg_grid_walk *walk) {
  gg_cpu_search *search = g->search;
  const bool once = search->pairing == GG_CPU_ONCE;
  const crowd *home = &g->crowds_a.cells[unit->crowd];
  const gg_cpu_node *nodes = home->tree.nodes;
  const crowds *crowds = search->plan->within ? &g->crowds_a : &g->crowds_b;
  neighbours near;
  find_near(g, crowds, home->span.begin, once ? home->span.end : 0, walk, &near);
  if (once) {
    gg_cpu_test_within(search, found, nodes, unit->node);
    gg_cpu_test_later(search, found, nodes, unit->node);
  }
  for (int k = 0; k < near.crowds_count; ++k)
    gg_cpu_test_nodes(search, found, nodes, unit->node, near.crowds[k]->tree.nodes, 0);
  for (int s = 0; s < near.spans_count; ++s) {
    const gg_cpu_node others = gg_cpu_node_make(search, &search->b, near.spans[s]);
    gg_cpu_test_nodes(search, found, nodes, unit->node, &others, 0);
  }
}

/* Runs a task: the cells that begin in a run of positions, or a unit. */
static void do_task(gg_cpu_search *search, void *own, gg_cpu_found *found, int64_t task) {
  grid_search *g = own;
  const gg_grid *grid = &g->grid_a;
  gg_grid_walk walk = {{0}};
  if (task < g->unit_count) { /* the longer ones first */
    test_unit(g, found, &g->units[task], &walk);
    return;
  }
  const int64_t chunk = task - g->unit_count;
  const int64_t end = gg_smaller((chunk + 1) * UNIT, grid->n);
  for (int64_t p = gg_grid_cell_start(grid, chunk * UNIT), next; p < end; p = next) {
    next = gg_grid_cell_end(grid, p);
    if (next - p <= CROWD) test_cell(g, found, (gg_span){p, next}, &walk);
    if (gg_cpu_stopped_after(search, found, next - p)) return;
  }
}

/* --- Crowds ----------------------------------------------------------------------------------- */

/* Adds a crowd; *room: elements allocated. Returns false if there is no memory. */
static bool add_crowd(crowds *crowds, int64_t *room, gg_span span) {
  if (crowds->count == *room) {
    *room = 2 * *room + 64;
    crowd *cells = gg_reallocate(crowds->cells, *room, sizeof *cells);
    if (!cells) return false;
    crowds->cells = cells;
  }
  crowds->cells[crowds->count++] = (crowd){.span = span};
  return true;
}

/* Finds the crowded cells by keys that occur again half a crowd later. Returns false if there is
   no memory. */
static bool list_crowds(const gg_grid *grid, crowds *crowds) {
  const int64_t step = CROWD / 2;
  int64_t room = 0;
  for (int64_t p = 0; p + step < grid->n; p += step) {
    if (grid->key[p] != grid->key[p + step]) continue;
    const int64_t end = gg_grid_cell_end(grid, p);
    int64_t begin = p;
    while (begin > 0 && grid->key[begin - 1] == grid->key[p])
      --begin;
    if (end - begin > CROWD && !add_crowd(crowds, &room, (gg_span){begin, end})) return false;
    while (p + step < end)
      p += step;
  }
  return true;
}

typedef struct planting {
  gg_cpu_search *search;
  gg_cpu_points *points;
  crowds *crowds;
  bool lacking; /* memory */
} planting;

/* Makes the trees of a range of crowds; the loop's work. */
static void plant(void *job, gg_range range) {
  planting *p = job;
  for (int64_t k = range.first; k < range.last; ++k) {
    crowd *one = &p->crowds->cells[k];
    if (!gg_cpu_tree_make(p->search, p->points, one->span, &one->tree))
      gg_atomic_store(&p->lacking, true);
  }
}

/* Makes the trees of all crowds, which reorders their points. Returns false if there is no
   memory; if stopped, some trees are missing. */
static bool make_trees(gg_cpu_search *search, gg_cpu_points *points, crowds *crowds) {
  planting p = {search, points, crowds, false};
  (void)gg_parallel_for(&(gg_loop){.threads = search->plan->threads,
                                   .count = crowds->count,
                                   .grain = 1,
                                   .work = plant,
                                   .job = &p,
                                   .stop = &p.lacking,
                                   .clock = search->call->clock,
                                   .begun = search->before});
  return !p.lacking;
}

/* Frees the crowds and their trees. */
static void free_crowds(crowds *crowds) {
  for (int64_t k = 0; k < crowds->count; ++k)
    gg_free(crowds->cells[k].tree.nodes);
  gg_free(crowds->cells);
}

/* Lists a node if it has at most UNIT points or no children, else does the same for its
   children. Returns the number of units. `units` may be NULL. */
static int64_t list_units(const crowd *home, int64_t number, int32_t i, unit *units) {
  const gg_cpu_node *node = &home->tree.nodes[i];
  if (node->span.end - node->span.begin <= UNIT || !node->child) {
    if (units) *units = (unit){number, i};
    return 1;
  }
  const int64_t first = list_units(home, number, node->child, units);
  return first + list_units(home, number, node->child + 1, units ? units + first : NULL);
}

/* Makes the tasks of the crowds of a. */
static bool make_units(grid_search *g) {
  const crowds *crowds = &g->crowds_a;
  for (int64_t k = 0; k < crowds->count; ++k)
    g->unit_count += list_units(&crowds->cells[k], k, 0, NULL);
  unit *next = g->units = gg_allocate(g->unit_count, sizeof *next);
  for (int64_t k = 0; g->units && k < crowds->count; ++k)
    next += list_units(&crowds->cells[k], k, 0, next);
  return g->units != NULL;
}

/* --- The search ------------------------------------------------------------------------------- */

/* Returns the shape of a grid over x and y whose cells are at least a radius wide. */
static gg_grid_shape make_shape(const gg_collide_plan *plan) {
  const gg_point_range range = gg_point_range_join(&plan->range_x, &plan->range_y);
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS], length[GG_POINT_COLUMNS];
  for (int c = 0; c < plan->rule.columns; ++c) {
    low[c] = range.low[c] * plan->rule.scale;
    high[c] = range.high[c] * plan->rule.scale;
    length[c] = plan->radius;
  }
  return gg_grid_shape_make(plan->rule.columns, low, high, length, plan->rule.box);
}

/* Sorts the points of x or y into a grid, copies them in its order, and makes its crowds. */
static gpugeo_status make_points(gg_cpu_search *search, const gg_grid_shape *shape,
                                 const gpugeo_matrix *x, const double *radii, gg_grid *grid,
                                 gg_cpu_points *points, crowds *crowds) {
  const gg_collide_plan *plan = search->plan;
  gg_call *call = search->call;
  const gg_grid_points from = {shape, x, plan->rule.scale, plan->threads, 0, 0.2};
  gg_grid_build(&from, grid, call);
  if (gg_cpu_points_allocate(search, x->nrow, points)) return call->status;
  gg_cpu_points_of_grid(plan, grid, radii, points);
  if (!list_crowds(grid, crowds) || !make_trees(search, points, crowds))
    return GG_TRY(call, gg_fail_memory(call->error, x->nrow * (int64_t)sizeof(double)));
  return gg_call_require(call, !gg_clock_stopped(call->clock));
}

/* Runs the passes over all points. If there are crowds, pairs are counted first, which takes
   less time than to list them, and shows whether they fit into memory. */
static gpugeo_status search_grid(grid_search *g) {
  gg_cpu_search *search = g->search;
  const gg_collide_plan *plan = search->plan;
  const int64_t tasks = g->unit_count + (g->grid_a.n + UNIT - 1) / UNIT;
  gg_call *call = search->call;
  if (plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS && g->crowds_a.count > 0) {
    gg_cpu_search_start(search, GPUGEO_COLLISIONS_WHAT_COUNT, !plan->within);
    gg_cpu_pass(search, tasks, do_task, g);
    GG_TRY(call, gg_collide_check_room(plan, search->result, call->error));
  }
  const bool own = !plan->within || plan->what == GPUGEO_COLLISIONS_WHAT_PER_POINT ||
                   plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS;
  return gg_cpu_passes(search, own, tasks, do_task, g);
}

gpugeo_status gg_cpu_collide_grid(gg_cpu_search *search) {
  const gg_collide_plan *plan = search->plan;
  grid_search g = {.search = search};
  const gg_grid_shape shape = make_shape(plan);
  gg_cpu_search_start(search, plan->what, false); /* the trees ask for it */
  make_points(search, &shape, &plan->x, plan->radii_x, &g.grid_a, &search->a, &g.crowds_a);
  g.b = plan->within ? &g.grid_a : &g.grid_b;
  if (plan->within)
    search->b = search->a;
  else
    make_points(search, &shape, &plan->y, plan->radii_y, &g.grid_b, &search->b, &g.crowds_b);
  if (!search->call->status && !make_units(&g))
    search->call->status = gg_fail_memory(search->call->error, (int64_t)sizeof(unit));
  search_grid(&g);
  gg_free(g.units);
  free_crowds(&g.crowds_a);
  free_crowds(&g.crowds_b);
  gg_grid_free(&g.grid_a);
  if (!plan->within) {
    gg_grid_free(&g.grid_b);
    gg_free(search->b.block);
  }
  gg_free(search->a.block);
  return search->call->status;
}
