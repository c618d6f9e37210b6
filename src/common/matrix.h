/* Elements of a borrowed view that is dense, as doubles. */
#ifndef GG_MATRIX_H
#define GG_MATRIX_H

#include <math.h>

#include "gpugeo.h"

/* Returns an integer as a double; the smallest one stands for a missing value. */
static inline double gg_integer_value(int32_t value) {
  return value == INT32_MIN ? NAN : (double)value;
}

/* Returns an element of a dense matrix as a double. */
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

/* Returns the number of points of a view. */
static inline int64_t gg_point_count(const gpugeo_matrix *x, gpugeo_points points) {
  return points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
}

/* Returns the number of coordinates of a point of a view. */
static inline int64_t gg_point_size(const gpugeo_matrix *x, gpugeo_points points) {
  return points == GPUGEO_POINTS_ROWS ? x->ncol : x->nrow;
}

/* Returns the offset of the pair (j + 1, j) in a condensed matrix of n points. */
static inline int64_t gg_condensed_column(int64_t n, int64_t j) {
  return j * (n - 1) - j * (j - 1) / 2;
}

#endif
