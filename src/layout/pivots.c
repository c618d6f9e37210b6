/*
 * Pivots of a layout by stress, and the weights of its terms (Ortmann, Klimenta and Brandes 2017,
 * "A sparse stress model"): a vertex i has a term with each pivot p that is not its neighbour, of
 * weight s / d^2. s is the number of vertices for which p stands: of those nearer to p than to
 * other pivots, the ones within d / 2 of p. If all vertices are pivots, s is 1.
 *
 * Cost: a search for each pivot, one after the other, as the next pivot depends on it; if all are
 * pivots, on all threads.
 *
 * The first GG_PIVOTS_START pivots are each the vertex farthest from those before it: their
 * distances make the first positions. The others are drawn (Arthur and Vassilvitskii 2007,
 * "k-means++: the advantages of careful seeding"). Farthest vertices alone are leaves of trees and
 * of graphs with hubs, for whose inner vertices none stands: of 5,000 vertices with preferential
 * attachment the stress was .234 instead of .157 (bench/layout_collection.R).
 */
#include "layout/pivots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/random.h"

enum {
  BATCH = 16,          /* pivots of a search if all vertices are pivots */
  MOST_EXACT = 1 << 24 /* distances of so many edges are exact as floats */
};

/* --- Memory ----------------------------------------------------------------------------------- */

/* Returns the bytes of a search with its result, for each vertex. */
static int64_t search_bytes(bool all) {
  const gg_path_graph hops = {.length = NULL};
  return gg_paths_vertex_bytes(&hops) + (all ? BATCH : 1) * (int64_t)sizeof(double);
}

void gg_layout_to_rows(int64_t vertices, int dim, int exponent, const double *columns,
                       double *rows) {
  for (int64_t v = 0; v < vertices; ++v)
    for (int k = 0; k < dim; ++k)
      rows[v * dim + k] = ldexp(columns[v + k * vertices], exponent);
}

void gg_layout_to_columns(int64_t vertices, int dim, int exponent, const double *rows,
                          double *columns) {
  for (int64_t v = 0; v < vertices; ++v)
    for (int k = 0; k < dim; ++k)
      columns[v + k * vertices] = ldexp(rows[v * dim + k], exponent);
}

double gg_pivots_bytes(int64_t vertices, int64_t count, int32_t threads) {
  const bool all = count >= vertices;
  const double n = (double)vertices, searches = all ? threads : 1;
  const double slots = n + GG_PIVOTS_GROUPS * (GG_PIVOTS_LANES - 1);
  const double terms = slots * (double)gg_smaller(count, vertices) * 2 * sizeof(float);
  return terms + 4 * slots + n * (searches * (double)search_bytes(all) + 32);
}

void gg_pivots_free(gg_pivots *pivots) {
  gg_free(pivots->vertex);
  gg_free(pivots->member);
  gg_free(pivots->slot);
  gg_free(pivots->distance);
  gg_free(pivots->weight);
}

/* Returns the group of a vertex. */
static int64_t group_of(int64_t v) {
  return (int64_t)(gg_random(GG_PIVOTS_GROUPS, (uint64_t)v) % GG_PIVOTS_GROUPS);
}

/* Counts the slots of the groups. */
static void count_slots(gg_pivots *pivots) {
  const int64_t lanes = GG_PIVOTS_LANES;
  for (int64_t v = 0; v < pivots->vertices; ++v)
    ++pivots->group[1 + group_of(v)];
  for (int g = 0; g < GG_PIVOTS_GROUPS; ++g)
    pivots->group[g + 1] = pivots->group[g] + (pivots->group[g + 1] + lanes - 1) / lanes * lanes;
  pivots->slots = pivots->group[GG_PIVOTS_GROUPS];
}

