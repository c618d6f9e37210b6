/* Trees of distances. */
#include "distances.h"
#include "entry.h"

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
