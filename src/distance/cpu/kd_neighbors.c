/*
 * Neighbours by k-d trees: the queries are the leaves of a tree, too, and each leaf is searched as
 * a group. Points with a coordinate that is not finite are in no tree: they are compared with all
 * others by the tiles of distance matrices.
 */
#include "distance/cpu/kd_neighbors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/context.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sphere.h"
#include "distance/cpu/nearest.h"
#include "distance/cpu/tiles.h"

enum { CHUNK = 8 }; /* panels that are compared with odd points at a time */

/* What a thread has for its present group. */
typedef struct worker {
  gg_kd_group group;
  const struct search *search;
  const int32_t *index;          /* of the queries */
  gg_kd_list ranked[GG_KD_LEAF]; /* of each query, if k is at most GG_KD_RANKED; */
  gg_neighbor *heap;             /* else k for each, `found` of them */
  int64_t found[GG_KD_LEAF];
  double values[CHUNK * GG_KD_LEAF * GG_KD_LEAF]; /* of a tile */
} worker;

/* The lists of the queries in the order of the tree. They are written here first, because the
   result, in the order of the points, has its k columns far apart. */
typedef struct lists {
  int32_t *index;    /* k for each position; NULL: the result is written at once */
  double *distance;  /* likewise */
  int32_t *position; /* of each query, -1 for odd ones, which are in the result already */
} lists;

typedef struct search {
  const gg_dist_plan *dist;
  const gg_knn_plan *knn; /* NULL for a radius */
  gg_tree_use trees;
  double radius;
  gpugeo_neighbors *near;
  bool writes;                    /* neighbours are counted first and then written */
  const gg_near_visitor *visitor; /* or they are visited, and `near` is NULL, */
  bool samples;                   /* but not while some are found to estimate the time */
  const gg_cpu_kernels *kernels;
  const gg_kd_kernels *kd_kernels;
  gg_kd_search *search; /* of the step */
  gg_sum_finish sum_finish;
  gg_kd_tree x, y;           /* y is empty where the queries are x */
  const gg_kd_tree *queries; /* one of them */
  double *weight;
  worker *workers;
  lists lists;
  gg_call *call;
  double before, share; /* of the whole call: done before, and the present loop's part */
} search;

/* --- Lists of the nearest --------------------------------------------------------------------- */

/* True if the lists are short and kept in vectors, not in heaps. */
static bool is_ranked(const worker *w) { return w->search->knn->k <= GG_KD_RANKED; }

/* Offers candidates to the list of a query. */
static void offer_candidates(worker *w, int query, int count, const double *distance,
                             const int32_t *index) {
  const int64_t k = w->search->knn->k;
  if (is_ranked(w)) {
    gg_kd_list *list = &w->ranked[query];
    for (int i = 0; i < count; ++i) {
      const bool missing = isnan(distance[i]);
      list->distance[list->count + i] = missing ? INFINITY : distance[i];
      list->index[list->count + i] = index[i] + (missing ? GG_KD_MISSING : 0);
    }
    w->search->kd_kernels->rank(list, k, count);
    w->found[query] = list->count;
    return;
  }
  for (int i = 0; i < count; ++i)
    w->found[query] = gg_nearest_offer(w->heap + query * k, k, w->found[query],
                                       (gg_neighbor){distance[i], index[i]});
}

/* Returns a neighbour of a list in order; a heap has the furthest first. */
static gg_neighbor neighbor_at(const worker *w, int query, int64_t rank) {
  if (!is_ranked(w)) return w->heap[query * w->search->knn->k + rank];
  const gg_kd_list *list = &w->ranked[query];
  const bool missing = list->index[rank] >= GG_KD_MISSING;
  return (gg_neighbor){missing ? NAN : list->distance[rank],
                       (int32_t)(list->index[rank] - (missing ? GG_KD_MISSING : 0))};
}

/* Returns the last neighbour of a full list. */
static gg_neighbor furthest(const worker *w, int query) {
  return neighbor_at(w, query, is_ranked(w) ? w->search->knn->k - 1 : 0);
}

/* Returns the sum that no point at that distance exceeds. */
static double limit_of(const search *s, double distance) {
  if (s->sum_finish == GG_SUM_GREAT_CIRCLE)
    return gg_sphere_chord_limit(s->dist->sphere_radius, distance);
  return gg_sum_limit(s->sum_finish, s->dist->p, distance);
}

