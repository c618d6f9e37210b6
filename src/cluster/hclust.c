/* Hierarchical clustering: checks the arguments, plans, and numbers the merges that a backend has
   found. */
#include "cluster/hclust.h"

#include <math.h>

#include "cluster/pairs.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/test_hooks.h"
#include "dist/metric_params.h"

void gpugeo_hclust_options_init(gpugeo_hclust_options *options, size_t size) {
  gpugeo_hclust_options defaults = {.linkage = GPUGEO_LINKAGE_COMPLETE, .metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* --- Arguments ---------------------------------------------------------------------------------
 */

static const char *const argument = "d";

/* Checks the sizes of the points' clusters; NULL is allowed. */
static gpugeo_status check_members(const gpugeo_hclust_options *options, int64_t n,
                                   gpugeo_error *error) {
  if (!options->members) return GPUGEO_OK;
  if (options->members_length != n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "members",
                   "members must have a value for each of the %lld points, not %lld values",
                   (long long)n, (long long)options->members_length);
  for (int64_t i = 0; i < n; ++i)
    if (!(options->members[i] > 0 && isfinite(options->members[i])))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "members",
                     "members must be positive and finite, but value %lld is %s", (long long)i + 1,
                     gg_number(options->members[i]).text);
  return GPUGEO_OK;
}

/* Checks that a named backend has the linkage. */
static gpugeo_status check_linkage(const gpugeo_hclust_options *options, gpugeo_error *error) {
  const gg_backend *named = gg_backend_of(options->run.backend);
  if (!named || (named->can.algorithms[GG_FAMILY_HCLUST] & GG_ALGORITHM(options->linkage)))
    return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "backend",
                 "backend must be \"auto\" or \"%s\" for the method \"%s\", not \"%s\"",
                 gg_host_backend()->name, gpugeo_name(GPUGEO_ENUM_LINKAGE, options->linkage),
                 named->name);
}

/* Checks the linkage, the number of points and the members. */
static gpugeo_status check_options(const gpugeo_hclust_options *options, int64_t n,
                                   gpugeo_error *error) {
  const int64_t most = (int64_t)1 << 30;
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_HCLUST, error);
  if (status) return status;
  if (options->linkage < 0 || options->linkage >= GPUGEO_LINKAGE_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "linkage",
                   "linkage must be between 0 and %d, not %d", GPUGEO_LINKAGE_COUNT - 1,
                   (int)options->linkage);
  if (n < 2 || n > most)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, argument,
                   "%s must have 2 to %lld points to cluster, not %lld", argument, (long long)most,
                   (long long)n);
  status = check_linkage(options, error);
  return status ? status : check_members(options, n, error);
}

/* --- The backend -------------------------------------------------------------------------------
 */

/* A call with its backend. */
typedef struct job {
  gg_dist_source source;
  bool centroids; /* instead of distances */
  const gg_backend *backend;
  int32_t device, workers;
} job;

/* True if the source has points with at least one coordinate. */
static bool has_coordinates(const gg_dist_source *source) {
  return gg_point_size(&source->x, source->options.points) > 0;
}

/* True if single linkage takes the tree of points: distances are doubles then. */
static bool takes_tree(const gg_dist_source *source, const gpugeo_hclust_options *options) {
  return options->linkage == GPUGEO_LINKAGE_SINGLE && source->kind == GG_DIST_SOURCE_POINTS &&
         has_coordinates(source) && options->run.precision == GPUGEO_PRECISION_DOUBLE;
}

/* As many points as stats::hclust() takes have a matrix, so that all sources of distances give the
   same bits. */
static const int64_t most_in_matrix = 65536;
static int64_t centroids_from;

void gg_centroids_set_from(int64_t points) { centroids_from = points; }

/* True if the linkage is Ward's, by Euclidean distances. */
static bool is_ward(const gpugeo_hclust_options *options) {
  const gpugeo_metric metric = options->metric.kind;
  return (options->linkage == GPUGEO_LINKAGE_WARD_D2 && metric == GPUGEO_METRIC_EUCLIDEAN) ||
         (options->linkage == GPUGEO_LINKAGE_WARD_D && metric == GPUGEO_METRIC_SQEUCLIDEAN);
}

/* Decides whether clusters are merged from their centroids: so many points that a matrix of their
   distances is large, and whose coordinates are finite and have squares. */
