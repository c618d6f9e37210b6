/* Nearest neighbours: checks the arguments, plans as for a distance matrix, and passes the plan
   to a backend. */
#include "distance/knn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/parallel.h"
#include "common/sphere.h"
#include "distance/distance_call.h"
#include "distance/missing_rows.h"
#include "distance/sphere_search.h"

GG_OPTIONS_INIT(knn, .metric = GG_DEFAULT_METRIC, .k = 1, .missing = NAN)

static const gg_option option_rows[] = {
    {GG_OPTION("k", WHOLE, gpugeo_knn_options, k)},
    {GG_OPTION("radius", NUMBER, gpugeo_knn_options, radius), .is_argument = true,
     .allowed = GG_RADIUS},
};

GG_DEFINE_OPTIONS(knn, option_rows);

/* --- arguments -------------------------------------------------------------------------------- */

/* Returns the options of a distance matrix with the same distances. Neighbours have no option
   `precision`. */
static gpugeo_dist_options dist_options(const gpugeo_knn_options *options) {
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  dist.points = options->points;
  dist.missing = options->missing;
  dist.run = options->run;
  return dist;
}

/* Returns the number of points whose neighbours are searched. */
static int64_t query_count(const gpugeo_matrix *x, const gpugeo_matrix *query,
                           const gpugeo_knn_options *options) {
  return gg_point_count(query ? query : x, options->points);
}

/* Returns the number of points that may be neighbours of a point. */
static int64_t candidate_count(const gpugeo_matrix *x, const gpugeo_matrix *query,
                               const gpugeo_knn_options *options) {
  return gg_point_count(x, options->points) - (query ? 0 : 1);
}

/* Checks the arguments that both searches of neighbours share. */
static gpugeo_status check_arguments(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                     const gpugeo_knn_options *options, gpugeo_error *error) {
  const gpugeo_dist_options dist = dist_options(options);
  gpugeo_status status = gg_dist_check(x, query, "query", &dist, error);
  if (status) return status;
  const int64_t n = gg_point_count(x, options->points);
  if (n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                   INT32_MAX, (long long)n);
  return GPUGEO_OK;
}

/* Returns the bytes of working memory for the k nearest: those of the distances, and lists of k
   neighbours for at least `lists` points of each side. */
static double working_bytes(const gpugeo_matrix *x, const gpugeo_matrix *query,
                            const gpugeo_knn_options *options) {
  const double lists = 8, neighbor = sizeof(gg_neighbor); /* a panel of the narrowest kernel */
  const gpugeo_dist_options dist = dist_options(options);
  const double points = fmin(lists, (double)query_count(x, query, options));
  return gg_dist_working(x, query, &dist) + 2 * points * (double)options->k * neighbor;
}

/* Checks that there are k neighbours among n points, of other points or of a query. */
static gpugeo_status check_neighbor_count(int64_t k, int64_t n, bool query, gpugeo_error *error) {
  const int64_t candidates = n - (query ? 0 : 1);
  if (candidates < 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have at least %d point%s for there to be a neighbour, not %lld",
                   query ? 1 : 2, query ? "" : "s", (long long)n);
  if (k >= 1 && k <= candidates) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "k", "k must be between 1 and %lld (%s), not %lld",
                 (long long)candidates, query ? "the points of x" : "the other points",
                 (long long)k);
}

gpugeo_status gpugeo_knn_size(const gpugeo_matrix *x, const gpugeo_matrix *query,
                              const gpugeo_knn_options *options, int64_t *size,
                              gpugeo_error *error) {
  gpugeo_knn_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(knn_options, options, taken, error);
  if (status) return status;
  status = check_arguments(x, query, options, error);
  if (status) return status;
  status = check_neighbor_count(options->k, gg_point_count(x, options->points), query, error);
  if (status) return status;
  const double elements = (double)options->k * (double)query_count(x, query, options);
  status =
      gg_check_result(2 * elements, GPUGEO_TYPE_DOUBLE, working_bytes(x, query, options), error);
  if (!status) *size = options->k * query_count(x, query, options);
  return status;
}

