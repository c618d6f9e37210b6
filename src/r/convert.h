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

/* Makes a view of a numeric or logical matrix, or of a vector as one column, or of a sparse matrix
   of package Matrix that is compressed by columns or rows, valid until the call ends. Integer and
   logical storage is taken as it is. */
gpugeo_status gg_r_view(SEXP value, const char *argument, gpugeo_matrix *view, gpugeo_error *error);

/* Returns an external pointer without an address, whose tag is the symbol `kind`. */
SEXP gg_r_new_pointer(const char *kind, SEXP protected);

/* Returns an external pointer without an address that owns `size` bytes, those of gg_r_held().
   `release` frees what its address names when the call is over, also when R runs out of memory. To
   be protected. */
SEXP gg_r_hold(size_t size, R_CFinalizer_t release);

/* Returns the bytes of such a pointer, which it owns. */
void *gg_r_held(SEXP holder);

/* Returns such a pointer for a gpugeo_neighbors, to be protected. */
SEXP gg_r_hold_neighbors(void);

/* Returns list(count, index, distance), index from 1, of the neighbours that a pointer owns, and
   frees these. To be protected. */
SEXP gg_r_list_neighbors(SEXP holder, int32_t threads);

/* True if a value is an external pointer that gg_r_new_pointer() made of this kind. Its address may
   be NULL: of a pointer that was saved to a file, or freed. */
bool gg_r_is_pointer(SEXP value, const char *kind);

/* Returns the name of a file, an element of a character vector, in the encoding of the file system
   and with ~ spelled out, for as long as the call lasts. */
const char *gg_r_expand(SEXP string);

/* Returns the strings of a character vector as UTF-8, valid until the call ends; NULL for NULL. */
const char *const *gg_r_texts(SEXP value);

/* Returns an element of a named list; a NULL pointer where there is none, or no list. */
SEXP gg_r_find(SEXP list, const char *name);

/* Does the same, and returns R's NULL where there is none. */
SEXP gg_r_element(SEXP list, const char *name);

/* Gives the value the attributes of a named list, in its order; those that are NULL are left out.
 */
void gg_r_set_attributes(SEXP value, SEXP attributes);

/* Sets an element of a list to a new vector, and returns it. */
SEXP gg_r_set_vector(SEXP list, int which, SEXPTYPE type, int64_t length);

/* Sets an element of a list to a number. */
void gg_r_set_number(SEXP list, int which, double number);

/* Raises an R condition of class "gpugeo_error", with the elements message, call, argument and
   code. It does not return, so the caller must hold nothing but R values. */
NORET void gg_r_stop(const gpugeo_error *error, SEXP call);

#endif
