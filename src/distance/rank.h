/* Ranks with ties averaged: of each point, and of pairs of columns with missing values. */
#ifndef GG_RANK_H
#define GG_RANK_H

#include <math.h>
#include <stdbool.h>

#include "common/c_linkage.h"
#include "common/call.h"
#include "gpugeo.h"

GG_C_BEGIN

/* Replaces the m coordinates of each of the n points by their ranks among those that are not
   missing (NaN stays NaN): ranks[k + i * m]. Float holds them exactly up to m = 2^23, double (type)
   beyond. */
gpugeo_status gg_rank_points(const gpugeo_matrix *x, gpugeo_points points, gpugeo_type type,
                             void *ranks, int32_t threads, gg_call *call);

/* Replaces the coordinates of the first `count` points of a packed panel by their ranks: coordinate
   k of point i is z[k * stride + i]. room: gg_rank_room(m) bytes. */
void gg_rank_panel(double *z, int64_t count, int64_t m, int64_t stride, void *room);
int64_t gg_rank_room(int64_t m);

/* Writes the ranks of some columns of a matrix that may be sparse: row k of column first + i to
   z[k * count + i]. room: gg_rank_room(m) bytes for each thread. Returns false if the clock stopped
   it. */
bool gg_rank_columns(const gpugeo_matrix *x, int64_t first, int64_t count, double *z, void *room,
                     int32_t threads, gg_clock *clock);

/*
 * The order of one column, from which the ranks of any part of it follow. Observation k of column
 * i: first[k + i * n] is the number of observations that are smaller, last[k + i * n] the number
 * that are not larger; both are -1 for a missing value. order[. + i * n] lists the observations by
 * value, the missing ones last.
 */
typedef struct gg_rank_order {
  int64_t n, columns;
  const gpugeo_matrix *values;   /* where it comes from */
  int32_t *order, *first, *last; /* NULL if the backend ranks the values itself */
} gg_rank_order;

/* Makes the orders of the columns of x, or only refers to x unless `ordered`. */
gpugeo_status gg_rank_order_make(const gpugeo_matrix *x, bool ordered, gg_rank_order *made,
                                 int32_t threads, gg_call *call);
void gg_rank_order_free(gg_rank_order *made);

/*
 * Spearman correlations for which each pair of columns is ranked on the c observations that both
 * have: out(i, j), column-major, x.columns by y.columns, symmetric when x and y are the same. With
 * r the ranks, the sums of the squares and products of 2 r - (c + 1) are exact integers, and the
 * correlation follows from them by gg_rank_correlation. Fewer than two observations, or a column
 * constant on them, make it missing; the latter is noted.
 */
typedef struct gg_rank_plan {
  const gg_rank_order *x, *y;
  gpugeo_type type; /* of out: double or float */
  void *out;
  double missing;
  int32_t threads, device, workers; /* as in a gg_dist_plan */
  int64_t work_bytes;               /* 0: the backend's default */
} gg_rank_plan;

/* Returns the correlation from the sums of squares xx > 0, yy > 0 and of products xy; the same
   bits everywhere. */
#if defined(__CUDACC__)
__host__ __device__
#endif
    static inline double
    gg_rank_correlation(int64_t xx, int64_t yy, int64_t xy) {
  const double r = (double)xy / (sqrt((double)xx) * sqrt((double)yy));
  return r > 1 ? 1 : r < -1 ? -1 : r;
}

GG_C_END

#endif
