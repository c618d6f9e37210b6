#include <string.h>

#include "common/error.h"
#include "entry.h"
#include "run.h"

/* --- Graphs and options ------------------------------------------------------------------------
 */

static gpugeo_status read_graph(SEXP list, gpugeo_graph *graph, gpugeo_error *error) {
  *graph = (gpugeo_graph){
      .vertices = (int64_t)Rf_asReal(gg_r_element(list, "vertices")),
      .first = Rf_asInteger(gg_r_element(list, "first")),
  };
  /* Only messages about weights name vertices, and R may not have created the names yet. */
  if (gg_r_element(list, "weights") != R_NilValue)
    graph->labels = gg_r_texts(gg_r_element(list, "names"));
  gpugeo_status status = gg_r_matrix(gg_r_element(list, "edges"), "graph", &graph->edges, error);
  if (!status)
    status = gg_r_doubles(gg_r_element(list, "weights"), "weights", &graph->weights,
                          &graph->weights_length, error);
  return status;
}

/* Reads a whole number of at least 0; NULL changes nothing. */
static gpugeo_status read_count(SEXP list, const char *name, int64_t *count, gpugeo_error *error) {
  SEXP value = gg_r_element(list, name);
  if (value == R_NilValue) return GPUGEO_OK;
  return gg_r_whole(value, name, 0, INT32_MAX, count, error);
}

static gpugeo_status read_seed(SEXP list, uint64_t *seed, gpugeo_error *error) {
  int64_t number = 0;
  gpugeo_status status =
      gg_r_whole(gg_r_element(list, "seed"), "seed", 0, (int64_t)1 << 53, &number, error);
  *seed = (uint64_t)number;
  return status;
}

static gpugeo_status read_multilevel(SEXP value, int32_t *multilevel, gpugeo_error *error) {
  const gg_given given = gg_r_given(value);
  const char *text = gg_text_given(&given);
  bool flag = false;
  if (text && strcmp(text, "auto") == 0) return GPUGEO_OK;
  if (gg_r_flag(value, "multilevel", &flag, NULL))
    return gg_fail_given(error, "multilevel", GG_MULTILEVEL, &given);
  *multilevel = flag;
  return GPUGEO_OK;
}

/* Reads bounds, init and fixed vertices. */
static gpugeo_status read_places(SEXP list, gpugeo_layout_options *options, gpugeo_error *error) {
  gpugeo_status status = gg_r_doubles(gg_r_element(list, "init"), "init", &options->init,
                                      &options->init_length, error);
  if (!status)
    status = gg_r_doubles(gg_r_element(list, "lower"), "lower", &options->lower,
                          &options->lower_length, error);
  if (!status)
    status = gg_r_doubles(gg_r_element(list, "upper"), "upper", &options->upper,
                          &options->upper_length, error);
  SEXP fixed = gg_r_element(list, "fixed");
  if (fixed != R_NilValue) {
    options->fixed = LOGICAL_RO(fixed);
    options->fixed_length = XLENGTH(fixed);
  }
  return status;
}

static gpugeo_status read_forces(SEXP list, gpugeo_layout_options *options, gpugeo_error *error) {
  const char *name;
  SEXP start_temp = gg_r_element(list, "start_temp");
  SEXP order = gg_r_element(list, "expansion_order");
  gpugeo_status status = GPUGEO_OK;
  if (start_temp != R_NilValue) {
    status = gg_r_number(start_temp, "start_temp", GG_POSITIVE, &options->start_temp, error);
  }
  if (!status && order != R_NilValue)
    status = gg_r_any_small(order, "expansion_order", &options->expansion_order, error);
  if (!status)
    status = gg_r_number(gg_r_element(list, "tolerance"), "tolerance", GG_FROM_ZERO,
                         &options->tolerance, error);
  if (!status)
    status = gg_r_number(gg_r_element(list, "theta"), "theta", "between 0 and 2", &options->theta,
                         error);
  if (!status) status = gg_r_string(gg_r_element(list, "repulsion"), "repulsion", &name, error);
  if (!status) status = gpugeo_layout_repulsion_find(name, &options->repulsion, error);
  return status;
}

