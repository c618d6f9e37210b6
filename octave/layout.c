/* Layouts of graphs, their quality, and files of edges. */
#include <string.h>

#include "common/error.h"
#include "families.h"
#include "host.h"
#include "layout/graph_matrix.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Reads a whole number of a graph. */
static void read_whole(gg_mex_call *call, const mxArray *graph, const char *name, int64_t *number) {
  if (call->status) return;
  const gg_given given = gg_mex_given(gg_mex_field(graph, name));
  gg_mex_check(call, gg_any_whole_number(name, &given, number, &call->error));
}

/* Reads a graph as private/read_graph.m makes it: edges, vertices, first, weights. */
static void read_graph(gg_mex_call *call, const mxArray *value, gpugeo_graph *graph) {
  *graph = (gpugeo_graph){0};
  gg_mex_matrix(call, gg_mex_field(value, "edges"), "graph", &graph->edges);
  gg_mex_doubles(call, gg_mex_given_field(value, "weights"), "weights", &graph->weights,
                 &graph->weights_length);
  read_whole(call, value, "vertices", &graph->vertices);
  read_whole(call, value, "first", &graph->first);
}

/* --- Layouts ---------------------------------------------------------------------------------- */

/* A function handle that is shown the positions. */
typedef struct frames {
  const mxArray *callback;
  int64_t vertices;
  int32_t dim;
} frames;

/* What it is shown. */
typedef struct frame {
  const frames *of;
  int64_t iteration;
  double temperature;
  const double *positions;
} frame;

static void call_callback(void *data) {
  const frame *f = data;
  const frames *of = f->of;
  mxArray *arguments[] = {
      (mxArray *)of->callback, mxCreateDoubleMatrix((mwSize)of->vertices, (mwSize)of->dim, mxREAL),
      mxCreateDoubleScalar((double)f->iteration), mxCreateDoubleScalar(f->temperature)};
  if (of->vertices > 0)
    memcpy(mxGetData(arguments[1]), f->positions,
           (size_t)of->vertices * (size_t)of->dim * sizeof *f->positions);
  mexCallMATLAB(0, NULL, 4, arguments, "feval");
  for (int i = 1; i < 4; ++i)
    mxDestroyArray(arguments[i]);
}

/* No exception may cross the core: an error of the function waits until the core has returned. */
static int show_frame(int64_t iteration, double temperature, const double *positions, void *data) {
  frame f = {data, iteration, temperature, positions};
  return gg_host_trap(call_callback, &f);
}

static void read_callback(gg_mex_call *call, gpugeo_layout_options *options, frames *shown) {
  shown->callback = gg_mex_option(call, "callback");
  shown->dim = options->dim;
  if (!shown->callback) return;
  if (!mxIsClass(shown->callback, "function_handle")) {
    const gg_given given = gg_mex_given(shown->callback);
    gg_mex_check(call, gg_fail_given(&call->error, "callback", "a function", &given));
    return;
  }
  options->frame = show_frame;
  options->frame_data = shown;
}

static void read_options(gg_mex_call *call, gpugeo_layout_options *options) {
  gpugeo_layout_options_init(options, sizeof *options);
  gg_mex_read_options(call, &gg_layout_options, options);
  gg_mex_settings(call, false, &options->run);
  options->run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
}

void gg_mex_layout(gg_mex_call *call) {
  gpugeo_graph graph;
  gpugeo_layout_options options;
  read_graph(call, call->inputs[0], &graph);
  read_options(call, &options);
  frames shown = {NULL, graph.vertices, 0};
  read_callback(call, &options, &shown);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_layout_size(&graph, &options, &size, &call->error))) return;
  double *positions = gg_mex_doubles_result(call, 0, graph.vertices, options.dim);
  if (call->status) return;
  gpugeo_layout_result made = {0};
  call->status = gpugeo_layout(&graph, &options, positions, &made, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  mxArray *info = gg_mex_report_result(call, 1, &call->report);
  gg_mex_set_number(info, "iterations", (double)made.iterations);
  gg_mex_set(info, "converged", mxCreateLogicalScalar(made.converged != 0));
  gg_mex_set_number(info, "energy", made.energy);
  gg_mex_set_number(info, "temperature", made.temperature);
  gg_mex_set_text(info, "algorithm", gpugeo_name(GPUGEO_ENUM_LAYOUT_ALGORITHM, made.algorithm));
  if (made.algorithm == GPUGEO_LAYOUT_ALGORITHM_FR) return;
  gg_mex_set_number(info, "pivots", (double)made.pivots);
  gg_mex_set_number(info, "stress", made.stress);
}

