/*
 * Proportionality (Lovell et al. 2015, PLoS Computational Biology 11(3), e1004075; Erb and
 * Notredame 2016, Theory in Biosciences 135, 21; Quinn et al. 2017, Scientific Reports 7, 16252).
 *
 * Variances of log ratios are squared Euclidean distances of centred columns, summed from the
 * differences, not v_a + v_b - 2 cov: parts in a constant ratio keep their digits. The distance is
 * a tile on any backend. Logarithms are portable, and sums over parts and samples have one order.
 *
 * Cost: m^2 n / 2 squares for m parts and n samples; a dense copy of the counts.
 */
#include "distance/proportionality.h"

#include <math.h>
#include <stdlib.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/compare.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/portable_log.h"
#include "common/sparse.h"

/* Fills in the defaults of a rule. */
static void fill_rule(void *rule) {
  *(gg_proportionality_rule *)rule = (gg_proportionality_rule){.alpha = NAN};
}

static const char *const metric_names[] = {"rho", "phi", "phs", "vlr", NULL};
static const char *const shape_names[] = {"matrix", "dist", NULL};

static const gg_option rule_rows[] = {
    {GG_OPTION("metric", CHOICE, gg_proportionality_rule, metric), .names = metric_names},
    {GG_OPTION("alpha", NUMBER, gg_proportionality_rule, alpha), .allowed = GG_POSITIVE},
    {GG_OPTION("symmetrize", FLAG, gg_proportionality_rule, symmetrize)},
    {GG_OPTION("as", CHOICE, gg_proportionality_rule, distances), .names = shape_names},
};

const gg_option_table gg_proportionality_options =
    GG_OPTION_TABLE(rule_rows, gg_proportionality_rule, fill_rule);

/* A table of counts, and what becomes of it. */
typedef struct parts_job {
  const gpugeo_matrix *counts;
  const gg_proportionality_rule *rule;
  double *value;     /* n by m: counts, then transformed, then centred */
  double *variance;  /* m */
  double *reference; /* n: its mean in each sample */
  bool *used;        /* m: the parts of the reference */
  int64_t n, m;
  double smallest; /* count above 0 */
  double missing, *out;
} parts_job;

/* --- counts ----------------------------------------------------------------------------------- */

/* Copies counts to job->value. */
static void load_counts(const parts_job *job) {
  const gpugeo_matrix *x = job->counts;
  if (x->sparse)
    gg_sparse_load(x, GPUGEO_POINTS_COLUMNS, (gg_block){0, job->m, 0, job->n}, 1, job->n,
                   job->value);
  for (int64_t j = 0; !x->sparse && j < job->m; ++j)
    for (int64_t i = 0; i < job->n; ++i)
      job->value[i + j * job->n] = gg_element(x, i, j);
}

/* Checks counts and finds the smallest one above 0. */
static gpugeo_status inspect_counts(parts_job *job, gpugeo_error *error) {
  job->smallest = INFINITY;
  for (int64_t k = 0; k < job->n * job->m; ++k) {
    const double value = job->value[k];
    if (!(value >= 0 && value < INFINITY)) {
      const gg_given given = gg_given_number(value);
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "counts",
                     "counts must be " GG_FROM_ZERO ", but row %lld, column %lld is %s",
                     (long long)(k % job->n) + 1, (long long)(k / job->n) + 1,
                     gg_show(&given).text);
    }
    if (value > 0 && value < job->smallest) job->smallest = value;
  }
  if (job->smallest < INFINITY || job->m == 0) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "counts",
                 "counts must have an element above 0, not only zeros");
}

/* Replaces a range of columns of counts by their logarithms, those of zeros by that of the smallest
   count, or by the powers of Box and Cox. */
static void transform_columns(void *own, gg_range range) {
  const parts_job *job = own;
  const double alpha = job->rule->alpha;
  for (int64_t k = range.first * job->n; k < range.last * job->n; ++k) {
    const double count = job->value[k];
    job->value[k] = alpha > 0   ? gg_expm1(alpha * gg_log(count)) / alpha
                    : count > 0 ? gg_log(count)
                                : gg_log(job->smallest);
  }
}

/* Fails if squares of powers might overflow. */
static gpugeo_status check_powers(const parts_job *job, gpugeo_error *error) {
  for (int64_t k = 0; k < job->n * job->m; ++k) {
    if (fabs(job->value[k]) < 0x1p500) continue;
    const gg_given given = gg_given_number(job->rule->alpha);
    return gg_fail_given(error, "alpha", "a number whose powers of counts are below 1e150", &given);
  }
  return GPUGEO_OK;
}

/* --- reference and variances ------------------------------------------------------------------ */

