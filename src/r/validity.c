/* Indices of clusterings. */
#include "common/integer.h"
#include "distances.h"
#include "entry.h"

/* Returns the largest number of a cluster, for which the caller has memory. */
static int largest_number(const int *cluster, R_xlen_t count) {
  int largest = 0;
  for (R_xlen_t i = 0; i < count; ++i)
    if (cluster[i] > largest) largest = cluster[i];
  return largest;
}

SEXP gg_r_validity(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_validity_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_open_distances(&call, "x", &distances, &gg_validity_options, &options, &options.metric,
                      &options.run);
  const SEXP clusters = gg_r_option(&call, "clusters");
  const int k = largest_number(INTEGER_RO(clusters), XLENGTH(clusters));
  const char *names[] = {"of_cluster", "within", "ch", "db", "dunn", "silhouette", "dbcv", ""};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(made, 0, Rf_allocMatrix(REALSXP, k, GPUGEO_VALIDITY_COLUMN_COUNT));
  gpugeo_validity_result result = {.of_cluster = REAL(VECTOR_ELT(made, 0))};
  gg_r_finish(&call, gpugeo_validity(&distances.given, INTEGER_RO(clusters), XLENGTH(clusters),
                                     &options, &result, &call.report, &call.error));
  const double numbers[] = {result.within, result.calinski_harabasz, result.davies_bouldin,
                            result.dunn,   result.silhouette,        result.dbcv};
  for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); ++i)
    gg_r_set_number(made, i + 1, numbers[i]);
  gg_r_report(&call, "gpu_validity", NULL);
  UNPROTECT(2);
  return made;
}

SEXP gg_r_agreement(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_agreement_result result;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  const SEXP a = gg_r_input(&call, 0), b = gg_r_input(&call, 1);
  gg_r_finish(&call,
              gpugeo_agreement(INTEGER_RO(a), INTEGER_RO(b), XLENGTH(a), &result, &call.error));
  const char *names[] = {"rand", "arithmetic", "geometric", "min", "max", ""};
  const double numbers[] = {result.rand, result.nmi_arithmetic, result.nmi_geometric,
                            result.nmi_min, result.nmi_max};
  SEXP made = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); ++i)
    gg_r_set_number(made, i, numbers[i]);
  UNPROTECT(2);
  return made;
}
