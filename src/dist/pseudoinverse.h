/* The factor of a singular covariance for distances by its Moore-Penrose inverse. */
#ifndef GG_PSEUDOINVERSE_H
#define GG_PSEUDOINVERSE_H

#include <stdbool.h>

#include "common/clock.h"
#include "gpugeo.h"

/* The variance of a coordinate that is left when others are given, divided by all of it: below this
   the coordinate depends on them. Rounding leaves up to about 1e-13 after 10^6 points. */
#define GG_DEPENDENT 1e-10

/*
 * Computes a lower triangular factor L, row-major, of the m by m matrix C, which is finite and
 * symmetric, so that |L^-1 d|^2 = d' P d + 2^-1200 |e|^2 for the Moore-Penrose inverse P of C and
 * some of the elements e of d. Overwrites the covariance. Fails with GPUGEO_ERROR_DATA if C has a
 * negative eigenvalue, and if rounding hides its rank.
 */
gpugeo_status gg_pseudo_cholesky(double *covariance, int64_t m, double *factor, gg_clock *clock,
                                 gpugeo_error *error);

#endif
