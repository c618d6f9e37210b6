/* The sums over a column of pairs for stress majorization, for each instruction set. */
#ifndef GG_MDS_KERNELS_H
#define GG_MDS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/simd.h"
#include "ordination/mds_plan.h"

/* Pairs of one point, the column, with groups of GG_MDS_LANES points, the rows. */
typedef struct gg_mds_column {
  const double *x; /* the configuration */
  int64_t ld, k;   /* of x: its padded points, and its columns */
  int64_t column, row, groups;
  const double *delta;  /* of each row; NULL: factors are weights */
  const double *weight; /* of each row; NULL: all are 1 */
  double scale, weight_scale;
} gg_mds_column;

/* The sums of a tile: those of gg_mds_sums in each lane. */
typedef struct gg_mds_lanes {
  _Alignas(64) double residual[GG_MDS_LANES], excess[GG_MDS_LANES], squares[GG_MDS_LANES];
} gg_mds_lanes;

/* Adds factor times difference of coordinates: to `out`, as x, for the rows, and to the k numbers
   of `down` for the column. Adds to the sums unless delta is NULL. factor: room for the rows. */
typedef void gg_mds_kernel(const gg_mds_column *c, double *factor, double *out, double *down,
                           gg_mds_lanes *sums);

extern gg_mds_kernel GG_SIMD_FORMS(gg_mds_add);

#endif
