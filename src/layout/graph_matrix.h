/* Graphs that matrices describe: lists of edges and adjacency matrices. */
#ifndef GG_GRAPH_MATRIX_H
#define GG_GRAPH_MATRIX_H

#include <stdbool.h>

#include "gpugeo.h"

/* True if a matrix lists edges: it is dense and has two columns, or three with weights in the last.
   Square ones that are symmetric are adjacency matrices: those of 2 by 2 if also the diagonal is 0,
   which is the number of no vertex. */
bool gg_lists_edges(const gpugeo_matrix *matrix);

/* The edges of an adjacency matrix, in increasing order of their ends. */
typedef struct gg_adjacency_edges {
  int64_t count;
  int32_t *ends; /* count by 2, column-major: vertices from 1, the smaller one first */
  double *weights;
} gg_adjacency_edges;

/* Finds the edges of an adjacency matrix, which messages call "graph". Each pair of vertices is an
   edge; the diagonal is not. Elements that a sparse matrix stores as 0 are edges of weight 0,
   unless only one of both halves has them. sum: how the caller's language writes the sum of the
   matrix and its transpose, for a message. The caller releases `edges` with
   gg_adjacency_edges_free(); after an error there are none. */
gpugeo_status gg_adjacency_edges_find(const gpugeo_matrix *adjacency, const char *sum,
                                      gg_adjacency_edges *edges, gpugeo_error *error);

/* Releases edges. */
void gg_adjacency_edges_free(gg_adjacency_edges *edges);

#endif
