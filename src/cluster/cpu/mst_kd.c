/*
 * Minimum spanning trees by a k-d tree (Boruvka): each component's first edge to another one is
 * found in rounds, until there is one component.
 *
 * Each point has a bound: no point of another component is nearer. It begins with the list of the
 * LIST nearest points, which in most points holds the edges of several rounds. When it is used up,
 * the point is searched again, but only if its bound is not beyond the best edge of its component
 * so far. Such a search leaves out nodes of the tree whose points are all of the query's component.
 * Which searches there are depends on the threads, the edges do not.
 *
 * Points with a coordinate that is not finite are in no tree: their edges to all others are added
 * to those of the tree, and the forest of both is reduced.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cpu/mst.h"
#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "dist/cpu/kd_neighbors.h"
#include "dist/cpu/tiles.h"

enum {
  LIST = 4
}; /* neighbours of a list; measured with 10^6 points in two and in three dimensions */

/* What a thread has for its present group. */
typedef struct worker {
  gg_kd_group group;
  struct search *search;
  int64_t leaf;
  gg_kd_list list[GG_KD_LEAF];
  double found[GG_KD_LEAF];        /* of each query: the nearest point of another component, */
  int32_t found_index[GG_KD_LEAF]; /* or -1 */
  double values[GG_KD_LEAF * GG_KD_LEAF]; /* of a panel of odd points and another panel */
  gg_missing_pairs missing;
} worker;

typedef struct search {
  const gg_dist_plan *dist;
  gg_tree_use trees;
  gg_kd_tree tree;
  gg_kd_search *search;
  const gg_cpu_kernels *kernels;
  const gg_kd_kernels *kd_kernels;
  gg_sum_finish sum_finish;
  double *weight;
  worker *workers;
  int32_t *position; /* of each point in the tree */

  /* Of each position: */
  double *component;
  double *list_distance;  /* LIST for each: the nearest points, */
  int32_t *list_position; /* where they are in the tree */
  uint8_t *list_next;     /* those before it are of the same component */
  double *bound;          /* no point of another component is nearer, */
  int32_t *nearest;       /* and this one is as near, or -1 */

  /* Of each level's nodes: the component of all their points, or -1. */
  double *uniform[GG_KD_LEVELS];

  /* Of each component: */
  int64_t components;
  double *best;           /* the distance of its first edge so far */
  int32_t *best_position; /* the position with that edge, or -1 */
  int32_t *next;          /* the component to which it leads; then the new component */

  gg_forest *forest;
  gg_lock lock; /* of the forest, while the edges of odd points are added */
  bool full;    /* there was no memory for an edge */
  bool adds;    /* odd points have their limits, and edges are added */
  gg_clock *clock;
} search;

/* --- Lists of the nearest --------------------------------------------------------------------- */

static void lower_limit(gg_kd_group *group, int query, double distance, int32_t index) {
  group->furthest_index[query] = index;
  if (distance == group->furthest[query]) return;
  group->furthest[query] = distance;
  group->limit[query] = gg_sum_limit(group->sum_finish, group->p, distance);
}

static void take_listed(gg_kd_group *group, int query, int count, const double *distance,
                        const int32_t *index) {
  worker *w = group->own_job;
  gg_kd_list *list = &w->list[query];
  for (int i = 0; i < count; ++i) {
    list->distance[list->count + i] = distance[i];
    list->index[list->count + i] = index[i];
  }
  w->search->kd_kernels->rank(list, LIST, count);
  if (list->count == LIST)
    lower_limit(group, query, list->distance[LIST - 1], (int32_t)list->index[LIST - 1]);
}

static bool stopped(gg_kd_group *group) {
  const worker *w = group->own_job;
  return gg_clock_poll(w->search->clock, 0);
}

/* Begins a group of a leaf, of which no query searches yet. */
static void start_group(worker *w, int64_t leaf) {
  const gg_kd_tree *tree = &w->search->tree;
  gg_kd_group *group = &w->group;
  group->panel = tree->panel + leaf * tree->m * GG_KD_LEAF;
  group->box = gg_kd_box(&tree->level[0], leaf, tree->m);
  group->own = leaf;
  w->leaf = leaf;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    group->limit[q] = -1;
    group->furthest[q] = INFINITY;
    group->furthest_index[q] = INT32_MAX;
    w->list[q].count = 0;
    w->found[q] = INFINITY;
    w->found_index[q] = -1;
  }
}

