/* Golden cases of minimum spanning trees. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct mst_case {
  gpugeo_mst_options options;
  table scale, cov; /* cov is symmetric, so that its rows are its columns */
} mst_case;

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  mst_case *c = g->own;
  gpugeo_metric_options *metric = &c->options.metric;
  if (strcmp(name, "p") == 0) {
    return golden_number(g, name, GG_EXPONENT, value, &metric->p);
  } else if (strcmp(name, "scale") == 0) {
    c->scale = golden_table(value);
    metric->scale = c->scale.values;
    metric->scale_length = c->scale.rows * c->scale.columns;
  } else if (strcmp(name, "cov") == 0) {
    c->cov = golden_table(value);
    metric->cov = (gpugeo_matrix){c->cov.values,  GPUGEO_TYPE_DOUBLE, c->cov.rows,
                                  c->cov.columns, c->cov.rows,        NULL};
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

/* A row an edge: its points from 1, and their distance. */
static gpugeo_status find_tree(golden *g, const gpugeo_mst_options *options,
                               golden_result *result) {
  const gpugeo_distances x = {.x = &g->x};
  int64_t n = 0;
  gpugeo_status status = gpugeo_distances_points(&x, options->points, &n, &g->error);
  if (status) return status;
  const int64_t size = n > 0 ? n - 1 : 0;
  result->rows = size;
  result->columns = 3;
  double *values = result->values = malloc((size_t)size * 3 * sizeof *values + 1);
  int32_t *i = malloc((size_t)size * sizeof *i + 1), *j = malloc((size_t)size * sizeof *j + 1);
  status = gpugeo_mst(&x, options, i, j, values + 2 * size, &result->report, &g->error);
  for (int64_t e = 0; !status && e < size; ++e) {
    values[e] = i[e] + 1.0;
    values[size + e] = j[e] + 1.0;
  }
  free(i);
  free(j);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  mst_case c = {0};
  gpugeo_mst_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* whatever the storage of x */
  gpugeo_status status = gpugeo_find(GPUGEO_ENUM_METRIC, g->field[GOLDEN_METHOD],
                                     (int32_t *)&c.options.metric.kind, &g->error);
  if (!status) status = golden_options(g, take_option);
  c.options.run = g->run;
  if (!status) status = find_tree(g, &c.options, result);
  g->own = NULL;
  table_free(&c.scale);
  table_free(&c.cov);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {.functions = {"mst"}, .least = 45, .compute = compute};
  return golden_main(argc, argv, &family);
}
