/*
 * The loop over a tile of pairs, compiled once for each instruction set, see lanes.h. A lane is one
 * sum: its order does not depend on the width of a vector.
 *
 * Limited by the pipes for fma (basis), or for additions (groups): four columns at a time, two
 * vectors of lanes, so one load of a pair's value serves two operations, and eight sums hide
 * the latency of an addition.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include "ordination/cpu/sums_kernels.h"

typedef double real;
#include "common/vector.h"

enum { VECTORS = 2, STEP = VECTORS * GG_LANES, BLOCK = 4 };

/* Adds a pair's value to the sum of its column. */
VFN V add_pair(bool groups, V value, V row, V column, V sum) {
  if (groups) return v_select(v_eq(row, column), v_add(sum, value), sum);
  return v_fma(value, row, sum);
}

/* Returns a column's factors: its elements of the basis, or the weights of its groups. */
VFN V factors_of(bool groups, const gg_sum_tile *t, const double *of_column) {
  if (!groups) return v_load(of_column);
  double weight[GG_LANES] = {0};
  for (int l = 0; l < GG_LANES; ++l)
    weight[l] = t->weight[(int64_t)of_column[l]];
  return v_load(weight);
}

/* Adds `block` columns from c on for the lanes of VECTORS vectors from `lane` on. */
VFN void add_columns(bool groups, int block, const gg_sum_tile *t, int64_t c, int lane,
                     double *sum) {
  V added[BLOCK][VECTORS], column[BLOCK][VECTORS];
#pragma GCC unroll 4
  for (int k = 0; k < block; ++k)
#pragma GCC unroll 2
    for (int v = 0; v < VECTORS; ++v) {
      added[k][v] = v_set(0);
      column[k][v] = v_load(t->of_columns + (c + k) * GG_SUM_LANES + lane + v * GG_LANES);
    }
  const double *value = t->value + c * t->ld, *of_row = t->of_rows + lane;
  for (int64_t r = 0; r < t->rows; ++r, of_row += GG_SUM_LANES) {
    const V row0 = v_load(of_row), row1 = v_load(of_row + GG_LANES);
#pragma GCC unroll 4
    for (int k = 0; k < block; ++k) {
      const V a = v_set(value[r + k * t->ld]);
      added[k][0] = add_pair(groups, a, row0, column[k][0], added[k][0]);
      added[k][1] = add_pair(groups, a, row1, column[k][1], added[k][1]);
    }
  }
#pragma GCC unroll 2
  for (int v = 0; v < VECTORS; ++v) {
    V all = v_load(sum + lane + v * GG_LANES);
#pragma GCC unroll 4
    for (int k = 0; k < block; ++k) {
      const double *of_column = t->of_columns + (c + k) * GG_SUM_LANES + lane + v * GG_LANES;
      all = v_fma(added[k][v], factors_of(groups, t, of_column), all);
    }
    v_store(sum + lane + v * GG_LANES, all);
  }
}

VFN void add_tile(bool groups, const gg_sum_tile *t, double *sum) {
  for (int lane = 0; lane < GG_SUM_LANES; lane += STEP) {
    int64_t c = 0;
    for (; c + BLOCK <= t->columns; c += BLOCK)
      add_columns(groups, BLOCK, t, c, lane, sum);
    for (; c < t->columns; ++c)
      add_columns(groups, 1, t, c, lane, sum);
  }
}

GG_TARGET static void basis(const gg_sum_tile *tile, double *sum) { add_tile(false, tile, sum); }
GG_TARGET static void groups(const gg_sum_tile *tile, double *sum) { add_tile(true, tile, sum); }

const gg_sums_kernels GG_FORM_OF(gg_sums_kernels) = {basis, groups};

#endif