static void list_leaf(worker *w, int64_t leaf) {
  const search *s = w->search;
  const int count = (int)gg_kd_leaf_size(&s->tree, leaf);
  start_group(w, leaf);
  for (int q = 0; q < count; ++q)
    w->group.limit[q] = INFINITY;
  s->search(&w->group);
  for (int q = 0; q < count; ++q) {
    const gg_kd_list *list = &w->list[q];
    const int64_t at = leaf * GG_KD_LEAF + q;
    for (int64_t r = 0; r < list->count; ++r) {
      s->list_distance[at * LIST + r] = list->distance[r];
      s->list_position[at * LIST + r] = s->position[(int32_t)list->index[r]];
    }
    for (int64_t r = list->count; r < LIST; ++r) { /* there are no more points */
      s->list_distance[at * LIST + r] = INFINITY;
      s->list_position[at * LIST + r] = (int32_t)at;
    }
  }
}

static void list_leaves(void *job, gg_range leaves) {
  const search *s = job;
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->clock); ++leaf)
    list_leaf(&s->workers[leaves.worker], leaf);
}

/* --- A round: the first edge of each component ------------------------------------------------ */

/* Lowers a component's best distance. */
static void lower_best(const search *s, int64_t component, double distance) {
  double *best = &s->best[component];
  double known = gg_atomic_load_double(best);
  while (distance < known && !gg_atomic_replace_double(best, &known, distance))
    ;
}

/* Finds the nearest point of another component in the list of a position. */
static void read_list(const search *s, int64_t at) {
  const double own = s->component[at];
  int next = s->list_next[at];
  while (next < LIST && s->component[s->list_position[at * LIST + next]] == own)
    ++next;
  s->list_next[at] = (uint8_t)next;
  s->nearest[at] = next < LIST ? s->list_position[at * LIST + next] : -1;
  const double bound = s->list_distance[at * LIST + (next < LIST ? next : LIST - 1)];
  if (bound > s->bound[at]) s->bound[at] = bound;
}

static void refresh_position(const search *s, int64_t at) {
  const double own = s->component[at];
  if (s->nearest[at] >= 0 && s->component[s->nearest[at]] == own) {
    s->nearest[at] = -1;
    if (s->list_next[at] < LIST) read_list(s, at);
  }
  if (s->nearest[at] >= 0 && s->bound[at] < gg_atomic_load_double(&s->best[(int64_t)own]))
    lower_best(s, (int64_t)own, s->bound[at]);
}

static void refresh_positions(void *job, gg_range leaves) {
  const search *s = job;
  const int64_t end = leaves.last * GG_KD_LEAF;
  for (int64_t at = leaves.first * GG_KD_LEAF; at < end && at < s->tree.n; ++at)
    refresh_position(s, at);
}

/* Lowers the limits of a group's queries of a component to its best distance. */
static void share_best(gg_kd_group *group, double component, double best) {
  for (int q = 0; q < GG_KD_LEAF; ++q)
    if (group->limit[q] >= 0 && group->components[q] == component && best < group->furthest[q])
      lower_limit(group, q, best, INT32_MAX);
}

static void take_foreign(gg_kd_group *group, int query, int count, const double *distance,
                         const int32_t *index) {
  worker *w = group->own_job;
  const search *s = w->search;
  const double before = w->found[query];
  for (int i = 0; i < count; ++i) {
    const bool is_nearer =
        distance[i] < w->found[query] ||
        (distance[i] == w->found[query] && (uint32_t)index[i] < (uint32_t)w->found_index[query]);
    if (!is_nearer) continue;
    w->found[query] = distance[i];
    w->found_index[query] = index[i];
  }
  if (w->found_index[query] >= 0 && w->found[query] <= group->furthest[query])
    lower_limit(group, query, w->found[query], w->found_index[query]);
  if (w->found[query] == before) return;
  const double component = group->components[query];
  lower_best(s, (int64_t)component, w->found[query]);
  share_best(group, component, gg_atomic_load_double(&s->best[(int64_t)component]));
}

