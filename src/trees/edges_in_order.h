/* The order of the edges of a tree. */
#ifndef GG_EDGES_IN_ORDER_H
#define GG_EDGES_IN_ORDER_H

#include "gpugeo.h"

/* Edges in any order, of which those with the same parent are in the order of its children. */
typedef struct gg_loose_edges {
  int64_t count;
  const int32_t *parent, *child; /* nodes from 0 */
  const double *length;
} gg_loose_edges;

/* Writes the edges of a tree of count + 1 nodes in preorder, as gpugeo_nj() returns them; of edges
   that are no tree, those that the root reaches. Fails only without memory.

   length  NULL: lengths are not written
   from    of each edge its number in `loose`; NULL: not written */
gpugeo_status gg_edges_in_order(const gg_loose_edges *loose, int32_t root, int32_t *edge,
                                double *length, int32_t *from, gpugeo_error *error);

#endif
