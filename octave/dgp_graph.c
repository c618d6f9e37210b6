/* Distance geometry of graphs on the line. */
#include <math.h>
#include <stdio.h>

#include "common/error.h"
#include "common/messages.h"
#include "dgp/graph.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* The edges of a matrix or a file, and what messages call their vertices. */
typedef struct edge_list {
  const gpugeo_dgp_edge *edges;
  int64_t count, vertices;
  int64_t first;             /* the number of the first vertex */
  const char *const *labels; /* NULL: numbers from 1 */
} edge_list;

enum { LABEL_SIZE = 24 /* the digits of an int64_t, its sign and a closing 0 */ };

/* Returns the numbers of the vertices as text. */
static const char *const *number_labels(gg_mex_call *call, int64_t first, int64_t count) {
  const char **labels = gg_mex_allocate(call, count, sizeof *labels);
  char *text = gg_mex_allocate(call, count, LABEL_SIZE);
  if (!labels || !text) return NULL;
  for (int64_t v = 0; v < count; ++v) {
    labels[v] = text + v * LABEL_SIZE;
    snprintf(text + v * LABEL_SIZE, LABEL_SIZE, "%lld", (long long)(first + v));
  }
  return labels;
}

static void free_file(void *file) { gpugeo_dgp_file_free(file); }

/* Reads a file, which the end of the call releases. */
static void read_file(gg_mex_call *call, edge_list *list) {
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  const char *path = gg_mex_text(call, call->inputs[0], "edges");
  const char *format = gg_mex_word(call, "format");
  gg_mex_settings(call, false, &run);
  gpugeo_dgp_file *file = gg_mex_allocate(call, 1, sizeof *file);
  if (call->status) return;
  run.progress = NULL;
  const gpugeo_status status = gpugeo_dgp_file_read(path, format, &run, file, &call->error);
  if (status == GPUGEO_OK) gg_mex_release_later(call, free_file, file);
  if (call->status || !gg_mex_finish(call, status, NULL, NULL)) return;
  *list = (edge_list){file->edges, file->edge_count, file->vertices, file->first,
                      number_labels(call, file->first, file->vertices)};
}

static void read_matrix(gg_mex_call *call, edge_list *list) {
  gpugeo_matrix x;
  if (gg_mex_option(call, "format")) {
    gg_mex_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, "format", "%s",
                               gg_find_message("format", NULL)));
    return;
  }
  gg_mex_matrix(call, call->inputs[0], "edges", &x);
  gpugeo_dgp_edge *edges = call->status ? NULL : gg_mex_allocate(call, x.nrow, sizeof *edges);
  if (!edges) return;
  *list = (edge_list){edges, x.nrow, 0, 1, NULL};
  gg_mex_check(call, gg_dgp_edges(&x, edges, &list->vertices, &call->error));
}

static void read_options(gg_mex_call *call, gpugeo_dgp_graph_options *options) {
  gg_mex_read_options(call, &gg_dgp_graph_options, options);
  gg_mex_settings(call, false, &options->run);
  options->run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
}

/* Writes the rows of positions that were filled, of `room`. */
static void set_positions(gg_mex_call *call, mxArray *made, const double *positions, int64_t room,
                          int64_t rows, int64_t columns) {
  double *to = gg_mex_set_doubles(call, made, "positions", rows, columns);
  if (call->status) return;
  for (int64_t v = 0; v < columns; ++v)
    for (int64_t i = 0; i < rows; ++i)
      to[i + v * rows] = positions[i + v * room];
}

/* Writes the numbers of the vertices and the order in which they are placed. */
static void set_order(gg_mex_call *call, mxArray *made, const edge_list *list,
                      const gpugeo_dgp_vertex *order) {
  const int64_t vertices = list->vertices;
  double *numbers = gg_mex_set_doubles(call, made, "vertices", 1, vertices);
  double *placed = gg_mex_set_doubles(call, made, "order", vertices, 3);
  if (call->status) return;
  for (int64_t v = 0; v < vertices; ++v) {
    numbers[v] = (double)(list->first + v);
    placed[v] = (double)(list->first + order[v].vertex);
    placed[v + vertices] = v == 0 ? NAN : (double)(list->first + order[v].predecessor);
    placed[v + 2 * vertices] = v == 0 ? NAN : (double)(order[v].block + 1);
  }
}

void gg_mex_dgp_graph(gg_mex_call *call) {
  gpugeo_dgp_graph_options options;
  edge_list list = {NULL, 0, 0, 1, NULL};
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  if (mxIsChar(call->inputs[0]))
    read_file(call, &list);
  else
    read_matrix(call, &list);
  read_options(call, &options);
  if (call->status) return;
  options.labels = list.labels;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_dgp_graph_size(list.vertices, list.edges, list.count, &options,
                                                &size, &call->error)))
    return;
  double *positions = gg_mex_allocate(call, size, sizeof *positions);
  gpugeo_dgp_vertex *order = positions ? gg_mex_allocate(call, list.vertices, sizeof *order) : NULL;
  if (!order) return;
  gpugeo_dgp_graph_result result;
  call->status = gpugeo_dgp_graph(list.vertices, list.edges, list.count, &options, &result,
                                  positions, order, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;

  double count;
  const gpugeo_decimal digits = gg_dgp_graph_count(&result, &count);
  mxArray *made = gg_mex_structure_result(call, 0);
  gg_mex_set_number(made, "count", count);
  gg_mex_set_text(made, "count_text", digits.digits);
  set_positions(call, made, positions, options.max_solutions, result.returned, list.vertices);
  set_order(call, made, &list, order);
  gg_mex_set_number(made, "blocks", (double)result.blocks);
  gg_mex_set_number(made, "bridges", (double)result.bridges);
  gg_mex_set_text(made, "backend", gpugeo_name(GPUGEO_ENUM_BACKEND, call->report.backend));
  gg_mex_report_result(call, 1, &call->report);
}
