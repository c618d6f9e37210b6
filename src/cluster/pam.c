/* k-medoids: checks the arguments, chooses the memory, and numbers the clusters. */
#include "cluster/medoids.h"

#include <math.h>
#include <string.h>

#include "cluster/silhouette_sums.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/distance_call.h"

GG_OPTIONS_INIT(pam, .metric = GG_DEFAULT_METRIC, .k = 1, .swap = 1, .eager = 1,
                .max_swaps = INT64_MAX)

static const gg_option option_rows[] = {
    {GG_OPTION("k", WHOLE, gpugeo_pam_options, k), .least = 1, .most = INT32_MAX},
    {GG_OPTION("do.swap", FLAG, gpugeo_pam_options, swap), .octave = "swap"},
    {GG_OPTION("eager", FLAG, gpugeo_pam_options, eager)},
    {GG_OPTION("max_swaps", WHOLE, gpugeo_pam_options, max_swaps)},
};

GG_DEFINE_OPTIONS(pam, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks that the medoids are k different points; NULL is allowed. */
static gpugeo_status check_medoids(const gpugeo_pam_options *options, int64_t n,
                                   gpugeo_error *error) {
  const int64_t k = options->k;
  if (!options->medoids) return GPUGEO_OK;
  if (options->medoids_length != k)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "medoids",
                   "medoids must be %lld points, as many as k, not %lld", (long long)k,
                   (long long)options->medoids_length);
  bool *seen = gg_allocate_zeros(n, sizeof *seen);
  if (!seen) return gg_fail_memory(error, n * (int64_t)sizeof *seen);
  gpugeo_status status = GPUGEO_OK;
  for (int64_t m = 0; !status && m < k; ++m) {
    const int32_t point = options->medoids[m];
    if (point < 0 || point >= n || seen[point])
      status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, "medoids",
                       "medoids must be different points between 1 and %lld, but value %lld is "
                       "%lld",
                       (long long)n, (long long)m + 1, (long long)point + 1);
    else
      seen[point] = true;
  }
  gg_free(seen);
  return status;
}

/* Checks k, the swaps and the medoids. */
static gpugeo_status check_options(const gpugeo_pam_options *options, int64_t n,
                                   gpugeo_error *error) {
  if (options->k < 1 || options->k > n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "k",
                   "k must be between 1 and %lld, the number of points, not %lld", (long long)n,
                   (long long)options->k);
  if (options->max_swaps < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "max_swaps",
                   "max_swaps must be a whole number of at least 0, not %lld",
                   (long long)options->max_swaps);
  return check_medoids(options, n, error);
}

