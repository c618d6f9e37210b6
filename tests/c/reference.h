/*
 * The simplest correct distances: one pair at a time, one coordinate after the other, written from
 * the definitions in gpugeo.h and the rules of stats::dist for what is missing or infinite.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpugeo.h"

typedef struct reference {
  gpugeo_metric metric;
  double p;                  /* minkowski */
  const double *scale;       /* seuclidean: m standard deviations */
  const long double *factor; /* mahalanobis: of reference_factor() */
} reference;

/* True if the arithmetic of a metric is a fixed order of + - x / sqrt fma: there is one right
 * double.
 */
bool reference_is_ordered(const reference *r);

/* That double, or float for single. Only for ordered metrics. */
double reference_double(const reference *r, const double *a, const double *b, int64_t m);
float reference_single(const reference *r, const double *a, const double *b, int64_t m);

/* Eliminates the covariance of m coordinates once for all pairs: an upper triangle, and below it
   the factors of the rows. To be freed. */
long double *reference_factor(const double *covariance, int64_t m);

/* The distance in long double arithmetic. Spearman wants the points' ranks. */
long double reference_accurate(const reference *r, const double *a, const double *b, int64_t m);

/* Ranks among the values that are not NaN, ties averaged; NaN stays NaN. */
void reference_rank(const double *values, int64_t m, double *ranks);

/* Pearson's correlation over the coordinates that both have: NaN with fewer than two of them, with
   one that is infinite, or where a side is constant. */
long double reference_correlation(const double *a, const double *b, int64_t m);

#endif
