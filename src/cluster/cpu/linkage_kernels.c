/*
 * The loops over rows of the working matrix, compiled once for each instruction set, see lanes.h.
 * The compiler makes vectors of the loops; their bits are those of plain C, as no sum is reordered
 * and nothing is contracted.
 */
#include "common/lanes.h"

#if defined(GG_FORM_EXISTS)

#include <math.h>

#include "cluster/cpu/linkage_kernels.h"

GG_LOOP_TARGET static double least(const double *row, const double *dead, int64_t count) {
  double low = INFINITY;
  if (!dead) {
#pragma omp simd reduction(min : low)
    for (int64_t c = 0; c < count; ++c)
      low = row[c] < low ? row[c] : low;
    return low;
  }
#pragma omp simd reduction(min : low)
  for (int64_t c = 0; c < count; ++c) {
    const double v = dead[c] > row[c] ? dead[c] : row[c];
    low = v < low ? v : low;
  }
  return low;
}

GG_LOOP_TARGET static void join_rows(gpugeo_linkage linkage, const gg_joined *joined,
                                     const double *di, const double *dj, const double *size,
                                     int64_t count, double *out) {
  const gg_joined j = *joined;
#define JOIN(constant)                                                                             \
  _Pragma("omp simd") for (int64_t c = 0; c < count; ++c) out[c] =                                 \
      gg_linkage_step(constant, &j, di[c], dj[c], size[c])
  GG_FOR_LINKAGE(linkage, JOIN)
#undef JOIN
}

GG_LOOP_TARGET static void join_columns(gpugeo_linkage linkage, const gg_column_pairs *pairs,
                                        const double *row, double nk, int64_t first, int64_t last,
                                        double *merged) {
  const gg_column_pairs p = *pairs;
#define JOIN(constant)                                                                             \
  _Pragma("omp simd") for (int64_t k = first; k < last; ++k) {                                     \
    const gg_joined j = {p.ni[k], p.nj[k], p.dij[k]};                                              \
    merged[k] = gg_linkage_step(constant, &j, row[p.low[k]], row[p.high[k]], nk);                  \
  }
  GG_FOR_LINKAGE(linkage, JOIN)
#undef JOIN
}

GG_LOOP_TARGET static void gather(const double *row, const int32_t *from, int64_t count,
                                  double *out) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k)
    out[k] = row[from[k]];
}

const gg_linkage_kernels GG_FORM_OF(gg_linkage_kernels) = {least, join_rows, join_columns, gather};

#endif
