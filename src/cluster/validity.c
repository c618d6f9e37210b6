/* Indices of a clustering: checks the arguments, adds up the distances of each point, and writes
   the result. The sums of a point are in the order of the other points, and those of clusters in
   that of points, so that their bits depend on nothing else. */
#include "cluster/validity_job.h"

#include <math.h>

typedef double real;
#include "common/vector.h"

#include "distance/power.h"

#include "cluster/silhouette_sums.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/parallel.h"
#include "distance/distance_call.h"

enum { AUTO = -1 /* computed if it exists */ };

GG_OPTIONS_INIT(validity, .metric = GG_DEFAULT_METRIC, .within = AUTO, .calinski_harabasz = AUTO,
                .davies_bouldin = AUTO, .dunn = AUTO, .silhouette = AUTO, .dbcv = AUTO, .power = 2)

static const gg_option option_rows[] = {
    {GG_OPTION("within", FLAG_OR_AUTO, gpugeo_validity_options, within)},
    {GG_OPTION("ch", FLAG_OR_AUTO, gpugeo_validity_options, calinski_harabasz)},
    {GG_OPTION("db", FLAG_OR_AUTO, gpugeo_validity_options, davies_bouldin)},
    {GG_OPTION("dunn", FLAG_OR_AUTO, gpugeo_validity_options, dunn)},
    {GG_OPTION("silhouette", FLAG_OR_AUTO, gpugeo_validity_options, silhouette)},
    {GG_OPTION("dbcv", FLAG_OR_AUTO, gpugeo_validity_options, dbcv)},
    {GG_OPTION("power", NUMBER, gpugeo_validity_options, power), .allowed = "positive and finite"},
    {GG_OPTION("dimensions", WHOLE, gpugeo_validity_options, dimensions), .may_be_null = true,
     .least = 1, .most = INT32_MAX},
};
GG_DEFINE_OPTIONS(validity, option_rows);

/* --- Checks ----------------------------------------------------------------------------------- */

/* Checks the clusters, copies their numbers from 0 on, with k for noise, and counts their points.
 */
static gpugeo_status take_clusters(const int32_t *cluster, int64_t length, int32_t *own,
                                   gg_validity *v) {
  gpugeo_error *error = v->call->error;
  const long long n = (long long)v->n;
  if (length != v->n || (!cluster && v->n > 0))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "clusters",
                   "clusters must have a number for each of the %lld points, not %lld numbers", n,
                   cluster ? (long long)length : 0LL);
  for (int64_t i = 0; i < v->n; ++i) {
    if (cluster[i] < 0 || cluster[i] > v->n)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "clusters",
                     "clusters must be between 0 and %lld, the number of points, but value %lld is "
                     "%d",
                     n, (long long)i + 1, (int)cluster[i]);
    if (v->k < cluster[i]) v->k = cluster[i];
  }
  v->size = gg_allocate_zeros(v->k + 1, sizeof *v->size);
  if (!v->size) return gg_fail_memory(error, 8 * (v->k + 1));
  for (int64_t i = 0; i < v->n; ++i) {
    own[i] = cluster[i] > 0 ? cluster[i] - 1 : (int32_t)v->k;
    ++v->size[own[i]];
  }
  for (int64_t c = 0; c < v->k; ++c) {
    v->clusters += v->size[c] > 0;
    v->points += (int64_t)v->size[c];
  }
  return GPUGEO_OK;
}

/* True if the points have means: their distances are Euclidean. */
static bool has_centers(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS &&
         source->options.metric.kind == GPUGEO_METRIC_EUCLIDEAN && !gg_dist_source_is_empty(source);
}

/* Checks the options against the distances. */
static gpugeo_status check_options(const gpugeo_validity_options *options,
                                   const gg_dist_source *source, gpugeo_error *error) {
  if (!(options->power > 0 && isfinite(options->power)))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "power",
                   "power must be positive and finite, not %s", gg_number(options->power).text);
  if (options->dimensions < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "dimensions",
                   "dimensions must be a whole number of at least 1, not %lld",
                   (long long)options->dimensions);
  if (options->davies_bouldin == 1 && !has_centers(source))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "db",
                   "index \"db\" must be left out but for points with Euclidean distances");
  if (options->dbcv == 1 && options->dimensions == 0 && source->kind != GG_DIST_SOURCE_POINTS)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "dimensions",
                   "dimensions must be given with distances for index \"dbcv\"");
  return GPUGEO_OK;
}

/* --- Sums of distances ------------------------------------------------------------------------ */

