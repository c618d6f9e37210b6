/* Principal coordinates. */
#include "common/integer.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_pcoa(gg_mex_call *call) {
  enum { NUMBERS = 7 };
  gg_mex_distances distances;
  gpugeo_pcoa_options options;
  gpugeo_pcoa_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_read_options(call, &gg_pcoa_options, &options);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances);
  if (call->status) return;
  const int64_t k = gg_room(options.k, n);
  gpugeo_pcoa_result result = {.coordinates = gg_mex_doubles_result(call, 0, n, k)};
  result.eigenvalue = result.coordinates ? gg_mex_doubles_result(call, 1, k, 1) : NULL;
  result.residual = result.eigenvalue ? gg_mex_doubles_result(call, 2, k, 1) : NULL;
  double *numbers = result.residual ? gg_mex_doubles_result(call, 3, NUMBERS, 1) : NULL;
  if (call->status || !numbers) return;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_pcoa(&distances.given, &options, &result, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  const double values[NUMBERS] = {(double)result.positive, result.trace,    result.negative_sum,
                                  result.smallest,         result.constant, (double)result.passes,
                                  result.converged};
  for (int i = 0; i < NUMBERS; ++i)
    numbers[i] = values[i];
  gg_mex_report_result(call, 4, &report);
}
