/* Distances of aligned proteins: arguments, the sites that count, and the pass over all pairs. */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/context.h"
#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/portable_log.h"
#include "sequences/aa_model.h"
#include "sequences/text_codes.h"

GG_OPTIONS_INIT(dist_aa, .model = GPUGEO_AA_MODEL_JTT, .categories = 1, .shape = 1)

#define SHAPE_ALLOWED "a number between 0.001 and 1000"

static const gg_option option_rows[] = {
    {GG_OPTION("model", CHOICE, gpugeo_dist_aa_options, model), .choices = GPUGEO_ENUM_AA_MODEL},
    {GG_OPTION("exclude", CHOICE, gpugeo_dist_aa_options, exclude),
     .choices = GPUGEO_ENUM_AA_EXCLUDE},
    {GG_OPTION_ARRAY("bf", DOUBLES, gpugeo_dist_aa_options, base_freq, base_freq_length),
     .may_be_null = true},
    {GG_OPTION_ARRAY("Q", DOUBLES, gpugeo_dist_aa_options, rates, rates_length), .octave = "q",
     .may_be_null = true},
    {GG_OPTION("k", WHOLE, gpugeo_dist_aa_options, categories), .least = 1,
     .most = GG_GAMMA_CATEGORIES},
    {GG_OPTION("shape", NUMBER, gpugeo_dist_aa_options, shape), .allowed = SHAPE_ALLOWED},
};

GG_DEFINE_OPTIONS(dist_aa, option_rows);

/* The codes of letters in upper case from "*" to "Z", plus 1; 0: no letter of a protein. */
static const uint8_t letter_codes[] = {
    ['*' - '*'] = GG_AA_ANY + 1,
    ['-' - '*'] = GG_AA_ANY + 1,
    ['.' - '*'] = GG_AA_ANY + 1,
    ['?' - '*'] = GG_AA_ANY + 1,
    ['A' - '*'] = 1,
    ['B' - '*'] = GG_AA_B + 1,
    ['C' - '*'] = 5,
    ['D' - '*'] = 4,
    ['E' - '*'] = 7,
    ['F' - '*'] = 14,
    ['G' - '*'] = 8,
    ['H' - '*'] = 9,
    ['I' - '*'] = 10,
    ['J' - '*'] = GG_AA_J + 1,
    ['K' - '*'] = 12,
    ['L' - '*'] = 11,
    ['M' - '*'] = 13,
    ['N' - '*'] = 3,
    ['O' - '*'] = GG_AA_ANY + 1,
    ['P' - '*'] = 15,
    ['Q' - '*'] = 6,
    ['R' - '*'] = 2,
    ['S' - '*'] = 16,
    ['T' - '*'] = 17,
    ['U' - '*'] = GG_AA_ANY + 1,
    ['V' - '*'] = 20,
    ['W' - '*'] = 18,
    ['X' - '*'] = GG_AA_ANY + 1,
    ['Y' - '*'] = 19,
    ['Z' - '*'] = GG_AA_Z + 1,
};

/* All that a call holds. */
typedef struct aa_job {
  const gpugeo_dist_aa_options *options;
  int64_t count, sites; /* sites: those of `codes` */
  uint8_t *codes;       /* of each sequence, one after the other */
  gg_aa_model *model;   /* NULL: the distance needs none */
  double *out;
} aa_job;

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the distribution of rates. */
static gpugeo_status check_rates(const gpugeo_dist_aa_options *options, gg_call *call) {
  if (call->status) return call->status;
  if (options->categories < 1 || options->categories > GG_GAMMA_CATEGORIES)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "k",
                                "k must be between 1 and %d, not %d", GG_GAMMA_CATEGORIES,
                                (int)options->categories));
  if (options->categories > 1 && options->model < GPUGEO_AA_MODEL_JTT)
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "k",
                                "k must be 1 for model \"%s\", which has one rate, not %d",
                                gpugeo_name(GPUGEO_ENUM_AA_MODEL, (int32_t)options->model),
                                (int)options->categories));
  if (options->shape >= 0.001 && options->shape <= 1000) return GPUGEO_OK;
  const gg_given given = gg_given_number(options->shape);
  return GG_TRY(call, gg_fail_given(call->error, "shape", SHAPE_ALLOWED, &given));
}