/* Adds a distance to another point of the cluster to the sum for DBCV, in a unit, the smallest
   distance, that lets none overflow. */
static void add_density(gg_point_sums *s, double distance, double dimensions) {
  if (distance < s->least) {
    s->density = s->density * v_pow(distance / s->least, dimensions) + 1;
    s->least = distance;
  } else {
    s->density += distance == s->least ? 1 : v_pow(s->least / distance, dimensions);
  }
}

/* Adds a distance to the sums of a point. */
static void add_distance(const gg_validity *v, gg_point_sums *s, bool same, double distance) {
  const double power = v->options->power;
  const double term = power == 2   ? distance * distance
                      : power == 1 ? distance
                                   : v_pow(distance, power);
  s->all += term;
  if (!same) {
    if (distance < s->nearest) s->nearest = distance;
    return;
  }
  s->own += term;
  if (distance > s->furthest) s->furthest = distance;
  if (v->dimensions > 0) add_density(s, distance, v->dimensions);
}

/* Adds the distances of a block; the visitor's work. */
static void visit_sums(void *own, const gg_distance_block *block) {
  const gg_validity *v = own;
  for (int64_t k = 0; k < block->others; ++k) {
    const int64_t other = block->other + k;
    const int32_t cluster = v->cluster[other];
    for (int64_t r = 0; r < block->count && cluster < v->k; ++r) {
      const int64_t i = block->first + r;
      if (i == other || v->cluster[i] == v->k) continue;
      add_distance(v, v->sums + i, v->cluster[i] == cluster,
                   block->value[r * block->point_step + k * block->other_step]);
    }
  }
}

/* Sets the mean silhouettes of clusters, and of all points. */
static void average_widths(const gg_validity *v, const double *width) {
  double *mean = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_SILHOUETTE), sum = 0;
  for (int64_t c = 0; c < v->k; ++c)
    mean[c] = v->size[c] > 0 ? 0 : NAN;
  for (int64_t i = 0; i < v->n; ++i) {
    if (v->cluster[i] == v->k) continue;
    sum += width[i];
    mean[v->cluster[i]] += width[i] / v->size[v->cluster[i]];
  }
  v->result->silhouette = sum / (double)v->points;
}

/* Computes the sums of all points, and silhouettes if they are wanted. */
static gpugeo_status add_distances(gg_validity *v, bool silhouette, double share) {
  gg_call *call = v->call;
  const gpugeo_run *run = call->run;
  v->sums = gg_call_allocate(call, v->n, sizeof *v->sums);
  for (int64_t i = 0; v->sums && i < v->n; ++i)
    v->sums[i] = (gg_point_sums){.nearest = INFINITY, .least = INFINITY};
  gg_silhouette_plan plan = {.source = v->source,
                             .name = "x",
                             .cluster = v->cluster,
                             .clusters = v->k + 1,
                             .has_noise = true,
                             .threads = v->threads,
                             .work_bytes = run->work_bytes ? run->work_bytes : GG_WORK_BYTES,
                             .visit = v->pairs ? visit_sums : NULL,
                             .visitor = v};
  if (silhouette) {
    plan.neighbor = gg_call_allocate(call, v->n, sizeof *plan.neighbor);
    plan.width = gg_call_allocate(call, v->n, sizeof *plan.width);
  }
  gg_silhouette_compute(&plan, 0, share, call);
  if (silhouette && !call->status) average_widths(v, plan.width);
  gg_free(plan.neighbor);
  gg_free(plan.width);
  return call->status;
}

/* --- Indices ---------------------------------------------------------------------------------- */

/* Sets the largest distance within each cluster, the smallest from others, and Dunn's index. */
static void set_dunn(const gg_validity *v) {
  double *diameter = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_DIAMETER);
  double *separation = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_SEPARATION);
  double largest = 0, smallest = INFINITY;
  for (int64_t i = 0; i < v->n; ++i) {
    const int32_t c = v->cluster[i];
    if (c == v->k) continue;
    const gg_point_sums *s = v->sums + i;
    if (!(diameter[c] >= s->furthest)) diameter[c] = s->furthest;
    if (v->clusters > 1 && !(separation[c] <= s->nearest)) separation[c] = s->nearest;
    if (s->furthest > largest) largest = s->furthest;
    if (s->nearest < smallest) smallest = s->nearest;
  }
  if (v->clusters > 1) v->result->dunn = smallest / largest;
}

/* Sets the sums within clusters; and the index of Calinski and Harabasz of distances. Each pair was
   added twice. */
