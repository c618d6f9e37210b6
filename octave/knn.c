/* Nearest neighbours, and neighbours within a radius. */
#include <math.h>
#include <string.h>

#include "common/error.h"
#include "distance/neighbor_weights.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

/* Reads the arguments of both. Results are doubles, whatever the class of x: there is no option
   `precision`. */
static void read_common(gg_mex_call *call, gg_mex_points *in, gpugeo_knn_options *options) {
  gpugeo_knn_options_init(options, sizeof *options);
  gg_mex_read_points(call, "query", true, in);
  gg_mex_read_options(call, &gg_metric_options, &options->metric);
  gg_mex_read_options(call, &gg_knn_options, options);
  gg_mex_settings(call, false, &options->run);
}

/* True if the first input is a structure that stands for distances. */
static bool has_distances(const gg_mex_call *call) {
  const mxArray *x = call->inputs[0];
  return mxIsStruct(x) && (gg_mex_field(x, "sequences") || gg_mex_field(x, "metric"));
}

/* Ends a call on the k nearest of `points` points: the third result is the report, and the first
   their numbers. */
static void finish_nearest(gg_mex_call *call, const char *query, const int32_t *index,
                           int64_t points, int64_t k) {
  if (!gg_mex_ended(call, query)) return;
  double *numbers = gg_mex_doubles_result(call, 0, points, k);
  if (call->status) return;
  gg_mex_number_from_one(index, points * k, numbers);
  gg_mex_report_result(call, 2, &call->report);
}

/* Finds the nearest by distances of any source. */
static void find_in_distances(gg_mex_call *call) {
  gg_mex_distances d;
  gpugeo_knn_options options;
  const int64_t n =
      gg_mex_open_distances(call, &d, &gg_knn_options, &options, &options.metric, &options.run);
  const int64_t k = options.k >= 1 && options.k < n ? options.k : 0; /* the core refuses others */
  if (call->status) return;
  int32_t *index = gg_mex_allocate(call, n * k, sizeof *index);
  double *distances = gg_mex_doubles_result(call, 1, n, k);
  if (call->status) return;
  call->status =
      gpugeo_distances_knn(&d.given, &options, index, distances, &call->report, &call->error);
  finish_nearest(call, NULL, index, n, k);
}

void gg_mex_knn(gg_mex_call *call) {
  if (has_distances(call)) {
    find_in_distances(call);
    return;
  }
  gg_mex_points in;
  gpugeo_knn_options options;
  read_common(call, &in, &options);
  if (call->status) return;

  int64_t size = 0;
  if (!gg_mex_check(call, gpugeo_knn_size(&in.x, in.y, &options, &size, &call->error))) return;
  int32_t *index = gg_mex_allocate(call, size, sizeof *index);
  if (!index) return;
  double *distances = gg_mex_doubles_result(call, 1, size / options.k, options.k);
  if (call->status) return;
  call->status = gpugeo_knn(&in.x, in.y, &options, index, distances, &call->report, &call->error);
  finish_nearest(call, in.y ? "y" : NULL, index, size / options.k, options.k);
}

/* Finds all within a radius by distances of any source. */
static void find_within_distances(gg_mex_call *call, gpugeo_neighbors *found) {
  gg_mex_distances d;
  gpugeo_knn_options options;
  gg_mex_open_distances(call, &d, &gg_knn_options, &options, &options.metric, &options.run);
  if (call->status) return;
  gg_mex_neighbors_results(
      call, found, gpugeo_distances_radius(&d.given, &options, found, &call->report, &call->error));
}

void gg_mex_radius(gg_mex_call *call) {
  gpugeo_neighbors *found = gg_mex_allocate(call, 1, sizeof *found);
  if (found && has_distances(call)) {
    find_within_distances(call, found);
    return;
  }
  gg_mex_points in;
  gpugeo_knn_options options;
  read_common(call, &in, &options);
  if (call->status) return;
  gg_mex_neighbors_results(
      call, found, gpugeo_radius(&in.x, in.y, &options, found, &call->report, &call->error));
}

/* Reads row numbers, from 1, and distances, as doubles. Those without a distance are left out. */
static void read_nearest(gg_mex_call *call, gg_nearest_lists *nearest) {
  const double *numbers = NULL;
  int64_t count = 0, others = 0;
  *nearest = (gg_nearest_lists){.points = (int64_t)mxGetM(call->inputs[0])};
  gg_mex_doubles(call, call->inputs[0], "neighbors", &numbers, &count);
  gg_mex_doubles(call, call->inputs[1], "distances", &nearest->distance, &others);
  int32_t *index = call->status ? NULL : gg_mex_allocate(call, count, sizeof *index);
  bool known = count == others;
  for (int64_t e = 0; index && known && e < count; ++e) {
    const bool there = numbers[e] >= 1 && numbers[e] <= (double)nearest->points;
    index[e] = there ? (int32_t)(numbers[e] - 1) : -1;
    known = there || isnan(nearest->distance[e]);
  }
  if (index && !known)
    gg_mex_check(call, gg_fail(&call->error, GPUGEO_ERROR_ARGUMENT, "neighbors",
                               "neighbors must be row numbers with a distance each"));
  nearest->index = index;
  nearest->k = nearest->points > 0 ? count / nearest->points : 0;
}

static void free_edges(void *edges) { gg_neighbor_edges_free(edges); }

void gg_mex_neighbor_edges(gg_mex_call *call) {
  gpugeo_run run;
  int32_t mutual = 0;
  gpugeo_run_init(&run, sizeof run);
  const char *weights = gg_mex_word(call, "weights");
  gg_mex_flag(call, "mutual", &mutual);
  gg_mex_settings(call, false, &run);
  gg_nearest_lists nearest;
  read_nearest(call, &nearest);
  gg_neighbor_edges *edges = gg_mex_allocate(call, 1, sizeof *edges);
  if (call->status) return;
  const gg_neighbor_weights kind = gg_neighbor_weights_find(weights ? weights : "");
  if (kind == GG_WEIGHTS_COUNT) {
    const gg_given given = gg_mex_given(gg_mex_field(call->options, "weights"));
    gg_mex_check(call,
                 gg_fail_given(&call->error, "weights",
                               "one of \"rank\", \"number\", \"jaccard\", \"fuzzy\"", &given));
    return;
  }
  const gpugeo_status status =
      gg_neighbor_edges_make(&nearest, kind, mutual, &run, edges, &call->error);
  gg_mex_release_later(call, free_edges, edges);
  if (call->status || !gg_mex_finish(call, status, NULL, NULL)) return;

  double *ends = gg_mex_doubles_result(call, 0, edges->count, 2);
  if (call->status) return;
  double *weight = gg_mex_doubles_result(call, 1, edges->count, 1);
  if (call->status || edges->count == 0) return;
  gg_mex_number_from_one(edges->from, edges->count, ends);
  gg_mex_number_from_one(edges->to, edges->count, ends + edges->count);
  memcpy(weight, edges->weight, (size_t)edges->count * sizeof *weight);
}
