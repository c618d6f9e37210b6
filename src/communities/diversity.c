/*
 * Indices of diversity. The table is read column by column: the sums of a column by groups, then
 * their terms, which each group adds in the order of columns. One thread, limited by memory.
 */
#include "common/backend.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/portable_log.h"
#include "communities/table.h"

GG_OPTIONS_INIT(diversity, .base = 0x1.5bf0a8b145769p+1 /* e */)

static const gg_option diversity_rows[] = {
    {GG_OPTION("index", CHOICE, gpugeo_diversity_options, index),
     .choices = GPUGEO_ENUM_DIVERSITY_INDEX, .is_argument = true},
    {GG_OPTION("equalize.groups", FLAG, gpugeo_diversity_options, equalize),
     .octave = "equalize_groups"},
    {GG_OPTION("base", NUMBER, gpugeo_diversity_options, base),
     .allowed = "a number above 0 other than 1"},
    {GG_OPTION_ARRAY("groups", INT32S, gpugeo_diversity_options, groups, groups_length),
     .may_be_null = true},
};
GG_DEFINE_OPTIONS(diversity, diversity_rows);

/* A call. */
typedef struct diversity {
  const gpugeo_diversity_options *options;
  gg_table table;
  int64_t groups;
  double *weight;                /* of each site: its elements are divided by it; NULL: 1 */
  double *pooled;                /* of each group: its sum of a column */
  double *total, *species, *out; /* of each group */
} diversity;

/* Returns the group of a site, from 0; -1: none. */
static int64_t group_of(const diversity *d, int64_t site) {
  return d->options->groups ? (int64_t)d->options->groups[site] - 1 : site;
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* Checks the options and counts the groups. */
static gpugeo_status check_options(diversity *d, const gpugeo_matrix *x, gg_call *call) {
  const gpugeo_diversity_options *o = d->options;
  if (!(o->base > 0 && o->base != 1))
    GG_TRY(call,
           gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "base",
                   "base must be a number above 0 other than 1, not %s", gg_number(o->base).text));
  if (o->equalize && o->index == GPUGEO_DIVERSITY_FISHER)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "equalize.groups",
                         "equalize.groups must be false for \"fisher\", which takes counts"));
  if (o->groups && o->groups_length != x->nrow)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "groups",
                         "groups must have a value for each of %lld rows, not %lld",
                         (long long)x->nrow, (long long)o->groups_length));
  if (call->status || !o->groups) {
    d->groups = x->nrow;
    return call->status;
  }
  for (int64_t i = 0; i < x->nrow; ++i)
    if (o->groups[i] > d->groups) d->groups = o->groups[i];
  return call->status;
}

/* True if a value is below 0. */
static bool is_negative(double value) { return value < 0; }

/* --- Terms ------------------------------------------------------------------------------------ */

/* Returns an element as its group adds it. */
static double weighted(const diversity *d, int64_t site, double value) {
  return d->weight ? value / d->weight[site] : value;
}

/* Adds the term of a species to the index of a group. */
static void add_term(diversity *d, int64_t g) {
  const double share = d->pooled[g] / d->total[g];
  if (d->pooled[g] > 0) ++d->species[g];
  if (d->options->index == GPUGEO_DIVERSITY_SHANNON)
    d->out[g] -= share * gg_log(share);
  else
    d->out[g] += share * share;
  d->pooled[g] = 0;
}

/* Adds up the columns, or with `terms` the terms of their species. */
static void add_columns(diversity *d, bool terms) {
  for (int64_t k = 0; k < d->table.ncol; ++k) {
    const int64_t begin = gg_table_begin(&d->table, k), end = gg_table_begin(&d->table, k + 1);
    for (int64_t e = begin; e < end; ++e) {
      const int64_t site = gg_table_across(&d->table, e, begin), g = group_of(d, site);
      double *to = terms ? d->pooled : d->total;
      if (g >= 0) to[g] += weighted(d, site, d->table.value[e]);
    }
    for (int64_t e = begin; terms && e < end; ++e) {
      const int64_t g = group_of(d, gg_table_across(&d->table, e, begin));
      if (g >= 0 && d->pooled[g] != 0) add_term(d, g);
    }
  }
}

