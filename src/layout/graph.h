/* The rows of a graph, made of its edges, and its connected components. */
#ifndef GG_LAYOUT_GRAPH_H
#define GG_LAYOUT_GRAPH_H

#include "common/clock.h"
#include "gpugeo.h"
#include "layout/layout.h"

/* Threads for so many steps of a few nanoseconds: few where they would take longer to meet. */
static inline int32_t gg_layout_threads(int32_t threads, int64_t steps) {
  const int64_t most = 1 + steps / 16384;
  return threads < most ? threads : (int32_t)most;
}

/* Checks all of a graph: its shapes, and each edge's vertices and weight. */
gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, int32_t threads,
                                    gpugeo_error *error);

/* The rows of a checked graph. To be freed by gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, int32_t threads,
                                   gg_layout_graph *rows, gpugeo_error *error);
void gg_layout_graph_free(gg_layout_graph *rows);

/* The connected components, in the order of their first vertices: component c has the vertices
   member[start[c]] to member[start[c + 1] - 1], in increasing order. */
typedef struct gg_layout_components {
  int64_t count;
  int64_t *start;
  int32_t *member;
  int32_t *place; /* where each vertex stands within its component, from 0 */
} gg_layout_components;

/* To be freed by gg_layout_components_free(), also after a failure. */
gpugeo_status gg_layout_components_find(const gg_layout_graph *rows, int32_t threads,
                                        gg_layout_components *components, gpugeo_error *error);
void gg_layout_components_free(gg_layout_components *components);

static inline int64_t gg_layout_component_size(const gg_layout_components *components, int64_t c) {
  return components->start[c + 1] - components->start[c];
}

/* A component as a graph of its own, vertices numbered by their places. To be freed by
   gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_component_graph(const gg_layout_graph *rows,
                                        const gg_layout_components *components, int64_t c,
                                        int32_t threads, gg_layout_graph *part,
                                        gpugeo_error *error);

#endif
