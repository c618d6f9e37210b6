/*
 * Distances of DNA. The formulas are those of
 *   Jukes and Cantor (1969), Evolution of protein molecules;
 *   Kimura (1980), J. Mol. Evol. 16, 111; Kimura (1981), PNAS 78, 454;
 *   Felsenstein (1981), J. Mol. Evol. 17, 368; Felsenstein (1984) as in Inferring Phylogenies
 * (2004); Tamura (1992), Mol. Biol. Evol. 9, 678; Tamura and Nei (1993), Mol. Biol. Evol. 10, 512;
 *   Galtier and Gouy (1995), PNAS 92, 11317; Lockhart et al. (1994), Mol. Biol. Evol. 11, 605;
 *   Barry and Hartigan (1987), Biometrics 43, 261; Lake (1994), PNAS 91, 1455.
 * Variances are by the delta method, as in these papers: sum of p c^2 - (sum of p c)^2, divided by
 * the number of sites, for shares p and derivatives c of the distance.
 *
 * This header is for dna_distance.c and for CUDA, whose devices compute the same bits.
 */
#ifndef GG_DNA_FORMULA_H
#define GG_DNA_FORMULA_H

#include <math.h>

#include "common/portable_log.h"
#include "sequences/dna_pair.h"

/* Returns log(1 - x), exact also for small x; NaN beyond 1, -Inf at 1. */
GG_PORTABLE double log_left(double x) { return x > 1 ? NAN : gg_log1p(-x); }

/* Returns -log(1 - x), or with rates that have a gamma distribution their distance,
   a ((1 - x)^(-1/a) - 1). */
GG_PORTABLE double correct(double x, double gamma) {
  const double log_of_left = log_left(x);
  return gamma > 0 ? gamma * gg_expm1(-log_of_left / gamma) : -log_of_left;
}

/* Returns the derivative of that. */
GG_PORTABLE double derivative(double x, double gamma) {
  return gamma > 0 ? gg_exp(-(1 + 1 / gamma) * log_left(x)) : 1 / (1 - x);
}

/* A share of the sites, and the derivative of the distance by it. */
typedef struct share {
  double p, c;
} share;

/* Returns the variance of a distance. */
GG_PORTABLE double spread(double sites, const share *shares, int count) {
  double squares = 0, mean = 0;
  for (int i = 0; i < count; ++i) {
    squares += shares[i].p * shares[i].c * shares[i].c;
    mean += shares[i].p * shares[i].c;
  }
  return (squares - mean * mean) / sites;
}

/* Writes the variance of a distance of these shares to *variance. */
#define WRITE_SPREAD(sites, ...)                                                                   \
  do {                                                                                             \
    const share of_sites[] = {__VA_ARGS__};                                                        \
    *variance = spread(sites, of_sites, (int)(sizeof of_sites / sizeof *of_sites));                \
  } while (0)

/* Returns the number of transitions. */
GG_PORTABLE double transitions(const gg_dna_pair *pair) {
  return pair->purines + pair->pyrimidines;
}

/* Returns the number of transversions. */
GG_PORTABLE double transversions(const gg_dna_pair *pair) { return pair->first + pair->second; }

/* Returns the number of differences. */
GG_PORTABLE double differences(const gg_dna_pair *pair) {
  return transitions(pair) + transversions(pair);
}

/* Returns the share of differences. */
GG_PORTABLE double raw(const gg_dna_pair *pair) { return differences(pair) / pair->sites; }

/* --- Models of one share ---------------------------------------------------------------------- */

/* Returns the distance for sequences that differ at a share `most` of the sites when they are
   unrelated. */
GG_PORTABLE double one_share(const gg_dna_pair *pair, double most, double gamma, double *variance) {
  const double p = differences(pair) / pair->sites, x = p / most;
  if (variance) WRITE_SPREAD(pair->sites, {p, derivative(x, gamma)});
  return most * correct(x, gamma);
}

/* Returns the distance of Jukes and Cantor. */
GG_PORTABLE double jc69(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  return one_share(pair, 0.75, data->gamma, variance);
}

