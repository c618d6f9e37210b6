/* Standard deviations, covariance and Cholesky factor of the coordinates. */
#ifndef GG_COVARIANCE_H
#define GG_COVARIANCE_H

#include <stdbool.h>

#include "common/call.h"
#include "distance/point_source.h"
#include "gpugeo.h"

/* Computes the standard deviations (divisor n - 1, missing values left out) of the m coordinates
   of x's points. An error names the first coordinate where that is not positive and finite,
   counted from `first`, where x is a part of the coordinates. A gpugeo_singular other than ERROR
   makes those of constant coordinates infinite, which gives them the weight 0. */
gpugeo_status gg_deviations(const gpugeo_matrix *x, gpugeo_points points, int64_t first,
                            int64_t singular, int32_t threads, double *deviation, gg_call *call);

/* Checks deviations of m coordinates, computed from so many values each, as gg_deviations() does.
 */
gpugeo_status gg_check_deviations(const double *count, int64_t m, int64_t first, int64_t singular,
                                  double *deviation, gpugeo_error *error);

/* Means and covariance matrix (m by m, divisor n - 1) of the points of x that have no missing
   coordinate, of which no more than so many bytes are read together from a file: the same bits for
   any number of them. */
gpugeo_status gg_covariance(const gg_point_source *x, const gpugeo_run *run, int64_t bytes,
                            double *mean, double *covariance, gg_call *call);

/* Fail for so many complete points, fewer than two, and for the first column without a pivot. */
gpugeo_status gg_fail_complete(int64_t complete, gpugeo_error *error);
gpugeo_status gg_fail_singular(bool given, int64_t column, gpugeo_error *error);

/* Checks that a covariance is finite and symmetric up to rounding errors. */
gpugeo_status gg_check_covariance(const double *covariance, int64_t m, gpugeo_error *error);

/* Refuses a symmetric matrix that is no covariance, since two of its coordinates have a negative
   variance or a correlation beyond 1. */
gpugeo_status gg_check_variances(const double *covariance, int64_t m, gpugeo_error *error);

/* Computes the lower triangular factor L, row-major, of the m by m matrix C = L L'. C must be
   positive definite; one that is singular up to rounding is an error, worded for one that was given
   or for that of x, and so is one that was given and is indefinite. With the gpugeo_singular DROP,
   columns that depend on those before them get an infinite pivot: their elements of L^-1 d are 0,
   and the others those of C without them. */
gpugeo_status gg_cholesky(const double *covariance, int64_t m, bool given, int64_t singular,
                          double *factor, gg_call *call);

#endif
