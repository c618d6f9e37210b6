/* Attraction along the edges. Pulls of a vertex are computed two at a time, in vectors of 128 bits,
   and added up in the order of its row. Limit: the square root, and the latency of the sum. */
#ifndef GG_CPU_ATTRACTION_H
#define GG_CPU_ATTRACTION_H

#include "common/inline.h"
#include "common/simd.h"

#if defined(GG_SIMD_HAS_128)
#define GG_LANES_128
#endif
typedef double real;

#include "common/vector.h"
#include "layout/cpu/state.h"

/* The offset of the neighbour AHEAD entries later is prefetched if all offsets take MANY bytes or
   more; fewer bytes stay in a core's own cache. */
enum { AHEAD = 16, MANY = 1 << 19 };

/* Returns the number of entries of the graph if offsets are prefetched, else 0. */
static inline int64_t gg_cpu_layout_prefetched(const gg_cpu_layout_state *state) {
  const bool many = state->n * state->dim * (int64_t)sizeof(double) >= MANY;
  return many ? state->plan->graph.start[state->n] : 0;
}

/* Returns the offset of the neighbour of an entry, and prefetches that of a later one. */
GG_INLINE const double *neighbor_at(const gg_cpu_layout_state *state, int64_t at,
                                    int64_t prefetched, int dim) {
  const int32_t *neighbor = state->plan->graph.neighbor;
  if (at + AHEAD < prefetched)
    __builtin_prefetch(state->offset + (int64_t)neighbor[at + AHEAD] * dim);
  return state->offset + (int64_t)neighbor[at] * dim;
}

/* Computes the attraction of a vertex per unit of its mass. prefetched is as above. */
GG_INLINE void gg_cpu_layout_attraction(const gg_cpu_layout_state *state, int64_t vertex,
                                        int64_t prefetched, int dim, double *sum) {
  const double *offset = state->offset + vertex * dim;
  const float *weight = state->plan->graph.weight, *mass = state->plan->mass;
  const int64_t end = state->plan->graph.start[vertex + 1];
  int64_t at = state->plan->graph.start[vertex];
  for (int c = 0; c < GG_LAYOUT_DIMS; ++c)
    sum[c] = 0;
#if GG_LANES == 2
  const V own = v_load(offset);
  V total = v_set(0); /* of the first two coordinates */
  for (; at + 2 <= end; at += 2) {
    const double *p = neighbor_at(state, at, prefetched, dim);
    const double *q = neighbor_at(state, at + 1, prefetched, dim);
    const V a = v_sub(v_load(p), own), b = v_sub(v_load(q), own);
    const V x = v_first(a, b), y = v_second(a, b);
    V square = v_add(v_mul(x, x), v_mul(y, y)), z = v_set(0);
    if (dim == 3) {
      z = v_sub(v_first(v_set(p[2]), v_set(q[2])), v_set(offset[2]));
      square = v_add(square, v_mul(z, z));
    }
    const V w = weight ? v_load_floats(weight + at) : v_set(1);
    const V factor = v_mul(w, v_sqrt(square));
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
#endif
  for (; at < end; ++at)
    gg_layout_pull(offset, neighbor_at(state, at, prefetched, dim), weight ? (double)weight[at] : 1,
                   dim, sum);
  for (int c = 0; c < dim && mass; ++c)
    sum[c] /= (double)mass[vertex];
}

#endif
