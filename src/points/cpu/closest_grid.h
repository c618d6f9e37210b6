/* The CPU's search for closest pairs by a grid, and what the other algorithms share with it. */
#ifndef GG_CPU_CLOSEST_GRID_H
#define GG_CPU_CLOSEST_GRID_H

#include "points/cpu/closest_best.h"
#include "points/cpu/grid.h"
#include "points/points.h"

/* The points of one side. */
typedef struct gg_closest_set {
  gpugeo_matrix raw;      /* as given */
  gpugeo_matrix location; /* what the grid sorts: raw; on the sphere doubles in three columns */
} gg_closest_set;

typedef struct gg_closest_search {
  gg_closest_set x, y; /* y is x within */
  bool within;
  gg_point_rule rule;
  int32_t threads;
  gg_call *call;
  double before, share; /* of the progress */
  /* Bounds of what the grid sorts, of both sets, times rule.scale. */
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS];
} gg_closest_search;

/* Finds the best k pairs. best has been started; on success it is complete, but not finished. */
gpugeo_status gg_closest_grid(const gg_closest_search *search, gg_best *best);

/* Returns an upper bound of the squared distance, as computed without fma from the coordinates
   that the grid has, of all pairs whose square is not above the given one. */
double gg_closest_reach(const gg_point_rule *rule, gg_square square);

#endif
