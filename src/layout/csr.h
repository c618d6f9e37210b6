/* A graph in compressed sparse rows (CSR), built from its edges. */
#ifndef GG_LAYOUT_CSR_H
#define GG_LAYOUT_CSR_H

#include "gpugeo.h"
#include "layout/plan.h"

/* Returns the number of threads for a loop of `steps` steps of a few nanoseconds: at most one for
   every 16,384 steps, as waking a thread takes longer than fewer steps do. */
static inline int32_t gg_layout_threads(int32_t threads, int64_t steps) {
  const int64_t most = 1 + steps / 16384;
  return threads < most ? threads : (int32_t)most;
}

/* Checks all of a graph: its shapes, and each edge's vertices and weight. */
gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, int32_t threads,
                                    gpugeo_error *error);

/* Checks the shape of the positions of a graph's vertices: a row for each, 2 or 3 columns. */
gpugeo_status gg_layout_positions_check(const gpugeo_matrix *positions, int64_t vertices,
                                        gpugeo_error *error);

/* Builds the CSR of a checked graph: weights of equal edges are added in the order of the edges,
   and edges from a vertex to itself are left out. To be freed by gg_layout_graph_free(), also after
   a failure. */
gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, int32_t threads, gg_layout_graph *csr,
                                   gpugeo_error *error);
void gg_layout_graph_free(gg_layout_graph *csr);

#endif
