/* What counts the pairs of observations of two columns by sorting. */
#ifndef GG_CPU_KENDALL_MERGE_H
#define GG_CPU_KENDALL_MERGE_H

#include "distance/kendall.h"

/* Pairs of the observations that two columns have. */
typedef struct gg_kendall_counts {
  int64_t observations;       /* that both have */
  int64_t untied_x, untied_y; /* with two different values */
  int64_t score;              /* the concordant less the discordant ones */
} gg_kendall_counts;

/* Counts the pairs of column i of x and column j of y by merge sort (W. R. Knight, 1966, A computer
   method for calculating Kendall's tau with ungrouped data, JASA 61). order: gg_kendall_order() of
   x; room: 2 n numbers. */
gg_kendall_counts gg_kendall_merge(const gg_kendall_columns *x, const int32_t *order, int64_t i,
                                   const gg_kendall_columns *y, int64_t j, int32_t *room);

#endif
