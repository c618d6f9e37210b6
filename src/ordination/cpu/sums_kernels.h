/* The loop over a tile of pairs, for each instruction set. */
#ifndef GG_SUMS_KERNELS_H
#define GG_SUMS_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

/* Sums of one kernel call: two vectors of the widest registers. */
enum { GG_SUM_LANES = 16 };

/*
 * A tile of pairs, column-major, and GG_SUM_LANES values of each of its points: those of a lane
 * follow each other at a distance of GG_SUM_LANES. They are elements of a basis or numbers of
 * groups. Values of pairs that do not count are 0.
 */
typedef struct gg_sum_tile {
  const double *value;
  int64_t rows, columns, ld;
  const double *of_rows, *of_columns;
  const double *weight; /* of each group */
} gg_sum_tile;

typedef struct gg_sums_kernels {
  /* Add the sums over the tile's pairs to sum[lane], column by column. */
  void (*basis)(const gg_sum_tile *tile, double *sum);
  void (*groups)(const gg_sum_tile *tile, double *sum);
} gg_sums_kernels;

extern const gg_sums_kernels GG_SIMD_FORMS(gg_sums_kernels);

#endif