/* Has the queries of a leaf search that have no edge and may have one as good as the best. Returns
   whether there are any. */
static bool choose_queries(worker *w, int64_t leaf) {
  const search *s = w->search;
  gg_kd_group *group = &w->group;
  const int count = (int)gg_kd_leaf_size(&s->tree, leaf);
  bool any = false;
  for (int q = 0; q < count; ++q) {
    const int64_t at = leaf * GG_KD_LEAF + q;
    if (s->nearest[at] >= 0) continue;
    const double own = s->component[at], best = gg_atomic_load_double(&s->best[(int64_t)own]);
    if (s->bound[at] > best) continue;
    if (!any) start_group(w, leaf);
    group->components[q] = own;
    group->limit[q] = INFINITY;
    lower_limit(group, q, best, INT32_MAX);
    group->own_component = !any || group->own_component == own ? own : -2;
    any = true;
  }
  return any;
}

/* Keeps what the queries of a leaf have found. */
static void end_group(const worker *w) {
  const search *s = w->search;
  const gg_kd_group *group = &w->group;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    if (group->limit[q] < 0) continue;
    const int64_t at = w->leaf * GG_KD_LEAF + q;
    const bool is_nearest = w->found_index[q] >= 0 && w->found[q] <= group->furthest[q];
    const double bound = is_nearest ? w->found[q] : nextafter(group->furthest[q], INFINITY);
    if (is_nearest) s->nearest[at] = s->position[w->found_index[q]];
    if (bound > s->bound[at]) s->bound[at] = bound;
  }
}

static void search_leaves(void *job, gg_range leaves) {
  const search *s = job;
  worker *w = &s->workers[leaves.worker];
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->clock); ++leaf) {
    if (!choose_queries(w, leaf)) continue;
    s->search(&w->group);
    end_group(w);
  }
}

/* Returns the edge of a position to the nearest point of another component. */
static gg_edge edge_at(const search *s, int64_t at) {
  return gg_edge_between(s->bound[at], s->tree.index[at], s->tree.index[s->nearest[at]]);
}

/* Offers each position's edge to its component. */
static void offer_edges(void *job, gg_range leaves) {
  const search *s = job;
  const int64_t end = leaves.last * GG_KD_LEAF;
  for (int64_t at = leaves.first * GG_KD_LEAF; at < end && at < s->tree.n; ++at) {
    const int64_t own = (int64_t)s->component[at];
    if (s->nearest[at] < 0 || s->bound[at] > s->best[own]) continue;
    int32_t known = gg_atomic_load(&s->best_position[own]);
    while (known < 0 || gg_edge_before(edge_at(s, at), edge_at(s, known)))
      if (gg_atomic_replace(&s->best_position[own], &known, (int32_t)at)) break;
  }
}

static bool run_leaves(const search *s, int64_t grain, void (*work)(void *, gg_range),
                       double begun) {
  return gg_parallel_for(&(gg_loop){.threads = s->dist->threads,
                                    .count = s->tree.leaves,
                                    .grain = grain,
                                    .work = work,
                                    .job = (void *)s,
                                    .clock = s->clock,
                                    .begun = begun});
}

/* Finds the first edge of each component. Returns false if the call was stopped. */
static bool find_edges(const search *s, double begun) {
  for (int64_t c = 0; c < s->components; ++c) {
    s->best[c] = INFINITY;
    s->best_position[c] = -1;
  }
  return run_leaves(s, 256, refresh_positions, begun) && run_leaves(s, 16, search_leaves, begun) &&
         run_leaves(s, 256, offer_edges, begun);
}

/* --- A round: components are joined ----------------------------------------------------------- */

/* Leads each component along its edge. Of two that lead to each other the first leads to itself.
   There are no longer circles, since no two edges are equal. */
static void lead(const search *s) {
  for (int64_t c = 0; c < s->components; ++c) {
    const int32_t at = s->best_position[c];
    s->next[c] = (int32_t)s->component[s->nearest[at]];
  }
  for (int64_t c = 0; c < s->components; ++c)
    if (s->next[c] > c && s->next[s->next[c]] == c) s->next[c] = (int32_t)c;
}

