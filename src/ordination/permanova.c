/* Sums of squares of distances under permutations: checks the arguments, plans, and passes the plan
   to a backend. */
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/tested.h"

void gpugeo_permanova_options_init(gpugeo_permanova_options *options, size_t size) {
  gpugeo_permanova_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances of points to test. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_permanova_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  return gg_tested_open("x", x, &options->metric, options->points, &options->run,
                        GG_FAMILY_PERMUTED_SUMS, 0, source, error);
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

/* --- The call ----------------------------------------------------------------------------------
 */

/* Writes 1 / (points in the group), 0 for none. */
static void weigh_groups(const gpugeo_design *design, double *weight) {
  gg_count_points(design, weight);
  for (int64_t g = 0; g < design->groups; ++g)
    if (weight[g] > 0) weight[g] = 1 / weight[g];
}

/* Makes sums of squares from sums over pairs: those of the model. */
static void finish(const gg_permuted_sums_plan *plan) {
  *plan->total /= (double)plan->n;
  for (int64_t k = 0; k < gg_permuted_sums_count(plan); ++k)
    plan->sums[k] = plan->basis ? -plan->sums[k] : *plan->total - plan->sums[k];
}

/* Checks the design and computes its sums. weight: room for the groups. */
static gpugeo_status run_design(gg_dist_source *source, const gpugeo_permanova_options *options,
                                const gpugeo_design *design, double *weight, double *sums,
                                double *total, gpugeo_report *report, gpugeo_error *error) {
  gg_clock clock;
  gg_clock_start(&clock, &options->run);
  gpugeo_status status = gg_check_design(design, source->n, options->run.threads, error);
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
      .groups = design->groups,
      .columns = design->group ? 1 : design->columns,
      .order = design->order,
      .permutations = design->permutations,
      .sums = sums,
      .total = total,
  };
  status = gg_dist_source_start(source, &clock, error);
  if (!status) status = gg_permuted_sums_run(&plan, &options->run, &clock, 0, report, error);
  if (!status) finish(&plan);
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
    double *weight = gg_allocate(groups, sizeof *weight);
    status = weight ? run_design(&source, options, design, weight, sums, total,
                                 report ? report : &unread, error)
                    : gg_fail_memory(error, groups * (int64_t)sizeof *weight);
    gg_free(weight);
  }
  gg_dist_source_close(&source);
  return status;
}
