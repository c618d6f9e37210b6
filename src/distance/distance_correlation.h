/* Distance correlations of columns. */
#ifndef GG_DISTANCE_CORRELATION_H
#define GG_DISTANCE_CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/call.h"
#include "gpugeo.h"

/* The distance correlations out(i, j), column-major, of the columns of x with those of y, which is
   NULL for those within x. */
typedef struct gg_dcor_plan {
  const gpugeo_matrix *x, *y; /* dense or sparse */
  bool pairwise; /* rows are left out for each pair of columns; otherwise a column with a missing
                    value has missing correlations */
  gpugeo_type type;
  void *out;
  double missing;
  int32_t threads;
} gg_dcor_plan;

gpugeo_status gg_dcor(const gg_dcor_plan *plan, gg_call *call);

/* Returns the bytes of working memory for columns, of one matrix or two. */
double gg_dcor_bytes(int64_t rows, int64_t columns, int32_t threads);

#endif
