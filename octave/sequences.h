/* Distances of sequences that are computed when they are asked for. */
#ifndef GG_MEX_SEQUENCES_H
#define GG_MEX_SEQUENCES_H

#include "call.h"

/* Returns those of the fields `sequences` and `options` of a structure that gpu_seqpdist returns,
   or NULL after an error. They are freed at the end of the call. */
const gpugeo_dist_lazy *gg_mex_make_lazy(gg_mex_call *call, const mxArray *about);

#endif
