/* What the measures of gpugeo_layout_quality() share. */
#ifndef GG_LAYOUT_MEASURE_H
#define GG_LAYOUT_MEASURE_H

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

/* The square of the distance between two vertices. */
static inline double gg_measured_square(const gg_measured *m, int64_t i, int64_t j) {
  double sum = 0;
  for (int c = 0; c < m->dim; ++c) {
    const double d = m->at[c][i] - m->at[c][j];
    sum += d * d;
  }
  return sum;
}

/* Fields stress and scale, from the distances that `pivots` vertices have in the graph to all they
   can reach; less than all vertices are drawn by the seed. */
gpugeo_status gg_layout_stress(const gg_measured *m, int64_t pivots, uint64_t seed,
                               gpugeo_layout_quality_result *quality, gpugeo_error *error);

/* Field neighborhood. */
gpugeo_status gg_layout_neighborhood(const gg_measured *m, gpugeo_layout_quality_result *quality,
                                     gpugeo_error *error);

/* Fields crossings and crossings_error, from all pairs of edges or `pairs` of them, drawn by the
   seed. Two edges without a common vertex cross where they have a point in common, be it an end.
   Decided exactly as long as no coordinate but 0 is less than 2^-480 of the largest. */
gpugeo_status gg_layout_crossings(const gg_measured *m, int64_t pairs, uint64_t seed,
                                  gpugeo_layout_quality_result *quality, gpugeo_error *error);

#endif
