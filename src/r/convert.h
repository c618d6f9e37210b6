/* R values for the core, and the core's failures for R. */
#ifndef GG_R_CONVERT_H
#define GG_R_CONVERT_H

#define R_NO_REMAP
#include <Rinternals.h>
#include <stdbool.h>

#include "common/given.h"
#include "gpugeo.h"

/* A value as messages show it, and as a number if it is a single one. */
gg_given gg_r_given(SEXP value);

/* A view of a numeric or logical matrix, or of a vector as one column. Integer and logical storage
   is taken as it is. */
gpugeo_status gg_r_matrix(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_error *error);

/* The text of a single string as UTF-8, for as long as the call lasts. */
gpugeo_status gg_r_string(SEXP value, const char *argument, const char **text, gpugeo_error *error);

/* TRUE or FALSE. */
gpugeo_status gg_r_flag(SEXP value, const char *argument, bool *flag, gpugeo_error *error);

/* The name of a file: a single string in the encoding of the file system, with ~ spelled out. */
gpugeo_status gg_r_path(SEXP value, const char *argument, const char **path, gpugeo_error *error);

/* Single numbers, as the functions of error.h take them. */
gpugeo_status gg_r_number(SEXP value, const char *argument, const char *allowed, double *number,
                          gpugeo_error *error);
gpugeo_status gg_r_whole(SEXP value, const char *argument, int64_t least, int64_t most,
                         int64_t *number, gpugeo_error *error);
gpugeo_status gg_r_any_whole(SEXP value, const char *argument, int64_t *number,
                             gpugeo_error *error);
gpugeo_status gg_r_any_small(SEXP value, const char *argument, int32_t *number,
                             gpugeo_error *error);

/* All elements of a vector that the R code has made doubles if it was of numbers; none for NULL. */
gpugeo_status gg_r_doubles(SEXP value, const char *argument, const double **data, int64_t *length,
                           gpugeo_error *error);

/* The texts of a character vector as UTF-8, for as long as the call lasts; NULL for NULL. */
const char *const *gg_r_texts(SEXP value);

/* An element of a named list, or NULL. */
SEXP gg_r_element(SEXP list, const char *name);

/* Gives the value the attributes of a named list, in its order; those that are NULL are left out.
 */
void gg_r_set_attributes(SEXP value, SEXP attributes);

/* Raises an R condition of class "gpugeo_error", with the elements message, call, argument and
   code. It does not return, so that the caller must hold nothing but R values. */
void NORET gg_r_stop(const gpugeo_error *error, SEXP call);

#endif
