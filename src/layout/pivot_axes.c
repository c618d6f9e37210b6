/* The principal axes of distances from pivots: eigenvectors by subspace iteration. */
#include "layout/pivot_axes.h"

#include <math.h>
#include <string.h>

#include "common/random.h"

enum {
  MOST = GG_PIVOTS_START,
  ITERATIONS = 300 /* enough for gaps of 2 % */
};

/* Makes an axis orthogonal to those before it, and of length 1, or 0 if nothing is left. */
static void orthonormalize(gg_pivot_axes *axes, int k) {
  double *axis = axes->of[k];
  for (int before = 0; before < k; ++before) {
    double dot = 0;
    for (int j = 0; j < MOST; ++j)
      dot += axis[j] * axes->of[before][j];
    for (int j = 0; j < MOST; ++j)
      axis[j] -= dot * axes->of[before][j];
  }
  double square = 0;
  for (int j = 0; j < MOST; ++j)
    square += axis[j] * axis[j];
  const double length = sqrt(square);
  for (int j = 0; j < MOST; ++j)
    axis[j] = length > 1e-30 ? axis[j] / length : 0;
}

/* Multiplies an axis by the matrix of products. */
static void multiply_axis(const gg_pivot_products *products, double *axis) {
  double made[MOST] = {0};
  for (int i = 0; i < MOST; ++i)
    for (int j = 0; j < MOST; ++j)
      made[i] += products->of[i][j] * axis[j];
  memcpy(axis, made, sizeof made);
}

void gg_pivot_axes_find(const gg_pivot_products *products, int64_t pivots, int32_t dim,
                        gg_pivot_axes *axes) {
  memset(axes, 0, sizeof *axes);
  for (int k = 0; k < dim; ++k)
    for (int64_t j = 0; j < pivots; ++j)
      axes->of[k][j] = gg_random_unit(1, (uint64_t)(k * MOST + j)) - 0.5;
  for (int i = 0; i < ITERATIONS; ++i)
    for (int k = 0; k < dim; ++k) {
      multiply_axis(products, axes->of[k]);
      orthonormalize(axes, k);
    }
}
