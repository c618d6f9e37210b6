/* Distances of aligned proteins: the model against matrix exponentials of the definition, the
   maximum of the likelihood by search, counts by definition, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"
#include "sequences/aa_model.h"

enum { N = GG_AA_COUNT, SITES = 78 };

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

static const char *const proteins[] = {
    "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKR",
    "MKTAYVAKQRQLSFVKTHFSRQLEDRLGMIEVQAPILSRIGDGTQDNLSGCEKAVQVHVKQLPDAQFEVVHSLAKWKR",
    "MRSAFIGKQKNISYLKSHYARQ-EEKFGLVDVBAPLLTRVADXTZENLSGSERSVRVKIKAIPNASYDVIHTLSRWKK",
    "WNPGLCDKHYETRAWVGMSFQKIHEPTCWLNDRYMAGQVSFIKHEPTCWLNDRYMAGQVSFIKHEPTCWLNDRYMAGQ"};

static gpugeo_dist_aa_options options_of(gpugeo_aa_model model, gpugeo_aa_exclude exclude) {
  gpugeo_dist_aa_options options;
  gpugeo_dist_aa_options_init(&options, sizeof options);
  options.model = model;
  options.exclude = exclude;
  return options;
}

/* Computes distances of `count` sequences. */
static void distances(const char *const *text, int64_t count, gpugeo_aa_model model,
                      gpugeo_aa_exclude exclude, double *d) {
  const gpugeo_dist_aa_options options = options_of(model, exclude);
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_aa(&(gpugeo_texts){count, text, NULL}, &options, d, NULL, &error), "%s",
        error.message);
}

/* --- The model -------------------------------------------------------------------------------- */

/* Returns the probability that a model has for a pair of codes. */
static double probability(const gg_aa_model *model, int a, int b, double t) {
  const int cell = gg_aa_cell(a, b);
  double sum = model->start[cell];
  for (int k = 0; k < N; ++k)
    sum += model->factor[k][cell] * expm1(model->rate[k] * t);
  return sum;
}

/* Returns how far probabilities are from those of twice the time by a product of matrices. */
static double error_of_doubling(const gg_aa_model *model, double t) {
  double worst = 0;
  for (int a = 0; a < N; ++a)
    for (int b = 0; b < N; ++b) {
      double sum = 0;
      for (int c = 0; c < N; ++c)
        sum += probability(model, a, c, t) * probability(model, c, b, t) /
               model->start[gg_aa_cell(c, c)];
      worst = fmax(worst, fabs(sum - probability(model, a, b, 2 * t)));
    }
  return worst;
}

/* Probabilities sum to 1, those of t and 2 t agree, one substitution a site happens in one unit of
   time, and codes that stand for two have the probability of both. */
static void check_model(gpugeo_aa_model kind, const gg_aa_model *model) {
  double sum = 0, same = 0;
  for (int a = 0; a < N; ++a) {
    same += probability(model, a, a, 1e-6);
    for (int b = 0; b < N; ++b) {
      const double p = probability(model, a, b, 0.7);
      CHECK(p > 0, "model %d: %d, %d have %g", kind, a, b, p);
      sum += p;
    }
  }
  CHECK(fabs(sum - 1) < 1e-13, "model %d: the sum is %.17g", kind, sum);
  CHECK(fabs((1 - same) / 1e-6 - 1) < 1e-4, "model %d: %.17g substitutions", kind,
        (1 - same) / 1e-6);
  CHECK(error_of_doubling(model, 0.05) < 1e-14 && error_of_doubling(model, 1) < 1e-14,
        "model %d: no semigroup", kind);
  const double b = probability(model, 2, 4, 0.7) + probability(model, 3, 4, 0.7);
  const double z = probability(model, 2, 5, 0.7) + probability(model, 2, 6, 0.7) +
                   probability(model, 3, 5, 0.7) + probability(model, 3, 6, 0.7);
  CHECK(fabs(probability(model, GG_AA_B, 4, 0.7) / b - 1) < 1e-12 &&
            fabs(probability(model, GG_AA_B, GG_AA_Z, 0.7) / z - 1) < 1e-12,
        "model %d: codes of two", kind);
}

