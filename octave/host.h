/* Functions of the host program that gpugeo needs and the MEX API does not have. Octave's part
   is host.cc, the only C++ outside cuda/. In other programs, or with GPUGEO_PLAIN_MEX, the
   functions below do nothing: results are copied when they are returned, a call does not check
   for Ctrl-C, and the progress line appears only on request. */
#ifndef GG_HOST_H
#define GG_HOST_H

#ifdef __cplusplus
#include <octave/mxarray.h>

#include <octave/mexproto.h>
#define HAVE_OCTAVE
#else
#include <mex.h>
#include <stdbool.h>
#endif

#if defined(HAVE_OCTAVE) && !defined(GPUGEO_PLAIN_MEX)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a rows by columns matrix whose memory has not been written to, NULL when there is no
   memory. Writing to it in place needs no copy, neither here nor when it is returned: Octave fills
   a new array with zeros on one thread, and copies what mxCreateUninitNumericMatrix() made. */
mxArray *gg_host_untouched(bool single, mwSize rows, mwSize columns);

/* Calls code(data). True if it ended with a C++ exception, Octave's way to pass on errors and
   Ctrl-C, which is kept for gg_host_rethrow(). */
bool gg_host_trap(void (*code)(void *), void *data);

/* Rethrows the exception that was kept, if there is one. */
void gg_host_rethrow(void);

/* Handles pending signals. True if one of them ends the call; gg_host_rethrow() then raises
   Octave's own interrupt, which no try statement catches. */
bool gg_host_interrupted(void);

/* True in an interactive session. */
bool gg_host_interactive(void);

#ifdef __cplusplus
}
#endif

#else

static inline mxArray *gg_host_untouched(bool single, mwSize rows, mwSize columns) {
  return mxCreateUninitNumericMatrix(rows, columns, single ? mxSINGLE_CLASS : mxDOUBLE_CLASS,
                                     mxREAL);
}
static inline bool gg_host_trap(void (*code)(void *), void *data) {
  code(data);
  return false;
}
static inline void gg_host_rethrow(void) {}
static inline bool gg_host_interrupted(void) { return false; }
static inline bool gg_host_interactive(void) { return false; }

#endif

#endif
