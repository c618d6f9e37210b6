/* Inspection of a matrix before the computation: missing, infinite and constant values. */
#ifndef GG_INSPECT_H
#define GG_INSPECT_H

#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

/* Checks the shape and storage of an argument's matrix. */
gpugeo_status gg_check_matrix(const char *argument, const gpugeo_matrix *x, gpugeo_error *error);

enum {
  GG_HAS_MISSING = 1,
  GG_HAS_INFINITE = 2,
  GG_HAS_HUGE = 4 /* finite, but not as a float */
};

/* Finds which of GG_HAS_... hold for x and, unless it is NULL, y. */
gpugeo_status gg_inspect(const gpugeo_matrix *x, const gpugeo_matrix *y, int32_t threads,
                         gg_clock *clock, int *found, gpugeo_error *error);

/* True if some column without missing values is constant. */
bool gg_constant_column(const gpugeo_matrix *x);

/* Returns the number of columns without missing values. */
int64_t gg_whole_columns(const gpugeo_matrix *x);

/* Copies the rows that are complete in x (and in y, unless it is NULL) as doubles, column-major, to
   memory the caller frees; kept is their number. y_copy may be NULL when y is. */
gpugeo_status gg_complete_rows(const gpugeo_matrix *x, const gpugeo_matrix *y, gg_clock *clock,
                               double **x_copy, double **y_copy, int64_t *kept,
                               gpugeo_error *error);

#endif
