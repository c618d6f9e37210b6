/*
 * The kernels of terms of stress for one instruction set and type `real`; included by
 * term_kernels_f32.c and term_kernels_f64.c, which define KERNELS. A lane is a vertex, whose sums
 * have the same order on every machine.
 *
 * Limit: a square root and a division for each term.
 */
#include <string.h>

#include "common/vector.h"
#include "layout/term_kernels.h"

#define UNROLL _Pragma("GCC unroll 3")

/* Squares of distances are at least this: a square root and a quotient of it are in the range of
   the type. */
#if defined(GG_SINGLE)
#define LEAST_SQUARE 1e-36f
#else
#define LEAST_SQUARE 1e-60
#endif

/* The sums of a lane. */
enum { WEIGHT = GG_TERM_DIMS, STRESS, SUMS };

/* A chunk of the terms, in the type of the kernel. */
typedef struct chunk {
  _Alignas(64) real distance[GG_TERM_CHUNK * GG_TERM_LANES];
  _Alignas(64) real weight[GG_TERM_CHUNK * GG_TERM_LANES];
  _Alignas(64) real at[GG_TERM_DIMS][GG_TERM_LANES];
  _Alignas(64) real sum[SUMS][GG_TERM_LANES];
  real pivot[GG_TERM_CHUNK * GG_TERM_DIMS];
} chunk;

/* Adds the term of a pivot to the sums of the vertices at x. */
VFN void add_term(const V *x, const real *y, V distance, V weight, int dim, V *sum) {
  V by[GG_TERM_DIMS], square = v_set(0);
  UNROLL for (int k = 0; k < dim; ++k) {
    by[k] = v_sub(x[k], v_set(y[k]));
    square = v_add(square, v_mul(by[k], by[k]));
  }
  const V present = v_sqrt(v_max(square, v_set(LEAST_SQUARE)));
  const V missing = v_sub(distance, present), force = v_mul(weight, missing);
  const V factor = v_div(force, present);
  UNROLL for (int k = 0; k < dim; ++k) sum[k] = v_add(sum[k], v_mul(factor, by[k]));
  sum[WEIGHT] = v_add(sum[WEIGHT], weight);
  sum[STRESS] = v_add(sum[STRESS], v_mul(force, missing));
}

/* Adds up the terms of `count` pivots for the lanes of a vector, from `lane` on. */
VFN void add_lanes(chunk *c, int64_t count, int lane, int dim) {
  V x[GG_TERM_DIMS], sum[SUMS];
  for (int k = 0; k < dim; ++k)
    x[k] = v_load(c->at[k] + lane);
  for (int k = 0; k < SUMS; ++k)
    sum[k] = v_set(0);
  for (int64_t p = 0; p < count; ++p)
    add_term(x, c->pivot + p * dim, v_load(c->distance + p * GG_TERM_LANES + lane),
             v_load(c->weight + p * GG_TERM_LANES + lane), dim, sum);
  for (int k = 0; k < SUMS; ++k)
    v_store(c->sum[k] + lane, sum[k]);
}

/* Loads the terms of `count` pivots from `first` on. */
VFN void load_chunk(const gg_terms *t, int64_t first, int64_t count, int dim, chunk *c) {
  const float *distance = t->distance + first * GG_TERM_LANES;
  const float *weight = t->weight + first * GG_TERM_LANES;
  for (int64_t p = 0; p < count; ++p)
    for (int i = 0; i < GG_TERM_LANES; ++i) {
      c->distance[p * GG_TERM_LANES + i] = (real)distance[p * GG_TERM_LANES + i];
      c->weight[p * GG_TERM_LANES + i] = (real)weight[p * GG_TERM_LANES + i];
    }
  for (int64_t i = 0; i < count * dim; ++i)
    c->pivot[i] = (real)t->pivot[first * dim + i];
}

/* Adds the sums of a chunk to those of the block. */
VFN void add_chunk(const chunk *c, int dim, gg_terms *t) {
  for (int i = 0; i < GG_TERM_LANES; ++i) {
    for (int k = 0; k < dim; ++k)
      t->pull[k][i] += (double)c->sum[k][i];
    t->weight_sum[i] += (double)c->sum[WEIGHT][i];
    t->stress[i] += (double)c->sum[STRESS][i];
  }
}

/* Fills the sums of a block. */
VFN void add_block(gg_terms *t, int dim) {
  chunk c;
  for (int k = 0; k < dim; ++k)
    for (int i = 0; i < GG_TERM_LANES; ++i)
      c.at[k][i] = (real)t->at[k][i];
  memset(t->pull, 0, sizeof t->pull);
  memset(t->weight_sum, 0, sizeof t->weight_sum);
  memset(t->stress, 0, sizeof t->stress);
  for (int64_t first = 0; first < t->count; first += GG_TERM_CHUNK) {
    const int64_t left = t->count - first, count = left < GG_TERM_CHUNK ? left : GG_TERM_CHUNK;
    load_chunk(t, first, count, dim, &c);
    for (int lane = 0; lane < GG_TERM_LANES; lane += GG_LANES)
      add_lanes(&c, count, lane, dim);
    add_chunk(&c, dim, t);
  }
}

/* Fills the sums of a block in the plane. */
GG_TARGET static void add_in_plane(gg_terms *t) { add_block(t, 2); }

/* Fills the sums of a block in space. */
GG_TARGET static void add_in_space(gg_terms *t) { add_block(t, 3); }

const gg_term_kernels KERNELS = {add_in_plane, add_in_space};
