/* Trees of distances. */
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Writes edges whose nodes count from 0 as a matrix of doubles from 1. */
static void write_edges(const int32_t *edge, int64_t edges, double *out) {
  for (int64_t k = 0; k < 2 * edges; ++k)
    out[k] = edge[k] + 1.0;
}

void gg_mex_nj(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_nj_options options;
  const int64_t n =
      gg_mex_open_distances(call, &d, &gg_nj_options, &options, &options.metric, &options.run);
  if (call->status) return;
  const int64_t edges = n < 3 ? 0 : 2 * n - 3;
  int32_t *edge = gg_mex_allocate(call, 2 * edges, sizeof *edge);
  double *out = edge ? gg_mex_doubles_result(call, 0, edges, 2) : NULL;
  double *length = out ? gg_mex_doubles_result(call, 1, edges, 1) : NULL;
  if (call->status) return;
  call->status = gpugeo_nj(&d.given, &options, edge, length, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_edges(edge, edges, out);
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_linkage_tree(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_hclust_options options;
  const int64_t n =
      gg_mex_open_distances(call, &d, &gg_hclust_options, &options, &options.metric, &options.run);
  if (call->status) return;
  const int64_t edges = n < 2 ? 0 : 2 * n - 2;
  int32_t *edge = gg_mex_allocate(call, 2 * edges + 3 * n, sizeof *edge);
  double *height = edge ? gg_mex_allocate(call, n, sizeof *height) : NULL;
  double *out = height ? gg_mex_doubles_result(call, 0, edges, 2) : NULL;
  double *length = out ? gg_mex_doubles_result(call, 1, edges, 1) : NULL;
  if (call->status) return;
  int32_t *merge = edge + 2 * edges;
  call->status =
      gpugeo_hclust(&d.given, &options, merge, height, merge + 2 * n, &call->report, &call->error);
  if (!call->status)
    call->status = gpugeo_hclust_tree(n, merge, height, edge, length, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_edges(edge, edges, out);
  gg_mex_report_result(call, 2, &call->report);
}