/* Offers candidates to a query's list, and lowers its limit to the last of its neighbours. */
static void take_nearest(gg_kd_group *group, int query, int count, const double *distance,
                         const int32_t *index) {
  worker *w = group->own_job;
  offer_candidates(w, query, count, distance, index);
  if (w->found[query] < w->search->knn->k) return;
  const gg_neighbor last = furthest(w, query);
  group->furthest_index[query] = last.index;
  if (last.distance == group->furthest[query]) return;
  group->furthest[query] = last.distance;
  group->limit[query] = limit_of(w->search, last.distance);
}

/* Writes the lists of a group's queries: where `position` is at least 0, which is that of the first
   one, for later. */
static void write_lists(worker *w, int count, int64_t position) {
  const search *s = w->search;
  const gg_knn_plan *plan = s->knn;
  const bool later = s->lists.index && position >= 0;
  for (int q = 0; q < count; ++q) {
    if (!is_ranked(w)) gg_nearest_sort(w->heap + q * plan->k, plan->k);
    for (int64_t r = 0; r < plan->k; ++r) {
      const gg_neighbor at = neighbor_at(w, q, r);
      const double distance = isnan(at.distance) ? plan->dist.missing : at.distance;
      const int64_t to = later ? (position + q) * plan->k + r : w->index[q] + r * plan->dist.ny;
      (later ? s->lists.index : plan->index)[to] = at.index;
      (later ? s->lists.distance : plan->distance)[to] = distance;
    }
    if (later) s->lists.position[w->index[q]] = (int32_t)(position + q);
  }
}

enum { ROWS = 64 }; /* of the result, written together: their lists stay in the level 1 cache */

/* Writes the lists of a range of blocks of queries to the result, one rank after the other. */
static void write_rows(void *job, gg_range blocks) {
  const search *s = job;
  const gg_knn_plan *plan = s->knn;
  const int64_t end = blocks.last * ROWS < plan->dist.ny ? blocks.last * ROWS : plan->dist.ny;
  for (int64_t first = blocks.first * ROWS; first < end; first += ROWS) {
    const int64_t last = first + ROWS < end ? first + ROWS : end;
    for (int64_t r = 0; r < plan->k; ++r)
      for (int64_t i = first; i < last; ++i) {
        const int32_t position = s->lists.position[i];
        if (position < 0) continue;
        plan->index[i + r * plan->dist.ny] = s->lists.index[position * plan->k + r];
        plan->distance[i + r * plan->dist.ny] = s->lists.distance[position * plan->k + r];
      }
  }
}

/* Copies the lists to the result. Returns false if the call was stopped. */
static bool write_result(const search *s) {
  if (!s->lists.index) return true;
  return gg_parallel_for(&(gg_loop){.threads = gg_copying_threads(s->dist->threads),
                                    .count = (s->dist->ny + ROWS - 1) / ROWS,
                                    .grain = 1 + 256 / s->knn->k,
                                    .work = write_rows,
                                    .job = (void *)s,
                                    .clock = s->call->clock,
                                    .begun = 1});
}

/* Allocates the lists if they fit into the working memory that a call has by default. */
static void make_lists(search *s) {
  const int64_t limit = s->dist->work_bytes ? s->dist->work_bytes : GG_WORK_BYTES;
  const int64_t n = s->dist->ny, k = s->knn->k;
  if (12.0 * (double)n * (double)k + 4.0 * (double)n > (double)limit) return;
  s->lists =
      (lists){gg_allocate_large(n * k, sizeof(int32_t)), gg_allocate_large(n * k, sizeof(double)),
              gg_allocate_large(n, sizeof(int32_t))};
  if (s->lists.index && s->lists.distance && s->lists.position) {
    memset(s->lists.position, -1, (size_t)n * sizeof(int32_t));
    return;
  }
  gg_free(s->lists.distance);
  gg_free(s->lists.position);
  gg_free(s->lists.index);
  s->lists = (lists){NULL, NULL, NULL};
}

/* --- Lists within a radius -------------------------------------------------------------------- */

/* Counts or writes the neighbours of a query. `found` is their number, or where the next one goes.
 */