/* Returns the log likelihood of a table. */
static double likelihood(const gg_aa_model *model, const int64_t *counts, double t) {
  double sum = 0;
  for (int a = 0; a < GG_AA_INFORMATIVE; ++a)
    for (int b = 0; b <= a; ++b)
      if (counts[gg_aa_cell(a, b)] > 0)
        sum += (double)counts[gg_aa_cell(a, b)] * log(probability(model, a, b, t));
  return sum;
}

/* Returns the largest log likelihood of a grid of times. */
static double search(const gg_aa_model *model, const int64_t *counts) {
  double best = -INFINITY;
  for (int k = 0; k <= 4000; ++k)
    best = fmax(best, likelihood(model, counts, 10 * pow(k / 4000.0, 3) + 1e-9));
  return best;
}

/* Fills a table with sites of which a share are copies, the others random. */
static void fill_table(dice *d, int64_t sites, double same, int codes, int64_t *counts) {
  memset(counts, 0, GG_AA_CELLS * sizeof *counts);
  for (int64_t k = 0; k < sites; ++k) {
    const int a = (int)dice_whole(d, codes - 1);
    ++counts[gg_aa_cell(a, dice_real(d) < same ? a : (int)dice_whole(d, codes - 1))];
  }
}

static void test_models(void) {
  dice d = {7};
  gg_aa_model *model = malloc(sizeof *model);
  int64_t counts[GG_AA_CELLS];
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  for (int kind = GPUGEO_AA_MODEL_JTT; model && kind < GPUGEO_AA_MODEL_COUNT; ++kind) {
    gg_call call;
    gg_call_begin(&call, &run, NULL, NULL);
    CHECK(!gg_aa_model_make((gpugeo_aa_model)kind, NULL, NULL, model, &call), "model %d", kind);
    check_model((gpugeo_aa_model)kind, model);
    for (int round = 0; round < 60; ++round) {
      fill_table(&d, 5 + 10 * round, (round % 10) / 9.0, round % 3 ? N : GG_AA_INFORMATIVE, counts);
      const double t = gg_aa_distance(model, counts), found = likelihood(model, counts, t);
      const double wanted = search(model, counts);
      CHECK(t >= 0 && t <= 10 && found > wanted - 1e-9 * fabs(wanted),
            "model %d, round %d: %.17g at %.17g, not %.17g", kind, round, found, t, wanted);
      if (t > 1e-8 && t < 9.9) /* the maximum is between its neighbours */
        CHECK(likelihood(model, counts, t * (1 + 1e-3)) < found &&
                  likelihood(model, counts, t * (1 - 1e-3)) < found,
              "model %d, round %d: no maximum at %.17g", kind, round, t);
    }
  }
  free(model);
}

/* Shares and rates of a user: a model, whose changes after a short time are as its definition has
   them, on any scale. */
static void test_own_rates(void) {
  enum { ROUNDS = 5 };
  dice d = {11};
  gg_aa_model *model = malloc(sizeof *model);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  for (int round = 0; model && round < ROUNDS; ++round) {
    double share[N], rates[GG_AA_RATES], shares = 0, total = 0;
    for (int i = 0; i < N; ++i)
      shares += share[i] = 1.02 + dice_real(&d);
    for (int i = 0; i < N; ++i)
      share[i] /= shares;
    for (int k = 0; k < GG_AA_RATES; ++k)
      rates[k] = ldexp(1.05 + dice_real(&d), 500 * (round - 2));
    for (int j = 0, k = 0; j < N; ++j)
      for (int i = j + 1; i < N; ++i)
        total += ldexp(2 * share[i] * share[j] * rates[k++], -500 * (round - 2));
    gg_call call;
    gg_call_begin(&call, &run, NULL, NULL);
    CHECK(!gg_aa_model_make(GPUGEO_AA_MODEL_LG, share, rates, model, &call), "a model");
    check_model(GPUGEO_AA_MODEL_LG, model);
    for (int j = 0, k = 0; j < N; ++j)
      for (int i = j + 1; i < N; ++i, ++k) {
        const double rate = ldexp(rates[k], -500 * (round - 2)) / total * share[i] * share[j];
        const double found = probability(model, i, j, 1e-7) / 1e-7;
        CHECK(fabs(found - rate) < 1e-5 * rate + 1e-9, "rate of %d and %d: %.17g, not %.17g", i, j,
              found, rate);
      }
  }
  free(model);
}

/* With rates that are 0, sequences may need many changes, and amino acids may have no way to
   others, which is refused. */
