/*
 * Models of the substitution of amino acids. The rate of a change from i to j is s(i, j) times the
 * share of j, s symmetric. The numbers are those of PAML's files jones.dat, wag.dat, lg.dat and
 * dayhoff.dat (github.com/abacus-gene/paml, folder dat): below the diagonal of s by rows, then the
 * shares. They are data of:
 *
 * Jones, D. T., Taylor, W. R. and Thornton, J. M. (1992) The rapid generation of mutation data
 * matrices from protein sequences. Computer Applications in the Biosciences 8, 275-282 (updated by
 * D. Jones to release 22 of SWISS-PROT).
 * Whelan, S. and Goldman, N. (2001) A general empirical model of protein evolution derived from
 * multiple protein families using a maximum-likelihood approach. Molecular Biology and Evolution
 * 18, 691-699.
 * Le, S. Q. and Gascuel, O. (2008) An improved general amino acid replacement matrix. Molecular
 * Biology and Evolution 25, 1307-1320.
 * Dayhoff, M. O., Schwartz, R. M. and Orcutt, B. C. (1978) A model of evolutionary change in
 * proteins. Atlas of Protein Sequence and Structure 5, supplement 3, 345-352.
 *
 * The symmetrized rate matrix sqrt(share_i) s(i, j) sqrt(share_j) has the eigenvalues of the rate
 * matrix (Yang, Nielsen and Hasegawa 1998). A pair of sequences costs 20 exponentials and 20
 * products for each kind of site and step, with a gamma distribution 20 exponentials for each of
 * its categories; Newton's method takes 4 to 8 steps.
 */
#include "sequences/aa_model.h"

#include <math.h>
#include <string.h>

#include "common/portable_log.h"
#include "common/symmetric_eigen.h"

enum {
  N = GG_AA_COUNT,
  RATES = GG_AA_RATES,
  MOST_STEPS = 200, /* of Newton's method or bisection */
  GRID = 16         /* distances at which a scan begins */
};

static const double LARGEST = 10;      /* distance */
static const double SMALLEST = 1e-9;   /* distance of sequences that differ */
static const double SCANNED = 0.7;     /* sequences are that differ at a larger share of sites */
static const double TOLERANCE = 1e-11; /* relative step at which the distance is found */

/* Probabilities below have no digit that is right: those of codes that only several changes at
   rates of a user join, at small times. */
static const double LEAST_PROBABILITY = 1e-14;

static const double jtt_rates[RATES] = {
    58,  54,  45,  81,  16,  528, 56,  113, 34,  10,  57,  310, 86,  49, 9,   105, 29,  58,  767,
    5,   323, 179, 137, 81,  130, 59,  26,  119, 27,  328, 391, 112, 69, 597, 26,  23,  36,  22,
    47,  11,  17,  9,   12,  6,   16,  30,  38,  12,  7,   23,  72,  9,  6,   56,  229, 35,  646,
    263, 26,  7,   292, 181, 27,  45,  21,  14,  54,  44,  30,  15,  31, 43,  18,  14,  33,  479,
    388, 65,  15,  5,   10,  4,   78,  4,   5,   5,   40,  89,  248, 4,  43,  194, 74,  15,  15,
    14,  164, 18,  24,  115, 10,  102, 21,  16,  17,  378, 101, 503, 59, 223, 53,  30,  201, 73,
    40,  59,  47,  29,  92,  285, 475, 64,  232, 38,  42,  51,  32,  33, 46,  245, 25,  103, 226,
    12,  118, 477, 9,   126, 8,   4,   115, 18,  10,  55,  8,   9,   52, 10,  24,  53,  6,   35,
    12,  11,  20,  70,  46,  209, 24,  7,   8,   573, 32,  24,  8,   18, 536, 10,  63,  21,  71,
    298, 17,  16,  31,  62,  20,  45,  47,  11,  961, 180, 14,  323, 62, 23,  38,  112, 25,  16};

static const double jtt_shares[N] = {0.076748, 0.051691, 0.042645, 0.051544, 0.019803,
                                     0.040752, 0.061830, 0.073152, 0.022944, 0.053761,
                                     0.091904, 0.058676, 0.023826, 0.040126, 0.050901,
                                     0.068765, 0.058565, 0.014261, 0.032102, 0.066005};