/* Gives each vertex its slot. */
static void fill_slots(gg_pivots *pivots) {
  int64_t next[GG_PIVOTS_GROUPS];
  memcpy(next, pivots->group, sizeof next);
  memset(pivots->member, 0xff, (size_t)pivots->slots * sizeof *pivots->member); /* -1 */
  for (int64_t v = 0; v < pivots->vertices; ++v) {
    const int64_t slot = next[group_of(v)]++;
    pivots->member[slot] = (int32_t)v;
    pivots->slot[v] = (int32_t)slot;
  }
}

/* Allocates the result, and fills the slots. */
static gpugeo_status allocate(gg_pivots *pivots, gg_call *call) {
  count_slots(pivots);
  const int64_t terms = pivots->slots * pivots->count;
  pivots->vertex = gg_call_allocate(call, pivots->count, sizeof *pivots->vertex);
  pivots->member = gg_call_allocate(call, pivots->slots, sizeof *pivots->member);
  pivots->slot = gg_call_allocate(call, pivots->vertices, sizeof *pivots->slot);
  pivots->distance = gg_call_allocate(call, terms, sizeof *pivots->distance);
  pivots->weight = gg_call_allocate(call, terms, sizeof *pivots->weight);
  if (!call->status) fill_slots(pivots);
  return call->status;
}

/* --- Distances -------------------------------------------------------------------------------- */

/* Returns a distance as it is stored. */
static float stored(double distance, double scale) {
  const double scaled = distance * scale;
  return scaled > 0 && scaled < (double)GG_PIVOTS_LEAST ? GG_PIVOTS_LEAST : (float)scaled;
}

/* Stores the distances of all vertices from pivot p, those of a vertex `stride` apart. */
static void store_distances(const gg_pivots *pivots, int64_t p, const double *distance,
                            int64_t stride, double scale) {
  for (int64_t s = 0; s < pivots->slots; ++s) {
    const int64_t v = pivots->member[s];
    pivots->distance[gg_pivots_at(pivots, s, p)] = v < 0 ? 0 : stored(distance[v * stride], scale);
  }
}

/* Returns the vertex of the largest value, the first of several. */
static int32_t farthest(const double *distance, int64_t n) {
  int32_t most = 0;
  for (int64_t v = 1; v < n; ++v)
    if (distance[v] > distance[most]) most = (int32_t)v;
  return most;
}

/* Working memory of the choice of pivots. */
typedef struct choosing {
  const gg_path_graph *graph;
  gg_pivots *pivots;
  uint64_t seed;
  double scale;
  void *work;       /* of a search */
  double *distance; /* from the last pivot */
  double *nearest;  /* of each vertex: the distance from the nearest pivot so far */
  int32_t *region;  /* and the number of this pivot, the first of several */
} choosing;

/* Finds the factor of distances: twice the distance from vertex 0 to the farthest vertex bounds all
   distances. Returns that vertex. */
static int32_t find_scale(choosing *c, gg_call *call) {
  const int32_t first = 0;
  if (gg_call_require(call,
                      gg_paths_search(c->graph, &first, 1, c->work, c->distance, 1, call->clock)))
    return 0;
  const int32_t end = farthest(c->distance, c->pivots->vertices);
  if (isinf(c->distance[end]))
    call->status = gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "lengths",
                           "lengths must have sums within the range of double precision");
  int exponent = 0;
  if (!call->status) frexp(c->distance[end], &exponent);
  c->pivots->exponent = exponent + 1;
  c->scale = ldexp(1, -c->pivots->exponent);
  return end;
}

/* Stores the distances from pivot p, and lowers those from the nearest pivot. */
static void store_pivot(choosing *c, int64_t p) {
  store_distances(c->pivots, p, c->distance, 1, c->scale);
  for (int64_t v = 0; v < c->pivots->vertices; ++v) {
    const double d = c->distance[v];
    if (p > 0 && d >= c->nearest[v]) continue;
    c->nearest[v] = d;
    c->region[v] = (int32_t)p;
  }
}

