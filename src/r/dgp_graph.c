#include "dgp/graph.h"

#include "common/error.h"
#include "common/uint128.h"
#include "entry.h"
#include "run.h"

static void free_edges(SEXP holder) {
  gpugeo_dgp_file file = {.edges = R_ExternalPtrAddr(holder)};
  gpugeo_dgp_file_free(&file);
  R_ClearExternalPtr(holder);
}

SEXP gg_r_dgp_file(SEXP path, SEXP format, SEXP settings, SEXP call) {
  gpugeo_error error;
  gpugeo_dgp_file file;
  gpugeo_run run;
  gg_r_hooks hooks;
  SEXP held = PROTECT(R_MakeUnwindCont());
  gpugeo_run_init(&run, sizeof run);
  const char *name, *words = NULL;
  /* Frees the edges when the call is over, also when R runs out of memory below. */
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, free_edges);
  gpugeo_status status = gg_r_path(path, "edges", &name, &error);
  if (!status && format != R_NilValue) status = gg_r_string(format, "format", &words, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &run, &error);
  if (status) gg_r_stop(&error, call);
  status = gpugeo_dgp_file_read(name, words, &run, &file, &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
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
  SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)file.first));
  SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)file.vertices));
  free_edges(holder);
  UNPROTECT(3);
  return list;
}

/* Returns list(vertex, predecessor, block), counted from 1. */
static SEXP as_order(const gpugeo_dgp_vertex *order, int64_t vertices) {
  const char *names[] = {"vertex", "predecessor", "block", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 3; ++k)
    SET_VECTOR_ELT(list, k, Rf_allocVector(INTSXP, (R_xlen_t)vertices));
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
  const gpugeo_decimal count = gpugeo_uint128_decimal(result->count);
  SET_VECTOR_ELT(
      list, 0, Rf_ScalarReal(result->count_overflow ? R_PosInf : gg_uint128_double(result->count)));
  SET_VECTOR_ELT(list, 1, Rf_mkString(result->count_overflow ? "2^128 or more" : count.digits));
  SEXP kept = Rf_allocMatrix(REALSXP, (int)found, (int)vertices);
  SET_VECTOR_ELT(list, 2, kept);
  for (int64_t v = 0; v < vertices; ++v)
    for (int64_t i = 0; i < found; ++i)
      REAL(kept)[i + v * found] = positions[i + v * room];
  SET_VECTOR_ELT(list, 3, as_order(order, vertices));
  SET_VECTOR_ELT(list, 4, Rf_ScalarInteger((int)result->blocks));
  SET_VECTOR_ELT(list, 5, Rf_ScalarInteger((int)result->bridges));
  SET_VECTOR_ELT(list, 6, Rf_mkString(gpugeo_backend_name(report->backend)));
  UNPROTECT(1);
  return list;
}

SEXP gg_r_dgp_graph(SEXP edges, SEXP labels, SEXP tol, SEXP max_solutions, SEXP settings, SEXP call,
                    SEXP environment) {
  gpugeo_error error;
  gpugeo_matrix view;
  gpugeo_dgp_graph_result result;
  gpugeo_report report;
  gg_r_hooks hooks;
  int64_t vertices = 0, size = 0;
  SEXP held = PROTECT(R_MakeUnwindCont());

  gpugeo_dgp_graph_options options;
  gpugeo_dgp_graph_options_init(&options, sizeof options);
  options.labels = gg_r_texts(labels);
  gpugeo_status status = gg_r_matrix(edges, "edges", &view, &error);
  if (!status) status = gg_r_number(tol, "tol", GG_FROM_ZERO, &options.tol, &error);
  if (status) gg_r_stop(&error, call);
  /* R frees this when the call ends, also after an error. */
  gpugeo_dgp_edge *list = (gpugeo_dgp_edge *)R_alloc((size_t)view.nrow, sizeof *list);
  status = gg_dgp_edges(&view, list, &vertices, &error);
  if (!status)
    status = gg_r_any_whole(max_solutions, "max_solutions", &options.max_solutions, &error);
  if (!status) status = gg_r_run(settings, held, &hooks, &options.run, &error);
  if (!status) status = gpugeo_dgp_graph_size(vertices, list, view.nrow, &options, &size, &error);
  if (status) gg_r_stop(&error, call);

  gpugeo_dgp_vertex *order = (gpugeo_dgp_vertex *)R_alloc((size_t)vertices, sizeof *order);
  double *positions = (double *)R_alloc((size_t)size, sizeof *positions);
  status = gpugeo_dgp_graph(vertices, list, view.nrow, &options, &result, positions, order, &report,
                            &error);
  gg_r_hooks_finish(&hooks);
  if (status) gg_r_stop(&error, call);
  SEXP made = PROTECT(as_list(&result, positions, options.max_solutions, order, vertices, &report));
  gg_r_report(&report, "gpu_dgp_graph", call, environment);
  UNPROTECT(2);
  return made;
}