static void test_rare_rates(void) {
  double chain[GG_AA_RATES] = {0}, d[6];
  for (int j = 0, k = 0; j < N - 1; k += N - 1 - j++)
    chain[k] = 1; /* of j and j + 1 */
  const char *const x[] = {"ARNDCQEGHILK", "VRNDCQEGHILK", "AYNDCQEVWILA", "VYTSCAAAAVVV"};
  gpugeo_dist_aa_options options = options_of(GPUGEO_AA_MODEL_JTT, GPUGEO_AA_EXCLUDE_NONE);
  options.rates = chain;
  options.rates_length = GG_AA_RATES;
  CHECK(!gpugeo_dist_aa(&(gpugeo_texts){4, x, NULL}, &options, d, NULL, NULL), "a chain");
  for (int k = 0; k < 6; ++k)
    CHECK(d[k] > 0 && d[k] <= 10, "pair %d: %g", k, d[k]);
  chain[GG_AA_RATES - 1] = 0; /* of Y and V */
  gpugeo_error error = {0};
  CHECK(gpugeo_dist_aa(&(gpugeo_texts){4, x, NULL}, &options, d, NULL, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strstr(error.message, "all amino acids can change into all others"),
        "%s", error.message);
}

/* By powers of matrix exponentials in Python from the same files of PAML, and bisection of
   differences of likelihoods, which gives 6 digits. */
static void test_numbers(void) {
  static const double wanted[][6] = {
      {0.122791315, 0.530012167, 10, 0.702788396, 10, 9.736263982},
      {0.116312650, 0.504365023, 10, 0.663499592, 10, 8.349986066},
      {0.118659801, 0.522159602, 7.910511540, 0.682669947, 8.695021877, 7.156849331},
      {0.122210412, 0.525501931, 10, 0.698401240, 10, 10}};
  for (int m = 0; m < 4; ++m) {
    double d[6];
    distances(proteins, 4, (gpugeo_aa_model)(GPUGEO_AA_MODEL_JTT + m), GPUGEO_AA_EXCLUDE_NONE, d);
    for (int k = 0; k < 6; ++k)
      CHECK(fabs(d[k] / wanted[m][k] - 1) < 1e-6, "model %d, pair %d: %.17g, not %.17g", m, k, d[k],
            wanted[m][k]);
  }
}

/* Rates of categories rise, and their mean is 1, for all numbers of categories and shapes. */
static void test_rates(void) {
  static const double shapes[] = {0.001, 0.01, 0.2, 1, 7.5, 100, 1000};
  for (int s = 0; s < 7; ++s)
    for (int count = 1; count <= GG_GAMMA_CATEGORIES; ++count) {
      double rates[GG_GAMMA_CATEGORIES], sum = 0;
      gg_gamma_rates(count, shapes[s], rates);
      bool rises = rates[0] >= 0;
      for (int k = 0; k < count; ++k) {
        rises = rises && (k == 0 || rates[k] >= rates[k - 1]);
        sum += rates[k] / count;
      }
      CHECK(rises && fabs(sum - 1) < 1e-13, "shape %g, %d categories: the mean is %.17g", shapes[s],
            count, sum);
    }
}

/* --- Counts ----------------------------------------------------------------------------------- */

/* Returns the amino acids of a letter, as bits. */
static uint32_t set_of(char letter) {
  const char *at = strchr(amino_acids, letter);
  if (at && letter) return 1u << (at - amino_acids);
  if (letter == 'B') return set_of('N') | set_of('D');
  if (letter == 'Z') return set_of('Q') | set_of('E');
  if (letter == 'J') return set_of('I') | set_of('L');
  return (1u << N) - 1;
}

static bool is_known(char letter) { return strchr(amino_acids, letter) != NULL; }

/* Computes the number of differences and of sites by definition. */
static void define(const char *const *text, int64_t count, int64_t i, int64_t j,
                   gpugeo_aa_exclude exclude, double *differ, double *sites) {
  *differ = *sites = 0;
  for (int64_t k = 0; text[0][k]; ++k) {
    bool counts = true;
    for (int64_t s = 0; s < count && exclude == GPUGEO_AA_EXCLUDE_ALL; ++s)
      counts = counts && is_known(text[s][k]);
    if (exclude == GPUGEO_AA_EXCLUDE_PAIRWISE)
      counts = is_known(text[i][k]) && is_known(text[j][k]);
    *sites += counts;
    *differ += counts && !(set_of(text[i][k]) & set_of(text[j][k]));
  }
}

static bool equal(double a, double b) {
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) < 1e-14 * fabs(b);
}

