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

/* Sums the magnitudes of a range of the part's columns, without the diagonal. */
static void sum_columns(void *own, gg_range range) {
  const gg_overlap_part *part = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    const double *a = part->columns + j * part->n;
    double sum = 0;
    for (int64_t i = 0; i < part->n; ++i)
      sum += i == part->column + j ? 0 : fabs(a[i]);
    part->connectivity[part->column + j] = sum;
  }
}

/* --- sums of products ------------------------------------------------------------------------- */

/* True if a part is all of a symmetric matrix. */
static bool is_whole(const gg_overlap_part *part) {
  return part->row_count == part->n && part->column_count == part->n;
}

/* Returns a view of `count` columns of weights. */
static gpugeo_matrix view_of(const gg_overlap_part *part, const double *weights, int64_t count) {
  return (gpugeo_matrix){weights, GPUGEO_TYPE_DOUBLE, part->n, count, part->n, NULL};
}

/* Returns the root of the unit of sums, which is a power of four and at least n. */
static double root_of(int64_t n) {
  double root = 1;
  while (root * root < (double)n)
    root *= 2;
  return root;
}

/* Writes the sums of a part, in multiples of the unit. scale: 2 n, for columns that are (a - 0) /
 * root. */
static void multiply_columns(const gg_overlap_part *part, const double *scale, gg_call *call) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run = *call->run;
  const gpugeo_matrix rows = view_of(part, part->rows, part->row_count);
  const gpugeo_matrix columns = view_of(part, part->columns, part->column_count);
  gg_dist_plan plan =
      gg_dist_plan_make(&rows, is_whole(part) ? NULL : &columns, &options, GG_FINISH_SIMILARITY);
  plan.step = GG_STEP_product;
  plan.prepare = GG_PREPARE_SCALED;
  plan.centre = scale;
  plan.factor = scale + part->n;
  plan.finite = true;
  plan.shape = part->shape;
  plan.type = GPUGEO_TYPE_DOUBLE;
  plan.out = part->sums;
  gg_request request = gg_dist_request(&plan, GG_FAMILY_DIST, &options, 0);
  request.bytes += 8 * request.work / (double)plan.m;
  GG_TRY(call, gg_backend_spread(call->run, &request, &plan.backend, &plan.device, &plan.workers,
                                 call->error));
  if (call->status) return;
  const gpugeo_report before = *call->report; /* of the correlations */
  *call->report = gg_report_of(plan.backend, plan.device, plan.workers, plan.threads);
  call->report->notes |= before.notes;
  call->report->missing = before.missing;
  GG_TRY(call, plan.backend->dist(&plan, call));
}

/* Does so, unless the overlaps need no sums. */
static void sum_products(const gg_overlap_part *part, gg_call *call) {
  const int64_t n = part->n;
  if (call->status || part->rule->type == GG_OVERLAP_NONE || n < 2) return;
  double *scale = gg_call_allocate(call, 2 * n, sizeof *scale);
  if (!scale) return;
  for (int64_t k = 0; k < n; ++k)
    scale[k] = 0, scale[n + k] = root_of(n);
  multiply_columns(part, scale, call);
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

/* Writes the overlaps of column j of a part, in rows [first, row_count). sums and out: of row 0. */
static void finish_column(const gg_overlap_part *part, int64_t j, int64_t first, const double *sums,
                          double *out) {
  const gg_overlap_rule *rule = part->rule;
  const double *a = part->columns + j * part->n + part->row, *k = part->connectivity + part->row;
  const double own = part->connectivity[part->column + j], root = root_of(part->n);
  const bool summed = rule->type != GG_OVERLAP_NONE;
  for (int64_t i = first; i < part->row_count; ++i) {
    const double f = rule->mean ? 0.5 * (k[i] + own) : k[i] < own ? k[i] : own;
    double overlap = overlap_value(rule->type, a[i], summed ? sums[i] * (root * root) : 0, f);
    if ((rule->suppress_zero && a[i] == 0) || (rule->suppress_negative && overlap < 0)) overlap = 0;
    out[i] = rule->distances ? 1 - overlap : overlap;
  }
}

/* Writes the overlaps of a range of columns. */
static void finish_columns(void *own, gg_range range) {
  const gg_overlap_part *part = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    if (part->shape == GPUGEO_SHAPE_CONDENSED) {
      const int64_t at = gg_condensed_column(part->n, j) - j - 1;
      finish_column(part, j, j + 1, part->sums + at, part->out + at);
      continue;
    }
    double *out = part->out + j * part->out_rows;
    finish_column(part, j, 0, part->sums + j * part->row_count, out);
    const int64_t diagonal = part->column + j - part->row;
    if (diagonal >= 0 && diagonal < part->row_count) out[diagonal] = part->rule->distances ? 0 : 1;
  }
}

/* Returns a loop over the columns of a part. */
static gg_loop column_loop(gg_overlap_part *part, void (*work)(void *own, gg_range range),
                           gg_call *call) {
  return (gg_loop){.threads = gg_threads(call->run->threads),
                   .count = part->column_count,
                   .grain = 1 + 16384 / (part->n + 1),
                   .work = work,
                   .job = part};
}

