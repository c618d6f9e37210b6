/* The plan of a Mantel test, from the core to a backend. */
#ifndef GG_MANTEL_H
#define GG_MANTEL_H

#include "common/clock.h"
#include "gpugeo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With s a permutation: sums of x(s(i), s(j)) y(i, j) over all pairs i < j, for each permutation
   after that of the points as they are, and then the same with z. */
typedef struct gg_mantel_plan {
  int64_t n;            /* at least 2 */
  const double *x;      /* n by n, symmetric */
  const double *y, *z;  /* condensed; z may be NULL */
  const int32_t *order; /* n by permutations */
  int64_t permutations;
  double *sums; /* 1 + permutations, or twice as many */
  int32_t threads;
  double done; /* of the call's progress: the sums are the rest */
} gg_mantel_plan;

#ifdef __cplusplus
}
#endif

#endif
