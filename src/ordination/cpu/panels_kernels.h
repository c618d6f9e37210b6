/* The product with a panel of vectors, for each instruction set. */
#ifndef GG_PANELS_KERNELS_H
#define GG_PANELS_KERNELS_H

#include <stdint.h>

#include "common/simd.h"
#include "ordination/krylov.h"

/* A matrix whose element (x, y) is a[x * row_step + y * step], and a panel: GG_PANEL values of each
   of `count` points. */
typedef struct gg_panel_product {
  const double *a;
  int64_t row_step, step, rows, count;
  const double *panel;
} gg_panel_product;

/* Adds to out, GG_PANEL values of each row, the sums over y of element (x, y) times the values of
   point y, in the order of the points. */
typedef void gg_panel_kernel(const gg_panel_product *product, double *out);

extern gg_panel_kernel GG_SIMD_FORMS(gg_panel_multiply);

#endif
