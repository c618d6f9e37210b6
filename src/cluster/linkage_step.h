/* The distance between a cluster and two merged ones, after Lance and Williams. */
#ifndef GG_LINKAGE_STEP_H
#define GG_LINKAGE_STEP_H

#include "gpugeo.h"

#if defined(__CUDACC__)
#define GG_LINKAGE static __host__ __device__ __forceinline__
#else
#include "common/inline.h"
#define GG_LINKAGE GG_INLINE
#endif

/* Two clusters that are merged: their sizes and their distance. */
typedef struct gg_joined {
  double ni, nj, dij;
} gg_joined;

/* Pairs of columns that are merged: where they are, the sizes of both clusters, and their
   distance. */
typedef struct gg_column_pairs {
  int32_t *low, *high;
  double *ni, *nj, *dij;
} gg_column_pairs;

GG_LINKAGE double gg_lesser(double a, double b) { return b < a ? b : a; }
GG_LINKAGE double gg_greater(double a, double b) { return b > a ? b : a; }

/*
 * Returns the distance between cluster k, of size nk, and the union of i and j; di and dj are those
 * to i and to j. The operations and their order are those of stats::hclust(). Averages are not
 * rounded out of [di, dj], and Ward's distances not below both: then rounding cannot make a merge
 * lower than those of which it consists, and equal distances stay equal. To be inlined with a
 * constant linkage.
 */
GG_LINKAGE double gg_linkage_step(gpugeo_linkage linkage, const gg_joined *p, double di, double dj,
                                  double nk) {
  const double low = gg_lesser(di, dj), high = gg_greater(di, dj);
  switch (linkage) {
  case GPUGEO_LINKAGE_SINGLE:
    return low;
  case GPUGEO_LINKAGE_COMPLETE:
    return high;
  case GPUGEO_LINKAGE_AVERAGE:
    return gg_lesser(high, gg_greater(low, (p->ni * di + p->nj * dj) / (p->ni + p->nj)));
  case GPUGEO_LINKAGE_MCQUITTY:
    return (di + dj) * 0.5;
  case GPUGEO_LINKAGE_WARD_D:
  case GPUGEO_LINKAGE_WARD_D2:
    return gg_greater(low,
                      ((p->ni + nk) * di + (p->nj + nk) * dj - nk * p->dij) / (p->ni + p->nj + nk));
  case GPUGEO_LINKAGE_CENTROID:
    return (p->ni * di + p->nj * dj - p->ni * p->nj * p->dij / (p->ni + p->nj)) / (p->ni + p->nj);
  default:
    return ((di + dj) - p->dij * 0.5) * 0.5;
  }
}

/* Calls a macro with the linkage as a constant, so gg_linkage_step() has no condition on it:
   those that are merged in rounds, and all but single linkage. */
#define GG_FOR_LINKAGE_IN_ROUNDS(linkage, CALL)                                                    \
  switch (linkage) {                                                                               \
  case GPUGEO_LINKAGE_COMPLETE:                                                                    \
    CALL(GPUGEO_LINKAGE_COMPLETE);                                                                 \
    break;                                                                                         \
  case GPUGEO_LINKAGE_AVERAGE:                                                                     \
    CALL(GPUGEO_LINKAGE_AVERAGE);                                                                  \
    break;                                                                                         \
  case GPUGEO_LINKAGE_MCQUITTY:                                                                    \
    CALL(GPUGEO_LINKAGE_MCQUITTY);                                                                 \
    break;                                                                                         \
  default: /* Ward's */                                                                            \
    CALL(GPUGEO_LINKAGE_WARD_D);                                                                   \
  }
#define GG_FOR_LINKAGE(linkage, CALL)                                                              \
  switch (linkage) {                                                                               \
  case GPUGEO_LINKAGE_CENTROID:                                                                    \
    CALL(GPUGEO_LINKAGE_CENTROID);                                                                 \
    break;                                                                                         \
  case GPUGEO_LINKAGE_MEDIAN:                                                                      \
    CALL(GPUGEO_LINKAGE_MEDIAN);                                                                   \
    break;                                                                                         \
  default:                                                                                         \
    GG_FOR_LINKAGE_IN_ROUNDS(linkage, CALL)                                                        \
  }

#endif
