/*
 * Rates of sites by a gamma distribution, in categories of equal shares (Yang 1994, Journal of
 * Molecular Evolution 39, 306-314): the share of the mean that lies below x is P(shape + 1, x), if
 * the share of all sites is P(shape, x).
 *
 * P, the regularized incomplete gamma function, is computed by its series below shape + 1, and by
 * its continued fraction above (Abramowitz and Stegun 1964, 6.5.29 and 6.5.31), with logarithms and
 * exponentials that have the same bits on all machines.
 */
#include "sequences/gamma_rates.h"

#include <float.h>
#include <math.h>

#include "common/portable_log.h"

static const double LOWEST = -745, HIGHEST = 9; /* logarithms of quantiles */

/* Returns log(gamma(x)), x > 0, by Stirling's series at 12 or above. */
static double log_gamma(double x) {
  double product = 1;
  for (; x < 12; ++x)
    product *= x;
  const double y = 1 / x, z = y * y;
  const double series =
      y * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188))));
  const double half_log_two_pi = 0.91893853320467274178;
  return (x - 0.5) * gg_log(x) - x + half_log_two_pi + series - gg_log(product);
}

/* Returns the sum of x^n gamma(a) / gamma(a + 1 + n) for n from 0 on. */
static double sum_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > sum * DBL_EPSILON / 4; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/* Returns the continued fraction of 1 - P, x >= a + 1 (Lentz 1976). */
static double find_fraction(double a, double x) {
  double b = x + 1 - a, c = 1e300, d = 1 / b, value = d, factor = 0;
  for (double i = 1; fabs(factor - 1) > DBL_EPSILON && i < 1e5; ++i) {
    const double up = i * (a - i);
    b += 2;
    d = 1 / (up * d + b);
    c = b + up / c;
    factor = c * d;
    value *= factor;
  }
  return value;
}

/* Returns P(a, x). */
static double below(double a, double x) {
  if (!(x > 0)) return 0;
  const double factor = gg_exp(a * gg_log(x) - x - log_gamma(a));
  return x < a + 1 ? factor * sum_series(a, x) : 1 - factor * find_fraction(a, x);
}

/* Returns the x with P(a, x) = p, by bisection of its logarithm. */
static double find_quantile(double a, double p) {
  double low = LOWEST, high = HIGHEST;
  for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (below(a, gg_exp(middle)) < p)
      low = middle;
    else
      high = middle;
  }
  return gg_exp(low);
}

void gg_gamma_rates(int count, double shape, double *rates) {
  double before = 0;
  for (int k = 0; k < count; ++k) {
    const double bound = k + 1 < count ? find_quantile(shape, (double)(k + 1) / count) : INFINITY;
    const double until = k + 1 < count ? below(shape + 1, bound) : 1;
    rates[k] = count * (until - before);
    before = until;
  }
}
