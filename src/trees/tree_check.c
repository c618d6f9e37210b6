#include "trees/tree_check.h"

#include "common/error.h"
#include "common/memory.h"
#include "trees/edges_in_order.h"

enum { MOST_NODES = 1 << 30 };

/* Fails with "tree must ..., but ...". */
static gpugeo_status fail_tree(gg_call *call, const char *what, long long edge) {
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                              "tree must have edges from the root, node tips + 1, to all other "
                              "nodes, but %s %lld",
                              what, edge));
}

/* Checks the numbers of tips, nodes and edges. */
static gpugeo_status check_counts(const gpugeo_tree *tree, gg_call *call) {
  if (tree->tips < 1 || tree->nodes < 1 || tree->tips > MOST_NODES || tree->nodes > MOST_NODES)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                                "tree must have 1 to %d tips and inner nodes, not %lld and %lld",
                                MOST_NODES, (long long)tree->tips, (long long)tree->nodes));
  if (tree->edges != tree->tips + tree->nodes - 1 || !tree->edge)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "tree",
                                "tree must have an edge for each node but the root, %lld edges, "
                                "not %lld",
                                (long long)(tree->tips + tree->nodes - 1),
                                (long long)(tree->edge ? tree->edges : 0)));
  return call->status;
}

enum { HAS_ABOVE = 1, HAS_BELOW = 2 }; /* a node has an edge to the node above or below it */

/* Checks that an edge leads from an inner node to each node but the root, and that each inner node
   has edges. seen: a value for each node, all 0. */
static gpugeo_status check_edges(const gpugeo_tree *tree, unsigned char *seen, gg_call *call) {
  const int64_t all = tree->tips + tree->nodes;
  for (int64_t e = 0; e < tree->edges && !call->status; ++e) {
    const int32_t above = tree->edge[e], below = tree->edge[e + tree->edges];
    if (above < tree->tips || above >= all || below < 0 || below >= all)
      return fail_tree(call, "a node does not exist in edge", (long long)e + 1);
    if (below == tree->tips || (seen[below] & HAS_ABOVE))
      return fail_tree(call, "a node has two above it in edge", (long long)e + 1);
    seen[below] |= HAS_ABOVE;
    seen[above] |= HAS_BELOW;
  }
  for (int64_t k = tree->tips; k < all && !call->status; ++k)
    if (!(seen[k] & HAS_BELOW)) fail_tree(call, "there is none below inner node", (long long)k + 1);
  return call->status;
}

gpugeo_status gg_tree_check(const gpugeo_tree *tree, int32_t **edge, int32_t **from,
                            gg_call *call) {
  *edge = *from = NULL;
  check_counts(tree, call);
  const int64_t edges = tree->edges;
  unsigned char *seen =
      call->status ? NULL : gg_allocate_zeros(tree->tips + tree->nodes, sizeof *seen);
  *edge = gg_call_allocate(call, 2 * edges, sizeof **edge);
  *from = gg_call_allocate(call, edges, sizeof **from);
  if (!seen) GG_TRY(call, gg_fail_memory(call->error, tree->tips + tree->nodes));
  check_edges(tree, seen, call);
  gg_free(seen);
  if (call->status) return call->status;
  (*from)[edges - 1] = -1; /* stays if not all edges are reached */
  const gg_loose_edges loose = {edges, tree->edge, tree->edge + edges, NULL};
  GG_TRY(call, gg_edges_in_order(&loose, (int32_t)tree->tips, *edge, NULL, *from, call->error));
  if (!call->status && (*from)[edges - 1] < 0) fail_tree(call, "there is a circle of", edges);
  return call->status;
}
