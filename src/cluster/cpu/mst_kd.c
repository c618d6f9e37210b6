/*
 * Minimum spanning trees by a k-d tree (Boruvka): each component's first edge to another one is
 * found in rounds, until there is one component.
 *
 * Each point has a bound: no point of another component is nearer. It begins with the list of the
 * LIST nearest points, which in most points holds the edges of several rounds. When it is used up,
 * the point is searched again, but only if its bound is not beyond the best edge of its component
 * so far. Such a search leaves out nodes of the tree whose points are all of the query's component.
 * The searches vary with the threads; the edges do not.
 *
 * Points with a coordinate that is not finite are in no tree: their edges to all others are added
 * to those of the tree, and the forest of both is reduced (mst_odd.c).
 *
 * A tree of mutual reachability has lists of the k nearest, from which the core distances follow.
 * No edge of a point has a smaller weight than its core distance, and its neighbours whose core
 * distances are no larger are at the ends of edges with this weight, in the order of the list: they
 * are sure. When they are used up, edges are searched as above, by distances up to the best weight.
 */
#include <math.h>
#include <string.h>

#include "cluster/cpu/mst.h"
#include "cluster/cpu/mst_odd.h"
#include "common/atomic.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"

enum {
  LIST = 4, /* neighbours of a list; measured with 10^6 points in two and in three dimensions */
  REACH_LIST = 16 /* of a list with core distances, at most */
};

/* --- Lists of the nearest --------------------------------------------------------------------- */

/* Lowers the query's limit to a distance and notes its index. */
static void lower_limit(gg_kd_group *group, int query, double distance, int32_t index) {
  group->furthest_index[query] = index;
  if (distance == group->furthest[query]) return;
  group->furthest[query] = distance;
  group->limit[query] = gg_sum_limit(group->sum_finish, group->p, distance);
}

/* Returns the number of neighbours that are searched for the lists. */
static int64_t searched(const gg_mst_search *s) { return s->k > 0 ? s->k : LIST; }

/* Takes `count` points into the query's list and lowers its limit once the list is full. */
static void take_listed(gg_kd_group *group, int query, int count, const double *distance,
                        const int32_t *index) {
  gg_mst_worker *w = group->own_job;
  const int64_t most = searched(w->search);
  gg_kd_list *list = &w->list[query];
  for (int i = 0; i < count; ++i) {
    list->distance[list->count + i] = distance[i];
    list->index[list->count + i] = index[i];
  }
  w->search->kd_kernels->rank(list, most, count);
  if (list->count == most)
    lower_limit(group, query, list->distance[most - 1], (int32_t)list->index[most - 1]);
}

/* Does the same for lists that are too long to be ranked. */
static void take_heaped(gg_kd_group *group, int query, int count, const double *distance,
                        const int32_t *index) {
  gg_mst_worker *w = group->own_job;
  const int64_t k = w->search->k;
  gg_neighbor *heap = w->heap + query * k;
  for (int i = 0; i < count; ++i)
    w->heaped[query] =
        gg_nearest_offer(heap, k, w->heaped[query], (gg_neighbor){distance[i], index[i]});
  if (w->heaped[query] == k) lower_limit(group, query, heap[0].distance, heap[0].index);
}

/* True if the call was interrupted. */
static bool stopped(gg_kd_group *group) {
  const gg_mst_worker *w = group->own_job;
  return gg_clock_poll(w->search->call->clock, 0);
}

/* Begins a group of a leaf, of which no query searches yet. */
static void start_group(gg_mst_worker *w, int64_t leaf) {
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
    w->heaped[q] = 0;
    w->found[q] = w->found_distance[q] = INFINITY;
    w->found_index[q] = -1;
  }
}

/* Sets a neighbour in a position's list. */
static void put_listed(const gg_mst_search *s, int64_t at, int64_t rank, double distance,
                       int32_t index) {
  s->list_distance[at * s->list + rank] = distance;
  s->list_position[at * s->list + rank] = s->position[index];
}

