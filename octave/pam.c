/* k-medoids, k-means and silhouettes. */
#include "common/integer.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

static void read_medoids(gg_mex_call *call, gpugeo_pam_options *options) {
  const int32_t *medoids = NULL;
  int64_t length = 0;
  gg_mex_int32s(call, "medoids", &medoids, &length);
  if (!medoids) return;
  int32_t *from = gg_mex_allocate(call, length, sizeof *from);
  for (int64_t m = 0; from && m < length; ++m)
    from[m] = medoids[m] - (medoids[m] > INT32_MIN); /* which int32() makes of any lower number */
  options->medoids = from;
  options->medoids_length = length;
}

void gg_mex_pam(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_pam_options options;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_pam_options, &options,
                                          &options.metric, &options.run);
  read_medoids(call, &options);
  if (call->status) return;
  const int64_t k = gg_room(options.k, n);
  gpugeo_pam_result result = {.medoid = gg_mex_allocate(call, k, sizeof *result.medoid),
                              .cluster = gg_mex_allocate(call, n, sizeof *result.cluster),
                              .distance = gg_mex_allocate(call, n, sizeof *result.distance)};
  double *idx = call->status ? NULL : gg_mex_doubles_result(call, 0, n, 1);
  double *midx = idx ? gg_mex_doubles_result(call, 1, k, 1) : NULL;
  result.all = midx ? gg_mex_doubles_result(call, 2, n, k) : NULL;
  double *numbers = result.all ? gg_mex_doubles_result(call, 3, 4, 1) : NULL;
  if (call->status || !numbers) return;
  call->status = gpugeo_pam(&distances.given, &options, &result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i < n; ++i)
    idx[i] = result.cluster[i];
  for (int64_t m = 0; m < k; ++m)
    midx[m] = result.medoid[m] + 1.0;
  numbers[0] = result.objective[0];
  numbers[1] = result.objective[1];
  numbers[2] = (double)result.swaps;
  numbers[3] = result.converged;
  gg_mex_report_result(call, 4, &call->report);
}

void gg_mex_kmeans(gg_mex_call *call) {
  gpugeo_kmeans_options options;
  gpugeo_matrix x = {0};
  gpugeo_kmeans_options_init(&options, sizeof options);
  gg_mex_read_options(call, &gg_kmeans_options, &options);
  gg_mex_settings(call, false, &options.run);
  gg_mex_matrix(call, call->inputs[0], "x", &x);
  if (call->status) return;
  const int64_t k = gg_room(options.k, x.nrow);
  gpugeo_kmeans_result result = {.cluster = gg_mex_allocate(call, x.nrow, sizeof *result.cluster),
                                 .sizes = gg_mex_allocate(call, k, sizeof *result.sizes)};
  double *idx = call->status ? NULL : gg_mex_doubles_result(call, 0, x.nrow, 1);
  result.centers = idx ? gg_mex_doubles_result(call, 1, k, x.ncol) : NULL;
  result.withinss = result.centers ? gg_mex_doubles_result(call, 2, k, 1) : NULL;
  double *numbers = result.withinss ? gg_mex_doubles_result(call, 3, 3, 1) : NULL;
  if (call->status || !numbers) return;
  call->status = gpugeo_kmeans(&x, &options, &result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i < x.nrow; ++i)
    idx[i] = result.cluster[i];
  numbers[0] = (double)result.iterations;
  numbers[1] = result.fault;
  numbers[2] = result.totss;
  gg_mex_report_result(call, 4, &call->report);
}

void gg_mex_silhouette(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_silhouette_options options;
  const int32_t *clusters = NULL;
  int64_t length = 0;
  gpugeo_silhouette_options_init(&options, sizeof options);
  gg_mex_int32s(call, "clusters", &clusters, &length);
  const int64_t n =
      gg_mex_open_distances(call, &distances, NULL, &options, &options.metric, &options.run);
  if (call->status) return;
  int32_t *neighbor = gg_mex_allocate(call, n, sizeof *neighbor);
  double *width = neighbor ? gg_mex_doubles_result(call, 0, n, 1) : NULL;
  double *numbers = width ? gg_mex_doubles_result(call, 1, n, 1) : NULL;
  if (call->status) return;
  call->status = gpugeo_silhouette(&distances.given, clusters, length, &options, neighbor, width,
                                   &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i < n; ++i)
    numbers[i] = neighbor[i];
  gg_mex_report_result(call, 2, &call->report);
}
