/* Multiresponse permutation procedures: checks the arguments, weighs the groups, and has a backend
   add up the distances within them. */
#include <math.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/tested.h"

void gpugeo_mrpp_options_init(gpugeo_mrpp_options *options, size_t size) {
  gpugeo_mrpp_options defaults = {.metric.p = 2, .weight_type = 1};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Checks weight_type and opens the distances. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_mrpp_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  *source = (gg_dist_source){.n = 0};
  if (options->weight_type < 1 || options->weight_type > 3)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weight_type",
                   "weight_type must be a whole number between 1 and 3, not %d",
                   options->weight_type);
  return gg_tested_open("x", x, &options->metric, options->points, &options->run, GG_FAMILY_MRPP, 0,
                        source, error);
}

gpugeo_status gpugeo_mrpp_size(const gpugeo_distances *x, const gpugeo_mrpp_options *options,
                               int64_t *points, gpugeo_error *error) {
  gpugeo_mrpp_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mrpp_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

/* --- The call ----------------------------------------------------------------------------------
 */

/* Returns the number of pairs of that many points. */
static double pairs_of(double points) { return points * (points - 1) / 2; }

/* Returns the weight of a group's mean distance: 0 if it has no pair. */
static double weight_of(int32_t type, double points) {
  if (points < 2) return 0;
  return type == 1 ? points : type == 2 ? points - 1 : pairs_of(points);
}

/* Writes the weight of a distance in each group, and fails if no group has a pair. pairs: those of
   each group. */
static gpugeo_status weigh_groups(const gpugeo_design *design, int32_t type, double *pairs,
                                  double *weight, gpugeo_error *error) {
  double all = 0;
  gg_count_points(design, weight);
  for (int64_t g = 0; g < design->groups; ++g) {
    pairs[g] = pairs_of(weight[g]);
    weight[g] = weight_of(type, weight[g]);
    all += weight[g];
  }
  for (int64_t g = 0; g < design->groups; ++g)
    if (pairs[g] > 0) weight[g] /= all * pairs[g];
  if (all > 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                 "group must have a group of at least two points");
}

/* What a call works with. */
typedef struct job {
  gg_dist_source source;
  const gpugeo_mrpp_options *options;
  double *weight, *pairs; /* of each group */
  gpugeo_report *report;
} job;

/* Checks the groups and computes delta of all permutations, the groups' means and the mean. */
static gpugeo_status compute(job *j, const gpugeo_design *design, double *delta, double *group_mean,
                             double *mean, gpugeo_error *error) {
  gg_clock clock;
  gg_clock_start(&clock, &j->options->run);
  gpugeo_status status = gg_check_groups(design, j->source.n, j->options->run.threads, error);
  if (!status) status = weigh_groups(design, j->options->weight_type, j->pairs, j->weight, error);
  if (!status) status = gg_dist_source_start(&j->source, &clock, error);
  if (status) return status;
  for (int64_t g = 0; g < design->groups; ++g)
    group_mean[g] = 0;
  gg_permuted_sums_plan plan = {.source = &j->source,
                                .name = "x",
                                .n = j->source.n,
                                .value = GG_PAIR_DISTANCE,
                                .group = design->group,
                                .weight = j->weight,
                                .groups = design->groups,
                                .columns = 1,
                                .order = design->order,
                                .permutations = design->permutations,
                                .sums = delta,
                                .total = mean,
                                .within = group_mean};
  status = gg_permuted_sums_run(&plan, &j->options->run, &clock, 0, j->report, error);
  j->report->seconds = gg_now() - clock.start;
  if (status) return status;
  *mean /= pairs_of((double)j->source.n);
  for (int64_t g = 0; g < design->groups; ++g)
    group_mean[g] = j->pairs[g] > 0 ? group_mean[g] / j->pairs[g] : NAN;
  return GPUGEO_OK;
}

gpugeo_status gpugeo_mrpp(const gpugeo_distances *x, const gpugeo_mrpp_options *options,
                          const gpugeo_design *design, double *delta, double *group_mean,
                          double *mean, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mrpp_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mrpp_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread = {0};
  job j = {.options = options, .report = report ? report : &unread};
  status = open_source(x, options, &j.source, error);
  if (!status) {
    const int64_t groups = design && design->groups > 0 ? design->groups : 0;
    j.weight = gg_allocate(groups, sizeof *j.weight);
    j.pairs = gg_allocate(groups, sizeof *j.pairs);
    status = j.weight && j.pairs ? compute(&j, design, delta, group_mean, mean, error)
                                 : gg_fail_memory(error, 2 * groups * (int64_t)sizeof *j.weight);
    gg_free(j.weight);
    gg_free(j.pairs);
  }
  gg_dist_source_close(&j.source);
  return status;
}
