/* Matrices of distances, correlations and covariances. */
#include "distance/connectivity.h"
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

void gg_mex_connectivity(gg_mex_call *call) {
  gpugeo_matrix x = {0};
  gpugeo_cor_options options;
  int64_t network = 0, count = 0;
  const double *powers = NULL;
  gpugeo_cor_options_init(&options, sizeof options);
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  gg_mex_doubles(call, call->inputs[1], "powerVector", &powers, &count);
  gg_mex_read_options(call, &gg_cor_options, &options);
  gg_mex_read_options(call, &gg_bicor_options, &options);
  gg_mex_whole(call, "network", 0, GG_NETWORK_COUNT - 1, &network);
  gg_mex_settings(call, false, &options.run);
  if (call->status) return;

  double *out = gg_mex_doubles_result(call, 0, x.ncol, count);
  if (call->status) return;
  call->status = gg_connectivity(&x, &options, (gg_network)network, powers, count, out,
                                 &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}