static const double wag_rates[RATES] = {
    0.551571,  0.509848,  0.635346,  0.738998,  0.147304, 5.429420,  1.027040, 0.528191,  0.265256,
    0.0302949, 0.908598,  3.035500,  1.543640,  0.616783, 0.0988179, 1.582850, 0.439157,  0.947198,
    6.174160,  0.021352,  5.469470,  1.416720,  0.584665, 1.125560,  0.865584, 0.306674,  0.330052,
    0.567717,  0.316954,  2.137150,  3.956290,  0.930676, 0.248972,  4.294110, 0.570025,  0.249410,
    0.193335,  0.186979,  0.554236,  0.039437,  0.170135, 0.113917,  0.127395, 0.0304501, 0.138190,
    0.397915,  0.497671,  0.131528,  0.0848047, 0.384287, 0.869489,  0.154263, 0.0613037, 0.499462,
    3.170970,  0.906265,  5.351420,  3.012010,  0.479855, 0.0740339, 3.894900, 2.584430,  0.373558,
    0.890432,  0.323832,  0.257555,  0.893496,  0.683162, 0.198221,  0.103754, 0.390482,  1.545260,
    0.315124,  0.174100,  0.404141,  4.257460,  4.854020, 0.934276,  0.210494, 0.102711,  0.0961621,
    0.0467304, 0.398020,  0.0999208, 0.0811339, 0.049931, 0.679371,  1.059470, 2.115170,  0.088836,
    1.190630,  1.438550,  0.679489,  0.195081,  0.423984, 0.109404,  0.933372, 0.682355,  0.243570,
    0.696198,  0.0999288, 0.415844,  0.556896,  0.171329, 0.161444,  3.370790, 1.224190,  3.974230,
    1.071760,  1.407660,  1.028870,  0.704939,  1.341820, 0.740169,  0.319440, 0.344739,  0.967130,
    0.493905,  0.545931,  1.613280,  2.121110,  0.554413, 2.030060,  0.374866, 0.512984,  0.857928,
    0.822765,  0.225833,  0.473307,  1.458160,  0.326622, 1.386980,  1.516120, 0.171903,  0.795384,
    4.378020,  0.113133,  1.163920,  0.0719167, 0.129767, 0.717070,  0.215737, 0.156557,  0.336983,
    0.262569,  0.212483,  0.665309,  0.137505,  0.515706, 1.529640,  0.139405, 0.523742,  0.110864,
    0.240735,  0.381533,  1.086000,  0.325711,  0.543833, 0.227710,  0.196303, 0.103604,  3.873440,
    0.420170,  0.398618,  0.133264,  0.428437,  6.454280, 0.216046,  0.786993, 0.291148,  2.485390,
    2.006010,  0.251849,  0.196246,  0.152335,  1.002140, 0.301281,  0.588731, 0.187247,  0.118358,
    7.821300,  1.800340,  0.305434,  2.058450,  0.649892, 0.314887,  0.232739, 1.388230,  0.365369,
    0.314730};

static const double wag_shares[N] = {0.0866279, 0.043972,  0.0390894, 0.0570451, 0.0193078,
                                     0.0367281, 0.0580589, 0.0832518, 0.0244313, 0.048466,
                                     0.086209,  0.0620286, 0.0195027, 0.0384319, 0.0457631,
                                     0.0695179, 0.0610127, 0.0143859, 0.0352742, 0.0708956};

static const double lg_rates[RATES] = {
    0.425093,  0.276818, 0.751878, 0.395144, 0.123954, 5.076149, 2.489084, 0.534551, 0.528768,
    0.062556,  0.969894, 2.807908, 1.695752, 0.523386, 0.084808, 1.038545, 0.363970, 0.541712,
    5.243870,  0.003499, 4.128591, 2.066040, 0.390192, 1.437645, 0.844926, 0.569265, 0.267959,
    0.348847,  0.358858, 2.426601, 4.509238, 0.927114, 0.640543, 4.813505, 0.423881, 0.311484,
    0.149830,  0.126991, 0.191503, 0.010690, 0.320627, 0.072854, 0.044265, 0.008705, 0.108882,
    0.395337,  0.301848, 0.068427, 0.015076, 0.594007, 0.582457, 0.069673, 0.044261, 0.366317,
    4.145067,  0.536518, 6.326067, 2.145078, 0.282959, 0.013266, 3.234294, 1.807177, 0.296636,
    0.697264,  0.159069, 0.137500, 1.124035, 0.484133, 0.371004, 0.025548, 0.893680, 1.672569,
    0.173735,  0.139538, 0.442472, 4.273607, 6.312358, 0.656604, 0.253701, 0.052722, 0.089525,
    0.017416,  1.105251, 0.035855, 0.018811, 0.089586, 0.682139, 1.112727, 2.592692, 0.023918,
    1.798853,  1.177651, 0.332533, 0.161787, 0.394456, 0.075382, 0.624294, 0.419409, 0.196961,
    0.508851,  0.078281, 0.249060, 0.390322, 0.099849, 0.094464, 4.727182, 0.858151, 4.008358,
    1.240275,  2.784478, 1.223828, 0.611973, 1.739990, 0.990012, 0.064105, 0.182287, 0.748683,
    0.346960,  0.361819, 1.338132, 2.139501, 0.578987, 2.000679, 0.425860, 1.143480, 1.080136,
    0.604545,  0.129836, 0.584262, 1.033739, 0.302936, 1.136863, 2.020366, 0.165001, 0.571468,
    6.472279,  0.180717, 0.593607, 0.045376, 0.029890, 0.670128, 0.236199, 0.077852, 0.268491,
    0.597054,  0.111660, 0.619632, 0.049906, 0.696175, 2.457121, 0.095131, 0.248862, 0.140825,
    0.218959,  0.314440, 0.612025, 0.135107, 1.165532, 0.257336, 0.120037, 0.054679, 5.306834,
    0.232523,  0.299648, 0.131932, 0.481306, 7.803902, 0.089613, 0.400547, 0.245841, 3.151815,
    2.547870,  0.170887, 0.083688, 0.037967, 1.959291, 0.210332, 0.245034, 0.076701, 0.119013,
    10.649107, 1.702745, 0.185202, 1.898718, 0.654683, 0.296501, 0.098369, 2.188158, 0.189510,
    0.249313};

