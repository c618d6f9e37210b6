/* Lengths of a graph's edges. */
#ifndef GG_LAYOUT_LENGTHS_H
#define GG_LAYOUT_LENGTHS_H

#include "common/call.h"
#include "layout/components.h"

/* The least and the largest length of an edge in a layout. */
#define GG_LAYOUT_LENGTH_LEAST 1e-300
#define GG_LAYOUT_LENGTH_MOST  1e300

/* Checks the lengths of a checked graph's edges: one for each edge, positive and finite, and within
   these limits if `limited`; NULL is allowed. */
gpugeo_status gg_layout_lengths_check(const gpugeo_graph *graph, const double *lengths,
                                      int64_t count, bool limited, gpugeo_error *error);

/* Returns the length of each entry of the CSR, to be freed by gg_free(): the least of the edges
   between its two vertices. NULL if lengths is NULL, or if the call has failed. */
double *gg_layout_lengths_make(const gpugeo_graph *graph, const double *lengths,
                               const gg_layout_graph *csr, gg_call *call);

/* Returns the lengths of the entries of the graph of component c, or NULL as above. */
double *gg_layout_component_lengths(const gg_layout_graph *csr,
                                    const gg_layout_components *components, int64_t c,
                                    const double *length, gg_call *call);

#endif