static gpugeo_status choose_centroids(const gpugeo_hclust_options *options, job *job,
                                      gpugeo_error *error) {
  const gg_dist_source *source = &job->source;
  const int64_t from = centroids_from ? centroids_from : most_in_matrix + 1;
  gg_clock clock;
  int found = 0;
  job->centroids = false;
  if (source->kind != GG_DIST_SOURCE_POINTS || source->n < from || !has_coordinates(source) ||
      options->members || options->run.precision != GPUGEO_PRECISION_DOUBLE || !is_ward(options))
    return GPUGEO_OK;
  gg_clock_start(&clock, &options->run);
  gpugeo_status status = gg_find_flags(&source->x, &source->options, &clock, &found, error);
  job->centroids = !(found & (GG_HAS_MISSING | GG_HAS_INFINITE | GG_HAS_HUGE));
  return status;
}

/* Returns the bytes of centroids on a device: twice, as they are copied to remove some, and rounded
   ones with lists of pairs. */
static double centroid_bytes(const gg_dist_source *source) {
  const double size = (double)gg_point_size(&source->x, source->options.points);
  return (double)source->n * (44 * size + 980);
}

/* True if the matrix may be divided among devices. */
static bool is_divisible(const gg_dist_source *source, const gpugeo_hclust_options *options,
                         bool centroids) {
  return !centroids && options->linkage != GPUGEO_LINKAGE_SINGLE &&
         (source->kind != GG_DIST_SOURCE_POINTS || has_coordinates(source));
}

/* Chooses the backend. Without coordinates all distances are missing, an error on any backend. */
static gpugeo_status choose_backend(const gpugeo_hclust_options *options, job *job,
                                    gpugeo_error *error) {
  const gg_dist_source *source = &job->source;
  const bool points = source->kind == GG_DIST_SOURCE_POINTS;
  const double n = (double)source->n, rest = (double)((int64_t)1 << 30);
  const bool tree = takes_tree(source, options);
  const double resident = tree             ? gg_dist_source_link_bytes(source) + 300 * n
                          : job->centroids ? centroid_bytes(source)
                                           : 8 * n * n;
  const gg_request request = {.family = GG_FAMILY_HCLUST,
                              .algorithm = (int)options->linkage,
                              .sparse = points && source->x.sparse,
                              .work = 50 * n * n, /* 5 ns for each pair */
                              .bytes = gg_dist_source_link_bytes(source),
                              /* Of rounds: 18 us of an H200, one for each 10 points at most of
                                 2,000 to 12,000 normal points of 50 coordinates. */
                              .latency = tree ? 0 : 2e-6 * n,
                              .resident = tree ? resident : resident + rest,
                              .alone = true};
  job->workers = 1;
  gpugeo_status status =
      is_divisible(source, options, job->centroids)
          ? gg_backend_divide(&options->run, &request, resident, &job->backend, &job->device,
                              &job->workers, error)
          : gg_backend_choose(&options->run, &request, &job->backend, &job->device, error);
  if (!status && points && !has_coordinates(source)) job->backend = gg_host_backend();
  if (!status && job->workers == 1)
    job->device = gg_dist_source_device(source, job->backend, job->device);
  return status;
}

/* Returns the bytes of the working matrix, or of what is in its place. */
static double matrix_bytes(const job *job, const gpugeo_hclust_options *options) {
  const double n = (double)job->source.n, threads = gg_threads(options->run.threads);
  const double size = (double)gg_point_size(&job->source.x, job->source.options.points);
  if (takes_tree(&job->source, options)) return 100 * n; /* of the tree */
  if (job->centroids)
    return job->backend->can.devices ? centroid_bytes(&job->source) : 8 * n * (3 * size + 1);
  if (job->backend->can.devices) return 8 * n * n;
  if (options->linkage == GPUGEO_LINKAGE_SINGLE) { /* the tree, and a tile that is read */
    const double side = fmin(n, GG_PAIRS_SIDE);
    return 100 * n + 8 * side * side;
  }
  return 8 * n * (n + 2 * threads);
}

