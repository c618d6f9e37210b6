/* Multidimensional scaling and principal coordinates. */
#include "common/integer.h"
#include "distances.h"
#include "families.h"
#include "ordination/eigengenes.h"
#include "ordination/ranks.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_mds(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mds_options options;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_mds_options, &options,
                                          &options.metric, &options.run);
  if (call->status) return;
  gpugeo_mds_result result = {.coordinates =
                                  gg_mex_doubles_result(call, 0, n, gg_room(options.k, n))};
  if (options.type == GPUGEO_MDS_TYPE_ORDINAL)
    result.disparities = gg_mex_doubles_result(call, 5, 1, gg_pairs_room(n, GG_RANKS_POINTS));
  if (call->status) return;
  call->status = gpugeo_mds(&distances.given, &options, &result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  gg_mex_number_result(call, 1, result.stress);
  gg_mex_number_result(call, 2, (double)result.iterations);
  gg_mex_number_result(call, 3, result.converged);
  gg_mex_report_result(call, 4, &call->report);
}

void gg_mex_pcoa(gg_mex_call *call) {
  enum { NUMBERS = 7 };
  gg_mex_distances distances;
  gpugeo_pcoa_options options;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_pcoa_options, &options,
                                          &options.metric, &options.run);
  if (call->status) return;
  const int64_t k = gg_room(options.k, n);
  gpugeo_pcoa_result result = {.coordinates = gg_mex_doubles_result(call, 0, n, k)};
  result.eigenvalue = result.coordinates ? gg_mex_doubles_result(call, 1, k, 1) : NULL;
  result.residual = result.eigenvalue ? gg_mex_doubles_result(call, 2, k, 1) : NULL;
  double *numbers = result.residual ? gg_mex_doubles_result(call, 3, NUMBERS, 1) : NULL;
  if (call->status || !numbers) return;
  call->status = gpugeo_pcoa(&distances.given, &options, &result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  const double values[NUMBERS] = {(double)result.positive, result.trace,    result.negative_sum,
                                  result.smallest,         result.constant, (double)result.passes,
                                  result.converged};
  for (int i = 0; i < NUMBERS; ++i)
    numbers[i] = values[i];
  gg_mex_report_result(call, 4, &call->report);
}

void gg_mex_eigengenes(gg_mex_call *call) {
  gpugeo_matrix x = {0};
  gpugeo_run run;
  gg_eigengene_plan plan = {.x = &x, .modules = 1, .components = 1};
  int32_t scale = 1, align = 1;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  gg_mex_doubles(call, call->inputs[1], "colors", &plan.module, &plan.genes);
  gg_mex_whole(call, "modules", 1, INT32_MAX, &plan.modules);
  gg_mex_whole(call, "components", 1, INT32_MAX, &plan.components);
  gg_mex_flag(call, "scale", &scale);
  gg_mex_flag(call, "align", &align);
  gg_mex_settings(call, false, &run);
  if (call->status) return;
  plan.scale = scale;
  plan.align = align;
  gg_eigengene_result result = {.eigengene = gg_mex_doubles_result(call, 0, x.nrow, plan.modules)};
  if (result.eigengene) result.average = gg_mex_doubles_result(call, 1, x.nrow, plan.modules);
  if (result.average)
    result.explained = gg_mex_doubles_result(call, 2, plan.components, plan.modules);
  if (call->status) return;
  call->status = gg_eigengenes(&plan, &run, &result, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 3, &call->report);
}