static void test_counts(void) {
  enum { COUNT = 12, LENGTH = 40 };
  static const char letters[] = "ARNDCQEGHILKMFPSTWYVBZJX-?.*UO";
  static char text[COUNT][LENGTH + 1];
  const char *x[COUNT];
  dice d = {3};
  for (int i = 0; i < COUNT; ++i) {
    x[i] = text[i];
    for (int k = 0; k < LENGTH; ++k)
      text[i][k] = letters[dice_whole(&d, k < LENGTH / 2 ? N - 1 : 29)];
  }
  for (int e = 0; e < GPUGEO_AA_EXCLUDE_COUNT; ++e)
    for (int m = 0; m < GPUGEO_AA_MODEL_JTT; ++m) {
      double found[COUNT * (COUNT - 1) / 2], differ, sites;
      distances(x, COUNT, (gpugeo_aa_model)m, (gpugeo_aa_exclude)e, found);
      for (int j = 0, k = 0; j < COUNT; ++j)
        for (int i = j + 1; i < COUNT; ++i, ++k) {
          define(x, COUNT, i, j, (gpugeo_aa_exclude)e, &differ, &sites);
          const double p = differ / sites;
          const double wanted[] = {differ, p, -log1p(-p), -log1p(-p - p * p / 5)};
          CHECK(equal(found[k], wanted[m]), "model %d, exclude %d, pair %d: %.17g, not %.17g", m, e,
                k, found[k], wanted[m]);
        }
    }
}

/* Lower case, lengths that are given, no information, no sites, one sequence, none. */
static void test_edges(void) {
  double d[6];
  distances((const char *const[]){"arnd", "ARND", "A--X", "????"}, 4, GPUGEO_AA_MODEL_LG,
            GPUGEO_AA_EXCLUDE_NONE, d);
  for (int k = 0; k < 6; ++k)
    CHECK(d[k] == 0, "%g", d[k]);
  distances((const char *const[]){"AR", "--", "AR"}, 3, GPUGEO_AA_MODEL_JTT,
            GPUGEO_AA_EXCLUDE_PAIRWISE, d);
  CHECK(isnan(d[0]) && d[1] == 0 && isnan(d[2]), "%g %g %g", d[0], d[1], d[2]);
  distances((const char *const[]){"AR", "--"}, 2, GPUGEO_AA_MODEL_HAMMING, GPUGEO_AA_EXCLUDE_ALL,
            d);
  CHECK(d[0] == 0, "%g", d[0]);
  distances((const char *const[]){"", ""}, 2, GPUGEO_AA_MODEL_P, GPUGEO_AA_EXCLUDE_NONE, d);
  CHECK(isnan(d[0]), "%g", d[0]);
  distances((const char *const[]){"A", "R"}, 2, GPUGEO_AA_MODEL_POISSON, GPUGEO_AA_EXCLUDE_NONE, d);
  CHECK(d[0] == INFINITY, "%g", d[0]);
  distances(proteins, 1, GPUGEO_AA_MODEL_JTT, GPUGEO_AA_EXCLUDE_NONE, d);
  distances(NULL, 0, GPUGEO_AA_MODEL_JTT, GPUGEO_AA_EXCLUDE_ALL, d);
  const int64_t lengths[] = {1, 1};
  const gpugeo_texts x = {2, (const char *const[]){"AR", "AN"}, lengths};
  const gpugeo_dist_aa_options options =
      options_of(GPUGEO_AA_MODEL_HAMMING, GPUGEO_AA_EXCLUDE_NONE);
  CHECK(!gpugeo_dist_aa(&x, &options, d, NULL, NULL) && d[0] == 0, "lengths");
}