/* Checks that a model has rates and shares that others can replace. */
static gpugeo_status check_replaced(const char *name, gpugeo_aa_model model, gg_call *call) {
  if (call->status || model >= GPUGEO_AA_MODEL_JTT) return call->status;
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, name,
                              "%s must be left out for model \"%s\", which has no rates", name,
                              gpugeo_name(GPUGEO_ENUM_AA_MODEL, (int32_t)model)));
}

static const double LEAST_SHARE = 1e-10;

/* Checks shares of amino acids. */
static gpugeo_status check_shares(const gpugeo_dist_aa_options *options, gg_call *call) {
  if (call->status || !options->base_freq) return call->status;
  double sum = 0;
  bool good = options->base_freq_length == GG_AA_COUNT;
  for (int i = 0; good && i < GG_AA_COUNT; ++i) {
    good = options->base_freq[i] >= LEAST_SHARE;
    sum += options->base_freq[i];
  }
  if (good && fabs(sum - 1) < 1e-3) return check_replaced("bf", options->model, call);
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "bf",
                              "bf must be the shares of the amino acids ARNDCQEGHILKMFPSTWYV, 20 "
                              "numbers of at least 1e-10 whose sum is 1"));
}

/* True if changes at rates above 0 lead from each amino acid to all others. */
static bool are_joined(const double *rates) {
  uint32_t reached = 1;
  for (int step = 1; step < GG_AA_COUNT; ++step)
    for (int j = 0, k = 0; j < GG_AA_COUNT; ++j)
      for (int i = j + 1; i < GG_AA_COUNT; ++i, ++k)
        if (rates[k] > 0 && ((reached >> i | reached >> j) & 1)) reached |= 1u << i | 1u << j;
  return reached == (1u << GG_AA_COUNT) - 1;
}

/* Checks rates. */
static gpugeo_status check_own_rates(const gpugeo_dist_aa_options *options, gg_call *call) {
  if (call->status || !options->rates) return call->status;
  bool good = options->rates_length == GG_AA_RATES;
  for (int k = 0; good && k < GG_AA_RATES; ++k)
    good = options->rates[k] >= 0 && isfinite(options->rates[k]);
  if (good && are_joined(options->rates)) return check_replaced("Q", options->model, call);
  return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "Q",
                              "Q must be the lower triangle of a matrix of rates, 190 finite "
                              "numbers of at least 0 by which all amino acids can change into all "
                              "others"));
}

/* Checks the options. */
static gpugeo_status check_options(const gpugeo_dist_aa_options *options, gg_call *call) {
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_family(call->run, GG_FAMILY_SEQUENCES, call->error));
  if (options->model < 0 || options->model >= GPUGEO_AA_MODEL_COUNT)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "model",
                         "model must be between 0 and %d, not %d", GPUGEO_AA_MODEL_COUNT - 1,
                         (int)options->model));
  if (options->exclude < 0 || options->exclude >= GPUGEO_AA_EXCLUDE_COUNT)
    GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "exclude",
                         "exclude must be between 0 and %d, not %d", GPUGEO_AA_EXCLUDE_COUNT - 1,
                         (int)options->exclude));
  check_shares(options, call);
  check_own_rates(options, call);
  return check_rates(options, call);
}

/* Checks that all sequences are there and have one length, which it writes. */
static gpugeo_status check_lengths(const gpugeo_texts *x, aa_job *job, gg_call *call) {
  for (int64_t i = 0; i < job->count && !call->status; ++i) {
    if (!x->text[i])
      return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                                  "x must have no missing sequences, but sequence %lld is missing",
                                  (long long)i + 1));
    const int64_t length = gg_text_bytes(x, i);
    if (i == 0) job->sites = length;
    if (length != job->sites)
      return GG_TRY(call,
                    gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                            "x must have sequences of equal lengths, but sequence %lld has %lld "
                            "sites and sequence 1 has %lld",
                            (long long)i + 1, (long long)length, (long long)job->sites));
  }
  return call->status;
}

