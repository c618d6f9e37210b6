/* Single linkage: the minimum spanning tree of gpugeo_mst(), without a matrix. */
#include <float.h>
#include <math.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/working.h"
#include "common/cpu.h"
#include "common/parallel.h"
#include "distance/cpu/tiles.h"

/* A source that is read, and whether it has been seen to have a distance that is not finite. */
typedef struct reader {
  const gg_hclust_plan *plan;
  bool bad;
} reader;

/* True if all values are finite. */
static bool are_finite(const double *values, int64_t count) {
  double zero = 0;
#pragma omp simd reduction(+ : zero)
  for (int64_t i = 0; i < count; ++i)
    zero += values[i] * 0;
  return zero == 0;
}

/* Reads a tile and notes whether a distance is not finite. */
static gpugeo_status read_tile(void *own, const gpugeo_tile *tile, double *out, double done,
                               double share, gg_call *call) {
  if (call->status) return call->status;
  reader *r = own;
  gg_dist_source_tile(r->plan->source, tile, out, done, share, call);
  if (!call->status) r->bad = r->bad || !are_finite(out, tile->rows * tile->columns);
  return call->status;
}

/* A pass over all pairs. */
typedef struct search {
  bool marked; /* an infinite value is a missing one */
  gg_lock lock;
  gg_bad_distances *bad; /* under the lock */
} search;

/* Notes the distances of a tile that are not finite. */
static int32_t note_tile(void *own, const gg_cpu_position *position, void *values) {
  search *s = own;
  for (int64_t c = 0; c < position->columns; ++c) {
    const double *value = (const double *)values + c * position->ld;
    for (int64_t r = position->diagonal ? c + 1 : 0; r < position->rows; ++r) {
      if (isfinite(value[r])) continue;
      gg_lock_take(&s->lock);
      gg_bad_distances_add(s->bad, position->row + r, position->column + c,
                           s->marked ? NAN : value[r]);
      gg_lock_give(&s->lock);
    }
  }
  return 0;
}

/* Counts the distances that are missing or infinite, for errors. bad begins as {0}. */
static gpugeo_status find_bad_tiles(const gg_pairs *pairs, gg_bad_distances *bad, gg_call *call) {
  if (call->status) return call->status;
  search s = {.marked = gg_marks_missing(pairs), .bad = bad};
  const gg_cpu_sink sink = {.own = &s, .before = 1, .take = note_tile};
  gg_lock_make(&s.lock);
  gg_cpu_tiles(&pairs->dist, &sink, call);
  gg_lock_free(&s.lock);
  return call->status;
}

/* Fails if a distance is missing or infinite. */
static gpugeo_status check_distances(const gg_hclust_plan *plan, const gg_pairs *pairs,
                                     gg_call *call) {
  if (call->status) return call->status;
  gg_bad_distances bad = {0};
  find_bad_tiles(pairs, &bad, call);
  return call->status || bad.count == 0
             ? call->status
             : GG_TRY(call, gg_fail_distances(plan->name, &bad, call->error));
}

gpugeo_status gg_merge_single(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call) {
  if (call->status) return call->status;
  gg_pairs pairs = {.n = plan->n, .threads = plan->threads, .trees = plan->trees};
  reader own = {.plan = plan};
  if (plan->points) {
    pairs.dist = *plan->points;
    pairs.threads = plan->points->threads;
  } else {
    pairs.dist = gg_dist_plan_read(plan->n, plan->threads, (gg_tile_reader){read_tile, &own});
  }
  gg_mst_result found = {.missing.count = 0};
  gg_cpu_mst(&pairs, &found, call);
  if (!call->status && (plan->points ? !gg_tree_shows_finite(plan->source, &found) : own.bad))
    check_distances(plan, &pairs, call);
  for (int64_t k = 0; !call->status && k < plan->n - 1; ++k) {
    const gg_edge edge = found.tree.edge[k];
    merges[k] = (gg_merge){edge.i, edge.j, edge.distance};
  }
  gg_forest_free(&found.tree);
  return call->status;
}
