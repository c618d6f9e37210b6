/* Minimum spanning trees. */
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_mst(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances), size = n > 0 ? n - 1 : 0;
  if (call->status) return;
  int32_t *i = gg_mex_allocate(call, size, sizeof *i);
  int32_t *j = gg_mex_allocate(call, size, sizeof *j);
  double *tree = gg_mex_doubles_result(call, 0, size, 3);
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_mst(&distances.given, &options, i, j, tree + 2 * size, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  for (int64_t e = 0; e < size; ++e) {
    tree[e] = i[e] + 1.0;
    tree[size + e] = j[e] + 1.0;
  }
  gg_mex_report_result(call, 1, &report);
}