/* Returns the distance of Felsenstein 1981. */
GG_PORTABLE double f81(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  double squares = 0;
  for (int b = 0; b < 4; ++b)
    squares += data->base[b] * data->base[b];
  return one_share(pair, 1 - squares, data->gamma, variance);
}

/* --- Models of transitions and transversions -------------------------------------------------- */

/* Returns the distance of Kimura 1980. */
GG_PORTABLE double k80(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const double p = transitions(pair) / pair->sites, q = transversions(pair) / pair->sites;
  const double gamma = data->gamma, c1 = derivative(2 * p + q, gamma);
  if (variance) WRITE_SPREAD(pair->sites, {p, c1}, {q, (c1 + derivative(2 * q, gamma)) / 2});
  return correct(2 * p + q, gamma) / 2 + correct(2 * q, gamma) / 4;
}

/* Returns the distance of Kimura 1981. */
GG_PORTABLE double k81(const gg_dna_pair *pair, double *variance) {
  const double p = transitions(pair) / pair->sites, q = pair->first / pair->sites,
               r = pair->second / pair->sites;
  const double x[] = {2 * p + 2 * q, 2 * p + 2 * r, 2 * q + 2 * r};
  if (variance) {
    const double c[] = {derivative(x[0], 0) / 2, derivative(x[1], 0) / 2, derivative(x[2], 0) / 2};
    WRITE_SPREAD(pair->sites, {p, c[0] + c[1]}, {q, c[0] + c[2]}, {r, c[1] + c[2]});
  }
  return -(log_left(x[0]) + log_left(x[1]) + log_left(x[2])) / 4;
}

/* Returns the distance of Felsenstein 1984. */
GG_PORTABLE double f84(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const double p = transitions(pair) / pair->sites, q = transversions(pair) / pair->sites;
  const double ag = data->base[0] * data->base[2], ct = data->base[1] * data->base[3];
  const double purines = data->base[0] + data->base[2], pyrimidines = data->base[1] + data->base[3];
  const double a = ct / pyrimidines + ag / purines, b = ct + ag, c = purines * pyrimidines;
  const double x1 = p / (2 * a) + (a - b) * q / (2 * a * c), x2 = q / (2 * c);
  if (variance)
    WRITE_SPREAD(pair->sites, {p, derivative(x1, 0)},
                 {q, (a - b) / c * derivative(x1, 0) - (a - b - c) / c * derivative(x2, 0)});
  return -2 * a * log_left(x1) + 2 * (a - b - c) * log_left(x2);
}

/* Returns the distance of Tamura 1992. */
GG_PORTABLE double t92(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const double p = transitions(pair) / pair->sites, q = transversions(pair) / pair->sites;
  const double gc = data->base[1] + data->base[2], w = 2 * gc * (1 - gc);
  const double x1 = p / w + q, x2 = 2 * q;
  const double c1 = derivative(x1, 0), c2 = derivative(x2, 0);
  if (variance) WRITE_SPREAD(pair->sites, {p, c1}, {q, w * (c1 - c2) + c2});
  return -w * log_left(x1) - (1 - w) / 2 * log_left(x2);
}

/* Returns the distance of Tamura and Nei 1993. */
GG_PORTABLE double tn93(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const double p1 = pair->purines / pair->sites, p2 = pair->pyrimidines / pair->sites;
  const double q = transversions(pair) / pair->sites, gamma = data->gamma;
  const double ag = data->base[0] * data->base[2], ct = data->base[1] * data->base[3];
  const double r = data->base[0] + data->base[2], y = data->base[1] + data->base[3];
  const double k1 = 2 * ag / r, k2 = 2 * ct / y, k3 = 2 * (r * y - ag * y / r - ct * r / y);
  const double x1 = p1 / k1 + q / (2 * r), x2 = p2 / k2 + q / (2 * y), x3 = q / (2 * r * y);
  if (variance) {
    const double c1 = derivative(x1, gamma), c2 = derivative(x2, gamma);
    const double c3 = derivative(x3, gamma);
    WRITE_SPREAD(pair->sites, {p1, c1}, {p2, c2},
                 {q, k1 * c1 / (2 * r) + k2 * c2 / (2 * y) + k3 * c3 / (2 * r * y)});
  }
  return k1 * correct(x1, gamma) + k2 * correct(x2, gamma) + k3 * correct(x3, gamma);
}

