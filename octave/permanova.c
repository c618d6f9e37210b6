/* Permutational analysis of variance. */
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "value.h"

/* Reads the design of n points. */
static void read_design(gg_mex_call *call, int64_t n, gpugeo_design *design) {
  int64_t length = 0;
  *design = (gpugeo_design){.points = n};
  gg_mex_int32s(call, "order", &design->order, &length);
  design->permutations = length / n;
  gg_mex_doubles(call, gg_mex_option(call, "basis"), "basis", &design->basis, &length);
  design->columns = length / n;
  gg_mex_int32s(call, "group", &design->group, &length);
  gg_mex_whole(call, "groups", 0, INT32_MAX, &design->groups);
}

void gg_mex_permanova(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_permanova_options options;
  gpugeo_design design;
  int64_t n = 0;
  gpugeo_permanova_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_settings(call, false, &options.run);
  if (call->status ||
      !gg_mex_check(call, gpugeo_permanova_size(&distances.given, &options, &n, &call->error)))
    return;
  read_design(call, n, &design);
  if (call->status) return;
  double *sums = gg_mex_doubles_result(call, 0, design.permutations + 1,
                                       design.group ? 1 : design.columns);
  if (call->status) return;
  double total = 0;
  gpugeo_report report = {0};
  const gpugeo_status status =
      gpugeo_permanova(&distances.given, &options, &design, sums, &total, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  gg_mex_number_result(call, 1, total);
  gg_mex_report_result(call, 2, &report);
}