static void note_neighbors(worker *w, int query, int count, const double *distance,
                           const int32_t *index) {
  const search *s = w->search;
  int64_t at = w->found[query];
  if (s->visitor) {
    for (int i = 0; i < count && !s->samples; ++i)
      if (distance[i] <= s->radius) s->visitor->visit(s->visitor->own, w->index[query], index[i]);
    return;
  }
  if (s->writes)
    for (int i = 0; i < count; ++i) {
      if (!(distance[i] <= s->radius)) continue;
      s->near->index[at] = index[i];
      s->near->distance[at++] = distance[i];
    }
  else
    for (int i = 0; i < count; ++i)
      at += distance[i] <= s->radius;
  w->found[query] = at;
}

/* Notes the candidates within the radius. */
static void take_near(gg_kd_group *group, int query, int count, const double *distance,
                      const int32_t *index) {
  note_neighbors(group->own_job, query, count, distance, index);
}

/* --- Great circles ---------------------------------------------------------------------------- */

/* Takes points whose units are near that of a query: computes their distances on the sphere. */
static void take_sphere(gg_kd_group *group, int query, int count, const double *distance,
                        const int32_t *index) {
  const worker *w = group->own_job;
  const gg_dist_plan *plan = w->search->dist;
  const double *at = gg_sphere_of(&plan->y, w->index[query]);
  double arc[GG_KD_LEAF];
  (void)distance;
  for (int i = 0; i < count; ++i)
    arc[i] = gg_sphere_distance(plan->sphere_radius,
                                gg_sphere_haversine(gg_sphere_of(&plan->x, index[i]), at));
  (w->search->knn ? take_nearest : take_near)(group, query, count, arc, index);
}

/* Writes the numbers of neighbours of a group's queries, in the pass that counts. */
static void write_counts(const worker *w, int count) {
  const search *s = w->search;
  for (int q = 0; q < count && s->near && !s->writes; ++q)
    s->near->start[w->index[q] + 1] = w->found[q];
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
    const double limit = !s->knn                   ? s->radius
                         : w->found[q] < s->knn->k ? NAN
                                                   : furthest(w, q).distance;
    const int64_t hits = s->kernels->select(value, 0, count, limit, NULL, positions);
    for (int64_t h = 0; h < hits; ++h) {
      const int32_t i = index[positions[h]];
      if (plan->symmetric && i == w->index[q]) continue;
      (s->knn ? offer_candidates : note_neighbors)(w, q, 1, &value[positions[h]], &i);
    }
  }
}

