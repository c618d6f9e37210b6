#include <string.h>

#include "call.h"
#include "common/error.h"
#include "entry.h"
#include "layout/graph_matrix.h"

/* --- Graphs ----------------------------------------------------------------------------------- */

/* Reads the graph of the first input. */
static void read_graph(gg_r_call *call, gpugeo_graph *graph) {
  SEXP list = gg_r_input(call, 0);
  *graph = (gpugeo_graph){
      .vertices = (int64_t)Rf_asReal(gg_r_element(list, "vertices")),
      .first = Rf_asInteger(gg_r_element(list, "first")),
  };
  /* Only what is said of a wrong weight names vertices, and R may not have made the names yet. */
  SEXP weights = gg_r_element(list, "weights");
  if (weights != R_NilValue) graph->labels = gg_r_texts(gg_r_element(list, "names"));
  gg_r_matrix(call, gg_r_element(list, "edges"), "graph", &graph->edges);
  gg_r_doubles(call, weights, "weights", &graph->weights, &graph->weights_length);
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* An R function that is called with the positions. */
typedef struct frames {
  gg_r_call *call;
  SEXP callback;
  SEXP names; /* of the vertices, or NULL */
  int64_t vertices;
  int dim;
  /* of the present frame */
  int64_t iteration;
  double temperature;
  const double *positions;
} frames;

/* Returns a matrix with a row for each vertex and columns x, y and z, to be filled. */
static SEXP make_positions(int64_t vertices, int dim, SEXP names) {
  const char *const axes[] = {"x", "y", "z"};
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int)vertices, dim));
  SEXP both = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(both, 0, names);
  SEXP columns = gg_r_set_vector(both, 1, STRSXP, dim);
  for (int c = 0; c < dim; ++c)
    SET_STRING_ELT(columns, c, Rf_mkChar(axes[c]));
  Rf_dimnamesgets(matrix, both);
  UNPROTECT(2);
  return matrix;
}

/* Calls the user's function with the positions of a frame. */
static SEXP show_frame(void *data) {
  const frames *f = data;
  SEXP positions = PROTECT(make_positions(f->vertices, f->dim, f->names));
  memcpy(REAL(positions), f->positions, (size_t)XLENGTH(positions) * sizeof *f->positions);
  SEXP iteration = PROTECT(Rf_ScalarReal((double)f->iteration));
  SEXP temperature = PROTECT(Rf_ScalarReal(f->temperature));
  SEXP call = PROTECT(Rf_lang4(f->callback, positions, iteration, temperature));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(4);
  return R_NilValue;
}

/* Shows a frame. Returns whether the layout must end. */
static int frame_hook(int64_t iteration, double temperature, const double *positions, void *data) {
  frames *f = data;
  f->iteration = iteration;
  f->temperature = temperature;
  f->positions = positions;
  return !gg_r_evaluate(f->call, show_frame, f);
}

/* Reads the user's function for frames. */
static void read_callback(gg_r_call *call, gpugeo_layout_options *options, frames *f) {
  if (!gg_r_has(call, "callback")) return;
  f->callback = gg_r_option(call, "callback");
  if (!Rf_isFunction(f->callback)) {
    const gg_given given = gg_r_given(f->callback);
    gg_r_check(call, gg_fail_given(&call->error, "callback", "a function", &given));
    return;
  }
  options->frame = frame_hook;
  options->frame_data = f;
}

/* --- Layouts ---------------------------------------------------------------------------------- */

/* Returns a value, NA instead of NaN. */
static double or_missing(double value) { return ISNAN(value) ? NA_REAL : value; }

SEXP gg_r_layout(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_graph graph;
  gpugeo_layout_options options;
  gpugeo_layout_result result;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_layout_options_init(&options, sizeof options);
  read_graph(&call, &graph);
  gg_r_read_options(&call, &gg_layout_options, &options);
  if (options.lengths) graph.labels = gg_r_texts(gg_r_element(gg_r_input(&call, 0), "names"));
  frames shown = {.call = &call,
                  .names = gg_r_element(gg_r_input(&call, 0), "names"),
                  .vertices = graph.vertices,
                  .dim = options.dim};
  read_callback(&call, &options, &shown);
  gg_r_settings(&call, &options.run);
  if (!call.status) gg_r_check(&call, gpugeo_layout_size(&graph, &options, &size, &call.error));
  gg_r_require(&call);

  SEXP positions = PROTECT(make_positions(graph.vertices, options.dim, shown.names));
  gg_r_finish(&call,
              gpugeo_layout(&graph, &options, REAL(positions), &result, &call.report, &call.error));

  const char *names[] = {"positions", "iterations", "converged", "energy", "temperature",
                         "backend",   "algorithm",  "pivots",    "stress", ""};
  const bool by_stress = result.algorithm != GPUGEO_LAYOUT_ALGORITHM_FR;
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(made, 0, positions);
  SET_VECTOR_ELT(made, 1, Rf_ScalarInteger((int)result.iterations));
  SET_VECTOR_ELT(
      made, 2,
      Rf_ScalarLogical(by_stress || options.tolerance > 0 ? result.converged != 0 : NA_LOGICAL));
  gg_r_set_number(made, 3, result.energy);
  gg_r_set_number(made, 4, result.temperature);
  SET_VECTOR_ELT(made, 5, Rf_mkString(gpugeo_name(GPUGEO_ENUM_BACKEND, call.report.backend)));
  if (by_stress) {
    SET_VECTOR_ELT(made, 6,
                   Rf_mkString(gpugeo_name(GPUGEO_ENUM_LAYOUT_ALGORITHM, result.algorithm)));
    gg_r_set_number(made, 7, (double)result.pivots);
    gg_r_set_number(made, 8, or_missing(result.stress));
  }
  gg_r_report(&call, "gpu_layout", NULL);
  UNPROTECT(3);
  return made;
}

