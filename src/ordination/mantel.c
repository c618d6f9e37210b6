/* Mantel tests: checks the arguments, has a backend add up the products of standardized distances,
   and makes correlations of them. */
#include "ordination/mantel.h"

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "distance/dist_device.h"
#include "distance/distance_call.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum { SIDES = GG_MANTEL_SIDES };
static const char *const side_names[SIDES] = {"x", "y", "z"};

GG_OPTIONS_INIT(mantel, .metric = GG_DEFAULT_METRIC)

static const gg_option option_rows[] = {
    {GG_OPTION("method", CHOICE, gpugeo_mantel_options, method), .octave = "type",
     .choices = GPUGEO_ENUM_MANTEL_METHOD},
};

GG_DEFINE_OPTIONS(mantel, option_rows);

/* What a call works with. The first side has the call's clock, report, status and backend. */
typedef struct job {
  const gpugeo_mantel_options *options;
  gg_mantel_plan plan;
  gg_distance_call side[SIDES];
  double *copy[SIDES]; /* distances that were read from another device; else NULL */
  double yz;
} job;

/* Checks the memory for distances that are not in memory yet, ranks and the working memory. */
static gpugeo_status check_memory(const job *j, gpugeo_error *error) {
  const int64_t work = j->options->run.work_bytes;
  const double n = (double)j->plan.n, pairs = n * (n - 1) / 2;
  const double most = (double)(work ? work : GG_WORK_BYTES), all = 24 * pairs; /* keys of ranks */
  double stored = 0;
  for (int s = 0; s < j->plan.sides; ++s)
    stored += j->side[s].source.kind != GG_DIST_SOURCE_CONDENSED;
  if (j->plan.ranked && stored > 1) stored = 1; /* they are freed when their ranks are made */
  const double bytes = 8 * stored + (j->plan.ranked ? 4 * j->plan.sides : 0);
  return gg_check_memory(bytes * pairs + 256 * n + (all < most ? all : most), "", error,
                         "a test of %lld points needs", (long long)j->plan.n);
}

/* Checks the method. */
static gpugeo_status check_method(gpugeo_cor_method method, gpugeo_error *error) {
  if (method == GPUGEO_COR_METHOD_PEARSON || method == GPUGEO_COR_METHOD_SPEARMAN) return GPUGEO_OK;
  if (method == GPUGEO_COR_METHOD_KENDALL)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method",
                   "method must be \"pearson\" or \"spearman\", not \"kendall\", which would "
                   "compare n^4 / 8 pairs of distances for each permutation");
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "method", "method must be 0 or 1, not %d",
                 (int)method);
}

/* Opens the distances of a side, which must have as many points as the first one. */
static gpugeo_status open_side(job *j, int s) {
  const gg_distance_limits limits = {GG_FAMILY_MANTEL, .least = 2, .most = INT32_MAX};
  const int64_t most = GG_RANKS_POINTS;
  gg_distance_call *side = &j->side[s];
  gg_call *base = &side->base;
  gg_distance_call_open(side, &limits);
  const int64_t n = side->source.n;
  GG_TRY(base, gg_tested_check_memory(&side->source, 0, base->error));
  if (s == 0) j->plan.n = n;
  if (n != j->plan.n)
    GG_TRY(base, gg_fail(base->error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                         "%s must have as many points as x, %lld, not %lld", side_names[s],
                         (long long)j->plan.n, (long long)n));
  if (n > most)
    GG_TRY(base, gg_fail(base->error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                         "%s must have at most %lld points, not %lld", side_names[s],
                         (long long)most, (long long)n));
  return base->status;
}

/* Chooses the backend by the number of products and the memory of the sides. */
static gpugeo_status choose_backend(job *j) {
  const int sides = j->plan.sides;
  const double n = (double)j->plan.n, rest = (double)((int64_t)1 << 30);
  const double products = n * n / 2 * (1 + (double)j->plan.permutations) * (sides - 1);
  gg_distance_call *first = &j->side[0];
  gg_request request = {.family = GG_FAMILY_MANTEL,
                        .work = products,
                        .resident = (4 * sides + 8) * n * n + rest,
                        .alone = true};
  bool host = false;
  for (int s = 0; s < sides; ++s) {
    const gg_dist_source *source = &j->side[s].source;
    request.bytes += gg_dist_source_link_bytes(source);
    request.sparse = request.sparse || gg_dist_source_is_sparse(source);
    host = host || gg_dist_source_needs_host(source);
  }
  if (gg_distance_call_choose(first, &request, 0)) return first->base.status;
  if (host) gg_distance_call_take_host(first);
  j->plan.device = first->device;
  j->plan.threads = gg_threads_for(j->options->run.threads, 5 * products);
  gg_distance_call_report(first, j->plan.threads);
  return GPUGEO_OK;
}

