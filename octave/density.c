/* Clusters by density. */
#include "cluster/condense.h"
#include "common/error.h"
#include "distances.h"
#include "families.h"
#include "result.h"
#include "settings.h"
#include "value.h"

enum { OF_POINTS = 6, OF_NODES = 8 /* columns of results */ };

/* Memory for the parts of the result that are returned in other forms. */
typedef struct parts {
  gpugeo_hdbscan_result result;
  int64_t n;
  double *points, *tree; /* results */
} parts;

static void allocate_parts(gg_mex_call *call, int64_t nodes, parts *p) {
  const int64_t n = p->n, merges = n > 0 ? n - 1 : 0;
  gpugeo_hdbscan_result *r = &p->result;
  int32_t *whole = gg_mex_allocate(call, 6 * n + 5 * nodes + 1, sizeof *whole);
  double *real = gg_mex_allocate(call, n + 4 * nodes, sizeof *real);
  p->points = gg_mex_doubles_result(call, 0, n, OF_POINTS);
  p->tree = call->status ? NULL : gg_mex_doubles_result(call, 1, merges, 3);
  if (call->status) return;
  int32_t **const of_points[] = {&r->cluster, &r->order, &r->merge_node, &r->point, &r->merge};
  int32_t **const of_nodes[] = {&r->parent, &r->divided, &r->number, &r->selected, &r->start};
  double **const reals[] = {&r->birth, &r->death, &r->stability, &r->score};
  for (int k = 0; k < 5; ++k) {
    *of_points[k] = whole + k * n; /* the last one has 2 n */
    *of_nodes[k] = whole + 6 * n + k * nodes;
    if (k < 4) *reals[k] = real + n + k * nodes;
  }
  r->leaves_at = real;
  r->membership = p->points + n;
  r->outlier_score = p->points + 2 * n;
  r->core_distance = p->points + 3 * n;
  r->height = p->tree + 2 * merges;
}

/* Writes what points have in addition to the numbers that are already written: -1 for noise, the
   node that they leave, from 1, and the height. */
static void write_points(const parts *p) {
  const gpugeo_hdbscan_result *r = &p->result;
  for (int64_t i = 0; i < p->n; ++i)
    p->points[i] = r->cluster[i] > 0 ? r->cluster[i] : -1;
  for (int64_t c = 0; c < r->nodes; ++c)
    for (int32_t e = r->start[c]; e < r->start[c + 1]; ++e) {
      p->points[4 * p->n + r->point[e]] = (double)c + 1;
      p->points[5 * p->n + r->point[e]] = r->leaves_at[e];
    }
  for (int64_t k = 0; k < 2 * (p->n - 1); ++k)
    p->tree[k] = r->merge[k] + 1.0;
}

static void write_nodes(gg_mex_call *call, const gpugeo_hdbscan_result *r) {
  double *nodes = gg_mex_doubles_result(call, 2, r->nodes, OF_NODES);
  for (int64_t c = 0; nodes && c < r->nodes; ++c) {
    const double row[OF_NODES] = {r->parent[c] + 1.0, r->birth[c], r->death[c],    r->divided[c],
                                  r->stability[c],    r->score[c], r->selected[c], r->number[c]};
    for (int k = 0; k < OF_NODES; ++k)
      nodes[k * r->nodes + c] = row[k];
  }
}

void gg_mex_hdbscan(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_hdbscan_options options;
  parts p = {.n = 0};
  p.n = gg_mex_open_distances(call, &distances, &gg_hdbscan_options, &options, &options.metric,
                              &options.run);
  if (call->status) return;
  allocate_parts(call, gg_condensed_nodes(p.n, options.min_points), &p);
  if (call->status) return;
  call->status = gpugeo_hdbscan(&distances.given, &options, &p.result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  write_points(&p);
  write_nodes(call, &p.result);
  if (!call->status) gg_mex_report_result(call, 3, &call->report);
}

void gg_mex_dbscan(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  gg_mex_read_distances(call, "x", &distances, &options.metric);
  gg_mex_whole(call, "minpts", 1, INT32_MAX, &options.min_points); /* R takes 0, too */
  gg_mex_read_options(call, &gg_dbscan_options, &options);
  gg_mex_settings(call, false, &options.run);
  const int64_t n = gg_mex_count_points(call, &distances);
  if (call->status) return;
  int32_t *cluster = gg_mex_allocate(call, n, sizeof *cluster);
  int32_t *core = gg_mex_allocate(call, n, sizeof *core);
  double *idx = gg_mex_doubles_result(call, 0, n, 1);
  if (call->status) return;
  double *corepts = gg_mex_doubles_result(call, 1, n, 1);
  if (call->status) return;
  call->status =
      gpugeo_dbscan(&distances.given, &options, cluster, core, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i < n; ++i) {
    idx[i] = cluster[i] > 0 ? cluster[i] : -1;
    corepts[i] = core[i];
  }
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_optics(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_optics_options options;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_optics_options, &options,
                                          &options.metric, &options.run);
  gpugeo_optics_result result = {.order = gg_mex_allocate(call, n, sizeof *result.order),
                                 .predecessor =
                                     gg_mex_allocate(call, n, sizeof *result.predecessor)};
  double *values = call->status ? NULL : gg_mex_doubles_result(call, 0, n, 4);
  double *eps = values ? gg_mex_doubles_result(call, 1, 1, 1) : NULL;
  if (!eps) return;
  result.reachability = values + n;
  result.core_distance = values + 2 * n;
  call->status = gpugeo_optics(&distances.given, &options, &result, &call->report, &call->error);
  if (!gg_mex_ended(call, NULL)) return;
  for (int64_t i = 0; i < n; ++i) {
    values[i] = result.order[i] + 1.0;
    values[3 * n + i] = result.predecessor[i] + 1.0;
  }
  *eps = result.eps;
  gg_mex_report_result(call, 2, &call->report);
}

void gg_mex_lof(gg_mex_call *call) {
  gg_mex_distances distances;
  gpugeo_lof_options options;
  const int64_t n = gg_mex_open_distances(call, &distances, &gg_lof_options, &options,
                                          &options.metric, &options.run);
  double *factor = call->status ? NULL : gg_mex_doubles_result(call, 0, n, 1);
  if (!factor) return;
  call->status = gpugeo_lof(&distances.given, &options, factor, &call->report, &call->error);
  if (gg_mex_ended(call, NULL)) gg_mex_report_result(call, 1, &call->report);
}
