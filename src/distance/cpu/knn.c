/*
 * The CPU backend's nearest neighbours: searches each finished tile of distances for those nearer
 * than the furthest of the k that a point has so far. Within x a tile serves the points of its rows
 * and those of its columns.
 *
 * The lists of the points of the current blocks are in working memory; the unfinished lists of all
 * others are in the result, so working memory does not grow with the number of points.
 *
 * Limited by the tiles. Searching one takes about one comparison for each pair and side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpu.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/cpu/nearest.h"
#include "distance/cpu/tiles.h"

/* A block of points and what they have found so far. */
typedef struct block {
  int64_t first, count;
  gg_neighbor *list; /* k for each point: count[] of them, a heap once there are k */
  int64_t *found;
  double *limit; /* the furthest of a full list; NaN, which lets all pass, before */
  gg_lock *lock; /* one for each tile of points */
} block;

typedef struct search {
  const gg_knn_plan *plan;
  const gg_cpu_kernels *kernels;
  gg_call *call;
  bool marked;        /* an infinite value is a missing one */
  int64_t most, tile; /* points of a block and of a tile */
  block rows, columns;
} search;

/* --- blocks ----------------------------------------------------------------------------------- */

/* Returns the bytes that a point of a block takes. */
static int64_t block_bytes(int64_t k) {
  return k * (int64_t)sizeof(gg_neighbor) + (int64_t)(sizeof(int64_t) + sizeof(double));
}

/* Allocates the lists and locks of a block. */
static gpugeo_status make_block(search *search, block *block, gpugeo_error *error) {
  const int64_t k = search->plan->k, locks = search->most / search->tile;
  block->list = gg_allocate(search->most * k, sizeof *block->list);
  block->found = gg_allocate(search->most, sizeof *block->found);
  block->limit = gg_allocate(search->most, sizeof *block->limit);
  block->lock = gg_allocate(locks, sizeof *block->lock);
  if (!block->list || !block->found || !block->limit || !block->lock) {
    gg_free(block->lock);
    block->lock = NULL;
    return gg_fail_memory(error, search->most * block_bytes(k));
  }
  for (int64_t l = 0; l < locks; ++l)
    gg_lock_make(&block->lock[l]);
  return GPUGEO_OK;
}

/* Frees a block. */
static void free_block(const search *search, block *block) {
  for (int64_t l = 0; block->lock && l < search->most / search->tile; ++l)
    gg_lock_free(&block->lock[l]);
  gg_free(block->list);
  gg_free(block->found);
  gg_free(block->limit);
  gg_free(block->lock);
}

/* Allocates the block of columns and, if pairs are symmetric and not all in it, that of rows. */
static gpugeo_status make_blocks(void *own, int64_t most, int64_t tile, gpugeo_error *error) {
  search *search = own;
  const gg_dist_plan *dist = &search->plan->dist;
  search->most = most;
  search->tile = tile;
  gpugeo_status status = make_block(search, &search->columns, error);
  if (!status && dist->symmetric && most < dist->nx)
    status = make_block(search, &search->rows, error);
  return status;
}

/* Sets the limit of a point: the distance of its last neighbour, NaN until its list is full. */
static void set_limit(block *block, int64_t point, int64_t k) {
  block->limit[point] = block->found[point] == k ? block->list[point * k].distance : NAN;
}

/* Reads the neighbours that the points of a block have found so far; an index of -1 ends a list. */
static void open_block(void *own, gg_cpu_side side, int64_t first, int64_t count) {
  search *search = own;
  const gg_knn_plan *plan = search->plan;
  if (side == GG_CPU_ROWS && !plan->dist.symmetric) return;
  block *block = side == GG_CPU_ROWS ? &search->rows : &search->columns;
  block->first = first;
  block->count = count;
  for (int64_t i = 0; i < search->most; ++i) {
    block->found[i] = 0;
    block->limit[i] = i < count ? NAN : -INFINITY; /* what fills the last panel finds nothing */
  }
  for (int64_t r = 0; r < plan->k; ++r)
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = first + i + r * plan->dist.ny;
      if (plan->index[at] < 0) continue;
      block->list[i * plan->k + r] = (gg_neighbor){plan->distance[at], plan->index[at]};
      block->found[i] = r + 1;
    }
  for (int64_t i = 0; i < count; ++i)
    set_limit(block, i, plan->k);
}

/* Writes the list of a point to the result; a finished one with the value for missing distances. */
static void write_list(const gg_knn_plan *plan, const block *block, int64_t point, bool finished) {
  const gg_neighbor *list = block->list + point * plan->k;
  for (int64_t r = 0; r < block->found[point]; ++r) {
    const int64_t at = block->first + point + r * plan->dist.ny;
    plan->index[at] = list[r].index;
    plan->distance[at] =
        finished && isnan(list[r].distance) ? plan->dist.missing : list[r].distance;
  }
}

