/* The factor of a singular covariance for distances by its Moore-Penrose inverse. */
#ifndef GG_PSEUDOINVERSE_H
#define GG_PSEUDOINVERSE_H

#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"

GG_C_BEGIN

/* The variance of a coordinate that is left when others are given, divided by all of it: below this
   the coordinate depends on them. Rounding leaves up to about 1e-13 after 10^6 points. */
#define GG_DEPENDENT        1e-10

/* The length of a column of W (pseudoinverse.c) orthogonal to later ones, divided by all of it:
   below this the column depends on them. The lengths of others are at least about the root of
   GG_DEPENDENT. And the diagonal of its row then. */
#define GG_DEPENDENT_LENGTH 1e-8
#define GG_VANISHING        0x1p-600

/* Why there is no factor. */
typedef enum gg_pseudo_failure {
  GG_PSEUDO_NONE,
  GG_PSEUDO_NEGATIVE, /* the covariance has a negative eigenvalue */
  GG_PSEUDO_RANK      /* rounding hides its rank */
} gg_pseudo_failure;

/*
 * Computes a lower triangular factor L, row-major, of the m by m matrix C, which is finite and
 * symmetric, such that |L^-1 d|^2 = d' P d + 2^-1200 |e|^2 for the Moore-Penrose inverse P of C and
 * some of the elements e of d. Overwrites the covariance. Fails with GPUGEO_ERROR_DATA if C has a
 * negative eigenvalue, and if rounding hides its rank.
 */
gpugeo_status gg_pseudo_cholesky(double *covariance, int64_t m, double *factor, gg_call *call);

/* Fails in the words of that function; GPUGEO_OK without a failure. */
gpugeo_status gg_fail_pseudo(gg_pseudo_failure failure, gpugeo_error *error);

GG_C_END

#endif
