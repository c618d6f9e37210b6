#include "covariance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dist.h"
#include "error.h"
#include "matrix.h"
#include "memory.h"

/* Mean and standard deviation of coordinate k over the points that have it; returns their number.
   All is taken of the differences from the first of them, so that values far from 0 keep their
   digits. */
static int64_t moments(const gpugeo_matrix *x, gpugeo_points points, int64_t k, double *mean,
                       double *deviation) {
  const int64_t n = gg_point_count(x, points);
  int64_t count = 0;
  double first = 0, sum = 0, rest = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k);
    if (isnan(v)) continue;
    if (count++ == 0) first = v;
    sum += v - first;
  }
  double centre = sum / (double)count;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k);
    if (!isnan(v)) rest += (v - first) - centre;
  }
  centre += rest / (double)count;
  for (int64_t i = 0; i < n; ++i) {
    const double v = gg_coordinate(x, points, i, k), d = (v - first) - centre;
    if (!isnan(v)) squares += d * d;
  }
  *mean = first + centre;
  *deviation = sqrt(squares / (double)(count - 1));
  return count;
}

gpugeo_status gg_deviations(const gpugeo_matrix *x, gpugeo_points points, int64_t first,
                            double *deviation, gpugeo_error *error) {
  const int64_t m = gg_point_size(x, points);
  for (int64_t k = 0; k < m; ++k) {
    double mean;
    const int64_t count = moments(x, points, k, &mean, &deviation[k]);
    if (count < 2)
      return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                     "scale must be given: column %lld of x has %lld values, too few for a "
                     "standard deviation",
                     (long long)(first + k) + 1, (long long)count);
    if (!(deviation[k] > 0 && deviation[k] <= DBL_MAX))
      return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                     "scale must be given: column %lld of x has standard deviation %s, and it must "
                     "be positive and finite",
                     (long long)(first + k) + 1, gg_number(deviation[k]).text);
  }
  return GPUGEO_OK;
}

/* Replaces the point's coordinates in `points` by a view of the complete ones, points as rows. */
static gpugeo_status complete_points(const gpugeo_matrix *x, gpugeo_points points, double **copy,
                                     int64_t *kept, gpugeo_error *error) {
  const int64_t n = gg_point_count(x, points), m = gg_point_size(x, points);
  *copy = gg_allocate(n * m, sizeof **copy);
  if (!*copy) return gg_fail_memory(error, n * m * (int64_t)sizeof **copy);
  *kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t k = 0;
    for (; k < m; ++k) {
      const double v = gg_coordinate(x, points, i, k);
      if (isnan(v)) break;
      (*copy)[*kept + k * n] = v;
    }
    *kept += k == m;
  }
  return GPUGEO_OK;
}

gpugeo_status gg_covariance(const gpugeo_matrix *x, gpugeo_points points, const gpugeo_run *run,
                            double *mean, double *covariance, gpugeo_error *error) {
  const int64_t n = gg_point_count(x, points), m = gg_point_size(x, points);
  double *copy, *deviation = gg_allocate(m, sizeof *deviation);
  if (!deviation) return gg_fail_memory(error, m * (int64_t)sizeof *deviation);
  int64_t kept = 0;
  gpugeo_status status = complete_points(x, points, &copy, &kept, error);
  if (status) {
    free(deviation);
    return status;
  }
  const gpugeo_matrix complete = {copy, GPUGEO_DOUBLE, kept, m, n};
  for (int64_t k = 0; k < m; ++k)
    moments(&complete, GPUGEO_ROWS, k, &mean[k], &deviation[k]);
  if (kept < 2) {
    status = gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                     "cov must be given: x has %lld complete rows, too few for a covariance",
                     (long long)kept);
  } else {
    /* Correlations by the kernels, then back to covariances. */
    gpugeo_cor_options options;
    gpugeo_cor_options_init(&options);
    options.run = *run;
    options.run.backend = GPUGEO_CPU;
    options.run.precision = GPUGEO_PRECISION_DOUBLE;
    options.run.progress = NULL;
    status = gpugeo_cor(&complete, NULL, &options, GPUGEO_DOUBLE, covariance, NULL, error);
  }
  for (int64_t j = 0; !status && j < m; ++j)
    for (int64_t i = 0; i < m; ++i) {
      double *c = &covariance[i + j * m];
      /* A constant column has no correlations: it is singular, not missing. */
      *c =
          isnan(*c) && !isnan(deviation[i] * deviation[j]) ? 0 : *c * (deviation[i] * deviation[j]);
    }
  free(copy);
  free(deviation);
  return status;
}