/* Checks everything, chooses the backend, and opens the source. */
static gpugeo_status open_job(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                              job *job, gpugeo_error *error) {
  gg_dist_source *source = &job->source;
  gpugeo_status status = gg_dist_source_open(argument, d, &options->metric, options->points,
                                             &options->run, false, source, error);
  if (!status) status = check_options(options, source->n, error);
  if (!status) status = choose_centroids(options, job, error);
  if (!status) status = choose_backend(options, job, error);
  if (status) return status;
  /* 40 bytes for each point and its merge, and as much again for lists of clusters. */
  const double rest =
      200 * (double)source->n + gg_dist_source_working(source, source->n, source->n);
  const double matrix = matrix_bytes(job, options);
  status = gg_check_work(&options->run, matrix + rest, error, "the clustering of %lld points",
                         (long long)source->n);
  if (status) return status;
  return gg_check_memory(job->backend->can.devices ? rest : matrix + rest, argument, error,
                         "the clustering of %lld points needs", (long long)source->n);
}

gpugeo_status gpugeo_hclust_size(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                                 int64_t *points, gpugeo_error *error) {
  gpugeo_hclust_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hclust_options, options, taken, error);
  if (status) return status;
  job job;
  status = open_job(d, options, &job, error);
  *points = job.source.n;
  gg_dist_source_close(&job.source);
  return status;
}

/* --- The call ----------------------------------------------------------------------------------
 */

/* Returns the plan of the call for its backend. */
static gg_hclust_plan make_plan(const job *job, const gpugeo_hclust_options *options) {
  const double n = (double)job->source.n;
  return (gg_hclust_plan){
      .source = &job->source,
      .name = argument,
      .n = job->source.n,
      .linkage = options->linkage,
      .squared = options->linkage == GPUGEO_LINKAGE_WARD_D2 ||
                 (!gg_linkage_is_reducible(options->linkage) && options->squared),
      .centroids = job->centroids,
      .members = options->members,
      .threads = gg_threads_for(options->run.threads, 50 * n * n), /* 5 ns for each pair */
      .device = job->device,
      .workers = job->workers,
      .trees = gg_trees_use(),
  };
}

/* Plans the points where the backend needs them and clusters. */
static gpugeo_status run_backend(const job *job, const gpugeo_hclust_options *options,
                                 gg_merge *merges, gg_clock *clock, gpugeo_report *report,
                                 gpugeo_error *error) {
  gg_hclust_plan plan = make_plan(job, options);
  gg_dist_plan points;
  gg_dist_memory memory = {0};
  gpugeo_status status = GPUGEO_OK;
  *report = gg_report_of(job->backend, job->device, job->workers, plan.threads);
  const bool on_device = job->backend->can.devices && job->source.kind == GG_DIST_SOURCE_POINTS;
  if (on_device || job->centroids || takes_tree(&job->source, options)) {
    status = gg_dist_source_plan(&job->source, job->backend, job->device, &points, &memory, clock,
                                 report, error);
    plan.points = &points;
  }
  if (!status) status = job->backend->hclust(&plan, merges, clock, report, error);
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  gg_dist_memory_free(&memory);
  return status;
}

/* Starts the source, chooses the CPU where its trees are faster, clusters and sorts the merges. */
static gpugeo_status cluster(job *job, const gpugeo_hclust_options *options, gg_merge *merges,
                             gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  gg_dist_source_choose(&job->source, job->backend, job->device);
  gpugeo_status status = gg_dist_source_start(&job->source, clock, error);
  if (!status && takes_tree(&job->source, options) && gg_pairs_prefer_host(&job->source)) {
    job->backend = gg_host_backend();
    job->device = -1;
  }
  if (!status) status = run_backend(job, options, merges, clock, report, error);
  return status ? status : gg_merges_sort(merges, job->source.n, options->linkage, clock, error);
}

gpugeo_status gpugeo_hclust(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                            int32_t *merge, double *height, int32_t *order, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_report unread;
  if (!report) report = &unread;
  gpugeo_hclust_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hclust_options, options, taken, error);
  if (status) return status;
  job job;
  status = open_job(d, options, &job, error);
  if (!status) {
    gg_clock clock;
    gg_clock_start(&clock, &options->run);
    const int64_t n = job.source.n;
    gg_merge *merges = gg_allocate(n, sizeof *merges);
    status = merges ? cluster(&job, options, merges, &clock, report, error)
                    : gg_fail_memory(error, n * (int64_t)sizeof *merges);
    if (!status) status = gg_merges_number(merges, n, merge, order, &clock, error);
    for (int64_t k = 0; !status && k < n - 1; ++k)
      height[k] = merges[k].height;
    gg_free(merges);
    report->seconds = gg_now() - clock.start;
  }
  gg_dist_source_close(&job.source);
  return status;
}
