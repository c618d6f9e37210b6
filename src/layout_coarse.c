/*
 * Coarser graphs for layouts. Each vertex is joined with a neighbour: the heaviest edge per mass of
 * the neighbour counts, so that masses stay alike. What finds all its neighbours taken is joined
 * with another such vertex beside the same neighbour: the leaves of a star, which have no other.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_parts.h"
#include "memory.h"

/* What the joining reads and writes. */
typedef struct joining {
  const gg_layout_graph *graph;
  const float *mass; /* NULL: all 1 */
  int32_t *order;    /* vertices by the length of their rows, shortest first */
  int32_t *partner;  /* -1: none */
  int32_t *waiting;  /* beside each vertex, one that found no partner; -1: none */
} joining;

static float mass_of(const joining *job, int64_t v) { return job->mass ? job->mass[v] : 1; }

/* Counting sort; rows of 1024 and more are alike. */
static void sort_by_degree(const joining *job) {
  enum { most = 1024 };
  int64_t begin[most + 2] = {0};
  const gg_layout_graph *graph = job->graph;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t v = 0; v < graph->vertices; ++v) {
      const int64_t length = graph->start[v + 1] - graph->start[v];
      const int64_t degree = length < most ? length : most;
      if (pass == 0)
        ++begin[degree + 1];
      else
        job->order[begin[degree]++] = (int32_t)v;
    }
    for (int64_t degree = 0; pass == 0 && degree <= most; ++degree)
      begin[degree + 1] += begin[degree];
  }
}

/* The best neighbour of v: of those without partner, or of all. -1: none. The first one of equals.
 */
static int32_t best_neighbor(const joining *job, int64_t v, bool of_all) {
  const gg_layout_graph *graph = job->graph;
  int32_t best = -1;
  float best_rate = -1;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const int32_t w = graph->neighbor[at];
    if (!of_all && job->partner[w] >= 0) continue;
    const float rate = (graph->weight ? graph->weight[at] : 1) / mass_of(job, w);
    if (rate > best_rate) best = w, best_rate = rate;
  }
  return best;
}

static void join(const joining *job, int32_t v, int32_t w) {
  job->partner[v] = w;
  job->partner[w] = v;
}

static void join_all(const joining *job) {
  const int64_t n = job->graph->vertices;
  memset(job->partner, 0xff, (size_t)n * sizeof *job->partner);
  memset(job->waiting, 0xff, (size_t)n * sizeof *job->waiting);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t v = job->order[i];
    const int32_t w = job->partner[v] < 0 ? best_neighbor(job, v, false) : -1;
    if (w >= 0) join(job, v, w);
  }
  for (int64_t i = 0; i < n; ++i) {
    const int32_t v = job->order[i];
    const int32_t beside = job->partner[v] < 0 ? best_neighbor(job, v, true) : -1;
    if (beside < 0) continue;
    const int32_t other = job->waiting[beside];
    job->waiting[beside] = other < 0 ? v : -1;
    if (other >= 0) join(job, v, other);
  }
}

/* Numbers the pairs by their first vertices. Returns how many there are. */
static int64_t number_pairs(const joining *job, int32_t *parent) {
  int64_t count = 0;
  for (int64_t v = 0; v < job->graph->vertices; ++v) {
    const int32_t w = job->partner[v];
    parent[v] = w >= 0 && w < v ? parent[w] : (int32_t)count++;
  }
  return count;
}

gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                gg_layout_coarse *coarse, gpugeo_error *error) {
  const int64_t n = fine->vertices;
  *coarse = (gg_layout_coarse){.parent = gg_allocate(n, sizeof *coarse->parent)};
  int32_t *memory = gg_allocate(3 * n, sizeof *memory);
  if (!coarse->parent || !memory) {
    free(memory);
    return gg_fail_memory(error, 4 * n * (int64_t)sizeof *memory);
  }
  const joining job = {fine, fine_mass, memory, memory + n, memory + 2 * n};
  sort_by_degree(&job);
  join_all(&job);
  const int64_t count = number_pairs(&job, coarse->parent);
  free(memory);
  coarse->mass = gg_allocate(count, sizeof *coarse->mass);
  if (!coarse->mass) return gg_fail_memory(error, count * (int64_t)sizeof *coarse->mass);
  memset(coarse->mass, 0, (size_t)count * sizeof *coarse->mass);
  for (int64_t v = 0; v < n; ++v)
    coarse->mass[coarse->parent[v]] += fine_mass ? fine_mass[v] : 1;
  return gg_layout_graph_merge(fine, coarse->parent, count, &coarse->graph, error);
}

void gg_layout_coarse_free(gg_layout_coarse *coarse) {
  gg_layout_graph_free(&coarse->graph);
  free(coarse->mass);
  free(coarse->parent);
  *coarse = (gg_layout_coarse){0};
}