/* Returns the square of a vertex's distance from the nearest pivot. */
static double squared_distance(const choosing *c, int64_t v) {
  const double scaled = c->nearest[v] * c->scale;
  return scaled * scaled;
}

/* Returns a vertex drawn by a hash of the seed and the pivot's number, in proportion to the squares
   of the distances; the farthest if all squares are 0. */
static int32_t draw(const choosing *c, int64_t p) {
  const int64_t n = c->pivots->vertices;
  double rest = 0;
  for (int64_t v = 0; v < n; ++v)
    rest += squared_distance(c, v);
  rest *= gg_random_unit(c->seed, (uint64_t)p);
  for (int64_t v = 0; v < n; ++v) {
    rest -= squared_distance(c, v);
    if (rest < 0) return (int32_t)v;
  }
  return farthest(c->nearest, n);
}

/* Chooses all pivots: those of the start, each as far as possible from those before, then drawn
   ones. */
static gpugeo_status choose(choosing *c, int32_t first, gg_call *call) {
  int32_t next = first;
  for (int64_t p = 0; !call->status && p < c->pivots->count; ++p) {
    c->pivots->vertex[p] = next;
    gg_call_poll(call, 0.8 * (double)p / (double)c->pivots->count);
    if (gg_call_require(call,
                        gg_paths_search(c->graph, &next, 1, c->work, c->distance, 1, call->clock)))
      return call->status;
    store_pivot(c, p);
    next = p + 1 < GG_PIVOTS_START ? farthest(c->nearest, c->pivots->vertices) : draw(c, p + 1);
  }
  c->pivots->starts = gg_smaller(c->pivots->count, GG_PIVOTS_START);
  for (int64_t s = 0; s < c->pivots->starts; ++s)
    c->pivots->start[s] = s;
  return call->status;
}

/* --- All vertices as pivots ------------------------------------------------------------------- */

/* Searches from all vertices. */
typedef struct searching {
  const choosing *choosing;
  char *work; /* of each thread: that of a search, then distances */
  int64_t work_size;
  gg_clock *clock;
  bool stopped;
} searching;

/* Searches from a batch of vertices, and stores their distances. */
static bool search_batch(const searching *s, int64_t batch, char *work) {
  const gg_pivots *pivots = s->choosing->pivots;
  const int64_t n = pivots->vertices, first = batch * BATCH;
  const int count = (int)gg_smaller(n - first, BATCH);
  double *distance = (double *)work;
  if (!gg_paths_search(s->choosing->graph, pivots->vertex + first, count, distance + BATCH * n,
                       distance, count, s->clock))
    return false;
  for (int k = 0; k < count; ++k)
    store_distances(pivots, first + k, distance + k, count, s->choosing->scale);
  return true;
}

/* Searches from a range of batches. */
static void search_batches(void *job, gg_range range) {
  searching *s = job;
  for (int64_t b = range.first; b < range.last; ++b)
    if (!search_batch(s, b, s->work + range.worker * s->work_size))
      gg_atomic_store(&s->stopped, true);
}

/* Takes all vertices as pivots. */
static gpugeo_status take_all(const choosing *c, int32_t threads, gg_call *call) {
  const int64_t n = c->pivots->vertices;
  searching s = {
      .choosing = c, .work_size = search_bytes(true) * n / 64 * 64 + 64, .clock = call->clock};
  for (int64_t v = 0; v < n && !call->status; ++v)
    c->pivots->vertex[v] = (int32_t)v;
  s.work = gg_call_allocate(call, threads, s.work_size);
  if (!s.work) return call->status;
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = (n + BATCH - 1) / BATCH,
                               .grain = 1,
                               .work = search_batches,
                               .job = &s,
                               .share = 0.8});
  gg_free(s.work);
  return gg_call_require(call, !s.stopped);
}

