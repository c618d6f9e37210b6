#include "dgp/graph.h"

#include "call.h"
#include "common/error.h"
#include "entry.h"

/* Frees the edges of a file. */
static void free_edges(SEXP holder) {
  gpugeo_dgp_file file = {.edges = R_ExternalPtrAddr(holder)};
  gpugeo_dgp_file_free(&file);
  R_ClearExternalPtr(holder);
}

SEXP gg_r_dgp_file(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dgp_file file;
  gpugeo_run run;
  const char *words = NULL;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  /* Frees the edges when the call is over, also when R runs out of memory below. */
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, free_edges);
  const char *path = gg_r_path(&call, gg_r_input(&call, 0), "edges");
  if (gg_r_has(&call, "format")) words = gg_r_word(&call, "format");
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_dgp_file_read(path, words, &run, &file, &call.error));
  R_SetExternalPtrAddr(holder, file.edges);

  const char *names[] = {"edges", "first", "vertices", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  const int64_t count = file.edge_count;
  SEXP edges = Rf_allocMatrix(REALSXP, (int)count, 4);
  SET_VECTOR_ELT(list, 0, edges);
  for (int64_t i = 0; i < count; ++i) {
    const gpugeo_dgp_edge *edge = &file.edges[i];
    REAL(edges)[i] = (double)edge->u + 1;
    REAL(edges)[i + count] = (double)edge->v + 1;
    REAL(edges)[i + 2 * count] = edge->lower;
    REAL(edges)[i + 3 * count] = edge->upper;
  }
  gg_r_set_number(list, 1, (double)file.first);
  gg_r_set_number(list, 2, (double)file.vertices);
  free_edges(holder);
  UNPROTECT(3);
  return list;
}

/* Returns list(vertex, predecessor, block), counted from 1. */
static SEXP as_order(const gpugeo_dgp_vertex *order, int64_t vertices) {
  const char *names[] = {"vertex", "predecessor", "block", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 3; ++k)
    gg_r_set_vector(list, k, INTSXP, vertices);
  for (int64_t i = 0; i < vertices; ++i) {
    INTEGER(VECTOR_ELT(list, 0))[i] = (int)order[i].vertex + 1;
    INTEGER(VECTOR_ELT(list, 1))[i] = i == 0 ? NA_INTEGER : (int)order[i].predecessor + 1;
    INTEGER(VECTOR_ELT(list, 2))[i] = i == 0 ? NA_INTEGER : (int)order[i].block + 1;
  }
  UNPROTECT(1);
  return list;
}

/* Returns list(count, count_text, positions, order, blocks, bridges, backend). */
static SEXP as_list(const gpugeo_dgp_graph_result *result, const double *positions, int64_t room,
                    const gpugeo_dgp_vertex *order, int64_t vertices, const gpugeo_report *report) {
  const char *names[] = {"count",  "count_text", "positions", "order",
                         "blocks", "bridges",    "backend",   ""};
  const int64_t found = result->returned;
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  double count;
  const gpugeo_decimal digits = gg_dgp_graph_count(result, &count);
  gg_r_set_number(list, 0, count);
  SET_VECTOR_ELT(list, 1, Rf_mkString(digits.digits));
  SEXP kept = Rf_allocMatrix(REALSXP, (int)found, (int)vertices);
  SET_VECTOR_ELT(list, 2, kept);
  for (int64_t v = 0; v < vertices; ++v)
    for (int64_t i = 0; i < found; ++i)
      REAL(kept)[i + v * found] = positions[i + v * room];
  SET_VECTOR_ELT(list, 3, as_order(order, vertices));
  SET_VECTOR_ELT(list, 4, Rf_ScalarInteger((int)result->blocks));
  SET_VECTOR_ELT(list, 5, Rf_ScalarInteger((int)result->bridges));
  SET_VECTOR_ELT(list, 6, Rf_mkString(gpugeo_name(GPUGEO_ENUM_BACKEND, report->backend)));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_dgp_graph(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_result result;
  gpugeo_matrix view = {0};
  int64_t vertices = 0, size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.labels = gg_r_texts(gg_r_option(&call, "labels"));
  gg_r_matrix(&call, gg_r_input(&call, 0), "edges", &view);
  gg_r_read_options(&call, &gg_dgp_graph_options, &options);
  gg_r_require(&call);
  /* R takes this back when the call ends, whichever way. */
  gpugeo_dgp_edge *edges = (gpugeo_dgp_edge *)R_alloc((size_t)view.nrow, sizeof *edges);
  gg_r_check(&call, gg_dgp_edges(&view, edges, &vertices, &call.error));
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call,
               gpugeo_dgp_graph_size(vertices, edges, view.nrow, &options, &size, &call.error));
  gg_r_require(&call);

  gpugeo_dgp_vertex *order = (gpugeo_dgp_vertex *)R_alloc((size_t)vertices, sizeof *order);
  double *positions = (double *)R_alloc((size_t)size, sizeof *positions);
  gg_r_finish(&call, gpugeo_dgp_graph(vertices, edges, view.nrow, &options, &result, positions,
                                      order, &call.report, &call.error));
  SEXP made =
      PROTECT(as_list(&result, positions, options.max_solutions, order, vertices, &call.report));
  gg_r_report(&call, "gpu_dgp_graph", NULL);
  UNPROTECT(2);
  return made;
}
