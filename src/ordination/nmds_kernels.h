/* The loops over pairs of nonmetric scaling, for each instruction set. */
#ifndef GG_NMDS_KERNELS_H
#define GG_NMDS_KERNELS_H

#include <stdint.h>

#include "common/simd.h"

/* Pairs of points. Coordinates of a point are next to each other: x[point * k + c]. */
typedef struct gg_nmds_pairs {
  int64_t count, k;
  const int32_t *row, *column;
  double *value, *fitted; /* distances and disparities */
} gg_nmds_pairs;

/* The functions for an instruction set. All have the same bits. */
typedef struct gg_nmds_kernels {
  /* Writes the distances of the pairs in a configuration. */
  void (*measure)(const gg_nmds_pairs *pairs, const double *x);
  /* Writes the sum of (value - fitted)^2 and that of value^2. */
  void (*sums)(const gg_nmds_pairs *pairs, double *gaps, double *squares);
  /* Adds to the gradient (share - fitted / value) times the difference of the points, for values
     above 0. pull: room for a number of each pair. */
  void (*pull)(const gg_nmds_pairs *pairs, const double *x, double share, double *pull,
               double *gradient);
  /* Lists first + t + 1 for each t below count whose value is below start + slope (t + 1). Returns
     the end of the list, which has room for one number more. */
  int32_t *(*below)(const double *value, int64_t count, double start, double slope, int32_t first,
                    int32_t *list);
} gg_nmds_kernels;

extern const gg_nmds_kernels GG_SIMD_FORMS(gg_nmds_kernels);

#endif