/* --- Quality ---------------------------------------------------------------------------------- */

void gg_mex_layout_quality(gg_mex_call *call) {
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  read_graph(call, call->inputs[0], &graph);
  gg_mex_matrix(call, call->inputs[1], "layout", &positions);
  gg_mex_read_options(call, &gg_layout_quality_options, &options);
  gg_mex_settings(call, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  if (call->status) return;

  gpugeo_layout_quality_result quality = {0};
  call->status =
      gpugeo_layout_quality(&graph, &positions, &options, &quality, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  mxArray *made = gg_mex_structure_result(call, 0);
  gg_mex_set_number(made, "stress", quality.stress);
  gg_mex_set_number(made, "scale", quality.scale);
  gg_mex_set_number(made, "neighborhood", quality.neighborhood);
  gg_mex_set_number(made, "edge_variation", quality.edge_variation);
  gg_mex_set_number(made, "crossings", quality.crossings);
  gg_mex_set_number(made, "crossings_error", quality.crossings_error);
  gg_mex_set_number(made, "energy", quality.energy);
  gg_mex_set_number(made, "pivots", (double)quality.pivots);
  gg_mex_report_result(call, 1, &call->report);
}

/* --- Distances -------------------------------------------------------------------------------- */

void gg_mex_graph_distances(gg_mex_call *call) {
  gpugeo_graph graph;
  gpugeo_graph_distances_options options;
  int64_t size = 0;
  gpugeo_graph_distances_options_init(&options, sizeof options);
  read_graph(call, call->inputs[0], &graph);
  gg_mex_read_options(call, &gg_graph_distances_options, &options);
  gg_mex_settings(call, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  if (call->status ||
      !gg_mex_check(call, gpugeo_graph_distances_size(&graph, &options, &size, &call->error)))
    return;
  const int64_t rows = options.from ? options.from_length : graph.vertices;
  double *distances = gg_mex_doubles_result(call, 0, rows, graph.vertices);
  if (call->status) return;
  call->status = gpugeo_graph_distances(&graph, &options, distances, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

/* --- Drawing ---------------------------------------------------------------------------------- */

static void read_limits(gg_mex_call *call, const char *name, double limits[2]) {
  const double *data = NULL;
  int64_t length = 0;
  gg_mex_doubles(call, gg_mex_option(call, name), name, &data, &length);
  if (call->status || length != 2) return;
  limits[0] = data[0];
  limits[1] = data[1];
}

void gg_mex_layout_raster(gg_mex_call *call) {
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_layout_raster_options options;
  gpugeo_layout_raster_options_init(&options, sizeof options);
  read_graph(call, call->inputs[0], &graph);
  gg_mex_matrix(call, call->inputs[1], "layout", &positions);
  gg_mex_read_options(call, &gg_layout_raster_options, &options);
  read_limits(call, "xlim", options.xlim);
  read_limits(call, "ylim", options.ylim);
  gg_mex_settings(call, false, &options.run);
  options.run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
  if (call->status) return;
  const bool sides = options.width >= 1 && options.width <= GPUGEO_RASTER_SIDE_MAX &&
                     options.height >= 1 && options.height <= GPUGEO_RASTER_SIDE_MAX;
  double *lines =
      gg_mex_doubles_result(call, 0, sides ? options.width : 0, sides ? options.height : 0);
  options.used_scale = gg_mex_doubles_result(call, 1, 1, 1);
  if (call->status) return;
  call->status =
      gpugeo_layout_raster(&graph, &positions, &options, lines, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 2, &call->report);
}

/* Returns the names of all vertices from a cell array of text, for the rest of the call; NULL of
   what is no cell array. */
static const char *const *read_names(gg_mex_call *call, const mxArray *names, int64_t vertices) {
  if (call->status || !mxIsCell(names)) return NULL;
  const size_t count = mxGetNumberOfElements(names);
  if ((int64_t)count != vertices) {
    gg_mex_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, "names",
                               "names must be a cell array with a text for each of the %lld "
                               "vertices, not of %lld",
                               (long long)vertices, (long long)count));
    return NULL;
  }
  const char **texts = gg_mex_allocate(call, (int64_t)count, sizeof *texts);
  for (size_t i = 0; texts && i < count; ++i)
    texts[i] = gg_mex_text(call, mxGetCell(names, (mwIndex)i), "names");
  return texts;
}

void gg_mex_graph_write(gg_mex_call *call) {
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  read_graph(call, call->inputs[0], &graph);
  gg_mex_matrix(call, call->inputs[1], "layout", &positions);
  graph.labels = read_names(call, call->inputs[2], graph.vertices);
  const char *path = gg_mex_text(call, call->inputs[3], "file");
  const gpugeo_graph_format format = (gpugeo_graph_format)gg_mex_choice(
      call, "format", GPUGEO_ENUM_GRAPH_FORMAT, GPUGEO_GRAPH_FORMAT_AUTO);
  gg_mex_settings(call, false, &run);
  if (call->status) return;
  gg_mex_finish(call, gpugeo_graph_write(&graph, &positions, path, format, &run, &call->error),
                NULL, NULL);
}

/* --- Files of edges --------------------------------------------------------------------------- */

static void free_file(void *file) { gpugeo_edge_file_free(file); }

static void write_edges(gg_mex_call *call, const gpugeo_edge_file *file) {
  const int64_t count = file->edge_count;
  const bool weighted = file->weights != NULL;
  mxArray *made = gg_mex_structure_result(call, 0);
  double *ends = gg_mex_set_doubles(call, made, "edges", count, 2);
  double *weights = gg_mex_set_doubles(call, made, "weights", weighted ? count : 0, weighted);
  if (call->status) return;
  for (int64_t i = 0; i < 2 * count; ++i)
    ends[i] = file->edges[i];
  if (weighted && count > 0) memcpy(weights, file->weights, (size_t)count * sizeof *weights);
  gg_mex_set_number(made, "first", (double)file->first);
  gg_mex_set_number(made, "vertices", (double)file->vertices);
  gg_mex_set_number(made, "header", file->header);
  gg_mex_set_number(made, "gaps", file->gaps);
  const int64_t named = file->names ? file->vertices : 0;
  mxArray *ids = mxCreateCellMatrix((mwSize)named, file->names ? 1 : 0);
  for (int64_t v = 0; v < named; ++v)
    mxSetCell(ids, (mwIndex)v, mxCreateString(file->names[v]));
  gg_mex_set(made, "ids", ids);
}

void gg_mex_edges(gg_mex_call *call) {
  gpugeo_run run;
  int64_t first = -1;
  int32_t header = -1;
  gpugeo_run_init(&run, sizeof run);
  const char *path = gg_mex_text(call, call->inputs[0], "path");
  if (!call->status && !mxIsEmpty(call->inputs[1])) {
    const gg_given given = gg_mex_given(call->inputs[1]);
    gg_mex_check(call, gg_whole_number("first", &given, 0, 1, &first, &call->error));
  }
  gg_mex_flag(call, "header", &header);
  gg_mex_settings(call, false, &run);
  gpugeo_edge_file *file = gg_mex_allocate(call, 1, sizeof *file);
  if (call->status) return;
  const gpugeo_status status = gpugeo_edge_file_read(path, first, header, &run, file, &call->error);
  if (status == GPUGEO_OK) gg_mex_release_later(call, free_file, file);
  if (!call->status && gg_mex_finish(call, status, NULL, NULL)) write_edges(call, file);
}

/* --- Adjacency matrices ----------------------------------------------------------------------- */

static void free_adjacency(void *edges) { gg_adjacency_edges_free(edges); }

void gg_mex_adjacency(gg_mex_call *call) {
  gpugeo_matrix matrix;
  gg_mex_any_matrix(call, call->inputs[0], "graph", &matrix);
  if (call->status) return;
  if (gg_lists_edges(&matrix)) {
    call->results[0] = mxCreateDoubleMatrix(0, 0, mxREAL);
    return;
  }
  gg_adjacency_edges *edges = gg_mex_allocate(call, 1, sizeof *edges);
  if (!edges ||
      !gg_mex_check(call, gg_adjacency_edges_find(&matrix, "graph + graph'", edges, &call->error)))
    return;
  gg_mex_release_later(call, free_adjacency, edges);
  write_edges(call, &(gpugeo_edge_file){.vertices = matrix.nrow,
                                        .edge_count = edges->count,
                                        .first = 1,
                                        .edges = edges->ends,
                                        .weights = edges->weights});
}
