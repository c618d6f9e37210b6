/* Arcs of a graph in any order, and rows made of them. */
#ifndef GG_LAYOUT_ARCS_H
#define GG_LAYOUT_ARCS_H

#include "common/radix.h"
#include "layout/layout.h"

/* Arcs under way. */
typedef struct gg_layout_arcs {
  gg_radix sort;
  int64_t count;
  int64_t vertices;
  int bits; /* of a vertex's number, and of how many there are */
  int32_t threads;
} gg_layout_arcs;

/* Room for so many arcs, each of which is to be put. To be freed by gg_layout_arcs_free(), also
   after a failure. */
gpugeo_status gg_layout_arcs_make(int64_t vertices, int64_t count, int32_t threads,
                                  gg_layout_arcs *arcs, gpugeo_error *error);
void gg_layout_arcs_free(gg_layout_arcs *arcs);

/* The arc at a place of its own. From a vertex to itself there will be none. */
void gg_layout_arcs_put(gg_layout_arcs *arcs, int64_t at, int32_t row, int32_t neighbor,
                        float weight);

/* Rows of all arcs; weights of equal ones are added up in the order of their places. To be freed by
   gg_layout_graph_free(), also after a failure. */
gpugeo_status gg_layout_arcs_rows(gg_layout_arcs *arcs, gg_layout_graph *rows, gpugeo_error *error);

#endif
