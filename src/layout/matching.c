/*
 * Matching by heavy edges. Vertices choose a partner one after the other, in the order of their
 * degree: the free neighbour with the largest weight of the edge divided by its mass, which keeps
 * masses similar. A vertex whose neighbours are all taken is matched with another such vertex that
 * has the same best neighbour: the leaves of a star, which have no other neighbour.
 *
 * Candidates are found in advance for up to AHEAD vertices by all threads: the CANDIDATES best free
 * neighbours, of which the first that is still free is taken. If none is, the row is searched
 * again. The matching is the same as that of choosing one by one, for any number of threads.
 */
#include "layout/matching.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"

enum {
  MOST_DEGREE = 1024, /* larger degrees are sorted as this one */
  CANDIDATES = 4,     /* kept for a vertex */
  AHEAD = 1 << 14,    /* vertices whose candidates are found at a time, at most */
  FEW = 256           /* candidates of fewer vertices take one thread about 10 us */
};

/* The best free neighbours of a vertex, the best first; -1: no more. */
typedef struct candidates {
  int32_t of[CANDIDATES];
} candidates;

typedef struct matching {
  const gg_layout_graph *graph;
  const float *mass; /* NULL: all 1 */
  int32_t threads;
  int32_t *order;    /* vertices by the length of their rows, shortest first */
  int32_t *partner;  /* -1: none */
  int32_t *waiting;  /* of each vertex, an unmatched one whose best neighbour it is; -1: none */
  candidates *found; /* of a part of the order */
} matching;

/* Fills the order by a counting sort. */
static void sort_by_degree(const matching *m) {
  int64_t begin[MOST_DEGREE + 2] = {0};
  const gg_layout_graph *graph = m->graph;
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t v = 0; v < graph->vertices; ++v) {
      const int64_t length = graph->start[v + 1] - graph->start[v];
      const int64_t degree = length < MOST_DEGREE ? length : MOST_DEGREE;
      if (pass == 0)
        ++begin[degree + 1];
      else
        m->order[begin[degree]++] = (int32_t)v;
    }
    for (int64_t degree = 0; pass == 0 && degree <= MOST_DEGREE; ++degree)
      begin[degree + 1] += begin[degree];
  }
}

/* Returns the rating of the neighbour in entry `at`. */
static float rate_of(const matching *m, int64_t at) {
  const float weight = m->graph->weight ? m->graph->weight[at] : 1;
  return m->mass ? weight / m->mass[m->graph->neighbor[at]] : weight;
}

/* True if neighbour v is better than another: the smaller number of equal ratings. */
static bool is_better(float rate, int32_t v, float other_rate, int32_t other) {
  return rate > other_rate || (rate == other_rate && v < other);
}

/* Returns the best free neighbours of v. */
static candidates best_free(const matching *m, int64_t v) {
  const gg_layout_graph *graph = m->graph;
  const bool alike = !graph->weight && !m->mass; /* and sorted: the first ones are the best */
  candidates best;
  float rate[CANDIDATES];
  int count = 0;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const int32_t w = graph->neighbor[at];
    if (m->partner[w] >= 0) continue;
    const float own = rate_of(m, at);
    if (count == CANDIDATES && !is_better(own, w, rate[CANDIDATES - 1], best.of[CANDIDATES - 1]))
      continue;
    int rank = count < CANDIDATES ? count++ : CANDIDATES - 1;
    for (; rank > 0 && is_better(own, w, rate[rank - 1], best.of[rank - 1]); --rank) {
      best.of[rank] = best.of[rank - 1];
      rate[rank] = rate[rank - 1];
    }
    best.of[rank] = w;
    rate[rank] = own;
    if (alike && count == CANDIDATES) break;
  }
  while (count < CANDIDATES)
    best.of[count++] = -1;
  return best;
}

/* Returns the best of all neighbours, free or not; -1: none. */
static int32_t best_of_all(const matching *m, int64_t v) {
  int32_t best = -1;
  float best_rate = -1;
  for (int64_t at = m->graph->start[v]; at < m->graph->start[v + 1]; ++at) {
    const int32_t w = m->graph->neighbor[at];
    const float rate = rate_of(m, at);
    if (is_better(rate, w, best_rate, best)) best = w, best_rate = rate;
  }
  return best;
}

