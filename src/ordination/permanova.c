/* Sums of squares of distances under permutations: checks the arguments, plans, and passes the plan
   to a backend. */
#include <math.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"

void gpugeo_permanova_options_init(gpugeo_permanova_options *options, size_t size) {
  gpugeo_permanova_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* --- Arguments ---------------------------------------------------------------------------------
 */

static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_permanova_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  *source = (gg_dist_source){.n = 0};
  gpugeo_status status = gg_check_family(&options->run, GG_FAMILY_PERMUTED_SUMS, error);
  if (!status)
    status = gg_dist_source_open("x", x, &options->metric, options->points, &options->run, source,
                                 error);
  if (status) return status;
  if (source->n < 2 || source->n > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have 2 to %d points, not %lld",
                   INT32_MAX, (long long)source->n);
  const double working = gg_dist_source_working(source, 1024, 1024);
  return gg_check_memory(working + 256 * (double)source->n, "", error,
                         "the sums over %lld points need", (long long)source->n);
}

gpugeo_status gpugeo_permanova_size(const gpugeo_distances *x,
                                    const gpugeo_permanova_options *options, int64_t *points,
                                    gpugeo_error *error) {
  gpugeo_permanova_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(permanova_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

static gpugeo_status check_basis(const gpugeo_design *design, gpugeo_error *error) {
  if (design->columns < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "columns",
                   "columns must be a whole number of at least 0, not %lld",
                   (long long)design->columns);
  for (int64_t i = 0; i < design->points * design->columns; ++i)
    if (!isfinite(design->basis[i]))
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "basis",
                     "basis must be finite, but column %lld is %s for point %lld",
                     (long long)(i / design->points) + 1, gg_number(design->basis[i]).text,
                     (long long)(i % design->points) + 1);
  return GPUGEO_OK;
}

static gpugeo_status check_group(const gpugeo_design *design, gpugeo_error *error) {
  for (int64_t i = 0; i < design->points; ++i)
    if (design->group[i] < 0 || design->group[i] >= design->groups)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                     "group must have numbers of at least 0 and less than %lld, but that of point "
                     "%lld is %d",
                     (long long)design->groups, (long long)i + 1, design->group[i]);
  return GPUGEO_OK;
}

/* Checks that each permutation has every point once. `last` has room for a number of each point. */
static gpugeo_status check_order(const gpugeo_design *design, int64_t *last, gpugeo_error *error) {
  const int64_t n = design->points;
  for (int64_t i = 0; i < n; ++i)
    last[i] = -1;
  for (int64_t p = 0; p < design->permutations; ++p)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = design->order[i + p * n];
      if (at < 0 || at >= n || last[at] == p)
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                       "permutations must have each of the numbers 1 to %lld once, but "
                       "permutation %lld has %s%lld",
                       (long long)n, (long long)p + 1, at < 0 || at >= n ? "" : "two of ",
                       (long long)at + 1);
      last[at] = p;
    }
  return GPUGEO_OK;
}

static gpugeo_status check_design(const gpugeo_design *design, int64_t n, int64_t *last,
                                  gpugeo_error *error) {
  if (!design || (design->basis != NULL) + (design->group != NULL) != 1)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design", "design must have a basis or groups");
  for (size_t i = 0; i < sizeof design->reserved / sizeof *design->reserved; ++i)
    if (design->reserved[i])
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design", "design must have 0 in what is reserved");
  if (design->points != n)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "design",
                   "design must have a row for each of the %lld points, not %lld", (long long)n,
                   (long long)design->points);
  if (design->permutations < 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "permutations",
                   "permutations must be a whole number of at least 0, not %lld",
                   (long long)design->permutations);
  const gpugeo_status status = design->basis ? check_basis(design, error) : check_group(design, error);
  return status ? status : check_order(design, last, error);
}

/* --- The call ----------------------------------------------------------------------------------
 */

/* Writes 1 / (points in the group), 0 for none. */
static void weigh_groups(const gpugeo_design *design, double *weight) {
  for (int64_t g = 0; g < design->groups; ++g)
    weight[g] = 0;
  for (int64_t i = 0; i < design->points; ++i)
    ++weight[design->group[i]];
  for (int64_t g = 0; g < design->groups; ++g)
    if (weight[g] > 0) weight[g] = 1 / weight[g];
}

/* Makes sums of squares from sums over pairs: those of the model. */
static void finish(const gg_permuted_sums_plan *plan) {
  *plan->total /= (double)plan->n;
  for (int64_t k = 0; k < gg_permuted_sums_count(plan); ++k)
    plan->sums[k] = plan->basis ? -plan->sums[k] : *plan->total - plan->sums[k];
}

static gpugeo_status compute(gg_dist_source *source, gg_permuted_sums_plan *plan,
                             const gpugeo_run *run, gg_clock *clock, gpugeo_report *report,
                             gpugeo_error *error) {
  const double n = (double)plan->n, pairs = n * n / 2;
  const double work = pairs * (1 + 0.1 * (double)gg_permuted_sums_count(plan));
  const gg_request request = {.family = GG_FAMILY_PERMUTED_SUMS, .work = work, .bytes = 8 * pairs};
  const gg_backend *backend;
  int32_t device;
  gpugeo_status status = gg_backend_choose(run, &request, &backend, &device, error);
  if (!status) status = gg_dist_source_start(source, clock, error);
  if (status) return status;
  plan->threads = gg_threads_for(run->threads, work);
  plan->work_bytes = run->work_bytes;
  *report = gg_report_of(backend, device, 1, plan->threads);
  status = backend->permuted_sums(plan, clock, report, error);
  report->notes &= ~GPUGEO_NOTE_ZERO_DEVIATION; /* a warning of correlations only */
  if (!status) finish(plan);
  return status;
}

/* Checks the design and computes its sums. last and weight: room for the points and the groups. */
static gpugeo_status run_design(gg_dist_source *source, const gpugeo_permanova_options *options,
                                const gpugeo_design *design, int64_t *last, double *weight,
                                double *sums, double *total, gpugeo_report *report,
                                gpugeo_error *error) {
  gg_clock clock;
  gg_clock_start(&clock, &options->run);
  gpugeo_status status = check_design(design, source->n, last, error);
  if (status) return status;
  if (design->group) weigh_groups(design, weight);
  gg_permuted_sums_plan plan = {
      .source = source,
      .name = "x",
      .n = source->n,
      .value = options->root ? GG_PAIR_DISTANCE : GG_PAIR_SQUARE,
      .basis = design->basis,
      .group = design->group,
      .weight = weight,
      .columns = design->group ? 1 : design->columns,
      .order = design->order,
      .permutations = design->permutations,
      .sums = sums,
      .total = total,
  };
  status = compute(source, &plan, &options->run, &clock, report, error);
  report->seconds = gg_now() - clock.start;
  return status;
}

gpugeo_status gpugeo_permanova(const gpugeo_distances *x, const gpugeo_permanova_options *options,
                               const gpugeo_design *design, double *sums, double *total,
                               gpugeo_report *report, gpugeo_error *error) {
  gpugeo_permanova_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(permanova_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) {
    const int64_t groups = design && design->groups > 0 ? design->groups : 0;
    int64_t *last = gg_allocate(source.n, sizeof *last);
    double *weight = gg_allocate(groups, sizeof *weight);
    status = last && weight
                 ? run_design(&source, options, design, last, weight, sums, total,
                              report ? report : &unread, error)
                 : gg_fail_memory(error, (source.n + groups) * (int64_t)sizeof *last);
    gg_free(last);
    gg_free(weight);
  }
  gg_dist_source_close(&source);
  return status;
}