/* Returns the ratio of the rates of transitions and transversions of a pair by Kimura 1980. */
GG_PORTABLE double kappa_of_counts(const gg_dna_pair *pair) {
  const double p = transitions(pair) / pair->sites, q = transversions(pair) / pair->sites;
  const double b = -log_left(2 * q) / 2;
  return (-log_left(2 * p + q) - b) / b;
}

/* Returns the distance of Galtier and Gouy. */
GG_PORTABLE double gg95(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const double q = transversions(pair) / pair->sites, kappa = data->kappa;
  const double gc1 = pair->gc[0], gc2 = pair->gc[1];
  const double k1 = 1 + kappa * (gc1 * (1 - gc1) + gc2 * (1 - gc2));
  const double k2 = kappa * (gc1 - gc2) * (gc1 - gc2) / (kappa + 1), e = (kappa + 1) / 4;
  const double log_of_left = log_left(2 * q);
  if (variance) {
    const double c = (k1 + 2 * k2 * e * gg_exp(e * log_of_left)) * derivative(2 * q, 0);
    WRITE_SPREAD(pair->sites, {q, c});
  }
  return -k1 / 2 * log_of_left - k2 * gg_expm1(e * log_of_left);
}

/* --- Models of all changes -------------------------------------------------------------------- */

/* Determinants of two rows of a table and of the two others, by columns (0, 1), (0, 2), (0, 3),
   (1, 2), (1, 3), (2, 3). For counts of up to 27,000 sites all of it is exact. */
typedef struct minors {
  double upper[6], lower[6];
} minors;

/* Computes the minors of a table. */
GG_PORTABLE minors minors_of(const double t[4][4]) {
  const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  minors m;
  for (int k = 0; k < 6; ++k) {
    const int i = pair[k][0], j = pair[k][1];
    m.upper[k] = t[0][i] * t[1][j] - t[0][j] * t[1][i];
    m.lower[k] = t[2][i] * t[3][j] - t[2][j] * t[3][i];
  }
  return m;
}

/* Returns the determinant: the expansion of Laplace by two rows. */
GG_PORTABLE double determinant(const minors *m) {
  const double *u = m->upper, *l = m->lower;
  return u[0] * l[5] - u[1] * l[4] + u[2] * l[3] + u[3] * l[2] - u[4] * l[1] + u[5] * l[0];
}

/* Writes row i of the inverse of the transposed table: the derivatives of the logarithm of the
   determinant by the elements of row i. */
GG_PORTABLE void inverse_row(const double t[4][4], const minors *m, int i, double row[4]) {
  const double *s = i < 2 ? m->lower : m->upper, *o = t[i ^ 1];
  const double factor = (i % 2 ? -1 : 1) / determinant(m);
  row[0] = factor * (o[1] * s[5] - o[2] * s[4] + o[3] * s[3]);
  row[1] = -factor * (o[0] * s[5] - o[2] * s[2] + o[3] * s[1]);
  row[2] = factor * (o[0] * s[4] - o[1] * s[2] + o[3] * s[0]);
  row[3] = -factor * (o[0] * s[3] - o[1] * s[1] + o[2] * s[0]);
}

/* Sums of the rows and columns of a table. */
typedef struct margins {
  double row[4], column[4];
} margins;

/* Computes the sums. */
GG_PORTABLE margins margins_of(const double t[4][4]) {
  margins m = {{0}, {0}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      m.row[i] += t[i][j];
      m.column[j] += t[i][j];
    }
  return m;
}

/* Returns the variance of -1/4 log of the determinant, less half of the logarithms of the margins
   unless they are NULL. */
