/* Biweight midcorrelations: the columns of a matrix become weighted deviations from the median, or
   those from the mean with weights that are given. */
#ifndef GG_BICOR_H
#define GG_BICOR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/call.h"
#include "distance/sorted_column.h"
#include "gpugeo.h"

/* How the columns of a matrix are transformed. */
typedef struct gg_bicor_rule {
  bool robust, cosine;
  double max_outliers;
  gpugeo_pearson_fallback fallback;
  const double *weights; /* borrowed, of each value, if not robust; or NULL */
} gg_bicor_rule;

/*
 * The columns of a matrix, transformed. z is dense, rows by columns, and each column has length 1.
 * What is missing is 0 in it if rows are left out for each pair; otherwise a column with a missing
 * value is NaN, as one without correlation always is.
 *
 * sorted, present, count   only if rows are left out for each pair: the values of each column,
 *                          rows of them, in ascending order, of which there are count; and a bit
 *                          for each row that is not missing, words of them for each column
 */
typedef struct gg_bicor_columns {
  int64_t rows, columns, words;
  gg_bicor_rule rule;
  double *z;
  gg_sorted_value *sorted;
  uint64_t *present;
  int64_t *count;
  int64_t zero_mad; /* columns with a median absolute deviation of 0, and the first of them */
  int64_t first[GPUGEO_MISSING_ROWS_MAX];
  bool flat; /* a column that is not robust is constant */
} gg_bicor_columns;

/* Transforms the columns of x, which may be sparse. *made begins as {0} and is to be freed also
   after a failure. */
gpugeo_status gg_bicor_make(const gpugeo_matrix *x, const gg_bicor_rule *rule, bool pairwise,
                            int32_t threads, gg_bicor_columns *made, gg_call *call);
void gg_bicor_free(gg_bicor_columns *made);

/* Returns the bytes of the transformed columns of a matrix. */
double gg_bicor_bytes(const gpugeo_matrix *x, bool pairwise);

/* The pairs of columns of which rows are left out. */
typedef struct gg_bicor_pairs {
  const gg_bicor_columns *x, *y; /* the same for those within x */
  double tolerance; /* a column is transformed anew for a pair that lacks more of its rows */
  gpugeo_type type;
  void *out; /* x->columns by y->columns, column-major */
  double missing;
} gg_bicor_pairs;

/* Replaces the correlations of pairs with missing values by those of the rows that both have. */
gpugeo_status gg_bicor_replace(const gg_bicor_pairs *pairs, int32_t threads, gg_call *call);

#endif
