/* Hierarchical clustering, orders of leaves, and minimum spanning trees. */
#include "common/error.h"
#include "distances.h"
#include "entry.h"

void gg_r_number_clusters(int *merge, int *order, int64_t n) {
  for (int64_t k = 0; k < 2 * (n - 1); ++k)
    merge[k] = merge[k] < n ? -1 - merge[k] : (int)(merge[k] - n + 1);
  for (int64_t i = 0; i < n; ++i)
    ++order[i];
}

SEXP gg_r_hclust(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances d;
  gpugeo_hclust_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "d", &d, &gg_hclust_options, &options,
                                        &options.metric, &options.run);
  const int merges = n > 0 ? (int)n - 1 : 0;

  const char *names[] = {"merge", "height", "order", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP merge = SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, merges, 2));
  SEXP height = gg_r_set_vector(made, 1, REALSXP, merges);
  SEXP order = gg_r_set_vector(made, 2, INTSXP, n);
  gg_r_finish(&call, gpugeo_hclust(&d.given, &options, INTEGER(merge), REAL(height), INTEGER(order),
                                   &call.report, &call.error));
  gg_r_number_clusters(INTEGER(merge), INTEGER(order), n);
  gg_r_report(&call, "gpu_hclust", NULL);
  UNPROTECT(2);
  return made;
}

/* Returns the number of merges; 0 and an error unless merge is an integer matrix with two columns
   and a row for each. */
static R_xlen_t count_merges(gg_r_call *call, SEXP merge) {
  if (call->status) return 0;
  if (TYPEOF(merge) == INTSXP && Rf_isMatrix(merge) && Rf_ncols(merge) == 2 && Rf_nrows(merge) > 0)
    return Rf_nrows(merge);
  const gg_given given = gg_r_given(merge);
  gg_r_check(call, gg_fail_given(&call->error, "merge",
                                 "a matrix of two columns with a row for each merge", &given));
  return 0;
}

/* Returns the heights of so many merges; NULL and an error unless there is one for each. */
static const double *read_heights(gg_r_call *call, SEXP value, R_xlen_t merges) {
  const double *height = NULL;
  int64_t length = 0;
  gg_r_doubles(call, value, "height", &height, &length);
  if (call->status || length == merges) return height;
  gg_r_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, "height",
                           "height must have a value for each of the %lld merges, not %lld values",
                           (long long)merges, (long long)length));
  return NULL;
}

/* Returns merges as the core numbers clusters: points from 0, then merges; -1 for what is none. */
static const int32_t *number_from_zero(SEXP merge, R_xlen_t n) {
  int32_t *clusters = (int32_t *)R_alloc((size_t)XLENGTH(merge), sizeof *clusters);
  for (R_xlen_t k = 0; k < XLENGTH(merge); ++k) {
    const int64_t number = INTEGER_RO(merge)[k];
    const bool known = number != 0 && number >= -n && number < n;
    clusters[k] = (int32_t)(!known ? -1 : number < 0 ? -1 - number : n + number - 1);
  }
  return clusters;
}

SEXP gg_r_cophenetic(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  const SEXP merge = gg_r_input(&call, 0);
  const R_xlen_t n = count_merges(&call, merge) + 1;
  const double *height = read_heights(&call, gg_r_input(&call, 1), n - 1);
  gg_r_require(&call);

  const int32_t *clusters = number_from_zero(merge, n);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n * (n - 1) / 2));
  gg_r_finish(&call,
              gpugeo_cophenetic(n, clusters, height, &run, REAL(out), &call.report, &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_cophenetic", NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_leaf_order(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances d;
  gpugeo_leaf_order_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_open_distances(&call, "d", &d, &gg_leaf_order_options, &options, &options.metric,
                      &options.run);
  const SEXP tree = gg_r_option(&call, "merge");
  const R_xlen_t n = count_merges(&call, tree) + 1;
  gg_r_require(&call);

  const char *names[] = {"merge", "order", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP merge = SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, (int)n - 1, 2));
  SEXP order = gg_r_set_vector(made, 1, INTSXP, n);
  gpugeo_leaf_order_result result = {INTEGER(merge), INTEGER(order), 0};
  gg_r_finish(&call, gpugeo_leaf_order(&d.given, number_from_zero(tree, n), n - 1, &options,
                                       &result, &call.report, &call.error));
  gg_r_number_clusters(INTEGER(merge), INTEGER(order), n);
  gg_r_report(&call, "gpu_seriate", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_mst(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mst_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_mst_options_init(&options, sizeof options);
  const int64_t n =
      gg_r_open_distances(&call, "x", &distances, NULL, &options, &options.metric, &options.run);
  const int64_t size = n > 0 ? n - 1 : 0;

  const char *names[] = {"i", "j", "distance", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  int *i = INTEGER(gg_r_set_vector(made, 0, INTSXP, size));
  int *j = INTEGER(gg_r_set_vector(made, 1, INTSXP, size));
  double *distance = REAL(gg_r_set_vector(made, 2, REALSXP, size));
  gg_r_finish(&call,
              gpugeo_mst(&distances.given, &options, i, j, distance, &call.report, &call.error));
  for (int64_t e = 0; e < size; ++e) {
    ++i[e];
    ++j[e];
  }
  gg_r_report(&call, "gpu_mst", NULL);
  UNPROTECT(2);
  return made;
}
