/* Correlation and covariance matrices. */
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_cor(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  gg_mex_read_points(call, "y", true, &in);
  gg_mex_read_options(call, &gg_cor_options, &options);
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
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_cor(&in.x, in.y, &options, in.type, correlations, &report, &call->error);
  if (gg_mex_finish(call, status, &report, NULL)) gg_mex_report_result(call, 1, &report);
}
