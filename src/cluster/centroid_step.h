/*
 * Ward's distances from centroids. A centroid is a sum of two doubles for each coordinate, so
 * clusters that are close together keep the digits of their distance at any location. All
 * backends take these steps; their operations and the order of these make the bits.
 */
#ifndef GG_CENTROID_STEP_H
#define GG_CENTROID_STEP_H

#include <math.h>
#include <stdint.h>

#include "cluster/linkage_step.h"

/* A centroid: coordinate k is high[k * stride] + low[k * stride]. */
typedef struct gg_centroid {
  const double *high, *low;
  int64_t stride;
} gg_centroid;

/* Returns the factor of the squared distance of two centroids, of clusters of these sizes: 1 for
   two points, and at most twice the smaller size. */
GG_LINKAGE double gg_ward_factor(double na, double nb) { return 2 * (na * nb) / (na + nb); }

/* Returns the squared distance of two centroids of m coordinates. */
GG_LINKAGE double gg_centroid_distance(gg_centroid a, gg_centroid b, int64_t m) {
  double sum = 0;
  for (int64_t k = 0; k < m; ++k) {
    const int64_t i = k * a.stride, j = k * b.stride;
    const double t = (a.high[i] - b.high[j]) + (a.low[i] - b.low[j]);
    sum += t * t;
  }
  return sum;
}

/* Returns Ward's distance of clusters from the squared distance of their centroids and their
   factor. level: the larger one of the distances at which both were merged, 0 for points; rounding
   does not make a merge lower. */
GG_LINKAGE double gg_ward_distance(double squared, double factor, double level) {
  return gg_greater(factor * squared, level);
}

/* Returns a rounded value of factor * squared above which no pair of a cluster of this size is
   within `distance`. norm: of what rounding has left out of either centroid, at most; relative: a
   bound of the error of rounded values. */
GG_LINKAGE double gg_ward_limit(double distance, double size, double norm, double relative) {
  const double root = sqrt(distance) + sqrt(2 * size) * 2 * norm;
  return root * root * (1 + relative);
}

/* Merges a coordinate of two clusters of sizes na and nb: their mean, weighted by the sizes. a gets
   it. */
GG_LINKAGE void gg_centroid_merge(double *a_high, double *a_low, double b_high, double b_low,
                                  double na, double nb) {
  const double size = na + nb, pa = na * *a_high, pb = nb * b_high, sum = pa + pb;
  const double part = sum - pa, lost = (pa - (sum - part)) + (pb - part);
  const double low = (fma(na, *a_high, -pa) + fma(nb, b_high, -pb)) + (na * *a_low + nb * b_low);
  const double mean = sum / size, rest = (fma(-mean, size, sum) + (lost + low)) / size;
  *a_high = mean + rest;
  *a_low = rest - (*a_high - mean);
}

#endif
