/* Multiresponse permutation procedures: checks the arguments, weighs the groups, and has a backend
   add up the distances within them. */
#include <math.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/tested.h"

GG_OPTIONS_INIT(mrpp, .metric = GG_DEFAULT_METRIC, .weight_type = 1)

static const gg_option option_rows[] = {
    {GG_OPTION("weight.type", WHOLE, gpugeo_mrpp_options, weight_type), .octave = "weight_type",
     .least = 1, .most = 3},
};

GG_DEFINE_OPTIONS(mrpp, option_rows);

/* Checks weight_type. */
static gpugeo_status check_type(int32_t type, gpugeo_error *error) {
  if (type >= 1 && type <= 3) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "weight_type",
                 "weight_type must be a whole number between 1 and 3, not %d", type);
}

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

/* What a call works with, next to its distances. */
typedef struct job {
  int32_t type;
  double *weight, *pairs;            /* of each group */
  double *delta, *group_mean, *mean; /* results */
} job;

/* Checks the groups and computes delta of all permutations, the groups' means and the mean. */
static gpugeo_status compute_deltas(gg_distance_call *call, const gpugeo_design *design,
                                    const job *j) {
  gg_call *base = &call->base;
  GG_TRY(base, gg_check_groups(design, call->source.n, base->run->threads, base->error));
  GG_TRY(base, weigh_groups(design, j->type, j->pairs, j->weight, base->error));
  for (int64_t g = 0; !base->status && g < design->groups; ++g)
    j->group_mean[g] = 0;
  gg_permuted_sums_plan plan = {.value = GG_PAIR_DISTANCE,
                                .weight = j->weight,
                                .columns = 1,
                                .sums = j->delta,
                                .total = j->mean,
                                .within = j->group_mean};
  if (gg_permuted_sums_run(&plan, design, call)) return base->status;
  *j->mean /= pairs_of((double)plan.n);
  for (int64_t g = 0; g < design->groups; ++g)
    j->group_mean[g] = j->pairs[g] > 0 ? j->group_mean[g] / j->pairs[g] : NAN;
  return GPUGEO_OK;
}

gpugeo_status gpugeo_mrpp(const gpugeo_distances *x, const gpugeo_mrpp_options *options,
                          const gpugeo_design *design, double *delta, double *group_mean,
                          double *mean, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_mrpp_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(mrpp_options, options, taken, error);
  if (!status) status = check_type(options->weight_type, error);
  if (status) return status;
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_permuted_sums_open(&call, GG_FAMILY_MRPP, 0);
  job j = {options->weight_type, NULL, NULL, delta, group_mean, mean};
  j.weight = gg_group_weights(design, &call.base);
  j.pairs = gg_group_weights(design, &call.base);
  compute_deltas(&call, design, &j);
  gg_free(j.weight);
  gg_free(j.pairs);
  return gg_distance_call_close(&call);
}