/* Checks a radius. */
static gpugeo_status check_radius_value(const gpugeo_knn_options *options, gpugeo_error *error) {
  if (options->radius >= 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "radius", "radius must be " GG_RADIUS ", not %s",
                 gg_number(options->radius).text);
}

/* Checks the arguments of a search of neighbours within a radius. */
static gpugeo_status check_radius(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                  const gpugeo_knn_options *options, gpugeo_error *error) {
  const gpugeo_status status = check_arguments(x, query, options, error);
  return status ? status : check_radius_value(options, error);
}

/* --- planning --------------------------------------------------------------------------------- */

/* A plan ready for a backend, and that backend. */
typedef struct job {
  gg_dist_plan plan;
  gg_dist_memory memory; /* of the plan */
  const gg_backend *backend;
  gg_call *call;
} job;

/* True if neighbours by the metric may be searched in trees. */
static bool may_take_trees(gpugeo_metric metric) {
  switch (metric) {
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_SQEUCLIDEAN:
  case GPUGEO_METRIC_SEUCLIDEAN:
  case GPUGEO_METRIC_MAHALANOBIS:
  case GPUGEO_METRIC_MANHATTAN:
  case GPUGEO_METRIC_MAXIMUM:
  case GPUGEO_METRIC_MINKOWSKI:
    return true;
  default:
    return false;
  }
}

double gg_search_work(const gg_dist_plan *plan, gpugeo_metric metric) {
  const double all = gg_dist_work(plan);
  if (!may_take_trees(metric)) return all;
  return fmin(all, 6000 * (double)(plan->nx + plan->ny) * exp2((double)plan->m));
}

/* Plans a job of checked arguments with at least one pair and one coordinate. The memory is to be
   freed also after a failure. */
static gpugeo_status start_job(gg_family family, const gpugeo_matrix *x, const gpugeo_matrix *query,
                               const gpugeo_knn_options *options, job *job) {
  gg_call *call = job->call;
  gpugeo_dist_options dist = dist_options(options);
  dist.run.precision = GPUGEO_PRECISION_DOUBLE;
  job->memory = (gg_dist_memory){0};
  job->plan = gg_dist_plan_make(x, query, &dist, 0);
  gg_dist_plan *plan = &job->plan;
  const bool sparse = gg_dist_is_sparse(plan);
  int found = 0;
  if (sparse && gg_dist_inspect(plan, &dist, &job->memory, &found, call)) return call->status;
  gg_request request = gg_dist_request(plan, family, &dist, found);
  request.work = gg_search_work(plan, options->metric.kind);
  GG_TRY(call, gg_backend_spread(&options->run, &request, &job->backend, &job->plan.device,
                                 &job->plan.workers, call->error));
  if (call->status) return call->status;
  job->plan.backend = job->backend;
  *call->report = gg_report_of(job->backend, plan->device, plan->workers, plan->threads);
  if (!sparse) gg_dist_inspect(plan, &dist, &job->memory, &found, call);
  return gg_dist_prepare(plan, &dist, found, &job->memory, call);
}

/* True if the metric is great circles, and the backend only knows chords. */
static bool needs_chords(const job *job) {
  return job->plan.sphere_radius > 0 && !job->backend->can.sphere;
}

/* Frees the job's memory and ends the call. */
static gpugeo_status finish_job(job *job) {
  gg_dist_memory_free(&job->memory);
  return gg_call_end(job->call);
}

static gg_tree_use tree_use = GG_TREES_AUTO;
gg_tree_use gg_trees_use(void) { return tree_use; }
void gg_trees_set_use(gg_tree_use use) { tree_use = use; }

/* --- the k nearest ---------------------------------------------------------------------------- */

/* Fills the result for points without coordinates: all distances are missing, and the neighbours
   are the first k points. */
static void fill_missing(int64_t points, bool within, const gpugeo_knn_options *options,
                         int32_t *index, double *distance) {
  for (int64_t r = 0; r < options->k; ++r)
    for (int64_t i = 0; i < points; ++i) {
      index[i + r * points] = (int32_t)(within && r >= i ? r + 1 : r);
      distance[i + r * points] = options->missing;
    }
}

