#include "common/error.h"
#include "distances.h"
#include "entry.h"

SEXP gg_r_dbscan(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_distances distances;
  gpugeo_dbscan_options options;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  PROTECT(gg_r_begin_distances(&distances));
  gpugeo_dbscan_options_init(&options, sizeof options);
  gg_r_read_distances(&call, "x", &distances, &options.metric);
  gg_r_read_options(&call, &gg_dbscan_options, &options);
  gg_r_settings(&call, &options.run);
  const int64_t n = gg_r_count_points(&call, &distances);

  SEXP cluster = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n));
  const gpugeo_status status =
      gpugeo_dbscan(&distances.given, &options, INTEGER(cluster), NULL, &call.report, &call.error);
  gg_r_close_distances(&distances);
  gg_r_finish(&call, status);
  gg_r_report(&call, "gpu_dbscan", NULL);
  UNPROTECT(3);
  return cluster;
}
