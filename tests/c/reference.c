#include "reference.h"

#include <float.h>
#include <stdlib.h>
#include <tgmath.h>

#define T    double
#define TINY DBL_MIN
#define LOOP loop_double
#include "reference_loop.h"
#undef T
#undef TINY
#undef LOOP

#define T    float
#define TINY FLT_MIN
#define LOOP loop_single
#include "reference_loop.h"
#undef T
#undef TINY
#undef LOOP

/* What is too small for stats::dist stays so. */
#define T    long double
#define TINY DBL_MIN
#define LOOP loop_long
#include "reference_loop.h"
#undef T
#undef TINY
#undef LOOP

bool reference_is_ordered(const reference *r) {
  switch (r->metric) {
  case GPUGEO_METRIC_MINKOWSKI:
    return r->p == 1 || r->p == 2; /* manhattan and euclidean */
  case GPUGEO_METRIC_CANBERRA:     /* its fractions may be added in any way */
  case GPUGEO_METRIC_MAHALANOBIS:
  case GPUGEO_METRIC_COSINE:
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    return false;
  default:
    return true;
  }
}

double reference_double(const reference *r, const double *a, const double *b, int64_t m) {
  return loop_double(r, a, b, m);
}

float reference_single(const reference *r, const double *a, const double *b, int64_t m) {
  return loop_single(r, a, b, m);
}

/* Gaussian elimination, of a covariance that needs no pivots. */
long double *reference_factor(const double *covariance, int64_t m) {
  long double *c = malloc((size_t)(m * m) * sizeof *c + 1);
  for (int64_t e = 0; e < m * m; ++e)
    c[e] = (long double)covariance[e];
  for (int64_t k = 0; k < m; ++k)
    for (int64_t i = k + 1; i < m; ++i) {
      const long double factor = c[i * m + k] / c[k * m + k];
      for (int64_t j = k + 1; j < m; ++j)
        c[i * m + j] -= factor * c[k * m + j];
      c[i * m + k] = factor;
    }
  return c;
}

/* d' C^-1 d by the factors of C. */
static long double mahalanobis(const reference *r, const double *a, const double *b, int64_t m) {
  const long double *c = r->factor;
  long double *z = malloc((size_t)m * sizeof *z + 1), sum = 0;
  for (int64_t i = 0; i < m; ++i) {
    z[i] = (long double)a[i] - (long double)b[i];
    for (int64_t k = 0; k < i; ++k)
      z[i] -= c[i * m + k] * z[k];
  }
  for (int64_t k = m - 1; k >= 0; --k) {
    for (int64_t j = k + 1; j < m; ++j)
      z[k] -= c[k * m + j] * z[j];
    z[k] /= c[k * m + k];
  }
  for (int64_t k = 0; k < m; ++k)
    sum += ((long double)a[k] - (long double)b[k]) * z[k];
  free(z);
  return m == 0 || !isfinite(sum) ? (long double)NAN : sqrt(sum);
}

/* a'b / (|a| |b|), of deviations from the means where centred. */
static long double similarity(const double *a, const double *b, int64_t m, bool centred) {
  long double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  int64_t left = 0;
  double first_a = 0, first_b = 0;
  bool varies_a = false, varies_b = false;
  for (int64_t k = 0; k < m; ++k) {
    if (isnan(a[k]) || isnan(b[k])) continue;
    if (isinf(a[k]) || isinf(b[k])) return (long double)NAN;
    if (left++ == 0) first_a = a[k], first_b = b[k];
    if (a[k] != first_a) varies_a = true;
    if (b[k] != first_b) varies_b = true;
    mean_a += (long double)a[k] - first_a;
    mean_b += (long double)b[k] - first_b;
  }
  if (left == 0 || (centred && !(varies_a && varies_b))) return (long double)NAN;
  mean_a = centred ? mean_a / left + first_a : 0;
  mean_b = centred ? mean_b / left + first_b : 0;
  for (int64_t k = 0; k < m; ++k) {
    if (isnan(a[k]) || isnan(b[k])) continue;
    const long double u = a[k] - mean_a, v = b[k] - mean_b;
    aa += u * u;
    bb += v * v;
    ab += u * v;
  }
  return aa > 0 && bb > 0 ? ab / (sqrt(aa) * sqrt(bb)) : (long double)NAN;
}

long double reference_correlation(const double *a, const double *b, int64_t m) {
  return similarity(a, b, m, true);
}

long double reference_accurate(const reference *r, const double *a, const double *b, int64_t m) {
  switch (r->metric) {
  case GPUGEO_METRIC_MAHALANOBIS:
    return mahalanobis(r, a, b, m);
  case GPUGEO_METRIC_COSINE:
    return 1 - similarity(a, b, m, false);
  case GPUGEO_METRIC_PEARSON:
  case GPUGEO_METRIC_SPEARMAN:
    return 1 - similarity(a, b, m, true);
  default:
    return loop_long(r, a, b, m);
  }
}

void reference_rank(const double *values, int64_t m, double *ranks) {
  for (int64_t k = 0; k < m; ++k) {
    int64_t smaller = 0, equal = 0;
    for (int64_t l = 0; l < m; ++l) {
      smaller += values[l] < values[k];
      equal += values[l] == values[k];
    }
    ranks[k] = isnan(values[k]) ? NAN : (double)smaller + (double)(equal + 1) / 2;
  }
}
