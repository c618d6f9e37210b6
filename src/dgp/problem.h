/* Distances as whole numbers: exact ones in as many words as needed, and ones rounded to one
   word with a known error. */
#ifndef GG_DGP_PROBLEM_H
#define GG_DGP_PROBLEM_H

#include "common/superaccumulator.h"
#include "gpugeo.h"

typedef struct gg_dgp_problem {
  int32_t n;
  /* The exact numbers: d[j] is a whole number of 2^exponent. All sums fit, with two spare bits
     and a sign. */
  int32_t words, exponent;
  uint64_t d[GPUGEO_DGP_DISTANCES_MAX * GG_FIXED_WORDS]; /* n by words */
  uint64_t total[GG_FIXED_WORDS];                        /* sum of d */
  uint64_t limit[GG_FIXED_WORDS]; /* a sum of at most this size is a solution */
  /* In one word: d[j] is about narrow[j] * divisor * 2^(exponent + shift). A sum of these differs
     from the exact one by at most `error` of their units; 0: they are exact. */
  int64_t narrow[GPUGEO_DGP_DISTANCES_MAX];
  int64_t narrow_total, narrow_limit;
  int64_t divisor;
  int32_t shift;
  int64_t error;
} gg_dgp_problem;

/* Makes a problem. d: n positive and finite. tol: at least 0. Without `exact` the narrow numbers
   become the problem. */
void gg_dgp_problem_make(gg_dgp_problem *problem, const double *d, int64_t n, double tol,
                         bool exact);

/* Makes a problem of its own from the narrow numbers. */
void gg_dgp_problem_narrow(const gg_dgp_problem *problem, gg_dgp_problem *narrow);

/* Returns an exact number of at least 0 in narrow units, rounded down; only if `error` is not 0. */
int64_t gg_dgp_whole_units(const gg_dgp_problem *problem, const uint64_t *exact);

/* Computes the numbers of signs of two halves. Their sorted lists of absolute sums, 8 bytes
   each, and the list that the larger one is made from take at most `bytes`; the other signs must
   be fixed in turn. */
void gg_dgp_halves(int n, int64_t bytes, int *first, int *second);

#endif
