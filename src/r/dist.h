/* Distances by topological overlap that are computed when they are asked for. */
#ifndef GG_R_DIST_H
#define GG_R_DIST_H

#include "call.h"

/* Returns them, from inputs `first` on: x, and a list of the options of C_overlap. `holder`, an
   external pointer, owns them; gg_r_close_file() frees them. Raises errors. */
const gpugeo_dist_lazy *gg_r_make_overlap(gg_r_call *call, int first, SEXP holder);

#endif
