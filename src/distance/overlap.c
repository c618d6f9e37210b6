/*
 * Topological overlaps (Zhang and Horvath 2005, Statistical Applications in Genetics and Molecular
 * Biology 4(1), 17; Nowick et al. 2009, PNAS 106(52), 22358). With weights a, connectivities
 * k_i = sum of |a_ij| over j, their minimum or mean f, and l_ij = sum of a_ik a_kj over the other
 * genes k:
 *
 *   (l_ij + a_ij) / (f + 1 - |a_ij|)        unsigned, Nowick; signed: its magnitude
 *   (a_ij + l_ij / (f - |a_ij|)) / 2        the same "2", the quotient 0 if f is |a_ij|
 *
 * Cost: n^3 / 2 multiplications, as distance tiles of the columns of a: a sum runs over the genes
 * in their order. The diagonal of a is 1, so a sum has 2 a_ij in addition. Columns are divided by a
 * power of two, which is exact, as the tiles limit sums to [-1, 1].
 */
#include "distance/overlap.h"

#include <math.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "distance/dist.h"

/* Fills in the defaults of a rule. */
static void fill_rule(void *rule) {
  *(gg_overlap_rule *)rule = (gg_overlap_rule){.type = GG_OVERLAP_SIGNED};
}

static const char *const type_names[] = {
    "none",       "unsigned", "signed",          "signed Nowick",
    "unsigned 2", "signed 2", "signed Nowick 2", NULL};
static const char *const denominator_names[] = {"min", "mean", NULL};
static const char *const shape_names[] = {"similarity", "dist", NULL};

static const gg_option rule_rows[] = {
    {GG_OPTION("TOMType", CHOICE, gg_overlap_rule, type), .octave = "overlap", .names = type_names},
    {GG_OPTION("TOMDenom", CHOICE, gg_overlap_rule, mean), .octave = "denominator",
     .names = denominator_names},
    {GG_OPTION("suppressTOMForZeroAdjacencies", FLAG, gg_overlap_rule, suppress_zero),
     .octave = "suppresszero"},
    {GG_OPTION("suppressNegativeTOM", FLAG, gg_overlap_rule, suppress_negative),
     .octave = "suppressnegative"},
    {GG_OPTION("as", CHOICE, gg_overlap_rule, distances), .names = shape_names},
};

const gg_option_table gg_overlap_options = GG_OPTION_TABLE(rule_rows, gg_overlap_rule, fill_rule);

/* A network, and what becomes of it. */
typedef struct overlap_job {
  const double *weights; /* n by n, 1 on the diagonal, without missing ones */
  int64_t n;
  double *connectivity; /* n */
  double unit;          /* sums in `out` are in multiples of it */
  const gg_overlap_rule *rule;
  const gg_overlap_result *result;
} overlap_job;

/* --- weights ---------------------------------------------------------------------------------- */

/* A copy of weights, of which the part below the diagonal counts. */
typedef struct copy_job {
  const gpugeo_matrix *from;
  double *to;
} copy_job;

/* Copies a range of columns, from the diagonal on, to both sides of it. */
static void copy_columns(void *own, gg_range range) {
  const copy_job *job = own;
  const int64_t n = job->from->nrow;
  for (int64_t j = range.first; j < range.last; ++j)
    for (int64_t i = j; i < n; ++i) {
      const double value = gg_element(job->from, i, j);
      const double weight = i == j ? 1 : value == value ? value : 0;
      job->to[i + j * n] = job->to[j + i * n] = weight;
    }
}

/* True if weights are used as they are. */
static bool is_ready(const gpugeo_matrix *x) {
  if (x->type != GPUGEO_TYPE_DOUBLE || x->ld != x->nrow) return false;
  const double *value = x->data;
  for (int64_t j = 0; j < x->ncol; ++j, value += x->ld) {
    if (value[j] != 1) return false;
    bool whole = true;
    for (int64_t i = 0; i < x->nrow; ++i)
      whole = whole && value[i] == value[i];
    if (!whole) return false;
  }
  return true;
}

/* Returns a copy of weights, to be freed by gg_free(), or NULL if the call has failed. */
static double *copy_weights(const gpugeo_matrix *x, gg_call *call) {
  const double bytes = 8 * (double)x->nrow * (double)x->nrow;
  if (!call->status)
    GG_TRY(call, gg_check_memory(bytes, "x", call->error, "a copy of %lld by %lld weights needs",
                                 (long long)x->nrow, (long long)x->nrow));
  double *to = gg_call_allocate(call, x->nrow * x->nrow, sizeof *to);
  copy_job job = {x, to};
  if (to)
    gg_call_loop(call, (gg_loop){.threads = gg_threads(call->run->threads),
                                 .count = x->nrow,
                                 .grain = 1 + 16384 / (x->nrow + 1),
                                 .work = copy_columns,
                                 .job = &job});
  return to;
}

