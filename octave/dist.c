/* Matrices of distances, correlations and covariances. */
#include "dist.h"

#include "distance/connectivity.h"
#include "distance/overlap_lazy.h"
#include "distance/proportionality.h"
#include "distance/scale_free.h"
#include "distance/sparcc.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_metric_name(gg_mex_call *call) {
  int32_t metric;
  const char *name = gg_mex_text(call, call->inputs[0], "method");
  if (name && gg_mex_check(call, gpugeo_find(GPUGEO_ENUM_METRIC, name, &metric, &call->error)))
    gg_mex_text_result(call, 0, gpugeo_name(GPUGEO_ENUM_METRIC, metric));
}

void gg_mex_dist(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gg_mex_read_points(call, "y", true, &in);
  gg_mex_read_options(call, &gg_metric_options, &options.metric);
  options.shape = in.y ? GPUGEO_SHAPE_FULL : GPUGEO_SHAPE_CONDENSED;
  gg_mex_settings(call, in.single, &options.run);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_dist_size(&in.x, in.y, &options, in.type, &size, &call->error)))
    return;
  void *distances = gg_mex_result(call, 0, in.type, in.y ? in.x.nrow : 1, in.y ? in.y->nrow : size);
  if (call->status) return;
  call->status =
      gpugeo_dist(&in.x, in.y, &options, in.type, distances, &call->report, &call->error);
  if (gg_mex_ended(call, in.y ? "y" : NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_cor(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  gg_mex_read_points(call, "y", true, &in);
  gg_mex_read_options(call, &gg_cor_options, &options);
  gg_mex_read_options(call, &gg_bicor_options, &options);
  int64_t covariance = 0;
  gg_mex_whole(call, "covariance", 0, GPUGEO_COVARIANCE_MATLAB, &covariance);
  options.covariance = (gpugeo_covariance)covariance;
  gg_mex_settings(call, in.single, &options.run);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_cor_size(&in.x, in.y, &options, in.type, &size, &call->error)))
    return;
  void *correlations = gg_mex_result(call, 0, in.type, in.x.ncol, in.y ? in.y->ncol : in.x.ncol);
  if (call->status) return;
  call->status =
      gpugeo_cor(&in.x, in.y, &options, in.type, correlations, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

/* Reads the options of a network's correlations and its rule. */
static void read_network(gg_mex_call *call, gpugeo_cor_options *options, gg_adjacency_rule *rule) {
  gpugeo_cor_options_init(options, sizeof *options);
  gg_adjacency_options.fill(rule);
  gg_mex_read_options(call, &gg_cor_options, options);
  gg_mex_read_options(call, &gg_bicor_options, options);
  gg_mex_read_options(call, &gg_adjacency_options, rule);
  gg_mex_settings(call, false, &options->run);
}

void gg_mex_connectivity(gg_mex_call *call) {
  gpugeo_matrix x = {0};
  gpugeo_cor_options options;
  gg_adjacency_rule network;
  gg_scale_free_rule rule;
  int64_t count = 0;
  const double *powers = NULL;
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  gg_mex_doubles(call, call->inputs[1], "powerVector", &powers, &count);
  read_network(call, &options, &network);
  gg_soft_threshold_options.fill(&rule);
  gg_mex_read_options(call, &gg_soft_threshold_options, &rule);
  if (call->status || !gg_mex_check(call, gg_scale_free_check(&rule, &call->error))) return;
  double *fits = gg_mex_doubles_result(call, 0, count, GG_SCALE_FREE_COLUMNS);
  double *k = gg_mex_doubles_result(call, 2, x.ncol, count);
  if (call->status) return;
  gg_scale_free_result fit = {k, fits, mxGetNaN(), mxGetNaN()};
  call->status =
      gg_connectivity(&x, &options, network.network, powers, count, k, &call->report, &call->error);
  if (!call->status) call->status = gg_scale_free(x.ncol, powers, count, &rule, &fit, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  gg_mex_number_result(call, 1, fit.best);
  gg_mex_report_result(call, 3, &call->report);
}

void gg_mex_network(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_cor_options options;
  gg_adjacency_rule rule;
  int32_t given = 0;
  int64_t size = 0;
  gg_mex_read_points(call, "y", true, &in);
  read_network(call, &options, &rule);
  gg_mex_flag(call, "given", &given);
  if (call->status || !gg_mex_check(call, gpugeo_cor_size(&in.x, in.y, &options, GPUGEO_TYPE_DOUBLE,
                                                          &size, &call->error)))
    return;
  double *out = gg_mex_doubles_result(call, 0, in.x.ncol, in.y ? in.y->ncol : in.x.ncol);
  if (call->status) return;
  call->status = given
                     ? gg_adjacency_of(&in.x, &options.run, &rule, options.missing, out,
                                       &call->report, &call->error)
                     : gg_adjacency(&in.x, in.y, &options, &rule, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

static void free_lazy(void *lazy) { gpugeo_dist_lazy_free(lazy); }

const gpugeo_dist_lazy *gg_mex_make_overlap(gg_mex_call *call, const mxArray *about) {
  const mxArray *others = call->options;
  gg_overlap_input in = {.given = 0};
  gg_overlap_rule rule;
  gpugeo_dist_lazy *made = NULL;
  gg_mex_any_matrix(call, gg_mex_field(about, "overlap"), "x", &in.x);
  call->options = gg_mex_field(about, "options");
  read_network(call, &in.options, &in.network);
  gg_overlap_options.fill(&rule);
  gg_mex_read_options(call, &gg_overlap_options, &rule);
  gg_mex_flag(call, "given", &in.given);
  call->options = others;
  if (call->status ||
      !gg_mex_check(call, gg_overlap_lazy(&in, &rule, &made, &call->report, &call->error)))
    return NULL;
  gg_mex_release_later(call, free_lazy, made);
  return made;
}

void gg_mex_overlap(gg_mex_call *call) {
  gpugeo_matrix x = {0};
  gpugeo_cor_options options;
  gg_adjacency_rule network;
  gg_overlap_rule rule;
  int32_t given = 0;
  gg_mex_any_matrix(call, call->inputs[0], "x", &x);
  read_network(call, &options, &network);
  gg_overlap_options.fill(&rule);
  gg_mex_read_options(call, &gg_overlap_options, &rule);
  gg_mex_flag(call, "given", &given);
  gg_overlap_result result = {.shape = rule.distances ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL};
  const int64_t n = x.ncol;
  if (call->status ||
      !gg_mex_check(call, gg_overlap_check_size(n, result.shape, !given, &call->error)))
    return;
  result.out =
      gg_mex_doubles_result(call, 0, rule.distances ? 1 : n, rule.distances ? n * (n - 1) / 2 : n);
  if (call->status) return;
  call->status = given ? gg_overlap(&x, &options.run, &rule, &result, &call->report, &call->error)
                       : gg_overlap_of_columns(&x, &options, &network, &rule, &result,
                                               &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_proportionality(gg_mex_call *call) {
  gpugeo_matrix counts = {0};
  gpugeo_run run;
  gg_proportionality_rule rule;
  gpugeo_run_init(&run, sizeof run);
  gg_proportionality_options.fill(&rule);
  gg_mex_any_matrix(call, call->inputs[0], "counts", &counts);
  gg_mex_read_options(call, &gg_proportionality_options, &rule);
  gg_mex_flag(call, "iqlr", &rule.iqlr);
  gg_mex_doubles(call, gg_mex_option(call, "ivar"), "ivar", &rule.ivar, &rule.ivar_count);
  gg_mex_settings(call, false, &run);
  const bool condensed = rule.distances != 0;
  if (call->status ||
      !gg_mex_check(call, gg_proportionality_check_size(&counts, condensed, &call->error)))
    return;
  const int64_t m = counts.ncol, pairs = m * (m - 1) / 2;
  double *out = gg_mex_doubles_result(call, 0, condensed ? 1 : m, condensed ? pairs : m);
  if (call->status) return;
  call->status =
      gg_proportionality(&counts, &run, &rule, mxGetNaN(), out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_sparcc(gg_mex_call *call) {
  gpugeo_matrix tables = {0};
  gpugeo_run run;
  gg_sparcc_rule rule;
  gpugeo_run_init(&run, sizeof run);
  gg_sparcc_options.fill(&rule);
  gg_mex_matrix(call, call->inputs[0], "counts", &tables);
  gg_mex_read_options(call, &gg_sparcc_options, &rule);
  gg_mex_whole(call, "parts", 0, INT32_MAX, &rule.parts);
  gg_mex_settings(call, false, &run);
  if (call->status || !gg_mex_check(call, gg_sparcc_check_size(&tables, &rule, &call->error)))
    return;
  double *correlation = gg_mex_doubles_result(call, 0, rule.parts, rule.parts);
  double *covariance = gg_mex_doubles_result(call, 1, rule.parts, rule.parts);
  if (call->status) return;
  call->status =
      gg_sparcc(&tables, &run, &rule, covariance, correlation, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 2, &call->report);
}
