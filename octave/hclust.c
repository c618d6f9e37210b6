/* Hierarchical clustering, orders of leaves, and minimum spanning trees. */
#include <math.h>

#include "cluster/merges.h"
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

void gg_mex_hclust(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "d", &d, &options.metric);
  options.squared = true;
  gg_mex_read_options(call, &gg_hclust_options, &options);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &d), merges = n > 0 ? n - 1 : 0;
  if (call->status) return;
  int32_t *merge = gg_mex_allocate(call, 3 * n, sizeof *merge);
  double *z = merge ? gg_mex_doubles_result(call, 0, merges, 3) : NULL;
  if (call->status) return;
  call->status = gpugeo_hclust(&d.given, &options, merge, z + 2 * merges, merge + 2 * n,
                               &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t k = 0; k < 2 * merges; ++k)
    z[k] = merge[k] + 1.0;
  gg_mex_report_result(call, 1, &call->report);
}

/* Reads the matrix of linkage, all of whose elements are returned; NULL and an error unless it has
   three columns and a row for each merge. */
static const double *read_linkage(gg_mex_call *call, const mxArray *value, int64_t *merges) {
  const double *z = NULL;
  int64_t length = 0;
  const bool numbers = mxIsNumeric(value) && !mxIsComplex(value);
  if (!numbers || mxGetNumberOfDimensions(value) != 2 || mxGetN(value) != 3 || mxGetM(value) == 0) {
    const gg_given given = gg_mex_given(value);
    gg_mex_check(call,
                 gg_fail_given(&call->error, "merge",
                               "a matrix of three columns with a row for each merge", &given));
    return NULL;
  }
  *merges = (int64_t)mxGetM(value);
  gg_mex_doubles(call, value, "merge", &z, &length);
  return z;
}

/* Returns the clusters of the matrix of linkage as the core numbers them, -1 for what is none. */
static int32_t *number_from_zero(gg_mex_call *call, const double *z, int64_t merges) {
  const double n = (double)merges + 1;
  int32_t *clusters = call->status ? NULL : gg_mex_allocate(call, 2 * merges, sizeof *clusters);
  for (int64_t k = 0; clusters && k < 2 * merges; ++k) {
    const bool known = z[k] >= 1 && z[k] < 2 * n && z[k] == floor(z[k]);
    clusters[k] = known ? (int32_t)(z[k] - 1) : -1;
  }
  return clusters;
}

void gg_mex_cophenetic(gg_mex_call *call) {
  gpugeo_run run;
  int64_t merges = 0;
  gpugeo_run_init(&run, sizeof run);
  gg_mex_settings(call, false, &run);
  const double *z = call->status ? NULL : read_linkage(call, call->inputs[0], &merges);
  const int32_t *clusters = number_from_zero(call, z, merges);
  const int64_t n = merges + 1;
  double *out = clusters ? gg_mex_doubles_result(call, 0, 1, n * (n - 1) / 2) : NULL;
  if (call->status) return;
  call->status =
      gpugeo_cophenetic(n, clusters, z + 2 * merges, &run, out, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}

void gg_mex_lay_out(gg_mex_call *call) {
  int64_t merges = 0;
  const double *z = read_linkage(call, call->inputs[0], &merges);
  const int32_t *clusters = number_from_zero(call, z, merges);
  const int64_t count = 2 * merges + 1;
  if (clusters) gg_mex_check(call, gg_merges_check(clusters, merges + 1, &call->error));
  int32_t *whole = call->status ? NULL : gg_mex_allocate(call, 2 * count, sizeof *whole);
  double *sizes = whole ? gg_mex_doubles_result(call, 0, count, 1) : NULL;
  double *starts = sizes ? gg_mex_doubles_result(call, 1, count, 1) : NULL;
  if (call->status || !starts) return;
  gg_merges_lay_out(clusters, merges + 1, whole, whole + count);
  for (int64_t c = 0; c < count; ++c) {
    sizes[c] = whole[c];
    starts[c] = whole[count + c] + 1.0;
  }
}

void gg_mex_leaf_order(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_leaf_order_options options;
  int64_t merges = 0;
  gg_mex_open_distances(call, &distances, &gg_leaf_order_options, &options, &options.metric,
                        &options.run);
  const double *z = call->status ? NULL : read_linkage(call, call->inputs[1], &merges);
  int32_t *clusters = number_from_zero(call, z, merges);
  int32_t *order = clusters ? gg_mex_allocate(call, merges + 1, sizeof *order) : NULL;
  double *leaves = order ? gg_mex_doubles_result(call, 0, 1, merges + 1) : NULL;
  double *sum = leaves ? gg_mex_doubles_result(call, 1, 1, 1) : NULL;
  if (call->status || !sum) return;
  gpugeo_leaf_order_result result = {clusters, order, 0};
  call->status = gpugeo_leaf_order(&distances.given, clusters, merges, &options, &result,
                                   &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i <= merges; ++i)
    leaves[i] = order[i] + 1.0;
  *sum = result.sum;
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_mst(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  const int64_t n =
      gg_mex_open_distances(call, &distances, NULL, &options, &options.metric, &options.run);
  const int64_t size = n > 0 ? n - 1 : 0;
  if (call->status) return;
  int32_t *i = gg_mex_allocate(call, size, sizeof *i);
  int32_t *j = gg_mex_allocate(call, size, sizeof *j);
  double *tree = gg_mex_doubles_result(call, 0, size, 3);
  if (call->status) return;
  call->status =
      gpugeo_mst(&distances.given, &options, i, j, tree + 2 * size, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t e = 0; e < size; ++e) {
    tree[e] = i[e] + 1.0;
    tree[size + e] = j[e] + 1.0;
  }
  gg_mex_report_result(call, 1, &call->report);
}