/* Writes the neighbours of a position from a list in order; those it lacks have a distance of
   infinity. */
static void write_list(const gg_mst_search *s, int64_t at, const gg_kd_list *list) {
  for (int64_t r = 0; r < list->count && r < s->list; ++r)
    put_listed(s, at, r, list->distance[r], (int32_t)list->index[r]);
  for (int64_t r = list->count; r < s->list; ++r) /* there are no more points */
    put_listed(s, at, r, INFINITY, s->tree.index[at]);
  if (s->k > 0) s->reach[at] = list->distance[s->k - 1];
}

/* Writes the neighbours of a position from a heap, which it sorts. */
static void write_heap(const gg_mst_search *s, int64_t at, gg_neighbor *heap) {
  s->reach[at] = heap[0].distance;
  gg_nearest_sort(heap, s->k);
  for (int64_t r = 0; r < s->list; ++r)
    put_listed(s, at, r, heap[r].distance, heap[r].index);
}

/* Lists the neighbours of the points of a leaf. */
static void list_leaf(gg_mst_worker *w, int64_t leaf) {
  const gg_mst_search *s = w->search;
  const int count = (int)gg_kd_leaf_size(&s->tree, leaf);
  start_group(w, leaf);
  for (int q = 0; q < count; ++q)
    w->group.limit[q] = INFINITY;
  s->search(&w->group);
  if (gg_clock_stopped(s->call->clock)) return; /* lists are not full */
  for (int q = 0; q < count; ++q) {
    const int64_t at = leaf * GG_KD_LEAF + q;
    if (w->heap)
      write_heap(s, at, w->heap + q * s->k);
    else
      write_list(s, at, &w->list[q]);
  }
}

/* Lists the neighbours of a range of leaves; the loop's work. */
static void list_leaves(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->call->clock); ++leaf)
    list_leaf(&s->workers[leaves.worker], leaf);
}

/* Puts the neighbours of a position's list whose core distances are no larger before the others.
   Both keep their order. */
static void divide_list(const gg_mst_search *s, int64_t at) {
  double distance[REACH_LIST], *distances = s->list_distance + at * s->list;
  int32_t position[REACH_LIST], *positions = s->list_position + at * s->list;
  int64_t sure = 0, others = 0;
  for (int64_t r = 0; r < s->list; ++r) {
    if (s->reach[positions[r]] <= s->reach[at]) {
      distances[sure] = distances[r];
      positions[sure++] = positions[r];
    } else {
      distance[others] = distances[r];
      position[others++] = positions[r];
    }
  }
  /* cppcheck-suppress uninitvar ; the first `others` are set */
  memcpy(distances + sure, distance, (size_t)others * sizeof *distance);
  /* cppcheck-suppress uninitvar */
  memcpy(positions + sure, position, (size_t)others * sizeof *position);
  s->sure[at] = (uint8_t)sure;
  s->bound[at] = s->reach[at];
  s->core[s->tree.index[at]] = s->reach[at];
}

/* Divides the lists of a range of leaves; the loop's work. */
static void divide_lists(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
  const int64_t end = leaves.last * GG_KD_LEAF;
  for (int64_t at = leaves.first * GG_KD_LEAF; at < end && at < s->tree.n; ++at)
    divide_list(s, at);
}

/* --- A round: the first edge of each component ------------------------------------------------ */

/* Lowers a component's best distance. */
static void lower_best(const gg_mst_search *s, int64_t component, double distance) {
  double *best = &s->best[component];
  double known = gg_atomic_load_double(best);
  while (distance < known && !gg_atomic_replace_double(best, &known, distance))
    ;
}

/* Finds the nearest point of another component in the list of a position. */
static void read_list(const gg_mst_search *s, int64_t at) {
  const double own = s->component[at];
  int next = s->list_next[at];
  while (next < LIST && s->component[s->list_position[at * LIST + next]] == own)
    ++next;
  s->list_next[at] = (uint8_t)next;
  s->nearest[at] = next < LIST ? s->list_position[at * LIST + next] : -1;
  const double bound = s->list_distance[at * LIST + (next < LIST ? next : LIST - 1)];
  if (bound > s->bound[at]) s->bound[at] = bound;
}

