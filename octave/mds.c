/* Multidimensional scaling. */
#include "common/integer.h"
#include "distances.h"
#include "families.h"
#include "ordination/ranks.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_mds(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mds_options options;
  gpugeo_mds_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_read_options(call, &gg_mds_options, &options);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances);
  if (call->status) return;
  gpugeo_mds_result result = {.coordinates =
                                  gg_mex_doubles_result(call, 0, n, gg_room(options.k, n))};
  if (options.type == GPUGEO_MDS_TYPE_ORDINAL)
    result.disparities = gg_mex_doubles_result(call, 5, 1, gg_pairs_room(n, GG_RANKS_POINTS));
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_mds(&distances.given, &options, &result, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  gg_mex_number_result(call, 1, result.stress);
  gg_mex_number_result(call, 2, (double)result.iterations);
  gg_mex_number_result(call, 3, result.converged);
  gg_mex_report_result(call, 4, &report);
}
