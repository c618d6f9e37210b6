/* The loops over rows of the working matrix, for each instruction set. */
#ifndef GG_LINKAGE_KERNELS_H
#define GG_LINKAGE_KERNELS_H

#include <stdint.h>

#include "cluster/linkage_step.h"
#include "common/simd.h"

typedef struct gg_linkage_kernels {
  /* Returns the smallest of `count` values, at least one, that are not NaN. dead: unless NULL,
     infinity for values that are left out, else minus infinity. */
  double (*least)(const double *row, const double *dead, int64_t count);
  /* Computes the row of the union of two clusters from theirs. size: of the columns' clusters. out
     may be di. */
  void (*join_rows)(gpugeo_linkage linkage, const gg_joined *joined, const double *di,
                    const double *dj, const double *size, int64_t count, double *out);
  /* Merges the pairs [first, last) of columns of a row, of a cluster of size nk. */
  void (*join_columns)(gpugeo_linkage linkage, const gg_column_pairs *pairs, const double *row,
                       double nk, int64_t first, int64_t last, double *merged);
  /* Copies row[from[k]] to out[k]. */
  void (*gather)(const double *row, const int32_t *from, int64_t count, double *out);
} gg_linkage_kernels;

extern const gg_linkage_kernels GG_SIMD_FORMS(gg_linkage_kernels);

#endif
