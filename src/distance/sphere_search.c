/*
 * Neighbours by great circles on a backend that only knows Euclidean distances.
 *
 * The order of chords is that of great circles but for rounding, which gg_sphere_chord_limit()
 * bounds. All neighbours within a distance are therefore among those within a chord, and the k
 * nearest are known once a chord that is longer than the limit of the k-th distance has been found.
 */
#include "distance/sphere_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "common/sphere.h"

/* Neighbours that are found beyond the k nearest. */
enum { MORE = 8 };

/* Of the call, the part that the backend takes; the rest is for the distances, on the host. */
#define BACKEND_SHARE 0.8

/* Returns the distance of point i of x from point q of y, NaN if it is missing. */
static double distance_of(const gg_dist_plan *dist, int64_t i, int64_t q) {
  const double *a = gg_sphere_of(&dist->x, i), *b = gg_sphere_of(&dist->y, q);
  if (isnan(a[0]) || isnan(b[0])) return NAN;
  return gg_sphere_distance(dist->sphere_radius, gg_sphere_haversine(a, b));
}

/* --- the k nearest ---------------------------------------------------------------------------- */

typedef struct nearest {
  const gg_knn_plan *plan;
  int64_t room, candidates; /* neighbours of a query by chords, and of all */
  int32_t *index;           /* ny by room, column-major, as in a plan */
  double *chord;            /* squares */
  gg_neighbor *list;        /* room for each thread */
  unsigned char *unsure;    /* ny: there may be nearer points than those that were found */
} nearest;

/* Compares neighbours for qsort(). */
static int compare(const void *a, const void *b) {
  const gg_neighbor *left = a, *right = b;
  return gg_neighbor_before(*left, *right) ? -1 : gg_neighbor_before(*right, *left);
}

/* Writes neighbour number r of a query. */
static void write_neighbor(const gg_knn_plan *plan, int64_t query, int64_t r, gg_neighbor one) {
  const int64_t at = query + r * plan->dist.ny;
  plan->index[at] = one.index;
  plan->distance[at] = isnan(one.distance) ? plan->dist.missing : one.distance;
}

/* Sorts the neighbours of a range of queries by their distances. */
static void rank_queries(void *own, gg_range queries) {
  const nearest *n = own;
  const gg_dist_plan *dist = &n->plan->dist;
  const int64_t k = n->plan->k, last = (n->room - 1) * dist->ny;
  gg_neighbor *list = n->list + queries.worker * n->room;
  for (int64_t q = queries.first; q < queries.last; ++q) {
    for (int64_t r = 0; r < n->room; ++r) {
      const int32_t i = n->index[q + r * dist->ny];
      list[r] = (gg_neighbor){distance_of(dist, i, q), i};
    }
    qsort(list, (size_t)n->room, sizeof *list, compare);
    for (int64_t r = 0; r < k; ++r)
      write_neighbor(n->plan, q, r, list[r]);
    const double limit = gg_sphere_chord_limit(dist->sphere_radius, list[k - 1].distance);
    n->unsure[q] = n->room < n->candidates && !(limit < n->chord[q + last]);
  }
}

/* Copies the neighbours of a query from a search that has not left the query itself out. */
static void take_others(const gg_knn_plan *from, int64_t at, const gg_knn_plan *to, int64_t query) {
  const bool symmetric = to->dist.symmetric;
  for (int64_t r = 0, kept = 0; r < from->k && kept < to->k; ++r) {
    const int64_t e = at + r * from->dist.ny;
    if (symmetric && from->index[e] == query) continue;
    write_neighbor(to, query, kept++, (gg_neighbor){from->distance[e], from->index[e]});
  }
}

/* Searches some queries on the host. */
static gpugeo_status search_on_host(const gg_knn_plan *plan, const int32_t *query, int64_t count,
                                    gg_call *call) {
  gg_knn_plan some = *plan;
  some.k = plan->k + plan->dist.symmetric;
  some.dist.backend = NULL;
  some.dist.symmetric = false;
  some.dist.ny = count;
  double *points = gg_allocate(count, GG_SPHERE_ROOM * sizeof *points);
  some.index = gg_allocate(count * some.k, sizeof *some.index);
  some.distance = gg_allocate(count * some.k, sizeof *some.distance);
  if (!points || !some.index || !some.distance)
    GG_TRY(call, gg_fail_memory(call->error, count * (some.k * 12 + 8 * GG_SPHERE_ROOM)));
  if (!call->status) {
    const size_t point_bytes = GG_SPHERE_ROOM * sizeof *points;
    for (int64_t i = 0; i < count; ++i)
      memcpy(points + i * GG_SPHERE_ROOM, gg_sphere_of(&plan->dist.y, query[i]) - GG_SPHERE_UNIT,
             point_bytes);
    some.dist.y.data = points;
    some.dist.y.ncol = count;
    GG_TRY(call, gg_host_backend()->knn(&some, call));
  }
  for (int64_t i = 0; !call->status && i < count; ++i)
    take_others(&some, i, plan, query[i]);
  gg_free(points);
  gg_free(some.index);
  gg_free(some.distance);
  return call->status;
}