typedef struct closing {
  const search *search;
  const block *block;
  bool finished;
} closing;

/* Writes the lists of a range of points, sorted if they are finished. */
static void close_points(void *own, gg_range points) {
  const closing *c = own;
  const gg_knn_plan *plan = c->search->plan;
  for (int64_t i = points.first; i < points.last; ++i) {
    if (c->finished) gg_nearest_sort(c->block->list + i * plan->k, c->block->found[i]);
    write_list(plan, c->block, i, c->finished);
  }
}

/* Writes the neighbours that the points of a block have found into the result: sorted after a
   block of columns, whose lists are then complete, else as a heap. */
static void close_block(void *own, gg_cpu_side side) {
  search *search = own;
  const gg_knn_plan *plan = search->plan;
  const bool finished = side == GG_CPU_COLUMNS;
  if (!finished && !plan->dist.symmetric) return;
  const block *block = finished ? &search->columns : &search->rows;
  closing c = {search, block, finished};
  const int64_t values = 10000; /* written within 0.1 ms */
  gg_call_loop(search->call, (gg_loop){.threads = plan->dist.threads,
                                       .count = block->count,
                                       .grain = 1 + values / plan->k,
                                       .work = close_points,
                                       .job = &c});
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* Offers a point to the list of another. */
static void offer_point(const search *search, block *block, int64_t point, double distance,
                        int64_t index) {
  const int64_t k = search->plan->k;
  const gg_neighbor offered = {distance, (int32_t)index};
  block->found[point] = gg_nearest_offer(block->list + point * k, k, block->found[point], offered);
  set_limit(block, point, k);
}

/* Searches one column of a tile for neighbours of its point and, with rows, of theirs. */
static void look_through(search *search, const gg_cpu_position *position, int64_t c,
                         const double *value, block *rows) {
  block *columns = &search->columns;
  int32_t positions[GG_CPU_TILE];
  const int64_t j = position->column - columns->first + c;
  const int64_t row = rows ? position->row - rows->first : 0;
  const int64_t hits =
      search->kernels->select(value, position->diagonal ? c + 1 : 0, position->rows,
                              columns->limit[j], rows ? rows->limit + row : NULL, positions);
  for (int64_t h = 0; h < hits; ++h) {
    const int64_t r = positions[h];
    const double distance = search->marked && isinf(value[r]) ? NAN : value[r];
    offer_point(search, columns, j, distance, position->row + r);
    if (rows) offer_point(search, rows, row + r, distance, position->column + c);
  }
}

/* Offers the distances of a tile to the lists of its columns and, if pairs are symmetric, its rows.
 */
static int32_t offer_tile(void *own, const gg_cpu_position *position, void *values) {
  search *search = own;
  block *columns = &search->columns;
  const bool same =
      position->row >= columns->first && position->row < columns->first + columns->count;
  block *rows = !search->plan->dist.symmetric ? NULL : same ? columns : &search->rows;
  /* Rows come after columns, so no two threads wait for each other. */
  gg_lock *lock = &columns->lock[(position->column - columns->first) / search->tile], *other = NULL;
  if (rows && !position->diagonal)
    other = &rows->lock[(position->row - rows->first) / search->tile];
  gg_lock_take(lock);
  if (other) gg_lock_take(other);
  for (int64_t c = 0; c < position->columns; ++c)
    look_through(search, position, c, (const double *)values + c * position->ld, rows);
  if (other) gg_lock_give(other);
  gg_lock_give(lock);
  return 0;
}

gpugeo_status gg_cpu_knn(const gg_knn_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  bool done = false;
  if (gg_kd_suits(&plan->dist, plan->trees, plan->k)) {
    gg_kd_knn(plan, NULL, &done, call);
    if (call->status || done) return call->status;
  }
  search search = {.plan = plan,
                   .kernels = gg_cpu_kernels_for(false),
                   .call = call,
                   .marked = plan->dist.step == GG_STEP_correlation_missing};
  const gg_cpu_sink sink = {.own = &search,
                            .point_bytes = block_bytes(plan->k),
                            .avoid_shared_points = true,
                            .share = 1,
                            .start = make_blocks,
                            .open = open_block,
                            .close = close_block,
                            .take = offer_tile};
  memset(plan->index, -1, (size_t)(plan->dist.ny * plan->k) * sizeof *plan->index);
  gg_cpu_tiles(&plan->dist, &sink, call);
  free_block(&search, &search.columns);
  free_block(&search, &search.rows);
  return call->status;
}
