/* Attraction along the edges. Pulls of a vertex are computed two at a time, in vectors of 128 bits,
   and added up in the order of its row. Limit: the square root, and the latency of the sum. */
#include "common/inline.h"
#include "common/simd.h"

#if defined(GG_SIMD_HAS_128)
#define GG_LANES_128
#endif
typedef double real;

#include "common/vector.h"
#include "layout/cpu/attraction.h"

/* The offset of the neighbour AHEAD entries later is prefetched if all offsets take MANY bytes or
   more; fewer bytes stay in a core's own cache. */
enum { AHEAD = 16, MANY = 1 << 19 };

/* The row of a vertex. */
typedef struct row {
  const double *offset; /* of all vertices */
  const double *own;
  const int32_t *neighbor;
  const float *weight; /* NULL: all 1 */
  int64_t count;       /* entries */
  int64_t ahead;       /* entries up to the last one of the graph; 0: none are prefetched */
} row;

GG_INLINE const double *offset_of(const row *r, int64_t k, int dim) {
  return r->offset + (int64_t)r->neighbor[k] * dim;
}

GG_INLINE void prefetch(const row *r, int64_t k, int dim) {
  if (k + AHEAD < r->ahead) __builtin_prefetch(offset_of(r, k + AHEAD, dim));
}

#if GG_LANES == 2

/* Adds the pulls of an even number of entries, and returns that number. */
GG_INLINE int64_t add_pairs(const row *r, int dim, double *sum) {
  const V own = v_load(r->own);
  V total = v_set(0); /* of the first two coordinates */
  int64_t k = 0;
  for (; k + 2 <= r->count; k += 2) {
    const double *p = offset_of(r, k, dim), *q = offset_of(r, k + 1, dim);
    if (r->ahead) prefetch(r, k, dim), prefetch(r, k + 1, dim);
    const V a = v_sub(v_load(p), own), b = v_sub(v_load(q), own);
    const V x = v_first(a, b), y = v_second(a, b);
    V square = v_add(v_mul(x, x), v_mul(y, y)), z = v_set(0);
    if (dim == 3) {
      z = v_sub(v_first(v_set(p[2]), v_set(q[2])), v_set(r->own[2]));
      square = v_add(square, v_mul(z, z));
    }
    const V weight = r->weight ? v_load_floats(r->weight + k) : v_set(1);
    const V factor = v_mul(weight, v_sqrt(square));
    total = v_add(total, v_mul(v_first(factor, factor), a));
    total = v_add(total, v_mul(v_second(factor, factor), b));
    if (dim == 3) {
      double pull[2];
      v_store(pull, v_mul(factor, z));
      sum[2] += pull[0];
      sum[2] += pull[1];
    }
  }
  v_store(sum, total);
  return k;
}

#else

GG_INLINE int64_t add_pairs(const row *r, int dim, double *sum) {
  (void)r, (void)dim, (void)sum;
  return 0;
}

#endif

/* Adds the pulls of the entries of a row to a sum, which is 0. */
GG_INLINE void add_row(const row *r, int dim, double *sum) {
  for (int64_t k = add_pairs(r, dim, sum); k < r->count; ++k) {
    if (r->ahead) prefetch(r, k, dim);
    gg_layout_pull(r->own, offset_of(r, k, dim), r->weight ? (double)r->weight[k] : 1, dim, sum);
  }
}

GG_INLINE void attract(const gg_cpu_layout_state *state, int64_t first, int64_t last, int dim,
                       bool many, double (*sum)[GG_LAYOUT_DIMS]) {
  const gg_layout_graph *graph = &state->plan->graph;
  const int64_t end = graph->start[graph->vertices];
  for (int64_t v = first; v < last; ++v) {
    const int64_t at = graph->start[v];
    const row r = {.offset = state->offset,
                   .own = state->offset + v * dim,
                   .neighbor = graph->neighbor + at,
                   .weight = graph->weight ? graph->weight + at : NULL,
                   .count = graph->start[v + 1] - at,
                   .ahead = many ? end - at : 0};
    double total[GG_LAYOUT_DIMS] = {0};
    add_row(&r, dim, total);
    for (int c = 0; c < GG_LAYOUT_DIMS; ++c)
      sum[v - first][c] = total[c];
  }
}

void gg_cpu_layout_attraction(const gg_cpu_layout_state *state, int64_t first, int64_t last,
                              double (*attraction)[GG_LAYOUT_DIMS]) {
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