/* Sums the magnitudes of a range of columns, without the diagonal. */
static void sum_columns(void *own, gg_range range) {
  const overlap_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    const double *a = job->weights + j * job->n;
    double sum = 0;
    for (int64_t i = 0; i < job->n; ++i)
      sum += i == j ? 0 : fabs(a[i]);
    job->connectivity[j] = sum;
  }
}

/* --- sums of products ------------------------------------------------------------------------- */

/* Returns the plan of the sums, for columns that are (a - centre) / factor. */
static gg_dist_plan make_plan(const overlap_job *job, const gpugeo_dist_options *options,
                              const double *centre, const double *factor) {
  const gpugeo_matrix view = {job->weights, GPUGEO_TYPE_DOUBLE, job->n, job->n, job->n, NULL};
  gg_dist_plan plan = gg_dist_plan_make(&view, NULL, options, GG_FINISH_SIMILARITY);
  plan.step = GG_STEP_product;
  plan.prepare = GG_PREPARE_SCALED;
  plan.centre = centre;
  plan.factor = factor;
  plan.finite = true;
  plan.shape = job->result->shape;
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = job->result->out;
  return plan;
}

/* Writes the sums to the result, in multiples of job->unit. */
static void multiply_columns(overlap_job *job, gg_call *call) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run = *call->run;
  double root = 1; /* of the unit, which is at least n */
  while (root * root < (double)job->n)
    root *= 2;
  job->unit = root * root;
  double *scale = gg_call_allocate(call, 2 * job->n, sizeof *scale);
  if (!scale) return;
  for (int64_t k = 0; k < job->n; ++k)
    scale[k] = 0, scale[job->n + k] = root;
  gg_dist_plan plan = make_plan(job, &options, scale, scale + job->n);
  gg_request request = gg_dist_request(&plan, GG_FAMILY_DIST, &options, 0);
  request.bytes += 8 * request.work / (double)plan.m;
  GG_TRY(call, gg_backend_spread(call->run, &request, &plan.backend, &plan.device, &plan.workers,
                                 call->error));
  if (!call->status) {
    const gpugeo_report before = *call->report; /* of the correlations */
    *call->report = gg_report_of(plan.backend, plan.device, plan.workers, plan.threads);
    call->report->notes |= before.notes;
    call->report->missing = before.missing;
    GG_TRY(call, plan.backend->dist(&plan, call));
  }
  gg_free(scale);
}

/* --- overlaps --------------------------------------------------------------------------------- */

/* Returns a limited to [-1, 1]. */
static inline double limit(double a) { return a > 1 ? 1 : a < -1 ? -1 : a; }

/* Returns the overlap of two genes with weight a and sum l of products over all genes. f: of their
   connectivities. */
static inline double overlap_value(gg_overlap_type type, double a, double l, double f) {
  const double size = fabs(a);
  if (type == GG_OVERLAP_NONE) return a;
  if (type <= GG_OVERLAP_NOWICK) {
    const double overlap = limit((l - a) / (f + 1 - size));
    return type == GG_OVERLAP_SIGNED ? fabs(overlap) : overlap;
  }
  const double quotient = f > size ? limit((l - 2 * a) / (f - size)) : 0;
  const double overlap = 0.5 * (a + quotient);
  return type == GG_OVERLAP_SIGNED_2 ? fabs(overlap) : overlap;
}

/* Replaces the sums of column j by overlaps, in rows [first, n). out: of row 0. */
static void finish_column(const overlap_job *job, int64_t j, int64_t first, double *out) {
  const gg_overlap_rule *rule = job->rule;
  const double *a = job->weights + j * job->n, *k = job->connectivity, own = k[j];
  for (int64_t i = first; i < job->n; ++i) {
    const double f = rule->mean ? 0.5 * (k[i] + own) : k[i] < own ? k[i] : own;
    double overlap = overlap_value(rule->type, a[i], out[i] * job->unit, f);
    if ((rule->suppress_zero && a[i] == 0) || (rule->suppress_negative && overlap < 0)) overlap = 0;
    out[i] = rule->distances ? 1 - overlap : overlap;
  }
}