/* Finds the mean of the parts of the reference in each sample; false if it has no part. */
static bool find_reference(const parts_job *job) {
  int64_t parts = 0;
  for (int64_t i = 0; i < job->n; ++i)
    job->reference[i] = 0;
  for (int64_t j = 0; j < job->m; ++j) {
    if (!job->used[j]) continue;
    ++parts;
    for (int64_t i = 0; i < job->n; ++i)
      job->reference[i] += job->value[i + j * job->n];
  }
  for (int64_t i = 0; i < job->n; ++i)
    job->reference[i] /= (double)parts;
  return parts > 0;
}

/* Returns the mean of n values: exactly the value of all if they are equal. */
static double mean_of(const double *value, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += value[i] - value[0];
  return value[0] + sum / (double)n;
}

/* Subtracts the reference from n values of a part and then their mean; returns the sum of their
   squares. */
static double centre_part(const double *reference, int64_t n, double *value) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    value[i] -= reference[i];
  const double mean = mean_of(value, n);
  for (int64_t i = 0; i < n; ++i) {
    value[i] -= mean;
    sum += value[i] * value[i];
  }
  return sum;
}

/* Centres a range of columns, and finds their variances. */
static void centre_columns(void *own, gg_range range) {
  const parts_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j)
    job->variance[j] =
        centre_part(job->reference, job->n, job->value + j * job->n) / (double)(job->n - 1);
}

/* Returns a quantile of sorted numbers, type 7 of R. */
static double quantile_of(const double *sorted, int64_t count, double share) {
  const double at = share * (double)(count - 1);
  const int64_t below = (int64_t)at, above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* Uses the parts whose variance is between the quartiles. */
static gpugeo_status use_middle(parts_job *job, gg_call *call) {
  double *sorted = gg_call_allocate(call, job->m, sizeof *sorted);
  if (!sorted) return call->status;
  for (int64_t j = 0; j < job->m; ++j)
    sorted[j] = job->variance[j];
  qsort(sorted, (size_t)job->m, sizeof *sorted, gg_compare_doubles);
  const double low = quantile_of(sorted, job->m, 0.25), high = quantile_of(sorted, job->m, 0.75);
  for (int64_t j = 0; j < job->m; ++j)
    job->used[j] = job->variance[j] > low && job->variance[j] < high;
  gg_free(sorted);
  return call->status;
}

/* Uses the columns that are given. */
static gpugeo_status use_given(parts_job *job, gpugeo_error *error) {
  for (int64_t j = 0; j < job->m; ++j)
    job->used[j] = job->rule->ivar_count == 0;
  for (int64_t k = 0; k < job->rule->ivar_count; ++k) {
    const double number = job->rule->ivar[k];
    if (!(number >= 1 && number <= (double)job->m && number == floor(number))) {
      const gg_given given = gg_given_number(number);
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "ivar",
                     "ivar must be \"clr\", \"iqlr\" or columns between 1 and %lld, not %s",
                     (long long)job->m, gg_show(&given).text);
    }
    job->used[(int64_t)number - 1] = true;
  }
  return GPUGEO_OK;
}

/* Subtracts the reference of the rule, and centres all columns. */
static gpugeo_status centre_all(parts_job *job, gg_loop loop, gg_call *call) {
  loop.work = centre_columns;
  GG_TRY(call, use_given(job, call->error));
  if (call->status) return call->status;
  find_reference(job);
  if (gg_call_loop(call, loop) || !job->rule->iqlr || job->m == 0) return call->status;
  if (use_middle(job, call)) return call->status;
  load_counts(job);
  loop.work = transform_columns;
  if (gg_call_loop(call, loop)) return call->status;
  loop.work = centre_columns;
  if (!find_reference(job))
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_DATA, "ivar",
                                "ivar must be \"clr\" or columns for %lld columns of counts, not "
                                "\"iqlr\": no variance is between the quartiles",
                                (long long)job->m));
  return gg_call_loop(call, loop);
}

/* --- proportionality -------------------------------------------------------------------------- */

/* Returns the quotient of a, which is at least 0, and b: infinite or missing if b is not positive.
 */
static inline double quotient(double a, double b, double missing) {
  return b > 0 ? a / b : a > 0 ? INFINITY : missing;
}

/* Returns what becomes of the sum of squares between parts i and j. The variance of the ratio to a
   part without variance is that of the other one, without the rounding errors of the sum. */