/* Checks the working memory, and that of the result. */
static gpugeo_status check_memory(gg_distance_call *call, int64_t k) {
  gg_call *base = &call->base;
  const double n = (double)call->source.n, values = 12 + (double)k; /* for each point */
  GG_TRY(base,
         gg_check_work(base->run, 8 * n * ((double)k + 8), base->error,
                       "%lld medoids of %lld points", (long long)k, (long long)call->source.n));
  return gg_distance_call_check_result(call, values, 1024);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocates the medoids and what each point needs. */
static gpugeo_status make_pam(const gg_dist_source *source, const gpugeo_pam_options *options,
                              gg_pam *pam, gpugeo_error *error) {
  const int64_t n = source->n, k = options->k;
  pam->n = n;
  pam->k = k;
  pam->eager = options->eager;
  pam->max_swaps = options->max_swaps;
  pam->threads = gg_threads_for(options->run.threads, 20 * (double)n * (double)n);
  pam->medoid = gg_allocate(k, sizeof *pam->medoid);
  pam->is_medoid = gg_allocate_zeros(n, sizeof *pam->is_medoid);
  pam->own = gg_allocate_large(k * n, sizeof *pam->own);
  pam->first = gg_allocate(n, sizeof *pam->first);
  pam->second = gg_allocate(n, sizeof *pam->second);
  pam->first_at = gg_allocate(n, sizeof *pam->first_at);
  pam->second_at = gg_allocate(n, sizeof *pam->second_at);
  pam->loss = gg_allocate(k, sizeof *pam->loss);
  pam->gain = gg_allocate(n, sizeof *pam->gain);
  pam->rated_at = gg_allocate(n, sizeof *pam->rated_at);
  pam->spare = gg_allocate(pam->threads * k, sizeof *pam->spare);
  if (pam->medoid && pam->is_medoid && pam->own && pam->first && pam->second && pam->first_at &&
      pam->second_at && pam->loss && pam->gain && pam->rated_at && pam->spare)
    return GPUGEO_OK;
  return gg_fail_memory(error, 8 * (k * n + 6 * n + pam->threads * k));
}

/* Frees what make_pam() has allocated. */
static void free_pam(gg_pam *pam) {
  gg_columns_free(&pam->columns);
  gg_free(pam->medoid);
  gg_free(pam->is_medoid);
  gg_free(pam->own);
  gg_free(pam->first);
  gg_free(pam->second);
  gg_free(pam->first_at);
  gg_free(pam->second_at);
  gg_free(pam->loss);
  gg_free(pam->gain);
  gg_free(pam->rated_at);
  gg_free(pam->spare);
}

/* Returns the bytes that columns may take. */
static double bytes_for_columns(const gpugeo_run *run) {
  return run->work_bytes ? (double)run->work_bytes : gg_machine_memory() / 2;
}

/* --- Results ---------------------------------------------------------------------------------- */

/* Numbers the clusters in the order of their first points. number: k. */
static void number_clusters(const gg_pam *pam, int32_t *number, gpugeo_pam_result *result) {
  int32_t next = 0;
  for (int64_t m = 0; m < pam->k; ++m)
    number[m] = -1;
  for (int64_t m = 0; m < pam->k; ++m) /* whatever is as near */
    pam->first_at[pam->medoid[m]] = (int32_t)m;
  for (int64_t i = 0; i < pam->n; ++i) {
    const int32_t m = pam->first_at[i];
    if (number[m] < 0) {
      number[m] = next;
      if (result->all)
        memcpy(result->all + next * pam->n, pam->own + m * pam->n,
               (size_t)pam->n * sizeof *pam->own);
      result->medoid[next++] = pam->medoid[m];
    }
    result->cluster[i] = number[m] + 1;
    result->distance[i] = pam->first[i];
  }
}

/* Assigns all points to the nearest medoid, the lowest of several. */
static gpugeo_status assign_points(gg_pam *pam, gpugeo_pam_result *result) {
  const int64_t n = pam->n;
  int32_t *number = gg_call_allocate(pam->columns.call, pam->k, sizeof *number);
  if (!number) return pam->columns.call->status;
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = -1;
    for (int64_t m = 0; m < pam->k; ++m) {
      const double d = pam->own[m * n + i], least = best < 0 ? INFINITY : pam->own[best * n + i];
      if (best < 0 || d < least || (d == least && pam->medoid[m] < pam->medoid[best])) best = m;
    }
    pam->first_at[i] = (int32_t)best;
  }
  number_clusters(pam, number, result);
  gg_free(number);
  return GPUGEO_OK;
}

/* Takes the distances of some points for the furthest one within the cluster of each point and the
   nearest one of another cluster; the visitor is the result. */
static void take_extremes(void *own, const gg_distance_block *block) {
  gpugeo_pam_result *result = own;
  for (int64_t k = 0; k < block->others; ++k) {
    const double *value = block->value + k * block->other_step;
    const int32_t cluster = result->cluster[block->other + k];
    for (int64_t r = 0; r < block->count; ++r) {
      const double distance = value[r * block->point_step];
      const int64_t i = block->first + r;
      double *furthest = result->furthest + i, *nearest = result->nearest + i;
      const bool same = result->cluster[i] == cluster;
      *furthest = same && distance > *furthest ? distance : *furthest;
      *nearest = !same && distance < *nearest ? distance : *nearest;
    }
  }
}

