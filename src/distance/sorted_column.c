/* The values of a column of a matrix in ascending order. */
#include "distance/sorted_column.h"

#include <math.h>

#include "common/matrix.h"
#include "common/sparse.h"

#define MERGE_SORT_VALUE  gg_sorted_value
#define MERGE_SORT_KEY(v) (v).value
#define MERGE_SORT_COUNTS 0
#include "distance/merge_sort.h"

void gg_load_column(const gpugeo_matrix *x, int64_t j, double *values) {
  if (x->sparse) {
    gg_sparse_load(x, GPUGEO_POINTS_COLUMNS, (gg_block){j, 1, 0, x->nrow}, 1, x->nrow, values);
    return;
  }
  for (int64_t k = 0; k < x->nrow; ++k)
    values[k] = gg_element(x, k, j);
}

/* Returns the exponent of the largest magnitude of n values; 0 without one. */
static int exponent_of(const double *values, int64_t n) {
  double largest = 0;
  for (int64_t k = 0; k < n; ++k)
    largest = fabs(values[k]) > largest ? fabs(values[k]) : largest;
  return largest > 0 && largest < INFINITY ? ilogb(largest) : 0;
}

const gg_sorted_value *gg_sort_column(const gpugeo_matrix *x, int64_t j, double *values,
                                      gg_sorted_value *room, int64_t *count, bool *infinite) {
  const int64_t n = x->nrow;
  gg_load_column(x, j, values);
  const int exponent = exponent_of(values, n);
  *count = 0;
  *infinite = false;
  for (int64_t k = 0; k < n; ++k) {
    if (isnan(values[k])) continue;
    *infinite |= isinf(values[k]) != 0;
    room[(*count)++] = (gg_sorted_value){ldexp(values[k], -exponent), k};
  }
  return merge_sort(room, room + n, *count, NULL);
}