/* Makes two vertices partners. */
static void match_pair(const matching *m, int32_t v, int32_t w) {
  m->partner[v] = w;
  m->partner[w] = v;
}

/* Returns the best neighbour that is still free; -1: none. */
static int32_t choose_partner(const matching *m, int32_t v, const candidates *found) {
  for (int k = 0; k < CANDIDATES; ++k) {
    const int32_t w = found->of[k];
    if (w < 0 || m->partner[w] < 0) return w;
  }
  return best_free(m, v).of[0];
}

typedef struct searching {
  const matching *matching;
  int64_t first;
} searching;

/* Runs work for a range of vertices in the order of degrees. */
static void find_candidates(const matching *m, int64_t first, int64_t last,
                            void (*work)(void *job, gg_range range)) {
  gg_parallel_for(&(gg_loop){.threads = last - first >= FEW ? m->threads : 1,
                             .count = last - first,
                             .grain = 64,
                             .work = work,
                             .job = &(searching){m, first}});
}

/* Finds the best free neighbours of a range of vertices without a partner. */
static void find_free(void *job, gg_range range) {
  const searching *l = job;
  const matching *m = l->matching;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int32_t v = m->order[l->first + k];
    if (m->partner[v] < 0) m->found[k] = best_free(m, v);
  }
}

/* Finds the best of all neighbours of a range of vertices without a partner. */
static void find_best(void *job, gg_range range) {
  const searching *l = job;
  const matching *m = l->matching;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int32_t v = m->order[l->first + k];
    if (m->partner[v] < 0) m->found[k].of[0] = best_of_all(m, v);
  }
}

/* Matches vertices [first, last) of the order. */
static void match_some(const matching *m, int64_t first, int64_t last) {
  find_candidates(m, first, last, find_free);
  for (int64_t i = first; i < last; ++i) {
    const int32_t v = m->order[i];
    if (m->partner[v] >= 0) continue;
    const int32_t w = choose_partner(m, v, &m->found[i - first]);
    if (w >= 0) match_pair(m, v, w);
  }
}

/* Matches those of [first, last) in the order that are left in pairs with the same best neighbour.
 */
static void match_left(const matching *m, int64_t first, int64_t last) {
  find_candidates(m, first, last, find_best);
  for (int64_t i = first; i < last; ++i) {
    const int32_t v = m->order[i], best = m->partner[v] < 0 ? m->found[i - first].of[0] : -1;
    if (best < 0) continue;
    const int32_t other = m->waiting[best];
    m->waiting[best] = other < 0 ? v : -1;
    if (other >= 0) match_pair(m, v, other);
  }
}

/* Matches all vertices, part by part: first with free neighbours, then those that are left. */
static void match_all(const matching *m) {
  const int64_t n = m->graph->vertices;
  /* In at least 64 parts: the larger a part, the more candidates are taken by others of it. */
  const int64_t part = n / 64 < AHEAD ? 1 + n / 64 : AHEAD;
  memset(m->partner, 0xff, (size_t)n * sizeof *m->partner);
  memset(m->waiting, 0xff, (size_t)n * sizeof *m->waiting);
  sort_by_degree(m);
  for (int64_t i = 0; i < n; i += part)
    match_some(m, i, i + part < n ? i + part : n);
  for (int64_t i = 0; i < n; i += part)
    match_left(m, i, i + part < n ? i + part : n);
}

gpugeo_status gg_layout_matching(const gg_layout_graph *graph, const float *mass, int32_t threads,
                                 int32_t *partner, gpugeo_error *error) {
  const int64_t n = graph->vertices;
  const matching m = {.graph = graph,
                      .mass = mass,
                      .threads = threads,
                      .order = gg_allocate(n, sizeof *m.order),
                      .partner = partner,
                      .waiting = gg_allocate(n, sizeof *m.waiting),
                      .found = gg_allocate(AHEAD, sizeof *m.found)};
  const bool there = m.order && m.waiting && m.found;
  if (there) match_all(&m);
  gg_free(m.order);
  gg_free(m.waiting);
  gg_free(m.found);
  return there ? GPUGEO_OK : gg_fail_memory(error, 8 * n + AHEAD * (int64_t)sizeof(candidates));
}