/* Does the same among those that are sure. */
static void read_sure(const gg_mst_search *s, int64_t at) {
  const double own = s->component[at];
  const int32_t *position = s->list_position + at * s->list;
  int next = s->list_next[at];
  while (next < s->sure[at] && s->component[position[next]] == own)
    ++next;
  s->list_next[at] = (uint8_t)next;
  if (next == s->sure[at]) return;
  s->nearest[at] = position[next];
  s->distance[at] = s->list_distance[at * s->list + next];
}

/* Lowers the best weight of a component by those edges of a list that are not sure. */
static void offer_listed(const gg_mst_search *s, int64_t at) {
  const double own = s->component[at];
  double least = INFINITY;
  for (int64_t r = s->sure[at]; r < s->list; ++r) {
    const int32_t other = s->list_position[at * s->list + r];
    if (s->reach[other] < least && s->component[other] != own) least = s->reach[other];
  }
  if (least < INFINITY) lower_best(s, (int64_t)own, least);
}

/* Replaces the nearest neighbour of a position if it is in the position's component, and offers the
   edge. */
static void refresh_position(const gg_mst_search *s, int64_t at) {
  const double own = s->component[at];
  if (s->nearest[at] >= 0 && s->component[s->nearest[at]] == own) {
    s->nearest[at] = -1;
    if (s->reach)
      read_sure(s, at);
    else if (s->list_next[at] < LIST)
      read_list(s, at);
  }
  if (!(s->bound[at] < gg_atomic_load_double(&s->best[(int64_t)own]))) return;
  if (s->nearest[at] >= 0)
    lower_best(s, (int64_t)own, s->bound[at]);
  else if (s->reach)
    offer_listed(s, at);
}

/* Refreshes the positions of a range of leaves; the loop's work. */
static void refresh_positions(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
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

/* Lowers the best distance of a query's component by what it has found, and then the limits of the
   group's queries of this component. */
static void share_found(gg_kd_group *group, int query) {
  const gg_mst_worker *w = group->own_job;
  const double component = group->components[query];
  lower_best(w->search, (int64_t)component, w->found[query]);
  share_best(group, component, gg_atomic_load_double(&w->search->best[(int64_t)component]));
}

/* Takes the nearest of the points found for a query, all of other components. */
static void take_foreign(gg_kd_group *group, int query, int count, const double *distance,
                         const int32_t *index) {
  gg_mst_worker *w = group->own_job;
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
  if (w->found[query] != before) share_found(group, query);
}

/* Does the same by mutual reachability. All points at a distance of the found weight are looked at.
 */
static void take_reachable(gg_kd_group *group, int query, int count, const double *distance,
                           const int32_t *index) {
  gg_mst_worker *w = group->own_job;
  const gg_mst_search *s = w->search;
  const double before = w->found[query], own = s->reach[w->leaf * GG_KD_LEAF + query];
  for (int i = 0; i < count; ++i) {
    const double weight = gg_mutual_reachability(distance[i], own, s->reach[s->position[index[i]]]);
    if (weight > w->found[query]) continue;
    if (weight == w->found[query] && (distance[i] > w->found_distance[query] ||
                                      (distance[i] == w->found_distance[query] &&
                                       (uint32_t)index[i] > (uint32_t)w->found_index[query])))
      continue;
    w->found[query] = weight;
    w->found_distance[query] = distance[i];
    w->found_index[query] = index[i];
  }
  if (w->found[query] == before) return;
  if (w->found[query] < group->furthest[query])
    lower_limit(group, query, w->found[query], INT32_MAX);
  share_found(group, query);
}

/* Has the queries of a leaf search that have no edge and may have one as good as the best. Returns
   whether there are any. */
static bool choose_queries(gg_mst_worker *w, int64_t leaf) {
  const gg_mst_search *s = w->search;
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
static void end_group(const gg_mst_worker *w) {
  const gg_mst_search *s = w->search;
  const gg_kd_group *group = &w->group;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    if (group->limit[q] < 0) continue;
    const int64_t at = w->leaf * GG_KD_LEAF + q;
    const bool is_nearest = w->found_index[q] >= 0 && w->found[q] <= group->furthest[q];
    const double bound = is_nearest ? w->found[q] : nextafter(group->furthest[q], INFINITY);
    if (is_nearest) s->nearest[at] = s->position[w->found_index[q]];
    if (is_nearest && s->reach) s->distance[at] = w->found_distance[q];
    if (bound > s->bound[at]) s->bound[at] = bound;
  }
}

/* Searches the nearest foreign point for the queries of a range of leaves; the loop's work. */
static void search_leaves(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
  gg_mst_worker *w = &s->workers[leaves.worker];
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->call->clock);
       ++leaf) {
    if (!choose_queries(w, leaf)) continue;
    s->search(&w->group);
    end_group(w);
  }
}

