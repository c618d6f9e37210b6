/* Distances of aligned sequences of DNA: arguments, the sites that count, and the pass over all
   pairs. */
#include <math.h>
#include <string.h>

#include "common/backend.h"
#include "common/call.h"
#include "common/context.h"
#include "common/dist_lazy.h"
#include "common/error.h"
#include "common/integer.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/option_table.h"
#include "common/options.h"
#include "common/random.h"
#include "sequences/dist_dna.h"
#include "sequences/dna_backend.h"

GG_OPTIONS_INIT(dist_dna, .model = GPUGEO_DNA_MODEL_K80)

#define GAMMA_ALLOWED "false, true or a positive number"

static const gg_option option_rows[] = {
    {GG_OPTION("model", CHOICE, gpugeo_dist_dna_options, model), .choices = GPUGEO_ENUM_DNA_MODEL},
    {GG_OPTION("pairwise.deletion", FLAG, gpugeo_dist_dna_options, pairwise_deletion),
     .octave = "pairwise_deletion"},
    {GG_OPTION("gamma", NUMBER, gpugeo_dist_dna_options, gamma), .allowed = GAMMA_ALLOWED},
    {GG_OPTION("variance", FLAG, gpugeo_dist_dna_options, variance)},
    {GG_OPTION_ARRAY("base.freq", DOUBLES, gpugeo_dist_dna_options, base_freq, base_freq_length),
     .octave = "base_freq", .may_be_null = true},
    {GG_OPTION("pair.base.freq", FLAG, gpugeo_dist_dna_options, pair_base_freq),
     .octave = "pair_base_freq"},
    {GG_OPTION("count.sites", FLAG, gpugeo_dist_dna_options, count_sites), .octave = "count_sites"},
    {GG_OPTION("all.letters", FLAG, gpugeo_dist_dna_options, all_letters), .octave = "all_letters"},
};

GG_DEFINE_OPTIONS(dist_dna, option_rows);

/* --- Arguments -------------------------------------------------------------------------------- */

/* A sequence as messages name it. */
typedef struct sequence_text {
  char text[64];
} sequence_text;

/* Names a sequence by its number from 1, and its name if it has one. */
static sequence_text show_sequence(const gpugeo_sequences *x, int64_t i) {
  sequence_text shown;
  gg_item name = {.kind = GG_ITEM_TEXT};
  if (x->names) gg_item_text(&name, x->names[i]);
  snprintf(shown.text, sizeof shown.text, name.text[0] ? "%lld (\"%s\")" : "%lld", (long long)i + 1,
           name.text);
  gg_repair_utf8(shown.text);
  return shown;
}

/* Checks that all sequences have the length of the first, and describes them as an alignment. */
static gpugeo_status check_lengths(const gpugeo_sequences *x, gg_alignment *alignment,
                                   gpugeo_error *error) {
  const int64_t sites = x->count > 0 ? x->start[1] - x->start[0] : 0;
  *alignment = (gg_alignment){x->count, sites, x->codes, sites, 1};
  for (int64_t i = 1; i < x->count; ++i) {
    const int64_t length = x->start[i + 1] - x->start[i];
    if (length != sites)
      return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                     "x must have sequences of equal lengths, but sequence %s has %lld sites and "
                     "sequence %s has %lld",
                     show_sequence(x, i).text, (long long)length, show_sequence(x, 0).text,
                     (long long)sites);
  }
  return GPUGEO_OK;
}

/* Checks the sequences, and describes them as an alignment. */
static gpugeo_status check_sequences(const gpugeo_sequences *x, gg_alignment *alignment,
                                     gpugeo_error *error) {
  const int64_t most = (int64_t)1 << 48;
  if (!x) return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x", "x must not be NULL");
  if (x->count < 0 || x->count > INT32_MAX)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have between 0 and 2147483647 sequences, not %lld", (long long)x->count);
  if (x->start) return check_lengths(x, alignment, error);
  if (x->sites < 0 || x->sites > most || x->step < x->count)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "x",
                   "x must have between 0 and 2^48 sites, at least %lld codes apart, not %lld "
                   "sites, %lld codes apart",
                   (long long)x->count, (long long)x->sites, (long long)x->step);
  *alignment = (gg_alignment){x->count, x->sites, x->codes, 1, x->step};
  return GPUGEO_OK;
}

