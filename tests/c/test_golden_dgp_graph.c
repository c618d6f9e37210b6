/* Golden cases of distance geometry of graphs. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "dgp/graph.h"
#include "golden.h"

static gpugeo_status take(golden *g, const char *name, const char *value) {
  gpugeo_dgp_graph_options *options = g->own;
  if (strcmp(name, "tol") == 0)
    return golden_number(g, name, GG_FROM_ZERO, value, &options->tol);
  else if (strcmp(name, "max_solutions") == 0)
    return golden_whole(g, name, value, &options->max_solutions);
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

static int64_t row_length;
static int compare_rows(const void *left, const void *right) {
  const double *a = left, *b = right;
  for (int64_t k = 0; k < row_length; ++k)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

/* The count and the positions of each realization, a row each, sorted. */
static void make_rows(const gpugeo_dgp_graph_result *found, const double *positions, int64_t room,
                      int64_t vertices, golden_result *result) {
  const int64_t count = found->returned, columns = vertices + 1;
  double *rows = malloc(sizeof *rows * (size_t)(count * columns + 1));
  double *values = malloc(sizeof *values * (size_t)(count * columns + 1));
  for (int64_t i = 0; i < count; ++i) {
    rows[i * columns] = (double)found->count.low;
    for (int64_t v = 0; v < vertices; ++v)
      rows[i * columns + v + 1] = positions[i + v * room];
  }
  row_length = columns;
  qsort(rows, (size_t)count, sizeof *rows * (size_t)columns, compare_rows);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < columns; ++k)
      values[i + k * count] = rows[i * columns + k];
  free(rows);
  result->values = values;
  result->rows = count;
  result->columns = columns;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  g->own = &options;
  gpugeo_dgp_edge *edges = malloc(sizeof *edges * (size_t)(g->x.nrow + 1));
  double *positions = NULL;
  int64_t vertices = 0, size = 0;
  gpugeo_dgp_graph_result found;
  gpugeo_status status = gg_dgp_edges(&g->x, edges, &vertices, &g->error);
  if (!status) status = golden_options(g, take);
  options.run = g->run;
  if (!status)
    status = gpugeo_dgp_graph_size(vertices, edges, g->x.nrow, &options, &size, &g->error);
  if (!status) {
    positions = malloc(sizeof *positions * (size_t)(size + 1));
    status = gpugeo_dgp_graph(vertices, edges, g->x.nrow, &options, &found, positions, NULL,
                              &result->report, &g->error);
  }
  if (!status) make_rows(&found, positions, options.max_solutions, vertices, result);
  free(positions);
  free(edges);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"dgp_graph"}, .least = 80, .compute = compute};
  return golden_main(argc, argv, &family);
}