static const double lg_shares[N] = {0.079066, 0.055941, 0.041977, 0.053052, 0.012937,
                                    0.040767, 0.071586, 0.057337, 0.022355, 0.062157,
                                    0.099081, 0.064600, 0.022951, 0.042302, 0.044040,
                                    0.061197, 0.053287, 0.012066, 0.034155, 0.069147};

static const double dayhoff_rates[RATES] = {
    27,  98,  32,  120, 0,   905, 36,  23, 0,   0,   89,  246, 103, 134, 0,   198, 1,   148, 1153,
    0,   716, 240, 9,   139, 125, 11,  28, 81,  23,  240, 535, 86,  28,  606, 43,  10,  65,  64,
    77,  24,  44,  18,  61,  0,   7,   41, 15,  34,  0,   0,   73,  11,  7,   44,  257, 26,  464,
    318, 71,  0,   153, 83,  27,  26,  46, 18,  72,  90,  1,   0,   0,   114, 30,  17,  0,   336,
    527, 243, 18,  14,  14,  0,   0,   0,  0,   15,  48,  196, 157, 0,   92,  250, 103, 42,  13,
    19,  153, 51,  34,  94,  12,  32,  33, 17,  11,  409, 154, 495, 95,  161, 56,  79,  234, 35,
    24,  17,  96,  62,  46,  245, 371, 26, 229, 66,  16,  53,  34,  30,  22,  192, 33,  136, 104,
    13,  78,  550, 0,   201, 23,  0,   0,  0,   0,   0,   27,  0,   46,  0,   0,   76,  0,   75,
    0,   24,  8,   95,  0,   96,  0,   22, 0,   127, 37,  28,  13,  0,   698, 0,   34,  42,  61,
    208, 24,  15,  18,  49,  35,  37,  54, 44,  889, 175, 10,  258, 12,  48,  30,  157, 0,   28};

static const double dayhoff_shares[N] = {0.087127, 0.040904, 0.040432, 0.046872, 0.033474,
                                         0.038255, 0.049530, 0.088612, 0.033618, 0.036886,
                                         0.085357, 0.080482, 0.014753, 0.039772, 0.050680,
                                         0.069577, 0.058542, 0.010494, 0.029916, 0.064718};

/* Rates and shares of a model. */
typedef struct published {
  const double *rates, *shares;
} published;

static const published all_published[GPUGEO_AA_MODEL_COUNT] = {
    [GPUGEO_AA_MODEL_JTT] = {jtt_rates, jtt_shares},
    [GPUGEO_AA_MODEL_WAG] = {wag_rates, wag_shares},
    [GPUGEO_AA_MODEL_LG] = {lg_rates, lg_shares},
    [GPUGEO_AA_MODEL_DAYHOFF] = {dayhoff_rates, dayhoff_shares},
};

uint32_t gg_aa_set(int code) {
  static const uint32_t sets[] = {1u << 2 | 1u << 3, 1u << 5 | 1u << 6, 1u << 9 | 1u << 10,
                                  (1u << N) - 1};
  return code < N ? 1u << code : sets[code - N];
}

/* --- The model -------------------------------------------------------------------------------- */

