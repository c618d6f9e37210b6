/* Dendrograms as trees with lengths. */
#include <stdbool.h>

#include "common/error.h"
#include "common/memory.h"
#include "trees/edges_in_order.h"

enum { MOST_POINTS = 1 << 30 }; /* nodes have numbers of 31 bits */

/* Checks that each point and each earlier merge is merged once; used: 2 n values, all false. */
static gpugeo_status check_merges(int64_t n, const int32_t *merge, bool *used,
                                  gpugeo_error *error) {
  for (int64_t k = 0; k < 2 * (n - 1); ++k) {
    const int64_t row = k / 2;
    const int32_t cluster = merge[row + k % 2 * (n - 1)];
    if (cluster < 0 || cluster >= n + row || used[cluster])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "merge",
                     "merge must have each point and each earlier merge once, but row %lld does "
                     "not",
                     (long long)row + 1);
    used[cluster] = true;
  }
  return GPUGEO_OK;
}

/* Numbers the merges from the last one on, and lists the edges below each; node: n - 1. */
static void list_edges(int64_t n, const int32_t *merge, const double *height, int32_t *node,
                       int32_t *parent, int32_t *child, double *length) {
  int32_t next = (int32_t)n;
  int64_t edge = 0;
  node[n - 2] = next++;
  for (int64_t k = n - 2; k >= 0; --k)
    for (int side = 0; side < 2; ++side, ++edge) {
      const int32_t cluster = merge[k + side * (n - 1)];
      const double below = cluster < n ? 0 : height[cluster - n];
      if (cluster >= n) node[cluster - n] = next++;
      parent[edge] = node[k];
      child[edge] = cluster < n ? cluster : node[cluster - n];
      length[edge] = (height[k] - below) / 2;
    }
}

gpugeo_status gpugeo_hclust_tree(int64_t n, const int32_t *merge, const double *height,
                                 int32_t *edge, double *length, gpugeo_error *error) {
  if (n < 2 || n > MOST_POINTS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "n", "n must be between 2 and %d, not %lld",
                   MOST_POINTS, (long long)n);
  if (!merge || !height)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, merge ? "height" : "merge", "%s must not be NULL",
                   merge ? "height" : "merge");
  bool *used = gg_allocate_zeros(2 * n, sizeof *used);
  int32_t *whole = gg_allocate(5 * n, sizeof *whole);
  double *lengths = gg_allocate(2 * n, sizeof *lengths);
  gpugeo_status status = GPUGEO_OK;
  if (!used || !whole || !lengths) status = gg_fail_memory(error, 38 * n);
  if (!status) status = check_merges(n, merge, used, error);
  if (!status) {
    int32_t *parent = whole + n, *child = whole + 3 * n;
    list_edges(n, merge, height, whole, parent, child, lengths);
    const gg_loose_edges loose = {2 * n - 2, parent, child, lengths};
    status = gg_edges_in_order(&loose, (int32_t)n, edge, length, NULL, error);
  }
  gg_free(used);
  gg_free(whole);
  gg_free(lengths);
  return status;
}
