/* Elements of a borrowed view, as doubles. */
#ifndef GG_MATRIX_H
#define GG_MATRIX_H

#include <math.h>

#include "gpugeo.h"

static inline double gg_integer_value(int32_t value) {
  return value == INT32_MIN ? NAN : (double)value;
}

static inline double gg_element(const gpugeo_matrix *x, int64_t row, int64_t column) {
  const int64_t at = row + column * x->ld;
  switch (x->type) {
  case GPUGEO_TYPE_FLOAT:
    return (double)((const float *)x->data)[at];
  case GPUGEO_TYPE_INT32:
    return gg_integer_value(((const int32_t *)x->data)[at]);
  default:
    return ((const double *)x->data)[at];
  }
}

/* Returns coordinate k of point i. */
static inline double gg_coordinate(const gpugeo_matrix *x, gpugeo_points points, int64_t i,
                                   int64_t k) {
  return points == GPUGEO_POINTS_ROWS ? gg_element(x, i, k) : gg_element(x, k, i);
}

#endif
