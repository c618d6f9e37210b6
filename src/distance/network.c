/*
 * Weights of networks of correlations (Zhang and Horvath 2005, Statistical Applications in Genetics
 * and Molecular Biology 4(1), 17). A weight depends on its correlation only. Powers that are whole
 * numbers are products, so the weights are the terms of the sums in connectivity.c.
 *
 * Limit: the memory, for powers up to about 6.
 */
#include "distance/network.h"

#include <math.h>

typedef double real;
#include "common/vector.h"

#include "distance/power.h"

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/error.h"
#include "common/inspect.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "distance/square.h"

enum { CHUNK = GG_NETWORK_CHUNK, MOST_WHOLE = 64 };

/* Fills in the defaults of a rule. */
static void fill_rule(void *rule) { *(gg_adjacency_rule *)rule = (gg_adjacency_rule){.power = 6}; }

static const char *const network_names[] = {"unsigned", "signed", "signed hybrid", NULL};

static const gg_option rule_rows[] = {
    {GG_OPTION("networkType", CHOICE, gg_adjacency_rule, network), .octave = "network",
     .names = network_names},
    {GG_OPTION("power", NUMBER, gg_adjacency_rule, power), .allowed = GG_POSITIVE},
};

const gg_option_table gg_adjacency_options =
    GG_OPTION_TABLE(rule_rows, gg_adjacency_rule, fill_rule);

void gg_network_similarities(const double *r, int64_t n, gg_network network, double *s) {
  for (int64_t k = 0; k < n; ++k) {
    const double value = network == GG_NETWORK_UNSIGNED ? fabs(r[k])
                         : network == GG_NETWORK_SIGNED ? 0.5 * (1 + r[k])
                         : r[k] < 0                     ? 0
                                                        : r[k];
    s[k] = value == value ? value : 0;
  }
}

bool gg_network_is_whole(double power) { return power <= MOST_WHOLE && power == floor(power); }

void gg_network_raise(const double *s, double from, double to, double *t) {
  if (!gg_network_is_whole(to)) {
    for (int64_t k = 0; k < CHUNK; ++k)
      t[k] = v_pow(s[k], to);
    return;
  }
  for (double power = from; power < to; ++power)
    for (int64_t k = 0; k < CHUNK; ++k)
      t[k] *= s[k];
}

gpugeo_status gg_network_check_power(const char *argument, double power, gpugeo_error *error) {
  if (power > 0 && power < INFINITY) return GPUGEO_OK;
  const gg_given given = gg_given_number(power);
  return gg_fail_given(error, argument, GG_POSITIVE, &given);
}

/* Columns of correlations that become weights. */
typedef struct weight_job {
  const gg_adjacency_rule *rule;
  const gpugeo_matrix *given; /* the correlations, or NULL if they are at `out` */
  double *out;                /* rows by any number of columns */
  int64_t rows;
  double missing;
} weight_job;

/* Replaces at most CHUNK correlations by their weights. */
static void weigh_chunk(const weight_job *job, double *r, int64_t n) {
  double s[CHUNK] = {0}, t[CHUNK];
  gg_network_similarities(r, n, job->rule->network, s);
  for (int64_t k = 0; k < CHUNK; ++k)
    t[k] = s[k];
  gg_network_raise(s, 1, job->rule->power, t);
  const bool keep = job->rule->keep_sign;
  for (int64_t k = 0; k < n; ++k) {
    const double weight = keep && r[k] < 0 ? -t[k] : t[k];
    r[k] = r[k] == r[k] ? weight : job->missing;
  }
}

/* Replaces a range of columns of correlations by their weights. */
static void weigh_columns(void *own, gg_range range) {
  const weight_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *column = job->out + j * job->rows;
    for (int64_t i = 0; job->given && i < job->rows; ++i) {
      const double r = gg_element(job->given, i, j);
      column[i] = r > 1 ? 1 : r < -1 ? -1 : r;
    }
    for (int64_t i = 0; i < job->rows; i += CHUNK)
      weigh_chunk(job, column + i, gg_smaller(CHUNK, job->rows - i));
  }
}

/* Replaces all correlations by their weights. */
static gpugeo_status weigh_all(weight_job *job, int64_t columns, gg_call *call) {
  if (call->status) return call->status;
  return gg_call_loop(call, (gg_loop){.threads = gg_threads(call->run->threads),
                                      .count = columns,
                                      .grain = 1 + 16384 / (job->rows + 1),
                                      .work = weigh_columns,
                                      .job = job});
}

