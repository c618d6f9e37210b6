/* Matrices of distances, correlations and covariances. */
#include "call.h"
#include "distance/connectivity.h"
#include "entry.h"

SEXP gg_r_metric(SEXP method, SEXP r_call) {
  gg_r_call call;
  int32_t metric = 0;
  PROTECT(gg_r_begin(&call, R_NilValue, R_NilValue, R_NilValue, r_call));
  const char *name = gg_r_text(&call, method, "method");
  if (name) gg_r_check(&call, gpugeo_find(GPUGEO_ENUM_METRIC, name, &metric, &call.error));
  gg_r_require(&call);
  UNPROTECT(1);
  return Rf_mkString(gpugeo_name(GPUGEO_ENUM_METRIC, metric));
}

SEXP gg_r_dist(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_dist_options options;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_dist_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  gg_r_read_points(&call, "y", &in);
  if (in.y) options.shape = GPUGEO_SHAPE_FULL;
  gg_r_read_options(&call, &gg_metric_options, &options.metric);
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call,
               gpugeo_dist_size(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE, &size, &call.error));
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, gpugeo_dist(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE, REAL(out), &call.report,
                                 &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, in.y ? "gpu_cdist" : "gpu_dist", in.y ? "y" : NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_cor(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_cor_options options;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_cor_options_init(&options, sizeof options);
  options.missing = NA_REAL;
  gg_r_read_points(&call, "y", &in);
  gg_r_read_options(&call, &gg_cor_options, &options);
  gg_r_read_options(&call, &gg_bicor_options, &options);
  int32_t covariance = 0;
  gg_r_flag(&call, "covariance", &covariance);
  options.covariance = covariance ? GPUGEO_COVARIANCE_SAMPLE : GPUGEO_COVARIANCE_NONE;
  gg_r_settings(&call, &options.run);
  if (!call.status)
    gg_r_check(&call,
               gpugeo_cor_size(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE, &size, &call.error));
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, gpugeo_cor(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE, REAL(out), &call.report,
                                &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call,
              covariance                   ? "gpu_cov"
              : gg_r_has(&call, "robustX") ? "gpu_bicor"
                                           : "gpu_cor",
              NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_connectivity(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_cor_options options;
  int64_t network = 0, count = 0;
  const double *powers = NULL;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_cor_options_init(&options, sizeof options);
  gg_r_read_points(&call, "y", &in);
  gg_r_read_options(&call, &gg_cor_options, &options);
  gg_r_read_options(&call, &gg_bicor_options, &options);
  gg_r_whole(&call, "network", 0, GG_NETWORK_COUNT - 1, &network);
  gg_r_doubles(&call, gg_r_option(&call, "powerVector"), "powerVector", &powers, &count);
  gg_r_settings(&call, &options.run);
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)in.x.ncol, (int)count));
  gg_r_finish(&call, gg_connectivity(&in.x, &options, (gg_network)network, powers, count, REAL(out),
                                     &call.report, &call.error));
  gg_r_report(&call, "gpu_soft_threshold", NULL);
  UNPROTECT(2);
  return out;
}
