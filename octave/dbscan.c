/* Clusters by density. */
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "value.h"

void gg_mex_dbscan(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  const gg_given eps = gg_mex_given(gg_mex_field(call->options, "epsilon"));
  if (!call->status)
    gg_mex_check(call, gg_any_number("epsilon", GG_RADIUS, &eps, &options.eps, &call->error));
  gg_mex_whole(call, "minpts", 1, INT32_MAX, &options.min_points);
  gg_mex_doubles(call, gg_mex_option(call, "weights"), "weights", &options.weights,
                 &options.weights_length);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances);
  if (call->status) return;
  int32_t *cluster = gg_mex_allocate(call, n, sizeof *cluster);
  int32_t *core = gg_mex_allocate(call, n, sizeof *core);
  double *idx = gg_mex_doubles_result(call, 0, n, 1);
  if (call->status) return;
  double *corepts = gg_mex_doubles_result(call, 1, n, 1);
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_dbscan(&distances.given, &options, cluster, core, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  for (int64_t i = 0; i < n; ++i) {
    idx[i] = cluster[i] > 0 ? cluster[i] : -1;
    corepts[i] = core[i];
  }
  gg_mex_report_result(call, 2, &report);
}