/* Fails because a model has no such option. */
static gpugeo_status fail_option(const char *option, gpugeo_dna_model model, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, option,
                 "%s must be false for model \"%s\", which has none", option,
                 gpugeo_name(GPUGEO_ENUM_DNA_MODEL, (int32_t)model));
}

/* Checks the shares of bases. */
static gpugeo_status check_bases(const gpugeo_dist_dna_options *options, gpugeo_error *error) {
  double sum = 0;
  bool good = options->base_freq_length == 4;
  for (int b = 0; good && b < 4; ++b) {
    good = options->base_freq[b] >= 0;
    sum += options->base_freq[b];
  }
  if (!options->base_freq || (good && fabs(sum - 1) < 1e-3)) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "base_freq",
                 "base_freq must be the shares of A, C, G and T, four numbers of at least 0 whose "
                 "sum is 1, or \"pair\"");
}

/* Checks that a model takes the shares of bases of each pair. */
static gpugeo_status check_pair_bases(const gpugeo_dist_dna_options *options, gpugeo_error *error) {
  if (!options->pair_base_freq || gg_dna_formula_of(options->model)->bases) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "base_freq",
                 "base_freq must be \"pair\" only with model \"F81\", \"F84\", \"T92\" or "
                 "\"TN93\", not with \"%s\"",
                 gpugeo_name(GPUGEO_ENUM_DNA_MODEL, (int32_t)options->model));
}

/* Checks the options. */
static gpugeo_status check_options(const gpugeo_dist_dna_options *options, gpugeo_error *error) {
  const gpugeo_dna_model model = options->model;
  if (model < 0 || model >= GPUGEO_DNA_MODEL_COUNT)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "model", "model must be between 0 and %d, not %d",
                   GPUGEO_DNA_MODEL_COUNT - 1, (int)model);
  const gg_dna_formula *formula = gg_dna_formula_of(model);
  const double gamma = options->gamma;
  if (gamma && !(gamma > 0 && isfinite(gamma))) {
    const gg_given given = gg_given_number(gamma);
    return gg_fail_given(error, "gamma", GAMMA_ALLOWED, &given);
  }
  if (gamma > 0 && !formula->gamma) return fail_option("gamma", model, error);
  if (options->variance && !formula->has_variance) return fail_option("variance", model, error);
  if (options->all_letters && model != GPUGEO_DNA_MODEL_SNP)
    return fail_option("all_letters", model, error);
  const gpugeo_status status = check_pair_bases(options, error);
  return status ? status : check_bases(options, error);
}

/* Returns the number of distances. */
static int64_t count_distances(int64_t n, gpugeo_dna_model model) {
  return model == GPUGEO_DNA_MODEL_BH87 ? n * n : n > 0 ? n * (n - 1) / 2 : 0;
}

gpugeo_status gpugeo_dist_dna_size(const gpugeo_sequences *x,
                                   const gpugeo_dist_dna_options *options, int64_t *size,
                                   gpugeo_error *error) {
  gg_alignment alignment;
  gpugeo_dist_dna_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_dna_options, options, taken, error);
  if (!status) status = check_sequences(x, &alignment, error);
  if (!status) status = check_options(options, error);
  if (status) return status;
  *size = count_distances(x->count, options->model);
  const double copies = 1 + (options->variance != 0) + (options->count_sites != 0);
  return gg_check_result(copies * (double)*size, GPUGEO_TYPE_DOUBLE, 0, error);
}

/* --- Pairs ------------------------------------------------------------------------------------ */

