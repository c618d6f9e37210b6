/* Golden cases of silhouettes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct silhouette_case {
  gpugeo_silhouette_options options;
  table clusters;
} silhouette_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  silhouette_case *c = g->own;
  if (strcmp(name, "p") == 0)
    return golden_number(g, name, GG_EXPONENT, value, &c->options.metric.p);
  if (strcmp(name, "clusters") != 0) return golden_unknown(g, name);
  c->clusters = golden_table(value);
  return GPUGEO_OK;
}

/* A row a point: its neighbour and its width. */
static gpugeo_status find_widths(golden *g, const silhouette_case *c, golden_result *result) {
  const gpugeo_distances x = {.x = &g->x};
  int64_t n = 0;
  gpugeo_status status = gpugeo_distances_points(&x, c->options.points, &n, &g->error);
  if (status) return status;
  const int64_t length = c->clusters.rows * c->clusters.columns;
  result->rows = n;
  result->columns = 2;
  double *values = result->values = malloc((size_t)n * 2 * sizeof *values + 1);
  int32_t *neighbor = malloc((size_t)n * sizeof *neighbor + 1);
  int32_t *cluster = malloc((size_t)length * sizeof *cluster + 1);
  for (int64_t i = 0; i < length; ++i)
    cluster[i] = (int32_t)c->clusters.values[i];
  status = gpugeo_silhouette(&x, cluster, length, &c->options, neighbor, values + n,
                             &result->report, &g->error);
  for (int64_t i = 0; !status && i < n; ++i)
    values[i] = neighbor[i];
  free(neighbor);
  free(cluster);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  silhouette_case c = {.clusters.rows = 0};
  gpugeo_silhouette_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.options.run = g->run;
  if (!status) status = find_widths(g, &c, result);
  g->own = NULL;
  table_free(&c.clusters);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"silhouette"}, .least = 15, .compute = compute};
  return golden_main(argc, argv, &family);
}
