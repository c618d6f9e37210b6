/* The values of a column of a matrix in ascending order, with their rows. */
#ifndef GG_SORTED_COLUMN_H
#define GG_SORTED_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

/* A value and its row. */
typedef struct gg_sorted_value {
  double value;
  int64_t row;
} gg_sorted_value;

/* Copies column j of x, dense or sparse, to values. */
void gg_load_column(const gpugeo_matrix *x, int64_t j, double *values);

/*
 * Returns the values of column j of x, dense or sparse, that are not missing, in ascending order,
 * equal ones in the order of their rows. They are scaled by a power of two to magnitudes below 2.
 *
 * values    room for all rows
 * room      for twice as many; the result is in it
 * count     the number of values that are returned
 * infinite  whether one is infinite
 */
const gg_sorted_value *gg_sort_column(const gpugeo_matrix *x, int64_t j, double *values,
                                      gg_sorted_value *room, int64_t *count, bool *infinite);

#endif