gpugeo_status gg_adjacency(const gpugeo_matrix *x, const gpugeo_matrix *y,
                           const gpugeo_cor_options *options, const gg_adjacency_rule *rule,
                           double *out, gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  gpugeo_cor_options known = *options;
  known.missing = NAN;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, gg_network_check_power("power", rule->power, error));
  GG_TRY(&call, gpugeo_cor(x, y, &known, GPUGEO_TYPE_DOUBLE, out, call.report, error));
  weight_job job = {rule, NULL, out, x->ncol, options->missing};
  weigh_all(&job, y ? y->ncol : x->ncol, &call);
  return gg_call_end(&call);
}

gpugeo_status gg_adjacency_of(const gpugeo_matrix *x, const gpugeo_run *run,
                              const gg_adjacency_rule *rule, double missing, double *out,
                              gpugeo_report *report, gpugeo_error *error) {
  gg_call call;
  bool exact;
  gg_call_begin(&call, run, report, error);
  GG_TRY(&call, gg_check_run(run, error));
  GG_TRY(&call, gg_network_check_power("power", rule->power, error));
  GG_TRY(&call, gg_network_check(x, -1, &exact, error));
  GG_TRY(&call, gg_report_start(run, GG_FAMILY_DIST, call.report, error));
  weight_job job = {rule, x, out, x->nrow, missing};
  weigh_all(&job, x->ncol, &call);
  return gg_call_end(&call);
}

/* Fails unless the elements of a square matrix are missing or within their range. */
static gpugeo_status check_range(const gpugeo_matrix *x, int least, gpugeo_error *error) {
  for (int64_t j = 0; j < x->ncol; ++j)
    for (int64_t i = 0; i < x->nrow; ++i) {
      const double value = gg_element(x, i, j);
      if (value != value || (value >= least && value <= 1)) continue;
      if (value >= least - 1e-8 && value <= 1 + 1e-8) continue;
      const gg_given given = gg_given_number(value);
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                     "x must be between %d and 1, but element (%lld, %lld) is %s", least,
                     (long long)i + 1, (long long)j + 1, gg_show(&given).text);
    }
  return GPUGEO_OK;
}

gpugeo_status gg_network_check(const gpugeo_matrix *x, int least, bool *exact,
                               gpugeo_error *error) {
  gpugeo_status status = gg_check_matrix("x", x, error);
  if (status) return status;
  if (x->nrow != x->ncol)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must be a square matrix, not one of %lld rows and %lld columns",
                   (long long)x->nrow, (long long)x->ncol);
  const gg_asymmetry found = gg_asymmetry_find(x);
  *exact = found.gap == 0;
  if (!gg_is_symmetric(x, &found)) {
    const gg_given above = gg_given_number(gg_element(x, found.column, found.row));
    const gg_given below = gg_given_number(gg_element(x, found.row, found.column));
    return gg_fail_asymmetric(error, "x", &found, &above, &below, "");
  }
  return check_range(x, least, error);
}

gpugeo_matrix gg_network_columns(const gpugeo_matrix *x, int64_t first, int64_t count) {
  const int64_t size = x->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
  gpugeo_matrix part = *x;
  part.ncol = count;
  if (x->data) part.data = (const char *)x->data + first * x->ld * size;
  return part;
}

gpugeo_cor_options gg_network_part_options(const gpugeo_cor_options *options, int64_t first,
                                           int64_t count) {
  gpugeo_cor_options part = *options;
  part.weights_y = options->weights_x;
  if (part.weights_y.ncol > 1) part.weights_y = gg_network_columns(&part.weights_y, first, count);
  return part;
}

gpugeo_status gg_network_panel_options(const gpugeo_matrix *x, gpugeo_cor_options *options,
                                       gg_call *call) {
  options->missing = NAN;
  options->run.progress = NULL;
  call->report->notes = 0;
  if (call->status || options->method != GPUGEO_COR_METHOD_BICOR ||
      options->pearson_fallback != GPUGEO_PEARSON_FALLBACK_ALL || x->ncol == 0)
    return call->status;
  const gpugeo_matrix first = gg_network_columns(x, 0, 1);
  double *room = gg_call_allocate(call, x->ncol, sizeof *room);
  if (!room) return call->status;
  GG_TRY(call, gpugeo_cor(x, &first, options, GPUGEO_TYPE_DOUBLE, room, call->report, call->error));
  if (call->report->notes & GPUGEO_NOTE_ZERO_MAD) options->robust_x = options->robust_y = 0;
  gg_free(room);
  return call->status;
}

void gg_network_add_notes(const gpugeo_report *report, int32_t *notes, gpugeo_missing *missing) {
  *notes |= report->notes;
  if (!(report->notes & (GPUGEO_NOTE_ZERO_MAD | GPUGEO_NOTE_MISSING))) return;
  *missing = report->missing;
  missing->y_rows = 0;
}
