/* Single linkage: the minimum spanning tree of gpugeo_mst(), without a matrix. */
#include <float.h>
#include <math.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/working.h"
#include "common/cpu.h"

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

/* Fails if a distance is missing or infinite. */
static gpugeo_status check_distances(const gg_hclust_plan *plan, const gg_pairs *pairs,
                                     gg_call *call) {
  if (call->status) return call->status;
  gg_bad_distances bad = {0};
  gg_bad_tiles(pairs, &bad, call);
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
    pairs.read = read_tile;
    pairs.own = &own;
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
