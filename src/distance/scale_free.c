/*
 * Fits of power laws to connectivities (Zhang and Horvath 2005, Statistical Applications in
 * Genetics and Molecular Biology 4(1), 17; Horvath and Dong 2008, PLoS Computational Biology 4(8),
 * e1000117). Connectivities are counted in bins of equal width. A bin without genes has its middle
 * as mean connectivity, and all shares are increased by 1e-9, so there is no logarithm of 0.
 *
 * Least squares by projection: each predictor becomes orthogonal to those before it, and what the
 * response has of it is subtracted. Cost: the connectivities of each power are sorted.
 */
#include "distance/scale_free.h"

#include <math.h>
#include <stdlib.h>

#include "common/compare.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/portable_log.h"

/* Fills in the defaults of a rule. */
static void fill_rule(void *rule) {
  *(gg_scale_free_rule *)rule = (gg_scale_free_rule){.least = 0.85, .bins = 10};
}

static const gg_option rule_rows[] = {
    {GG_OPTION("RsquaredCut", NUMBER, gg_scale_free_rule, least), .octave = "rsquaredcut",
     .allowed = GG_SHARE},
    {GG_OPTION("nBreaks", WHOLE, gg_scale_free_rule, bins), .octave = "nbreaks", .least = 3,
     .most = 1000000},
    {GG_OPTION("removeFirst", FLAG, gg_scale_free_rule, remove_first), .octave = "removefirst"},
};

const gg_option_table gg_soft_threshold_options =
    GG_OPTION_TABLE(rule_rows, gg_scale_free_rule, fill_rule);

/* The connectivities of one power, and what is fitted to them. */
typedef struct power_fit {
  double *sorted; /* n connectivities */
  int64_t n, bins;
  double *mean; /* bins: connectivities of a bin */
  double *log;  /* bins: their logarithms */
  double *y;    /* bins: logarithms of shares of genes */
} power_fit;

/* Returns a logarithm to base 10. */
static double log_10(double x) { return gg_log(x) / 0x1.26bb1bbb55516p+1; }

/* Returns the lower edge of a bin. */
static double edge_of(const power_fit *fit, int64_t bin) {
  const double low = fit->sorted[0], high = fit->sorted[fit->n - 1];
  return bin == fit->bins ? high : low + (double)bin * ((high - low) / (double)fit->bins);
}

/* Fills the bins, which include their upper edges, from the sorted connectivities. */
static void fill_bins(const power_fit *fit) {
  const double low = fit->sorted[0];
  int64_t at = 0;
  for (int64_t b = 0; b < fit->bins; ++b) {
    const double edge = edge_of(fit, b + 1);
    const int64_t first = at;
    double sum = 0;
    for (; at < fit->n && fit->sorted[at] <= edge; ++at)
      sum += fit->sorted[at] - low;
    const int64_t count = at - first;
    const double mean = count ? low + sum / (double)count : 0;
    fit->mean[b] = mean > 0 ? mean : 0.5 * (edge_of(fit, b) + edge);
    fit->y[b] = log_10((double)count / (double)fit->n + 1e-9);
    fit->log[b] = log_10(fit->mean[b]);
  }
}

