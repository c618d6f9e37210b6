#include "distances.h"
#include "entry.h"

SEXP gg_r_silhouette(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_silhouette_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_silhouette_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_settings(&call, &options.run);
  const int64_t n = gg_r_count_points(&call, &distances);

  const SEXP clusters = gg_r_option(&call, "clusters");
  const char *names[] = {"neighbor", "width", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP neighbor = SET_VECTOR_ELT(made, 0, Rf_allocVector(INTSXP, (R_xlen_t)n));
  SEXP width = SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  const gpugeo_status status =
      gpugeo_silhouette(&distances.given, INTEGER_RO(clusters), XLENGTH(clusters), &options,
                        INTEGER(neighbor), REAL(width), &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_silhouette", NULL);
  UNPROTECT(3);
  return made;
}
