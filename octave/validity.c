/* Indices of clusterings. */
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Returns the largest number of a cluster, for which the caller has memory. */
static int64_t largest_number(const int32_t *cluster, int64_t count) {
  int32_t largest = 0;
  for (int64_t i = 0; i < count; ++i)
    if (cluster[i] > largest) largest = cluster[i];
  return largest;
}

void gg_mex_validity(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_validity_options options;
  const int32_t *clusters = NULL;
  int64_t length = 0;
  gg_mex_open_distances(call, &distances, &gg_validity_options, &options, &options.metric,
                        &options.run);
  gg_mex_int32s(call, "clusters", &clusters, &length);
  if (call->status) return;
  double *numbers = gg_mex_doubles_result(call, 0, 6, 1);
  gpugeo_validity_result result = {.of_cluster = NULL};
  if (numbers)
    result.of_cluster = gg_mex_doubles_result(call, 1, largest_number(clusters, length),
                                              GPUGEO_VALIDITY_COLUMN_COUNT);
  if (call->status) return;
  call->status = gpugeo_validity(&distances.given, clusters, length, &options, &result,
                                 &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  numbers[0] = result.within;
  numbers[1] = result.calinski_harabasz;
  numbers[2] = result.davies_bouldin;
  numbers[3] = result.dunn;
  numbers[4] = result.silhouette;
  numbers[5] = result.dbcv;
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_agreement(gg_mex_call *call) {
  const int32_t *a = NULL, *b = NULL;
  int64_t length = 0, other = 0;
  gpugeo_agreement_result result;
  gg_mex_int32s(call, "clusters", &a, &length);
  gg_mex_int32s(call, "reference", &b, &other);
  double *numbers = call->status ? NULL : gg_mex_doubles_result(call, 0, 5, 1);
  if (!numbers) return;
  call->status = gpugeo_agreement(a, b, length, &result, &call->error);
  if (call->status) return;
  numbers[0] = result.rand;
  numbers[1] = result.nmi_arithmetic;
  numbers[2] = result.nmi_geometric;
  numbers[3] = result.nmi_min;
  numbers[4] = result.nmi_max;
}
