/*
 * Squared distances of k-means, compiled once for each instruction set, see lanes.h. A lane is a
 * point, or a centre for `squares`, and adds its coordinates in their order.
 *
 * Limited by additions: a subtraction, a multiplication and an addition for each coordinate; an
 * estimate by products takes one operation.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <math.h>

typedef double real;

#include "cluster/kmeans_kernels.h"
#include "common/vector.h"

#define UNROLL _Pragma("GCC unroll 4")
enum { VECTORS = 4 /* sums at the same time, which hides the latency of additions */ };

/* Writes the squared distances of VECTORS vectors of points from a centre. */
VFN void square_vectors(const double *center, int64_t p, const double *point, int64_t stride,
                        V *sum) {
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    sum[v] = v_set(0);
  for (int64_t j = 0; j < p; ++j) {
    const V c = v_set(center[j]);
    UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      const V difference = v_sub(v_load(point + j * stride + v * GG_LANES), c);
      sum[v] = v_add(sum[v], v_mul(difference, difference));
    }
  }
}

/* The nearest centres of the points of a vector. */
typedef struct nearest_two {
  V best, next, nearest, second;
} nearest_two;

/* Takes centre l, at the squared distance d, for those that are not as near. */
VFN void take_nearer(nearest_two *two, V d, V l) {
  const M nearer = v_lt(d, two->best), near = v_lt(d, two->next);
  two->next = v_select(nearer, two->best, v_select(near, d, two->next));
  two->second = v_select(nearer, two->nearest, v_select(near, l, two->second));
  two->best = v_select(nearer, d, two->best);
  two->nearest = v_select(nearer, l, two->nearest);
}

/* Writes what was found for a vector. */
VFN void store_nearest(const gg_kmeans_block *block, int64_t at, const nearest_two *two) {
  v_store(block->best + at, two->best);
  v_store(block->next + at, two->next);
  v_store(block->nearest + at, two->nearest);
  v_store(block->second + at, two->second);
}

/* Finds the nearest centres of VECTORS vectors of points from `first` on. */
VFN void find_nearest(const gg_kmeans_block *block, int64_t first) {
  nearest_two two[VECTORS];
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    two[v] = (nearest_two){v_set(INFINITY), v_set(INFINITY), v_set(0), v_set(1)};
  for (int64_t l = 0; l < block->k; ++l) {
    V sum[VECTORS];
    const V number = v_set((double)l);
    square_vectors(block->center + l * block->p, block->p, block->point + first, GG_KMEANS_BLOCK,
                   sum);
    UNROLL
    for (int v = 0; v < VECTORS; ++v)
      take_nearer(&two[v], sum[v], number);
  }
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    store_nearest(block, first + v * GG_LANES, &two[v]);
}

/* Returns c - a b, rounded once or twice: estimates have an error anyway. */
VFN V subtract_product(V a, V b, V c) {
#if defined(GG_LANES_AVX512) || defined(GG_LANES_AVX2)
  return v_fma(v_sub(v_set(0), a), b, c);
#else
  return v_sub(c, v_mul(a, b));
#endif
}

/* Estimates the distances of VECTORS vectors of points from two centres, of which the second one
   may be the first. */
VFN void estimate_two(const gg_kmeans_block *block, int64_t first, const int64_t *center,
                      V (*sum)[VECTORS]) {
  const double *a = block->center + center[0] * block->p, *b = block->center + center[1] * block->p;
  UNROLL
  for (int v = 0; v < VECTORS; ++v) {
    sum[0][v] = v_set(block->half[center[0]]);
    sum[1][v] = v_set(block->half[center[1]]);
  }
  for (int64_t j = 0; j < block->p; ++j) {
    const V one = v_set(a[j]), two = v_set(b[j]);
    UNROLL
    for (int v = 0; v < VECTORS; ++v) {
      const V x = v_load(block->point + j * GG_KMEANS_BLOCK + first + v * GG_LANES);
      sum[0][v] = subtract_product(one, x, sum[0][v]);
      sum[1][v] = subtract_product(two, x, sum[1][v]);
    }
  }
}

/* Writes the squared lengths of a vector of points. */
VFN void square_lengths(const gg_kmeans_block *block, int64_t at) {
  V sum = v_set(0);
  for (int64_t j = 0; j < block->p; ++j) {
    const V x = v_load(block->point + j * GG_KMEANS_BLOCK + at);
    sum = v_add(sum, v_mul(x, x));
  }
  v_store(block->squares + at, sum);
}

/* Estimates which centres are nearest to VECTORS vectors of points from `first` on. */
VFN void estimate_nearest(const gg_kmeans_block *block, int64_t first) {
  nearest_two two[VECTORS];
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    two[v] = (nearest_two){v_set(INFINITY), v_set(INFINITY), v_set(0), v_set(1)};
  for (int64_t l = 0; l < block->k; l += 2) {
    V sum[2][VECTORS];
    const int64_t center[2] = {l, l + 1 < block->k ? l + 1 : l};
    estimate_two(block, first, center, sum);
    for (int c = 0; c < 2 && l + c < block->k; ++c)
      UNROLL
    for (int v = 0; v < VECTORS; ++v)
      take_nearer(&two[v], sum[c][v], v_set((double)(l + c)));
  }
  UNROLL
  for (int v = 0; v < VECTORS; ++v)
    store_nearest(block, first + v * GG_LANES, &two[v]);
}

/* Estimates for a block. */
static GG_TARGET void estimate(const gg_kmeans_block *block) {
  for (int64_t first = 0; first < GG_KMEANS_BLOCK; first += GG_LANES)
    square_lengths(block, first);
  for (int64_t first = 0; first < GG_KMEANS_BLOCK; first += VECTORS * GG_LANES)
    estimate_nearest(block, first);
}

/* Does it for a block. */
static GG_TARGET void nearest(const gg_kmeans_block *block) {
  for (int64_t first = 0; first < GG_KMEANS_BLOCK; first += VECTORS * GG_LANES)
    find_nearest(block, first);
}

/* Writes squared distances: of VECTORS vectors at a time, one vector, and one. */
static GG_TARGET void squares(const double *point, int64_t p, const double *other, int64_t stride,
                              int64_t count, double *out) {
  int64_t i = 0;
  for (; i + VECTORS * GG_LANES <= count; i += VECTORS * GG_LANES) {
    V sum[VECTORS];
    square_vectors(point, p, other + i, stride, sum);
    UNROLL
    for (int v = 0; v < VECTORS; ++v)
      v_store(out + i + v * GG_LANES, sum[v]);
  }
  for (; i + GG_LANES <= count; i += GG_LANES) {
    V sum = v_set(0);
    for (int64_t j = 0; j < p; ++j) {
      const V difference = v_sub(v_load(other + j * stride + i), v_set(point[j]));
      sum = v_add(sum, v_mul(difference, difference));
    }
    v_store(out + i, sum);
  }
  for (; i < count; ++i) {
    out[i] = 0;
    for (int64_t j = 0; j < p; ++j)
      out[i] += (other[j * stride + i] - point[j]) * (other[j * stride + i] - point[j]);
  }
}

const gg_kmeans_kernels GG_FORM_OF(gg_kmeans_kernels) = {nearest, estimate, squares};

#endif
