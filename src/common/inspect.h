/* Looking through a matrix before the work: what is missing, infinite or constant in it. */
#ifndef GG_INSPECT_H
#define GG_INSPECT_H

#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

/* Checks the shape and storage of the matrix an argument gave. */
gpugeo_status gg_check_matrix(const char *argument, const gpugeo_matrix *x, gpugeo_error *error);

enum {
  GG_HAS_MISSING = 1,
  GG_HAS_INFINITE = 2,
  GG_HAS_HUGE = 4 /* finite, but not as a float */
};

/* Which of GG_HAS_... holds for x and, unless it is NULL, y. */
gpugeo_status gg_inspect(const gpugeo_matrix *x, const gpugeo_matrix *y, int32_t threads,
                         gg_clock *clock, int *found, gpugeo_error *error);

/* Does a column without missing values have no two different ones? */
bool gg_constant_column(const gpugeo_matrix *x);

/* Number of columns without missing values. */
int64_t gg_whole_columns(const gpugeo_matrix *x);

/* Copies the rows that are complete in x (and in y, unless it is NULL) as doubles, column-major, to
   memory the caller frees; kept is their number. y_copy may be NULL when y is. */
gpugeo_status gg_complete_rows(const gpugeo_matrix *x, const gpugeo_matrix *y, gg_clock *clock,
                               double **x_copy, double **y_copy, int64_t *kept,
                               gpugeo_error *error);

#endif