/* Writes shares whose sum is 1. */
static void normalize_shares(const double *from, double share[N]) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += from[i];
  for (int i = 0; i < N; ++i)
    share[i] = from[i] / sum;
}

/* Writes rates in the order of a condensed matrix by rows, as the tables have them. Their largest
   is 1, so that no sum overflows. */
static void arrange_rates(const double *from, double rates[RATES]) {
  double most = 0;
  for (int k = 0; k < RATES; ++k)
    most = fmax(most, from[k]);
  for (int j = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i)
      rates[i * (i - 1) / 2 + j] = *from++ / most;
}

/* Writes the symmetrized rate matrix, of one substitution a site and unit of time. */
static void make_rates(const double *rates, const double share[N], double a[N * N]) {
  double total = 0;
  memset(a, 0, N * N * sizeof *a);
  for (int i = 1, k = 0; i < N; ++i)
    for (int j = 0; j < i; ++j, ++k)
      total += 2 * share[i] * share[j] * rates[k];
  for (int i = 1, k = 0; i < N; ++i)
    for (int j = 0; j < i; ++j, ++k) {
      const double rate = rates[k] / total;
      a[i * N + j] = a[j * N + i] = rate * sqrt(share[i] * share[j]);
      a[i * N + i] -= rate * share[j];
      a[j * N + j] -= rate * share[i];
    }
}

/* Writes for each code the sum over its amino acids of sqrt(share) times an eigenvector. */
static void sum_codes(const double share[N], const double *vector, double sum[GG_AA_INFORMATIVE]) {
  for (int c = 0; c < GG_AA_INFORMATIVE; ++c) {
    sum[c] = 0;
    for (int i = 0; i < N; ++i)
      if (gg_aa_set(c) >> i & 1) sum[c] += sqrt(share[i]) * vector[i];
  }
}

/* Writes the probabilities of pairs of codes at distance 0: of what both stand for. */
static void make_start(const double share[N], gg_aa_model *model) {
  for (int a = 0; a < GG_AA_INFORMATIVE; ++a)
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (int i = 0; i < N; ++i)
        if ((gg_aa_set(a) & gg_aa_set(b)) >> i & 1) sum += share[i];
      model->start[gg_aa_cell(a, b)] = sum;
    }
}

gpugeo_status gg_aa_model_make(gpugeo_aa_model kind, const double *shares, const double *rates,
                               gg_aa_model *model, gg_call *call) {
  double share[N], own[RATES], a[N * N], vector[N * N], work[4 * N], sum[GG_AA_INFORMATIVE];
  if (call->status) return call->status;
  if (rates) arrange_rates(rates, own);
  normalize_shares(shares ? shares : all_published[kind].shares, share);
  make_rates(rates ? own : all_published[kind].rates, share, a);
  if (!gg_symmetric_eigen(a, N, model->rate, vector, work, call->clock, 0))
    return gg_call_require(call, false);
  model->rate[0] = 0; /* that of the shares, but for rounding */
  for (int k = 0; k < N; ++k) {
    sum_codes(share, vector + k * N, sum);
    for (int c = 0; c < GG_AA_INFORMATIVE; ++c)
      for (int d = 0; d <= c; ++d)
        model->factor[k][gg_aa_cell(c, d)] = sum[c] * sum[d];
  }
  make_start(share, model);
  model->categories = 1;
  model->of_category[0] = 1;
  return call->status;
}

/* --- Distances -------------------------------------------------------------------------------- */

/* The kinds of sites of a pair: their numbers, and what the model has for them. */
typedef struct pair_sites {
  const gg_aa_model *model;
  int kinds;
  double count[GG_AA_CELLS], start[GG_AA_CELLS];
  double factor[N][GG_AA_CELLS];
} pair_sites;

/* Collects the kinds of sites that there are. Returns the share of sites that differ. */
static double collect(const gg_aa_model *model, const int64_t *counts, pair_sites *sites) {
  double differ = 0, all = 0;
  sites->model = model;
  sites->kinds = 0;
  for (int cell = 0; cell < GG_AA_CELLS; ++cell) {
    if (counts[cell] == 0) continue;
    const int kind = sites->kinds++;
    sites->count[kind] = (double)counts[cell];
    sites->start[kind] = model->start[cell];
    for (int k = 1; k < N; ++k)
      sites->factor[k][kind] = model->factor[k][cell];
    all += sites->count[kind];
    differ += sites->start[kind] == 0 ? sites->count[kind] : 0;
  }
  return differ > 0 ? differ / all : 0;
}

