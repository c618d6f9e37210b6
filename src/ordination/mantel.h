/* The plan of a Mantel test, from the core to a backend. */
#ifndef GG_MANTEL_H
#define GG_MANTEL_H

#include <math.h>
#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/clock.h"
#include "distance/dist_source.h"
#include "gpugeo.h"

GG_C_BEGIN

/* The order of all sums, which all backends share: terms k of a row of products, or of a chunk of
   distances, are added up in lanes k % GG_MANTEL_LANES, and gg_mantel_lanes adds the lanes. Chunks
   and rows are added in their order. */
enum {
  GG_MANTEL_SIDES = 3, /* x, y and z */
  GG_MANTEL_LANES = 32,
  GG_MANTEL_CHUNK = 8192
};

/*
 * A job with all arguments checked. Distances, or their ranks, are standardized: see
 * gg_standardize. With s a permutation, sums has the sum of x(s(i), s(j)) y(i, j) over all pairs
 * i < j, for each permutation after that of the points as they are, and then the same with z. A row
 * of products has those of one point of x, s(i), in the order of j; rows are in the order of the
 * points of x.
 */
typedef struct gg_mantel_plan {
  int64_t n;                                   /* at least 2, at most GG_RANKS_POINTS */
  int sides;                                   /* 2: without z */
  gg_dist_source source[GG_MANTEL_SIDES];      /* started */
  const char *const *name;                     /* of the sources in messages */
  const gg_dist_plan *points[GG_MANTEL_SIDES]; /* for a backend with devices: see permuted_sums.h */
  bool ranked;
  const int32_t *order; /* n by permutations */
  int64_t permutations;
  double *sums; /* 1 + permutations, or twice as many */
  double *yz;   /* gets the sum of y(i, j) z(i, j), which is a sum of chunks; 0 without z */
  int32_t device;
  int32_t threads;
  int64_t work_bytes; /* 0: the backend's default */
} gg_mantel_plan;

/* Parts of the call's progress: to bring one side, and before the sums. */
static const double gg_mantel_side_share = 0.1, gg_mantel_sums_begin = 0.3;

/* Passes over the distances of a side, v, with a number. Each returns a sum. The CPU leaves the
   distances as they are and standardizes each again where it is read, which gives the same bits. */
typedef enum gg_mantel_pass {
  GG_MANTEL_SUM,    /* v - number */
  GG_MANTEL_CENTER, /* v becomes v - number; then v * v */
  GG_MANTEL_SCALE,  /* v becomes v / number; 0 */
  GG_MANTEL_PRODUCT /* v times those of another side */
} gg_mantel_pass;

/* Returns the sum of chunks' sums. */
static inline double gg_mantel_add(const double *sum, int64_t count) {
  double all = 0;
  for (int64_t k = 0; k < count; ++k)
    all += sum[k];
  return all;
}

GG_C_END

#endif