/* Chooses the pivots of the start among all vertices, as choose() does. */
static void choose_starts(choosing *c, int32_t first) {
  gg_pivots *pivots = c->pivots;
  const int64_t n = pivots->vertices;
  pivots->starts = gg_smaller(n, GG_PIVOTS_START);
  int32_t next = first;
  for (int64_t s = 0; s < pivots->starts; ++s) {
    pivots->start[s] = next;
    for (int64_t v = 0; v < n; ++v) {
      const double d = (double)pivots->distance[gg_pivots_at(pivots, pivots->slot[v], next)];
      if (s == 0 || d < c->nearest[v]) c->nearest[v] = d;
    }
    next = farthest(c->nearest, n);
  }
}

/* --- Weights ---------------------------------------------------------------------------------- */

/* The distances of each pivot's region from it, sorted. */
typedef struct regions {
  const gg_path_graph *graph;
  gg_pivots *pivots;
  int64_t *start;
  float *sorted;
  float unit;    /* of distances: an edge, if there are no lengths, is 1 / unit */
  float *within; /* without lengths: at start[p] + h, the vertices within h edges of pivot p */
} regions;

/* Compares floats for qsort(). */
static int compare_floats(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

/* Fills the regions from the numbers of the vertices' pivots. */
static gpugeo_status fill_regions(regions *r, const int32_t *region, gg_call *call) {
  const gg_pivots *pivots = r->pivots;
  const int64_t n = pivots->vertices, k = pivots->count;
  r->start = gg_call_allocate(call, k + 2, sizeof *r->start);
  r->sorted = gg_call_allocate(call, n, sizeof *r->sorted);
  if (!r->sorted) return call->status;
  memset(r->start, 0, (size_t)(k + 2) * sizeof *r->start);
  for (int64_t v = 0; v < n; ++v)
    ++r->start[region[v] + 2];
  for (int64_t p = 0; p < k; ++p)
    r->start[p + 2] += r->start[p + 1];
  for (int64_t v = 0; v < n; ++v)
    r->sorted[r->start[region[v] + 1]++] =
        pivots->distance[gg_pivots_at(pivots, pivots->slot[v], region[v])];
  for (int64_t p = 0; p < k && !gg_call_poll(call, 0); ++p)
    qsort(r->sorted + r->start[p], (size_t)(r->start[p + 1] - r->start[p]), sizeof *r->sorted,
          compare_floats);
  return call->status;
}

/* Returns how many vertices of pivot p's region are within a distance from it. */
static int64_t count_within(const regions *r, int64_t p, float distance) {
  int64_t first = r->start[p], last = r->start[p + 1];
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (r->sorted[middle] <= distance)
      first = middle + 1;
    else
      last = middle;
  }
  return first - r->start[p];
}

/* Returns a stored distance in edges. */
static int64_t edges_of(const regions *r, float distance) { return (int64_t)(distance * r->unit); }

/* Fills the numbers of vertices within each number of edges: a region has vertices at each distance
   up to its largest, so that they have room. */
static gpugeo_status fill_within(regions *r, gg_call *call) {
  const bool exact = r->pivots->vertices <= MOST_EXACT;
  if (call->status || r->graph->length || !exact) return call->status;
  r->within = gg_call_allocate(call, r->pivots->vertices, sizeof *r->within);
  for (int64_t p = 0; r->within && p < r->pivots->count; ++p)
    for (int64_t i = r->start[p]; i < r->start[p + 1]; ++i)
      r->within[r->start[p] + edges_of(r, r->sorted[i])] = (float)(i + 1 - r->start[p]);
  return call->status;
}

/* Returns the number of vertices for which pivot p stands at a distance. */
static float stands_for(const regions *r, int64_t p, float distance) {
  if (!r->within) return (float)count_within(r, p, distance / 2);
  const int64_t edges = edges_of(r, distance) / 2;
  const int64_t most = edges_of(r, r->sorted[r->start[p + 1] - 1]);
  return r->within[r->start[p] + gg_smaller(edges, most)];
}

