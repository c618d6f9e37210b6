/*
 * Core distances by all pairs: each point has a heap of its k smallest distances so far, and takes
 * from a tile those that are smaller than the largest of them.
 *
 * Limited by the tiles: about one comparison for each pair, since most distances are above the
 * largest of both heaps.
 */
#include <math.h>
#include <string.h>

#include "cluster/cpu/mst.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "distance/cpu/tiles.h"

typedef struct search {
  const gg_reach_plan *plan;
  const gg_cpu_kernels *kernels;
  bool marked; /* an infinite value is a missing one */
  gg_lock lock;
  /* Under the lock: */
  double *heap; /* k for each point, the largest first; infinity where none was found */
  gg_missing_pairs *missing;
} search;

/* Of each point of a tile the number before the largest of its distances when the tile was
   begun: equal distances change nothing. */
typedef struct limits {
  _Alignas(64) double row[GG_CPU_TILE];
  double column[GG_CPU_TILE];
} limits;

/* Replaces the largest distance of a point. */
static void offer_distance(const search *s, int64_t point, double distance) {
  const int64_t k = s->plan->k;
  double *heap = s->heap + point * k;
  if (!(distance < heap[0])) return;
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < k; at = child) {
    if (child + 1 < k && heap[child + 1] > heap[child]) ++child;
    if (heap[child] <= distance) break;
    heap[at] = heap[child];
  }
  heap[at] = distance;
}

/* Reads the distance that a new neighbour must be below, for each row and column. */
static void read_limits(search *s, const gg_cpu_position *position, limits *limit) {
  const int64_t k = s->plan->k;
  gg_lock_take(&s->lock);
  for (int64_t r = 0; r < position->rows; ++r)
    limit->row[r] = nextafter(s->heap[(position->row + r) * k], -INFINITY);
  for (int64_t c = 0; c < position->columns; ++c)
    limit->column[c] = nextafter(s->heap[(position->column + c) * k], -INFINITY);
  gg_lock_give(&s->lock);
  for (int64_t r = position->rows; r < GG_CPU_TILE; ++r)
    limit->row[r] = -INFINITY;
}

/* Gives distances of a column of a tile to both points. */
static void take_hits(search *s, const gg_cpu_position *position, int64_t column,
                      const double *value, const int32_t *rows, int64_t hits) {
  const int64_t j = position->column + column;
  gg_lock_take(&s->lock);
  for (int64_t h = 0; h < hits; ++h) {
    const int64_t i = position->row + rows[h];
    if (gg_is_missing(value[rows[h]], s->marked)) {
      gg_missing_pairs_add(s->missing, i, j);
    } else {
      offer_distance(s, i, value[rows[h]]);
      offer_distance(s, j, value[rows[h]]);
    }
  }
  gg_lock_give(&s->lock);
}

/* Offers the distances of a tile that are below the limits. */
static int32_t offer_tile(void *own, const gg_cpu_position *position, void *values) {
  search *s = own;
  limits limit;
  int32_t rows[GG_CPU_TILE];
  read_limits(s, position, &limit);
  for (int64_t c = 0; c < position->columns; ++c) {
    const double *value = (const double *)values + c * position->ld;
    const double most = s->marked ? NAN : limit.column[c]; /* where marked, all are looked at */
    const int64_t hits = s->kernels->select(value, position->diagonal ? c + 1 : 0, position->rows,
                                            most, limit.row, rows);
    if (hits > 0) take_hits(s, position, c, value, rows, hits);
  }
  return 0;
}

/* Computes all tiles, or reads them from the source. */
static gpugeo_status visit_tiles(search *s, double share, gg_call *call) {
  if (call->status) return call->status;
  const gg_cpu_sink sink = {.own = s, .share = share, .take = offer_tile};
  return gg_cpu_tiles(&s->plan->pairs->dist, &sink, call);
}

gpugeo_status gg_core_tiles(const gg_reach_plan *plan, gg_missing_pairs *missing, double share,
                            gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = plan->pairs->n, k = plan->k;
  search s = {.plan = plan,
              .kernels = gg_cpu_kernels_for(false),
              .marked = gg_marks_missing(plan->pairs),
              .heap = gg_allocate_large(n * k, sizeof *s.heap),
              .missing = missing};
  if (!s.heap) return GG_TRY(call, gg_fail_memory(call->error, n * k * (int64_t)sizeof *s.heap));
  for (int64_t i = 0; i < n * k; ++i)
    s.heap[i] = INFINITY;
  gg_lock_make(&s.lock);
  visit_tiles(&s, share, call);
  gg_lock_free(&s.lock);
  for (int64_t i = 0; i < n; ++i)
    plan->core[i] = s.heap[i * k];
  gg_free(s.heap);
  return call->status;
}
