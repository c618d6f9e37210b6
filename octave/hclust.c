/* Hierarchical clustering. */
#include "distances.h"
#include "families.h"
#include "result.h"
#include "value.h"

void gg_mex_hclust(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_hclust_options options;
  int64_t n = 0;
  gpugeo_hclust_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "d", &d, &options.metric);
  options.squared = true;
  gg_mex_flag32(call, "squared", &options.squared);
  gg_mex_doubles(call, gg_mex_option(call, "members"), "members", &options.members,
                 &options.members_length);
  options.linkage = gg_mex_choice(call, "linkage", GPUGEO_ENUM_LINKAGE, 0);
  gg_mex_settings(call, false, &options.run);
  if (call->status || !gg_mex_check(call, gpugeo_hclust_size(&d.given, &options, &n, &call->error)))
    return;
  int32_t *merge = gg_mex_allocate(call, 3 * n, sizeof *merge);
  double *z = merge ? gg_mex_doubles_result(call, 0, n - 1, 3) : NULL;
  if (call->status) return;
  gpugeo_report report = {0};
  const gpugeo_status status = gpugeo_hclust(&d.given, &options, merge, z + 2 * (n - 1),
                                             merge + 2 * n, &report, &call->error);
  if (!gg_mex_finish(call, status, &report, NULL)) return;
  for (int64_t k = 0; k < 2 * (n - 1); ++k)
    z[k] = merge[k] + 1.0;
  gg_mex_report_result(call, 1, &report);
}
