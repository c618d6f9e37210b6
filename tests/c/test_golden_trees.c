/* Golden cases of trees from distances. */
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* Returns the tree of the points by the case's method: UPGMA, neighbour joining or BIONJ. */
static gpugeo_status make_tree(golden *g, const gpugeo_distances *x, int64_t n, int32_t *edge,
                               double *length, golden_result *result) {
  const char *method = g->field[GOLDEN_METHOD];
  gpugeo_nj_options options;
  gpugeo_nj_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  options.bionj = strcmp(method, "bionj") == 0;
  options.run = g->run;
  if (strcmp(method, "upgma") != 0)
    return gpugeo_nj(x, &options, edge, length, &result->report, &g->error);
  gpugeo_hclust_options linkage;
  gpugeo_hclust_options_init(&linkage, sizeof linkage);
  linkage.metric.kind = GPUGEO_METRIC_MANHATTAN;
  linkage.linkage = GPUGEO_LINKAGE_AVERAGE;
  linkage.run = g->run;
  int32_t *merge = malloc((size_t)(3 * n + 1) * sizeof *merge);
  double *height = malloc((size_t)(n + 1) * sizeof *height);
  gpugeo_status status =
      gpugeo_hclust(x, &linkage, merge, height, merge + 2 * n, &result->report, &g->error);
  if (!status) status = gpugeo_hclust_tree(n, merge, height, edge, length, &g->error);
  free(merge);
  free(height);
  return status;
}

/* A row an edge: both nodes and the length. */
static gpugeo_status compute(golden *g, golden_result *result) {
  const gpugeo_distances x = {.x = &g->x};
  int64_t n = 0;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_distances_points(&x, GPUGEO_POINTS_ROWS, &n, &g->error);
  if (status) return status;
  const bool rooted = strcmp(g->field[GOLDEN_METHOD], "upgma") == 0;
  const int64_t edges = n < 2 ? 0 : 2 * n - (rooted ? 2 : 3);
  result->rows = edges;
  result->columns = 3;
  double *values = result->values = malloc((size_t)(3 * edges + 1) * sizeof *values);
  int32_t *edge = malloc((size_t)(2 * edges + 1) * sizeof *edge);
  status = make_tree(g, &x, n, edge, values + 2 * edges, result);
  for (int64_t k = 0; !status && k < 2 * edges; ++k)
    values[k] = edge[k] + 1.0;
  free(edge);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"trees"}, .least = 25, .compute = compute};
  return golden_main(argc, argv, &family);
}
