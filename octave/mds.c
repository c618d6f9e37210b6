/* Multidimensional scaling. */
#include "common/integer.h"
#include "distances.h"
#include "families.h"
#include "ordination/ranks.h"
#include "result.h"
#include "value.h"

static void read_options(gg_mex_call *call, gpugeo_mds_options *options) {
  gg_mex_any_whole(call, "k", &options->k);
  gg_mex_doubles(call, gg_mex_option(call, "weights"), "weights", &options->weights,
                 &options->weights_length);
  gg_mex_doubles(call, gg_mex_option(call, "start"), "start", &options->start,
                 &options->start_length);
  gg_mex_number(call, "tolerance", "between 0 and 1", &options->tolerance);
  gg_mex_any_whole(call, "max_iterations", &options->max_iterations);
  gg_mex_flag32(call, "relax", &options->relax);
  gg_mex_flag32(call, "squared", &options->squared);
  options->type = gg_mex_choice(call, "type", GPUGEO_ENUM_MDS_TYPE, GPUGEO_MDS_TYPE_RATIO);
}

void gg_mex_mds(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mds_options options;
  gpugeo_mds_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  read_options(call, &options);
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
