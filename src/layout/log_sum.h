/* Sums of logarithms. */
#ifndef GG_LAYOUT_LOG_SUM_H
#define GG_LAYOUT_LOG_SUM_H

#include <stdint.h>

enum { GG_LOG_SUM_NUMBERS = 1000 }; /* maximum number of logarithms that are added at a time */

/* Adds the logarithms of `count` numbers of at least 0, which may be infinite, to the sum. */
void gg_layout_add_logs(const double *number, int64_t count, double *sum);

#endif