GG_PORTABLE double table_variance(const gg_dna_pair *pair, const minors *m, const margins *sums) {
  double squares = 0, mean = 0;
  for (int i = 0; i < 4; ++i) {
    double row[4];
    inverse_row(pair->table, m, i, row);
    for (int j = 0; j < 4; ++j) {
      const double known = sums ? 1 / sums->row[i] + 1 / sums->column[j] : 0;
      const double c = (row[j] - known / 2) * pair->sites, p = pair->table[i][j] / pair->sites;
      squares += p * c * c;
      mean += p * c;
    }
  }
  return (squares - mean * mean) / (16 * pair->sites);
}

/* Returns -1/4 log(x), NaN of a negative number. */
GG_PORTABLE double quarter_log(double x) { return -gg_log(x) / 4; }

/* Returns the distance of Lockhart et al.: -1/4 log(256 det F), F the shares of the table. */
GG_PORTABLE double logdet(const gg_dna_pair *pair, double *variance) {
  const minors m = minors_of(pair->table);
  const double quarter = pair->sites / 4;
  if (variance) *variance = table_variance(pair, &m, NULL);
  return quarter_log(determinant(&m) / (quarter * quarter) / (quarter * quarter));
}

/* Returns the distance of Lake. */
GG_PORTABLE double paralin(const gg_dna_pair *pair, double *variance) {
  const minors m = minors_of(pair->table);
  const margins sums = margins_of(pair->table);
  double mean = 1;
  for (int i = 0; i < 4; ++i)
    mean *= sqrt(sums.row[i]) * sqrt(sums.column[i]);
  if (variance) *variance = table_variance(pair, &m, &sums);
  return quarter_log(determinant(&m) / mean);
}

/* Returns the distance of Barry and Hartigan, from the first sequence to the second. */
GG_PORTABLE double bh87(const gg_dna_pair *pair) {
  const minors m = minors_of(pair->table);
  const margins sums = margins_of(pair->table);
  return quarter_log(determinant(&m) / (sums.row[0] * sums.row[1]) / (sums.row[2] * sums.row[3]));
}

/* --- Models ----------------------------------------------------------------------------------- */

/* Returns the distance of a model by counts. */
GG_PORTABLE double distance_by_counts(const gg_dna_pair *pair, const gg_dna_data *data,
                                      double *variance) {
  switch (data->model) {
  case GPUGEO_DNA_MODEL_RAW:
    return raw(pair);
  case GPUGEO_DNA_MODEL_JC69:
    return jc69(pair, data, variance);
  case GPUGEO_DNA_MODEL_K80:
    return k80(pair, data, variance);
  case GPUGEO_DNA_MODEL_F81:
    return f81(pair, data, variance);
  case GPUGEO_DNA_MODEL_K81:
    return k81(pair, variance);
  case GPUGEO_DNA_MODEL_F84:
    return f84(pair, data, variance);
  case GPUGEO_DNA_MODEL_T92:
    return t92(pair, data, variance);
  case GPUGEO_DNA_MODEL_TN93:
    return tn93(pair, data, variance);
  case GPUGEO_DNA_MODEL_GG95:
    return gg95(pair, data, variance);
  case GPUGEO_DNA_MODEL_TS:
    return transitions(pair);
  case GPUGEO_DNA_MODEL_TV:
    return transversions(pair);
  default:
    return differences(pair);
  }
}

/* Returns the distance of a model by a table. */
GG_PORTABLE double distance_by_table(const gg_dna_pair *pair, const gg_dna_data *data,
                                     double *variance) {
  switch (data->model) {
  case GPUGEO_DNA_MODEL_LOGDET:
    return logdet(pair, variance);
  case GPUGEO_DNA_MODEL_PARALIN:
    return paralin(pair, variance);
  default:
    return bh87(pair);
  }
}

/* Returns a distance as results have it, 0 instead of -0, and NaN with NaN as its variance. */
GG_PORTABLE double known_distance(double d, double *variance) {
  if (d == d) return d + 0.0;
  if (variance) *variance = NAN;
  return NAN;
}

#endif
