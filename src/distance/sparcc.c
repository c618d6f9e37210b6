/*
 * SparCC (Friedman and Alm 2012, PLoS Computational Biology 8(9), e1002687). The sum t_i of the
 * variances T_ij of the log ratios of part i is (m - 2) v_i + sum of all v if correlations are 0 on
 * average. This is solved for the variances v of the basis; r_ij = (v_i + v_j - T_ij) /
 * (2 sqrt(v_i v_j)). Then the strongest pair is excluded, and so on.
 *
 * Without pair (i, j) the matrix of the equations loses u u', where u is 1 at i and j: solutions
 * follow from those of the first matrix by the formula of Sherman and Morrison.
 *
 * Cost: for each table m^2 n / 2 squares, and m^2 / 2 steps for each pair that is excluded.
 */
#include "distance/sparcc.h"

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
#include "distance/proportionality.h"

enum { FEWEST = 4, PARTNERS = 3 /* fewest parts that a part is compared with */ };

static const double SMALLEST = 1e-4; /* variance that replaces a negative one */

/* Fills in the defaults of a rule. */
static void fill_rule(void *rule) {
  *(gg_sparcc_rule *)rule = (gg_sparcc_rule){.inner = 10, .threshold = 0.1};
}

static const gg_option rule_rows[] = {
    {GG_OPTION("inner", WHOLE, gg_sparcc_rule, inner), .least = 0, .most = 1000000},
    {GG_OPTION("threshold", NUMBER, gg_sparcc_rule, threshold), .allowed = GG_SHARE},
};

const gg_option_table gg_sparcc_options = GG_OPTION_TABLE(rule_rows, gg_sparcc_rule, fill_rule);

/* A pair of parts, i > j, and the magnitude of its correlation. */
typedef struct strong_pair {
  int64_t i, j;
  double size;
} strong_pair;

/* A pair that is excluded. */
typedef struct excluded {
  int64_t i, j;
  double variance; /* of its log ratio */
  double rest;     /* 1 - u' w */
} excluded;

/* The tables, and what is found. */
typedef struct basis_job {
  const gg_sparcc_rule *rule;
  int64_t m, tables, most, pairs; /* most: pairs that may be excluded */
  double *ratio;                  /* m by m: variances of log ratios, NaN for excluded pairs */
  double *sum;                    /* m: t, without excluded pairs */
  double *variance;               /* m: v */
  double *root;                   /* m: its square roots */
  double *change;                 /* most by m: w, solutions for u before it was excluded */
  excluded *without;              /* most */
  int64_t *partners;              /* m */
  int64_t count;                  /* excluded pairs */
  strong_pair *strongest;         /* of each thread */
  double *each, *variances;       /* of each table: pairs, condensed; m */
  double *room;                   /* tables, for each thread */
  double *covariance, *correlation;
} basis_job;

/* --- variances of the basis ------------------------------------------------------------------- */

/* Solves the equations for y, without the excluded pairs; x may be y. */
static void solve(const basis_job *job, const double *y, double *x) {
  double sum = 0;
  for (int64_t k = 0; k < job->m; ++k)
    sum += y[k];
  for (int64_t k = 0; k < job->m; ++k)
    x[k] = (y[k] - sum / (double)(2 * job->m - 2)) / (double)(job->m - 2);
  for (int64_t l = 0; l < job->count; ++l) {
    const excluded *pair = &job->without[l];
    const double *w = job->change + l * job->m, factor = (x[pair->i] + x[pair->j]) / pair->rest;
    for (int64_t k = 0; k < job->m; ++k)
      x[k] += factor * w[k];
  }
}

/* Finds the variances of the basis. */
static void find_variances(const basis_job *job) {
  solve(job, job->sum, job->variance);
  for (int64_t k = 0; k < job->m; ++k) {
    if (!(job->variance[k] > 0)) job->variance[k] = SMALLEST;
    job->root[k] = sqrt(job->variance[k]);
  }
}

/* Returns the correlation of two parts, limited to [-1, 1]; NaN of an excluded pair. */
static inline double correlation_of(const basis_job *job, int64_t i, int64_t j) {
  const double both = job->variance[i] + job->variance[j] - job->ratio[i + j * job->m];
  const double r = 0.5 * both / (job->root[i] * job->root[j]);
  return r > 1 ? 1 : r < -1 ? -1 : r;
}

/* Finds the strongest pair of a range of columns; of equal ones the first. */
static void search_columns(void *own, gg_range range) {
  const basis_job *job = own;
  strong_pair *best = &job->strongest[range.worker];
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = j + 1; i < job->m; ++i) {
      const double size = fabs(correlation_of(job, i, j));
      if (size > best->size || (size == best->size && j < best->j))
        *best = (strong_pair){i, j, size};
    }
}

