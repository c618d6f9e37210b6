/*
 * Pairs of vertices for coarser graphs. Vertices choose one after the other, those with few
 * neighbours first: the heaviest edge per mass of the neighbour counts, so that masses stay alike.
 * What finds all its neighbours taken is joined with another such vertex beside the same neighbour:
 * the leaves of a star, which have no other.
 *
 * What a vertex will choose is looked up ahead for many at a time, by all threads: its few best
 * neighbours, the first of which that is then still free is its choice. Where none is, it looks
 * again. So the pairs are those of choosing one by one, whatever the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "layout/parts.h"

enum {
  MOST_DEGREE = 1024, /* vertices with as many neighbours and more are alike */
  WISHES = 4,         /* looked up of a vertex */
  AHEAD = 1 << 14,    /* vertices that look up at a time, at most */
  FEW = 256           /* fewer than these look up on one thread: that takes some 10 us */
};

/* The best free neighbours of a vertex, the best first; -1: no more. */
typedef struct wishes {
  int32_t of[WISHES];
} wishes;

typedef struct matching {
  const gg_layout_graph *graph;
  const float *mass; /* NULL: all 1 */
  int32_t threads;
  int32_t *order;   /* vertices by the length of their rows, shortest first */
  int32_t *partner; /* -1: none */
  int32_t *waiting; /* beside each vertex, one that found no partner; -1: none */
  wishes *wishes;   /* of those that look up */
} matching;

/* Counting sort. */
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

/* How good the neighbour at a place in a row is. */
static float rate_of(const matching *m, int64_t at) {
  const float weight = m->graph->weight ? m->graph->weight[at] : 1;
  return m->mass ? weight / m->mass[m->graph->neighbor[at]] : weight;
}

/* Is a neighbour better than another? Of equals the one with the smaller number is. */
static bool is_better(float rate, int32_t v, float other_rate, int32_t other) {
  return rate > other_rate || (rate == other_rate && v < other);
}

/* The best neighbours of v that are free. */
static wishes best_free(const matching *m, int64_t v) {
  const gg_layout_graph *graph = m->graph;
  const bool alike = !graph->weight && !m->mass; /* and in order: the first ones are the best */
  wishes best;
  float rate[WISHES];
  int count = 0;
  for (int64_t at = graph->start[v]; at < graph->start[v + 1]; ++at) {
    const int32_t w = graph->neighbor[at];
    if (m->partner[w] >= 0) continue;
    const float own = rate_of(m, at);
    if (count == WISHES && !is_better(own, w, rate[WISHES - 1], best.of[WISHES - 1])) continue;
    int place = count < WISHES ? count++ : WISHES - 1;
    for (; place > 0 && is_better(own, w, rate[place - 1], best.of[place - 1]); --place) {
      best.of[place] = best.of[place - 1];
      rate[place] = rate[place - 1];
    }
    best.of[place] = w;
    rate[place] = own;
    if (alike && count == WISHES) break;
  }
  while (count < WISHES)
    best.of[count++] = -1;
  return best;
}

/* The best of all neighbours; -1: none. */
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

static void join(const matching *m, int32_t v, int32_t w) {
  m->partner[v] = w;
  m->partner[w] = v;
}

/* The best neighbour that is still free; -1: none. */
static int32_t choose(const matching *m, int32_t v, const wishes *looked_up) {
  for (int k = 0; k < WISHES; ++k) {
    const int32_t w = looked_up->of[k];
    if (w < 0 || m->partner[w] < 0) return w;
  }
  return best_free(m, v).of[0];
}

/* Vertices that look up, from a place in the order on. */
typedef struct looking {
  const matching *matching;
  int64_t first;
} looking;

static void look_up(const matching *m, int64_t first, int64_t last,
                    void (*work)(void *job, gg_range range)) {
  gg_parallel_for(&(gg_loop){.threads = last - first >= FEW ? m->threads : 1,
                             .count = last - first,
                             .grain = 64,
                             .work = work,
                             .job = &(looking){m, first}});
}

static void look_up_free(void *job, gg_range range) {
  const looking *l = job;
  const matching *m = l->matching;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int32_t v = m->order[l->first + k];
    if (m->partner[v] < 0) m->wishes[k] = best_free(m, v);
  }
}

static void look_up_best(void *job, gg_range range) {
  const looking *l = job;
  const matching *m = l->matching;
  for (int64_t k = range.first; k < range.last; ++k) {
    const int32_t v = m->order[l->first + k];
    if (m->partner[v] < 0) m->wishes[k].of[0] = best_of_all(m, v);
  }
}

/* Vertices from one place in the order to another. */
static void match_some(const matching *m, int64_t first, int64_t last) {
  look_up(m, first, last, look_up_free);
  for (int64_t i = first; i < last; ++i) {
    const int32_t v = m->order[i];
    if (m->partner[v] >= 0) continue;
    const int32_t w = choose(m, v, &m->wishes[i - first]);
    if (w >= 0) join(m, v, w);
  }
}

/* Joins what is left, two by two beside the same neighbour. */
static void match_left(const matching *m, int64_t first, int64_t last) {
  look_up(m, first, last, look_up_best);
  for (int64_t i = first; i < last; ++i) {
    const int32_t v = m->order[i], beside = m->partner[v] < 0 ? m->wishes[i - first].of[0] : -1;
    if (beside < 0) continue;
    const int32_t other = m->waiting[beside];
    m->waiting[beside] = other < 0 ? v : -1;
    if (other >= 0) join(m, v, other);
  }
}

static void match_all(const matching *m) {
  const int64_t n = m->graph->vertices;
  /* In many parts, so that few look up what others take. */
  const int64_t part = n / 64 < AHEAD ? 1 + n / 64 : AHEAD;
  memset(m->partner, 0xff, (size_t)n * sizeof *m->partner);
  memset(m->waiting, 0xff, (size_t)n * sizeof *m->waiting);
  sort_by_degree(m);
  for (int64_t i = 0; i < n; i += part)
    match_some(m, i, i + part < n ? i + part : n);
  for (int64_t i = 0; i < n; i += part)
    match_left(m, i, i + part < n ? i + part : n);
}

gpugeo_status gg_layout_match(const gg_layout_graph *graph, const float *mass, int32_t threads,
                              int32_t *partner, gpugeo_error *error) {
  const int64_t n = graph->vertices;
  const matching m = {.graph = graph,
                      .mass = mass,
                      .threads = threads,
                      .order = gg_allocate(n, sizeof *m.order),
                      .partner = partner,
                      .waiting = gg_allocate(n, sizeof *m.waiting),
                      .wishes = gg_allocate(AHEAD, sizeof *m.wishes)};
  const bool there = m.order && m.waiting && m.wishes;
  if (there) match_all(&m);
  free(m.order);
  free(m.waiting);
  free(m.wishes);
  return there ? GPUGEO_OK : gg_fail_memory(error, 8 * n + AHEAD * (int64_t)sizeof(wishes));
}
