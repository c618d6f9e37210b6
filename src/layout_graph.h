/* The rows of a graph, made of its edges, and its connected components. */
#ifndef GG_LAYOUT_GRAPH_H
#define GG_LAYOUT_GRAPH_H

#include "clock.h"
#include "gpugeo.h"
#include "layout.h"

/* Checks all of a graph: its shapes, and each edge's vertices and weight. */
gpugeo_status gg_layout_graph_check(const gpugeo_graph *graph, gpugeo_error *error);

/* The rows of a checked graph. To be freed by gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_graph_make(const gpugeo_graph *graph, gg_layout_graph *rows,
                                   gpugeo_error *error);
void gg_layout_graph_free(gg_layout_graph *rows);

/* Rows of the graph with so many vertices whose vertex parent[v] has v as a part. Weights of edges
   that become one add up. To be freed, also after a failure. */
gpugeo_status gg_layout_graph_merge(const gg_layout_graph *fine, const int32_t *parent,
                                    int64_t vertices, gg_layout_graph *coarse, gpugeo_error *error);

/* The connected components, in the order of their first vertices: component c has the vertices
   member[start[c]] to member[start[c + 1] - 1], in increasing order. */
typedef struct gg_layout_components {
  int64_t count;
  int64_t *start;
  int32_t *member;
  int32_t *place; /* where each vertex stands within its component, from 0 */
} gg_layout_components;

/* To be freed by gg_layout_components_free(), also after a failure. */
gpugeo_status gg_layout_components_find(const gg_layout_graph *rows,
                                        gg_layout_components *components, gpugeo_error *error);
void gg_layout_components_free(gg_layout_components *components);

static inline int64_t gg_layout_component_size(const gg_layout_components *components, int64_t c) {
  return components->start[c + 1] - components->start[c];
}

/* A component as a graph of its own, vertices numbered by their places. To be freed by
   gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_component_graph(const gg_layout_graph *rows,
                                        const gg_layout_components *components, int64_t c,
                                        gg_layout_graph *part, gpugeo_error *error);

#endif