/* Adds to the probabilities of all kinds, and to their derivatives, what an eigenvalue has. */
static void add_terms(const pair_sites *sites, int k, double t, double *restrict value,
                      double *restrict first, double *restrict second) {
  const gg_aa_model *model = sites->model;
  const double *factor = sites->factor[k];
  const int kinds = sites->kinds, categories = model->categories;
  double change = 0, slope = 0, bend = 0;
  for (int c = 0; c < categories; ++c) {
    const double rate = model->rate[k] * model->of_category[c], part = gg_expm1(rate * t);
    change += part / categories;
    slope += rate * (1 + part) / categories;
    bend += rate * (rate * (1 + part)) / categories;
  }
#pragma omp simd
  for (int s = 0; s < kinds; ++s) {
    value[s] += factor[s] * change;
    first[s] += factor[s] * slope;
    second[s] += factor[s] * bend;
  }
}

/* Writes the probabilities of all kinds at t, and their derivatives. */
static void find_probabilities(const pair_sites *sites, double t, double value[GG_AA_CELLS],
                               double first[GG_AA_CELLS], double second[GG_AA_CELLS]) {
  const size_t bytes = (size_t)sites->kinds * sizeof *value;
  memcpy(value, sites->start, bytes);
  memset(first, 0, bytes);
  memset(second, 0, bytes);
  for (int k = 1; k < N; ++k)
    add_terms(sites, k, t, value, first, second);
}

/* Returns the log likelihood at t > 0. */
static double likelihood(const pair_sites *sites, double t) {
  double value[GG_AA_CELLS], first[GG_AA_CELLS], second[GG_AA_CELLS], sum = 0;
  find_probabilities(sites, t, value, first, second);
  for (int s = 0; s < sites->kinds; ++s)
    sum += sites->count[s] * gg_log(fmax(value[s], LEAST_PROBABILITY));
  return sum;
}

/* Returns the derivative of the log likelihood at t > 0, and writes the second one. */
static double derivative(const pair_sites *sites, double t, double *bend) {
  double value[GG_AA_CELLS], first[GG_AA_CELLS], second[GG_AA_CELLS], sum = 0;
  find_probabilities(sites, t, value, first, second);
  *bend = 0;
  for (int s = 0; s < sites->kinds; ++s) {
    const bool known = value[s] >= LEAST_PROBABILITY; /* else about t^2, as after two changes */
    const double slope = known ? first[s] / value[s] : 2 / t;
    sum += sites->count[s] * slope;
    *bend += sites->count[s] * ((known ? second[s] / value[s] : 2 / t / t) - slope * slope);
  }
  return sum;
}

/* Where a maximum is sought: from `t` on, in [low, high]. */
typedef struct interval {
  double low, t, high;
} interval;

/* Returns the interval about the most likely of GRID distances, which are denser near 0: the
   likelihood of sequences that differ almost everywhere can have two maxima. */
static interval scan(const pair_sites *sites) {
  double at[GRID + 2], best = -INFINITY;
  int found = 1;
  for (int k = 0; k <= GRID; ++k)
    at[k] = k > 0 ? LARGEST * k * k / (GRID * GRID) : SMALLEST;
  at[GRID + 1] = LARGEST;
  for (int k = 1; k <= GRID; ++k) {
    const double value = likelihood(sites, at[k]);
    if (value > best) found = k;
    if (value > best) best = value;
  }
  return (interval){at[found - 1], at[found], at[found + 1]};
}

/* Returns the maximum in an interval, by Newton's method, or bisection if a step leaves it. */
static double maximize(const pair_sites *sites, interval in) {
  for (int step = 0; step < MOST_STEPS; ++step) {
    double bend;
    const double slope = derivative(sites, in.t, &bend), before = in.t;
    if (slope > 0)
      in.low = in.t;
    else
      in.high = in.t;
    in.t = before - slope / bend;
    if (!(bend < 0 && in.t > in.low && in.t < in.high)) in.t = (in.low + in.high) / 2;
    if (fabs(in.t - before) <= TOLERANCE * in.t) break;
  }
  return in.t;
}

/* Sequences without a site that differs are most likely at 0: no probability is larger than that of
   what both codes stand for, as of two codes in common one has all amino acids of the other. */
double gg_aa_distance(const gg_aa_model *model, const int64_t counts[GG_AA_CELLS]) {
  pair_sites sites;
  double bend;
  const double p = collect(model, counts, &sites);
  if (p == 0) return 0;
  const bool rises = derivative(&sites, LARGEST, &bend) >= 0;
  interval in = {SMALLEST, -gg_log1p(-p - p * p / 5), LARGEST};
  if (rises || p > SCANNED) in = scan(&sites);
  return rises && in.t == LARGEST ? LARGEST : maximize(&sites, in);
}