static void set_within(const gg_validity *v) {
  double *within = gg_validity_column(v, GPUGEO_VALIDITY_COLUMN_WITHIN), all = 0, sum = 0;
  for (int64_t c = 0; c < v->k; ++c)
    within[c] = v->size[c] > 0 ? 0 : NAN;
  for (int64_t i = 0; i < v->n; ++i) {
    if (v->cluster[i] == v->k) continue;
    within[v->cluster[i]] += v->sums[i].own;
    all += v->sums[i].all;
  }
  for (int64_t c = 0; c < v->k; ++c) {
    if (v->size[c] == 0) continue;
    within[c] /= 2 * v->size[c];
    sum += within[c];
  }
  v->result->within = sum;
  if (v->clusters < 2 || !v->options->calinski_harabasz) return;
  const double between = all / (2 * (double)v->points) - sum;
  v->result->calinski_harabasz =
      between / (double)(v->clusters - 1) / (sum / (double)(v->points - v->clusters));
}

/* Sets everything to NaN but the sizes. */
static void clear_result(const gg_validity *v) {
  gpugeo_validity_result *r = v->result;
  r->within = r->calinski_harabasz = r->davies_bouldin = r->dunn = r->silhouette = r->dbcv = NAN;
  for (int64_t i = 0; i < GPUGEO_VALIDITY_COLUMN_COUNT * v->k; ++i)
    r->of_cluster[i] = i < v->k ? v->size[i] : NAN;
}

/* Computes the indices that are wanted. */
static gpugeo_status compute_indices(gg_validity *v) {
  const gpugeo_validity_options *options = v->options;
  const bool several = v->clusters > 1;
  const bool sums = options->within || options->calinski_harabasz;
  const bool centers = has_centers(v->source) && options->power == 2;
  const bool silhouette = options->silhouette && several;
  const bool by_means = (sums && centers) || (options->davies_bouldin && has_centers(v->source));
  if (options->dbcv && several)
    v->dimensions = options->dimensions ? (double)options->dimensions
                    : v->source->kind == GG_DIST_SOURCE_POINTS
                        ? (double)gg_point_size(&v->source->x, v->source->options.points)
                        : 0;
  v->pairs = options->dunn || v->dimensions > 0 || (sums && !centers);
  if (by_means) gg_validity_centers(v);
  if (v->pairs || silhouette) add_distances(v, silhouette, v->dimensions > 0 ? 0.3 : 1);
  if (v->call->status) return v->call->status;
  if (options->dunn) set_dunn(v);
  if (sums && !centers) set_within(v);
  return v->dimensions > 0 ? gg_validity_density(v, 0.3, 0.7) : GPUGEO_OK;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Checks the clusters and computes the indices. */
static gpugeo_status run_call(gg_distance_call *call, const int32_t *cluster, int64_t length,
                              gg_validity *v) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  int32_t *own = gg_call_allocate(base, v->n, sizeof *own);
  v->cluster = own;
  v->threads = gg_threads_for(base->run->threads, 20 * (double)v->n * (double)v->n);
  if (!base->status) GG_TRY(base, take_clusters(cluster, length, own, v));
  GG_TRY(base, gg_check_work(base->run, gg_silhouette_working(v->n, v->k + 1), base->error,
                             "the indices of %lld clusters", (long long)v->k));
  if (!base->status) clear_result(v);
  if (!base->status && v->points > 0 && !gg_distance_call_start(call)) compute_indices(v);
  base->report->threads = v->threads;
  gg_free(v->sums);
  gg_free(v->size);
  gg_free(own);
  return base->status;
}

gpugeo_status gpugeo_validity(const gpugeo_distances *x, const int32_t *cluster,
                              int64_t cluster_length, const gpugeo_validity_options *options,
                              gpugeo_validity_result *result, gpugeo_report *report,
                              gpugeo_error *error) {
  gpugeo_validity_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(validity_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_DIST, .most = INT32_MAX};
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_call *base = &call.base;
  gg_distance_call_open(&call, &limits);
  /* Numbers, sums of points, and of DBCV six numbers and three edges twice. */
  gg_distance_call_check_result(&call, options->dbcv ? 30 : 12, 1024);
  GG_TRY(base, check_options(options, &call.source, error));
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  gg_validity v = {.source = &call.source,
                   .options = options,
                   .result = result,
                   .call = base,
                   .n = call.source.n};
  run_call(&call, cluster, cluster_length, &v);
  return gg_distance_call_close(&call);
}
