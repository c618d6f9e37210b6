/* Mantel tests: checks the arguments, standardizes the distances, and has a backend add up the
   products. */
#include "ordination/mantel.h"

#include <math.h>

#include "common/context.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

enum { SIDES = 3 }; /* x, y and z */
static const char *const side_names[SIDES] = {"x", "y", "z"};
static const double side_share = 0.1; /* of the call's progress, each */

void gpugeo_mantel_options_init(gpugeo_mantel_options *options, size_t size) {
  gpugeo_mantel_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* What a call works with: up to three sources, and their distances, condensed. */
typedef struct job {
  const gpugeo_mantel_options *options;
  int sides;
  gg_dist_source source[SIDES];
  double *value[SIDES];
  double *square; /* x */
  double *sums;   /* 1 + permutations, or twice as many */
  int64_t n;
  gg_clock clock;
  gpugeo_report *report;
} job;

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
  for (int s = 0; !status && s < j->sides; ++s) {
    const double bytes = 40 + 8 * j->sides; /* x as a square, keys of ranks, each condensed */
    status = gg_tested_open(side_names[s], given[s], &o->metric, o->points, &o->run,
                            GG_FAMILY_MANTEL, bytes, &j->source[s], error);
    const int64_t n = j->source[s].n, most = GG_RANKS_POINTS;
    if (s == 0) j->n = n;
    if (!status && n != j->n)
      status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                       "%s must have as many points as x, %lld, not %lld", side_names[s],
                       (long long)j->n, (long long)n);
    if (!status && n > most)
      status = gg_fail(error, GPUGEO_ERROR_ARGUMENT, side_names[s],
                       "%s must have at most %lld points, not %lld", side_names[s], (long long)most,
                       (long long)n);
  }
  return status;
}

static gpugeo_status allocate(job *j, int64_t permutations, gpugeo_error *error) {
  const int64_t pairs = j->n * (j->n - 1) / 2, sums = (j->sides - 1) * (1 + permutations);
  bool there = true;
  for (int s = 0; s < j->sides; ++s) {
    j->value[s] = gg_allocate_large(pairs, sizeof *j->value[s]);
    there = there && j->value[s];
  }
  j->square = gg_allocate_large(j->n * j->n, sizeof *j->square);
  j->sums = gg_allocate(sums, sizeof *j->sums);
  if (there && j->square && j->sums) return GPUGEO_OK;
  return gg_fail_memory(error, (j->sides * pairs + j->n * j->n + sums) * (int64_t)sizeof(double));
}

static double sum_of(const double *value, int64_t count, double less) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k)
    sum += value[k] - less;
  return sum;
}

/* Gives values mean 0 and sum of squares 1; NaN if all are equal. */
static void standardize(double *value, int64_t count) {
  double mean = sum_of(value, count, 0) / (double)count, squares = 0;
  mean += sum_of(value, count, mean) / (double)count; /* what rounding had left */
  bool equal = true;
  for (int64_t k = 1; k < count; ++k)
    equal = equal && value[k] == value[0];
  for (int64_t k = 0; k < count; ++k) {
    value[k] -= mean;
    squares += value[k] * value[k];
  }
  const double norm = equal ? NAN : sqrt(squares);
  for (int64_t k = 0; k < count; ++k)
    value[k] /= norm;
}

/* Reads one side: its distances or their ranks, standardized. */
static gpugeo_status read_side(job *j, int s, gpugeo_error *error) {
  const int64_t pairs = j->n * (j->n - 1) / 2;
  gpugeo_status status =
      gg_tested_condensed(&j->source[s], side_names[s], false, j->value[s], &j->clock,
                          s * side_share, side_share, j->report, error);
  if (!status && j->options->method == GPUGEO_COR_METHOD_SPEARMAN)
    status = gg_rank_distances(j->value[s], pairs,
                               gg_threads_for(j->options->run.threads, 100 * (double)pairs), error);
  if (!status) standardize(j->value[s], pairs);
  return status;
}

static gpugeo_status add_products(job *j, const int32_t *order, int64_t permutations,
                                  gpugeo_error *error) {
  const gpugeo_run *run = &j->options->run;
  const double n = (double)j->n, products = n * n / 2 * (1 + (double)permutations) * (j->sides - 1);
  const gg_request request = {.family = GG_FAMILY_MANTEL, .work = products, .bytes = 16 * n * n};
  const gg_backend *backend;
  int32_t device;
  gpugeo_status status = gg_backend_choose(run, &request, &backend, &device, error);
  if (status) return status;
  const gg_mantel_plan plan = {.n = j->n,
                               .x = j->square,
                               .y = j->value[1],
                               .z = j->sides == SIDES ? j->value[2] : NULL,
                               .order = order,
                               .permutations = permutations,
                               .sums = j->sums,
                               .threads = gg_threads_for(run->threads, 5 * products),
                               .done = SIDES * side_share};
  *j->report = gg_report_of(backend, device, 1, plan.threads);
  return backend->mantel(&plan, &j->clock, j->report, error);
}

static double limited(double r) { return r > 1 ? 1 : r < -1 ? -1 : r; }

/* Writes the correlations, or the partial ones. */
static void finish(const job *j, int64_t permutations, double *statistic) {
  const int64_t all = 1 + permutations;
  double yz = 0;
  for (int64_t k = 0; j->sides == SIDES && k < j->n * (j->n - 1) / 2; ++k)
    yz += j->value[1][k] * j->value[2][k];
  yz = limited(yz);
  for (int64_t k = 0; k < all; ++k) {
    statistic[k] = limited(j->sums[k]);
    if (j->sides < SIDES) continue;
    const double xz = limited(j->sums[all + k]);
    statistic[k] = (statistic[k] - xz * yz) / sqrt(1 - xz * xz) / sqrt(1 - yz * yz);
  }
}

static gpugeo_status compute(job *j, const int32_t *order, int64_t permutations, double *statistic,
                             gpugeo_error *error) {
  gpugeo_status status = gg_check_order(order, j->n, permutations, j->options->run.threads, error);
  if (!status) status = allocate(j, permutations, error);
  for (int s = 0; !status && s < j->sides; ++s)
    status = read_side(j, s, error);
  if (status) return status;
  const gg_dist_source x = {.kind = GG_DIST_SOURCE_CONDENSED,
                            .n = j->n,
                            .options = j->source[0].options,
                            .condensed = j->value[0]};
  const double done = SIDES * side_share;
  status = gg_dist_source_square(&x, j->square, &j->clock, done, 0, j->report, error);
  if (!status) status = add_products(j, order, permutations, error);
  if (!status) finish(j, permutations, statistic);
  return status;
}

static void release(job *j) {
  for (int s = 0; s < j->sides; ++s) {
    gg_dist_source_close(&j->source[s]);
    gg_free(j->value[s]);
  }
  gg_free(j->square);
  gg_free(j->sums);
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
  job j = {.options = options, .sides = z ? 3 : 2, .report = report};
  status = open_sides(&j, given, error);
  gg_clock_start(&j.clock, &options->run);
  if (!status) status = compute(&j, order, permutations, statistic, error);
  release(&j);
  j.report->seconds = gg_now() - j.clock.start;
  return status;
}
