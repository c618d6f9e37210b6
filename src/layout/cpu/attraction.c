/* Attraction along the edges: pulls are computed for GG_PULL_ENTRIES entries at a time, which may
   belong to several rows, and added row by row in their order. */
#include "layout/cpu/layout.h"

/* Always inlined, so that dim is a constant. */
#define INLINE static inline __attribute__((always_inline))

/* The offset of the neighbour AHEAD entries later is prefetched if all offsets take MANY bytes or
   more; fewer bytes stay in a core's own cache. */
enum { AHEAD = 16, MANY = 1 << 19 };

/* Entries [first, first + count); the first one is in the row of `vertex` or a later one. */
typedef struct entries {
  const gg_layout_graph *graph;
  int64_t first, count, vertex;
} entries;

/* Moves a->vertex to the row of entry k, and returns the end of that row within the entries. */
INLINE int64_t seek_row(entries *a, int64_t k) {
  while (a->graph->start[a->vertex + 1] <= a->first + k)
    ++a->vertex;
  const int64_t end = a->graph->start[a->vertex + 1] - a->first;
  return end < a->count ? end : a->count;
}

INLINE void load_differences(const double *offset, entries a, int dim, bool many,
                             gg_pull_block *b) {
  const int32_t *neighbor = a.graph->neighbor + a.first;
  const int64_t last = a.graph->start[a.graph->vertices] - a.first - 1;
  for (int64_t k = 0; k < a.count;) {
    const int64_t end = seek_row(&a, k);
    const double *own = offset + a.vertex * dim;
    for (; k < end; ++k) {
      const double *other = offset + (int64_t)neighbor[k] * dim;
      if (many) {
        const int64_t ahead = k + AHEAD < last ? k + AHEAD : last;
        __builtin_prefetch(offset + (int64_t)neighbor[ahead] * dim);
      }
      GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) b->pull[c][k] = other[c] - own[c];
    }
  }
}

/* Without weights in the graph those of start_weights() stay. */
static void load_weights(const entries *a, gg_pull_block *b) {
  if (!a->graph->weight) return;
  const float *weight = a->graph->weight + a->first;
#pragma omp simd
  for (int64_t k = 0; k < a->count; ++k)
    b->weight[k] = (double)weight[k];
}

static void start_weights(int64_t count, gg_pull_block *b) {
  for (int64_t k = 0; k < count + 8 && k < GG_PULL_ENTRIES; ++k)
    b->weight[k] = 1;
}

/* Sets the pulls up to a multiple of 8 to 0, which the kernel computes too. */
static void pad(gg_pull_block *b, int64_t count) {
  for (int64_t k = count; k % 8; ++k)
    b->pull[0][k] = b->pull[1][k] = b->pull[2][k] = 0;
}

/* Adds the pulls to the sums of vertices, sum[0] being that of vertex `first`. Returns the last
   vertex. */
INLINE int64_t add_pulls(const gg_pull_block *b, entries a, int dim, int64_t first,
                         double (*sum)[GG_LAYOUT_DIMS]) {
  for (int64_t k = 0; k < a.count;) {
    const int64_t end = seek_row(&a, k);
    double total[GG_LAYOUT_DIMS];
    for (int c = 0; c < dim; ++c)
      total[c] = sum[a.vertex - first][c];
    for (; k < end; ++k)
      GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) total[c] += b->pull[c][k];
    for (int c = 0; c < dim; ++c)
      sum[a.vertex - first][c] = total[c];
  }
  return a.vertex;
}

INLINE void attract(const gg_cpu_layout_state *state, int64_t first, int64_t last, int dim,
                    bool many, double (*sum)[GG_LAYOUT_DIMS]) {
  const gg_layout_graph *graph = &state->plan->graph;
  gg_pull *pull = GG_SIMD_CHOOSE(gg_pull, gg_pull);
  gg_pull_block b;
  entries a = {.graph = graph, .first = graph->start[first], .vertex = first};
  const int64_t end = graph->start[last];
  start_weights(end - a.first, &b);
  for (; a.first < end; a.first += a.count) {
    a.count = end - a.first < GG_PULL_ENTRIES ? end - a.first : GG_PULL_ENTRIES;
    load_differences(state->offset, a, dim, many, &b);
    load_weights(&a, &b);
    pad(&b, a.count);
    pull(&b, a.count, dim);
    a.vertex = add_pulls(&b, a, dim, first, sum);
  }
}

void gg_cpu_layout_attraction(const gg_cpu_layout_state *state, int64_t first, int64_t last,
                              double (*attraction)[GG_LAYOUT_DIMS]) {
  for (int64_t i = 0; i < last - first; ++i)
    for (int c = 0; c < GG_LAYOUT_DIMS; ++c)
      attraction[i][c] = 0;
  const bool many = state->n * state->dim * (int64_t)sizeof(double) >= MANY;
  if (state->dim == 2 && many)
    attract(state, first, last, 2, true, attraction);
  else if (state->dim == 2)
    attract(state, first, last, 2, false, attraction);
  else
    attract(state, first, last, 3, true, attraction);
  const float *mass = state->plan->mass;
  for (int64_t i = first; i < last && mass; ++i)
    for (int c = 0; c < state->dim; ++c)
      attraction[i - first][c] /= (double)mass[i];
}
