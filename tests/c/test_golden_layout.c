/* Golden cases of force-directed layouts. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"
#include "layout/graph_matrix.h"

/* The options and what they borrow. */
typedef struct layout_case {
  gpugeo_layout_options options;
  int32_t *fixed;
  double *lower, *upper;
  gg_adjacency_edges edges;
} layout_case;

/* A matrix that an option names, column-major; to be freed. */
static double *columns_of(const char *name, int64_t *length) {
  table t = golden_table(name);
  double *values = malloc(sizeof *values * (size_t)(t.rows * t.columns + 1));
  for (int64_t i = 0; i < t.rows; ++i)
    for (int64_t k = 0; k < t.columns; ++k)
      values[i + k * t.rows] = t.values[i * t.columns + k];
  *length = t.rows * t.columns;
  table_free(&t);
  return values;
}

static void take_fixed(layout_case *own, const char *name) {
  double *column = columns_of(name, &own->options.fixed_length);
  own->fixed = malloc(sizeof *own->fixed * (size_t)(own->options.fixed_length + 1));
  for (int64_t v = 0; v < own->options.fixed_length; ++v)
    own->fixed[v] = column[v] != 0;
  own->options.fixed = own->fixed;
  free(column);
}

static gpugeo_status take_small(golden *g, const char *name, const char *value, int32_t *number) {
  const gg_given given = golden_given(value);
  return gg_any_small_number(name, &given, number, &g->error);
}

static gpugeo_status take(golden *g, const char *name, const char *value) {
  layout_case *own = g->own;
  gpugeo_layout_options *options = &own->options;
  if (strcmp(name, "dim") == 0)
    return take_small(g, name, value, &options->dim);
  else if (strcmp(name, "iterations") == 0)
    return golden_count(g, name, value, 0, INT32_MAX, &options->iterations);
  else if (strcmp(name, "start_temp") == 0)
    return golden_number(g, name, GG_POSITIVE, value, &options->start_temp);
  else if (strcmp(name, "tolerance") == 0)
    return golden_number(g, name, GG_FROM_ZERO, value, &options->tolerance);
  else if (strcmp(name, "repulsion") == 0)
    return gpugeo_find(GPUGEO_ENUM_LAYOUT_REPULSION, value, (int32_t *)&options->repulsion,
                       &g->error);
  else if (strcmp(name, "theta") == 0)
    return golden_number(g, name, "between 0 and 2", value, &options->theta);
  else if (strcmp(name, "expansion_order") == 0)
    return take_small(g, name, value, &options->expansion_order);
  else if (strcmp(name, "fixed") == 0)
    take_fixed(own, value);
  else if (strcmp(name, "lower") == 0)
    options->lower = own->lower = columns_of(value, &options->lower_length);
  else if (strcmp(name, "upper") == 0)
    options->upper = own->upper = columns_of(value, &options->upper_length);
  else
    return golden_unknown(g, name);
  return GPUGEO_OK;
}

/* Takes a row for each edge, with a weight or without. */
static void take_list(golden *g, gpugeo_graph *graph) {
  graph->edges = g->x;
  graph->edges.ncol = 2;
  if (g->x.ncol != 3) return;
  graph->weights = (const double *)g->x.data + 2 * g->x.ld;
  graph->weights_length = g->x.nrow;
}

/* Takes an adjacency matrix. */
static gpugeo_status take_adjacency(golden *g, layout_case *own, gpugeo_graph *graph) {
  gg_adjacency_edges *edges = &own->edges;
  const gpugeo_status status = gg_adjacency_edges_find(&g->x, "x + x'", edges, &g->error);
  graph->edges = (gpugeo_matrix){.data = edges->ends,
                                 .type = GPUGEO_TYPE_INT32,
                                 .nrow = edges->count,
                                 .ncol = 2,
                                 .ld = edges->count};
  graph->weights = edges->weights;
  graph->weights_length = edges->count;
  return status;
}

/* x: a graph; y: where the vertices start. */
static gpugeo_status compute_with(golden *g, layout_case *own, golden_result *result) {
  gpugeo_status status = golden_options(g, take);
  if (status) return status;
  gpugeo_layout_options *options = &own->options;
  options->run = g->run;
  options->init = g->y->data;
  options->init_length = g->y->nrow * g->y->ncol;
  gpugeo_graph graph = {.vertices = g->y->nrow, .first = 1};
  const bool is_list = strcmp(g->field[GOLDEN_FUNCTION], "layout") == 0 || gg_lists_edges(&g->x);
  if (is_list)
    take_list(g, &graph);
  else
    status = take_adjacency(g, own, &graph);
  int64_t size = 0;
  if (!status) status = gpugeo_layout_size(&graph, options, &size, &g->error);
  if (status) return status;
  result->values = malloc(sizeof(double) * (size_t)(size + 1));
  result->rows = graph.vertices;
  result->columns = options->dim;
  gpugeo_layout_result said;
  return gpugeo_layout(&graph, options, result->values, &said, &result->report, &g->error);
}

static gpugeo_status compute(golden *g, golden_result *result) {
  layout_case own = {0};
  gpugeo_layout_options_init(&own.options, sizeof own.options);
  own.options.multilevel = 0;
  g->own = &own;
  gpugeo_status status = compute_with(g, &own, result);
  free(own.fixed);
  free(own.lower);
  free(own.upper);
  gg_adjacency_edges_free(&own.edges);
  return status;
}

int main(int argc, char **argv) {
  static const golden_family family = {
      .functions = {"layout", "layout_matrix"}, .least = 150, .compute = compute};
  return golden_main(argc, argv, &family);
}
