/* Lengths of a graph's edges. */
#ifndef GG_LAYOUT_LENGTHS_H
#define GG_LAYOUT_LENGTHS_H

#include "common/call.h"
#include "layout/csr.h"

/* Checks the lengths of a checked graph's edges: one for each edge, positive and finite; NULL is
   allowed. */
gpugeo_status gg_layout_lengths_check(const gpugeo_graph *graph, const double *lengths,
                                      int64_t count, gpugeo_error *error);

/* Returns the length of each entry of the CSR, to be freed by gg_free(): the least of the edges
   between its two vertices. NULL if lengths is NULL, or if the call has failed. */
double *gg_layout_lengths_make(const gpugeo_graph *graph, const double *lengths,
                               const gg_layout_graph *csr, gg_call *call);

#endif
