/* Arguments of a call as the core takes them. Every function leaves its results alone, and does
   nothing else, after an error of the call. */
#ifndef GG_MEX_VALUE_H
#define GG_MEX_VALUE_H

#include "call.h"
#include "common/option_table.h"

/* True for a structure that is not an array of several or none. */
bool gg_mex_is_structure(const mxArray *value);

/* Returns a field of such a structure, NULL when it has none of the name. */
const mxArray *gg_mex_field(const mxArray *structure, const char *name);

/* Does the same; NULL also if the field is [], which stands for the default. */
const mxArray *gg_mex_given_field(const mxArray *structure, const char *name);

/* Returns an option of the call; NULL when it is absent, or [], or the call has failed. */
const mxArray *gg_mex_option(gg_mex_call *call, const char *name);

/* Returns a value as messages show it, and as a number if it is a single one. */
gg_given gg_mex_given(const mxArray *value);

/* Returns a value that must be one line of text, for the rest of the call; NULL and an error when
   it is none. */
const char *gg_mex_text(gg_mex_call *call, const mxArray *value, const char *name);

/* Returns the option, for the rest of the call; NULL when it is absent, or no text (an error). */
const char *gg_mex_word(gg_mex_call *call, const char *name);

/* Returns the option that is the name of a constant of an enum; `otherwise` when it is absent. */
int32_t gg_mex_choice(gg_mex_call *call, const char *name, gpugeo_enum kind, int32_t otherwise);

/* Read options that must be single values, as the functions of src/common/error.h take them. */
void gg_mex_flag(gg_mex_call *call, const char *name,
                 int32_t *flag); /* true and false, or 1 and 0 */
void gg_mex_whole(gg_mex_call *call, const char *name, int64_t least, int64_t most,
                  int64_t *number);

/* Reads a real matrix for the rest of the call. Doubles, singles and int32 are borrowed without a
   copy; other integers, logical and sparse matrices are converted to full doubles. Octave's
   integers have no missing value: an int32 matrix that contains the number by which the core marks
   one becomes doubles, too. */
void gg_mex_matrix(gg_mex_call *call, const mxArray *value, const char *name, gpugeo_matrix *view);

/* Does the same, but borrows a sparse matrix without expanding it; the elements of a logical one
   are converted. */
void gg_mex_any_matrix(gg_mex_call *call, const mxArray *value, const char *name,
                       gpugeo_matrix *view);

/* Reads all elements of a value as doubles, for the rest of the call. NULL stands for none. */
void gg_mex_doubles(gg_mex_call *call, const mxArray *value, const char *name, const double **data,
                    int64_t *length);

/* Reads numbers of points, from 1, as numbers from 0. */
const int64_t *gg_mex_points_from_one(gg_mex_call *call, const mxArray *value, const char *name,
                                      int64_t points, int64_t *count);

/* Reads an option of whole numbers that a user function has made int32, for the rest of the call.
 */
void gg_mex_int32s(gg_mex_call *call, const char *name, const int32_t **data, int64_t *length);

/* The inputs of a family that takes one matrix of points or two. */
typedef struct gg_mex_points {
  gpugeo_matrix x, second;
  const gpugeo_matrix *y; /* NULL: within x */
  bool single;            /* the result is single because an input is */
  gpugeo_type type;       /* of the result */
} gg_mex_points;

/* Reads the one or two inputs of the call; messages call the second y_name. Sparse ones are
   expanded unless the family takes them. */
void gg_mex_read_points(gg_mex_call *call, const char *y_name, bool takes_sparse,
                        gg_mex_points *points);

/* Reads the options of a table that the call has into a struct of options, which keeps its values
   for the others. What they borrow stays for the rest of the call. */
void gg_mex_read_options(gg_mex_call *call, const gg_option_table *table, void *options);

#endif
