/* Kendall's correlations, tau-b: the columns as whole numbers, from the core to a backend. */
#ifndef GG_KENDALL_H
#define GG_KENDALL_H

#include <math.h>
#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"

GG_C_BEGIN

enum {
  GG_KENDALL_MISSING = -1,    /* the code of a missing value */
  GG_KENDALL_ROWS = 100000000 /* the most observations: pairs of them are exact in a double */
};

/*
 * Columns of n observations. Observation k of column i has the code code[k + i * n], a whole number
 * below 2 n that is as much larger as its value is: equal values have equal codes.
 */
typedef struct gg_kendall_columns {
  int64_t n, columns;
  const gpugeo_matrix *values; /* where they come from */
  int32_t *code;    /* this and what follows: NULL if the backend ranks the values itself */
  int64_t *present; /* observations of each column that are not missing */
  int64_t *untied;  /* pairs of them with two different values */
  bool gaps;        /* some value is missing */
  bool ties;        /* some column has two equal values */
} gg_kendall_columns;

/* Makes the columns of a matrix that is dense or sparse, without codes unless `coded`. *made begins
   as {0} and is to be freed also after a failure. */
gpugeo_status gg_kendall_make(const gpugeo_matrix *x, const char *argument, bool coded,
                              int32_t threads, gg_kendall_columns *made, gg_call *call);
void gg_kendall_free(gg_kendall_columns *made);

/* Lists for each column the observations that are not missing by value: order[. + i * n]. To be
   freed by gg_free(). */
gpugeo_status gg_kendall_order(const gg_kendall_columns *x, int32_t threads, int32_t **order,
                               gg_call *call);

/* Returns the bytes of columns of n observations, and of their orders. */
double gg_kendall_bytes(int64_t columns, int64_t n);

/*
 * The correlations out(i, j), column-major, x.columns by y.columns, symmetric when x and y are the
 * same. With the pairs of observations that both columns have, s is the number of concordant less
 * that of discordant ones, and the correlation gg_kendall_tau(untied in x, untied in y, s).
 * Fewer than two observations, or a column constant on them, make it missing; the latter is noted
 * if the plan is pairwise. If it is not, a column with a gap has missing correlations only.
 * Covariances, 2 s, are those of plans that are not pairwise: constant columns have 0.
 */
typedef struct gg_kendall_plan {
  const gg_kendall_columns *x, *y;
  bool pairwise;   /* gaps are left out for each pair of columns */
  bool covariance; /* 2 s instead of the correlation */
  gpugeo_type type;
  void *out;
  double missing;
  int32_t threads, device, workers; /* as in a gg_dist_plan */
  int64_t work_bytes;               /* 0: the backend's default */
} gg_kendall_plan;

/* Returns the correlation from the numbers of pairs without a tie, both above 0, and the score: the
   same bits everywhere, and exactly 1 or -1 where all these pairs agree. */
#if defined(__CUDACC__)
__host__ __device__
#endif
    static inline double
    gg_kendall_tau(int64_t untied_x, int64_t untied_y, int64_t score) {
  const double tau = (double)score / sqrt((double)untied_x * (double)untied_y);
  return tau > 1 ? 1 : tau < -1 ? -1 : tau;
}

GG_C_END

#endif
