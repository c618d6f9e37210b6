/*
 * Minimum spanning trees by all pairs: from each tile of distances the edges that may be in the
 * tree are taken into a forest, which is reduced when it is full.
 *
 * Limited by the tiles: about one comparison for each pair, since from the first reduced forest on
 * most distances are larger than the limits of both points. Only tiles with many edges below them
 * are reduced by themselves, to a forest of their own points.
 *
 * For mutual reachability, core distances are found first. Tiles then hand out edges by their
 * distances, as before: where one of two points has the larger limit, that is no less than both
 * core distances, and the weight of their edge is within it if and only if the distance is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cpu/mst.h"
#include "common/cpu.h"
#include "common/parallel.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/cpu/tiles.h"

/* Edges that are taken of a tile one by one; those of a tile with more are reduced first. */
enum { FEW = 2 * GG_CPU_TILE };

typedef struct search {
  const gg_pairs *pairs;
  const gg_cpu_kernels *kernels;
  bool marked; /* an infinite value is a missing one */
  gg_lock lock;
  /* Under the lock: */
  gg_forest *forest;
  int64_t reduce_at; /* edges */
  gg_missing_pairs *missing;
  gg_call call; /* a copy of the call, with the first error of the threads */
} search;

/* A tile with what is known of its points. */
typedef struct tile {
  const search *search;
  const gg_cpu_position *position;
  const double *values;
  _Alignas(64) double row_limit[GG_CPU_TILE];
  double column_limit[GG_CPU_TILE];
  gg_edge edge[FEW];
  int64_t count;
  gg_missing_pairs missing;
} tile;

/* Returns the distance at a row and a column of the tile. */
static double value_at(const tile *t, int64_t row, int64_t column) {
  return t->values[row + column * t->position->ld];
}

/* Returns the first row of a column whose pair counts. */
static int64_t first_row(const tile *t, int64_t column) {
  return t->position->diagonal ? column + 1 : 0;
}

/* Returns the edge at a row and a column of the tile. */
static gg_edge edge_at(const tile *t, int64_t row, int64_t column) {
  return gg_edge_between(value_at(t, row, column), (int32_t)(t->position->row + row),
                         (int32_t)(t->position->column + column));
}

/* Adds the missing pairs of a tile. */
static void count_missing(tile *t) {
  for (int64_t c = 0; c < t->position->columns; ++c)
    for (int64_t r = first_row(t, c); r < t->position->rows; ++r)
      if (gg_is_missing(value_at(t, r, c), t->search->marked))
        gg_missing_pairs_add(&t->missing, t->position->row + r, t->position->column + c);
}

/* Takes the edges within the limits. Returns false if there are more than FEW, or missing ones. */
static bool select_edges(tile *t) {
  int32_t rows[GG_CPU_TILE];
  for (int64_t c = 0; c < t->position->columns; ++c) {
    const int64_t hits =
        t->search->kernels->select(t->values + c * t->position->ld, first_row(t, c),
                                   t->position->rows, t->column_limit[c], t->row_limit, rows);
    if (t->count + hits > FEW) return false;
    for (int64_t h = 0; h < hits; ++h) {
      if (isnan(value_at(t, rows[h], c))) return false;
      t->edge[t->count++] = edge_at(t, rows[h], c);
    }
  }
  return true;
}

/* --- The forest of one tile (Prim) ------------------------------------------------------------ */

/* The points of a tile: first its columns, and then its rows unless they are the same. */
typedef struct points {
  int64_t count;
  int64_t number[2 * GG_CPU_TILE];
  bool taken[2 * GG_CPU_TILE];
  gg_edge best[2 * GG_CPU_TILE]; /* the first edge to a point that is taken */
} points;

/* True if an edge comes before another one, of which there may be none yet. */
static bool is_before(const tile *t, gg_edge edge, gg_edge other) {
  return other.i == INT32_MAX || gg_edge_before(edge, other, t->search->forest->core);
}

/* Looks at the edges of a point that was taken. */
static void reach_neighbors(const tile *t, points *p, int64_t from) {
  const bool diagonal = t->position->diagonal, is_column = from < t->position->columns;
  const int64_t columns = t->position->columns;
  const int64_t first = diagonal || !is_column ? 0 : columns;
  const int64_t last = diagonal || is_column ? p->count : columns;
  for (int64_t to = first; to < last; ++to) {
    if (p->taken[to]) continue;
    const int64_t column = diagonal ? (from < to ? from : to) : is_column ? from : to;
    const int64_t row = diagonal ? (from < to ? to : from) : (is_column ? to : from) - columns;
    const gg_edge edge = edge_at(t, row, column);
    if (is_before(t, edge, p->best[to])) p->best[to] = edge;
  }
}

/* Returns the point to which the first edge leads, or -1. */
static int64_t nearest_point(const tile *t, const points *p) {
  int64_t best = -1;
  for (int64_t i = 0; i < p->count; ++i) {
    if (p->taken[i] || p->best[i].i == INT32_MAX) continue;
    if (best < 0 || is_before(t, p->best[i], p->best[best])) best = i;
  }
  return best;
}

