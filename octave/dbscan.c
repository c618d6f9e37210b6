/* Clusters by density. */
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_dbscan(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_whole(call, "minpts", 1, INT32_MAX, &options.min_points); /* R takes 0, too */
  gg_mex_read_options(call, &gg_dbscan_options, &options);
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
