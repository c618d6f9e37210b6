/* A layout whose quality is measured, see stress.h, neighborhood.h and crossings.h. */
#ifndef GG_LAYOUT_MEASURED_H
#define GG_LAYOUT_MEASURED_H

#include "common/call.h"
#include "layout/plan.h"

/* A layout that is being measured. */
typedef struct gg_measured {
  gg_layout_graph graph;
  const int32_t *ends; /* edge e joins ends[2 e] and ends[2 e + 1], the smaller first */
  int64_t edges;
  int dim;
  const double *at[3]; /* coordinates by column, scaled by a power of two to at most 1 */
  int32_t threads;
  gg_call *call; /* threads only read its clock */
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

#endif
