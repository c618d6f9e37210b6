/* The settings and hooks of a computation, and its end. */
#ifndef GG_MEX_SETTINGS_H
#define GG_MEX_SETTINGS_H

#include "call.h"

/* Reads the settings of gg_run_options (precision is by default single where `single`) and progress
   (by default on where a person types) into run. Sets the hooks for Ctrl-C and
   progress and starts the clock of the progress line. */
void gg_mex_settings(gg_mex_call *call, bool single, gpugeo_run *run);

/* Sets only the hook for Ctrl-C. */
void gg_mex_set_interrupt(gg_mex_call *call, gpugeo_run *run);

/* Finishes a computation: clears the progress line, records an error, and shows the notes of the
   report (NULL: there is none) as warnings, which call the second matrix y_name. True if there
   is no error. */
bool gg_mex_finish(gg_mex_call *call, gpugeo_status status, const gpugeo_report *report,
                   const char *y_name);

/* Does the same with the status and the report that are in the call. */
bool gg_mex_ended(gg_mex_call *call, const char *y_name);

#endif
