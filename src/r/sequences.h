/* Distances of sequences that are computed when they are asked for. */
#ifndef GG_R_SEQUENCES_H
#define GG_R_SEQUENCES_H

#include "call.h"

/* Returns distances of sequences, from inputs `first` on: codes, lengths and names, as
   gpu_dist_dna() passes them, and a list of its options. `holder`, an external pointer, owns them;
   gg_r_close_file() frees them. Raises errors. */
const gpugeo_dist_lazy *gg_r_make_lazy(gg_r_call *call, int first, SEXP holder);

#endif