/* Adds the edges of all components that lead to another one. */
static void add_edges(const search *s) {
  for (int64_t c = 0; c < s->components; ++c)
    if (s->next[c] != c) s->forest->edge[s->forest->count++] = edge_at(s, s->best_position[c]);
}

/* Numbers the components that lead to themselves from 0 on, and replaces next of all others by the
   number of that to which they lead in the end. */
static void renumber(search *s) {
  int32_t *next = s->next;
  for (int64_t c = 0; c < s->components; ++c) {
    int32_t last = (int32_t)c;
    while (next[last] != last)
      last = next[last];
    for (int32_t at = (int32_t)c, after; (after = next[at]) != last; at = after)
      next[at] = last;
  }
  int64_t count = 0;
  for (int64_t c = 0; c < s->components; ++c)
    s->best_position[c] = next[c] == c ? (int32_t)count++ : -1;
  for (int64_t c = 0; c < s->components; ++c)
    next[c] = s->best_position[next[c]];
  s->components = count;
}

static void label_leaves(void *job, gg_range leaves) {
  const search *s = job;
  for (int64_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
    const int64_t first = leaf * GG_KD_LEAF, end = first + gg_kd_leaf_size(&s->tree, leaf);
    double uniform = 0;
    for (int64_t at = first; at < end; ++at) {
      s->component[at] = s->next[(int64_t)s->component[at]];
      uniform = at == first || s->component[at] == uniform ? s->component[at] : -1;
    }
    s->uniform[0][leaf] = uniform;
  }
}

/* Sets the components of all positions and nodes. */
static void label(const search *s) {
  run_leaves(s, 512, label_leaves, 0);
  for (int l = 1; l < s->tree.levels; ++l) {
    const int64_t below = s->tree.level[l - 1].count;
    for (int64_t node = 0; node < s->tree.level[l].count; ++node) {
      const int64_t first = node * GG_KD_NODES, rest = below - first;
      double uniform = s->uniform[l - 1][first];
      for (int64_t child = 1; child < GG_KD_NODES && child < rest; ++child)
        if (s->uniform[l - 1][first + child] != uniform) uniform = -1;
      s->uniform[l][node] = uniform;
    }
  }
}

/* Finds the tree of the points in the k-d tree. Returns false if the call was stopped. */
static bool join_all(search *s) {
  const double all = log((double)s->tree.n);
  while (s->components > 1) {
    if (!find_edges(s, 1 - 0.5 * log((double)s->components) / all)) return false;
    lead(s);
    add_edges(s);
    renumber(s);
    label(s);
  }
  return true;
}

/* --- Points with a coordinate that is not finite ---------------------------------------------- */

/* A panel of odd points and another one. */
typedef struct panels {
  const double *a, *b;
  const int32_t *a_index, *b_index;
  int64_t a_count, b_count;
} panels;

static void add_edge(search *s, gg_edge edge) {
  gg_lock_take(&s->lock);
  if (!s->full) s->full = !gg_forest_add(s->forest, edge);
  gg_lock_give(&s->lock);
}

/* Looks at one pair. First, the nearest point of the tree limits the edges of an odd point: from
   there all other points are reached by edges within their limits. */
