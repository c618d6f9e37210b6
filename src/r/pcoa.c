#include "common/integer.h"
#include "distances.h"
#include "entry.h"

/* Appends a number to the result. */
static void number(SEXP made, int which, double value) {
  SET_VECTOR_ELT(made, which, Rf_ScalarReal(value));
}

SEXP gg_r_pcoa(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_pcoa_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_pcoa_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_read_options(&call, &gg_pcoa_options, &options);
  gg_r_settings(&call, &options.run);
  const int64_t n = gg_r_count_points(&call, &distances);

  const char *names[] = {"points",   "eigenvalue", "residual", "positive",  "trace", "negative",
                         "smallest", "constant",   "passes",   "converged", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_pcoa_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k))),
      .eigenvalue = REAL(SET_VECTOR_ELT(made, 1, Rf_allocVector(REALSXP, k))),
      .residual = REAL(SET_VECTOR_ELT(made, 2, Rf_allocVector(REALSXP, k)))};
  const gpugeo_status status =
      gpugeo_pcoa(&distances.given, &options, &result, &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  number(made, 3, (double)result.positive);
  number(made, 4, result.trace);
  number(made, 5, result.negative_sum);
  number(made, 6, result.smallest);
  number(made, 7, result.constant);
  number(made, 8, (double)result.passes);
  SET_VECTOR_ELT(made, 9, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_pcoa", NULL);
  UNPROTECT(3);
  return made;
}
