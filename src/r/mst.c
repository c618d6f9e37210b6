#include "distances.h"
#include "entry.h"

/* Sets an element of a list to a new vector, and returns it. */
static SEXP set_column(SEXP list, int which, SEXPTYPE type, int64_t size) {
  return SET_VECTOR_ELT(list, which, Rf_allocVector(type, (R_xlen_t)size));
}

SEXP gg_r_mst(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mst_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_mst_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_settings(&call, &options.run);
  const int64_t n = gg_r_count_points(&call, &distances), size = n > 0 ? n - 1 : 0;

  const char *names[] = {"i", "j", "distance", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  int *i = INTEGER(set_column(made, 0, INTSXP, size));
  int *j = INTEGER(set_column(made, 1, INTSXP, size));
  double *distance = REAL(set_column(made, 2, REALSXP, size));
  const gpugeo_status status =
      gpugeo_mst(&distances.given, &options, i, j, distance, &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  for (int64_t e = 0; e < size; ++e) {
    ++i[e];
    ++j[e];
  }
  gg_r_report(&call, "gpu_mst", NULL);
  UNPROTECT(3);
  return made;
}
