/* Inspection of a matrix before the computation: missing, infinite and constant values. */
#ifndef GG_INSPECT_H
#define GG_INSPECT_H

#include <stdbool.h>

#include "common/call.h"
#include "common/sparse.h"
#include "gpugeo.h"

/* Checks the shape and storage of an argument's matrix, which must be dense. */
gpugeo_status gg_check_matrix(const char *argument, const gpugeo_matrix *x, gpugeo_error *error);

/* Does the same for one that may be sparse. */
gpugeo_status gg_check_any_matrix(const char *argument, const gpugeo_matrix *x,
                                  gpugeo_error *error);

enum {
  GG_HAS_MISSING = 1,
  GG_HAS_INFINITE = 2,
  GG_HAS_HUGE = 4 /* finite, but not as a float */
};

/* Finds which of GG_HAS_... hold for x and, unless it is NULL, y. */
gpugeo_status gg_inspect(const gpugeo_matrix *x, const gpugeo_matrix *y, int32_t threads,
                         int *found, gg_call *call);

/* True if some column without missing values is constant. */
bool gg_constant_column(const gpugeo_matrix *x);

/* Returns the number of columns without missing values. */
int64_t gg_whole_columns(const gpugeo_matrix *x);

/* Some rows of a matrix as doubles, with the memory they take: dense or sparse, as the matrix is.
   It must stay where it is. */
typedef struct gg_rows {
  gpugeo_matrix matrix;
  double *data;
  gg_sparse_copy sparse;
} gg_rows;

/* Copies the rows that are complete in x (and in y, unless it is NULL). Both begin as {0} and are
   to be freed by gg_rows_free(), also after a failure. y_rows may be NULL when y is. */
gpugeo_status gg_complete_rows(const gpugeo_matrix *x, const gpugeo_matrix *y, gg_rows *x_rows,
                               gg_rows *y_rows, gg_call *call);
void gg_rows_free(gg_rows *rows);

#endif
