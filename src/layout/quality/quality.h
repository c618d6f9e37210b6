/* The measures of gpugeo_layout_quality(). */
#ifndef GG_LAYOUT_QUALITY_H
#define GG_LAYOUT_QUALITY_H

#include "layout/layout.h"

/* A layout that is being measured. */
typedef struct gg_measured {
  gg_layout_graph graph;
  const int32_t *ends; /* edge e joins ends[2 e] and ends[2 e + 1], the smaller first */
  int64_t edges;
  int dim;
  const double *at[3]; /* coordinates by column, scaled by a power of two to at most 1 */
  int32_t threads;
  gg_clock *clock;
} gg_measured;

/* Returns the squared distance of two vertices. */
static inline double gg_measured_square(const gg_measured *m, int64_t i, int64_t j) {
  double sum = 0;
  for (int c = 0; c < m->dim; ++c) {
    const double d = m->at[c][i] - m->at[c][j];
    sum += d * d;
  }
  return sum;
}

/* Computes the fields stress and scale from the distances in the graph between `pivots` vertices
   and all vertices that they reach; fewer pivots than vertices are drawn at random. */
gpugeo_status gg_layout_stress(const gg_measured *m, int64_t pivots, uint64_t seed,
                               gpugeo_layout_quality_result *quality, gpugeo_error *error);

/* Computes the field neighborhood. */
gpugeo_status gg_layout_neighborhood(const gg_measured *m, gpugeo_layout_quality_result *quality,
                                     gpugeo_error *error);

/* Computes the fields crossings and crossings_error from all pairs of edges or, if there are more,
   from `pairs` random ones. Two edges without a common vertex cross if they have a point in common,
   ends included. Exact if no nonzero coordinate is less than 2^-480 of the largest. */
gpugeo_status gg_layout_crossings(const gg_measured *m, int64_t pairs, uint64_t seed,
                                  gpugeo_layout_quality_result *quality, gpugeo_error *error);

#endif