/* Replaces the sums of a range of columns by overlaps. */
static void finish_columns(void *own, gg_range range) {
  const overlap_job *job = own;
  const gg_overlap_result *result = job->result;
  for (int64_t j = range.first; j < range.last; ++j)
    if (result->shape == GPUGEO_SHAPE_CONDENSED) {
      finish_column(job, j, j + 1, result->out + gg_condensed_column(job->n, j) - j - 1);
    } else {
      finish_column(job, j, 0, result->out + j * job->n);
      result->out[j * (job->n + 1)] = job->rule->distances ? 0 : 1;
    }
}

/* Computes the overlaps of weights that are ready. */
static gpugeo_status compute_overlaps(overlap_job *job, gg_call *call) {
  gg_loop loop = {.threads = gg_threads(call->run->threads),
                  .count = job->n,
                  .grain = 1 + 16384 / (job->n + 1),
                  .work = sum_columns,
                  .job = job};
  job->connectivity = gg_call_allocate(call, job->n, sizeof *job->connectivity);
  if (!call->status) gg_call_loop(call, loop);
  if (job->rule->type == GG_OVERLAP_NONE || job->n < 2)
    job->unit = 0;
  else if (!call->status)
    multiply_columns(job, call);
  loop.work = finish_columns;
  if (!call->status) gg_call_loop(call, loop);
  gg_free(job->connectivity);
  return call->status;
}

gpugeo_status gg_overlap_check_size(int64_t n, gpugeo_shape shape, bool correlated,
                                    gpugeo_error *error) {
  const double all = (double)n * (double)n, half = 0.5 * (double)n * (double)(n - 1);
  return gg_check_result(shape == GPUGEO_SHAPE_CONDENSED ? half : all, GPUGEO_TYPE_DOUBLE,
                         correlated ? 8 * all : 0, error);
}

gpugeo_status gg_overlap(const gpugeo_matrix *weights, const gpugeo_run *run,
                         const gg_overlap_rule *rule, const gg_overlap_result *result,
                         gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  bool exact = false;
  double *copy = NULL;
  const bool is_unsigned = rule->type == GG_OVERLAP_UNSIGNED || rule->type == GG_OVERLAP_UNSIGNED_2;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, gg_network_check(weights, is_unsigned ? 0 : -1, &exact, error));
  if (GG_TRY(&call, gg_report_start(run, GG_FAMILY_DIST, call.report, error))) return call.status;
  if (!exact || !is_ready(weights)) copy = copy_weights(weights, &call);
  overlap_job job = {
      .weights = copy ? copy : weights->data, .n = weights->nrow, .rule = rule, .result = result};
  compute_overlaps(&job, &call);
  gg_free(copy);
  return gg_call_end(&call);
}

/* Replaces missing weights by 0, and those on the diagonal by 1, in a range of columns. */
static void repair_columns(void *own, gg_range range) {
  const copy_job *job = own;
  const int64_t n = job->from->nrow;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *a = job->to + j * n;
    for (int64_t i = 0; i < n; ++i)
      a[i] = a[i] == a[i] ? a[i] : 0;
    a[j] = 1;
  }
}

gpugeo_status gg_overlap_of_columns(const gpugeo_matrix *x, const gpugeo_cor_options *options,
                                    const gg_adjacency_rule *network, const gg_overlap_rule *rule,
                                    const gg_overlap_result *result, gpugeo_report *report,
                                    gpugeo_error *error) {
  gg_call call;
  gpugeo_cor_options quiet = *options;
  gg_adjacency_rule signs = *network;
  quiet.run.progress = NULL;
  signs.keep_sign = network->network == GG_NETWORK_UNSIGNED && rule->type != GG_OVERLAP_NONE &&
                    rule->type != GG_OVERLAP_UNSIGNED && rule->type != GG_OVERLAP_UNSIGNED_2;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_check_run(&options->run, error));
  GG_TRY(&call, gg_check_any_matrix("x", x, error));
  if (call.status) return call.status;
  const int64_t n = x->ncol;
  double *weights = gg_call_allocate(&call, n * n, sizeof *weights);
  GG_TRY(&call, gg_adjacency(x, NULL, &quiet, &signs, weights, call.report, error));
  const gpugeo_matrix view = {weights, GPUGEO_TYPE_DOUBLE, n, n, n, NULL};
  copy_job repair = {&view, weights};
  if (!call.status)
    gg_call_loop(&call, (gg_loop){.threads = gg_threads(options->run.threads),
                                  .count = n,
                                  .grain = 1 + 16384 / (n + 1),
                                  .work = repair_columns,
                                  .job = &repair});
  overlap_job job = {.weights = weights, .n = n, .rule = rule, .result = result};
  if (!call.status) compute_overlaps(&job, &call);
  gg_free(weights);
  return gg_call_end(&call);
}
