/* Golden cases of UniFrac distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

/* The options of a case and its tree. */
typedef struct own {
  gpugeo_unifrac_options options;
  table edges;
} own;

static gpugeo_status take(golden *g, const char *name, const char *value) {
  own *o = g->own;
  if (strcmp(name, "alpha") == 0)
    return golden_number(g, name, "", value, &o->options.alpha);
  else if (strcmp(name, "root") == 0)
    o->options.root = golden_flag(value);
  else if (strcmp(name, "tree") == 0)
    o->edges = golden_table(value);
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

/* Computes the distances along a tree whose edges are rows of parent, child and length. */
static gpugeo_status compute_along(golden *g, const own *o, golden_result *result) {
  const int64_t count = o->edges.rows;
  int32_t *edge = malloc((size_t)(2 * count) * sizeof *edge), root = INT32_MAX;
  double *length = malloc((size_t)count * sizeof *length);
  for (int64_t k = 0; k < count; ++k) {
    const double *row = o->edges.values + 3 * k;
    edge[k] = (int32_t)row[0] - 1;
    edge[k + count] = (int32_t)row[1] - 1;
    length[k] = row[2];
    if (edge[k] < root) root = edge[k];
  }
  const gpugeo_tree tree = {root, count + 1 - root, count, edge, length, NULL, NULL, NAN};
  result->rows = g->x.nrow * (g->x.nrow - 1) / 2;
  result->columns = 1;
  result->values = malloc((size_t)(result->rows + 1) * sizeof(double));
  const gpugeo_status status =
      gpugeo_unifrac(&g->x, &tree, NULL, &o->options, result->values, &result->report, &g->error);
  free(edge);
  free(length);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  own o = {.edges = {NULL, 0, 0}};
  int32_t type = 0;
  g->own = &o;
  gpugeo_unifrac_options_init(&o.options, sizeof o.options);
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_UNIFRAC_TYPE, g->field[GOLDEN_METHOD], &type, &g->error);
  o.options.type = (gpugeo_unifrac_type)type;
  if (!status) status = golden_options(g, take);
  o.options.run = g->run;
  if (!status) status = compute_along(g, &o, result);
  table_free(&o.edges);
  return status;
}

int main(int argc, char **argv) {
  const golden_family family = {
      .functions = {"unifrac"}, .least = 45, .compute = compute, .sparse = true};
  return golden_main(argc, argv, &family);
}
