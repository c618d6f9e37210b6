/* The connected components of a graph. */
#ifndef GG_LAYOUT_COMPONENTS_H
#define GG_LAYOUT_COMPONENTS_H

#include "layout/csr.h"

/* The connected components, in the order of their first vertices: component c has the vertices
   member[start[c]] to member[start[c + 1] - 1], in increasing order. */
typedef struct gg_layout_components {
  int64_t count;
  int64_t *start;
  int32_t *member;
  int32_t *rank; /* of each vertex within its component, from 0 */
} gg_layout_components;

/* Finds the components. To be freed by gg_layout_components_free(), also after a failure. */
gpugeo_status gg_layout_components_find(const gg_layout_graph *csr, int32_t threads,
                                        gg_layout_components *components, gpugeo_error *error);
void gg_layout_components_free(gg_layout_components *components);

/* Returns the number of vertices of component c. */
static inline int64_t gg_layout_component_size(const gg_layout_components *components, int64_t c) {
  return components->start[c + 1] - components->start[c];
}

/* Copies component c into a graph of its own, whose vertices are numbered by their ranks. To be
   freed by gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_component_graph(const gg_layout_graph *csr,
                                        const gg_layout_components *components, int64_t c,
                                        int32_t threads, gg_layout_graph *part,
                                        gpugeo_error *error);

#endif
