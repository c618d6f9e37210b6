/* Coarser graphs, by the contraction of matchings. */
#ifndef GG_LAYOUT_CONTRACTION_H
#define GG_LAYOUT_CONTRACTION_H

#include "layout/plan.h"

/* The next coarser graph, in which matched vertices are contracted into one. */
typedef struct gg_layout_coarse {
  gg_layout_graph graph;
  float *mass;     /* of each vertex, the number of vertices of the first graph in it */
  int32_t *parent; /* of each vertex of the finer graph, the coarse vertex that it is part of */
} gg_layout_coarse;

/* Finds a matching and contracts it. fine_mass may be NULL: all 1. To be freed by
   gg_layout_coarse_free(), also after a failure. */
gpugeo_status gg_layout_coarsen(const gg_layout_graph *fine, const float *fine_mass,
                                int32_t threads, gg_layout_coarse *coarse, gpugeo_error *error);
void gg_layout_coarse_free(gg_layout_coarse *coarse);

#endif