/* Returns the sum of the products of two columns. */
static double product_of(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Subtracts the mean of a column. Returns its norm before. */
static double centre(double *a, int64_t n) {
  const double norm = sqrt(product_of(a, a, n)), first = a[0];
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += a[i] - first;
  for (int64_t i = 0; i < n; ++i)
    a[i] -= first + sum / (double)n;
  return norm;
}

/* Subtracts what y has of a predictor, of which no more than 1e-7 of its norm at first is nothing
   but the predictors before it (as in R's lm()). Returns the factor. */
static double project(const double *predictor, double norm, double *y, int64_t n) {
  const double square = product_of(predictor, predictor, n);
  if (!(sqrt(square) > 1e-7 * norm)) return 0;
  const double factor = product_of(predictor, y, n) / square;
  for (int64_t i = 0; i < n; ++i)
    y[i] -= factor * predictor[i];
  return factor;
}

/* Fits the power law to n bins; found: the fit's columns. */
static void fit_line(double *y, double *log, double *mean, int64_t n, double *found) {
  for (int64_t i = 0; i < n; ++i)
    if (!isfinite(log[i])) return; /* no gene has a connectivity */
  const double log_norm = centre(log, n), mean_norm = centre(mean, n);
  centre(y, n);
  const double all = product_of(y, y, n), rest = (double)(n - 1);
  found[GG_SCALE_FREE_SLOPE] = project(log, log_norm, y, n);
  found[GG_SCALE_FREE_R_SQUARED] = 1 - product_of(y, y, n) / all;
  if (n <= 3) return;
  project(log, log_norm, mean, n);
  project(mean, mean_norm, y, n);
  found[GG_SCALE_FREE_TRUNCATED] = 1 - product_of(y, y, n) / all * rest / (rest - 2);
}

/* Finds the statistics of connectivities. */
static void describe(const power_fit *fit, double *found) {
  const double n = (double)fit->n, most = fit->sorted[fit->n - 1];
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < fit->n; ++i) {
    sum += fit->sorted[i];
    squares += fit->sorted[i] * fit->sorted[i];
  }
  const double density = sum / n / (n - 1);
  found[GG_SCALE_FREE_MEAN] = sum / n;
  found[GG_SCALE_FREE_MEDIAN] = 0.5 * (fit->sorted[(fit->n - 1) / 2] + fit->sorted[fit->n / 2]);
  found[GG_SCALE_FREE_MAX] = most;
  found[GG_SCALE_FREE_DENSITY] = density;
  found[GG_SCALE_FREE_CENTRALIZATION] = n / (n - 2) * (most / (n - 1) - density);
  found[GG_SCALE_FREE_HETEROGENEITY] = sqrt(fmax(n * squares / (sum * sum) - 1, 0));
}

/* Fits the connectivities k of one power. */
static void fit_power(const power_fit *fit, const double *k, bool remove_first, double *found) {
  for (int64_t i = 0; i < fit->n; ++i)
    fit->sorted[i] = k[i];
  qsort(fit->sorted, (size_t)fit->n, sizeof *k, gg_compare_doubles);
  fill_bins(fit);
  describe(fit, found);
  fit_line(fit->y + remove_first, fit->log + remove_first, fit->mean + remove_first,
           fit->bins - remove_first, found);
}

gpugeo_status gg_scale_free_check(const gg_scale_free_rule *rule, gpugeo_error *error) {
  const gg_given least = gg_given_number(rule->least);
  if (rule->least >= 0 && rule->least <= 1) return GPUGEO_OK;
  return gg_fail_given(error, "RsquaredCut", GG_SHARE, &least);
}

gpugeo_status gg_scale_free(int64_t n, const double *powers, int64_t count,
                            const gg_scale_free_rule *rule, gg_scale_free_result *result,
                            gpugeo_error *error) {
  const int64_t bins = rule->bins;
  double *room = gg_allocate(n + 3 * bins, sizeof *room);
  if (!room) return gg_fail_memory(error, (n + 3 * bins) * (int64_t)sizeof *room);
  double *const mean = room + n;
  const power_fit fit = {room, n, bins, mean, mean + bins, mean + 2 * bins};
  result->best = result->missing;
  for (int64_t p = count - 1; p >= 0; --p) {
    double found[GG_SCALE_FREE_COLUMNS];
    for (int c = 0; c < GG_SCALE_FREE_COLUMNS; ++c)
      found[c] = NAN;
    if (n > 0) fit_power(&fit, result->connectivities + p * n, rule->remove_first != 0, found);
    found[GG_SCALE_FREE_POWER] = powers[p];
    if (found[GG_SCALE_FREE_R_SQUARED] > rule->least) result->best = powers[p];
    for (int c = 0; c < GG_SCALE_FREE_COLUMNS; ++c)
      result->fits[p + c * count] = found[c] == found[c] ? found[c] : result->missing;
  }
  gg_free(room);
  return GPUGEO_OK;
}
