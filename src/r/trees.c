/* Trees of distances. */
#include "distances.h"
#include "entry.h"
#include "phylo.h"

/* Counts the nodes of edges from 1. */
static void count_from_one(int *edge, int64_t edges) {
  for (int64_t k = 0; k < 2 * edges; ++k)
    ++edge[k];
}

/* Returns list(edge, edge.length) with room for so many edges, to be protected. */
static SEXP make_tree(int64_t edges) {
  const char *names[] = {"edge", "edge.length", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, (int)edges, 2));
  gg_r_set_vector(made, 1, REALSXP, edges);
  UNPROTECT(1);
  return made;
}

SEXP gg_r_nj(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances d;
  gpugeo_nj_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n =
      gg_r_open_distances(&call, "d", &d, &gg_nj_options, &options, &options.metric, &options.run);
  const int64_t edges = n < 3 ? 0 : 2 * n - 3;
  SEXP made = PROTECT(make_tree(edges));
  int *edge = INTEGER(VECTOR_ELT(made, 0));
  gg_r_finish(&call, gpugeo_nj(&d.given, &options, edge, REAL(VECTOR_ELT(made, 1)), &call.report,
                               &call.error));
  count_from_one(edge, edges);
  gg_r_report(&call, options.bionj ? "gpu_bionj" : "gpu_nj", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_upgma(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances d;
  gpugeo_hclust_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "d", &d, &gg_hclust_options, &options,
                                        &options.metric, &options.run);
  const int64_t edges = n < 2 ? 0 : 2 * n - 2;
  SEXP made = PROTECT(make_tree(edges));
  int *edge = INTEGER(VECTOR_ELT(made, 0));
  int32_t *merge = (int32_t *)R_alloc((size_t)(3 * n + 1), sizeof *merge);
  double *height = (double *)R_alloc((size_t)n + 1, sizeof *height);
  gpugeo_status status =
      gpugeo_hclust(&d.given, &options, merge, height, merge + 2 * n, &call.report, &call.error);
  if (!status)
    status = gpugeo_hclust_tree(n, merge, height, edge, REAL(VECTOR_ELT(made, 1)), &call.error);
  gg_r_finish(&call, status);
  count_from_one(edge, edges);
  gg_r_report(&call, "gpu_upgma", NULL);
  UNPROTECT(2);
  return made;
}

/* --- Trees in files --------------------------------------------------------------------------- */

/* Frees a tree that was read. */
static void free_newick(SEXP holder) {
  gpugeo_newick_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

/* Sets an element to so many labels. */
static void set_labels(SEXP made, int which, const char *const *labels, int64_t count) {
  if (!labels) return;
  SEXP texts = SET_VECTOR_ELT(made, which, Rf_allocVector(STRSXP, (R_xlen_t)count));
  for (int64_t i = 0; i < count; ++i)
    SET_STRING_ELT(texts, (R_xlen_t)i, Rf_mkCharCE(labels[i], CE_UTF8));
}

/* Returns list(edge, edge.length, tip.label, Nnode, node.label, root.edge) of a tree. */
static SEXP phylo_of(const gpugeo_tree *tree) {
  const char *names[] = {"edge",       "edge.length", "tip.label", "Nnode",
                         "node.label", "root.edge",   ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP edge = SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, (int)tree->edges, 2));
  for (int64_t k = 0; k < 2 * tree->edges; ++k)
    INTEGER(edge)[k] = tree->edge[k] + 1;
  if (tree->length) {
    double *length = REAL(gg_r_set_vector(made, 1, REALSXP, tree->edges));
    for (int64_t k = 0; k < tree->edges; ++k)
      length[k] = tree->length[k];
  }
  set_labels(made, 2, tree->tip_label, tree->tips);
  SET_VECTOR_ELT(made, 3, Rf_ScalarInteger((int)tree->nodes));
  set_labels(made, 4, tree->node_label, tree->nodes);
  if (!ISNAN(tree->root_length)) SET_VECTOR_ELT(made, 5, Rf_ScalarReal(tree->root_length));
  UNPROTECT(1);
  return made;
}

SEXP gg_r_newick_read(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  SEXP holder = PROTECT(gg_r_hold(sizeof(gpugeo_newick), free_newick));
  gpugeo_newick *newick = gg_r_held(holder);
  SEXP text = gg_r_input(&call, 1);
  const char *path = text == R_NilValue ? gg_r_path(&call, gg_r_input(&call, 0), "path") : NULL;
  const char *const *texts = gg_r_texts(text);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_newick_read(path, texts ? texts[0] : NULL, &run, newick, &call.error));
  R_SetExternalPtrAddr(holder, newick);
  SEXP made = PROTECT(phylo_of(&newick->tree));
  free_newick(holder);
  UNPROTECT(3);
  return made;
}

/* Frees a text that was written. */
static void free_text(SEXP holder) {
  gpugeo_newick_text_free(R_ExternalPtrAddr(holder));
  R_ClearExternalPtr(holder);
}

SEXP gg_r_newick_write(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  gpugeo_tree tree;
  char *text = NULL;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_read_phylo(&call, gg_r_input(&call, 0), &tree);
  SEXP file = gg_r_input(&call, 1);
  const char *path = file == R_NilValue ? NULL : gg_r_path(&call, file, "path");
  SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizer(holder, free_text);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  gg_r_finish(&call, gpugeo_newick_write(&tree, path, &run, path ? NULL : &text, &call.error));
  R_SetExternalPtrAddr(holder, text);
  SEXP made = R_NilValue;
  if (text) made = Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
  PROTECT(made);
  free_text(holder);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_tree_distances(SEXP inputs, SEXP options, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  gpugeo_tree tree;
  PROTECT(gg_r_begin(&call, inputs, options, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_read_phylo(&call, gg_r_input(&call, 0), &tree);
  gg_r_settings(&call, &run);
  gg_r_require(&call);
  SEXP made = PROTECT(Rf_allocMatrix(REALSXP, (int)tree.tips, (int)tree.tips));
  gg_r_finish(&call, gpugeo_tree_distances(&tree, &run, REAL(made), &call.report, &call.error));
  gg_r_report(&call, "gpu_tree_distances", NULL);
  UNPROTECT(2);
  return made;
}
