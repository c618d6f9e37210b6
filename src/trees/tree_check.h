/* Checks of trees that a caller gives. */
#ifndef GG_TREE_CHECK_H
#define GG_TREE_CHECK_H

#include "common/call.h"
#include "gpugeo.h"

/* Checks that the edges are those of a tree with the root `tips`, and writes them in preorder:
   edge: edges by 2, column-major; from: of each the row in tree->edge. Both are allocated, to be
   freed by gg_free(), also after a failure. */
gpugeo_status gg_tree_check(const gpugeo_tree *tree, int32_t **edge, int32_t **from, gg_call *call);

#endif