/* Returns the edge of a position to the nearest point of another component. */
static gg_edge edge_at(const gg_mst_search *s, int64_t at) {
  const double distance = s->reach ? s->distance[at] : s->bound[at];
  return gg_edge_between(distance, s->tree.index[at], s->tree.index[s->nearest[at]]);
}

/* Offers each position's edge to its component. */
static void offer_edges(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
  const int64_t end = leaves.last * GG_KD_LEAF;
  for (int64_t at = leaves.first * GG_KD_LEAF; at < end && at < s->tree.n; ++at) {
    const int64_t own = (int64_t)s->component[at];
    if (s->nearest[at] < 0 || s->bound[at] > s->best[own]) continue;
    int32_t known = gg_atomic_load(&s->best_position[own]);
    while (known < 0 || gg_edge_before(edge_at(s, at), edge_at(s, known), s->forest->core))
      if (gg_atomic_replace(&s->best_position[own], &known, (int32_t)at)) break;
  }
}

/* Runs work over all leaves. */
static gpugeo_status run_leaves(gg_mst_search *s, int64_t grain, void (*work)(void *, gg_range),
                                double begun) {
  return gg_call_loop(s->call, (gg_loop){.threads = s->dist->threads,
                                         .count = s->tree.leaves,
                                         .grain = grain,
                                         .work = work,
                                         .job = s,
                                         .begun = begun});
}

/* Finds the first edge of each component. */
static gpugeo_status find_edges(gg_mst_search *s, double begun) {
  for (int64_t c = 0; c < s->components; ++c) {
    s->best[c] = INFINITY;
    s->best_position[c] = -1;
  }
  run_leaves(s, 256, refresh_positions, begun);
  run_leaves(s, 16, search_leaves, begun);
  return run_leaves(s, 256, offer_edges, begun);
}

/* --- A round: components are joined ----------------------------------------------------------- */

/* Leads each component along its edge. Of two that lead to each other the first leads to itself.
   There are no longer circles, since no two edges are equal. Returns false if the call must stop.
 */
static bool lead_components(const gg_mst_search *s) {
  for (int64_t c = 0; c < s->components; ++c) {
    if (gg_clock_poll_loop(s->call->clock, c)) return false;
    const int32_t at = s->best_position[c];
    s->next[c] = (int32_t)s->component[s->nearest[at]];
  }
  for (int64_t c = 0; c < s->components; ++c)
    if (s->next[c] > c && s->next[s->next[c]] == c) s->next[c] = (int32_t)c;
  return true;
}

/* Adds the edges of all components that lead to another one. Returns false if the call must stop.
 */
static bool add_edges(const gg_mst_search *s) {
  for (int64_t c = 0; c < s->components; ++c) {
    if (gg_clock_poll_loop(s->call->clock, c)) return false;
    if (s->next[c] != c) s->forest->edge[s->forest->count++] = edge_at(s, s->best_position[c]);
  }
  return true;
}

/* Numbers the components that lead to themselves from 0 on, and replaces next of all others by the
   number of that to which they lead in the end. Returns false if the call must stop. */