/* --- Quality ---------------------------------------------------------------------------------- */

SEXP gg_r_layout_quality(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_graph graph;
  gpugeo_matrix view;
  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_result quality;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_layout_quality_options_init(&options, sizeof options);
  read_graph(&call, &graph);
  gg_r_matrix(&call, gg_r_input(&call, 1), "layout", &view);
  gg_r_read_options(&call, &gg_layout_quality_options, &options);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);
  gg_r_finish(&call,
              gpugeo_layout_quality(&graph, &view, &options, &quality, &call.report, &call.error));

  const char *names[] = {"stress",         "scale",     "neighborhood",
                         "edge_variation", "crossings", "crossings_error",
                         "energy",         "pivots",    ""};
  const double values[] = {quality.stress,         quality.scale,         quality.neighborhood,
                           quality.edge_variation, quality.crossings,     quality.crossings_error,
                           quality.energy,         (double)quality.pivots};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; names[i][0]; ++i)
    gg_r_set_number(made, i, or_missing(values[i]));
  gg_r_report(&call, "gpu_layout_quality", NULL);
  UNPROTECT(2);
  return made;
}

/* --- Distances -------------------------------------------------------------------------------- */

SEXP gg_r_graph_distances(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_graph graph;
  gpugeo_graph_distances_options options;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_graph_distances_options_init(&options, sizeof options);
  read_graph(&call, &graph);
  gg_r_read_options(&call, &gg_graph_distances_options, &options);
  if (options.lengths) graph.labels = gg_r_texts(gg_r_element(gg_r_input(&call, 0), "names"));
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call, gpugeo_graph_distances_size(&graph, &options, &size, &call.error));
  gg_r_require(&call);
  const int64_t rows = options.from ? options.from_length : graph.vertices;
  SEXP distances = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)graph.vertices));
  gg_r_finish(&call,
              gpugeo_graph_distances(&graph, &options, REAL(distances), &call.report, &call.error));
  gg_r_report(&call, "gpu_graph_distances", NULL);
  UNPROTECT(2);
  return distances;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

/* Reads the two limits of an axis. */
static void read_limits(gg_r_call *call, const char *name, double limits[2]) {
  const double *data = NULL;
  int64_t length = 0;
  gg_r_doubles(call, gg_r_option(call, name), name, &data, &length);
  if (call->status) return;
  if (length != 2) {
    const gg_given given = gg_r_given(gg_r_option(call, name));
    gg_r_check(call, gg_fail_given(&call->error, name, "two numbers", &given));
    return;
  }
  limits[0] = data[0];
  limits[1] = data[1];
}

SEXP gg_r_layout_raster(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_graph graph;
  gpugeo_matrix view;
  gpugeo_layout_raster_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_layout_raster_options_init(&options, sizeof options);
  read_graph(&call, &graph);
  gg_r_matrix(&call, gg_r_input(&call, 1), "layout", &view);
  gg_r_read_options(&call, &gg_layout_raster_options, &options);
  read_limits(&call, "xlim", options.xlim);
  read_limits(&call, "ylim", options.ylim);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);
  const bool sides = options.width >= 1 && options.height >= 1; /* else the core fails */
  SEXP lines =
      PROTECT(Rf_allocMatrix(REALSXP, sides ? options.width : 0, sides ? options.height : 0));
  SEXP scale = PROTECT(Rf_ScalarReal(0));
  options.used_scale = REAL(scale);
  gg_r_finish(
      &call, gpugeo_layout_raster(&graph, &view, &options, REAL(lines), &call.report, &call.error));
  gg_r_report(&call, "gpu_layout_image", NULL);
  Rf_setAttrib(lines, Rf_install("scale"), scale);
  UNPROTECT(3);
  return lines;
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Frees the edges of a file. */
static void free_file(SEXP holder) {
  gpugeo_edge_file *file = R_ExternalPtrAddr(holder);
  if (file) gpugeo_edge_file_free(file);
  R_ClearExternalPtr(holder);
}