gpugeo_status gpugeo_knn(const gpugeo_matrix *x, const gpugeo_matrix *query,
                         const gpugeo_knn_options *options, int32_t *index, double *distance,
                         gpugeo_report *report, gpugeo_error *error) {
  gpugeo_knn_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(knn_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  int64_t size = 0;
  GG_TRY(&call, gpugeo_knn_size(x, query, options, &size, error));
  if (GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_KNN, call.report, error)))
    return call.status;
  if (size == 0 || gg_point_size(x, options->points) == 0) {
    fill_missing(query_count(x, query, options), !query, options, index, distance);
    return GPUGEO_OK;
  }
  job job = {.call = &call};
  gpugeo_missing missing = {0};
  if (!start_job(GG_FAMILY_KNN, x, query, options, &job)) {
    const gg_point_facts *facts = job.memory.facts;
    missing = gg_missing_neighbors(&facts[0].rows, query ? &facts[1].rows : NULL, options->k);
    const gg_knn_plan plan = {job.plan, tree_use, options->k, index, distance};
    GG_TRY(&call, needs_chords(&job) ? gg_sphere_knn(&plan, job.backend, &call)
                                     : job.backend->knn(&plan, &call));
  }
  gg_report_missing(call.report, &missing);
  return finish_job(&job);
}

/* --- within a radius -------------------------------------------------------------------------- */

/* Compares neighbours for qsort(). */
static int compare_neighbors(const void *a, const void *b) {
  const gg_neighbor *left = a, *right = b;
  return gg_neighbor_before(*left, *right) ? -1 : gg_neighbor_before(*right, *left);
}

/* Returns the length of the longest list. */
static int64_t longest_list(const gpugeo_neighbors *found) {
  int64_t longest = 0;
  for (int64_t i = 0; i < found->points; ++i)
    if (found->start[i + 1] - found->start[i] > longest)
      longest = found->start[i + 1] - found->start[i];
  return longest;
}

/* A thread's room for the longest list. */
typedef struct sort_room {
  gg_neighbor *list;
  int32_t *start; /* of buckets: one more than neighbours */
} sort_room;

/* Sorts neighbours that are in order but for a few positions. */
static void insert_all(gg_neighbor *list, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const gg_neighbor moved = list[i];
    int64_t at = i;
    for (; at > 0 && gg_neighbor_before(moved, list[at - 1]); --at)
      list[at] = list[at - 1];
    list[at] = moved;
  }
}

/* Copies `count` neighbours to room->list by buckets of equal width, of which there are as many.
   Buckets with more than a few neighbours are sorted. */
static void distribute(const double *distance, const int32_t *index, int64_t count, double low,
                       double scale, const sort_room *room) {
  const int64_t few = 24;
  int32_t *start = room->start;
  memset(start, 0, (size_t)(count + 1) * sizeof *start);
  for (int64_t e = 0; e < count; ++e)
    ++start[(int64_t)((distance[e] - low) * scale)];
  for (int64_t bucket = 0, sum = 0; bucket <= count; ++bucket) {
    const int32_t size = start[bucket];
    start[bucket] = (int32_t)sum;
    sum += size;
  }
  for (int64_t e = 0; e < count; ++e)
    room->list[start[(int64_t)((distance[e] - low) * scale)]++] =
        (gg_neighbor){distance[e], index[e]};
  for (int64_t bucket = 0, first = 0; bucket <= count; first = start[bucket++])
    if (start[bucket] - first > few)
      qsort(room->list + first, (size_t)(start[bucket] - first), sizeof *room->list,
            compare_neighbors);
}