/* The same bits on any number of threads. */
static void test_threads(void) {
  enum { COUNT = 60, PAIRS = COUNT * (COUNT - 1) / 2 };
  static char text[COUNT][SITES + 1];
  const char *x[COUNT];
  static double one[PAIRS], some[PAIRS];
  dice d = {5};
  for (int i = 0; i < COUNT; ++i) {
    x[i] = memcpy(text[i], proteins[i % 3], SITES + 1);
    for (int k = 0; k < i % 40; ++k)
      text[i][dice_whole(&d, SITES - 1)] = amino_acids[dice_whole(&d, N - 1)];
  }
  gpugeo_dist_aa_options options = options_of(GPUGEO_AA_MODEL_WAG, GPUGEO_AA_EXCLUDE_NONE);
  options.run.threads = 1;
  CHECK(!gpugeo_dist_aa(&(gpugeo_texts){COUNT, x, NULL}, &options, one, NULL, NULL), "one thread");
  options.run.threads = 5;
  CHECK(!gpugeo_dist_aa(&(gpugeo_texts){COUNT, x, NULL}, &options, some, NULL, NULL) &&
            !memcmp(one, some, sizeof one),
        "five threads");
}

/* --- What is refused -------------------------------------------------------------------------- */

static void check_refused(const gpugeo_texts *x, const gpugeo_dist_aa_options *options,
                          const char *message) {
  double d[10];
  gpugeo_error error = {0};
  CHECK(gpugeo_dist_aa(x, options, d, NULL, &error) != GPUGEO_OK && strstr(error.message, message),
        "\"%s\", not \"%s\"", error.message, message);
}

static void test_refused(void) {
  gpugeo_dist_aa_options options = options_of(GPUGEO_AA_MODEL_JTT, GPUGEO_AA_EXCLUDE_NONE);
  static const char wrong[] = "1 @[`{\x80\xff\n!~)+,/";
  for (int k = 0; wrong[k]; ++k) {
    const char text[] = {'A', 'R', wrong[k], 0};
    check_refused(&(gpugeo_texts){2, (const char *const[]){"ARN", text}, NULL}, &options,
                  "x must be one of ARNDCQEGHILKMFPSTWYVBZJXUO*-?., but letter 3 of sequence 2 is");
  }
  check_refused(&(gpugeo_texts){2, (const char *const[]){"AR", "ARN"}, NULL}, &options,
                "sequences of equal lengths, but sequence 2 has 3 sites and sequence 1 has 2");
  check_refused(&(gpugeo_texts){2, (const char *const[]){"AR", NULL}, NULL}, &options,
                "x must have no missing sequences, but sequence 2 is missing");
  check_refused(NULL, &options, "x must not be NULL");
  const gpugeo_texts x = {2, proteins, NULL};
  options.run.work_bytes = 1;
  check_refused(&x, &options, "memory_limit must be at least");
  options = options_of(GPUGEO_AA_MODEL_COUNT, GPUGEO_AA_EXCLUDE_NONE);
  check_refused(&x, &options, "model must be between 0 and 7, not 8");
  options = options_of(GPUGEO_AA_MODEL_P, GPUGEO_AA_EXCLUDE_COUNT);
  check_refused(&x, &options, "exclude must be between 0 and 2, not 3");
  options = options_of(GPUGEO_AA_MODEL_P, GPUGEO_AA_EXCLUDE_NONE);
  options.categories = 65;
  check_refused(&x, &options, "k must be between 1 and 64, not 65");
  options.categories = 2;
  check_refused(&x, &options, "k must be 1 for model \"p\", which has one rate, not 2");
  options = options_of(GPUGEO_AA_MODEL_LG, GPUGEO_AA_EXCLUDE_NONE);
  options.shape = NAN;
  check_refused(&x, &options, "shape must be a number between 0.001 and 1000, not");
  options = options_of(GPUGEO_AA_MODEL_LG, GPUGEO_AA_EXCLUDE_NONE);
  double rates[GG_AA_RATES] = {1};
  options.base_freq = options.rates = rates;
  options.rates_length = GG_AA_RATES - 1;
  check_refused(&x, &options, "bf must be the shares of the amino acids");
  options.base_freq = NULL;
  check_refused(&x, &options, "Q must be the lower triangle of a matrix of rates, 190");
  options.rates_length = GG_AA_RATES;
  check_refused(&x, &options, "by which all amino acids can change into all others");
  for (int k = 0; k < GG_AA_RATES; ++k)
    rates[k] = 1;
  options.model = GPUGEO_AA_MODEL_POISSON;
  check_refused(&x, &options, "Q must be left out for model \"poisson\", which has no rates");
}

int main(void) {
  test_models();
  test_own_rates();
  test_rare_rates();
  test_numbers();
  test_rates();
  test_counts();
  test_edges();
  test_threads();
  test_refused();
  return check_end();
}