/* Reads a sequence. */
static gpugeo_status read_sequence(const char *text, int64_t i, const aa_job *job, gg_call *call) {
  uint8_t *codes = job->codes + i * job->sites;
  for (int64_t k = 0; k < job->sites; ++k) {
    const unsigned byte = (unsigned char)text[k];
    const unsigned at = (byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte) - '*';
    codes[k] = (uint8_t)((at < sizeof letter_codes ? letter_codes[at] : 0) - 1);
    if (codes[k] < GG_AA_CODES) continue;
    const char shown[] = {(char)(byte > 0x20 && byte < 0x7f ? byte : '?'), 0};
    return GG_TRY(call, gg_fail(call->error, GPUGEO_ERROR_ARGUMENT, "x",
                                "x must be one of ARNDCQEGHILKMFPSTWYVBZJXUO*-?., but letter %lld "
                                "of sequence %lld is \"%s\"",
                                (long long)k + 1, (long long)i + 1, shown));
  }
  return GPUGEO_OK;
}

/* Reads all sequences. */
static gpugeo_status read_sequences(const gpugeo_texts *x, aa_job *job, gg_call *call) {
  gg_texts_check("x", x, call);
  if (call->status) return call->status;
  job->count = x->count;
  if (check_lengths(x, job, call)) return call->status;
  const double bytes = (double)job->count * (double)job->sites;
  GG_TRY(call, gg_check_work(call->run, bytes, call->error, "%lld sequences of %lld sites",
                             (long long)job->count, (long long)job->sites));
  GG_TRY(call,
         gg_check_memory(bytes, "x", call->error, "distances of %lld sequences of %lld sites need",
                         (long long)job->count, (long long)job->sites));
  job->codes = gg_call_allocate(call, job->count * job->sites + 1, 1);
  for (int64_t i = 0; i < job->count && !call->status; ++i)
    if (!gg_call_poll(call, 0)) read_sequence(x->text[i], i, job, call);
  return call->status;
}

/* --- Sites ------------------------------------------------------------------------------------ */

/* True if all sequences have one of the 20 amino acids at a site. */
static bool is_complete(const aa_job *job, int64_t site) {
  for (int64_t i = 0; i < job->count; ++i)
    if (job->codes[i * job->sites + site] >= GG_AA_COUNT) return false;
  return true;
}

/* Removes the sites that are not complete. */
static gpugeo_status keep_complete(aa_job *job, gg_call *call) {
  if (call->status || job->options->exclude != GPUGEO_AA_EXCLUDE_ALL) return call->status;
  int64_t *kept = gg_call_allocate(call, job->sites + 1, sizeof *kept), sites = 0;
  for (int64_t k = 0; k < job->sites && !call->status; ++k)
    if (gg_clock_poll_loop(call->clock, k))
      GG_TRY(call, gg_fail_interrupt(call->error));
    else if (is_complete(job, k))
      kept[sites++] = k;
  uint8_t *to = job->codes;
  for (int64_t i = 0; i < job->count && !call->status; ++i)
    for (int64_t k = 0; k < sites; ++k)
      *to++ = job->codes[i * job->sites + kept[k]];
  job->sites = sites;
  gg_free(kept);
  return call->status;
}

/* --- Distances -------------------------------------------------------------------------------- */

/* What a pair of sequences has in common. */
typedef struct pair_table {
  int64_t differ, sites;
  int64_t cells[GG_AA_CELLS]; /* sites with information in both */
} pair_table;

