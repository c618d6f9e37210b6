/* One call from R: its inputs, options and settings, its error, its hooks, and its report.

   An entry point of a family is `SEXP gg_r_x(SEXP inputs, SEXP options, SEXP settings, SEXP call)`:
     inputs    a list of the data, in the order of the arguments
     options   a named list
     settings  run_settings() in R/settings.R
     call      for conditions
   The first error of a call stays: the functions that read arguments do nothing after it. It is
   raised by gg_r_require() and gg_r_finish(), which do not return then, so the caller must
   hold nothing but R values. */
#ifndef GG_R_CALL_H
#define GG_R_CALL_H

#include <setjmp.h>

#include "common/option_table.h"
#include "convert.h"

/*
 * The hooks evaluate R code while the core computes. When that code leaves by a jump (Ctrl-C, an
 * error in the progress bar), the jump is held up at the hook, the core is asked to stop and frees
 * what it holds, and the jump goes on in gg_r_finish().
 */
typedef struct gg_r_call {
  SEXP inputs, options, settings, call;
  gpugeo_status status;
  gpugeo_error error; /* written where status is not GPUGEO_OK */
  gpugeo_report report;
  SEXP held;    /* of R_MakeUnwindCont() */
  SEXP kept;    /* a list of what R must not collect before the end: held, and open files */
  bool jumping; /* a jump is held up */
  jmp_buf back;
  double fraction; /* that the progress bar shows */
} gg_r_call;

/* Begins a call. Returns a value that the caller must protect until gg_r_finish(). */
SEXP gg_r_begin(gg_r_call *call, SEXP inputs, SEXP options, SEXP settings, SEXP r_call);

/* Records what a function returned that wrote its error into call->error. True if it is no error.
 */
bool gg_r_check(gg_r_call *call, gpugeo_status status);

/* Raises the error of the call, if there is one. */
void gg_r_require(gg_r_call *call);

/* Takes what a computation returned: lets a jump go on that was held up, or raises the error. */
void gg_r_continue(gg_r_call *call, gpugeo_status status);

/* Closes a file of distances by its holder, an external pointer or NULL in R's sense. With a tag it
   holds distances of sequences, which are freed. */
void gg_r_close_file(SEXP holder);

/* Does the same as gg_r_continue() at the end of a call, and closes its file. */
void gg_r_finish(gg_r_call *call, gpugeo_status status);

/* Puts the report of the call into the variable `last` of the settings' environment, as a list, and
   warns of what its notes say. y_name: the name of the second matrix, or NULL. */
void gg_r_report(gg_r_call *call, const char *function, const char *y_name);

/* Only warns. */
void gg_r_warn(gg_r_call *call, const char *y_name);

/* Runs code that evaluates R code; false when that left by a jump, now or before: the core must
   then be asked to stop. */
bool gg_r_evaluate(gg_r_call *call, SEXP (*code)(void *), void *data);

/* --- Reading ---------------------------------------------------------------------------------- */

/* Returns an element of the inputs. */
SEXP gg_r_input(const gg_r_call *call, int number);

/* Returns an option, or where there is none of the name, a setting; else NULL. */
SEXP gg_r_option(const gg_r_call *call, const char *name);

/* True if the option is not NULL, and the call has not failed. */
bool gg_r_has(const gg_r_call *call, const char *name);

/* Reads a matrix as gg_r_view() does. */
void gg_r_matrix(gg_r_call *call, SEXP value, const char *name, gpugeo_matrix *view);

/* Returns the text of a single string as UTF-8, or of a path, for as long as the call lasts; NULL
   and an error if it is none. */
const char *gg_r_text(gg_r_call *call, SEXP value, const char *name);
const char *gg_r_path(gg_r_call *call, SEXP value, const char *name);

/* Likewise an option. */
const char *gg_r_word(gg_r_call *call, const char *name);

/* Returns the constant of an enum that an option names. */
int32_t gg_r_choice(gg_r_call *call, const char *name, gpugeo_enum kind);

/* Read options that must be single values, as the functions of src/common/error.h take them. */
void gg_r_flag(gg_r_call *call, const char *name, int32_t *flag);
void gg_r_whole(gg_r_call *call, const char *name, int64_t least, int64_t most, int64_t *number);
void gg_r_any_whole(gg_r_call *call, const char *name, int64_t *number);

/* Reads all elements of a vector that the R code has made doubles if it was of numbers; none for
   NULL. */
void gg_r_doubles(gg_r_call *call, SEXP value, const char *name, const double **data,
                  int64_t *length);

/* The inputs of a family that takes one matrix of points or two. */
typedef struct gg_r_points {
  gpugeo_matrix x, second;
  const gpugeo_matrix *y; /* NULL: within x */
} gg_r_points;

/* Reads the two inputs of the call, the second of which may be NULL; messages call it y_name. */
void gg_r_read_points(gg_r_call *call, const char *y_name, gg_r_points *points);

/* Reads the options of a table that the call has, or that its settings have, into a struct of
   options, which keeps its values for the others. */
void gg_r_read_options(gg_r_call *call, const gg_option_table *table, void *options);

/* Reads the settings of gg_run_options and progress into run, and sets its hooks. */
void gg_r_settings(gg_r_call *call, gpugeo_run *run);

#endif
