/* Sums of squares of distances under permutations: checks the arguments, plans, and passes the plan
   to a backend. */
#include "common/error.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "ordination/permuted_sums.h"
#include "ordination/tested.h"

GG_OPTIONS_INIT(permanova, .metric = GG_DEFAULT_METRIC)

static const gg_option option_rows[] = {
    {GG_OPTION("root", FLAG, gpugeo_permanova_options, root)},
};

GG_DEFINE_OPTIONS(permanova, option_rows);

/* Writes 1 / (points in the group), 0 for none. */
static void weigh_groups(const gpugeo_design *design, double *weight) {
  gg_count_points(design, weight);
  for (int64_t g = 0; g < design->groups; ++g)
    if (weight[g] > 0) weight[g] = 1 / weight[g];
}

/* Makes sums of squares from sums over pairs: those of the model. */
static void finish_sums(const gg_permuted_sums_plan *plan) {
  *plan->total /= (double)plan->n;
  for (int64_t k = 0; k < gg_permuted_sums_count(plan); ++k)
    plan->sums[k] = plan->basis ? -plan->sums[k] : *plan->total - plan->sums[k];
}

/* Checks the design and computes its sums. weight: room for the groups. */
static gpugeo_status run_design(gg_distance_call *call, bool root, const gpugeo_design *design,
                                double *weight, double *sums, double *total) {
  gg_call *base = &call->base;
  GG_TRY(base, gg_check_design(design, call->source.n, base->run->threads, base->error));
  if (base->status) return base->status;
  if (design->group) weigh_groups(design, weight);
  gg_permuted_sums_plan plan = {.value = root ? GG_PAIR_DISTANCE : GG_PAIR_SQUARE,
                                .basis = design->basis,
                                .weight = weight,
                                .columns = design->group ? 1 : design->columns,
                                .sums = sums,
                                .total = total};
  gg_permuted_sums_run(&plan, design, call);
  if (!base->status) finish_sums(&plan);
  return base->status;
}

gpugeo_status gpugeo_permanova(const gpugeo_distances *x, const gpugeo_permanova_options *options,
                               const gpugeo_design *design, double *sums, double *total,
                               gpugeo_report *report, gpugeo_error *error) {
  gpugeo_permanova_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(permanova_options, options, taken, error);
  if (status) return status;
  gg_distance_call call = GG_DISTANCE_CALL("x", x, options, report, error);
  gg_permuted_sums_open(&call, GG_FAMILY_PERMUTED_SUMS, 0);
  double *weight = gg_group_weights(design, &call.base);
  run_design(&call, options->root, design, weight, sums, total);
  gg_free(weight);
  return gg_distance_call_close(&call);
}
