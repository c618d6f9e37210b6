/*
 * Meet in the middle on distinct sums, each with the number of rows that have it: whole-number or
 * repeated distances have fewer distinct sums than rows. It is exact in any number of words, and
 * therefore also decides the cases that one word cannot.
 */
#ifndef GG_DGP_DISTINCT_H
#define GG_DGP_DISTINCT_H

#include "common/call.h"
#include "gpugeo.h"

/* Returns an estimate of the merged elements, which is the cost of counting. d: n by words, see
   superaccumulator.h. */
double gg_dgp_distinct_steps(const uint64_t *d, int n, int words, int64_t bytes);

/* Which choices of signs of the first n distances are counted: those with low <= sum <= high. All
   numbers have so many words, and are borrowed. */
typedef struct gg_dgp_distinct {
  const uint64_t *d; /* n by words */
  int n, words;
  const uint64_t *low, *high;
  int64_t bytes; /* maximum for lists; signs that do not fit are fixed in turn */
} gg_dgp_distinct;

/* Counts the choices. */
gpugeo_status gg_dgp_distinct_count(const gg_dgp_distinct *what, gpugeo_uint128 *count,
                                    gg_call *call);

#endif