static inline double finished(const parts_job *job, double square, int64_t i, int64_t j) {
  const gg_proportionality_metric metric = job->rule->metric;
  double ratio = square / (double)(job->n - 1);
  if (metric == GG_PROPORTIONALITY_VLR) return ratio;
  const double first = job->variance[i], second = job->variance[j], both = first + second;
  ratio = first == 0 || second == 0 ? both : ratio;
  if (metric == GG_PROPORTIONALITY_PHI)
    return quotient(ratio, job->rule->symmetrize && i < j ? first : second, job->missing);
  if (metric == GG_PROPORTIONALITY_PHS) return quotient(ratio, 2 * both - ratio, job->missing);
  if (!(both > 0)) return job->missing;
  const double distance = fmin(ratio / both, 2);
  return job->rule->distances ? distance : 1 - distance;
}

/* Replaces the sums of squares of a range of columns. */
static void finish_columns(void *own, gg_range range) {
  const parts_job *job = own;
  const bool condensed = job->rule->distances != 0;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *column = job->out + (condensed ? gg_condensed_column(job->m, j) - j - 1 : j * job->m);
    for (int64_t i = condensed ? j + 1 : 0; i < job->m; ++i)
      column[i] = finished(job, column[i], i, j);
  }
}

/* Notes that a part has no variance, unless it alone is the reference. */
static void note_constant(const parts_job *job, gpugeo_report *report) {
  int64_t constant = job->rule->ivar_count == 1 ? -1 : 0;
  for (int64_t j = 0; j < job->m; ++j)
    constant += job->variance[j] == 0;
  if (constant > 0 && job->rule->metric != GG_PROPORTIONALITY_VLR)
    report->notes |= GPUGEO_NOTE_ZERO_DEVIATION;
}

/* Computes the sums of squares between all columns, and what becomes of them. */
static gpugeo_status compare_columns(parts_job *job, gg_loop loop, gg_call *call) {
  if (call->status) return call->status;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_SQEUCLIDEAN;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.shape = job->rule->distances ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL;
  options.run = *call->run;
  const gpugeo_matrix view = {job->value, GPUGEO_TYPE_DOUBLE, job->n, job->m, job->n, NULL};
  if (GG_TRY(call, gpugeo_dist(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, job->out, call->report,
                               call->error)))
    return call->status;
  note_constant(job, call->report);
  loop.work = finish_columns;
  return gg_call_loop(call, loop);
}

gpugeo_status gg_proportionality_check_size(const gpugeo_matrix *counts, bool distances,
                                            gpugeo_error *error) {
  const gpugeo_status status = gg_check_any_matrix("counts", counts, error);
  if (status) return status;
  const double m = (double)counts->ncol, pairs = distances ? 0.5 * m * (m - 1) : m * m;
  return gg_check_result(pairs, GPUGEO_TYPE_DOUBLE, 8 * m * (double)counts->nrow, error);
}

/* Checks the counts and the rule. */
static gpugeo_status check_arguments(const gpugeo_matrix *counts, const gpugeo_run *run,
                                     const gg_proportionality_rule *rule, gpugeo_error *error) {
  gpugeo_status status = gg_check_run(run, error);
  if (!status) status = gg_check_any_matrix("counts", counts, error);
  if (!status && !isnan(rule->alpha)) status = gg_positive_number("alpha", rule->alpha, error);
  if (status || counts->nrow >= 2) return status;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "counts",
                 "counts must have at least 2 rows, not %lld", (long long)counts->nrow);
}

gpugeo_status gg_proportionality(const gpugeo_matrix *counts, const gpugeo_run *run,
                                 const gg_proportionality_rule *rule, double missing, double *out,
                                 gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, check_arguments(counts, run, rule, error));
  if (GG_TRY(&call, gg_report_start(run, GG_FAMILY_DIST, call.report, error))) return call.status;
  parts_job job = {.counts = counts,
                   .rule = rule,
                   .n = counts->nrow,
                   .m = counts->ncol,
                   .missing = missing,
                   .out = out};
  gg_loop loop = {.threads = gg_threads(run->threads),
                  .count = job.m,
                  .grain = 1 + 16384 / (job.m + job.n),
                  .work = transform_columns,
                  .job = &job};
  job.value = gg_call_allocate(&call, job.n * job.m, sizeof *job.value);
  job.variance = gg_call_allocate(&call, job.m, sizeof *job.variance);
  job.reference = gg_call_allocate(&call, job.n, sizeof *job.reference);
  job.used = gg_call_allocate(&call, job.m, sizeof *job.used);
  if (!call.status) load_counts(&job);
  GG_TRY(&call, inspect_counts(&job, error));
  if (!call.status) gg_call_loop(&call, loop);
  GG_TRY(&call, check_powers(&job, error));
  centre_all(&job, loop, &call);
  compare_columns(&job, loop, &call);
  gg_free(job.value);
  gg_free(job.variance);
  gg_free(job.reference);
  gg_free(job.used);
  return gg_call_end(&call);
}
