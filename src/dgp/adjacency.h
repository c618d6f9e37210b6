/* Graphs: connected components and blocks. */
#ifndef GG_GRAPH_H
#define GG_GRAPH_H

#include "gpugeo.h"

/* The two vertices that an edge joins, from 0. */
typedef struct gg_ends {
  int64_t u, v;
} gg_ends;

/* The edges at each vertex: those at vertex v are edge[start[v]] up to edge[start[v + 1] - 1],
   in the order of the edges. */
typedef struct gg_graph {
  int64_t vertices, edges;
  const gg_ends *ends; /* borrowed */
  int64_t *start, *edge;
} gg_graph;

/* Creates the lists of edges. All vertices must be in range. To be freed by gg_graph_free(),
   also after a failure. */
gpugeo_status gg_graph_make(int64_t vertices, const gg_ends *ends, int64_t edges, gg_graph *graph,
                            gpugeo_error *error);
void gg_graph_free(gg_graph *graph);

/* Returns the vertex at the other end of an edge. */
static inline int64_t gg_other_end(const gg_graph *graph, int64_t edge, int64_t vertex) {
  return graph->ends[edge].u ^ graph->ends[edge].v ^ vertex;
}

/* Numbers the connected components from 0 by their first vertices; component has room for the
   vertices, count is their number. */
gpugeo_status gg_graph_components(const gg_graph *graph, int64_t *component, int64_t *count,
                                  gpugeo_error *error);

/*
 * The blocks (biconnected components) of a connected graph without loops. The block that contains a
 * block's root comes before it.
 */
typedef struct gg_blocks {
  int64_t count;
  int64_t *start; /* block b has the edges edge[start[b]] up to edge[start[b + 1] - 1] */
  int64_t *edge;  /* all edges, ascending within a block */
  int64_t *root;  /* of each block, the vertex nearest to vertex 0 */
} gg_blocks;

/* Finds the blocks, to be freed by gg_blocks_free(), also after a failure. */
gpugeo_status gg_graph_blocks(const gg_graph *graph, gg_blocks *blocks, gpugeo_error *error);
void gg_blocks_free(gg_blocks *blocks);

#endif