/* Returns N / t, where log(1 + t) / t = S / N. Newton's method for the concave function log(1 + t)
   - t S / N decreases to the root from (N / S)^2 - 1, which is above it because log(1 + t) < t /
   sqrt(1 + t). */
static double fisher_alpha(double individuals, double species) {
  const double share = species / individuals;
  double t = 1 / (share * share) - 1;
  for (int step = 0; step < 60; ++step) {
    const double slope = 1 / (1 + t) - share;
    const double lower = t - (gg_log1p(t) - share * t) / slope;
    if (!(slope < 0 && lower < t && lower > 0)) break;
    t = lower;
  }
  return individuals > 0 ? individuals / t : NAN;
}

/* Makes the sums indices. A group with a missing value has that one. */
static void finish(diversity *d) {
  const double base = gg_log(d->options->base);
  for (int64_t g = 0; g < d->groups; ++g)
    switch (isnan(d->total[g]) ? -1 : (int)d->options->index) {
    case -1:
      d->out[g] = d->total[g];
      break;
    case GPUGEO_DIVERSITY_SHANNON:
      d->out[g] /= base;
      break;
    case GPUGEO_DIVERSITY_SIMPSON:
      d->out[g] = 1 - d->out[g];
      break;
    case GPUGEO_DIVERSITY_INVSIMPSON:
      d->out[g] = 1 / d->out[g];
      break;
    default:
      d->out[g] = fisher_alpha(d->total[g], d->species[g]);
    }
}

/* --- The call --------------------------------------------------------------------------------- */

/* Finds the sums of sites by which their elements are divided. */
static void find_weights(diversity *d) {
  gg_table_sums(&d->table, GG_MARGIN_ROWS, false, d->weight);
  for (int64_t i = 0; i < d->table.nrow; ++i)
    if (d->weight[i] == 0) d->weight[i] = 1;
}

/* Allocates and computes. */
static gpugeo_status compute(diversity *d, const gpugeo_matrix *x, gg_call *call) {
  double *value = gg_call_allocate(call, gg_table_room(x) + 1, sizeof *value);
  double *room = gg_call_allocate(call, 3 * d->groups + 1, sizeof *room);
  if (d->options->equalize) d->weight = gg_call_allocate(call, x->nrow + 1, sizeof *d->weight);
  if (!call->status) {
    d->table = gg_table_view(x, value);
    d->total = room;
    d->species = room + d->groups;
    d->pooled = room + 2 * d->groups;
    for (int64_t g = 0; g < d->groups; ++g)
      d->total[g] = d->species[g] = d->pooled[g] = d->out[g] = 0;
    if (d->options->index == GPUGEO_DIVERSITY_FISHER)
      gg_table_require(&d->table, GG_COUNTS, gg_is_no_count, call);
    else
      gg_table_require(&d->table, "numbers of at least 0", is_negative, call);
    if (d->weight) find_weights(d);
  }
  if (!call->status) {
    add_columns(d, false);
    add_columns(d, true);
    finish(d);
  }
  gg_free(d->weight);
  gg_free(room);
  gg_free(value);
  return call->status;
}

gpugeo_status gpugeo_diversity(const gpugeo_matrix *x, const gpugeo_diversity_options *options,
                               double *out, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_diversity_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(diversity_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  diversity d = {.options = options, .out = out};
  GG_TRY(&call, gg_table_check(x, error));
  if (!call.status) check_options(&d, x, &call);
  GG_TRY(&call, gg_check_run(call.run, error));
  GG_TRY(&call, gg_check_family(call.run, GG_FAMILY_COMMUNITIES, error));
  *call.report = gg_report_of(gg_host_backend(), -1, 1, 1);
  if (!call.status) compute(&d, x, &call);
  return gg_call_end(&call);
}
