#include "common/integer.h"
#include "distances.h"
#include "entry.h"

/* Reads the medoids, counted from 0 then. */
static void read_medoids(gg_r_call *call, gpugeo_pam_options *options) {
  const SEXP medoids = gg_r_option(call, "medoids");
  if (medoids == R_NilValue) return;
  int32_t *from = (int32_t *)R_alloc((size_t)XLENGTH(medoids) + 1, sizeof *from);
  for (R_xlen_t m = 0; m < XLENGTH(medoids); ++m)
    from[m] = INTEGER_RO(medoids)[m] - 1;
  options->medoids = from;
  options->medoids_length = XLENGTH(medoids);
}

/* Allocates an element of the result. */
static void *element(SEXP made, int which, SEXPTYPE type, int64_t length) {
  const SEXP vector = SET_VECTOR_ELT(made, which, Rf_allocVector(type, (R_xlen_t)length));
  return type == INTSXP ? (void *)INTEGER(vector) : (void *)REAL(vector);
}

SEXP gg_r_pam(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_pam_options options;
  int32_t cluster_only = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_pam_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_read_options(&call, &gg_pam_options, &options);
  gg_r_flag(&call, "cluster.only", &cluster_only);
  gg_r_settings(&call, &options.run);
  if (!call.status) read_medoids(&call, &options);
  const int64_t n = gg_r_count_points(&call, &distances);

  const char *names[] = {"medoids",  "clustering", "objective", "swaps",   "distance",
                         "neighbor", "width",      "furthest",  "nearest", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  gpugeo_pam_result result = {.medoid = element(made, 0, INTSXP, gg_room(options.k, n)),
                              .cluster = element(made, 1, INTSXP, n),
                              .distance = element(made, 4, REALSXP, n)};
  double *objective = element(made, 2, REALSXP, 2), *swaps = element(made, 3, REALSXP, 1);
  if (!cluster_only) {
    result.neighbor = element(made, 5, INTSXP, n);
    result.width = element(made, 6, REALSXP, n);
    result.furthest = element(made, 7, REALSXP, n);
    result.nearest = element(made, 8, REALSXP, n);
  }
  const gpugeo_status status =
      gpugeo_pam(&distances.given, &options, &result, &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  for (int64_t m = 0; m < options.k; ++m)
    ++result.medoid[m];
  objective[0] = result.objective[0];
  objective[1] = result.objective[1];
  *swaps = (double)result.swaps;
  gg_r_report(&call, "gpu_pam", NULL);
  UNPROTECT(3);
  return made;
}