/* Reads the table of a pair, of (i, j) or, `swapped`, of (j, i). */
static void read_table(const int64_t *counts, bool swapped, gg_dna_pair *pair) {
  pair->sites = 0;
  for (int k = 0; k < 16; ++k) {
    pair->sites += (double)counts[k];
    *(swapped ? &pair->table[k % 4][k / 4] : &pair->table[k / 4][k % 4]) = (double)counts[k];
  }
}

/* Finds the changes in the table of a pair. */
static void find_changes(gg_dna_pair *pair) {
  const double(*t)[4] = pair->table;
  pair->purines = t[0][1] + t[1][0];
  pair->pyrimidines = t[2][3] + t[3][2];
  pair->first = t[0][2] + t[2][0] + t[1][3] + t[3][1];
  pair->second = t[0][3] + t[3][0] + t[1][2] + t[2][1];
}

/* Reads the counts of a pair, of (i, j) or, `swapped`, of (j, i). The table of the pair is set only
   if it is counted. */
static void read_pair(const gg_dna_job *job, const int64_t *counts, bool swapped,
                      gg_dna_pair *pair) {
  pair->sites = (double)job->planes.sites;
  pair->purines = pair->pyrimidines = pair->first = pair->second = 0;
  switch (job->kind) {
  case GG_COUNT_TABLE:
    read_table(counts, swapped, pair);
    find_changes(pair);
    return;
  case GG_COUNT_COMMON:
    pair->sites = (double)counts[0];
    pair->first = (double)counts[1];
    return;
  case GG_COUNT_CHANGES:
    pair->sites = (double)counts[0];
    pair->purines = (double)counts[1];
    pair->pyrimidines = (double)counts[2];
    pair->first = (double)counts[3];
    pair->second = (double)counts[4];
    return;
  default:
    pair->first = (double)counts[0];
  }
}

/* Computes the shares of bases of both sequences of a pair, at the sites of its table. */
static void find_bases(const gg_dna_pair *pair, double base[4]) {
  static const int row[] = {0, 2, 1, 3}; /* of A, C, G and T */
  for (int b = 0; b < 4; ++b) {
    double count = 0;
    for (int k = 0; k < 4; ++k)
      count += pair->table[row[b]][k] + pair->table[k][row[b]];
    base[b] = count / (2 * pair->sites);
  }
}

/* Returns the distance of a pair, of (i, j) or, `swapped`, of (j, i). */
static double distance_of(const gg_dna_job *job, int64_t i, int64_t j, const int64_t *counts,
                          bool swapped, double *variance) {
  if (job->options->model == GPUGEO_DNA_MODEL_INDELBLOCK)
    return (double)gg_gap_blocks_differ(&job->gaps, i, j);
  gg_dna_pair pair;
  read_pair(job, counts, swapped, &pair);
  if (job->gc) {
    pair.gc[0] = job->gc[j];
    pair.gc[1] = job->gc[i];
  }
  if (!job->options->pair_base_freq) return gg_dna_distance(&pair, &job->data, variance);
  gg_dna_data data = job->data;
  find_bases(&pair, data.base);
  return gg_dna_distance(&pair, &data, variance);
}

/* Writes the number of sites of the pair of a distance if that is wanted. */
static void write_sites(const gg_dna_job *job, const int64_t *counts, int64_t at) {
  gg_dna_pair pair;
  if (!job->options->site_counts) return;
  read_pair(job, counts, false, &pair);
  job->options->site_counts[at] = pair.sites;
}

/* Writes the distance of a pair. */
static void write_distance(void *own, int64_t i, int64_t j, const int64_t *counts) {
  const gg_dna_job *job = own;
  const int64_t at = gg_condensed_column(job->x.count, j) + i - j - 1;
  double *variance = job->options->variance ? job->variance + at : NULL;
  job->out[at] = distance_of(job, i, j, counts, false, variance);
  write_sites(job, counts, at);
}

