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
#include "common/option_table.h"
#include "common/options.h"
#include "common/test_hooks.h"
#include "distance/distance_call.h"
#include "distance/metric_params.h"

GG_OPTIONS_INIT(hclust, .linkage = GPUGEO_LINKAGE_COMPLETE, .metric = GG_DEFAULT_METRIC)

static const gg_option option_rows[] = {
    {GG_OPTION("linkage", CHOICE, gpugeo_hclust_options, linkage), .choices = GPUGEO_ENUM_LINKAGE},
    {GG_OPTION_ARRAY("members", DOUBLES, gpugeo_hclust_options, members, members_length)},
    {GG_OPTION("squared", FLAG, gpugeo_hclust_options, squared)},
};

GG_DEFINE_OPTIONS(hclust, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

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
  return gg_check_choice(&options->run, GG_FAMILY_HCLUST, (int)options->linkage, error,
                         "for the method \"%s\"",
                         gpugeo_name(GPUGEO_ENUM_LINKAGE, options->linkage));
}

/* Checks the linkage and the members. */
static gpugeo_status check_options(const gpugeo_hclust_options *options, int64_t n,
                                   gpugeo_error *error) {
  if (options->linkage < 0 || options->linkage >= GPUGEO_LINKAGE_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "linkage",
                   "linkage must be between 0 and %d, not %d", GPUGEO_LINKAGE_COUNT - 1,
                   (int)options->linkage);
  const gpugeo_status status = check_linkage(options, error);
  return status ? status : check_members(options, n, error);
}

/* --- The backend ------------------------------------------------------------------------------ */

/* A call, and how it is computed. */
typedef struct job {
  gg_distance_call call;
  const gpugeo_hclust_options *options;
  bool centroids; /* instead of distances */
} job;

/* True if the source has points with at least one coordinate. */
static bool has_coordinates(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS && !gg_dist_source_is_empty(source);
}

/* True if single linkage takes the tree of points: distances are doubles then. */
static bool takes_tree(const job *job) {
  const gpugeo_hclust_options *options = job->options;
  return options->linkage == GPUGEO_LINKAGE_SINGLE && has_coordinates(&job->call.source) &&
         options->run.precision == GPUGEO_PRECISION_DOUBLE;
}

/* Up to the limit of stats::hclust(), distances are always stored in a matrix: all sources of
   distances then give the same bits. */
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
static gpugeo_status choose_centroids(job *job) {
  const gpugeo_hclust_options *options = job->options;
  const gg_dist_source *source = &job->call.source;
  const int64_t from = centroids_from ? centroids_from : most_in_matrix + 1;
  int found = 0;
  if (job->call.base.status || source->n < from || !has_coordinates(source) || options->members ||
      options->run.precision != GPUGEO_PRECISION_DOUBLE || !is_ward(options))
    return job->call.base.status;
  gg_find_flags(&source->x, &source->options, &found, &job->call.base);
  job->centroids = !(found & (GG_HAS_MISSING | GG_HAS_INFINITE | GG_HAS_HUGE));
  return job->call.base.status;
}

/* Returns the bytes of centroids on a device: twice, as they are copied to remove some, and rounded
   ones with lists of pairs. */
static double centroid_bytes(const gg_dist_source *source) {
  const double size = (double)gg_point_size(&source->x, source->options.points);
  return (double)source->n * (44 * size + 980);
}

/* True if the matrix may be divided among devices. */
static bool is_divisible(const job *job) {
  return !job->centroids && job->options->linkage != GPUGEO_LINKAGE_SINGLE &&
         !gg_dist_source_is_empty(&job->call.source);
}

/* Chooses the backend. */
static gpugeo_status choose_backend(job *job) {
  const gg_dist_source *source = &job->call.source;
  const double n = (double)source->n, rest = (double)((int64_t)1 << 30);
  const bool tree = takes_tree(job);
  const double resident = tree             ? gg_dist_source_link_bytes(source) + 300 * n
                          : job->centroids ? centroid_bytes(source)
                                           : 8 * n * n;
  const gg_request request = {.family = GG_FAMILY_HCLUST,
                              .algorithm = (int)job->options->linkage,
                              .sparse = gg_dist_source_is_sparse(source),
                              .work = 50 * n * n, /* 5 ns for each pair */
                              .bytes = gg_dist_source_link_bytes(source),
                              /* Of rounds: 18 us of an H200, one for each 10 points at most of
                                 2,000 to 12,000 normal points of 50 coordinates. */
                              .latency = tree ? 0 : 2e-6 * n,
                              .resident = tree ? resident : resident + rest,
                              .alone = true};
  return gg_distance_call_choose(&job->call, &request, is_divisible(job) ? resident : 0);
}

