/*
 * Neighbours by k-d trees: the queries are the leaves of a tree, too, and each leaf is searched as
 * a group. Points with a coordinate that is not finite are in no tree: they are compared with all
 * others by the tiles of distance matrices.
 */
#include "dist/cpu/kd_neighbors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "dist/cpu/nearest.h"
#include "dist/cpu/tiles.h"

enum {
  INSERTED = 40, /* lists of at most so many neighbours are sorted at all times; longer ones are heaps
                  */
  CHUNK = 8      /* panels that are compared with odd points at a time */
};

static gg_kd_use use = GG_KD_AUTO;
void gg_kd_set_use(gg_kd_use how) { use = how; }

/* What a thread has for its present group. */
typedef struct worker {
  gg_kd_group group;
  const struct search *search;
  const int32_t *index; /* of the queries */
  gg_neighbor *list;    /* k for each query */
  int64_t found[GG_KD_LEAF];
  double values[CHUNK * GG_KD_LEAF * GG_KD_LEAF]; /* of a tile */
} worker;

typedef struct search {
  const gg_dist_plan *dist;
  const gg_knn_plan *knn; /* NULL for a radius */
  double radius;
  gpugeo_neighbors *near;
  int64_t *next; /* of each point: where its next neighbour goes; NULL while they are counted */
  const gg_cpu_kernels *kernels;
  gg_kd_search *search; /* of the step and the instruction set */
  gg_sum_finish sum_finish;
  gg_kd_tree x, y;           /* y is empty where the queries are x */
  const gg_kd_tree *queries; /* one of them */
  double *weight;
  worker *workers;
  gg_clock *clock;
  double before, share; /* of the whole call: done before, and the present loop's part */
} search;

/* --- Lists of the nearest --------------------------------------------------------------------- */

/* Puts a neighbour into a sorted list with room for k that holds `count`. Returns how many it then
   holds. */
static int64_t insert(gg_neighbor *list, int64_t k, int64_t count, gg_neighbor offered) {
  if (count == k && !gg_neighbor_before(offered, list[k - 1])) return k;
  int64_t at = count < k ? count : k - 1;
  for (; at > 0 && gg_neighbor_before(offered, list[at - 1]); --at)
    list[at] = list[at - 1];
  list[at] = offered;
  return count < k ? count + 1 : k;
}

static void offer(worker *w, int query, double distance, int32_t index) {
  const int64_t k = w->search->knn->k;
  const gg_neighbor offered = {distance, index};
  gg_neighbor *list = w->list + query * k;
  w->found[query] = k <= INSERTED ? insert(list, k, w->found[query], offered)
                                  : gg_nearest_offer(list, k, w->found[query], offered);
}

static const gg_neighbor *furthest(const worker *w, int query) {
  const int64_t k = w->search->knn->k;
  return w->list + query * k + (k <= INSERTED ? k - 1 : 0);
}

static void take_nearest(gg_kd_group *group, int query, int count, const double *distance,
                         const int32_t *index) {
  worker *w = group->own_job;
  for (int i = 0; i < count; ++i)
    offer(w, query, distance[i], index[i]);
  if (w->found[query] < w->search->knn->k) return;
  const gg_neighbor *last = furthest(w, query);
  group->furthest_index[query] = last->index;
  if (last->distance == group->furthest[query]) return;
  group->furthest[query] = last->distance;
  group->limit[query] = gg_sum_limit(group->sum_finish, group->p, last->distance);
}

static void write_lists(worker *w, int count) {
  const gg_knn_plan *plan = w->search->knn;
  for (int q = 0; q < count; ++q) {
    gg_neighbor *list = w->list + q * plan->k;
    if (plan->k > INSERTED) gg_nearest_sort(list, plan->k);
    for (int64_t r = 0; r < plan->k; ++r) {
      const int64_t at = w->index[q] + r * plan->dist.ny;
      plan->index[at] = list[r].index;
      plan->distance[at] = isnan(list[r].distance) ? plan->dist.missing : list[r].distance;
    }
  }
}

/* --- Lists within a radius -------------------------------------------------------------------- */

static void note(worker *w, int query, double distance, int32_t index) {
  const search *s = w->search;
  if (!(distance <= s->radius)) return;
  if (!s->next) {
    ++s->near->start[w->index[query] + 1];
    return;
  }
  const int64_t at = s->next[w->index[query]]++;
  s->near->index[at] = index;
  s->near->distance[at] = distance;
}

static void take_near(gg_kd_group *group, int query, int count, const double *distance,
                      const int32_t *index) {
  for (int i = 0; i < count; ++i)
    note(group->own_job, query, distance[i], index[i]);
}

/* --- Odd points ------------------------------------------------------------------------------- */

