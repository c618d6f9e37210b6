/* Analysis of similarities: checks the arguments, ranks the distances, and has a backend add up the
   ranks within groups. */
#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/ranks.h"
#include "ordination/tested.h"

GG_OPTIONS_INIT(anosim, .metric = GG_DEFAULT_METRIC)

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
static void finish_statistics(const gg_permuted_sums_plan *plan, double within) {
  const double n = (double)plan->n, pairs = n * (n - 1) / 2;
  for (int64_t k = 0; k <= plan->permutations; ++k)
    plan->sums[k] =
        ((*plan->total - plan->sums[k]) / (pairs - within) - plan->sums[k] / within) / (pairs / 2);
}

/* Computes the statistics of the observed grouping and of all permutations; ranks: of all pairs, or
   NULL. weight: room for the groups. */
static gpugeo_status compute_statistics(gg_distance_call *call, const gpugeo_design *design,
                                        double *weight, double *statistic, double *ranks) {
  gg_call *base = &call->base;
  double within = 0, total;
  GG_TRY(base, gg_check_groups(design, call->source.n, base->run->threads, base->error));
  GG_TRY(base, count_pairs(design, weight, &within, base->error));
  gg_permuted_sums_plan plan = {.value = GG_PAIR_DISTANCE,
                                .ranked = true,
                                .ranks = ranks,
                                .weight = weight,
                                .columns = 1,
                                .sums = statistic,
                                .total = &total};
  gg_permuted_sums_run(&plan, design, call);
  if (!base->status) finish_statistics(&plan, within);
  return base->status;
}

/* Fails if there are more than GG_RANKS_POINTS points. */
static gpugeo_status check_points(int64_t n, gpugeo_error *error) {
  if (n <= GG_RANKS_POINTS) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must have at most %d points, not %lld",
                 GG_RANKS_POINTS, (long long)n);
}

gpugeo_status gpugeo_anosim(const gpugeo_distances *x, const gpugeo_anosim_options *options,
                            const gpugeo_design *design, double *statistic, double *ranks,
                            gpugeo_report *report, gpugeo_error *error) {
  gpugeo_anosim_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(anosim_options, options, taken, error);
  if (status) return status;
  const double bytes = 32; /* a rank, and a key with its number twice */
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_permuted_sums_open(&call, GG_FAMILY_PERMUTED_SUMS, bytes);
  GG_TRY(&call.base, check_points(call.source.n, error));
  double *weight = gg_group_weights(design, &call.base);
  compute_statistics(&call, design, weight, statistic, ranks);
  gg_free(weight);
  return gg_distance_call_close(&call);
}