/* Compares a group with points that are in no tree, in chunks between polls. */
static void compare_all(worker *w, int queries, const double *panel, const int32_t *index,
                        int64_t count) {
  const int64_t chunk = CHUNK * GG_KD_LEAF;
  for (int64_t i = 0; i < count && !gg_clock_poll(w->search->call->clock, 0); i += chunk)
    compare_panels(w, queries, panel + i * w->search->dist->m, index + i,
                   count - i < chunk ? count - i : chunk);
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* Polls the clock for a search. Returns true if it was interrupted. */
static bool stopped(gg_kd_group *group) {
  const worker *w = group->own_job;
  return gg_clock_poll(w->search->call->clock, 0);
}

/* Prepares the search for a group of up to GG_KD_LEAF queries. */
static void start_group(worker *w, const double *panel, const int32_t *index, int count) {
  const search *s = w->search;
  gg_kd_group *group = &w->group;
  group->panel = panel;
  w->index = index;
  for (int q = 0; q < GG_KD_LEAF; ++q) {
    const double limit = s->knn ? INFINITY : limit_of(s, s->radius);
    group->limit[q] = q < count ? limit : -1;
    group->furthest[q] = INFINITY;
    group->furthest_index[q] = INT32_MAX;
    w->found[q] = s->writes && q < count ? s->near->start[index[q]] : 0;
    w->ranked[q].count = 0;
  }
}

/* Writes what the queries of a group have found; `position` as in write_lists(). */
static void end_group(worker *w, int count, int64_t position) {
  if (gg_clock_stopped(w->search->call->clock)) return;
  if (w->search->knn)
    write_lists(w, count, position);
  else
    write_counts(w, count);
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
  end_group(w, count, leaf * GG_KD_LEAF);
}

/* Searches the neighbours of the points of a range of leaves. */
static void search_leaves(void *job, gg_range leaves) {
  const search *s = job;
  for (int64_t leaf = leaves.first; leaf < leaves.last && !gg_clock_stopped(s->call->clock); ++leaf)
    search_leaf(&s->workers[leaves.worker], leaf);
}

/* Searches the neighbours of panels of odd queries. */
static void search_odd(void *job, gg_range panels) {
  const search *s = job;
  worker *w = &s->workers[panels.worker];
  const gg_kd_tree *queries = s->queries;
  for (int64_t p = panels.first; p < panels.last && !gg_clock_stopped(s->call->clock); ++p) {
    const int64_t first = p * GG_KD_LEAF, rest = queries->odd - first;
    const int count = rest < GG_KD_LEAF ? (int)rest : GG_KD_LEAF;
    start_group(w, queries->odd_panel + first * s->dist->m, queries->odd_index + first, count);
    compare_all(w, count, s->x.panel, s->x.index, s->x.n);
    compare_all(w, count, s->x.odd_panel, s->x.odd_index, s->x.odd);
    end_group(w, count, -1);
  }
}

/* Searches all queries. */
static gpugeo_status search_all(search *s) {
  const gg_kd_tree *queries = s->queries;
  const int64_t work = queries->leaves + queries->odd_panels;
  const double odd = s->share * (double)queries->odd_panels / (double)work;
  gg_call_loop(s->call, (gg_loop){.threads = s->dist->threads,
                                  .count = queries->odd_panels,
                                  .grain = 1,
                                  .work = search_odd,
                                  .job = s,
                                  .begun = s->before,
                                  .share = odd});
  return gg_call_loop(s->call, (gg_loop){.threads = s->dist->threads,
                                         .count = queries->leaves,
                                         .grain = 16,
                                         .work = search_leaves,
                                         .job = s,
                                         .begun = s->before + odd,
                                         .share = s->share - odd});
}

/* --- A search --------------------------------------------------------------------------------- */

/* Allocates what each thread needs. */
static gpugeo_status make_workers(search *s) {
  gg_call *call = s->call;
  const gg_dist_plan *plan = s->dist;
  const bool heaps = s->knn && s->knn->k > GG_KD_RANKED, sphere = plan->sphere_radius > 0;
  const int64_t lists = heaps ? GG_KD_LEAF * s->knn->k : 0;
  s->workers = gg_call_allocate(call, plan->threads, sizeof *s->workers);
  if (!s->workers) return call->status;
  memset(s->workers, 0, (size_t)plan->threads * sizeof *s->workers);
  for (int32_t t = 0; t < plan->threads; ++t) {
    worker *w = &s->workers[t];
    w->search = s;
    w->heap = gg_call_allocate(call, lists, sizeof *w->heap);
    if (!w->heap) return call->status;
    w->group = (gg_kd_group){.tree = &s->x,
                             .weight = s->weight,
                             .p = plan->p,
                             .finish = plan->finish,
                             .sum_finish = s->sum_finish,
                             .take = sphere   ? take_sphere
                                     : s->knn ? take_nearest
                                              : take_near,
                             .stopped = stopped,
                             .own_job = w};
  }
  return GPUGEO_OK;
}

gg_kd_search *gg_kd_choose_search(const gg_kd_kernels *kernels, gg_step step, int64_t m) {
  if (step == GG_STEP_euclidean && m == 2) return kernels->euclidean_2;
  if (step == GG_STEP_euclidean && m == 3) return kernels->euclidean_3;
  /* cppcheck-suppress CastIntegerToAddressAtReturn ; it takes the type for a number */
  return kernels->search[step];
}

/* Makes the trees, and chooses the kernels of the search. */
static gpugeo_status start_search(search *s) {
  const gg_dist_plan *plan = s->dist;
  const gg_step step = gg_sum_step(plan->step);
  s->kernels = gg_cpu_kernels_for(false);
  s->kd_kernels = GG_SIMD_CHOOSE(const gg_kd_kernels, gg_kd_kernels);
  s->search = gg_kd_choose_search(s->kd_kernels, step, plan->m);
  s->sum_finish =
      plan->sphere_radius > 0 ? GG_SUM_GREAT_CIRCLE : gg_sum_finish_of(step, plan->finish);
  s->weight = gg_call_allocate(s->call, plan->m, sizeof *s->weight);
  if (!s->weight) return s->call->status;
  for (int64_t k = 0; k < plan->m; ++k)
    s->weight[k] = plan->weight ? plan->weight[k] : 1;
  gg_kd_make(plan, &plan->x, &s->x, s->call);
  s->queries = plan->symmetric ? &s->x : &s->y;
  if (!plan->symmetric) gg_kd_make(plan, &plan->y, &s->y, s->call);
  return make_workers(s);
}

/* Frees all memory of the search. */
static void end_search(search *s) {
  for (int32_t t = 0; s->workers && t < s->dist->threads; ++t)
    gg_free(s->workers[t].heap);
  gg_free(s->workers);
  gg_free(s->lists.index);
  gg_free(s->lists.distance);
  gg_free(s->lists.position);
  gg_free(s->weight);
  gg_kd_free(&s->x);
  gg_kd_free(&s->y);
}

/* --- The choice between a tree and all pairs -------------------------------------------------- */

/* Returns the time of a pair of points. This and the next functions are in nanoseconds on one
   thread with AVX-512, of which only the ratios matter, fitted to times of 20,000 uniform points,
   of 50 clusters and near a plane of three dimensions, in 2 to 64 coordinates: the points of
   bench/knn_dimensions.R, which measures what the choice by these times yields
   (bench/results/knn_dimensions-cpu16.csv). */
static double seconds_of_pair(double m) { return 1 + 0.07 * m; }

/* Returns the time of a point in the making of a tree, for each halving. */
static double seconds_of_point(double m) { return 6 + 1.5 * m; }

/* Returns the time of a search that did this work. */
static double seconds_of_work(const gg_kd_work *work, double m) {
  return (double)work->scans * (15 + 1.5 * m) + (double)work->leaves * (20 + 4 * m) +
         (double)work->eights * (30 + 3 * m);
}

/* Returns the time of all pairs. */
static double seconds_of_pairs(const gg_dist_plan *plan) {
  return gg_dist_work(plan) / (double)plan->m * seconds_of_pair((double)plan->m);
}

/* Returns the time to make the trees. */
static double seconds_of_trees(const gg_dist_plan *plan) {
  double halvings = (double)plan->nx * log2((double)plan->nx);
  if (!plan->symmetric) halvings += (double)plan->ny * log2((double)plan->ny);
  return halvings * seconds_of_point((double)plan->m);
}

/* True if the trees, and a result with k columns, fit into the memory of the call. */
static bool fits(const gg_dist_plan *plan, int64_t k) {
  double bytes = gg_kd_bytes(plan->nx, plan->m);
  if (!plan->symmetric) bytes += gg_kd_bytes(plan->ny, plan->m);
  if (plan->work_bytes) return bytes <= (double)plan->work_bytes;
  if (gg_dist_is_sparse(plan)) return bytes <= (double)GG_WORK_BYTES;
  return bytes + 12 * (double)plan->ny * (double)k <= gg_machine_memory();
}

/* True if trees may be faster. Where they seldom are, in many dimensions, they are tried only if
   making them takes a twentieth of the time. Points near a plane in 48 or 64 dimensions are found
   by trees in a tenth of it. */
static bool may_be_faster(const gg_dist_plan *plan) {
  const double share = fmin(20, fmax(2, (double)plan->m - 6));
  return seconds_of_pairs(plan) > share * seconds_of_trees(plan);
}

bool gg_kd_suits(const gg_dist_plan *plan, gg_tree_use use, int64_t k) {
  /* bench/knn_dimensions.R measures up to 64 coordinates; the rule by times is left to choose up to
     twice as many, beyond which trees of single-cell data were not faster than all pairs. */
  enum { COORDINATES = 128 };
  if (plan->reader.read) return false;
  if (plan->sphere_radius > 0) return true;
  if (use == GG_TREES_NEVER || plan->m > GG_KD_MOST_COORDINATES || !gg_has_sum_limits(plan))
    return false;
  if (use == GG_TREES_ALWAYS) return true;
  return plan->m <= COORDINATES && may_be_faster(plan) && fits(plan, k);
}

/* Adds up what the threads have done. */
static gg_kd_work work_of(const search *s) {
  gg_kd_work work = {0};
  for (int32_t t = 0; s->workers && t < s->dist->threads; ++t) {
    work.eights += s->workers[t].group.work.eights;
    work.leaves += s->workers[t].group.work.leaves;
    work.scans += s->workers[t].group.work.scans;
  }
  return work;
}

int64_t gg_kd_sample(gg_tree_use use, int64_t leaves) {
  const int64_t most = 16, groups = leaves / 64; /* at most 2 % of the work */
  return use == GG_TREES_ALWAYS ? 0 : groups < most ? groups : most;
}

bool gg_kd_is_slower(const gg_dist_plan *plan, const gg_kd_work *work, double times,
                     double odd_pairs) {
  const double m = (double)plan->m;
  return seconds_of_work(work, m) * times + odd_pairs * seconds_of_pair(m) > seconds_of_pairs(plan);
}

/* Searches some groups and returns whether all groups will take longer than all pairs. */
static bool is_slower(search *s) {
  const int64_t leaves = s->queries->leaves, groups = gg_kd_sample(s->trees, leaves);
  if (groups == 0 || s->dist->sphere_radius > 0) return false;
  s->samples = true;
  for (int64_t g = 0; g < groups && !gg_clock_stopped(s->call->clock); ++g)
    search_leaf(&s->workers[0], gg_kd_sampled(leaves, groups, g));
  s->samples = false;
  const gg_kd_work work = work_of(s);
  const double odd =
      (double)s->queries->odd * (double)s->dist->nx + (double)s->x.odd * (double)s->queries->n;
  return gg_kd_is_slower(s->dist, &work, (double)leaves / (double)groups, odd);
}

/* --- Both searches ---------------------------------------------------------------------------- */

/* Finds the nearest neighbours in trees; *done is false if all pairs are faster. */
static gpugeo_status find_nearest(search *s, bool *done) {
  if (start_search(s)) return s->call->status;
  make_lists(s);
  *done = !is_slower(s);
  if (!*done || search_all(s)) return s->call->status;
  return gg_call_require(s->call, write_result(s));
}

/* Counts the neighbours of each point, then writes them. */
static gpugeo_status find_near(search *s, bool *done) {
  gg_call *call = s->call;
  gpugeo_neighbors *found = s->near;
  if (start_search(s)) return call->status;
  *done = !is_slower(s);
  memset(found->start, 0, (size_t)(found->points + 1) * sizeof *found->start);
  if (!*done) return GPUGEO_OK;
  search_all(s);
  if (GG_TRY(call, gg_radius_allocate(found, call->error))) return call->status;
  s->writes = true;
  s->before = 0.5;
  return search_all(s);
}

/* Calls the visitor for all neighbours within the radius, once in each pass; *done is false if all
   pairs are faster. */
static gpugeo_status visit_near(search *s, bool *done) {
  gg_call *call = s->call;
  if (start_search(s)) return call->status;
  *done = !is_slower(s);
  for (int pass = 0; *done && !call->status && pass < s->visitor->passes; ++pass) {
    s->before = s->share * pass;
    search_all(s);
    s->visitor->next(s->visitor->own, call);
  }
  return call->status;
}

gpugeo_status gg_kd_visit_near(const gg_radius_plan *plan, const gg_near_visitor *visitor,
                               bool *done, gg_call *call) {
  if (call->status) return call->status;
  search s = {.dist = &plan->dist,
              .trees = plan->trees,
              .radius = plan->radius,
              .visitor = visitor,
              .call = call,
              .share = 1.0 / visitor->passes};
  visit_near(&s, done);
  end_search(&s);
  return call->status;
}

gpugeo_status gg_kd_knn(const gg_knn_plan *plan, gg_kd_work *work, bool *done, gg_call *call) {
  if (call->status) return call->status;
  search s = {.dist = &plan->dist, .knn = plan, .trees = plan->trees, .call = call, .share = 1};
  find_nearest(&s, done);
  if (work) *work = work_of(&s);
  end_search(&s);
  return call->status;
}

gpugeo_status gg_kd_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_kd_work *work,
                           bool *done, gg_call *call) {
  if (call->status) return call->status;
  search s = {.dist = &plan->dist,
              .trees = plan->trees,
              .radius = plan->radius,
              .near = found,
              .call = call,
              .share = 0.5};
  find_near(&s, done);
  if (work) *work = work_of(&s);
  end_search(&s);
  return call->status;
}
