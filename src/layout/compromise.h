/* A layout between one by forces and one by stress. */
#ifndef GG_LAYOUT_COMPROMISE_H
#define GG_LAYOUT_COMPROMISE_H

#include "layout/iterations.h"
#include "layout/pivots.h"

typedef struct gg_compromise {
  const gg_layout_setting *setting;
  const gg_layout_plan *plan; /* positions: by stress, and then by forces */
  const gg_path_graph *graph;
  const gg_pivots *pivots;
  const double *forces; /* positions by forces, vertices by dim, column-major, in any unit */
} gg_compromise;

/* Replaces the plan's positions if they keep fewer than 0.9 of the neighbours that the layout by
   forces keeps, or have more stress: by a layout between both that keeps as many and has no more
   stress. The setting's call has a progress from 0 to 1. */
gpugeo_status gg_layout_compromise(const gg_compromise *between);

/* Returns the bytes of working memory for each vertex, with the layout by forces. */
double gg_compromise_bytes(int dim);

#endif
