#include "common/integer.h"
#include "distances.h"
#include "entry.h"
#include "ordination/ranks.h"

SEXP gg_r_mds(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_mds_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_mds_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_read_options(&call, &gg_mds_options, &options);
  gg_r_settings(&call, &options.run);
  const int64_t n = gg_r_count_points(&call, &distances);

  const char *names[] = {"conf", "stress", "iterations", "converged", "disparities", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  const int k = (int)gg_room(options.k, n);
  gpugeo_mds_result result = {
      .coordinates = REAL(SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, (int)n, k)))};
  if (options.type == GPUGEO_MDS_TYPE_ORDINAL)
    result.disparities =
        REAL(SET_VECTOR_ELT(made, 4, Rf_allocVector(REALSXP, gg_pairs_room(n, GG_RANKS_POINTS))));
  const gpugeo_status status =
      gpugeo_mds(&distances.given, &options, &result, &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  SET_VECTOR_ELT(made, 1, Rf_ScalarReal(result.stress));
  SET_VECTOR_ELT(made, 2, Rf_ScalarReal((double)result.iterations));
  SET_VECTOR_ELT(made, 3, Rf_ScalarLogical(result.converged));
  gg_r_report(&call, "gpu_mds", NULL);
  UNPROTECT(3);
  return made;
}
