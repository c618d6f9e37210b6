/* Clusters by density. */
#include "cluster/condense.h"
#include "common/error.h"
#include "distances.h"
#include "entry.h"

/* Returns memory for count integers, which R frees after the call. */
static int *whole_room(int64_t count) { return (int *)R_alloc((size_t)count + 1, sizeof(int)); }

/* Returns memory for count doubles, which R frees after the call. */
static double *real_room(int64_t count) {
  return (double *)R_alloc((size_t)count + 1, sizeof(double));
}

/* Returns a node of the condensed tree, as package dbscan has it. names: of its elements. */
static SEXP make_node(const gpugeo_hdbscan_result *tree, int64_t node, SEXP names) {
  const int64_t first = tree->start[node], count = tree->start[node + 1] - first;
  SEXP made = PROTECT(Rf_allocVector(VECSXP, XLENGTH(names)));
  int *contains = INTEGER(gg_r_set_vector(made, 0, INTSXP, count));
  double *eps = REAL(gg_r_set_vector(made, 1, REALSXP, count));
  for (int64_t e = 0; e < count; ++e) {
    contains[e] = tree->point[first + e] + 1;
    eps[e] = tree->leaves_at[first + e];
  }
  gg_r_set_number(made, 2, tree->birth[node]);
  gg_r_set_number(made, 3, tree->death[node]);
  gg_r_set_number(made, 4, tree->stability[node]);
  SET_VECTOR_ELT(made, 5, Rf_ScalarInteger(tree->divided[node]));
  gg_r_set_number(made, 6, tree->score[node]);
  Rf_setAttrib(made, R_NamesSymbol, names);
  UNPROTECT(1);
  return made;
}

/* Sets the list of all nodes. */
static void set_nodes(SEXP made, int which, const gpugeo_hdbscan_result *tree) {
  static const char *const elements[] = {"contains",  "eps",        "eps_birth", "eps_death",
                                         "stability", "n_children", "score"};
  const int count = (int)(sizeof elements / sizeof *elements);
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (int e = 0; e < count; ++e)
    SET_STRING_ELT(names, e, Rf_mkChar(elements[e]));
  SEXP nodes = gg_r_set_vector(made, which, VECSXP, tree->nodes);
  for (int64_t c = 0; c < tree->nodes; ++c)
    SET_VECTOR_ELT(nodes, (R_xlen_t)c, make_node(tree, c, names));
  UNPROTECT(1);
}

/* Sets the node of each cluster, and its stability. */
static void set_clusters(SEXP made, int node, int stability, const gpugeo_hdbscan_result *tree) {
  int *nodes = INTEGER(gg_r_set_vector(made, node, INTSXP, tree->clusters));
  double *values = REAL(gg_r_set_vector(made, stability, REALSXP, tree->clusters));
  for (int64_t c = 0; c < tree->nodes; ++c) {
    if (!tree->selected[c]) continue;
    nodes[tree->number[c] - 1] = (int)c;
    values[tree->number[c] - 1] = tree->stability[c];
  }
}

/* Returns a result whose arrays are the elements of the list, or memory where R gets another form.
 */
static gpugeo_hdbscan_result make_result(SEXP made, int64_t n, int64_t nodes) {
  const int64_t merges = n > 0 ? n - 1 : 0;
  return (gpugeo_hdbscan_result){
      .cluster = INTEGER(gg_r_set_vector(made, 0, INTSXP, n)),
      .core_distance = REAL(gg_r_set_vector(made, 1, REALSXP, n)),
      .membership = REAL(gg_r_set_vector(made, 2, REALSXP, n)),
      .outlier_score = REAL(gg_r_set_vector(made, 3, REALSXP, n)),
      .merge = INTEGER(SET_VECTOR_ELT(made, 4, Rf_allocMatrix(INTSXP, (int)merges, 2))),
      .height = REAL(gg_r_set_vector(made, 5, REALSXP, merges)),
      .order = INTEGER(gg_r_set_vector(made, 6, INTSXP, n)),
      .merge_node = INTEGER(gg_r_set_vector(made, 7, INTSXP, merges)),
      .parent = whole_room(nodes),
      .divided = whole_room(nodes),
      .number = whole_room(nodes),
      .selected = whole_room(nodes),
      .birth = real_room(nodes),
      .death = real_room(nodes),
      .stability = real_room(nodes),
      .score = real_room(nodes),
      .start = whole_room(nodes + 1),
      .point = whole_room(n),
      .leaves_at = real_room(n),
  };
}

SEXP gg_r_hdbscan(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_hdbscan_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_hdbscan_options, &options,
                                        &options.metric, &options.run);
  const int64_t nodes = gg_condensed_nodes(n, options.min_points);

  const char *names[] = {"cluster", "coredist",   "membership", "outlier", "merge",     "height",
                         "order",   "merge_node", "nodes",      "salient", "stability", "parent",
                         ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gpugeo_hdbscan_result result = make_result(made, n, nodes);
  gg_r_finish(&call,
              gpugeo_hdbscan(&distances.given, &options, &result, &call.report, &call.error));
  gg_r_number_clusters(result.merge, result.order, n);
  set_nodes(made, 8, &result);
  set_clusters(made, 9, 10, &result);
  int *parent = INTEGER(gg_r_set_vector(made, 11, INTSXP, result.nodes));
  for (int64_t c = 0; c < result.nodes; ++c)
    parent[c] = result.parent[c];
  gg_r_report(&call, "gpu_hdbscan", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_dbscan(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_dbscan_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_dbscan_options, &options,
                                        &options.metric, &options.run);

  SEXP cluster = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n));
  gg_r_finish(&call, gpugeo_dbscan(&distances.given, &options, INTEGER(cluster), NULL, &call.report,
                                   &call.error));
  gg_r_report(&call, "gpu_dbscan", NULL);
  UNPROTECT(2);
  return cluster;
}

SEXP gg_r_optics(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_optics_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_optics_options, &options,
                                        &options.metric, &options.run);
  const char *names[] = {"order", "reachdist", "coredist", "predecessor", "eps", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gpugeo_optics_result result = {.order = INTEGER(gg_r_set_vector(made, 0, INTSXP, n)),
                                 .reachability = REAL(gg_r_set_vector(made, 1, REALSXP, n)),
                                 .core_distance = REAL(gg_r_set_vector(made, 2, REALSXP, n)),
                                 .predecessor = INTEGER(gg_r_set_vector(made, 3, INTSXP, n))};
  gg_r_finish(&call, gpugeo_optics(&distances.given, &options, &result, &call.report, &call.error));
  for (int64_t i = 0; i < n; ++i) {
    ++result.order[i];
    result.predecessor[i] = result.predecessor[i] < 0 ? NA_INTEGER : result.predecessor[i] + 1;
  }
  gg_r_set_number(made, 4, result.eps);
  gg_r_report(&call, "gpu_optics", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_lof(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_lof_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_lof_options, &options,
                                        &options.metric, &options.run);
  SEXP factor = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  gg_r_finish(&call,
              gpugeo_lof(&distances.given, &options, REAL(factor), &call.report, &call.error));
  gg_r_report(&call, "gpu_lof", NULL);
  UNPROTECT(2);
  return factor;
}
