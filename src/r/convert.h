/* Conversion of R values for the core, and of the core's errors for R. */
#ifndef GG_R_CONVERT_H
#define GG_R_CONVERT_H

#define R_NO_REMAP
#include <Rinternals.h>
#include <stdbool.h>

#include "common/given.h"
#include "gpugeo.h"

/* Describes a value for the core and for messages. */
gg_given gg_r_given(SEXP value);

/* Makes a view of a numeric or logical matrix, or of a vector as one column. Integer and logical
   storage is taken as it is. */
gpugeo_status gg_r_matrix(SEXP value, const char *argument, gpugeo_matrix *view,
                          gpugeo_error *error);

/* Returns a single string as UTF-8, valid until the call ends. */
gpugeo_status gg_r_string(SEXP value, const char *argument, const char **text, gpugeo_error *error);

/* Reads TRUE or FALSE. */
gpugeo_status gg_r_flag(SEXP value, const char *argument, bool *flag, gpugeo_error *error);

/* Reads the name of a file: a single string in the encoding of the file system, with ~ expanded. */
gpugeo_status gg_r_path(SEXP value, const char *argument, const char **path, gpugeo_error *error);

/* Read single numbers by the functions of error.h. */
gpugeo_status gg_r_number(SEXP value, const char *argument, const char *allowed, double *number,
                          gpugeo_error *error);
gpugeo_status gg_r_whole(SEXP value, const char *argument, int64_t least, int64_t most,
                         int64_t *number, gpugeo_error *error);
gpugeo_status gg_r_any_whole(SEXP value, const char *argument, int64_t *number,
                             gpugeo_error *error);
gpugeo_status gg_r_any_small(SEXP value, const char *argument, int32_t *number,
                             gpugeo_error *error);

/* Returns all elements of a vector, which the R code has converted to doubles if it was numeric;
   none for NULL. */
gpugeo_status gg_r_doubles(SEXP value, const char *argument, const double **data, int64_t *length,
                           gpugeo_error *error);

/* Returns the strings of a character vector as UTF-8, valid until the call ends; NULL for NULL. */
const char *const *gg_r_texts(SEXP value);

/* Returns an element of a named list, or NULL. */
SEXP gg_r_element(SEXP list, const char *name);

/* Gives the value the attributes of a named list, in its order; those that are NULL are left out.
 */
void gg_r_set_attributes(SEXP value, SEXP attributes);

/* Raises an R condition of class "gpugeo_error", with the elements message, call, argument and
   code. It does not return, so that the caller must hold nothing but R values. */
void NORET gg_r_stop(const gpugeo_error *error, SEXP call);

#endif