/* Finite and symmetric, up to the rounding of whoever computed it? */
static gpugeo_status check_covariance(const double *covariance, int64_t m, gpugeo_error *error) {
  for (int64_t j = 0; j < m; ++j)
    for (int64_t i = 0; i < m; ++i) {
      const double a = covariance[i + j * m], b = covariance[j + i * m];
      const double size = sqrt(fabs(covariance[i + i * m])) * sqrt(fabs(covariance[j + j * m]));
      if (!isfinite(a))
        return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                       "cov must be finite, but element (%lld, %lld) is %s", (long long)i + 1,
                       (long long)j + 1, gg_number(a).text);
      if (fabs(a - b) > 1e-10 * size)
        return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "cov",
                       "cov must be symmetric, but element (%lld, %lld) is %g and (%lld, %lld) is "
                       "%g",
                       (long long)i + 1, (long long)j + 1, a, (long long)j + 1, (long long)i + 1,
                       b);
    }
  return GPUGEO_OK;
}

enum {
  ROWS = 32
}; /* of the factor computed together: each earlier row is then read once for all */

/*
 * Rows [i0, i0 + rows) of the factor, given those before, in block[j * ROWS + r]: columns one after
 * the other, and of each column all rows together. Returns the first column whose pivot vanishes,
 * or -1.
 */
static int64_t factor_rows(const double *covariance, int64_t m, const double *factor, int64_t i0,
                           int64_t rows, double *block) {
  for (int64_t j = 0; j < i0 + rows; ++j) {
    const bool inside = j >= i0;
    const double *earlier = inside ? block + (j - i0) : factor + j * m;
    const int64_t stride = inside ? ROWS : 1;
    double rest[ROWS] = {0};
    for (int64_t r = 0; r < rows; ++r)
      rest[r] = covariance[i0 + r + j * m];
    for (int64_t l = 0; l < j; ++l)
      for (int64_t r = 0; r < ROWS; ++r)
        rest[r] -= block[l * ROWS + r] * earlier[l * stride];
    double pivot = inside ? 0 : factor[j + j * m];
    if (inside) {
      const double square = rest[j - i0];
      if (!(square > (double)m * DBL_EPSILON * covariance[j + j * m])) return j;
      pivot = sqrt(square);
      for (int64_t r = 0; r < j - i0; ++r)
        rest[r] = 0; /* above the diagonal */
      rest[j - i0] = square;
    }
    for (int64_t r = 0; r < ROWS; ++r)
      block[j * ROWS + r] = rest[r] / pivot;
  }
  return -1;
}

gpugeo_status gg_cholesky(const double *covariance, int64_t m, bool given, double *factor,
                          gg_clock *clock, gpugeo_error *error) {
  gpugeo_status status = check_covariance(covariance, m, error);
  if (status) return status;
  double *block = gg_allocate(m * ROWS, sizeof *block);
  if (!block) return gg_fail_memory(error, m * ROWS * (int64_t)sizeof *block);
  for (int64_t i0 = 0; !status && i0 < m; i0 += ROWS) {
    const int64_t rows = m - i0 < ROWS ? m - i0 : ROWS;
    const int64_t singular = factor_rows(covariance, m, factor, i0, rows, block);
    if (singular >= 0)
      status = gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                       "%s is singular: column %lld depends on those before it or is constant",
                       given ? "cov must be positive definite, but it"
                             : "cov must be given: the covariance of x",
                       (long long)singular + 1);
    else if (gg_clock_poll(clock, 0))
      status = gg_fail_interrupt(error);
    for (int64_t r = 0; !status && r < rows; ++r)
      for (int64_t j = 0; j < m; ++j)
        factor[(i0 + r) * m + j] = j <= i0 + r ? block[j * ROWS + r] : 0;
  }
  free(block);
  return status;
}
