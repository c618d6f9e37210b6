/* Reads graphs in GraphML (http://graphml.graphdrawing.org/specification.html) by expat. */
#ifndef GG_LAYOUT_GRAPHML_H
#define GG_LAYOUT_GRAPHML_H

#include "common/text_file.h"
#include "layout/vertex_names.h"

/* Takes the edges of a file. */
typedef struct gg_graphml_edges {
  /* Adds an edge between two vertices, numbered from 0. `weight` is the text of its attribute
     "weight", NULL if it has none. */
  gpugeo_status (*add)(void *data, const int32_t *ends, char *weight, gpugeo_error *error);
  void *data;
} gg_graphml_edges;

/* Reads a whole file. Names are the attributes "id" of nodes. Fails for nested graphs, ports,
   hyperedges, references to other files, several graphs, and a document type, which could declare
   entities; and always if gpugeo was built without expat. */
gpugeo_status gg_graphml_read(gg_text_file *text, const gg_graphml_edges *edges,
                              gg_vertex_names *names, gpugeo_error *error);

#endif