/* Reads the table of all pairs of codes. */
static void read_table(const int64_t *counts, bool pairwise, int64_t sites, pair_table *table) {
  *table = (pair_table){.sites = sites};
  for (int a = 0; a < GG_AA_CODES; ++a)
    for (int b = 0; b < GG_AA_CODES; ++b) {
      const int64_t count = counts[a * GG_AA_CODES + b];
      if (count == 0) continue;
      if (pairwise && (a >= GG_AA_COUNT || b >= GG_AA_COUNT)) {
        table->sites -= count;
        continue;
      }
      if (!(gg_aa_set(a) & gg_aa_set(b))) table->differ += count;
      if (a < GG_AA_ANY && b < GG_AA_ANY) table->cells[gg_aa_cell(a, b)] += count;
    }
}

/* Counts the pairs of codes of two sequences. */
static void count_pair(const aa_job *job, int64_t i, int64_t j, pair_table *table) {
  const uint8_t *a = job->codes + i * job->sites, *b = job->codes + j * job->sites;
  int64_t counts[GG_AA_CODES * GG_AA_CODES] = {0};
  for (int64_t k = 0; k < job->sites; ++k)
    ++counts[a[k] * GG_AA_CODES + b[k]];
  read_table(counts, job->options->exclude == GPUGEO_AA_EXCLUDE_PAIRWISE, job->sites, table);
}

/* Returns the distance of a pair. */
static double distance_of(const aa_job *job, int64_t i, int64_t j) {
  pair_table table;
  count_pair(job, i, j, &table);
  if (job->options->model == GPUGEO_AA_MODEL_HAMMING) return (double)table.differ;
  if (table.sites == 0) return NAN;
  if (job->model) return gg_aa_distance(job->model, table.cells);
  const double sites = (double)table.sites, differ = (double)table.differ, p = differ / sites;
  if (job->options->model == GPUGEO_AA_MODEL_P) return p;
  if (job->options->model == GPUGEO_AA_MODEL_POISSON) return 0 - gg_log1p(-p);
  return 0 - gg_log1p(-p - p * p / 5);
}

/* Writes columns; the loop's work. */
static void write_columns(void *own, gg_range range) {
  const aa_job *job = own;
  for (int64_t j = range.first; j < range.last; ++j) {
    double *out = job->out + gg_condensed_column(job->count, j);
    for (int64_t i = j + 1; i < job->count; ++i)
      *out++ = distance_of(job, i, j);
  }
}

/* Makes the model, if the distance needs one. */
static gpugeo_status make_model(aa_job *job, gg_call *call) {
  if (job->options->model < GPUGEO_AA_MODEL_JTT) return call->status;
  job->model = gg_call_allocate(call, 1, sizeof *job->model);
  const gpugeo_dist_aa_options *options = job->options;
  if (gg_aa_model_make(options->model, options->base_freq, options->rates, job->model, call))
    return call->status;
  job->model->categories = options->categories;
  gg_gamma_rates(options->categories, options->shape, job->model->of_category);
  return call->status;
}

/* Runs the loop over all pairs. */
static gpugeo_status compute(aa_job *job, gg_call *call) {
  if (call->status) return call->status;
  /* In 0.1 ns, measured. */
  const double model = 190000 + 10000 * (double)job->options->categories;
  const double pair = 10 * (double)job->sites + (job->model ? model : 8000);
  const double row = pair * (double)job->count;
  const int32_t threads = gg_threads_for(call->run->threads, row * (double)job->count / 2);
  *call->report = gg_report_of(gg_host_backend(), -1, 1, threads);
  return gg_call_loop(call, (gg_loop){.threads = threads,
                                      .count = job->count,
                                      .grain = 1 + (int64_t)(1e6 / (row + 1)), /* 0.1 ms */
                                      .work = write_columns,
                                      .job = job,
                                      .share = 1});
}

gpugeo_status gpugeo_dist_aa(const gpugeo_texts *x, const gpugeo_dist_aa_options *options,
                             double *out, gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_aa_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_aa_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  aa_job job = {.options = options, .out = out};
  check_options(options, &call);
  read_sequences(x, &job, &call);
  keep_complete(&job, &call);
  make_model(&job, &call);
  compute(&job, &call);
  gg_free(job.codes);
  gg_free(job.model);
  return gg_call_end(&call);
}
