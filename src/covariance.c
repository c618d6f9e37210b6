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
    if (!isnan(v)) squares = fma(d, d, squares);
  }
  *mean = first + centre;
  *deviation = sqrt(squares / (double)(count - 1));
  return count;
}

gpugeo_status gg_deviations(const gpugeo_matrix *x, gpugeo_points points, double *deviation,
                            gpugeo_error *error) {
  const int64_t m = gg_point_size(x, points);
  for (int64_t k = 0; k < m; ++k) {
    double mean;
    const int64_t count = moments(x, points, k, &mean, &deviation[k]);
    if (count < 2)
      return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                     "scale must be given: column %lld of x has %lld values, too few for a "
                     "standard deviation",
                     (long long)k + 1, (long long)count);
    if (!(deviation[k] > 0 && deviation[k] <= DBL_MAX))
      return gg_fail(error, GPUGEO_ERROR_DATA, "scale",
                     "scale must be given: column %lld of x has standard deviation %s, and it must "
                     "be positive and finite",
                     (long long)k + 1, gg_number(deviation[k]).text);
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

gpugeo_status gg_cholesky(const double *covariance, int64_t m, double *factor,
                          gpugeo_error *error) {
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
  for (int64_t i = 0; i < m; ++i) {
    double *row = factor + i * m;
    for (int64_t j = 0; j <= i; ++j) {
      const double *other = factor + j * m;
      double rest = covariance[i + j * m];
      for (int64_t l = 0; l < j; ++l)
        rest = fma(-row[l], other[l], rest);
      if (j < i) {
        row[j] = rest / other[j];
      } else if (rest > (double)m * DBL_EPSILON * covariance[i + i * m]) {
        row[i] = sqrt(rest);
      } else {
        return gg_fail(error, GPUGEO_ERROR_DATA, "cov",
                       "cov must be positive definite, but it is singular: column %lld depends on "
                       "those before it or is constant",
                       (long long)i + 1);
      }
    }
    for (int64_t j = i + 1; j < m; ++j)
      row[j] = 0;
  }
  return GPUGEO_OK;
}
