#include "distances.h"
#include "entry.h"
#include "result_memory.h"

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
  int64_t n = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&d));
  gpugeo_hclust_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "d", &d, &options.metric);
  options.linkage = gg_r_choice(&call, "linkage", GPUGEO_ENUM_LINKAGE);
  gg_r_double_option(&call, "members", &options.members, &options.members_length);
  gg_r_settings(&call, &options.run);
  if (!call.status) gg_r_check(&call, gpugeo_hclust_size(&d.given, &options, &n, &call.error));
  gg_r_require(&call);

  const char *names[] = {"merge", "height", "order", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP merge = SET_VECTOR_ELT(made, 0, Rf_allocMatrix(INTSXP, (int)n - 1, 2));
  SEXP height = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, (R_xlen_t)n - 1));
  SEXP order = SET_VECTOR_ELT(made, 2, Rf_allocVector(INTSXP, (R_xlen_t)n));
  const gpugeo_status status = gpugeo_hclust(&d.given, &options, INTEGER(merge), REAL(height),
                                             INTEGER(order), &call.report, &call.error);
  gg_r_close_distances(&d);
  gg_r_finish(&call, status);
  gg_r_number_clusters(INTEGER(merge), INTEGER(order), n);
  gg_r_report(&call, "gpu_hclust", NULL);
  UNPROTECT(3);
  return made;
}

SEXP gg_r_cophenetic(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_run run;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_r_settings(&call, &run);
  gg_r_require(&call);

  const SEXP merge = gg_r_input(&call, 0);
  const R_xlen_t n = XLENGTH(merge) / 2 + 1;
  int32_t *clusters = (int32_t *)R_alloc((size_t)XLENGTH(merge) + 1, sizeof *clusters);
  for (R_xlen_t k = 0; k < XLENGTH(merge); ++k) {
    const int number = INTEGER_RO(merge)[k];
    clusters[k] = number < 0 && number != NA_INTEGER ? -1 - number
                  : number > 0                       ? (int32_t)(n + number - 1)
                                                     : -1;
  }
  SEXP out = PROTECT(gg_r_result(REALSXP, n * (n - 1) / 2));
  gg_r_finish(&call, gpugeo_cophenetic(n, clusters, REAL_RO(gg_r_input(&call, 1)), &run, REAL(out),
                                       &call.report, &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_cophenetic", NULL);
  UNPROTECT(2);
  return out;
}
