#include "distance/neighbor_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

gg_neighbor_weights gg_neighbor_weights_find(const char *name) {
  static const char *const names[] = {"rank", "number", "jaccard", "fuzzy"};
  int found = 0;
  while (found < GG_WEIGHTS_COUNT && strcmp(name, names[found]) != 0)
    ++found;
  return (gg_neighbor_weights)found;
}

/* --- Weights of fuzzy sets -------------------------------------------------------------------- */

typedef struct fuzzy {
  const gg_nearest_lists *nearest;
  double mean;    /* of all distances */
  double *weight; /* points by k */
} fuzzy;

/* Adds up the distances of a point that are there. Returns their number. */
static int64_t sum_distances(const gg_nearest_lists *nearest, int64_t point, double *sum) {
  int64_t count = 0;
  for (int64_t r = 0; r < nearest->k; ++r) {
    const double d = nearest->distance[point + r * nearest->points];
    if (isnan(d)) continue;
    *sum += d;
    ++count;
  }
  return count;
}

/* Returns the mean of all distances that are not missing, or 0 without any. */
static double mean_distance(const gg_nearest_lists *nearest) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < nearest->points; ++i)
    count += sum_distances(nearest, i, &sum);
  return count > 0 ? sum / (double)count : 0;
}

/* Returns the smallest positive distance of a point, or 0 if it has none. */
static double nearest_distance(const gg_nearest_lists *nearest, int64_t point) {
  double least = INFINITY;
  for (int64_t r = 0; r < nearest->k; ++r) {
    const double d = nearest->distance[point + r * nearest->points];
    if (d > 0 && d < least) least = d;
  }
  return least < INFINITY ? least : 0;
}

/* Returns how much further than `least` a distance is; NaN remains NaN. */
static double beyond(double distance, double least) {
  return distance - least > 0 ? distance - least : 0 * distance;
}

/* Returns the sum of a point's weights for a scale. */
static double sum_weights(const gg_nearest_lists *nearest, int64_t point, double least,
                          double scale) {
  double sum = 0;
  for (int64_t r = 0; r < nearest->k; ++r) {
    const double d = nearest->distance[point + r * nearest->points];
    if (!isnan(d)) sum += exp(-beyond(d, least) / scale);
  }
  return sum;
}

/* Returns the scale for which the weights of a point have a sum, by bisection: a large number if
   the sum is smaller for any scale, a small one if it is larger. */
static double find_scale(const gg_nearest_lists *nearest, int64_t point, double least, double sum) {
  enum { STEPS = 64 };
  double low = 0, high = INFINITY, scale = 1;
  for (int step = 0; step < STEPS; ++step) {
    if (sum_weights(nearest, point, least, scale) > sum)
      high = scale;
    else
      low = scale;
    scale = isinf(high) ? 2 * scale : (low + high) / 2;
  }
  return scale;
}

/* Computes the weights of the neighbours of a range of points. */
static void weigh_points(void *job, gg_range range) {
  const fuzzy *f = job;
  const gg_nearest_lists *nearest = f->nearest;
  for (int64_t i = range.first; i < range.last; ++i) {
    const double least = nearest_distance(nearest, i);
    double sum = 0, mean = f->mean;
    const int64_t count = sum_distances(nearest, i, &sum);
    if (least > 0) mean = sum / (double)count;
    const double scale =
        fmax(find_scale(nearest, i, least, log2((double)nearest->k + 1)), 1e-3 * mean);
    for (int64_t r = 0; r < nearest->k; ++r) {
      const int64_t at = i + r * nearest->points;
      const double more = beyond(nearest->distance[at], least);
      f->weight[at] = more == 0 ? 1 : exp(-more / scale);
    }
  }
}

/* --- Members and hosts ------------------------------------------------------------------------ */

/* The hosts of a point are the points whose member it is. */
typedef struct members {
  const gg_nearest_lists *nearest;
  int64_t
      *start; /* points + 1: the hosts of point v are start[v] to start[v + 1] - 1 of the next */
  int32_t *host, *rank;
} members;

/* Returns the member at a rank, or -1 for none. */
static int32_t member(const members *m, int64_t point, int64_t rank) {
  if (rank == 0) return (int32_t)point;
  const int64_t at = point + (rank - 1) * m->nearest->points;
  return isnan(m->nearest->distance[at]) ? -1 : m->nearest->index[at];
}

/* Frees the lists of hosts. */
static void free_members(members *m) {
  gg_free(m->start);
  gg_free(m->host);
  gg_free(m->rank);
}