/* Fills the weights of the terms of a range of blocks. */
static void weigh_blocks(void *job, gg_range range) {
  const regions *r = job;
  const gg_pivots *pivots = r->pivots;
  const int64_t lanes = GG_PIVOTS_LANES;
  for (int64_t at = range.first * pivots->count; at < range.last * pivots->count; ++at)
    for (int64_t i = at * lanes; i < (at + 1) * lanes; ++i) {
      const float d = pivots->distance[i];
      const float size = pivots->all || !(d > 0) ? 1 : stands_for(r, at % pivots->count, d);
      pivots->weight[i] = d > 0 ? size / (d * d) : 0;
    }
}

/* Finds the least distance above 0. */
static void find_least(gg_pivots *pivots) {
  pivots->least = 1;
  for (int64_t i = 0; i < pivots->slots * pivots->count; ++i)
    if (pivots->distance[i] > 0 && pivots->distance[i] < pivots->least)
      pivots->least = pivots->distance[i];
}

/* Removes the terms of pivots with their neighbours, which edges have. */
static void remove_neighbors(const gg_layout_graph *csr, gg_pivots *pivots) {
  for (int64_t p = 0; p < pivots->count; ++p) {
    const int32_t v = pivots->vertex[p];
    for (int64_t e = csr->start[v]; e < csr->start[v + 1]; ++e)
      pivots->weight[gg_pivots_at(pivots, pivots->slot[csr->neighbor[e]], p)] = 0;
  }
}

/* Fills the weights. */
static gpugeo_status weigh(const choosing *c, int32_t threads, gg_call *call) {
  regions r = {.graph = c->graph, .pivots = c->pivots, .unit = ldexpf(1, c->pivots->exponent)};
  if (!c->pivots->all) fill_regions(&r, c->region, call);
  if (!c->pivots->all) fill_within(&r, call);
  gg_call_loop(call, (gg_loop){.threads = threads,
                               .count = c->pivots->slots / GG_PIVOTS_LANES,
                               .grain = 16,
                               .work = weigh_blocks,
                               .job = &r,
                               .begun = 0.8,
                               .share = 0.2});
  if (!call->status && !c->pivots->all) remove_neighbors(&c->graph->csr, c->pivots);
  gg_free(r.start);
  gg_free(r.sorted);
  gg_free(r.within);
  return call->status;
}

void gg_pivots_weigh_alike(gg_pivots *pivots, bool alike) {
  for (int64_t i = 0; i < pivots->slots * pivots->count; ++i) {
    const float d = pivots->distance[i];
    pivots->weight[i] = d > 0 ? (alike ? 1 : 1 / (d * d)) : 0;
  }
}

/* --- Together --------------------------------------------------------------------------------- */

gpugeo_status gg_pivots_make(const gg_path_graph *graph, int64_t count, uint64_t seed,
                             int32_t threads, gg_call *call, gg_pivots *pivots) {
  const int64_t n = graph->csr.vertices;
  *pivots = (gg_pivots){.vertices = n, .count = gg_smaller(count, n), .all = count >= n};
  allocate(pivots, call);
  choosing c = {.graph = graph, .pivots = pivots, .seed = seed};
  c.work = gg_call_allocate(call, n, gg_paths_vertex_bytes(graph));
  c.distance = gg_call_allocate(call, n, sizeof *c.distance);
  c.nearest = gg_call_allocate(call, n, sizeof *c.nearest);
  c.region = gg_call_allocate(call, n, sizeof *c.region);
  const int32_t first = call->status ? 0 : find_scale(&c, call);
  if (!call->status && !pivots->all) choose(&c, first, call);
  if (!call->status && pivots->all && !take_all(&c, threads, call)) choose_starts(&c, first);
  if (!call->status) find_least(pivots);
  if (!call->status) weigh(&c, threads, call);
  gg_free(c.work);
  gg_free(c.distance);
  gg_free(c.nearest);
  gg_free(c.region);
  return call->status;
}