static gpugeo_status read_options(SEXP list, gpugeo_layout_options *options, gpugeo_error *error) {
  gpugeo_status status = gg_r_any_small(gg_r_element(list, "dim"), "dim", &options->dim, error);
  if (!status) status = read_count(list, "iterations", &options->iterations, error);
  if (!status) status = read_places(list, options, error);
  if (!status) status = read_forces(list, options, error);
  if (!status)
    status = read_multilevel(gg_r_element(list, "multilevel"), &options->multilevel, error);
  if (!status) status = read_seed(list, &options->seed, error);
  return status;
}

/* --- Frames ------------------------------------------------------------------------------------
 */

/* An R function that is called with the positions. */
typedef struct frames {
  gg_r_hooks *hooks;
  SEXP callback;
  SEXP names; /* of the vertices, or NULL */
  int64_t vertices;
  int dim;
  /* of the present frame */
  int64_t iteration;
  double temperature;
  const double *positions;
} frames;

/* Returns a matrix with a row for each vertex, to be filled. */
static SEXP make_positions(int64_t vertices, int dim, SEXP names) {
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int)vertices, dim));
  if (names != R_NilValue) {
    SEXP both = PROTECT(Rf_allocVector(VECSXP, 2));
    SET_VECTOR_ELT(both, 0, names);
    Rf_dimnamesgets(matrix, both);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return matrix;
}

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

static int frame_hook(int64_t iteration, double temperature, const double *positions, void *data) {
  frames *f = data;
  f->iteration = iteration;
  f->temperature = temperature;
  f->positions = positions;
  return !gg_r_evaluate(f->hooks, show_frame, f);
}

static gpugeo_status fail_callback(SEXP value, gpugeo_error *error) {
  const gg_given given = gg_r_given(value);
  return gg_fail_given(error, "callback", "a function", &given);
}

static gpugeo_status read_callback(SEXP list, gpugeo_layout_options *options, frames *f,
                                   gpugeo_error *error) {
  f->callback = gg_r_element(list, "callback");
  if (f->callback == R_NilValue) return GPUGEO_OK;
  if (!Rf_isFunction(f->callback)) return fail_callback(f->callback, error);
  options->frame = frame_hook;
  options->frame_data = f;
  return gg_r_whole(gg_r_element(list, "callback_every"), "callback_every", 1, INT32_MAX,
                    &options->frame_every, error);
}

/* --- Layouts -----------------------------------------------------------------------------------
 */