/* Returns the bytes of the working matrix, or of what replaces it. */
static double matrix_bytes(const job *job) {
  const gg_dist_source *source = &job->call.source;
  const double n = (double)source->n, threads = gg_threads(job->options->run.threads);
  const double size = (double)gg_point_size(&source->x, source->options.points);
  if (takes_tree(job)) return 100 * n; /* of the tree */
  if (job->centroids)
    return job->call.backend->can.devices ? centroid_bytes(source) : 8 * n * (3 * size + 1);
  if (job->call.backend->can.devices) return 8 * n * n;
  if (job->options->linkage == GPUGEO_LINKAGE_SINGLE) { /* the tree, and a tile that is read */
    const double side = fmin(n, GG_READ_SIDE);
    return 100 * n + 8 * side * side;
  }
  return 8 * n * (n + 2 * threads);
}

/* Checks the working memory and that of the host. */
static gpugeo_status check_memory(job *job) {
  const gg_dist_source *source = &job->call.source;
  gg_call *base = &job->call.base;
  if (base->status) return base->status;
  /* 40 bytes for each point and its merge, and as much again for lists of clusters. */
  const double rest =
      200 * (double)source->n + gg_dist_source_working(source, source->n, source->n);
  const double matrix = matrix_bytes(job);
  GG_TRY(base, gg_check_work(base->run, matrix + rest, base->error, "the clustering of %lld points",
                             (long long)source->n));
  return GG_TRY(base, gg_check_memory(job->call.backend->can.devices ? rest : matrix + rest,
                                      job->call.name, base->error,
                                      "the clustering of %lld points needs", (long long)source->n));
}

/* --- The call --------------------------------------------------------------------------------- */

/* Returns the plan of the call for its backend. */
static gg_hclust_plan make_plan(const job *job) {
  const gg_distance_call *call = &job->call;
  const gpugeo_hclust_options *options = job->options;
  const double n = (double)call->source.n;
  return (gg_hclust_plan){
      .source = &call->source,
      .name = call->name,
      .n = call->source.n,
      .linkage = options->linkage,
      .squared = options->linkage == GPUGEO_LINKAGE_WARD_D2 ||
                 (!gg_linkage_is_reducible(options->linkage) && options->squared),
      .centroids = job->centroids,
      .members = options->members,
      .threads = gg_threads_for(options->run.threads, 50 * n * n), /* 5 ns for each pair */
      .device = call->device,
      .workers = call->workers,
      .trees = gg_trees_use(),
  };
}

/* Starts the source, leaves the call to the CPU where its trees are faster, clusters and sorts the
   merges. */
static gpugeo_status cluster(job *job, gg_merge *merges) {
  gg_distance_call *call = &job->call;
  gg_call *base = &call->base;
  if (gg_distance_call_start(call)) return base->status;
  const bool tree = takes_tree(job);
  if (tree && gg_pairs_prefer_host(&call->source)) gg_distance_call_take_host(call);
  gg_hclust_plan plan = make_plan(job);
  gg_distance_call_report(call, plan.threads);
  gg_distance_call_plan(call, job->centroids || tree, &plan.points);
  GG_TRY(base, call->backend->hclust(&plan, merges, base));
  return gg_merges_sort(merges, plan.n, plan.linkage, base);
}

gpugeo_status gpugeo_hclust(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                            int32_t *merge, double *height, int32_t *order, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_hclust_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hclust_options, options, taken, error);
  if (status) return status;
  const gg_distance_limits limits = {GG_FAMILY_HCLUST, 2, (int64_t)1 << 30,
                                     .purpose = " to cluster"};
  job job = {.call = GG_DISTANCE_CALL("d", d, options, report, error), .options = options};
  gg_call *base = &job.call.base;
  gg_distance_call_open(&job.call, &limits);
  const int64_t n = job.call.source.n;
  GG_TRY(base, check_options(options, n, error));
  choose_centroids(&job);
  choose_backend(&job);
  check_memory(&job);
  gg_merge *merges = gg_call_allocate(base, n, sizeof *merges);
  cluster(&job, merges);
  gg_merges_number(merges, n, merge, order, base);
  for (int64_t k = 0; !base->status && k < n - 1; ++k)
    height[k] = merges[k].height;
  gg_free(merges);
  return gg_distance_call_close(&job.call);
}