/* Gives the queries of a group some panels of points, `count` in all. */
static void compare_panels(worker *w, int queries, const double *panels, const int32_t *index,
                           int64_t count) {
  const search *s = w->search;
  const gg_dist_plan *plan = s->dist;
  const int64_t rows = (count + GG_KD_LEAF - 1) / GG_KD_LEAF * GG_KD_LEAF;
  const gg_cpu_tile tile = {.a = panels,
                            .b = w->group.panel,
                            .weight = s->weight,
                            .m = plan->m,
                            .rows = rows,
                            .columns = GG_KD_LEAF,
                            .p = plan->p,
                            .finish = plan->finish,
                            .out = w->values};
  s->kernels->tile[plan->step](&tile);
  for (int q = 0; q < queries; ++q) {
    int32_t positions[CHUNK * GG_KD_LEAF];
    const double *value = w->values + q * rows;
    const double limit = !s->knn                          ? s->radius
                         : w->found[q] < s->knn->k ? NAN
                                                          : furthest(w, q)->distance;
    const int64_t hits = s->kernels->select(value, 0, count, limit, NULL, positions);
    for (int64_t h = 0; h < hits; ++h) {
      const int32_t i = index[positions[h]];
      if (plan->symmetric && i == w->index[q]) continue;
      if (s->knn)
        offer(w, q, value[positions[h]], i);
      else
        note(w, q, value[positions[h]], i);
    }
  }
}

static void compare_all(worker *w, int queries, const double *panel, const int32_t *index,
                        int64_t count) {
  const int64_t chunk = CHUNK * GG_KD_LEAF;
  for (int64_t i = 0; i < count && !gg_clock_poll(w->search->clock, 0); i += chunk)
    compare_panels(w, queries, panel + i * w->search->dist->m, index + i,
                   count - i < chunk ? count - i : chunk);
}

/* --- Groups ----------------------------------------------------------------------------------- */

static bool stopped(gg_kd_group *group) {
  const worker *w = group->own_job;
  return gg_clock_poll(w->search->clock, 0);
}

static void start_group(worker *w, const double *panel, const int32_t *index, int count) {
  const search *s = w->search;
  gg_kd_group *group = &w->group;
  group->panel = panel;
  w->index = index;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    const double limit =
        s->knn ? INFINITY : gg_sum_limit(s->sum_finish, s->dist->p, s->radius);
    group->limit[q] = q < count ? limit : -1;
    group->furthest[q] = INFINITY;
    group->furthest_index[q] = INT32_MAX;
    w->found[q] = 0;
  }
}

/* Searches the neighbours of a leaf of queries. */
static void search_leaf(worker *w, int64_t leaf) {
  const search *s = w->search;
  const gg_kd_tree *queries = s->queries;
  const int64_t m = s->dist->m;
  const int count = (int)gg_kd_leaf_size(queries, leaf);
  start_group(w, queries->panel + leaf * m * GG_KD_LEAF, queries->index + leaf * GG_KD_LEAF, count);
  w->group.box = gg_kd_box(&queries->level[0], leaf, m);
  w->group.own = queries == &s->x ? leaf : -1;
  if (s->x.n > 0) s->search(&w->group);
  compare_all(w, count, s->x.odd_panel, s->x.odd_index, s->x.odd);
  if (s->knn && !gg_clock_stopped(s->clock)) write_lists(w, count);
}

static void search_leaves(void *job, gg_range leaves) {
  const search *s = job;
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->clock); ++leaf)
    search_leaf(&s->workers[leaves.worker], leaf);
}

/* Searches the neighbours of panels of odd queries. */
static void search_odd(void *job, gg_range panels) {
  const search *s = job;
  worker *w = &s->workers[panels.worker];
  const gg_kd_tree *queries = s->queries;
  for (int64_t p = panels.first; p < panels.last && !gg_clock_stopped(s->clock); ++p) {
    const int64_t first = p * GG_KD_LEAF, rest = queries->odd - first;
    const int count = rest < GG_KD_LEAF ? (int)rest : GG_KD_LEAF;
    start_group(w, queries->odd_panel + first * s->dist->m, queries->odd_index + first, count);
    compare_all(w, count, s->x.panel, s->x.index, s->x.n);
    compare_all(w, count, s->x.odd_panel, s->x.odd_index, s->x.odd);
    if (s->knn && !gg_clock_stopped(s->clock)) write_lists(w, count);
  }
}

/* Searches all queries. Returns false if the call was stopped. */
static bool search_all(const search *s) {
  const gg_kd_tree *queries = s->queries;
  const int64_t work = queries->leaves + queries->odd_panels;
  const double odd = s->share * (double)queries->odd_panels / (double)work;
  const bool done = gg_parallel_for(&(gg_loop){.threads = s->dist->threads,
                                               .count = queries->odd_panels,
                                               .grain = 1,
                                               .work = search_odd,
                                               .job = (void *)s,
                                               .clock = s->clock,
                                               .begun = s->before,
                                               .share = odd});
  return done && gg_parallel_for(&(gg_loop){.threads = s->dist->threads,
                                            .count = queries->leaves,
                                            .grain = 16,
                                            .work = search_leaves,
                                            .job = (void *)s,
                                            .clock = s->clock,
                                            .begun = s->before + odd,
                                            .share = s->share - odd});
}

