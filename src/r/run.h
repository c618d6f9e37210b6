/* The settings, hooks and report of a call. */
#ifndef GG_R_RUN_H
#define GG_R_RUN_H

#include <setjmp.h>
#include <stdbool.h>

#include "convert.h"

/*
 * The hooks evaluate R code while the core computes. When that code leaves by a jump (Ctrl-C, an
 * error in the progress bar), the jump is held up at the hook, the core is asked to stop and frees
 * what it holds, and the jump goes on in gg_r_hooks_finish().
 */
typedef struct gg_r_hooks {
  SEXP progress; /* an R function of the fraction done, or NULL */
  SEXP held;     /* of R_MakeUnwindCont() */
  bool jumping;  /* a jump is held up */
  jmp_buf back;
  double fraction;
} gg_r_hooks;

/* Reads list(backend, threads, device, precision, progress, bar, memory_limit) into run and sets
   its hooks. `held` is a protected R_MakeUnwindCont(). */
gpugeo_status gg_r_run(SEXP settings, SEXP held, gg_r_hooks *hooks, gpugeo_run *run,
                       gpugeo_error *error);

/* Runs code that evaluates R code. Returns false if that was left by a jump, now or before: the
   core must then stop. */
bool gg_r_evaluate(gg_r_hooks *hooks, SEXP (*code)(void *), void *data);

/* Continues a jump that was held up. Called when the core has returned. */
void gg_r_hooks_finish(gg_r_hooks *hooks);

/* Stores the report of a call in the variable `last` of an environment, as a list, and raises
   the warnings for its notes. */
void gg_r_report(const gpugeo_report *report, const char *function, SEXP call, SEXP environment);

/* Does the same with the name of the second matrix; NULL without one. */
void gg_r_report_of(const gpugeo_report *report, const char *function, const char *y_name,
                    SEXP call, SEXP environment);

/* Raises the warnings for the notes of a report. y_name: the second matrix, or NULL. */
void gg_r_warn(const gpugeo_report *report, const char *y_name, SEXP call);

#endif
