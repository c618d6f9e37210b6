/* Functions with which both wrappers read edges for gpugeo_dgp_graph(), and count its results. */
#ifndef GG_DGP_GRAPH_H
#define GG_DGP_GRAPH_H

#include "common/c_linkage.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Reads edges from the rows of a matrix with the columns u, v, lower and upper, or u, v and
   distance; vertices are whole numbers from 1, and `vertices` is the largest. edges: room for
   nrow(x). */
gpugeo_status gg_dgp_edges(const gpugeo_matrix *x, gpugeo_dgp_edge *edges, int64_t *vertices,
                           gpugeo_error *error);

/* Returns the number of realizations in digits, and as the nearest double in *number: "2^128 or
   more", and infinity, if there are so many. */
gpugeo_decimal gg_dgp_graph_count(const gpugeo_dgp_graph_result *result, double *number);

GG_C_END

#endif