/* --- A search --------------------------------------------------------------------------------- */

static gpugeo_status make_workers(search *s, gpugeo_error *error) {
  const gg_dist_plan *plan = s->dist;
  const int64_t lists = s->knn ? GG_KD_LEAF * s->knn->k : 0;
  s->workers = gg_allocate(plan->threads, sizeof *s->workers);
  if (!s->workers) return gg_fail_memory(error, plan->threads * (int64_t)sizeof *s->workers);
  for (int32_t t = 0; t < plan->threads; ++t)
    s->workers[t].list = NULL;
  for (int32_t t = 0; t < plan->threads; ++t) {
    worker *w = &s->workers[t];
    w->search = s;
    w->list = gg_allocate(lists, sizeof *w->list);
    if (!w->list) return gg_fail_memory(error, lists * (int64_t)sizeof *w->list);
    w->group = (gg_kd_group){.tree = &s->x,
                             .weight = s->weight,
                             .p = plan->p,
                             .finish = plan->finish,
                             .sum_finish = s->sum_finish,
                             .take = s->knn ? take_nearest : take_near,
                             .stopped = stopped,
                             .own_job = w};
  }
  return GPUGEO_OK;
}

static gg_kd_search *choose_search(gg_step step, int64_t m) {
  const gg_kd_kernels *kernels = GG_SIMD_CHOOSE(const gg_kd_kernels, gg_kd_kernels);
  if (step == GG_STEP_euclidean && m == 2) return kernels->euclidean_2;
  if (step == GG_STEP_euclidean && m == 3) return kernels->euclidean_3;
  return kernels->search[step];
}

static gpugeo_status start_search(search *s, gpugeo_error *error) {
  const gg_dist_plan *plan = s->dist;
  const gg_step step = gg_sum_step(plan->step);
  s->kernels = gg_cpu_kernels_for(false);
  s->search = choose_search(step, plan->m);
  s->sum_finish = gg_sum_finish_of(step, plan->finish);
  s->weight = gg_allocate(plan->m, sizeof *s->weight);
  if (!s->weight) return gg_fail_memory(error, plan->m * (int64_t)sizeof *s->weight);
  for (int64_t k = 0; k < plan->m; ++k)
    s->weight[k] = plan->weight ? plan->weight[k] : 1;
  gpugeo_status status = gg_kd_make(plan, &plan->x, s->clock, &s->x, error);
  s->queries = plan->symmetric ? &s->x : &s->y;
  if (!status && !plan->symmetric) status = gg_kd_make(plan, &plan->y, s->clock, &s->y, error);
  if (!status) status = make_workers(s, error);
  return status;
}

static void end_search(search *s, gg_kd_work *work) {
  for (int32_t t = 0; s->workers && t < s->dist->threads; ++t) {
    const gg_kd_work *done = &s->workers[t].group.work;
    if (s->workers[t].list && work) {
      work->eights += done->eights;
      work->leaves += done->leaves;
      work->scans += done->scans;
    }
    free(s->workers[t].list);
  }
  free(s->workers);
  free(s->weight);
  gg_kd_free(&s->x);
  gg_kd_free(&s->y);
}

bool gg_kd_suits(const gg_dist_plan *plan, int64_t k) {
  (void)k;
  if (use == GG_KD_NEVER || gg_sum_step(plan->step) == GG_STEP_COUNT) return false;
  return true;
}

gpugeo_status gg_kd_knn(const gg_knn_plan *plan, gg_kd_work *work, bool *done, gg_clock *clock,
                        gpugeo_error *error) {
  search s = {.dist = &plan->dist, .knn = plan, .clock = clock, .share = 1};
  *done = true;
  gpugeo_status status = start_search(&s, error);
  if (!status && !search_all(&s)) status = gg_fail_interrupt(error);
  end_search(&s, work);
  return status;
}

gpugeo_status gg_kd_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_kd_work *work,
                           bool *done, gg_clock *clock, gpugeo_error *error) {
  search s = {.dist = &plan->dist,
              .radius = plan->radius,
              .near = found,
              .clock = clock,
              .share = 0.5};
  *done = true;
  gpugeo_status status = start_search(&s, error);
  if (!status && !search_all(&s)) status = gg_fail_interrupt(error);
  if (!status) status = gg_radius_allocate(found, error);
  if (!status) {
    s.next = gg_allocate(found->points, sizeof *s.next);
    if (!s.next) status = gg_fail_memory(error, found->points * (int64_t)sizeof *s.next);
  }
  if (!status) {
    memcpy(s.next, found->start, (size_t)found->points * sizeof *s.next);
    s.before = 0.5;
    if (!search_all(&s)) status = gg_fail_interrupt(error);
  }
  free(s.next);
  end_search(&s, work);
  return status;
}
