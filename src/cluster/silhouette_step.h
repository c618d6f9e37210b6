/* How the sums of a point's distances make its silhouette, for all backends. */
#ifndef GG_SILHOUETTE_STEP_H
#define GG_SILHOUETTE_STEP_H

#include <stdint.h>

#if defined(__CUDACC__)
#define GG_SILHOUETTE_FUNCTION static __host__ __device__ __forceinline__
#else
#include "common/inline.h"
#define GG_SILHOUETTE_FUNCTION GG_INLINE
#endif

/* Compares another cluster of the point, which has `size` points and the sum `total`, with the
   nearest one so far and its mean distance. Clusters come in their order; neighbor begins as -1. */
GG_SILHOUETTE_FUNCTION void gg_silhouette_take(double total, double size, int32_t cluster,
                                               int32_t *neighbor, double *least) {
  const double mean = total / size;
  if (*neighbor >= 0 && !(mean < *least)) return;
  *least = mean;
  *neighbor = cluster;
}

/* Returns the width of a point that has a neighbor; total and size are those of its own cluster. */
GG_SILHOUETTE_FUNCTION double gg_silhouette_width(double total, double size, double least) {
  const double others = size - 1, a = total / others, b = least;
  return others == 0 || a == b ? 0 : (b - a) / (a > b ? a : b);
}

#endif
