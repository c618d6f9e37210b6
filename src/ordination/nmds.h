/* Nonmetric multidimensional scaling from many starts, each of them by one thread. */
#ifndef GG_NMDS_H
#define GG_NMDS_H

#include "common/call.h"

/* Why a search ended. */
typedef enum gg_nmds_cause {
  GG_NMDS_ITERATIONS = 1, /* the most iterations */
  GG_NMDS_STRESS,         /* the stress is below its bound */
  GG_NMDS_RATIO,          /* the stress falls no longer */
  GG_NMDS_GRADIENT        /* the gradient is below its bound, or no step lowers the stress */
} gg_nmds_cause;

/* Pairs of points in ascending order of their dissimilarity, and starts. All memory is the
   caller's. */
typedef struct gg_nmds_plan {
  int64_t n, k, pairs, starts;
  const int32_t *row, *column; /* of each pair, from 0 */
  const double *delta;         /* the dissimilarity of each pair, ascending */
  bool linear;                 /* disparities are a linear function of delta */
  bool strong;                 /* pairs with equal delta have equal disparities */
  int64_t most;                /* iterations of a start */
  double least_stress, least_gradient, largest_ratio;
  int32_t threads;
  const double *start; /* n by k by starts, columns first */
  /* Results of each start: the configuration, shaped as `start`, with mean 0 and a mean square norm
     of its points of 1; its stress; and how its search ended. */
  double *points, *stress;
  int *iterations, *cause;
  /* Of the last start, in the order of the pairs; NULL: not wanted. */
  double *distance, *fitted;
} gg_nmds_plan;

/* Returns the bytes that a search takes on each thread. */
double gg_nmds_working(const gg_nmds_plan *plan);

/* Minimizes Kruskal's stress 1 from each start. */
gpugeo_status gg_nmds(const gg_nmds_plan *plan, gg_call *call);

#endif
