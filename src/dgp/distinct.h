/*
 * Meet in the middle on distinct sums, each with the number of rows that have it: whole-number or
 * repeated distances have fewer distinct sums than rows. It is exact in any number of words, and
 * therefore also decides the cases that one word cannot.
 */
#ifndef GG_DGP_DISTINCT_H
#define GG_DGP_DISTINCT_H

#include "common/clock.h"
#include "gpugeo.h"

/* Returns an estimate of the merged elements, which is the cost of counting. d: n by words, see
   superaccumulator.h. */
double gg_dgp_distinct_steps(const uint64_t *d, int n, int words, int64_t bytes);

/* Counts the choices of signs of the first n distances with low <= sum <= high. Lists take at
   most `bytes`; signs that do not fit are fixed in turn. */
gpugeo_status gg_dgp_distinct_count(const uint64_t *d, int n, int words, const uint64_t *low,
                                    const uint64_t *high, int64_t bytes, gg_clock *clock,
                                    gpugeo_uint128 *count, gpugeo_error *error);

#endif
