/* Matrices of distances, correlations and covariances. */
#include "dist.h"

#include "distance/connectivity.h"
#include "distance/overlap_lazy.h"
#include "distance/proportionality.h"
#include "distance/scale_free.h"
#include "distance/sparcc.h"
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

/* Reads the options of a network's correlations and its rule. */
static void read_network(gg_r_call *call, gpugeo_cor_options *options, gg_adjacency_rule *rule) {
  gpugeo_cor_options_init(options, sizeof *options);
  options->missing = NA_REAL;
  gg_adjacency_options.fill(rule);
  gg_r_read_options(call, &gg_cor_options, options);
  gg_r_read_options(call, &gg_bicor_options, options);
  gg_r_read_options(call, &gg_adjacency_options, rule);
  gg_r_settings(call, &options->run);
}

SEXP gg_r_connectivity(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_cor_options options;
  gg_adjacency_rule network;
  gg_scale_free_rule rule;
  int64_t count = 0;
  const double *powers = NULL;
  const char *names[] = {"connectivity", "fit", "best", ""};
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_read_points(&call, "y", &in);
  read_network(&call, &options, &network);
  gg_soft_threshold_options.fill(&rule);
  gg_r_read_options(&call, &gg_soft_threshold_options, &rule);
  if (!call.status) gg_r_check(&call, gg_scale_free_check(&rule, &call.error));
  gg_r_doubles(&call, gg_r_option(&call, "powerVector"), "powerVector", &powers, &count);
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, (int)in.x.ncol, (int)count));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, (int)count, GG_SCALE_FREE_COLUMNS));
  double *k = REAL(VECTOR_ELT(out, 0));
  gg_scale_free_result fit = {k, REAL(VECTOR_ELT(out, 1)), NA_REAL, NA_REAL};
  gg_r_continue(&call, gg_connectivity(&in.x, &options, network.network, powers, count, k,
                                       &call.report, &call.error));
  gg_r_finish(&call, gg_scale_free(in.x.ncol, powers, count, &rule, &fit, &call.error));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(fit.best));
  gg_r_report(&call, "gpu_soft_threshold", NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_network(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_cor_options options;
  gg_adjacency_rule rule;
  int32_t given = 0;
  int64_t size = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_read_points(&call, "y", &in);
  read_network(&call, &options, &rule);
  gg_r_flag(&call, "given", &given);
  if (!call.status)
    gg_r_check(&call,
               gpugeo_cor_size(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE, &size, &call.error));
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)size));
  gg_r_finish(&call, given ? gg_adjacency_of(&in.x, &options.run, &rule, NA_REAL, REAL(out),
                                             &call.report, &call.error)
                           : gg_adjacency(&in.x, in.y, &options, &rule, REAL(out), &call.report,
                                          &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_adjacency", NULL);
  UNPROTECT(2);
  return out;
}

const gpugeo_dist_lazy *gg_r_make_overlap(gg_r_call *call, int first, SEXP holder) {
  const SEXP others = call->options;
  gg_overlap_input in = {.given = 0};
  gg_overlap_rule rule;
  gpugeo_dist_lazy *made = NULL;
  gg_r_matrix(call, gg_r_input(call, first), "x", &in.x);
  call->options = gg_r_input(call, first + 1);
  read_network(call, &in.options, &in.network);
  gg_overlap_options.fill(&rule);
  gg_r_read_options(call, &gg_overlap_options, &rule);
  gg_r_flag(call, "given", &in.given);
  call->options = others;
  gg_r_require(call);
  const gpugeo_status status = gg_overlap_lazy(&in, &rule, &made, &call->report, &call->error);
  R_SetExternalPtrAddr(holder, made);
  R_SetExternalPtrTag(holder, Rf_install("overlap"));
  R_RegisterCFinalizer(holder, gg_r_close_file);
  gg_r_continue(call, status);
  return made;
}

SEXP gg_r_overlap(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gg_r_points in;
  gpugeo_cor_options options;
  gg_adjacency_rule network;
  gg_overlap_rule rule;
  int32_t given = 0;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gg_r_read_points(&call, "y", &in);
  read_network(&call, &options, &network);
  gg_overlap_options.fill(&rule);
  gg_r_read_options(&call, &gg_overlap_options, &rule);
  gg_r_flag(&call, "given", &given);
  gg_overlap_result result = {.shape = rule.distances ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL};
  const R_xlen_t n = (R_xlen_t)in.x.ncol;
  if (!call.status)
    gg_r_check(&call, gg_overlap_check_size(in.x.ncol, result.shape, !given, &call.error));
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_allocVector(REALSXP, rule.distances ? n * (n - 1) / 2 : n * n));
  result.out = REAL(out);
  gg_r_finish(&call,
              given ? gg_overlap(&in.x, &options.run, &rule, &result, &call.report, &call.error)
                    : gg_overlap_of_columns(&in.x, &options, &network, &rule, &result, &call.report,
                                            &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_tom", NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_proportionality(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix counts;
  gpugeo_run run;
  gg_proportionality_rule rule;
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_proportionality_options.fill(&rule);
  gg_r_matrix(&call, gg_r_input(&call, 0), "counts", &counts);
  gg_r_read_options(&call, &gg_proportionality_options, &rule);
  gg_r_flag(&call, "iqlr", &rule.iqlr);
  gg_r_doubles(&call, gg_r_option(&call, "ivar"), "ivar", &rule.ivar, &rule.ivar_count);
  gg_r_settings(&call, &run);
  const bool condensed = rule.distances != 0;
  if (!call.status)
    gg_r_check(&call, gg_proportionality_check_size(&counts, condensed, &call.error));
  gg_r_require(&call);

  const R_xlen_t m = (R_xlen_t)counts.ncol;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, condensed ? m * (m - 1) / 2 : m * m));
  gg_r_finish(&call, gg_proportionality(&counts, &run, &rule, NA_REAL, REAL(out), &call.report,
                                        &call.error));
  gg_r_set_attributes(out, gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_propr", NULL);
  UNPROTECT(2);
  return out;
}

SEXP gg_r_sparcc(SEXP inputs, SEXP list, SEXP settings, SEXP r_call) {
  gg_r_call call;
  gpugeo_matrix tables;
  gpugeo_run run;
  gg_sparcc_rule rule;
  const char *names[] = {"Cov", "Cor", ""};
  PROTECT(gg_r_begin(&call, inputs, list, settings, r_call));
  gpugeo_run_init(&run, sizeof run);
  gg_sparcc_options.fill(&rule);
  gg_r_matrix(&call, gg_r_input(&call, 0), "counts", &tables);
  gg_r_read_options(&call, &gg_sparcc_options, &rule);
  gg_r_any_whole(&call, "parts", &rule.parts);
  gg_r_settings(&call, &run);
  if (!call.status) gg_r_check(&call, gg_sparcc_check_size(&tables, &rule, &call.error));
  gg_r_require(&call);

  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  const R_xlen_t size = (R_xlen_t)rule.parts * (R_xlen_t)rule.parts;
  for (int k = 0; k < 2; ++k)
    SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, size));
  gg_r_finish(&call, gg_sparcc(&tables, &run, &rule, REAL(VECTOR_ELT(out, 0)),
                               REAL(VECTOR_ELT(out, 1)), &call.report, &call.error));
  for (int k = 0; k < 2; ++k)
    gg_r_set_attributes(VECTOR_ELT(out, k), gg_r_option(&call, "attributes"));
  gg_r_report(&call, "gpu_sparcc", NULL);
  UNPROTECT(2);
  return out;
}
