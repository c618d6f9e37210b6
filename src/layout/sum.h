/* Sums over vertices, edges or pairs by all threads, the same bits for any number of them. */
#ifndef GG_LAYOUT_SUM_H
#define GG_LAYOUT_SUM_H

#include "common/clock.h"

/* Returns the sum of the terms of the numbers [first, last), at most 256 of them. */
typedef double (*gg_layout_term)(const void *job, int64_t first, int64_t last);

/* Adds the terms of all numbers from 0 to count - 1 to the sum. */
gpugeo_status gg_layout_sum(gg_layout_term term, const void *job, int64_t count, int32_t threads,
                            gg_clock *clock, double *sum, gpugeo_error *error);

#endif
