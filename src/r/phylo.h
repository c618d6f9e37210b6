/* Trees of R. */
#ifndef GG_R_PHYLO_H
#define GG_R_PHYLO_H

#include "call.h"

/* Reads the tree of an object of class "phylo", whose types R has checked, for the rest of the
   call. */
void gg_r_read_phylo(gg_r_call *call, SEXP list, gpugeo_tree *tree);

#endif
