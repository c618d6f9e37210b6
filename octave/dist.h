/* Distances by topological overlap that are computed when they are asked for. */
#ifndef GG_MEX_DIST_H
#define GG_MEX_DIST_H

#include "call.h"

/* Returns those of the fields `overlap`, a matrix, and `options` of a structure, or NULL after an
   error. They are freed at the end of the call. */
const gpugeo_dist_lazy *gg_mex_make_overlap(gg_mex_call *call, const mxArray *about);

#endif
