/* Closest pairs. */
#include "common/error.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

static void read_options(gg_mex_call *call, gpugeo_closest_options *options) {
  gpugeo_closest_options_init(options, sizeof *options);
  gg_mex_read_options(call, &gg_closest_options, options);
  gg_mex_settings(call, false, &options->run);
  options->run.precision = GPUGEO_PRECISION_DOUBLE; /* there is no other */
}

static void write_pairs(gg_mex_call *call, const gpugeo_pair *pairs, int64_t found) {
  double *distance = gg_mex_doubles_result(call, 0, found, 1);
  if (call->status) return;
  double *i = gg_mex_doubles_result(call, 1, found, 1);
  if (call->status) return;
  double *j = gg_mex_doubles_result(call, 2, found, 1);
  if (call->status) return;
  for (int64_t pair = 0; pair < found; ++pair) {
    distance[pair] = pairs[pair].distance;
    i[pair] = (double)(pairs[pair].i + 1);
    j[pair] = (double)(pairs[pair].j + 1);
  }
}

void gg_mex_closest(gg_mex_call *call) {
  gg_mex_points in;
  gpugeo_closest_options options;
  gg_mex_read_points(call, "y", false, &in);
  read_options(call, &options);
  if (call->status) return;

  int64_t size = 0, found = 0, ties = 0;
  if (!gg_mex_check(call, gpugeo_closest_pair_size(&in.x, in.y, &options, &size, &call->error)))
    return;
  gpugeo_pair *pairs = gg_mex_allocate(call, size, sizeof *pairs);
  if (!pairs) return;
  call->status =
      gpugeo_closest_pair(&in.x, in.y, &options, pairs, &found, &ties, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_pairs(call, pairs, found);
  gg_mex_number_result(call, 3, (double)ties);
  gg_mex_report_result(call, 4, &call->report);
}
