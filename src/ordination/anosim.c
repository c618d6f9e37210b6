/* Analysis of similarities: checks the arguments, ranks the distances, and has a backend add up the
   ranks within groups. */
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

void gpugeo_anosim_options_init(gpugeo_anosim_options *options, size_t size) {
  gpugeo_anosim_options defaults = {.metric.p = 2};
  gpugeo_run_init(&defaults.run, sizeof defaults.run);
  gg_options_fill(options, size, &defaults, sizeof defaults);
}

/* Opens the distances and checks their number: at most GG_RANKS_POINTS points. */
static gpugeo_status open_source(const gpugeo_distances *x, const gpugeo_anosim_options *options,
                                 gg_dist_source *source, gpugeo_error *error) {
  const double bytes = 32; /* a rank, and a key with its number twice */
  gpugeo_status status = gg_tested_open("x", x, &options->metric, options->points, &options->run,
                                        GG_FAMILY_PERMUTED_SUMS, bytes, source, error);
  if (status || source->n <= GG_RANKS_POINTS) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                 GG_RANKS_POINTS, (long long)source->n);
}

gpugeo_status gpugeo_anosim_size(const gpugeo_distances *x, const gpugeo_anosim_options *options,
                                 int64_t *points, gpugeo_error *error) {
  gpugeo_anosim_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(anosim_options, options, taken, error);
  if (status) return status;
  gg_dist_source source;
  status = open_source(x, options, &source, error);
  if (!status) *points = source.n;
  gg_dist_source_close(&source);
  return status;
}

/* Counts the pairs within groups, and fails if there are none, or one group only. weight: room for
   each group, which becomes 1. */
static gpugeo_status count_pairs(const gpugeo_design *design, double *weight, double *within,
                                 gpugeo_error *error) {
  int64_t groups = 0;
  *within = 0;
  gg_count_points(design, weight);
  for (int64_t g = 0; g < design->groups; ++g) {
    groups += weight[g] > 0;
    *within += weight[g] * (weight[g] - 1) / 2;
    weight[g] = 1;
  }
  if (groups > 1 && *within > 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "group",
                 "group must have at least two groups, and one of at least two points");
}

/* Makes statistics of the sums of ranks within groups, which are exact. */
static void finish(const gg_permuted_sums_plan *plan, double within) {
  const double n = (double)plan->n, pairs = n * (n - 1) / 2;
  for (int64_t k = 0; k <= plan->permutations; ++k)
    plan->sums[k] =
        ((*plan->total - plan->sums[k]) / (pairs - within) - plan->sums[k] / within) / (pairs / 2);
}

/* What a call works with. */
typedef struct job {
  gg_dist_source source;
  gg_clock clock;
  double *weight;
  gpugeo_report *report;
} job;

/* Computes the statistics of the observed grouping and of all permutations; ranks: of all pairs, or
   NULL. */
static gpugeo_status compute(job *j, const gpugeo_anosim_options *options,
                             const gpugeo_design *design, double *statistic, double *ranks,
                             gpugeo_error *error) {
  double within, total;
  gpugeo_status status = gg_check_groups(design, j->source.n, options->run.threads, error);
  if (!status) status = count_pairs(design, j->weight, &within, error);
  if (!status) status = gg_dist_source_start(&j->source, &j->clock, error);
  if (status) return status;
  gg_permuted_sums_plan plan = {.source = &j->source,
                                .name = "x",
                                .n = j->source.n,
                                .value = GG_PAIR_DISTANCE,
                                .ranked = true,
                                .ranks = ranks,
                                .group = design->group,
                                .weight = j->weight,
                                .groups = design->groups,
                                .columns = 1,
                                .order = design->order,
                                .permutations = design->permutations,
                                .sums = statistic,
                                .total = &total};
  status = gg_permuted_sums_run(&plan, &options->run, &j->clock, 0, j->report, error);
  if (!status) finish(&plan, within);
  return status;
}

gpugeo_status gpugeo_anosim(const gpugeo_distances *x, const gpugeo_anosim_options *options,
                            const gpugeo_design *design, double *statistic, double *ranks,
                            gpugeo_report *report, gpugeo_error *error) {
  gpugeo_anosim_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(anosim_options, options, taken, error);
  if (status) return status;
  gpugeo_report unread;
  if (!report) report = &unread;
  job j = {.report = report};
  status = open_source(x, options, &j.source, error);
  if (!status) {
    gg_clock_start(&j.clock, &options->run);
    const int64_t groups = design && design->groups > 0 ? design->groups : 0;
    j.weight = gg_allocate(groups, sizeof *j.weight);
    status = j.weight ? compute(&j, options, design, statistic, ranks, error)
                      : gg_fail_memory(error, groups * (int64_t)sizeof *j.weight);
    gg_free(j.weight);
    j.report->seconds = gg_now() - j.clock.start;
  }
  gg_dist_source_close(&j.source);
  return status;
}