/* Sorts one point's neighbours. */
static void sort_list(gpugeo_neighbors *found, int64_t point, const sort_room *room) {
  const int64_t first = found->start[point], count = found->start[point + 1] - first;
  double *distance = found->distance + first;
  int32_t *index = found->index + first;
  double low = INFINITY, high = 0;
  for (int64_t e = 0; e < count; ++e) {
    low = distance[e] < low ? distance[e] : low;
    high = distance[e] > high ? distance[e] : high;
  }
  const double scale = (double)(count - 1) / (high - low);
  if (scale > 0 && isfinite(scale) && count <= INT32_MAX) {
    distribute(distance, index, count, low, scale, room);
    insert_all(room->list, count);
  } else { /* none, all at one distance, or too near each other or too far apart for buckets */
    for (int64_t e = 0; e < count; ++e)
      room->list[e] = (gg_neighbor){distance[e], index[e]};
    qsort(room->list, (size_t)count, sizeof *room->list, compare_neighbors);
  }
  for (int64_t e = 0; e < count; ++e) {
    distance[e] = room->list[e].distance;
    index[e] = room->list[e].index;
  }
}

typedef struct sorting {
  gpugeo_neighbors *found;
  int64_t longest;
  sort_room rooms; /* of the longest list, for each thread */
} sorting;

/* Sorts the lists of a range of points. */
static void sort_range(void *job, gg_range range) {
  const sorting *s = job;
  const sort_room room = {s->rooms.list + range.worker * s->longest,
                          s->rooms.start + range.worker * (s->longest + 1)};
  for (int64_t i = range.first; i < range.last; ++i)
    sort_list(s->found, i, &room);
}

/* Sorts all lists of neighbours on up to the given number of threads. */
static gpugeo_status sort_lists(gpugeo_neighbors *found, int32_t threads, gg_call *call) {
  if (call->status) return call->status;
  sorting s = {.found = found, .longest = longest_list(found)};
  if (found->start[found->points] < 10000) threads = 1; /* sorted within 0.5 ms */
  s.rooms.list = gg_allocate(threads * s.longest, sizeof *s.rooms.list);
  s.rooms.start = gg_allocate(threads * (s.longest + 1), sizeof *s.rooms.start);
  const bool there = s.rooms.list && s.rooms.start;
  const bool done = there && gg_parallel_for(&(gg_loop){.threads = threads,
                                                        .count = found->points,
                                                        .grain = 64,
                                                        .work = sort_range,
                                                        .job = &s,
                                                        .clock = call->clock,
                                                        .begun = 1});
  gg_free(s.rooms.list);
  gg_free(s.rooms.start);
  if (!there) return GG_TRY(call, gg_fail_memory(call->error, threads * (s.longest + 1) * 20));
  return gg_call_require(call, done);
}

/* Checks the memory that a search within a radius takes before neighbours are known: where the list
   of each point begins, and that of the distances. */
static gpugeo_status check_radius_memory(const gpugeo_matrix *x, const gpugeo_matrix *query,
                                         const gpugeo_knn_options *options, gpugeo_error *error) {
  const gpugeo_dist_options dist = dist_options(options);
  const int64_t lists = query_count(x, query, options);
  return gg_check_memory(8 * ((double)lists + 1) + gg_dist_working(x, query, &dist), "x", error,
                         "the neighbours of %lld points and working memory need at least",
                         (long long)lists);
}

gpugeo_status gpugeo_radius(const gpugeo_matrix *x, const gpugeo_matrix *query,
                            const gpugeo_knn_options *options, gpugeo_neighbors *neighbors,
                            gpugeo_report *report, gpugeo_error *error) {
  gpugeo_knn_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(knn_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, check_radius(x, query, options, error));
  GG_TRY(&call, check_radius_memory(x, query, options, error));
  if (GG_TRY(&call, gg_report_start(&options->run, GG_FAMILY_RADIUS, call.report, error)))
    return call.status;
  gpugeo_neighbors found = {.points = query_count(x, query, options)};
  found.start = gg_call_allocate(&call, found.points + 1, sizeof *found.start);
  if (!found.start) return call.status;
  memset(found.start, 0, (size_t)(found.points + 1) * sizeof *found.start);
  if (found.points == 0 || candidate_count(x, query, options) < 1 ||
      gg_point_size(x, options->points) == 0) { /* no distance that is not missing */
    GG_TRY(&call, gg_radius_allocate(&found, error));
  } else {
    job job = {.call = &call};
    if (!start_job(GG_FAMILY_RADIUS, x, query, options, &job)) {
      const gg_radius_plan plan = {job.plan, tree_use, options->radius};
      GG_TRY(&call, needs_chords(&job) ? gg_sphere_radius(&plan, job.backend, &found, &call)
                                       : job.backend->radius(&plan, &found, &call));
    }
    sort_lists(&found, job.plan.threads, &call);
    finish_job(&job);
  }
  if (call.status)
    gpugeo_neighbors_free(&found);
  else
    *neighbors = found;
  return call.status;
}