static void look_at_pair(worker *w, int query, int32_t a, int32_t b, double distance, bool odd) {
  search *s = w->search;
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

static void compare_panels(worker *w, const panels *p, bool odd) {
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
static void compare_odd(worker *w, int64_t panel) {
  search *s = w->search;
  const gg_kd_tree *tree = &s->tree;
  const int64_t size = tree->m * GG_KD_LEAF;
  const int64_t rest = tree->odd - panel * GG_KD_LEAF;
  panels p = {.a = tree->odd_panel + panel * size,
              .a_index = tree->odd_index + panel * GG_KD_LEAF,
              .a_count = rest < GG_KD_LEAF ? rest : GG_KD_LEAF};
  for (int q = 0; q < GG_KD_LEAF; ++q)
    w->found[q] = INFINITY;
  for (int64_t leaf = 0; leaf < tree->leaves && !gg_clock_poll(s->clock, 0); ++leaf) {
    p.b = tree->panel + leaf * size;
    p.b_index = tree->index + leaf * GG_KD_LEAF;
    p.b_count = gg_kd_leaf_size(tree, leaf);
    compare_panels(w, &p, false);
  }
  for (int64_t other = 0; other < tree->odd_panels && !gg_clock_poll(s->clock, 0); ++other) {
    p.b = tree->odd_panel + other * size;
    p.b_index = tree->odd_index + other * GG_KD_LEAF;
    p.b_count =
        tree->odd - other * GG_KD_LEAF < GG_KD_LEAF ? tree->odd - other * GG_KD_LEAF : GG_KD_LEAF;
    compare_panels(w, &p, true);
  }
  for (int64_t q = 0; q < p.a_count && !s->adds; ++q)
    s->forest->limit[p.a_index[q]] = w->found[q];
}

static void compare_odd_panels(void *job, gg_range range) {
  const search *s = job;
  for (int64_t panel = range.first; panel < range.last && !gg_clock_stopped(s->clock); ++panel)
    compare_odd(&s->workers[range.worker], panel);
}

/* Adds the edges of odd points that may be in the tree. Counts pairs without a distance. */
static gpugeo_status join_odd(search *s, gg_missing_pairs *missing, gpugeo_error *error) {
  gpugeo_status status = gg_forest_reduce(s->forest, error);
  const gg_loop loop = {.threads = s->dist->threads,
                        .count = s->tree.odd_panels,
                        .grain = 1,
                        .work = compare_odd_panels,
                        .job = s,
                        .clock = s->clock,
                        .begun = 1};
  for (int pass = 0; pass < 2 && !status; ++pass) {
    s->adds = pass == 1;
    if (!gg_parallel_for(&loop)) return gg_fail_interrupt(error);
  }
  for (int32_t t = 0; t < s->dist->threads; ++t)
    gg_missing_pairs_join(missing, &s->workers[t].missing);
  if (s->full) return gg_fail_memory(error, 2 * s->forest->room * (int64_t)sizeof(gg_edge));
  return status || missing->count > 0 ? status : gg_forest_reduce(s->forest, error);
}

/* --- A search --------------------------------------------------------------------------------- */

static gpugeo_status make_workers(search *s, gpugeo_error *error) {
  const gg_dist_plan *plan = s->dist;
  s->workers = gg_allocate(plan->threads, sizeof *s->workers);
  if (!s->workers) return gg_fail_memory(error, plan->threads * (int64_t)sizeof *s->workers);
  memset(s->workers, 0, (size_t)plan->threads * sizeof *s->workers);
  for (int32_t t = 0; t < plan->threads; ++t) {
    worker *w = &s->workers[t];
    w->search = s;
    w->group = (gg_kd_group){.tree = &s->tree,
                             .weight = s->weight,
                             .p = plan->p,
                             .finish = plan->finish,
                             .sum_finish = s->sum_finish,
                             .take = take_listed,
                             .stopped = stopped,
                             .own_job = w};
  }
  return GPUGEO_OK;
}

static bool make_arrays(search *s) {
  const int64_t n = s->tree.leaves * GG_KD_LEAF;
  s->position = gg_allocate(s->dist->nx, sizeof *s->position);
  s->component = gg_allocate(n, sizeof *s->component);
  s->list_distance = gg_allocate_large(n * LIST, sizeof *s->list_distance);
  s->list_position = gg_allocate_large(n * LIST, sizeof *s->list_position);
  s->list_next = gg_allocate_zeros(n, sizeof *s->list_next);
  s->bound = gg_allocate_zeros(n, sizeof *s->bound);
  s->nearest = gg_allocate(n, sizeof *s->nearest);
  s->best = gg_allocate(n, sizeof *s->best);
  s->best_position = gg_allocate(n, sizeof *s->best_position);
  s->next = gg_allocate(n, sizeof *s->next);
  for (int l = 0; l < s->tree.levels; ++l) {
    s->uniform[l] = gg_allocate(s->tree.level[l].count, sizeof *s->uniform[l]);
    if (!s->uniform[l]) return false;
    for (int64_t node = 0; node < s->tree.level[l].count; ++node)
      s->uniform[l][node] = -1;
  }
  return s->position && s->component && s->list_distance && s->list_position && s->list_next &&
         s->bound && s->nearest && s->best && s->best_position && s->next;
}

/* Makes each point a component; nothing is known of its nearest ones. */
static void start_components(search *s) {
  s->components = s->tree.n;
  for (int64_t at = 0; at < s->tree.leaves * GG_KD_LEAF; ++at) {
    s->component[at] = (double)at;
    s->nearest[at] = (int32_t)at; /* which is no other component */
    if (at < s->tree.n) s->position[s->tree.index[at]] = (int32_t)at;
  }
}

static gpugeo_status start_search(search *s, gpugeo_error *error) {
  const gg_dist_plan *plan = s->dist;
  const gg_step step = gg_sum_step(plan->step);
  s->kernels = gg_cpu_kernels_for(false);
  s->kd_kernels = GG_SIMD_CHOOSE(const gg_kd_kernels, gg_kd_kernels);
  s->search = gg_kd_choose_search(s->kd_kernels, step, plan->m);
  s->sum_finish = gg_sum_finish_of(step, plan->finish);
  s->weight = gg_allocate(plan->m, sizeof *s->weight);
  if (!s->weight) return gg_fail_memory(error, plan->m * (int64_t)sizeof *s->weight);
  for (int64_t k = 0; k < plan->m; ++k)
    s->weight[k] = plan->weight ? plan->weight[k] : 1;
  gpugeo_status status = gg_kd_make(plan, &plan->x, s->clock, &s->tree, error);
  if (!status) status = make_workers(s, error);
  if (!status && !make_arrays(s)) status = gg_fail_memory(error, plan->nx * (12 * LIST + 50));
  if (!status) start_components(s);
  return status;
}

static void end_search(search *s) {
  gg_free(s->workers);
  gg_free(s->weight);
  gg_free(s->position);
  gg_free(s->component);
  gg_free(s->list_distance);
  gg_free(s->list_position);
  gg_free(s->list_next);
  gg_free(s->bound);
  gg_free(s->nearest);
  gg_free(s->best);
  gg_free(s->best_position);
  gg_free(s->next);
  for (int l = 0; l < GG_KD_LEVELS; ++l)
    gg_free(s->uniform[l]);
  gg_kd_free(&s->tree);
}

/* Searches some groups and returns whether all groups will take longer than all pairs. */
static bool is_slower(search *s) {
  const int64_t groups = gg_kd_sample(s->trees, s->tree.leaves);
  if (groups == 0) return false;
  for (int64_t g = 0; g < groups && !gg_clock_stopped(s->clock); ++g)
    list_leaf(&s->workers[0], gg_kd_sampled(s->tree.leaves, groups, g));
  return gg_kd_is_slower(s->dist, &s->workers[0].group.work,
                         (double)s->tree.leaves / (double)groups,
                         (double)s->tree.odd * (double)s->dist->nx);
}

/* Makes the lists, and then the tree of the points in the k-d tree. */
static bool search_tree(search *s) {
  if (!run_leaves(s, 16, list_leaves, 0)) return false;
  for (int32_t t = 0; t < s->dist->threads; ++t) {
    gg_kd_group *group = &s->workers[t].group;
    group->component = s->component;
    group->uniform = (const double *const *)s->uniform;
    group->take = take_foreign;
  }
  return join_all(s);
}

static gpugeo_status find_tree(search *s, gg_missing_pairs *missing, bool *done,
                               gpugeo_error *error) {
  gpugeo_status status = start_search(s, error);
  if (status) return status;
  *done = !is_slower(s);
  if (!*done) return GPUGEO_OK;
  status = gg_forest_make(s->dist->nx, s->dist->nx, s->dist->threads, s->forest, error);
  if (status) return status;
  if (!search_tree(s)) return gg_fail_interrupt(error);
  return s->tree.odd > 0 ? join_odd(s, missing, error) : gg_forest_sort(s->forest, error);
}

gpugeo_status gg_mst_kd(const gg_pairs *plan, gg_mst_result *result, bool *done, gg_clock *clock,
                        gpugeo_error *error) {
  search s = {
      .dist = &plan->dist, .trees = plan->trees, .forest = &result->tree, .clock = clock};
  gg_lock_make(&s.lock);
  gpugeo_status status = find_tree(&s, &result->missing, done, error);
  gg_lock_free(&s.lock);
  end_search(&s);
  return status;
}
