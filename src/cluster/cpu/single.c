/*
 * Single linkage. Points take the minimum spanning tree of gpugeo_mst(), without a matrix;
 * condensed distances that of Prim's algorithm, which reads each distance once. Pairs of points are
 * in a total order, by distance, then by the first and the second point, so that there is one tree.
 */
#include <float.h>
#include <math.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/working.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

/* Points that are not in the tree yet, ascending, and of each the best edge to the tree. Points
   that have come into the tree since the list was made have `tree` IN_TREE and an infinite
   distance. */
typedef struct prim {
  const double *d;
  int64_t n, count;
  int32_t *point, *tree;
  double *distance;
  int32_t added;     /* the point that has just come into the tree */
  struct best *best; /* of each thread */
} prim;

enum { IN_TREE = -1 };

/* The best edge that a thread has found, and bad distances. */
typedef struct best {
  _Alignas(64) double distance;
  int64_t at; /* in the list; -1: none */
  gg_bad_distances bad;
} best;

/* True if edge (a, b) comes before edge (c, d) of the same length. */
static bool is_lower(int32_t a, int32_t b, int32_t c, int32_t d) {
  const int32_t low = a < b ? a : b, high = a < b ? b : a;
  const int32_t other_low = c < d ? c : d, other_high = c < d ? d : c;
  return low != other_low ? low < other_low : high < other_high;
}

/* True if the edge of the point at `at` comes before that of the point at `other`, -1: none. */
static bool is_better(const prim *p, int64_t at, const best *b) {
  if (b->at < 0 || p->distance[at] != b->distance)
    return b->at < 0 || p->distance[at] < b->distance;
  return is_lower(p->tree[at], p->point[at], p->tree[b->at], p->point[b->at]);
}

static void note_bad(const prim *p, int32_t point, double distance, gg_bad_distances *bad) {
  const int64_t i = point > p->added ? point : p->added, j = point > p->added ? p->added : point;
  gg_bad_distances_add(bad, i, j, distance);
}

/* Returns the distance between the point that was added and another one. */
static inline double distance_to(const prim *p, const double *later, int32_t v) {
  return v > p->added ? later[v] : p->d[gg_condensed_at(p->n, p->added, v)];
}

static void count_bad(const prim *p, const double *later, gg_range range, gg_bad_distances *bad) {
  for (int64_t k = range.first; k < range.last; ++k) {
    const double d = distance_to(p, later, p->point[k]);
    if (p->tree[k] != IN_TREE && !isfinite(d)) note_bad(p, p->point[k], d, bad);
  }
}

/* Takes an edge that is as short as the best one of its point, or shorter. */
static void take_edge(const prim *p, int64_t k, double d) {
  if (p->tree[k] == IN_TREE) return;
  if (d == p->distance[k] && !is_lower(p->added, p->point[k], p->tree[k], p->point[k])) return;
  p->distance[k] = d;
  p->tree[k] = p->added;
}

static void update_points(void *own, gg_range range) {
  const prim *p = own;
  best found = p->best[range.worker];
  const double *later = p->d + gg_condensed_at(p->n, p->added + 1, p->added) - p->added - 1;
  double least = INFINITY;
  int bad = 0;
  for (int64_t k = range.first; k < range.last; ++k) {
    const double d = distance_to(p, later, p->point[k]);
    bad |= !(fabs(d) <= DBL_MAX);
    if (d <= p->distance[k]) take_edge(p, k, d);
    least = p->distance[k] < least ? p->distance[k] : least;
  }
  if (bad) count_bad(p, later, range, &found.bad);
  for (int64_t k = range.first; k < range.last && least <= found.distance; ++k)
    if (p->distance[k] == least && p->tree[k] != IN_TREE && is_better(p, k, &found)) {
      found.distance = least;
      found.at = k;
    }
  p->best[range.worker] = found;
}

/* Removes points of the list that are in the tree. */
static void compact(prim *p) {
  int64_t kept = 0;
  for (int64_t k = 0; k < p->count; ++k) {
    if (p->tree[k] == IN_TREE) continue;
    p->point[kept] = p->point[k];
    p->tree[kept] = p->tree[k];
    p->distance[kept++] = p->distance[k];
  }
  p->count = kept;
}

/* Returns the list's point with the best edge. */
static int64_t join_best(const prim *p, int32_t threads) {
  best all = p->best[0];
  for (int32_t t = 1; t < threads; ++t)
    if (p->best[t].at >= 0 && is_better(p, p->best[t].at, &all)) all = p->best[t];
  return all.at;
}

