/* Points with a coordinate that is not finite, which are in no k-d tree: their distances to all
   points are computed, and those that may be edges are added to the tree of the others. */
#include "cluster/cpu/mst_odd.h"

#include <math.h>

#include "common/error.h"

/* A panel of odd points and another one. */
typedef struct panels {
  const double *a, *b;
  const int32_t *a_index, *b_index;
  int64_t a_count, b_count;
} panels;

/* Adds an edge to the forest, which marks the search as full without memory. */
static void add_edge(gg_mst_search *s, gg_edge edge) {
  gg_lock_take(&s->lock);
  if (!s->full) s->full = !gg_forest_add(s->forest, edge);
  gg_lock_give(&s->lock);
}

/* Looks at one pair. First, the nearest point of the tree limits the edges of an odd point: from
   there all other points are reached by edges within their limits. */
static void look_at_pair(gg_mst_worker *w, int query, int32_t a, int32_t b, double distance,
                         bool odd) {
  gg_mst_search *s = w->search;
  const double *limit = s->forest->limit;
  if (isnan(distance)) {
    if (!s->adds) gg_missing_pairs_add(&w->missing, a, b);
  } else if (s->adds) {
    if (distance <= limit[a] || distance <= limit[b]) add_edge(s, gg_edge_between(distance, a, b));
  } else if (!odd) {
    const double reach = distance > limit[b] ? distance : limit[b];
    if (reach < w->found[query]) w->found[query] = reach;
  }
}

/* Computes the distances between two panels and offers them as edges. */
static void compare_panels(gg_mst_worker *w, const panels *p, bool odd) {
  const gg_dist_plan *plan = w->search->dist;
  const gg_cpu_tile tile = {.a = p->a,
                            .b = p->b,
                            .weight = w->search->weight,
                            .m = plan->m,
                            .rows = GG_KD_LEAF,
                            .columns = GG_KD_LEAF,
                            .p = plan->p,
                            .finish = plan->finish,
                            .out = w->values};
  w->search->kernels->tile[plan->step](&tile);
  for (int64_t j = 0; j < p->b_count; ++j)
    for (int64_t i = 0; i < p->a_count; ++i)
      if (!odd || p->a_index[i] < p->b_index[j])
        look_at_pair(w, (int)i, p->a_index[i], p->b_index[j], w->values[j * GG_KD_LEAF + i], odd);
}

/* Compares a panel of odd points with all points of the tree, and with the odd ones. */
static void compare_odd(gg_mst_worker *w, int64_t panel) {
  gg_mst_search *s = w->search;
  const gg_kd_tree *tree = &s->tree;
  const int64_t size = tree->m * GG_KD_LEAF;
  const int64_t rest = tree->odd - panel * GG_KD_LEAF;
  panels p = {.a = tree->odd_panel + panel * size,
              .a_index = tree->odd_index + panel * GG_KD_LEAF,
              .a_count = rest < GG_KD_LEAF ? rest : GG_KD_LEAF};
  for (int q = 0; q < GG_KD_LEAF; ++q)
    w->found[q] = INFINITY;
  for (int64_t leaf = 0; leaf < tree->leaves && !gg_clock_poll(s->call->clock, 0); ++leaf) {
    p.b = tree->panel + leaf * size;
    p.b_index = tree->index + leaf * GG_KD_LEAF;
    p.b_count = gg_kd_leaf_size(tree, leaf);
    compare_panels(w, &p, false);
  }
  for (int64_t other = 0; other < tree->odd_panels && !gg_clock_poll(s->call->clock, 0); ++other) {
    p.b = tree->odd_panel + other * size;
    p.b_index = tree->odd_index + other * GG_KD_LEAF;
    p.b_count =
        tree->odd - other * GG_KD_LEAF < GG_KD_LEAF ? tree->odd - other * GG_KD_LEAF : GG_KD_LEAF;
    compare_panels(w, &p, true);
  }
  for (int64_t q = 0; q < p.a_count && !s->adds; ++q)
    s->forest->limit[p.a_index[q]] = w->found[q];
}

/* Compares a range of panels of points that are in no tree with all others; the loop's work. */
static void compare_odd_panels(void *job, gg_range range) {
  const gg_mst_search *s = job;
  for (int64_t panel = range.first; panel < range.last && !gg_clock_stopped(s->call->clock);
       ++panel)
    compare_odd(&s->workers[range.worker], panel);
}

gpugeo_status gg_mst_join_odd(gg_mst_search *s, gg_missing_pairs *missing) {
  gg_call *call = s->call;
  const gg_loop loop = {.threads = s->dist->threads,
                        .count = s->tree.odd_panels,
                        .grain = 1,
                        .work = compare_odd_panels,
                        .job = s,
                        .begun = 1};
  gg_forest_reduce(s->forest, call);
  for (int pass = 0; pass < 2 && !call->status; ++pass) {
    s->adds = pass == 1;
    gg_call_loop(call, loop);
  }
  for (int32_t t = 0; t < s->dist->threads; ++t)
    gg_missing_pairs_join(missing, &s->workers[t].missing);
  if (s->full)
    GG_TRY(call, gg_fail_memory(call->error, 2 * s->forest->room * (int64_t)sizeof(gg_edge)));
  return missing->count > 0 ? call->status : gg_forest_reduce(s->forest, call);
}