SEXP gg_r_graph_write(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_graph graph;
  gpugeo_matrix positions;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  read_graph(&call, &graph);
  graph.labels = gg_r_texts(gg_r_input(&call, 2));
  gg_r_matrix(&call, gg_r_input(&call, 1), "layout", &positions);
  const char *path = gg_r_path(&call, gg_r_option(&call, "file"), "file");
  const int32_t format = gg_r_choice(&call, "format", GPUGEO_ENUM_GRAPH_FORMAT);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_graph_write(&graph, &positions, path, (gpugeo_graph_format)format, &run,
                                        &call.error));
  UNPROTECT(1);
  return R_NilValue;
}

/* Sets the element "ids" to the names of the vertices. */
static void set_ids(SEXP list, const gpugeo_edge_file *file) {
  SEXP ids = SET_VECTOR_ELT(list, 7, Rf_allocVector(STRSXP, (R_xlen_t)file->vertices));
  for (int64_t v = 0; v < file->vertices; ++v)
    SET_STRING_ELT(ids, (R_xlen_t)v, Rf_mkCharCE(file->names[v], CE_UTF8));
}

SEXP gg_r_edges(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  int64_t first = -1, header = -1;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  SEXP holder = PROTECT(gg_r_hold(sizeof(gpugeo_edge_file), free_file));
  gpugeo_edge_file *file = gg_r_held(holder);
  const char *path = gg_r_path(&call, gg_r_input(&call, 0), "path");
  if (gg_r_has(&call, "first")) gg_r_whole(&call, "first", 0, 1, &first);
  if (gg_r_has(&call, "header")) gg_r_whole(&call, "header", -1, 1, &header);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_edge_file_read(path, first, (int32_t)header, &run, file, &call.error));
  R_SetExternalPtrAddr(holder, file);

  const char *names[] = {"from", "to", "weight", "first", "vertices", "header", "gaps", "ids", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const size_t count = (size_t)file->edge_count;
  for (int k = 0; k < 2; ++k) {
    SEXP column = gg_r_set_vector(list, k, INTSXP, count);
    memcpy(INTEGER(column), file->edges + (size_t)k * count, count * sizeof *file->edges);
  }
  if (file->weights) {
    SEXP weights = gg_r_set_vector(list, 2, REALSXP, count);
    memcpy(REAL(weights), file->weights, count * sizeof *file->weights);
  }
  SET_VECTOR_ELT(list, 3, Rf_ScalarInteger((int)file->first));
  gg_r_set_number(list, 4, (double)file->vertices);
  SET_VECTOR_ELT(list, 5, Rf_ScalarInteger(file->header));
  SET_VECTOR_ELT(list, 6, Rf_ScalarLogical(file->gaps));
  if (file->names) set_ids(list, file);
  free_file(holder);
  UNPROTECT(3);
  return list;
}

/* --- Adjacency matrices ----------------------------------------------------------------------- */

/* Frees the edges of an adjacency matrix. */
static void free_edges(SEXP holder) {
  gg_adjacency_edges *edges = R_ExternalPtrAddr(holder);
  if (edges) gg_adjacency_edges_free(edges);
  R_ClearExternalPtr(holder);
}

SEXP gg_r_adjacency(SEXP graph, SEXP call) {
  gpugeo_matrix view;
  gpugeo_error error;
  if (gg_r_view(graph, "graph", &view, &error)) gg_r_stop(&error, call);
  if (gg_lists_edges(&view)) return R_NilValue;
  SEXP holder = PROTECT(gg_r_hold(sizeof(gg_adjacency_edges), free_edges));
  gg_adjacency_edges *edges = gg_r_held(holder);
  if (gg_adjacency_edges_find(&view, "graph + t(graph)", edges, &error)) gg_r_stop(&error, call);
  R_SetExternalPtrAddr(holder, edges);

  const char *names[] = {"edges", "weights", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const size_t count = (size_t)edges->count;
  SEXP ends = SET_VECTOR_ELT(list, 0, Rf_allocMatrix(INTSXP, (int)count, 2));
  if (count > 0) memcpy(INTEGER(ends), edges->ends, 2 * count * sizeof *edges->ends);
  SEXP weights = gg_r_set_vector(list, 1, REALSXP, count);
  if (count > 0) memcpy(REAL(weights), edges->weights, count * sizeof *edges->weights);
  free_edges(holder);
  UNPROTECT(2);
  return list;
}