static bool renumber(gg_mst_search *s) {
  int32_t *next = s->next;
  for (int64_t c = 0; c < s->components; ++c) {
    if (gg_clock_poll_loop(s->call->clock, c)) return false;
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
  return true;
}

/* Renumbers the components of a range of leaves and marks those with one only; the loop's work. */
static void label_leaves(void *job, gg_range leaves) {
  const gg_mst_search *s = job;
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
static void label(gg_mst_search *s) {
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

/* Finds the tree of the points in the k-d tree. */
static gpugeo_status join_all(gg_mst_search *s) {
  gg_call *call = s->call;
  const double all = log((double)s->tree.n);
  while (!call->status && s->components > 1) {
    if (find_edges(s, 1 - 0.5 * log((double)s->components) / all)) break;
    if (gg_call_require(call, lead_components(s) && add_edges(s) && renumber(s))) break;
    label(s);
  }
  return call->status;
}

/* --- A search --------------------------------------------------------------------------------- */

/* Allocates the state of each thread. */
static gpugeo_status make_workers(gg_mst_search *s) {
  gg_call *call = s->call;
  const gg_dist_plan *plan = s->dist;
  s->workers = gg_call_allocate(call, plan->threads, sizeof *s->workers);
  if (!s->workers) return call->status;
  memset(s->workers, 0, (size_t)plan->threads * sizeof *s->workers);
  for (int32_t t = 0; t < plan->threads; ++t) {
    gg_mst_worker *w = &s->workers[t];
    w->search = s;
    w->group = (gg_kd_group){.tree = &s->tree,
                             .weight = s->weight,
                             .p = plan->p,
                             .finish = plan->finish,
                             .sum_finish = s->sum_finish,
                             .take = take_listed,
                             .stopped = stopped,
                             .own_job = w};
    if (s->k <= GG_KD_RANKED) continue;
    w->group.take = take_heaped;
    w->heap = gg_call_allocate(call, GG_KD_LEAF * s->k, sizeof *w->heap);
    if (!w->heap) return call->status;
  }
  return GPUGEO_OK;
}

/* Allocates what mutual reachability needs for n positions; false without memory. */
static bool make_reach(gg_mst_search *s, int64_t n) {
  s->reach = gg_allocate(n, sizeof *s->reach);
  s->sure = gg_allocate(n, sizeof *s->sure);
  s->distance = gg_allocate(n, sizeof *s->distance);
  return s->reach && s->sure && s->distance;
}

/* Allocates the arrays of all positions; false without memory. */
static bool make_arrays(gg_mst_search *s) {
  const int64_t n = s->tree.leaves * GG_KD_LEAF;
  s->position = gg_allocate(s->dist->nx, sizeof *s->position);
  s->component = gg_allocate(n, sizeof *s->component);
  s->list_distance = gg_allocate_large(n * s->list, sizeof *s->list_distance);
  s->list_position = gg_allocate_large(n * s->list, sizeof *s->list_position);
  s->list_next = gg_allocate_zeros(n, sizeof *s->list_next);
  s->bound = gg_allocate_zeros(n, sizeof *s->bound);
  s->nearest = gg_allocate(n, sizeof *s->nearest);
  s->best = gg_allocate(n, sizeof *s->best);
  s->best_position = gg_allocate(n, sizeof *s->best_position);
  s->next = gg_allocate(n, sizeof *s->next);
  if (s->k > 0 && !make_reach(s, n)) return false;
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
static void start_components(gg_mst_search *s) {
  s->components = s->tree.n;
  for (int64_t at = 0; at < s->tree.leaves * GG_KD_LEAF; ++at) {
    s->component[at] = (double)at;
    s->nearest[at] = (int32_t)at; /* which is no other component */
    if (at < s->tree.n) s->position[s->tree.index[at]] = (int32_t)at;
  }
}

/* Chooses kernels, makes the tree and allocates the search. */
static gpugeo_status start_search(gg_mst_search *s) {
  gg_call *call = s->call;
  const gg_dist_plan *plan = s->dist;
  const gg_step step = gg_sum_step(plan->step);
  s->kernels = gg_cpu_kernels_for(false);
  s->kd_kernels = GG_SIMD_CHOOSE(const gg_kd_kernels, gg_kd_kernels);
  s->search = gg_kd_choose_search(s->kd_kernels, step, plan->m);
  s->sum_finish = gg_sum_finish_of(step, plan->finish);
  s->weight = gg_call_allocate(call, plan->m, sizeof *s->weight);
  if (!s->weight) return call->status;
  for (int64_t k = 0; k < plan->m; ++k)
    s->weight[k] = plan->weight ? plan->weight[k] : 1;
  gg_kd_make(plan, &plan->x, &s->tree, call);
  make_workers(s);
  if (!call->status && !make_arrays(s))
    call->status = gg_fail_memory(call->error, plan->nx * (12 * s->list + 70));
  if (!call->status) start_components(s);
  return call->status;
}

/* Frees what the search has allocated. */
static void end_search(gg_mst_search *s) {
  for (int32_t t = 0; s->workers && t < s->dist->threads; ++t)
    gg_free(s->workers[t].heap);
  gg_free(s->workers);
  gg_free(s->reach);
  gg_free(s->sure);
  gg_free(s->distance);
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

/* True if points have core distances and one of them is in no tree; or, after some groups were
   searched, if all groups will take longer than all pairs. */
static bool is_slower(gg_mst_search *s) {
  if (s->k > 0 && s->tree.odd > 0) return true;
  const int64_t groups = gg_kd_sample(s->trees, s->tree.leaves);
  if (groups == 0) return false;
  for (int64_t g = 0; g < groups && !gg_clock_stopped(s->call->clock); ++g)
    list_leaf(&s->workers[0], gg_kd_sampled(s->tree.leaves, groups, g));
  return gg_kd_is_slower(s->dist, &s->workers[0].group.work,
                         (double)s->tree.leaves / (double)groups,
                         (double)s->tree.odd * (double)s->dist->nx);
}

/* Makes the lists, and then the tree of the points in the k-d tree. */
static gpugeo_status search_tree(gg_mst_search *s) {
  run_leaves(s, 16, list_leaves, 0);
  if (s->reach) run_leaves(s, 256, divide_lists, 0.5);
  if (s->call->status) return s->call->status;
  for (int32_t t = 0; t < s->dist->threads; ++t) {
    gg_kd_group *group = &s->workers[t].group;
    group->component = s->component;
    group->uniform = (const double *const *)s->uniform;
    group->take = s->reach ? take_reachable : take_foreign;
  }
  return join_all(s);
}

/* Finds the spanning tree by the k-d tree; *done: false if tiles are faster. */
static gpugeo_status find_tree(gg_mst_search *s, gg_missing_pairs *missing, bool *done) {
  gg_call *call = s->call;
  if (start_search(s)) return call->status;
  *done = !is_slower(s);
  if (!*done) return GPUGEO_OK;
  const int64_t n = s->dist->nx;
  GG_TRY(call, gg_forest_make(n, s->core, n, s->dist->threads, s->forest, call->error));
  if (call->status || search_tree(s)) return call->status;
  return s->tree.odd > 0 ? gg_mst_join_odd(s, missing) : gg_forest_sort(s->forest, call);
}

gpugeo_status gg_mst_kd(const gg_reach_plan *plan, gg_mst_result *result, bool *done,
                        gg_call *call) {
  if (call->status) return call->status;
  const int64_t k = plan->k;
  gg_mst_search s = {.dist = &plan->pairs->dist,
                     .trees = plan->pairs->trees,
                     .forest = &result->tree,
                     .call = call,
                     .k = k,
                     .core = k > 0 ? plan->core : NULL,
                     .list = k == 0           ? LIST
                             : k < REACH_LIST ? k
                                              : REACH_LIST};
  gg_lock_make(&s.lock);
  find_tree(&s, &result->missing, done);
  gg_lock_free(&s.lock);
  end_search(&s);
  return call->status;
}
