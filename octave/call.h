/* One call of __gpugeo__: its arguments, its results, its error, and what is released at its end.
   The first error of a call stays: the functions that read arguments do nothing after it. Only
   mexFunction() raises it, when everything is released, because raising jumps out of C code. */
#ifndef GG_MEX_CALL_H
#define GG_MEX_CALL_H

#include <mex.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "gpugeo.h"

enum { GG_MEX_RESULTS = 6 /* the most results of a command */ };

typedef struct gg_mex_call {
  const mxArray *options;       /* a structure of the family's options and the settings, or NULL */
  const mxArray *const *inputs; /* the arguments after it */
  int input_count;
  mxArray *results[GG_MEX_RESULTS];
  gpugeo_status status;
  gpugeo_error error;              /* written where status is not GPUGEO_OK */
  gpugeo_report report;            /* of the computation, for handlers */
  struct gg_mex_release *releases; /* the last one first */
  void (*handler)(struct gg_mex_call *);
  struct timespec start; /* of the computation */
  bool progress_shown;
} gg_mex_call;

/* Records the status of a function that wrote its error into call->error. True if it is no
   error. */
bool gg_mex_check(gg_mex_call *call, gpugeo_status status);

/* Has release(what) called at the end of the call, when the handler has returned: what is not a
   variable of its own. It is called at once, and the call fails, when there is no memory to note
   it. */
void gg_mex_release_later(gg_mex_call *call, void (*release)(void *), void *what);

/* Returns memory for count elements of `size` bytes until the end of the call, NULL and an error
   when there is none. */
void *gg_mex_allocate(gg_mex_call *call, int64_t count, size_t size);

/* Returns the number of what stays between calls. No other session has given it within the same
   second, so the number in a structure that was saved finds nothing. */
double gg_mex_new_number(void);

/* Releases what was noted, the last one first. */
void gg_mex_release_all(gg_mex_call *call);

#endif
