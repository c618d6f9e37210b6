/* Mantel tests: checks the arguments, has a backend add up the products of standardized distances,
   and makes correlations of them. */
#include "ordination/mantel.h"

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "dist/dist_device.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum { SIDES = GG_MANTEL_SIDES };
static const char *const side_names[SIDES] = {"x", "y", "z"};

void gpugeo_mantel_options_init(gpugeo_mantel_options *options, size_t size) {
  gpugeo_mantel_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* What a call works with. */
typedef struct job {
  const gpugeo_mantel_options *options;
  gg_mantel_plan plan;
  const gg_backend *backend;
  gg_dist_source source[SIDES]; /* as opened */
  double *copy[SIDES];          /* distances that were read from another device; else NULL */
  gg_dist_plan points[SIDES];
  gg_dist_memory memory[SIDES];
  double yz;
  gg_clock clock;
  gpugeo_report *report;
} job;

/* Checks the memory for distances that are not in memory yet, ranks and the working memory. */
static gpugeo_status check_memory(const job *j, gpugeo_error *error) {
  const int64_t work = j->options->run.work_bytes;
  const double n = (double)j->plan.n, pairs = n * (n - 1) / 2;
  const double most = (double)(work ? work : GG_WORK_BYTES), all = 24 * pairs; /* keys of ranks */
  double stored = 0;
  for (int s = 0; s < j->plan.sides; ++s)
    stored += j->source[s].kind != GG_DIST_SOURCE_CONDENSED;
  if (j->plan.ranked && stored > 1) stored = 1; /* they are freed when their ranks are made */
  const double bytes = 8 * stored + (j->plan.ranked ? 4 * j->plan.sides : 0);
  return gg_check_memory(bytes * pairs + 256 * n + (all < most ? all : most), "", error,
                         "a test of %lld points needs", (long long)j->plan.n);
}

/* Checks the method and opens the distances of all sides. */
static gpugeo_status open_sides(job *j, const gpugeo_distances *const *given, gpugeo_error *error) {
  const gpugeo_mantel_options *o = j->options;
  gpugeo_status status = GPUGEO_OK;
  if (o->method == GPUGEO_COR_METHOD_KENDALL)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                   "method must be \"pearson\" or \"spearman\", not \"kendall\", which would "
                   "compare n^4 / 8 pairs of distances for each permutation");
  if (o->method != GPUGEO_COR_METHOD_PEARSON && o->method != GPUGEO_COR_METHOD_SPEARMAN)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method", "method must be 0 or 1, not %d",
                   (int)o->method);
  for (int s = 0; !status && s < j->plan.sides; ++s) {
    status = gg_tested_open(side_names[s], given[s], &o->metric, o->points, &o->run,
                            GG_FAMILY_MANTEL, 0, &j->source[s], error);
    const int64_t n = j->source[s].n, most = GG_RANKS_POINTS;
    if (s == 0) j->plan.n = n;
    if (!status && n != j->plan.n)
      status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                       "%s must have as many points as x, %lld, not %lld", side_names[s],
                       (long long)j->plan.n, (long long)n);
    if (!status && n > most)
      status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                       "%s must have at most %lld points, not %lld", side_names[s], (long long)most,
                       (long long)n);
  }
  return status ? status : check_memory(j, error);
}

/* True if a side is points without coordinates: all distances are then missing, which is an error
   anywhere. */
static bool is_without_coordinates(const gg_dist_source *source) {
  return source->kind == GG_DIST_SOURCE_POINTS &&
         gg_point_size(&source->x, source->options.points) == 0;
}

/* Chooses the backend by the number of products and the memory of the sides. */
static gpugeo_status choose_backend(job *j, gpugeo_error *error) {
  const gpugeo_run *run = &j->options->run;
  const int sides = j->plan.sides;
  const double n = (double)j->plan.n, rest = (double)((int64_t)1 << 30);
  const double products = n * n / 2 * (1 + (double)j->plan.permutations) * (sides - 1);
  gg_request request = {.family = GG_FAMILY_MANTEL,
                        .work = products,
                        .resident = (4 * sides + 8) * n * n + rest,
                        .alone = true};
  bool empty = false;
  for (int s = 0; s < sides; ++s) {
    request.bytes += gg_dist_source_link_bytes(&j->source[s]);
    request.sparse =
        request.sparse || (j->source[s].kind == GG_DIST_SOURCE_POINTS && j->source[s].x.sparse);
    empty = empty || is_without_coordinates(&j->source[s]);
  }
  int32_t device;
  const gpugeo_status status = gg_backend_choose(run, &request, &j->backend, &device, error);
  if (status) return status;
  if (empty) j->backend = gg_host_backend();
  j->plan.device =
      j->backend->can.devices ? gg_dist_source_device(&j->source[0], j->backend, device) : -1;
  j->plan.threads = gg_threads_for(run->threads, 5 * products);
  *j->report = gg_report_of(j->backend, j->plan.device, 1, j->plan.threads);
  return GPUGEO_OK;
}