/* Lists the hosts of each point, which are the points in whose lists it is, with its rank there. */
static gpugeo_status find_hosts(members *m, gpugeo_error *error) {
  const int64_t n = m->nearest->points, k = m->nearest->k, most = n * (k + 1);
  m->start = gg_allocate_zeros(n + 2, sizeof *m->start);
  m->host = gg_allocate(most, sizeof *m->host);
  m->rank = gg_allocate(most, sizeof *m->rank);
  if (!m->start || !m->host || !m->rank) return gg_fail_memory(error, 8 * (n + most));
  /* start[v + 2] counts, then start[v + 1] is where the next host of v goes. */
  for (int64_t r = 0; r <= k; ++r)
    for (int64_t i = 0; i < n; ++i) {
      const int32_t v = member(m, i, r);
      if (v >= 0) ++m->start[v + 2];
    }
  for (int64_t v = 0; v < n; ++v)
    m->start[v + 2] += m->start[v + 1];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t r = 0; r <= k; ++r) {
      const int32_t v = member(m, i, r);
      if (v < 0) continue;
      const int64_t to = m->start[v + 1]++;
      m->host[to] = (int32_t)i;
      m->rank[to] = (int32_t)r;
    }
  return GPUGEO_OK;
}

/* --- Edges ------------------------------------------------------------------------------------ */

void gg_neighbor_edges_free(gg_neighbor_edges *edges) {
  gg_free(edges->from);
  gg_free(edges->to);
  gg_free(edges->weight);
  gg_free(edges->distance);
  *edges = (gg_neighbor_edges){0};
}

#define GROW(array, room)                                                                          \
  do {                                                                                             \
    void *grown = gg_reallocate(array, room, sizeof *(array));                                     \
    if (!grown) return gg_fail_memory(error, (room) * (int64_t)sizeof *(array));                   \
    (array) = grown;                                                                               \
  } while (0)

/* Makes room for `more` edges. */
static gpugeo_status make_room(gg_neighbor_edges *edges, int64_t more, gpugeo_error *error) {
  if (edges->count + more <= edges->room) return GPUGEO_OK;
  const int64_t room = 2 * (edges->count + more) + 1024;
  GROW(edges->from, room);
  GROW(edges->to, room);
  GROW(edges->weight, room);
  GROW(edges->distance, room);
  edges->room = room;
  return GPUGEO_OK;
}

/* What point i has with later ones. `found` has their numbers. */
typedef struct joined {
  int32_t *found;
  int64_t found_count;
  /* For each point: the number of shared members, or bit 0 if it is a neighbour of i and bit 1 if i
     is one of its neighbours; */
  int32_t *times;
  int32_t *least;   /* the smallest sum of the ranks of a shared member; */
  double *weight;   /* the weights of both directions together, */
  double *distance; /* and the distance */
} joined;

/* Allocates the points that are joined with a point. */
static gpugeo_status make_joined(joined *with, int64_t n, gpugeo_error *error) {
  with->found = gg_allocate(n, sizeof *with->found);
  with->times = gg_allocate_zeros(n, sizeof *with->times);
  with->least = gg_allocate(n, sizeof *with->least);
  with->weight = gg_allocate(n, sizeof *with->weight);
  with->distance = gg_allocate(n, sizeof *with->distance);
  const bool there = with->found && with->times && with->least && with->weight && with->distance;
  return there ? GPUGEO_OK : gg_fail_memory(error, 28 * n);
}

/* Frees the points that are joined with a point. */
static void free_joined(joined *with) {
  gg_free(with->found);
  gg_free(with->times);
  gg_free(with->least);
  gg_free(with->weight);
  gg_free(with->distance);
}

/* Finds the later points that share members with point i. */
static void find_sharing(const members *m, int64_t i, joined *with) {
  for (int64_t rank = 0; rank <= m->nearest->k; ++rank) {
    const int32_t v = member(m, i, rank);
    if (v < 0) continue;
    for (int64_t h = m->start[v]; h < m->start[v + 1]; ++h) {
      const int32_t j = m->host[h], sum = (int32_t)rank + m->rank[h];
      if (j <= i) continue;
      if (with->times[j]++ == 0) {
        with->found[with->found_count++] = j;
        with->least[j] = sum;
      } else if (sum < with->least[j]) {
        with->least[j] = sum;
      }
    }
  }
}

/* Takes a neighbour in one direction, bit 0 or 1. */
static void take_neighbor(joined *with, int32_t j, int direction, double weight, double distance) {
  if (with->times[j] == 0) {
    with->found[with->found_count++] = j;
    with->weight[j] = weight;
    with->distance[j] = distance;
  } else {
    with->weight[j] = with->weight[j] + weight - with->weight[j] * weight;
  }
  with->times[j] |= 1 << direction;
}

