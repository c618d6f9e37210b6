/* The principal axes of distances from pivots. */
#ifndef GG_LAYOUT_PIVOT_AXES_H
#define GG_LAYOUT_PIVOT_AXES_H

#include <stdint.h>

#include "common/c_linkage.h"

GG_C_BEGIN

enum { GG_PIVOTS_START = 50 }; /* most pivots from which the first positions are found */

/* Products of pairs of columns, one for each pivot, 0 beyond them; and axes. */
typedef struct gg_pivot_products {
  double of[GG_PIVOTS_START][GG_PIVOTS_START];
} gg_pivot_products;
typedef struct gg_pivot_axes {
  double of[3][GG_PIVOTS_START];
} gg_pivot_axes;

/* Finds the first dim eigenvectors of a symmetric matrix of products. */
void gg_pivot_axes_find(const gg_pivot_products *products, int64_t pivots, int32_t dim,
                        gg_pivot_axes *axes);

GG_C_END

#endif
