/*
 * Clusters by density on the CPU. All pairs within eps are visited twice and never stored: first to
 * count the neighbours of each point, then to join core points. Only the core points near each
 * border point, which has fewer than min_points neighbours, are kept until the clusters are known.
 *
 * Limited by the visits. Joining takes a few accesses to memory for each pair of core points.
 */
#include <math.h>
#include <string.h>

#include "cluster/dbscan.h"
#include "common/atomic.h"
#include "common/cpu.h"
#include "common/error.h"
#include "common/memory.h"
#include "distance/cpu/near.h"

typedef struct search {
  const gg_dbscan_plan *plan;
  int32_t *count;  /* of each point: its neighbours; then where the next core point near it goes */
  int64_t *sum;    /* of each point: the weights of its neighbours; NULL without weights */
  int32_t *parent; /* of core points: one with a smaller index in the same cluster, or itself */
  int64_t *start;  /* n + 1: of the core points near each border point, */
  int32_t *near;   /* in any order */
  bool joins;      /* in the second pass */
} search;

/* --- Joining core points ---------------------------------------------------------------------- */

/* Returns the first point of a tree. Other threads may join trees at the same time. */
static int32_t find_root(int32_t *parent, int32_t point) {
  for (;;) {
    int32_t up = gg_atomic_load(&parent[point]);
    const int32_t next = gg_atomic_load(&parent[up]);
    if (up == next) return up;
    gg_atomic_replace(&parent[point], &up, next);
    point = next;
  }
}

/* Joins the trees of two points. The smaller root remains one, so the roots do not depend on
   the order. */
static void join_trees(int32_t *parent, int32_t a, int32_t b) {
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    const int32_t small = a < b ? a : b, large = a < b ? b : a;
    int32_t expected = large;
    if (gg_atomic_replace(&parent[large], &expected, small)) return;
  }
}

/* Counts a neighbour of the point, or joins the clusters of two core points. */
static void visit_pair(void *own, int64_t point, int64_t neighbor) {
  search *s = own;
  const int32_t *core = s->plan->core;
  if (!s->joins) {
    gg_atomic_add(&s->count[point], 1);
    if (s->sum) gg_atomic_add(&s->sum[point], s->plan->weight[neighbor]);
  } else if (core[neighbor]) {
    if (point < neighbor && core[point])
      join_trees(s->parent, (int32_t)point, (int32_t)neighbor);
    else if (!core[point] && s->start)
      s->near[s->start[point] + gg_atomic_add(&s->count[point], 1)] = (int32_t)neighbor;
  }
}

/* --- Between the passes ----------------------------------------------------------------------- */

/* Makes room for the core points near border points, which the neighbours are at most. */
static gpugeo_status make_room(search *s, gg_call *call) {
  const gg_dbscan_plan *plan = s->plan;
  const int64_t n = plan->pairs->n;
  s->start = gg_call_allocate(call, n + 1, sizeof *s->start);
  if (!s->start) return call->status;
  s->start[0] = 0;
  for (int64_t i = 0; i < n; ++i)
    s->start[i + 1] = s->start[i] + (plan->core[i] ? 0 : s->count[i]);
  GG_TRY(call, gg_check_memory(4 * (double)s->start[n], "", call->error,
                               "the neighbours of %lld points need", (long long)n));
  s->near = gg_call_allocate(call, s->start[n], sizeof *s->near);
  memset(s->count, 0, (size_t)n * sizeof *s->count);
  return call->status;
}

/* True if a point has enough neighbours, itself included. */
static bool is_core(const search *s, int64_t point) {
  const gg_dbscan_plan *plan = s->plan;
  if (s->sum) return s->sum[point] + plan->weight[point] >= plan->least_weight;
  return (int64_t)s->count[point] + 1 >= plan->min_points;
}

/* Finds the core points after the first pass. */
static gpugeo_status find_core(search *s, gg_call *call) {
  const gg_dbscan_plan *plan = s->plan;
  for (int64_t i = 0; i < plan->pairs->n; ++i) {
    if (gg_clock_poll_loop(call->clock, i)) return gg_call_require(call, false);
    plan->core[i] = is_core(s, i);
    s->parent[i] = (int32_t)i;
  }
  s->joins = true;
  return plan->border ? make_room(s, call) : GPUGEO_OK;
}

/* Gives border points the first of the clusters of the core points near them. Returns false if the
   call must stop. */
static bool take_border(const search *s, gg_clock *clock) {
  const gg_dbscan_plan *plan = s->plan;
  int64_t step = 0;
  for (int64_t i = 0; i < plan->pairs->n; ++i)
    for (int64_t e = 0; !plan->core[i] && e < s->count[i]; ++e) {
      if (gg_clock_poll_loop(clock, step++)) return false;
      const int32_t cluster = plan->cluster[s->near[s->start[i] + e]];
      if (plan->cluster[i] == 0 || cluster < plan->cluster[i]) plan->cluster[i] = cluster;
    }
  return true;
}

/* Numbers the clusters after the second pass: roots are first points. Returns false if the call
   must stop. */
static bool number_clusters(const search *s, gg_clock *clock) {
  const gg_dbscan_plan *plan = s->plan;
  int32_t clusters = 0;
  for (int64_t i = 0; i < plan->pairs->n; ++i) {
    if (gg_clock_poll_loop(clock, i)) return false;
    plan->cluster[i] = 0;
    if (!plan->core[i]) continue;
    const int32_t root = find_root(s->parent, (int32_t)i);
    plan->cluster[i] = root == i ? ++clusters : plan->cluster[root];
  }
  return !s->start || take_border(s, clock);
}

/* Ends a pass: finds core points after the first, numbers the clusters after the second. */
static gpugeo_status end_pass(void *own, gg_call *call) {
  search *s = own;
  if (call->status) return call->status;
  return s->joins ? gg_call_require(call, number_clusters(s, call->clock)) : find_core(s, call);
}

/* --- The search ------------------------------------------------------------------------------- */

/* Allocates what a search needs and visits all near pairs, in two passes. */
static gpugeo_status visit_near_pairs(search *s, gg_call *call) {
  const gg_dbscan_plan *plan = s->plan;
  const int64_t n = plan->pairs->n;
  s->count = gg_allocate_zeros(n, sizeof *s->count);
  s->parent = gg_allocate(n, sizeof *s->parent);
  s->sum = plan->weight ? gg_allocate_zeros(n, sizeof *s->sum) : NULL;
  if (!s->count || !s->parent || (plan->weight && !s->sum))
    return call->status =
               gg_fail_memory(call->error, 2 * n * (int64_t)(sizeof *s->count + sizeof *s->sum));
  const gg_radius_plan radius = {plan->pairs->dist, plan->pairs->trees, plan->eps};
  const gg_near_visitor visitor = {s, 2, visit_pair, end_pass};
  return gg_cpu_visit_near(&radius, &visitor, call);
}

gpugeo_status gg_cpu_dbscan(const gg_dbscan_plan *plan, gg_call *call) {
  if (call->status) return call->status;
  search s = {.plan = plan};
  visit_near_pairs(&s, call);
  gg_free(s.count);
  gg_free(s.sum);
  gg_free(s.parent);
  gg_free(s.start);
  gg_free(s.near);
  return call->status;
}