gpugeo_status gg_overlap_sum(gg_overlap_part *part, gg_call *call) {
  return call->status ? call->status : gg_call_loop(call, column_loop(part, sum_columns, call));
}

gpugeo_status gg_overlap_compute(gg_overlap_part *part, gg_call *call) {
  sum_products(part, call);
  return call->status ? call->status : gg_call_loop(call, column_loop(part, finish_columns, call));
}

/* Computes all overlaps of weights that are ready. */
static gpugeo_status compute_all(const double *weights, int64_t n, const gg_overlap_rule *rule,
                                 const gg_overlap_result *result, gg_call *call) {
  gg_overlap_part part = {.n = n,
                          .rule = rule,
                          .rows = weights,
                          .columns = weights,
                          .row_count = n,
                          .column_count = n,
                          .shape = result->shape,
                          .sums = result->out,
                          .out = result->out,
                          .out_rows = n};
  part.connectivity = gg_call_allocate(call, n, sizeof *part.connectivity);
  gg_overlap_sum(&part, call);
  gg_overlap_compute(&part, call);
  gg_free(part.connectivity);
  return call->status;
}

gpugeo_status gg_overlap_check_size(int64_t n, gpugeo_shape shape, bool correlated,
                                    gpugeo_error *error) {
  const double all = (double)n * (double)n, half = 0.5 * (double)n * (double)(n - 1);
  return gg_check_result(shape == GPUGEO_SHAPE_CONDENSED ? half : all, GPUGEO_TYPE_DOUBLE,
                         correlated ? 8 * all : 0, error);
}

gpugeo_status gg_overlap_ready(const gpugeo_matrix *weights, const gg_overlap_rule *rule,
                               const double **ready, double **copy, gg_call *call) {
  bool exact = false;
  const bool is_unsigned = rule->type == GG_OVERLAP_UNSIGNED || rule->type == GG_OVERLAP_UNSIGNED_2;
  *copy = NULL;
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_network_check(weights, is_unsigned ? 0 : -1, &exact, call->error));
  GG_TRY(call, gg_report_start(call->run, GG_FAMILY_DIST, call->report, call->error));
  if (call->status) return call->status;
  if (!exact || !is_ready(weights)) *copy = copy_weights(weights, call);
  *ready = *copy ? *copy : weights->data;
  return call->status;
}

gpugeo_status gg_overlap(const gpugeo_matrix *weights, const gpugeo_run *run,
                         const gg_overlap_rule *rule, const gg_overlap_result *result,
                         gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  const double *ready;
  double *copy;
  gg_call_begin(&call, run, report, error);
  if (!gg_overlap_ready(weights, rule, &ready, &copy, &call))
    compute_all(ready, weights->nrow, rule, result, &call);
  gg_free(copy);
  return gg_call_end(&call);
}

/* Replaces missing weights by 0, and those on the diagonal by 1, in a range of the part's columns.
 */
static void repair_columns(void *own, gg_range range) {
  const gg_overlap_part *part = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *a = part->out + j * part->n;
    for (int64_t i = 0; i < part->n; ++i)
      a[i] = a[i] == a[i] ? a[i] : 0;
    a[part->column + j] = 1;
  }
}

gg_adjacency_rule gg_overlap_network(const gg_adjacency_rule *network,
                                     const gg_overlap_rule *rule) {
  gg_adjacency_rule signs = *network;
  signs.keep_sign = network->network == GG_NETWORK_UNSIGNED && rule->type != GG_OVERLAP_NONE &&
                    rule->type != GG_OVERLAP_UNSIGNED && rule->type != GG_OVERLAP_UNSIGNED_2;
  return signs;
}

gpugeo_status gg_overlap_weights(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t first,
                                 const gpugeo_cor_options *options,
                                 const gg_adjacency_rule *network, double *out, gg_call *call) {
  gpugeo_cor_options quiet = *options;
  quiet.run.progress = NULL;
  GG_TRY(call, gg_adjacency(x, y, &quiet, network, out, call->report, call->error));
  gg_overlap_part part = {
      .n = x->ncol, .column = first, .column_count = y ? y->ncol : x->ncol, .out = out};
  return call->status ? call->status : gg_call_loop(call, column_loop(&part, repair_columns, call));
}

gpugeo_status gg_overlap_of_columns(const gpugeo_matrix *x, const gpugeo_cor_options *options,
                                    const gg_adjacency_rule *network, const gg_overlap_rule *rule,
                                    const gg_overlap_result *result, gpugeo_report *report,
                                    gpugeo_error *error) {
  gg_call call;
  const gg_adjacency_rule signs = gg_overlap_network(network, rule);
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_check_run(&options->run, error));
  GG_TRY(&call, gg_check_any_matrix("x", x, error));
  if (call.status) return call.status;
  double *weights = gg_call_allocate(&call, x->ncol * x->ncol, sizeof *weights);
  if (!call.status) gg_overlap_weights(x, NULL, 0, options, &signs, weights, &call);
  if (!call.status) compute_all(weights, x->ncol, rule, result, &call);
  gg_free(weights);
  return gg_call_end(&call);
}