/* Returns the strongest pair, whose size is not above the threshold if there is none. */
static strong_pair find_strongest(basis_job *job, gg_loop loop, gg_call *call) {
  strong_pair best = {.size = job->rule->threshold, .j = -1};
  for (int32_t t = 0; t < loop.threads; ++t)
    job->strongest[t] = best;
  loop.work = search_columns;
  gg_call_loop(call, loop);
  for (int32_t t = 0; t < loop.threads; ++t) {
    const strong_pair *other = &job->strongest[t];
    if (other->size > best.size || (other->size == best.size && other->j < best.j)) best = *other;
  }
  return best;
}

/* Excludes a pair; false if a part would then have too few partners, or there be no solution. */
static bool exclude(basis_job *job, const strong_pair *pair) {
  if (job->partners[pair->i] <= PARTNERS || job->partners[pair->j] <= PARTNERS) return false;
  double *w = job->change + job->count * job->m;
  for (int64_t k = 0; k < job->m; ++k)
    w[k] = k == pair->i || k == pair->j;
  solve(job, w, w);
  const double rest = 1 - (w[pair->i] + w[pair->j]);
  if (rest < 1e-9) return false;
  const int64_t below = pair->i + pair->j * job->m;
  const double variance = job->ratio[below];
  job->without[job->count++] = (excluded){pair->i, pair->j, variance, rest};
  job->sum[pair->i] -= variance;
  job->sum[pair->j] -= variance;
  --job->partners[pair->i];
  --job->partners[pair->j];
  job->ratio[below] = NAN;
  return true;
}

/* Sums the variances of log ratios of a range of parts. */
static void sum_columns(void *own, gg_range range) {
  const basis_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    job->sum[j] = 0;
    for (int64_t i = 0; i < job->m; ++i)
      job->sum[j] += job->ratio[i + j * job->m];
    job->partners[j] = job->m - 1;
  }
}

/* Writes the correlations of a range of columns to those of a table, which `each` begins with. */
static void keep_columns(void *own, gg_range range) {
  const basis_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *to = job->each + gg_condensed_column(job->m, j) - j - 1;
    for (int64_t i = j + 1; i < job->m; ++i)
      to[i] = correlation_of(job, i, j);
  }
}

/* Finds the basis of a table by its variances of log ratios. */
static gpugeo_status find_basis(basis_job *job, gg_loop loop, gg_call *call) {
  loop.work = sum_columns;
  job->count = 0;
  if (gg_call_loop(call, loop)) return call->status;
  find_variances(job);
  while (job->count < job->most) {
    const strong_pair pair = find_strongest(job, loop, call);
    if (call->status || pair.j < 0 || !exclude(job, &pair)) break;
    find_variances(job);
  }
  for (int64_t l = 0; l < job->count; ++l)
    job->ratio[job->without[l].i + job->without[l].j * job->m] = job->without[l].variance;
  return call->status;
}

/* --- all tables ------------------------------------------------------------------------------- */

/* Finds the bases of all tables. `value` is the first number of the first one. */
static gpugeo_status find_bases(basis_job *job, const gpugeo_matrix *tables, gg_loop loop,
                                gg_call *call) {
  gg_proportionality_rule rule;
  gg_proportionality_options.fill(&rule);
  rule.metric = GG_PROPORTIONALITY_VLR;
  gpugeo_run run = *call->run;
  run.progress = NULL;
  basis_job one = *job;
  loop.job = &one;
  const int64_t size = tables->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
  for (int64_t k = 0; !call->status && k < job->tables; ++k) {
    if (gg_call_poll(call, (double)k / (double)job->tables)) break;
    gpugeo_matrix table = *tables;
    table.ncol = job->m;
    table.data = (const char *)tables->data + k * job->m * tables->ld * size;
    one.each = job->each + k * job->pairs;
    one.variance = job->variances + k * job->m;
    GG_TRY(call,
           gg_proportionality(&table, &run, &rule, NAN, one.ratio, call->report, call->error));
    if (!call->status) find_basis(&one, loop, call);
    loop.work = keep_columns;
    if (!call->status) gg_call_loop(call, loop);
  }
  return call->status;
}

/* Returns the median of `count` numbers, each `step` after the one before. room: for count. */
static double median_of(const double *value, int64_t count, int64_t step, double *room) {
  for (int64_t k = 0; k < count; ++k)
    room[k] = value[k * step];
  qsort(room, (size_t)count, sizeof *room, gg_compare_doubles);
  return 0.5 * (room[(count - 1) / 2] + room[count / 2]);
}

