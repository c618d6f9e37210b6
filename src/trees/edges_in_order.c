#include "trees/edges_in_order.h"

#include "common/error.h"
#include "common/memory.h"

/* The edges by parent: those of node i are at[start[i]] to at[start[i + 1] - 1]. */
typedef struct by_parent {
  int64_t *start;
  int32_t *at, *stack;
} by_parent;

/* Sorts the edges by parent, in their order within each. start has room for the nodes and two
   more, all 0. */
static void sort_edges(const gg_loose_edges *loose, by_parent *sorted) {
  int64_t *start = sorted->start;
  for (int64_t e = 0; e < loose->count; ++e)
    ++start[loose->parent[e] + 2];
  for (int64_t i = 2; i < loose->count + 3; ++i)
    start[i] += start[i - 1];
  for (int64_t e = 0; e < loose->count; ++e)
    sorted->at[start[loose->parent[e] + 1]++] = (int32_t)e;
}

/* Pushes the edges below a node, so that the first one is on top. Returns the new height. */
static int64_t push_edges(const by_parent *sorted, int32_t node, int64_t height) {
  for (int64_t k = sorted->start[node + 1] - 1; k >= sorted->start[node]; --k)
    sorted->stack[height++] = sorted->at[k];
  return height;
}

/* Writes the edges in preorder. */
static void write_edges(const gg_loose_edges *loose, const by_parent *sorted, int32_t root,
                        int32_t *edge, double *length, int32_t *from) {
  int64_t height = push_edges(sorted, root, 0);
  for (int64_t k = 0; height > 0; ++k) {
    const int32_t e = sorted->stack[--height];
    edge[k] = loose->parent[e];
    edge[k + loose->count] = loose->child[e];
    if (length) length[k] = loose->length[e];
    if (from) from[k] = e;
    height = push_edges(sorted, loose->child[e], height);
  }
}

gpugeo_status gg_edges_in_order(const gg_loose_edges *loose, int32_t root, int32_t *edge,
                                double *length, int32_t *from, gpugeo_error *error) {
  const int64_t count = loose->count;
  by_parent sorted = {gg_allocate_zeros(count + 3, sizeof *sorted.start),
                      gg_allocate(count, sizeof *sorted.at),
                      gg_allocate(count, sizeof *sorted.stack)};
  gpugeo_status status = GPUGEO_OK;
  if (sorted.start && sorted.at && sorted.stack) {
    sort_edges(loose, &sorted);
    write_edges(loose, &sorted, root, edge, length, from);
  } else {
    status = gg_fail_memory(error, 16 * count);
  }
  gg_free(sorted.start);
  gg_free(sorted.at);
  gg_free(sorted.stack);
  return status;
}
