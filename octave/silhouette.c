/* Silhouettes. */
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_silhouette(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_silhouette_options options;
  const int32_t *clusters = NULL;
  int64_t length = 0;
  gpugeo_silhouette_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_int32s(call, "clusters", &clusters, &length);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances);
  if (call->status) return;
  int32_t *neighbor = gg_mex_allocate(call, n, sizeof *neighbor);
  double *width = neighbor ? gg_mex_doubles_result(call, 0, n, 1) : NULL;
  double *numbers = width ? gg_mex_doubles_result(call, 1, n, 1) : NULL;
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status = gpugeo_silhouette(&distances.given, clusters, length, &options,
                                                 neighbor, width, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  for (int64_t i = 0; i < n; ++i)
    numbers[i] = neighbor[i];
  gg_mex_report_result(call, 2, &report);
}