/* Reads distances that are on a device, but not on that of the call. */
static gpugeo_status copy_from_device(job *j, int s) {
  gg_dist_source *source = &j->plan.source[s];
  gg_call *call = &j->side[0].base;
  const int64_t pairs = j->plan.n * (j->plan.n - 1) / 2;
  j->copy[s] = gg_allocate_large(pairs, sizeof *j->copy[s]);
  if (!j->copy[s])
    return GG_TRY(call, gg_fail_memory(call->error, pairs * (int64_t)sizeof *j->copy[s]));
  gg_dist_source_condensed(source, j->copy[s], 0, 0, call);
  source->kind = GG_DIST_SOURCE_CONDENSED;
  source->condensed = j->copy[s];
  source->on_device = NULL;
  return call->status;
}

/* Prepares a side for the backend. */
static gpugeo_status plan_side(job *j, int s) {
  gg_distance_call *side = &j->side[s];
  const gg_backend *backend = side->backend = j->side[0].backend;
  side->device = j->plan.device;
  side->workers = 1;
  if (gg_distance_call_start(side)) return side->base.status;
  j->plan.source[s] = side->source;
  const gpugeo_dist_device *there = side->source.on_device;
  if (backend->can.devices && there &&
      (there->backend != backend || there->device != j->plan.device))
    return copy_from_device(j, s);
  return gg_distance_call_plan(side, false, &j->plan.points[s]);
}

/* Returns r, limited to -1 to 1 against rounding. */
static double limited(double r) { return r > 1 ? 1 : r < -1 ? -1 : r; }

/* Writes the correlations, or the partial ones. */
static void write_correlations(const job *j, double *statistic) {
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
static gpugeo_status compute_statistics(job *j, double *statistic) {
  const int64_t sums = (j->plan.sides - 1) * (1 + j->plan.permutations);
  gg_distance_call *first = &j->side[0];
  gg_call *call = &first->base;
  GG_TRY(call, gg_check_order(j->plan.order, j->plan.n, j->plan.permutations, call->run->threads,
                              call->error));
  j->plan.sums = gg_call_allocate(call, sums, sizeof *j->plan.sums);
  choose_backend(j);
  for (int s = 0; !call->status && s < j->plan.sides; ++s)
    call->status = plan_side(j, s);
  GG_TRY(call, first->backend->mantel(&j->plan, call));
  if (!call->status) write_correlations(j, statistic);
  return call->status;
}

gpugeo_status gpugeo_mantel(const gpugeo_distances *x, const gpugeo_distances *y,
                            const gpugeo_distances *z, const gpugeo_mantel_options *options,
                            const int32_t *order, int64_t permutations, double *statistic,
                            gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mantel_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mantel_options, options, taken, error);
  if (status) return status;
  const gpugeo_distances *const given[SIDES] = {x, y, z};
  job j = {.options = options};
  j.plan = (gg_mantel_plan){.sides = z ? SIDES : 2,
                            .name = side_names,
                            .ranked = options->method == GPUGEO_COR_METHOD_SPEARMAN,
                            .order = order,
                            .permutations = permutations,
                            .yz = &j.yz,
                            .work_bytes = options->run.work_bytes};
  status = check_method(options->method, error);
  int opened = 0;
  for (; !status && opened < j.plan.sides; ++opened) {
    j.side[opened] = (gg_distance_call)GG_DISTANCE_CALL(side_names[opened], given[opened], options,
                                                        report, error);
    status = open_side(&j, opened);
  }
  if (!status) status = check_memory(&j, error);
  if (!status) status = compute_statistics(&j, statistic);
  while (opened-- > 0) /* the first side at last, whose clock is that of the call */
    gg_distance_call_close(&j.side[opened]);
  for (int s = 0; s < SIDES; ++s)
    gg_free(j.copy[s]);
  gg_free(j.plan.sums);
  return status;
}