/* Writes both distances of a pair into a square matrix. */
static void write_both(void *own, int64_t i, int64_t j, const int64_t *counts) {
  const gg_dna_job *job = own;
  const int64_t n = job->x.count;
  job->out[i + j * n] = distance_of(job, i, j, counts, false, NULL);
  job->out[j + i * n] = distance_of(job, i, j, counts, true, NULL);
  write_sites(job, counts, i + j * n);
  write_sites(job, counts, j + i * n);
}

/* Hands on the pairs of a block with their counts, of which INDELBLOCK has none. */
static gpugeo_status take_pairs(const gg_dna_job *job, const gpugeo_tile *block,
                                const gg_pair_sink *sink, double begun, gg_call *call) {
  if (job->options->model == GPUGEO_DNA_MODEL_INDELBLOCK)
    return gg_pair_visit(block, 20, job->threads, sink, begun, call);
  return gg_pair_counts(&job->counter, block, job->threads, sink, begun, call);
}

/* Subtracts the sites at which both sequences of a pair have the same one of four codes. */
static void subtract_equal(void *own, int64_t i, int64_t j, const int64_t *counts) {
  const gg_dna_job *job = own;
  job->out[gg_condensed_column(job->x.count, j) + i - j - 1] -= (double)(counts[0] - counts[1]);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Returns a value of a pair i > j by its counts. */
typedef double pair_value(const gg_dna_job *job, int64_t i, int64_t j, const int64_t *counts);

/* A tile of values of pairs, rows by columns. */
typedef struct value_tile {
  const gg_dna_job *job;
  const gpugeo_tile *tile;
  pair_value *value;
  double *out;
} value_tile;

/* Writes a value where the tile has row i and column j. */
static void write_at(const value_tile *t, int64_t i, int64_t j, double value) {
  const int64_t row = i - t->tile->row, column = j - t->tile->column;
  if (row >= 0 && row < t->tile->rows && column >= 0 && column < t->tile->columns)
    t->out[row + column * t->tile->rows] = value;
}

/* Writes the value of a pair on both sides of the diagonal. */
static void write_value(void *own, int64_t i, int64_t j, const int64_t *counts) {
  const value_tile *t = own;
  const double value = t->value(t->job, i, j, counts);
  write_at(t, i, j, value);
  write_at(t, j, i, value);
}

/* Writes the values of all pairs of a tile, and 0 for those of a sequence and itself. done, share:
   of the call's progress. */
static gpugeo_status compute_tile(const value_tile *t, double done, double share, gg_call *call) {
  gpugeo_tile blocks[5];
  const int count = gg_pair_blocks_of(t->tile, blocks);
  const gg_pair_sink sink = {write_value, (void *)(uintptr_t)t};
  for (int b = 0; b < count && !call->status; ++b) {
    gg_call_part part;
    gg_call_part_begin(call, done + share * b / count, share / count, &part);
    take_pairs(t->job, &blocks[b], &sink, 0, &part.call);
    gg_call_part_end(&part);
  }
  for (int64_t i = 0; i < t->tile->rows; ++i)
    write_at(t, t->tile->row + i, t->tile->row + i, 0);
  return call->status;
}

/* --- Models that need more than counts -------------------------------------------------------- */

/* Counts A, G, C and T of a sequence. */
static void count_bases(const gg_site_planes *planes, int64_t sequence, int64_t bases[4]) {
  const uint64_t *word = gg_site_planes_of(planes, sequence);
  memset(bases, 0, 4 * sizeof *bases);
  for (int64_t w = 0; w < planes->words; ++w) {
    const uint64_t high = word[w], low = word[w + planes->words];
    const uint64_t known = word[w + GG_PLANE_KNOWN * planes->words];
    bases[0] += __builtin_popcountll(known & ~high & ~low);
    bases[1] += __builtin_popcountll(low & ~high);
    bases[2] += __builtin_popcountll(high & ~low);
    bases[3] += __builtin_popcountll(high & low);
  }
}

/* Computes the share of G and C of each sequence. */
static gpugeo_status find_gc(gg_dna_job *job, gg_call *call) {
  job->gc = gg_call_allocate(call, job->planes.count + 1, sizeof *job->gc);
  for (int64_t i = 0; job->gc && i < job->planes.count; ++i) {
    int64_t bases[4];
    count_bases(&job->planes, i, bases);
    job->gc[i] =
        (double)(bases[1] + bases[2]) / (double)(bases[0] + bases[1] + bases[2] + bases[3]);
  }
  return call->status;
}

/* Returns the ratio of the rates of a pair. */
static double kappa_of(const gg_dna_job *job, int64_t i, int64_t j, const int64_t *counts) {
  gg_dna_pair pair;
  (void)i, (void)j;
  read_pair(job, counts, false, &pair);
  return gg_dna_kappa(&pair);
}

/* Adds the finite values below the diagonal of a tile that begins on it. */
static void add_finite(const value_tile *t, double *sum, double *pairs) {
  for (int64_t c = 0; c < t->tile->columns; ++c)
    for (int64_t r = c + 1; r < t->tile->rows; ++r) {
      const double value = t->out[r + c * t->tile->rows];
      if (!isfinite(value)) continue;
      *sum += value;
      ++*pairs;
    }
}

/* Computes the mean ratio of the rates of transitions and transversions, of the pairs that have a
   finite one, in their order: in strips of columns. */
static gpugeo_status find_kappa(gg_dna_job *job, gg_call *call) {
  enum { WIDTH = 64 };
  const int64_t n = job->x.count;
  double sum = 0, pairs = 0;
  double *values = gg_call_allocate(call, n * WIDTH + 1, sizeof *values);
  for (int64_t j = 0; j < n && !call->status; j += WIDTH) {
    const gpugeo_tile strip = {j, n - j, j, gg_smaller(WIDTH, n - j)};
    const value_tile tile = {job, &strip, kappa_of, values};
    const double done = (double)j / (double)n;
    compute_tile(&tile, 0.2 + 0.4 * done * (2 - done), 0, call);
    if (!call->status) add_finite(&tile, &sum, &pairs);
  }
  gg_free(values);
  job->data.kappa = sum / pairs;
  return call->status;
}

/* Writes the diagonal of a square matrix: 0, or NaN if a base is absent, as the formula does; and
   its sites. */
static void write_diagonal(const gg_dna_job *job) {
  const gg_site_planes *planes = &job->planes;
  for (int64_t i = 0; i < planes->count; ++i) {
    int64_t bases[4], known = 0;
    count_bases(planes, i, bases);
    for (int b = 0; b < 4; ++b)
      known += bases[b];
    const int64_t at = i + i * planes->count;
    job->out[at] = bases[0] && bases[1] && bases[2] && bases[3] ? 0 : NAN;
    if (job->options->site_counts) job->options->site_counts[at] = (double)known;
  }
}

/* Counts all sites whose codes differ: all sites, less those with equal bases, less those with
   other equal codes, four at a time. */
static gpugeo_status count_letters(gg_dna_job *job, gg_call *call) {
  static const uint8_t other_codes[][4] = {{0x04, 0xF0, 0x02, 0xC0},
                                           {0xA0, 0x90, 0x60, 0x50},
                                           {0x30, 0xE0, 0xB0, 0xD0},
                                           {0x70, 0x70, 0x70, 0x70}};
  const gg_pair_sink sink = {subtract_equal, job};
  const gpugeo_tile all = gg_pair_block_of(job->x.count);
  for (int64_t k = 0; k < count_distances(job->x.count, GPUGEO_DNA_MODEL_SNP); ++k) {
    job->out[k] = (double)job->x.sites;
    if (job->options->site_counts) job->options->site_counts[k] = (double)job->x.sites;
  }
  take_pairs(job, &all, &sink, 0.2, call);
  gg_pair_counter_free(&job->counter);
  for (size_t s = 0; s < sizeof other_codes / sizeof *other_codes; ++s) {
    gg_site_planes planes;
    gg_site_planes_of_codes(&job->x, other_codes[s], job->threads, &planes, call);
    gg_pair_counter counter;
    gg_pair_counter_make(&planes, job->kind, &counter, call);
    gg_pair_counts(&counter, &all, job->threads, &sink, 0.9, call);
    gg_pair_counter_free(&counter);
    gg_free(planes.bits);
  }
  return call->status;
}

/* Finds what the model needs besides counts. */
static gpugeo_status prepare_model(gg_dna_job *job, gg_call *call) {
  if (call->status) return call->status;
  if (job->options->model == GPUGEO_DNA_MODEL_INDELBLOCK)
    return gg_gap_blocks_find(&job->planes, &job->gaps, call);
  gg_pair_counter_make(&job->planes, job->kind, &job->counter, call);
  if (job->options->model != GPUGEO_DNA_MODEL_GG95) return call->status;
  find_gc(job, call);
  return find_kappa(job, call);
}

/* Computes the distances on a backend that has them, chosen by now. */
static gpugeo_status compute_on_backend(gg_dna_job *job, const gg_backend *backend,
                                        gg_dna_plan *plan, gg_call *call) {
  plan->planes = &job->planes;
  plan->kind = job->kind;
  plan->data = job->data;
  plan->square = job->options->model == GPUGEO_DNA_MODEL_BH87;
  plan->out = job->out;
  plan->variance = job->options->variance ? job->variance : NULL;
  gg_dna_backend_compute(backend, plan, 0.2, call);
  if (plan->square && !call->status) write_diagonal(job);
  return call->status;
}

gpugeo_status gg_dna_job_compute(gg_dna_job *job, gg_call *call) {
  if (prepare_model(job, call)) return call->status;
  if (job->options->all_letters) return count_letters(job, call);
  const gpugeo_dna_model model = job->options->model;
  const bool square = model == GPUGEO_DNA_MODEL_BH87;
  const gg_pair_sink sink = {square ? write_both : write_distance, job};
  const gpugeo_tile all = gg_pair_block_of(job->x.count);
  if (square) write_diagonal(job);
  take_pairs(job, &all, &sink, model == GPUGEO_DNA_MODEL_GG95 ? 0.6 : 0.2, call);
  gg_pair_counter_free(&job->counter);
  return call->status;
}

/* --- The call --------------------------------------------------------------------------------- */

/* True if the model compares gaps. */
static bool is_of_gaps(gpugeo_dna_model model) {
  return model == GPUGEO_DNA_MODEL_INDEL || model == GPUGEO_DNA_MODEL_INDELBLOCK;
}

/* True if only sites count that all sequences know. */
static bool deletes_sites(const gpugeo_dist_dna_options *options) {
  return !options->pairwise_deletion && !is_of_gaps(options->model) &&
         options->model != GPUGEO_DNA_MODEL_SNP;
}

void gg_dna_job_set_bases(gg_dna_job *job, const int64_t counts[4]) {
  const double known =
      (double)counts[0] + (double)counts[1] + (double)counts[2] + (double)counts[3];
  for (int b = 0; b < 4; ++b)
    job->data.base[b] =
        job->options->base_freq ? job->options->base_freq[b] : (double)counts[b] / known;
}

/* Returns what is counted: as little as the formula and the options need. */
static gg_count_kind kind_of(const gg_dna_job *job, bool deletes) {
  if (job->options->pair_base_freq) return GG_COUNT_TABLE;
  const gg_count_kind kind = job->formula->kind;
  if (kind != GG_COUNT_COMMON && kind != GG_COUNT_KNOWN) return kind;
  if (deletes) return GG_COUNT_DIFFERENCES;
  return job->options->site_counts || job->options->all_letters ? GG_COUNT_COMMON : kind;
}

/* Finds the sites that count and packs them. */
static gpugeo_status prepare(gg_dna_job *job, gg_call *call) {
  const bool deletes = deletes_sites(job->options);
  gg_site_facts facts = {{0}, NULL, 0};
  if (deletes || (job->formula->bases && !job->options->base_freq && !job->options->pair_base_freq))
    gg_site_facts_find(&job->x, job->threads, &facts, call);
  gg_dna_job_set_bases(job, facts.bases);
  job->data.model = job->options->model;
  job->data.gamma = job->options->gamma;
  job->kind = kind_of(job, deletes);
  const bool all = deletes && facts.kept_count == job->x.sites;
  gg_site_planes_make(&job->x, deletes && !all ? &facts : NULL, is_of_gaps(job->options->model),
                      job->threads, &job->planes, call);
  if (deletes && !all)
    job->kept = facts.kept;
  else
    gg_free(facts.kept);
  return call->status;
}

/* Checks the memory for the bits, and for lists of their words, which have at most 0.3 of the bytes
   (common_sites.c). */
static gpugeo_status check_room(const gg_dna_job *job, const gpugeo_run *run, gpugeo_error *error) {
  const double planes = gg_site_planes_bytes(job->x.count, job->x.sites);
  const double copies = job->options->all_letters ? 2 : 1;
  const double bytes = 1.3 * copies * planes + 9 * (double)job->x.sites;
  gpugeo_status status = gg_check_work(run, bytes, error, "%lld sequences of %lld sites",
                                       (long long)job->x.count, (long long)job->x.sites);
  if (status) return status;
  return gg_check_memory(bytes, "x", error, "distances of %lld sequences of %lld sites need",
                         (long long)job->x.count, (long long)job->x.sites);
}

/* Checks all arguments. */
static gpugeo_status check_arguments(gg_dna_job *job, const gpugeo_sequences *x, gg_call *call) {
  GG_TRY(call, gg_check_run(call->run, call->error));
  GG_TRY(call, gg_check_family(call->run, GG_FAMILY_DIST_DNA, call->error));
  GG_TRY(call, check_sequences(x, &job->x, call->error));
  GG_TRY(call, check_options(job->options, call->error));
  return GG_TRY(call, check_room(job, call->run, call->error));
}

/* Returns the number of threads: a word of a pair takes about 1 ns, a code to pack 2 ns. */
static int32_t count_threads(const gg_dna_job *job, const gpugeo_run *run) {
  const double n = (double)job->x.count, sites = (double)job->x.sites;
  return gg_threads_for(run->threads, 20 * n * sites + n * n / 2 * (100 + 10 * sites / 64));
}

gpugeo_status gg_dna_job_open(gg_dna_job *job, const gpugeo_sequences *x, gg_call *call) {
  if (check_arguments(job, x, call)) return call->status;
  job->formula = gg_dna_formula_of(job->options->model);
  job->threads = count_threads(job, call->run);
  *call->report = gg_report_of(gg_host_backend(), -1, 1, job->threads);
  return prepare(job, call);
}

void gg_dna_job_close(gg_dna_job *job) {
  gg_pair_counter_free(&job->counter);
  gg_free(job->planes.bits);
  gg_free(job->kept);
  gg_gap_blocks_free(&job->gaps);
  gg_free(job->gc);
}

gpugeo_status gpugeo_dist_dna(const gpugeo_sequences *x, const gpugeo_dist_dna_options *options,
                              double *out, double *variance, gpugeo_report *report,
                              gpugeo_error *error) {
  gpugeo_dist_dna_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_dna_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  gg_dna_job job = {.options = options, .out = out, .variance = variance};
  const gg_backend *backend = NULL;
  gg_dna_plan plan;
  gg_dna_job_open(&job, x, &call);
  gg_dna_backend_choose(&job.x, options, job.threads, &backend, &plan, &call);
  if (!call.status && backend->dist_dna)
    compute_on_backend(&job, backend, &plan, &call);
  else if (!call.status)
    gg_dna_job_compute(&job, &call);
  gg_dna_job_close(&job);
  return gg_call_end(&call);
}

/* --- Distances that are computed when they are asked for -------------------------------------- */

/* Those of a job. */
typedef struct dna_lazy {
  gpugeo_dist_lazy base; /* the first field */
  gpugeo_dist_dna_options options;
  gg_dna_job job;
} dna_lazy;

/* Returns the distance of a pair. */
static double value_of(const gg_dna_job *job, int64_t i, int64_t j, const int64_t *counts) {
  return distance_of(job, i, j, counts, false, NULL);
}

/* Computes a tile of distances. */
static gpugeo_status lazy_tile(const gpugeo_dist_lazy *lazy, const gpugeo_tile *tile, double *out,
                               double done, double share, gg_call *call) {
  if (call->status) return call->status;
  gg_dna_job job = ((const dna_lazy *)lazy)->job;
  const double pairs = (double)tile->rows * (double)tile->columns;
  job.threads = gg_threads_for(call->run->threads, pairs * (100 + 10 * (double)job.planes.words));
  const value_tile values = {&job, tile, value_of, out};
  return compute_tile(&values, done, share, call);
}

/* Computes a hash of the sites that count, and of the parameters of the formula. */
static uint64_t lazy_fingerprint(const gpugeo_dist_lazy *lazy) {
  const gg_dna_job *job = &((const dna_lazy *)lazy)->job;
  const gg_site_planes *planes = &job->planes;
  uint64_t numbers[7] = {(uint64_t)planes->sites, job->options->pair_base_freq != 0};
  memcpy(numbers + 2, &job->data.gamma, sizeof job->data.gamma);
  if (job->formula->bases) memcpy(numbers + 3, job->data.base, sizeof job->data.base);
  const uint64_t hash = gg_random_hash(0, numbers, 7);
  return gg_random_hash(hash, planes->bits, planes->count * GG_PLANES * planes->words);
}

/* Frees distances. */
static void lazy_free(gpugeo_dist_lazy *lazy) {
  gg_dna_job_close(&((dna_lazy *)lazy)->job);
  gg_free(lazy);
}

/* Checks that tiles have the values of the options: a distance of each pair. */
static gpugeo_status check_lazy(const gpugeo_dist_dna_options *options, gpugeo_error *error) {
  if (options->model == GPUGEO_DNA_MODEL_BH87)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "model",
                   "model must be one of symmetric distances, not \"BH87\"");
  const char *option = options->variance      ? "variance"
                       : options->all_letters ? "all_letters"
                       : options->count_sites ? "sites"
                                              : NULL;
  if (!option) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, option,
                 "%s must be false where distances are not the result", option);
}

gpugeo_status gpugeo_dist_dna_lazy(const gpugeo_sequences *x,
                                   const gpugeo_dist_dna_options *options, gpugeo_dist_lazy **made,
                                   gpugeo_report *report, gpugeo_error *error) {
  gpugeo_dist_dna_options taken;
  gpugeo_status status = GG_OPTIONS_TAKE(dist_dna_options, options, taken, error);
  if (status) return status;
  gg_call call;
  gg_call_begin(&call, &options->run, report, error);
  GG_TRY(&call, check_lazy(options, error));
  dna_lazy *lazy = gg_call_allocate(&call, 1, sizeof *lazy);
  if (!lazy) return call.status;
  *lazy =
      (dna_lazy){.base = {.tile = lazy_tile, .release = lazy_free, .fingerprint = lazy_fingerprint},
                 .options = *options};
  lazy->job.options = &lazy->options;
  gg_dna_job_open(&lazy->job, x, &call);
  lazy->base.n = lazy->job.x.count;
  lazy->base.metric = gpugeo_name(GPUGEO_ENUM_DNA_MODEL, options->model);
  if (prepare_model(&lazy->job, &call))
    lazy_free(&lazy->base);
  else
    *made = &lazy->base;
  return gg_call_end(&call);
}