/* Ranks the neighbours by chords, and searches those queries again whose neighbours are unsure. */
static gpugeo_status rank_all(nearest *n, gg_call *call) {
  const gg_dist_plan *dist = &n->plan->dist;
  if (gg_call_loop(call, (gg_loop){.threads = dist->threads,
                                   .count = dist->ny,
                                   .grain = 1 + 2000 / n->room,
                                   .work = rank_queries,
                                   .job = n,
                                   .begun = BACKEND_SHARE}))
    return call->status;
  int64_t count = 0;
  for (int64_t q = 0; q < dist->ny; ++q)
    if (n->unsure[q]) n->index[count++] = (int32_t)q; /* what it had is in the result */
  if (count == 0) return GPUGEO_OK;
  gg_call_part part;
  gg_call_part_begin(call, BACKEND_SHARE, 1 - BACKEND_SHARE, &part);
  search_on_host(n->plan, n->index, count, &part.call);
  return gg_call_part_end(&part);
}

gpugeo_status gg_sphere_knn(const gg_knn_plan *plan, const gg_backend *backend, gg_call *call) {
  if (call->status) return call->status;
  const gg_dist_plan *dist = &plan->dist;
  nearest n = {.plan = plan, .candidates = dist->nx - dist->symmetric};
  n.room = plan->k + MORE < n.candidates ? plan->k + MORE : n.candidates;
  n.index = gg_allocate(dist->ny * n.room, sizeof *n.index);
  n.chord = gg_allocate(dist->ny * n.room, sizeof *n.chord);
  n.list = gg_allocate(dist->threads * n.room, sizeof *n.list);
  n.unsure = gg_allocate(dist->ny, sizeof *n.unsure);
  if (!n.index || !n.chord || !n.list || !n.unsure)
    GG_TRY(call, gg_fail_memory(call->error, dist->ny * (n.room * 12 + 1)));
  gg_knn_plan chords = *plan;
  chords.dist.sphere_radius = 0;
  chords.dist.missing = NAN;
  chords.k = n.room;
  chords.index = n.index;
  chords.distance = n.chord;
  gg_call_part part;
  gg_call_part_begin(call, 0, BACKEND_SHARE, &part);
  GG_TRY(&part.call, backend->knn(&chords, &part.call));
  gg_call_part_end(&part);
  rank_all(&n, call);
  gg_free(n.index);
  gg_free(n.chord);
  gg_free(n.list);
  gg_free(n.unsure);
  return call->status;
}

/* --- within a radius -------------------------------------------------------------------------- */

typedef struct near_job {
  const gg_radius_plan *plan;
  gpugeo_neighbors *near;  /* by chords */
  gpugeo_neighbors *found; /* by distances */
} near_job;

/* Replaces chords by distances, moves those within the radius to the front of each query's, and
   counts them. */
static void count_near(void *own, gg_range queries) {
  const near_job *job = own;
  gpugeo_neighbors *near = job->near;
  for (int64_t q = queries.first; q < queries.last; ++q) {
    int64_t to = near->start[q];
    for (int64_t e = near->start[q]; e < near->start[q + 1]; ++e) {
      const double distance = distance_of(&job->plan->dist, near->index[e], q);
      if (!(distance <= job->plan->radius)) continue;
      near->index[to] = near->index[e];
      near->distance[to++] = distance;
    }
    job->found->start[q + 1] = to - near->start[q];
  }
}

/* Copies the neighbours within the radius. */
static void copy_near(void *own, gg_range queries) {
  const near_job *job = own;
  for (int64_t q = queries.first; q < queries.last; ++q) {
    const int64_t to = job->found->start[q], from = job->near->start[q];
    const size_t count = (size_t)(job->found->start[q + 1] - to);
    memcpy(job->found->index + to, job->near->index + from, count * sizeof *job->near->index);
    memcpy(job->found->distance + to, job->near->distance + from,
           count * sizeof *job->near->distance);
  }
}

gpugeo_status gg_sphere_radius(const gg_radius_plan *plan, const gg_backend *backend,
                               gpugeo_neighbors *found, gg_call *call) {
  if (call->status) return call->status;
  const gg_dist_plan *dist = &plan->dist;
  gg_radius_plan chords = *plan;
  chords.dist.sphere_radius = 0;
  chords.radius = gg_sphere_chord_limit(dist->sphere_radius, plan->radius);
  gpugeo_neighbors near = {.points = dist->ny};
  const int64_t starts = dist->ny + 1;
  near.start = gg_call_allocate(call, starts, sizeof *near.start);
  if (!near.start) return call->status;
  memset(near.start, 0, (size_t)starts * sizeof *near.start);
  gg_call_part part;
  gg_call_part_begin(call, 0, BACKEND_SHARE, &part);
  GG_TRY(&part.call, backend->radius(&chords, &near, &part.call));
  gg_call_part_end(&part);
  near_job job = {plan, &near, found};
  gg_loop loop = {.threads = dist->threads,
                  .count = dist->ny,
                  .grain = 256,
                  .work = count_near,
                  .job = &job,
                  .begun = BACKEND_SHARE};
  gg_call_loop(call, loop);
  GG_TRY(call, gg_radius_allocate(found, call->error));
  loop.work = copy_near;
  gg_call_loop(call, loop);
  gpugeo_neighbors_free(&near);
  return call->status;
}