/* Writes the medians of a range of columns, on both sides of the diagonal. */
static void finish_columns(void *own, gg_range range) {
  const basis_job *job = own;
  const int64_t m = job->m;
  double *room = job->room + range.worker * job->tables;
  for (int64_t j = range.first; j < range.last; ++j) {
    const double *each = job->each + gg_condensed_column(m, j) - j - 1;
    job->correlation[j * (m + 1)] = 1;
    job->covariance[j * (m + 1)] = job->root[j] * job->root[j];
    for (int64_t i = j + 1; i < m; ++i) {
      const double r = median_of(each + i, job->tables, job->pairs, room);
      job->correlation[i + j * m] = job->correlation[j + i * m] = r;
      job->covariance[i + j * m] = job->covariance[j + i * m] = r * job->root[i] * job->root[j];
    }
  }
}

/* Writes the medians of all tables. */
static gpugeo_status write_medians(basis_job *job, gg_loop loop, gg_call *call) {
  for (int64_t k = 0; k < job->m; ++k)
    job->root[k] = sqrt(median_of(job->variances + k, job->tables, job->m, job->room));
  loop.work = finish_columns;
  return gg_call_loop(call, loop);
}

/* Frees what begin() allocates. */
static void end(basis_job *job) {
  gg_free(job->ratio);
  gg_free(job->sum);
  gg_free(job->root);
  gg_free(job->change);
  gg_free(job->without);
  gg_free(job->partners);
  gg_free(job->strongest);
  gg_free(job->each);
  gg_free(job->variances);
  gg_free(job->room);
}

/* Allocates what a job needs on `threads` threads. To be ended also after a failure. */
static gpugeo_status begin(basis_job *job, int32_t threads, gg_call *call) {
  const int64_t m = job->m;
  job->ratio = gg_call_allocate(call, m * m, sizeof *job->ratio);
  job->sum = gg_call_allocate(call, m, sizeof *job->sum);
  job->root = gg_call_allocate(call, m, sizeof *job->root);
  job->change = gg_call_allocate(call, job->most * m, sizeof *job->change);
  job->without = gg_call_allocate(call, job->most, sizeof *job->without);
  job->partners = gg_call_allocate(call, m, sizeof *job->partners);
  job->strongest = gg_call_allocate(call, threads, sizeof *job->strongest);
  job->each = gg_call_allocate(call, job->tables * job->pairs, sizeof *job->each);
  job->variances = gg_call_allocate(call, job->tables * m, sizeof *job->variances);
  job->room = gg_call_allocate(call, threads * job->tables, sizeof *job->room);
  return call->status;
}

/* Returns the most pairs that a call may exclude. */
static int64_t most_excluded(const gg_sparcc_rule *rule) {
  const int64_t pairs = rule->parts * (rule->parts - 1) / 2;
  return rule->inner < pairs ? rule->inner : pairs;
}

/* Checks the tables and the rule. */
static gpugeo_status check_arguments(const gpugeo_matrix *tables, const gg_sparcc_rule *rule,
                                     gpugeo_error *error) {
  const gpugeo_status status = gg_check_matrix("counts", tables, error);
  if (status) return status;
  if (rule->parts < FEWEST || tables->ncol % rule->parts != 0 || tables->ncol == 0)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "counts",
                   "counts must have at least %d columns, not %lld", FEWEST,
                   (long long)rule->parts);
  if (rule->threshold >= 0 && rule->threshold <= 1) return GPUGEO_OK;
  const gg_given given = gg_given_number(rule->threshold);
  return gg_fail_given(error, "threshold", GG_SHARE, &given);
}

gpugeo_status gg_sparcc_check_size(const gpugeo_matrix *tables, const gg_sparcc_rule *rule,
                                   gpugeo_error *error) {
  const gpugeo_status status = check_arguments(tables, rule, error);
  if (status) return status;
  const double m = (double)rule->parts, each = 0.5 * m * (m - 1) * (double)tables->ncol / m;
  const double working = 8 * (m * m + each + m * (double)(tables->nrow + most_excluded(rule)));
  return gg_check_result(2 * m * m, GPUGEO_TYPE_DOUBLE, working, error);
}

gpugeo_status gg_sparcc(const gpugeo_matrix *tables, const gpugeo_run *run,
                        const gg_sparcc_rule *rule, double *covariance, double *correlation,
                        gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_run(run, error));
  if (GG_TRY(&call, check_arguments(tables, rule, error))) return call.status;
  const int32_t threads = gg_threads(run->threads);
  basis_job job = {.rule = rule, .m = rule->parts, .covariance = covariance};
  job.tables = tables->ncol / job.m;
  job.most = most_excluded(rule);
  job.pairs = job.m * (job.m - 1) / 2;
  job.correlation = correlation;
  gg_loop loop = {.threads = threads, .count = job.m, .grain = 1 + 16384 / job.m, .job = &job};
  if (!begin(&job, threads, &call) && !find_bases(&job, tables, loop, &call))
    write_medians(&job, loop, &call);
  end(&job);
  return gg_call_end(&call);
}