/* Replaces the edges of a tile by those of its minimum spanning tree: a bipartite graph's, but on
   the diagonal. */
static void reduce_tile(tile *t) {
  const gg_cpu_position *position = t->position;
  points p = {.count = position->columns + (position->diagonal ? 0 : position->rows)};
  for (int64_t i = 0; i < p.count; ++i)
    p.best[i] = (gg_edge){INFINITY, INT32_MAX, INT32_MAX};
  t->count = 0;
  p.taken[0] = true;
  reach_neighbors(t, &p, 0);
  for (int64_t i = 1; i < p.count; ++i) {
    const int64_t at = nearest_point(t, &p);
    t->edge[t->count++] = p.best[at];
    p.taken[at] = true;
    reach_neighbors(t, &p, at);
  }
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Reads the longest edge that each row and column can take. */
static void read_limits(search *s, tile *t) {
  const gg_cpu_position *position = t->position;
  gg_lock_take(&s->lock);
  memcpy(t->row_limit, s->forest->limit + position->row,
         (size_t)position->rows * sizeof *t->row_limit);
  memcpy(t->column_limit, s->forest->limit + position->column,
         (size_t)position->columns * sizeof *t->column_limit);
  gg_lock_give(&s->lock);
  for (int64_t r = position->rows; r < GG_CPU_TILE; ++r)
    t->row_limit[r] = -INFINITY;
}

/* Adds what was found in a tile to the forest, and reduces that if it has grown enough. */
static void add_edges(search *s, const tile *t) {
  gg_lock_take(&s->lock);
  gg_missing_pairs_join(s->missing, &t->missing);
  if (!s->call.status && s->missing->count == 0) {
    memcpy(s->forest->edge + s->forest->count, t->edge, (size_t)t->count * sizeof *t->edge);
    s->forest->count += t->count;
    if (s->forest->count > s->reduce_at) gg_forest_reduce(s->forest, &s->call);
  }
  gg_lock_give(&s->lock);
}

/* Adds the edges of a tile that may be in the tree, and its missing pairs. */
static int32_t add_tile(void *own, const gg_cpu_position *position, void *values) {
  search *s = own;
  tile t = {.search = s, .position = position, .values = values};
  read_limits(s, &t);
  if (s->marked) count_missing(&t);
  if (t.missing.count == 0 && !select_edges(&t)) {
    count_missing(&t);
    if (t.missing.count == 0) reduce_tile(&t);
  }
  if (t.count > 0 || t.missing.count > 0) add_edges(s, &t);
  return 0;
}

/* --- All pairs -------------------------------------------------------------------------------- */

/* Computes all tiles of the pairs; done: of the progress. */
static gpugeo_status compute_tiles(search *s, double done, gg_call *call) {
  if (call->status) return call->status;
  const gg_cpu_sink sink = {.own = s, .before = done, .share = 1 - done, .take = add_tile};
  return gg_cpu_tiles(&s->pairs->dist, &sink, call);
}

/* Finds the tree by all pairs. */
static gpugeo_status mst_by_tiles(const gg_reach_plan *plan, gg_mst_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_pairs *pairs = plan->pairs;
  const int64_t reduce_at = 3 * pairs->n + 16384;
  const double done = plan->k > 0 ? 0.5 : 0;
  if (plan->k > 0) gg_core_tiles(plan, &result->missing, done, call);
  if (result->missing.count > 0) return call->status;
  GG_TRY(call, gg_forest_make(pairs->n, plan->k > 0 ? plan->core : NULL, reduce_at + FEW,
                              pairs->threads, &result->tree, call->error));
  if (call->status) return call->status;
  search s = {.pairs = pairs,
              .kernels = gg_cpu_kernels_for(false),
              .marked = gg_marks_missing(pairs),
              .forest = &result->tree,
              .reduce_at = reduce_at,
              .missing = &result->missing,
              .call = *call};
  gg_lock_make(&s.lock);
  compute_tiles(&s, done, call);
  gg_lock_free(&s.lock);
  GG_TRY(call, s.call.status);
  return result->missing.count == 0 ? gg_forest_reduce(&result->tree, call) : call->status;
}

/* --- The backend ------------------------------------------------------------------------------ */

gpugeo_status gg_cpu_hdbscan(const gg_reach_plan *plan, gg_mst_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_pairs *pairs = plan->pairs;
  if (gg_kd_suits(&pairs->dist, pairs->trees, plan->k)) {
    bool done = false;
    gg_mst_kd(plan, result, &done, call);
    if (call->status || done) return call->status;
    gg_forest_free(&result->tree);
  }
  return mst_by_tiles(plan, result, call);
}

gpugeo_status gg_cpu_mst(const gg_pairs *plan, gg_mst_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_reach_plan distances = {.pairs = plan};
  return gg_cpu_hdbscan(&distances, result, call);
}
