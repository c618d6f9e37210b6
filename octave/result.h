/* Results of a call. */
#ifndef GG_MEX_RESULT_H
#define GG_MEX_RESULT_H

#include "call.h"

/* Creates result number `which` of the call, a rows by columns matrix of doubles or singles, and
   returns its memory, which the core fills in place. NULL and an error when there is none. */
void *gg_mex_result(gg_mex_call *call, int which, gpugeo_type type, int64_t rows, int64_t columns);

/* Does the same for doubles. */
double *gg_mex_doubles_result(gg_mex_call *call, int which, int64_t rows, int64_t columns);

/* Creates result number `which` as a number, a line of text or a structure without fields. */
void gg_mex_number_result(gg_mex_call *call, int which, double number);
void gg_mex_text_result(gg_mex_call *call, int which, const char *text);
mxArray *gg_mex_structure_result(gg_mex_call *call, int which);

/* Creates result number `which`, the structure of a report, and returns it. */
mxArray *gg_mex_report_result(gg_mex_call *call, int which, const gpugeo_report *report);

/* Returns the structure of the last report of the process, [] when there was none. */
mxArray *gg_mex_last_report(void);

/* Writes row numbers, which users count from 1. */
void gg_mex_number_from_one(const int32_t *index, int64_t count, double *numbers);

/* Ends a call whose function has filled `found` and returned `status`: four results, the numbers of
   all neighbours, from 1, their distances, how many each point has, and the report. Takes ownership
   of the neighbours. */
void gg_mex_neighbors_results(gg_mex_call *call, gpugeo_neighbors *found, gpugeo_status status);

/* Set a field of a structure, which is added when it is not there. */
void gg_mex_set(mxArray *structure, const char *name, mxArray *value);
void gg_mex_set_number(mxArray *structure, const char *name, double number);
void gg_mex_set_text(mxArray *structure, const char *name, const char *text);

/* Sets a field to a new rows by columns matrix of doubles and returns its memory; NULL and an error
   when there is none. */
double *gg_mex_set_doubles(gg_mex_call *call, mxArray *structure, const char *name, int64_t rows,
                           int64_t columns);

#endif