/* --- Distances of any source ------------------------------------------------------------------ */

/* Leaves a call to the host, and plans its distances. */
static gg_dist_plan plan_reading(gg_distance_call *call, double missing) {
  const double n = (double)call->source.n;
  const int32_t threads = gg_threads_for(call->base.run->threads, n * n);
  gg_dist_plan plan = gg_dist_source_plan_read(&call->source, threads);
  plan.missing = missing;
  gg_distance_call_take_host(call);
  gg_distance_call_report(call, threads);
  return plan;
}

gpugeo_status gpugeo_distances_knn(const gpugeo_distances *x, const gpugeo_knn_options *options,
                                   int32_t *index, double *distance, gpugeo_report *report,
                                   gpugeo_error *error) {
  gpugeo_knn_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(knn_options, options, taken, error);
  if (status) return status;
  if (x && x->x) return gpugeo_knn(x->x, NULL, options, index, distance, report, error);
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_call *base = &call.base;
  const gg_distance_limits limits = {.family = GG_FAMILY_KNN, .most = INT32_MAX};
  gg_distance_call_open(&call, &limits);
  GG_TRY(base, check_neighbor_count(options->k, call.source.n, false, error));
  /* 12 bytes of the result for each neighbour, and 16 while they are searched. */
  gg_distance_call_check_result(&call, 4 * (double)options->k + 4, GG_READ_SIDE);
  if (!base->status) {
    const gg_knn_plan plan = {plan_reading(&call, options->missing), tree_use, options->k, index,
                              distance};
    GG_TRY(base, gg_host_backend()->knn(&plan, base));
  }
  return gg_distance_call_close(&call);
}

/* Finds the neighbours of an open call, and sorts them. */
static gpugeo_status find_near(gg_distance_call *call, double radius, gpugeo_neighbors *found) {
  gg_call *base = &call->base;
  if (base->status) return base->status;
  const gg_radius_plan plan = {plan_reading(call, NAN), tree_use, radius};
  found->start = gg_call_allocate(base, found->points + 1, sizeof *found->start);
  if (!found->start) return base->status;
  memset(found->start, 0, (size_t)(found->points + 1) * sizeof *found->start);
  GG_TRY(base, found->points > 1 ? gg_host_backend()->radius(&plan, found, base)
                                 : gg_radius_allocate(found, base->error));
  return sort_lists(found, plan.dist.threads, base);
}

gpugeo_status gpugeo_distances_radius(const gpugeo_distances *x, const gpugeo_knn_options *options,
                                      gpugeo_neighbors *neighbors, gpugeo_report *report,
                                      gpugeo_error *error) {
  gpugeo_knn_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(knn_options, options, taken, error);
  if (status) return status;
  if (x && x->x) return gpugeo_radius(x->x, NULL, options, neighbors, report, error);
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  const gg_distance_limits limits = {.family = GG_FAMILY_RADIUS, .most = INT32_MAX};
  gg_distance_call_open(&call, &limits);
  gg_distance_call_check_result(&call, 2, GG_READ_SIDE);
  GG_TRY(&call.base, check_radius_value(options, error));
  gpugeo_neighbors found = {.points = call.source.n};
  find_near(&call, options->radius, &found);
  status = gg_distance_call_close(&call);
  if (status)
    gpugeo_neighbors_free(&found);
  else
    *neighbors = found;
  return status;
}
