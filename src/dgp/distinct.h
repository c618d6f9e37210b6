/*
 * Meet in the middle on distinct sums, each with the number of rows that have it: whole-number
 * distances or few different ones have few distinct sums, however many rows. Exact in any number of
 * words, hence also what settles all that one word leaves open.
 */
#ifndef GG_DGP_DISTINCT_H
#define GG_DGP_DISTINCT_H

#include "common/clock.h"
#include "gpugeo.h"

/* Most distinct sums that two halves of the first n distances can have together; infinite when that
   is more than a double can count. d: n by words, see fixed.h. */
double gg_dgp_distinct_sums(const uint64_t *d, int n, int words);

/* Merged elements, roughly: what it takes to count. */
double gg_dgp_distinct_steps(const uint64_t *d, int n, int words, int64_t bytes);

/* The number of choices of signs of the first n distances with low <= sum <= high. At most `bytes`
   of lists, at least one of a few elements; signs are fixed in turn where they don't fit. */
gpugeo_status gg_dgp_distinct_count(const uint64_t *d, int n, int words, const uint64_t *low,
                                    const uint64_t *high, int64_t bytes, gg_clock *clock,
                                    gpugeo_uint128 *count, gpugeo_error *error);

#endif
