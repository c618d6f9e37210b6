/* Hierarchical clustering: checks the arguments, plans, and numbers the merges that a backend has
   found. */
#include "cluster/hclust.h"

#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/options.h"

void gpugeo_hclust_options_init(gpugeo_hclust_options *options, size_t size) {
  gpugeo_hclust_options defaults = {.linkage = GPUGEO_LINKAGE_COMPLETE, .metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* --- Arguments ---------------------------------------------------------------------------------
 */

static const char *const argument = "d";

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
  return check_members(options, n, error);
}

/* Returns the bytes of working memory: the matrix, and 40 bytes for each point and its merge; or of
   the tree of points. */
static double working_bytes(const gg_dist_source *source, const gpugeo_hclust_options *options) {
  const double n = (double)source->n, threads = gg_threads(options->run.threads);
  const bool single = options->linkage == GPUGEO_LINKAGE_SINGLE;
  if (single && gg_single_needs_no_matrix(source))
    return 300 * n + gg_dist_source_working(source, 1024, 1024);
  const double matrix = single ? source->condensed ? 0 : 4 * n * n : 8 * n * (n + 3 * threads);
  return matrix + 160 * n + gg_dist_source_working(source, source->n, source->n);
}

/* Checks everything, and opens the source. */
static gpugeo_status open_source(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  gpugeo_status status = gg_dist_source_open(argument, d, &options->metric, options->points,
                                             &options->run, source, error);
  if (!status) status = check_options(options, source->n, error);
  if (status) return status;
  const double bytes = working_bytes(source, options);
  status = gg_check_work(&options->run, bytes, error, "the clustering of %lld points",
                         (long long)source->n);
  if (status) return status;
  return gg_check_memory(bytes, argument, error, "the clustering of %lld points needs",
                         (long long)source->n);
}

gpugeo_status gpugeo_hclust_size(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                                 int64_t *points, gpugeo_error *error) {
  gpugeo_hclust_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hclust_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(d, options, &source, error);
  *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

/* --- The call ----------------------------------------------------------------------------------
 */

static gg_hclust_plan make_plan(const gg_dist_source *source,
                                const gpugeo_hclust_options *options) {
  const double n = (double)source->n;
  return (gg_hclust_plan){
      .source = source,
      .name = argument,
      .n = source->n,
      .linkage = options->linkage,
      .squared = options->linkage == GPUGEO_LINKAGE_WARD_D2 ||
                 (!gg_linkage_is_reducible(options->linkage) && options->squared),
      .members = options->members,
      .threads = gg_threads_for(options->run.threads, 50 * n * n) /* 5 ns for each pair */
  };
}

static gpugeo_status cluster(gg_dist_source *source, const gpugeo_hclust_options *options,
                             gg_merge *merges, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error) {
  const double n = (double)source->n;
  const gg_request request = {.family = GG_FAMILY_HCLUST, .work = 10 * n * n, .bytes = 8 * n * n};
  const gg_backend *backend;
  int32_t device;
  gpugeo_status status = gg_backend_choose(&options->run, &request, &backend, &device, error);
  if (!status) status = gg_dist_source_start(source, clock, error);
  if (status) return status;
  const gg_hclust_plan plan = make_plan(source, options);
  *report = gg_report_of(backend, device, 1, plan.threads);
  status = backend->hclust(&plan, merges, clock, report, error);
  return status ? status : gg_merges_sort(merges, source->n, options->linkage, error);
}

gpugeo_status gpugeo_hclust(const gpugeo_distances *d, const gpugeo_hclust_options *options,
                            int32_t *merge, double *height, int32_t *order, gpugeo_report *report,
                            gpugeo_error *error) {
  gpugeo_report unread;
  if (!report) report = &unread;
  gpugeo_hclust_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(hclust_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(d, options, &source, error);
  if (!status) {
    gg_clock clock;
    gg_clock_start(&clock, &options->run);
    const int64_t n = source.n;
    gg_merge *merges = gg_allocate(n, sizeof *merges);
    status = merges ? cluster(&source, options, merges, &clock, report, error)
                    : gg_fail_memory(error, n * (int64_t)sizeof *merges);
    if (!status) status = gg_merges_number(merges, n, merge, order, error);
    for (int64_t k = 0; !status && k < n - 1; ++k)
      height[k] = merges[k].height;
    gg_free(merges);
    report->seconds = gg_now() - clock.start;
  }
  gg_dist_source_close(&source);
  return status;
}
