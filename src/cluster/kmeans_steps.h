/* What the algorithms of k-means work on, and their steps. */
#ifndef GG_KMEANS_STEPS_H
#define GG_KMEANS_STEPS_H

#include <stdbool.h>

#include "cluster/kmeans_kernels.h"
#include "common/call.h"

/* The points and the clusters. Numbers are from 0. */
typedef struct gg_kmeans {
  gg_call *call;
  const gg_kmeans_kernels *kernels;
  int64_t n, p, k, ld;
  const double *x;  /* n by p, column-major: coordinate j of point i is x[i + j ld] */
  double *center;   /* p coordinates of each cluster; NaN if it is empty */
  int32_t *cluster; /* of each point; -1: none yet */
  int32_t *size;    /* points of each cluster */
  int64_t most;     /* iterations */
  int64_t iterations;
  int32_t fault; /* as gpugeo_kmeans_result has it */
  int32_t threads;
} gg_kmeans;

/* Returns the squared distance of two points of p coordinates. */
static inline double gg_kmeans_square(const double *a, const double *b, int64_t p) {
  double sum = 0;
  for (int64_t j = 0; j < p; ++j)
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/* Copies coordinates of points, whose numbers are number[0], ..., number[count - 1] or, if that is
   NULL, first, first + 1, ..., side by side: to is p by GG_KMEANS_BLOCK. */
void gg_kmeans_pack(const gg_kmeans *means, const int64_t *number, int64_t first, int64_t count,
                    double *to);

/* Writes the sizes of the clusters and their centres, the means of their points, which are added in
   their order. */
gpugeo_status gg_kmeans_average(gg_kmeans *means);

/* Writes the sum of squares within each cluster, which are added in the order of stats::kmeans():
   point by point, or column by column. */
void gg_kmeans_measure(const gg_kmeans *means, bool by_columns, double *within);

/* Writes the sum of squares of all points from their mean. */
gpugeo_status gg_kmeans_total(gg_kmeans *means, double *total);

/* Fills what the algorithms of AS 136 and MacQueen have of each point, in its order: its
   coordinates, p by p, and its nearest centres. second may be NULL. */
gpugeo_status gg_kmeans_assign(gg_kmeans *means, double *rows, int32_t *second);

/* Moves points until no one moves or the iterations are used up. */
gpugeo_status gg_kmeans_hartigan(gg_kmeans *means); /* Hartigan and Wong 1979, AS 136 */
gpugeo_status gg_kmeans_lloyd(gg_kmeans *means);
gpugeo_status gg_kmeans_macqueen(gg_kmeans *means);

/* Draws the centres from the points by k-means++, with k numbers in [0, 1). */
gpugeo_status gg_kmeans_draw(gg_kmeans *means, const double *uniform);

/* Fails because an element of an argument, counted from 0, is missing or infinite. */
gpugeo_status gg_fail_not_finite(const char *name, int64_t row, int64_t column, double value,
                                 gpugeo_error *error);

#endif
