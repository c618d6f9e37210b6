/* The spreads of columns, by which correlations become covariances. */
#ifndef GG_COLUMN_SPREAD_H
#define GG_COLUMN_SPREAD_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

/* What is found for each column. */
typedef enum gg_spread {
  GG_SPREAD_DEVIATION, /* the standard deviation */
  GG_SPREAD_RANKS,     /* that of the ranks, those of ties averaged */
  GG_SPREAD_SCALE      /* the power of two by which GG_PREPARE_MAGNITUDE divides */
} gg_spread;

/* The spreads of the columns of a matrix. Factors are the spreads divided by 16: they cannot
   overflow. That of a column with a missing or infinite value is NaN, unless it is a scale. */
typedef struct gg_column_spreads {
  double *factor, *variance;
} gg_column_spreads;

/* Finds the spreads of all columns of a matrix that is dense or sparse and has a row. Variances are
   sums of squares divided by `divisor`. *made begins as {0} and is to be freed also after a
   failure. */
gpugeo_status gg_column_spreads_make(const gpugeo_matrix *x, gg_spread spread, double divisor,
                                     int32_t threads, gg_column_spreads *made, gg_call *call);
void gg_column_spreads_free(gg_column_spreads *made);

/*
 * Multiplies out(i, j), rows by columns, column-major, by the spreads of row i and of column j.
 *
 * x, y     the spreads of rows and of columns
 * within   x and y are the same matrix: the diagonal becomes the variances, if these are known
 * missing  written where out is NaN or a factor is. Where a factor is 0 and none is NaN, out
 *          becomes 0.
 */
typedef struct gg_spread_product {
  const gg_column_spreads *x, *y;
  int64_t rows, columns;
  bool within;
  gpugeo_type type;
  void *out;
  double missing;
} gg_spread_product;

/* Computes the products in place. Fails with GPUGEO_ERROR_INTERRUPT if the clock stops it. */
gpugeo_status gg_spread_multiply(const gg_spread_product *product, int32_t threads, gg_call *call);

#endif
