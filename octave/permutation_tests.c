/* Permutation tests of distances. */
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Reads the design of n points. */
static void read_design(gg_mex_call *call, int64_t n, gpugeo_design *design) {
  int64_t length = 0;
  *design = (gpugeo_design){.points = n};
  gg_mex_int32s(call, "order", &design->order, &length);
  design->permutations = n > 0 ? length / n : 0;
  gg_mex_doubles(call, gg_mex_option(call, "basis"), "basis", &design->basis, &length);
  design->columns = n > 0 ? length / n : 0;
  gg_mex_int32s(call, "group", &design->group, &length);
  if (design->group && length != n)
    gg_mex_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, "group",
                               "group must have a number for each of the %lld points, not %lld",
                               (long long)n, (long long)length));
  gg_mex_whole(call, "groups", 0, INT32_MAX, &design->groups);
}

void gg_mex_permanova(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_permanova_options options;
  gpugeo_design design;
  gpugeo_permanova_options_init(&options, sizeof options);
  const int64_t n =
      gg_mex_open_distances(call, &distances, NULL, &options, &options.metric, &options.run);
  read_design(call, n, &design);
  if (call->status) return;
  double *sums =
      gg_mex_doubles_result(call, 0, design.permutations + 1, design.group ? 1 : design.columns);
  if (call->status) return;
  double total = 0;
  call->status = gpugeo_permanova(&distances.given, &options, &design, sums, &total, &call->report,
                                  &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  gg_mex_number_result(call, 1, total);
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_anosim(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_anosim_options options;
  gpugeo_design design;
  gpugeo_anosim_options_init(&options, sizeof options);
  const int64_t n =
      gg_mex_open_distances(call, &distances, NULL, &options, &options.metric, &options.run);
  read_design(call, n, &design);
  if (call->status) return;
  double *statistic = gg_mex_doubles_result(call, 0, design.permutations + 1, 1);
  if (call->status) return;
  call->status = gpugeo_anosim(&distances.given, &options, &design, statistic, NULL, &call->report,
                               &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_mrpp(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mrpp_options options;
  gpugeo_design design;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_mrpp_options, &options,
                                          &options.metric, &options.run);
  read_design(call, n, &design);
  if (call->status) return;
  double *delta = gg_mex_doubles_result(call, 0, design.permutations + 1, 1);
  double *within = gg_mex_doubles_result(call, 1, design.groups, 1);
  if (call->status) return;
  double mean = 0;
  call->status = gpugeo_mrpp(&distances.given, &options, &design, delta, within, &mean,
                             &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  gg_mex_number_result(call, 2, mean);
  gg_mex_report_result(call, 3, &call->report);
}

void gg_mex_mantel(gg_mex_call *call) {
  static const char *const names[] = {"x", "y", "z"};
  gg_mex_distances sides[3];
  gpugeo_mantel_options options;
  const int32_t *order = NULL;
  int64_t length = 0;
  gpugeo_mantel_options_init(&options, sizeof options);
  for (int s = 0; s < call->input_count && !call->status; ++s)
    gg_mex_read_stored(call, call->inputs[s], names[s], &sides[s]);
  gg_mex_int32s(call, "order", &order, &length);
  gg_mex_read_options(call, &gg_mantel_options, &options);
  gg_mex_settings(call, false, &options.run);
  if (call->status) return;
  const int64_t n = sides[0].points;
  const int64_t permutations = order && n > 0 ? length / n : 0;
  double *statistic = gg_mex_doubles_result(call, 0, permutations + 1, 1);
  if (call->status) return;
  call->status = gpugeo_mantel(&sides[0].given, &sides[1].given,
                               call->input_count > 2 ? &sides[2].given : NULL, &options, order,
                               permutations, statistic, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}