/* Computes the silhouette, the furthest and the nearest distances, for the result. */
static gpugeo_status measure_clusters(const gg_pam *pam, const gpugeo_pam_options *options,
                                      gpugeo_pam_result *result) {
  const gg_columns *columns = &pam->columns;
  gg_call *call = columns->call;
  int32_t *own = gg_call_allocate(call, pam->n, sizeof *own);
  for (int64_t i = 0; own && i < pam->n; ++i) {
    own[i] = result->cluster[i] - 1;
    if (!result->furthest) continue;
    result->furthest[i] = 0;
    result->nearest[i] = INFINITY;
  }
  const gg_silhouette_plan plan = {.source = columns->source,
                                   .name = columns->name,
                                   .cluster = own,
                                   .clusters = pam->k,
                                   .threads = pam->threads,
                                   .work_bytes = options->run.work_bytes ? options->run.work_bytes
                                                                         : GG_WORK_BYTES,
                                   .neighbor = result->neighbor,
                                   .width = result->width,
                                   .visit = result->furthest ? take_extremes : NULL,
                                   .visitor = result};
  gg_silhouette_compute(&plan, 0.8, 0.2, call);
  for (int64_t i = 0; !call->status && i < pam->n; ++i)
    ++result->neighbor[i];
  gg_free(own);
  return call->status;
}

/* --- The call --------------------------------------------------------------------------------- */

/* Takes the medoids that are given, or chooses them by BUILD. */
static gpugeo_status choose_medoids(gg_pam *pam, const gpugeo_pam_options *options) {
  if (!options->medoids) return gg_pam_build(pam);
  memcpy(pam->medoid, options->medoids, (size_t)pam->k * sizeof *pam->medoid);
  return gg_pam_begin(pam);
}

/* Computes the distances as memory allows, chooses and swaps medoids and writes the result. */
static gpugeo_status partition(gg_pam *pam, gg_distance_call *call,
                               const gpugeo_pam_options *options, gpugeo_pam_result *result) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const double n = (double)call->source.n, bytes = bytes_for_columns(&options->run);
  const bool whole = 8 * n * n <= bytes && gg_memory_is_there((int64_t)(8 * n * n));
  const double panel = bytes < GG_WORK_BYTES ? bytes / 2 : GG_WORK_BYTES;
  pam->columns = (gg_columns){.source = &call->source, .name = "x", .call = base, .whole = whole};
  gg_columns_make(&pam->columns, panel, 0, 0.4);
  choose_medoids(pam, options);
  result->objective[0] = base->status ? 0 : gg_pam_sum(pam) / n;
  if (options->swap) gg_pam_swap(pam, 0.4, 0.4);
  result->objective[1] = base->status ? 0 : gg_pam_sum(pam) / n;
  result->swaps = pam->swaps;
  result->converged = pam->converged || !options->swap;
  assign_points(pam, result);
  gg_columns_check(&pam->columns);
  return result->width ? measure_clusters(pam, options, result) : base->status;
}

/* Runs the whole call after the checks. */
static gpugeo_status run_call(gg_distance_call *call, const gpugeo_pam_options *options,
                              gpugeo_pam_result *result) {
  gg_pam pam = {.swaps = 0};
  gg_distance_call_start(call);
  GG_TRY(&call->base, make_pam(&call->source, options, &pam, call->base.error));
  partition(&pam, call, options, result);
  free_pam(&pam);
  call->base.report->threads = pam.threads;
  return call->base.status;
}

gpugeo_status gpugeo_pam(const gpugeo_distances *x, const gpugeo_pam_options *options,
                         gpugeo_pam_result *result, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_pam_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(pam_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_DIST, .least = 1, .most = INT32_MAX};
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_call *base = &call.base;
  gg_distance_call_open(&call, &limits);
  GG_TRY(base, check_options(options, call.source.n, error));
  check_memory(&call, options->k);
  GG_TRY(base, gg_report_start(base->run, GG_FAMILY_DIST, base->report, error));
  if (!base->status) run_call(&call, options, result);
  return gg_distance_call_close(&call);
}
