/* Trees of Octave. */
#ifndef GG_MEX_TREES_H
#define GG_MEX_TREES_H

#include "call.h"

/* Reads a structure, whose fields check_tree.m has checked, but for the numbers of names, for the
   rest of the call. */
void gg_mex_read_tree(gg_mex_call *call, const mxArray *made, gpugeo_tree *tree);

#endif
