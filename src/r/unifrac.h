/* UniFrac distances that are computed when they are asked for. */
#ifndef GG_R_UNIFRAC_H
#define GG_R_UNIFRAC_H

#include "call.h"

/* Returns UniFrac distances, from inputs `first` on: those of C_unifrac, and a list of its options.
   `holder`, an external pointer, owns them; gg_r_close_file() frees them. Raises errors. */
const gpugeo_dist_lazy *gg_r_make_unifrac(gg_r_call *call, int first, SEXP holder);

#endif