SEXP gg_r_layout(SEXP graph_list, SEXP list, SEXP settings, SEXP call, SEXP environment) {
  gpugeo_error error;
  gpugeo_graph graph;
  gpugeo_layout_result result;
  gpugeo_report report;
  gg_r_hooks hooks;
  int64_t size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  gpugeo_status status = read_graph(graph_list, &graph, &error);
  frames shown = {
      .hooks = &hooks, .names = gg_r_element(graph_list, "names"), .vertices = graph.vertices};
  if (!status) status = read_options(list, &options, &error);
  shown.dim = options.dim;
  if (!status) status = read_callback(list, &options, &shown, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status) status = gpugeo_layout_size(&graph, &options, &size, &error);
  if (status) gg_r_stop(&error, call);

  SEXP positions = PROTECT(make_positions(graph.vertices, options.dim, shown.names));
  status = gpugeo_layout(&graph, &options, REAL(positions), &result, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);

  const char *names[] = {"positions",   "iterations", "converged", "energy",
                         "temperature", "backend",    ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(made, 0, positions);
  SET_VECTOR_ELT(made, 1, Rf_ScalarInteger((int)result.iterations));
  SET_VECTOR_ELT(made, 2, Rf_ScalarLogical(result.converged != 0));
  SET_VECTOR_ELT(made, 3, Rf_ScalarReal(result.energy));
  SET_VECTOR_ELT(made, 4, Rf_ScalarReal(result.temperature));
  SET_VECTOR_ELT(made, 5, Rf_mkString(gpugeo_backend_name(report.backend)));
  gg_r_report(&report, "gpu_layout", call, environment);
  UNPROTECT(3);
  return made;
}

/* --- Quality -----------------------------------------------------------------------------------
 */

static double or_missing(double value) { return ISNAN(value) ? NA_REAL : value; }

SEXP gg_r_layout_quality(SEXP graph_list, SEXP positions, SEXP list, SEXP settings, SEXP call,
                         SEXP environment) {
  gpugeo_error error;
  gpugeo_graph graph;
  gpugeo_matrix view;
  gpugeo_layout_quality_result quality;
  gpugeo_report report;
  gg_r_hooks hooks;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_layout_quality_options options;
  gpugeo_layout_quality_options_init(&options, sizeof options);
  gpugeo_status status = read_graph(graph_list, &graph, &error);
  if (!status) status = gg_r_matrix(positions, "layout", &view, &error);
  if (!status) status = read_count(list, "pivots", &options.pivots, &error);
  if (!status) status = read_count(list, "crossings", &options.crossings, &error);
  if (!status) status = read_seed(list, &options.seed, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (status) gg_r_stop(&error, call);
  status = gpugeo_layout_quality(&graph, &view, &options, &quality, &report, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);

  const char *names[] = {"stress",         "scale",     "neighborhood",
                         "edge_variation", "crossings", "crossings_error",
                         "energy",         "pivots",    ""};
  const double values[] = {quality.stress,         quality.scale,         quality.neighborhood,
                           quality.edge_variation, quality.crossings,     quality.crossings_error,
                           quality.energy,         (double)quality.pivots};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; names[i][0]; ++i)
    SET_VECTOR_ELT(made, i, Rf_ScalarReal(or_missing(values[i])));
  gg_r_report(&report, "gpu_layout_quality", call, environment);
  UNPROTECT(2);
  return made;
}

/* --- Files -------------------------------------------------------------------------------------
 */

static void free_file(SEXP holder) {
  gpugeo_edge_file *file = R_ExternalPtrAddr(holder);
  if (file) gpugeo_edge_file_free(file);
  R_ClearExternalPtr(holder);
}

SEXP gg_r_edges(SEXP path, SEXP first, SEXP settings, SEXP call) {
  gpugeo_error error;
  gpugeo_run run;
  gg_r_hooks hooks;
  const char *name;
  int64_t number = -1;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_run_init(&run, sizeof run);
  /* Frees the edges when the call is over, also when R runs out of memory below. */
  SEXP room = PROTECT(Rf_allocVector(RAWSXP, sizeof(gpugeo_edge_file)));
  gpugeo_edge_file *file = (gpugeo_edge_file *)RAW(room);
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, room));
  R_RegisterCFinalizer(holder, free_file);
  gpugeo_status status = gg_r_path(path, "path", &name, &error);
  if (!status && first != R_NilValue) status = gg_r_whole(first, "first", 0, 1, &number, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &run, &error);
  if (status) gg_r_stop(&error, call);
  status = gpugeo_edge_file_read(name, number, &run, file, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  R_SetExternalPtrAddr(holder, file);

  const char *names[] = {"from", "to", "weight", "first", "vertices", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const size_t count = (size_t)file->edge_count;
  for (int k = 0; k < 2; ++k) {
    SEXP column = SET_VECTOR_ELT(list, k, Rf_allocVector(INTSXP, (R_xlen_t)count));
    memcpy(INTEGER(column), file->edges + (size_t)k * count, count * sizeof *file->edges);
  }
  if (file->weights) {
    SEXP weights = SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, (R_xlen_t)count));
    memcpy(REAL(weights), file->weights, count * sizeof *file->weights);
  }
  SET_VECTOR_ELT(list, 3, Rf_ScalarInteger((int)file->first));
  SET_VECTOR_ELT(list, 4, Rf_ScalarReal((double)file->vertices));
  free_file(holder);
  UNPROTECT(4);
  return list;
}