/* Reads distances that are on a device, but not on that of the call. */
static gpugeo_status copy_from_device(job *j, int s, gpugeo_error *error) {
  gg_dist_source *source = &j->plan.source[s];
  const int64_t pairs = j->plan.n * (j->plan.n - 1) / 2;
  j->copy[s] = gg_allocate_large(pairs, sizeof *j->copy[s]);
  if (!j->copy[s]) return gg_fail_memory(error, pairs * (int64_t)sizeof *j->copy[s]);
  const gpugeo_status status =
      gg_dist_source_condensed(source, j->copy[s], &j->clock, 0, 0, j->report, error);
  source->kind = GG_DIST_SOURCE_CONDENSED;
  source->condensed = j->copy[s];
  source->on_device = NULL;
  return status;
}

/* Prepares a side for the backend. */
static gpugeo_status plan_side(job *j, int s, gpugeo_error *error) {
  gg_dist_source_choose(&j->source[s], j->backend, j->plan.device);
  gpugeo_status status = gg_dist_source_start(&j->source[s], &j->clock, error);
  if (status) return status;
  const gg_dist_source *source = &j->source[s];
  j->plan.source[s] = *source;
  if (!j->backend->can.devices) return GPUGEO_OK;
  const gpugeo_dist_device *there = source->on_device;
  if (there && (there->backend != j->backend || there->device != j->plan.device))
    return copy_from_device(j, s, error);
  if (source->kind != GG_DIST_SOURCE_POINTS) return GPUGEO_OK;
  status = gg_dist_source_plan(source, j->backend, j->plan.device, &j->points[s], &j->memory[s],
                               &j->clock, j->report, error);
  j->plan.points[s] = &j->points[s];
  return status;
}

/* Returns r, limited to -1 to 1 against rounding. */
static double limited(double r) { return r > 1 ? 1 : r < -1 ? -1 : r; }

/* Writes the correlations, or the partial ones. */
static void finish(const job *j, double *statistic) {
  const int64_t all = 1 + j->plan.permutations;
  const double yz = limited(j->yz);
  for (int64_t k = 0; k < all; ++k) {
    statistic[k] = limited(j->plan.sums[k]);
    if (j->plan.sides < SIDES) continue;
    const double xz = limited(j->plan.sums[all + k]);
    statistic[k] = (statistic[k] - xz * yz) / sqrt(1 - xz * xz) / sqrt(1 - yz * yz);
  }
}

/* Checks the permutations and computes all statistics on the chosen backend. */
static gpugeo_status compute(job *j, double *statistic, gpugeo_error *error) {
  const int32_t threads = j->options->run.threads;
  const int64_t sums = (j->plan.sides - 1) * (1 + j->plan.permutations);
  gpugeo_status status =
      gg_check_order(j->plan.order, j->plan.n, j->plan.permutations, threads, error);
  if (status) return status;
  j->plan.sums = gg_allocate(sums, sizeof *j->plan.sums);
  if (!j->plan.sums) return gg_fail_memory(error, sums * (int64_t)sizeof *j->plan.sums);
  status = choose_backend(j, error);
  for (int s = 0; !status && s < j->plan.sides; ++s)
    status = plan_side(j, s, error);
  if (!status) status = j->backend->mantel(&j->plan, &j->clock, j->report, error);
  if (!status) finish(j, statistic);
  j->report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  return status;
}

/* Closes the sides and frees their copies and the sums. */
static void release(job *j) {
  for (int s = 0; s < j->plan.sides; ++s) {
    gg_dist_source_close(&j->source[s]);
    gg_dist_memory_free(&j->memory[s]);
    gg_free(j->copy[s]);
  }
  gg_free(j->plan.sums);
}

gpugeo_status gpugeo_mantel(const gpugeo_distances *x, const gpugeo_distances *y,
                            const gpugeo_distances *z, const gpugeo_mantel_options *options,
                            const int32_t *order, int64_t permutations, double *statistic,
                            gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mantel_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mantel_options, options, taken, error);
  if (status) return status;
  const gpugeo_distances *const given[SIDES] = {x, y, z};
  gpugeo_report unread;
  if (!report) report = &unread;
  job j = {.options = options, .report = report};
  j.plan = (gg_mantel_plan){.sides = z ? SIDES : 2,
                            .name = side_names,
                            .ranked = options->method == GPUGEO_COR_METHOD_SPEARMAN,
                            .order = order,
                            .permutations = permutations,
                            .yz = &j.yz,
                            .work_bytes = options->run.work_bytes};
  status = open_sides(&j, given, error);
  gg_clock_start(&j.clock, &options->run);
  if (!status) status = compute(&j, statistic, error);
  release(&j);
  j.report->seconds = gg_now() - j.clock.start;
  return status;
}
