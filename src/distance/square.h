/* Square matrices of distances as input. Each of the two elements of a pair of points may differ a
   little from the other. */
#ifndef GG_SQUARE_H
#define GG_SQUARE_H

#include <stdbool.h>

#include "common/given.h"
#include "gpugeo.h"

/* By how much a square matrix differs from its transpose. */
typedef struct gg_asymmetry {
  double gap; /* largest difference of two elements of a pair; infinity if one is missing */
  int64_t row, column; /* of the first pair with this difference, row > column */
  double largest;      /* largest finite magnitude of the matrix */
} gg_asymmetry;

/* Compares a dense square matrix with its transpose. */
gg_asymmetry gg_asymmetry_find(const gpugeo_matrix *square);

/* True if the difference may be one of rounding: at most 1e-8 (single: 1.2e-5) of the largest. */
bool gg_is_symmetric(const gpugeo_matrix *square, const gg_asymmetry *found);

/* Fails with "<name> must be symmetric, but element (1, 2) is 3 and element (2, 1) is 4<hint>".
   above, below: the two elements. */
gpugeo_status gg_fail_asymmetric(gpugeo_error *error, const char *name, const gg_asymmetry *found,
                                 const gg_given *above, const gg_given *below, const char *hint);

/* Writes the distances below the diagonal, column by column, as floats if the matrix has floats and
   else as doubles. The mean of both elements of a pair stands for those that differ. */
void gg_square_condense(const gpugeo_matrix *square, void *condensed);

/* True for a dense matrix that is square, not negative, 0 on the diagonal and symmetric up to 100
   times the machine's precision, but not all 0. */
bool gg_looks_like_distances(const gpugeo_matrix *x);

#endif