static bool grow(prim *p, const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                 double done) {
  gg_loop loop = {.threads = plan->threads,
                  .grain = 8192, /* 50 us: half of the distances are misses of the cache */
                  .work = update_points,
                  .job = p};
  for (int64_t k = 0, in_list = 0; k < p->n - 1; ++k) {
    const double left = 1 - (double)k / (double)p->n;
    if (gg_clock_poll(clock, done + (1 - done) * (1 - left * left))) return false;
    for (int32_t t = 0; t < plan->threads; ++t) {
      p->best[t].distance = INFINITY;
      p->best[t].at = -1;
    }
    loop.count = p->count;
    gg_parallel_for(&loop);
    const int64_t at = join_best(p, plan->threads);
    if (at < 0) return true; /* of bad distances */
    const int32_t u = p->tree[at], v = p->point[at];
    merges[k] = (gg_merge){u < v ? u : v, u < v ? v : u, p->distance[at]};
    p->added = v;
    p->tree[at] = IN_TREE;
    p->distance[at] = INFINITY;
    if (++in_list > p->count / 8) {
      compact(p);
      in_list = 0;
    }
  }
  return true;
}

static gpugeo_status check_bad(const prim *p, const gg_hclust_plan *plan, gpugeo_error *error) {
  gg_bad_distances all = {0};
  for (int32_t t = 0; t < plan->threads; ++t)
    gg_bad_distances_join(&all, &p->best[t].bad);
  return all.count > 0 ? gg_fail_distances(plan->name, &all, error) : GPUGEO_OK;
}

static gpugeo_status grow_tree(const gg_hclust_plan *plan, const double *d, gg_merge *merges,
                               gg_clock *clock, double done, gpugeo_error *error) {
  const int64_t n = plan->n;
  prim p = {.d = d,
            .n = n,
            .count = n - 1,
            .point = gg_allocate(n, sizeof *p.point),
            .tree = gg_allocate(n, sizeof *p.tree),
            .distance = gg_allocate(n, sizeof *p.distance),
            .best = gg_allocate_zeros(plan->threads, sizeof *p.best)};
  gpugeo_status status = GPUGEO_OK;
  if (p.point && p.tree && p.distance && p.best) {
    for (int64_t i = 1; i < n; ++i) {
      p.point[i - 1] = (int32_t)i;
      p.tree[i - 1] = 0;
      p.distance[i - 1] = INFINITY;
    }
    if (!grow(&p, plan, merges, clock, done)) status = gg_fail_interrupt(error);
    if (!status) status = check_bad(&p, plan, error);
  } else {
    status = gg_fail_memory(error, n * 16 + plan->threads * (int64_t)sizeof *p.best);
  }
  gg_free(p.point);
  gg_free(p.tree);
  gg_free(p.distance);
  gg_free(p.best);
  return status;
}

/* --- Points ----------------------------------------------------------------------------------- */

/* True if no distance is infinite, because a way along the tree between any two points is shorter
   than what overflows. */
static bool is_surely_finite(const gg_mst_result *found) {
  const gg_forest *tree = &found->tree;
  return found->missing.count == 0 && fabs(tree->edge[tree->count - 1].distance) < 0x1p100;
}

/* Fails if a distance is missing or infinite. */
static gpugeo_status check_points(const gg_hclust_plan *plan, const gg_pairs *pairs,
                                  gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  gg_bad_distances bad = {0};
  gpugeo_status status = gg_bad_tiles(pairs, &bad, clock, report, error);
  return status || bad.count == 0 ? status : gg_fail_distances(plan->name, &bad, error);
}

/* Finds the tree of points that have coordinates, without a matrix. */
static gpugeo_status merge_points(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                                  gpugeo_report *report, gpugeo_error *error) {
  const gg_pairs pairs = {
      .n = plan->n, .threads = plan->points->threads, .dist = *plan->points, .trees = plan->trees};
  gg_mst_result found = {.missing.count = 0};
  gpugeo_status status = gg_cpu_mst(&pairs, &found, clock, report, error);
  if (!status && !is_surely_finite(&found))
    status = check_points(plan, &pairs, clock, report, error);
  for (int64_t k = 0; !status && k < plan->n - 1; ++k) {
    const gg_edge edge = found.tree.edge[k];
    merges[k] = (gg_merge){edge.i, edge.j, edge.distance};
  }
  gg_forest_free(&found.tree);
  return status;
}

gpugeo_status gg_merge_single(const gg_hclust_plan *plan, gg_merge *merges, gg_clock *clock,
                              gpugeo_report *report, gpugeo_error *error) {
  if (plan->points) return merge_points(plan, merges, clock, report, error);
  if (plan->source->condensed)
    return grow_tree(plan, plan->source->condensed, merges, clock, 0, error);
  const int64_t count = plan->n * (plan->n - 1) / 2;
  const double share = 0.5; /* of the distances in the call's time */
  double *d = gg_allocate_large(count, sizeof *d);
  if (!d) return gg_fail_memory(error, count * (int64_t)sizeof *d);
  gpugeo_status status = gg_dist_source_condensed(plan->source, d, clock, 0, share, report, error);
  if (!status) status = grow_tree(plan, d, merges, clock, share, error);
  gg_free(d);
  return status;
}
