/* The plan of a covariance and its Cholesky factor, from the core to a backend. */
#ifndef GG_WHITENING_H
#define GG_WHITENING_H

#include <stdbool.h>

#include "common/backend.h"
#include "distance/pseudoinverse.h"
#include "gpugeo.h"

/* Rows of the factor that are divided by the roots of their own pivots; later rows are divided by
   elements of the factor, which are these pivots divided by their roots. */
enum { GG_FACTOR_ROWS = 32 };

typedef struct gg_whitening_plan {
  gpugeo_matrix x; /* in memory, dense or sparse, with at least two points */
  gpugeo_points points;
  int64_t m;                /* coordinates, at least 1 */
  const double *covariance; /* m by m, column-major, checked; NULL: that of the complete points */
  bool drop;                /* gpugeo_singular DROP, see gg_cholesky(), */
  bool pinv;                /* or PINV, see gg_pseudo_cholesky() */
  double *centre;           /* m: gets the means, unless the covariance is given */
  double *factor;           /* m by m, row-major: gets the lower triangular factor */
  int32_t threads, device;
  int64_t work_bytes; /* 0: the backend's default */
} gg_whitening_plan;

/* Begins as {.column = -1}. */
typedef struct gg_whitening_result {
  bool done;        /* false: left to the host, for want of memory or as a covariance is infinite */
  int64_t complete; /* complete points, unless the covariance is given; fewer than two: no factor */
  int64_t column;   /* the first whose pivot vanishes, of a singular covariance, or -1 */
  gg_pseudo_failure failure; /* of PINV */
} gg_whitening_result;

/* Returns the number of complete points whose products are added up before they are added to the
   covariance, which its bits depend on. */
static inline int64_t gg_covariance_panel(int64_t m) {
  const int64_t values = (int64_t)1 << 17, least = 64;
  return m * least < values ? values / (m > 0 ? m : 1) : least;
}

#endif