/* Finds the later points that are neighbours of point i, or have it as theirs. */
static void find_neighbors(const members *m, int64_t i, const double *weight, joined *with) {
  const int64_t n = m->nearest->points;
  for (int64_t r = 0; r < m->nearest->k; ++r) {
    const int32_t j = member(m, i, r + 1);
    const int64_t at = i + r * n;
    if (j > i) take_neighbor(with, j, 0, weight[at], m->nearest->distance[at]);
  }
  for (int64_t h = m->start[i]; h < m->start[i + 1]; ++h) {
    const int32_t j = m->host[h];
    const int64_t at = j + (m->rank[h] - 1) * n;
    if (j > i) take_neighbor(with, j, 1, weight[at], m->nearest->distance[at]);
  }
}

/* Compares indices for qsort(). */
static int in_order(const void *a, const void *b) {
  const int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
  return (first > second) - (first < second);
}

/* Returns the weight of the edge to point j. */
static double weight_of(const joined *with, int32_t j, gg_neighbor_weights weights, int64_t k) {
  const double number = with->times[j];
  switch (weights) {
  case GG_WEIGHTS_RANK:
    return fmax((double)k - with->least[j] / 2.0, 1e-6);
  case GG_WEIGHTS_NUMBER:
    return number;
  case GG_WEIGHTS_JACCARD:
    return number / (2 * ((double)k + 1) - number);
  default:
    return with->weight[j];
  }
}

/* Adds the edges of point i, and forgets what was found. */
static void add_edges(gg_neighbor_edges *edges, int64_t i, joined *with,
                      gg_neighbor_weights weights, bool mutual, int64_t k) {
  enum { BOTH = 3 };
  const bool fuzzy = weights == GG_WEIGHTS_FUZZY;
  qsort(with->found, (size_t)with->found_count, sizeof *with->found, in_order);
  for (int64_t f = 0; f < with->found_count; ++f) {
    const int32_t j = with->found[f];
    if (!(fuzzy && mutual && with->times[j] != BOTH)) {
      const int64_t to = edges->count++;
      edges->from[to] = (int32_t)i;
      edges->to[to] = j;
      edges->weight[to] = weight_of(with, j, weights, k);
      edges->distance[to] = fuzzy ? with->distance[j] : NAN;
    }
    with->times[j] = 0;
  }
  with->found_count = 0;
}

/* Adds the edges of all points, one point after the other. */
static gpugeo_status join_points(const members *m, gg_neighbor_weights weights, bool mutual,
                                 const double *weight, joined *with, gg_neighbor_edges *edges,
                                 gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = m->nearest->points;
  for (int64_t i = 0; i < n; ++i) {
    if (gg_call_poll(call, (double)i / (double)n)) return call->status;
    if (weights == GG_WEIGHTS_FUZZY)
      find_neighbors(m, i, weight, with);
    else
      find_sharing(m, i, with);
    if (GG_TRY(call, make_room(edges, with->found_count, call->error))) return call->status;
    add_edges(edges, i, with, weights, mutual, m->nearest->k);
  }
  return GPUGEO_OK;
}

/* Computes the weights of all neighbours in parallel. The caller must free *weight. */
static gpugeo_status weigh_neighbors(const gg_nearest_lists *nearest, int32_t threads,
                                     double **weight, gg_call *call) {
  if (call->status) return call->status;
  const int64_t size = nearest->points * nearest->k;
  *weight = gg_allocate(size, sizeof **weight);
  if (!*weight) return GG_TRY(call, gg_fail_memory(call->error, size * (int64_t)sizeof **weight));
  fuzzy f = {nearest, mean_distance(nearest), *weight};
  return gg_call_loop(call, (gg_loop){.threads = threads,
                                      .count = nearest->points,
                                      .grain = 16,
                                      .work = weigh_points,
                                      .job = &f});
}

gpugeo_status gg_neighbor_edges_make(const gg_nearest_lists *nearest, gg_neighbor_weights weights,
                                     bool mutual, const gpugeo_run *run, gg_neighbor_edges *edges,
                                     gpugeo_error *error) {
  members m = {.nearest = nearest};
  joined with = {0};
  double *weight = NULL;
  gg_call call;
  gg_call_begin(&call, run, NULL, error);
  *edges = (gg_neighbor_edges){0};
  GG_TRY(&call, find_hosts(&m, error));
  GG_TRY(&call, make_joined(&with, nearest->points, error));
  if (weights == GG_WEIGHTS_FUZZY)
    weigh_neighbors(nearest, gg_threads(run->threads), &weight, &call);
  join_points(&m, weights, mutual, weight, &with, edges, &call);
  gg_free(weight);
  free_joined(&with);
  free_members(&m);
  return call.status;
}
