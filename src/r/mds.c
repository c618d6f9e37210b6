/* Multidimensional scaling and principal coordinates. */
#include "common/integer.h"
#include "distances.h"
#include "entry.h"
#include "ordination/ranks.h"

SEXP gg_r_mds(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mds_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_mds_options, &options,
                                        &options.metric, &options.run);

  const char *names[] = {"conf", "stress", "iterations", "converged", "disparities", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_mds_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k)))};
  if (options.type == GPUGEO_MDS_TYPE_ORDINAL)
    result.disparities = REAL(gg_r_set_vector(made, 4, REALSXP, gg_pairs_room(n, GG_RANKS_POINTS)));
  gg_r_finish(&call, gpugeo_mds(&distances.given, &options, &result, &call.report, &call.error));
  gg_r_set_number(made, 1, result.stress);
  gg_r_set_number(made, 2, (double)result.iterations);
  SET_VECTOR_ELT(made, 3, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_mds", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_pcoa(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_pcoa_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const int64_t n = gg_r_open_distances(&call, "x", &distances, &gg_pcoa_options, &options,
                                        &options.metric, &options.run);

  const char *names[] = {"points",   "eigenvalue", "residual", "positive",  "trace", "negative",
                         "smallest", "constant",   "passes",   "converged", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_pcoa_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k))),
      .eigenvalue = REAL(gg_r_set_vector(made, 1, REALSXP, k)),
      .residual = REAL(gg_r_set_vector(made, 2, REALSXP, k))};
  gg_r_finish(&call, gpugeo_pcoa(&distances.given, &options, &result, &call.report, &call.error));
  gg_r_set_number(made, 3, (double)result.positive);
  gg_r_set_number(made, 4, result.trace);
  gg_r_set_number(made, 5, result.negative_sum);
  gg_r_set_number(made, 6, result.smallest);
  gg_r_set_number(made, 7, result.constant);
  gg_r_set_number(made, 8, (double)result.passes);
  SET_VECTOR_ELT(made, 9, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_pcoa", NULL);
  UNPROTECT(2);
  return made;
}
