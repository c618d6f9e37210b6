/* Layouts by stress of one connected graph. */
#ifndef GG_LAYOUT_STRESS_LAYOUT_H
#define GG_LAYOUT_STRESS_LAYOUT_H

#include "layout/iterations.h"

/* Graphs of up to so many vertices have all vertices as pivots. */
enum { GG_STRESS_ALL = 1000, GG_STRESS_PIVOTS = 200 };

/* What vertices keep to next to fixed vertices and bounds; NULL: nothing. */
typedef struct gg_stress_held {
  const double *radius; /* of each vertex: distance from the origin; NaN: any */
  const double *anchor; /* vertices by dim: where options->init_weight pulls them */
} gg_stress_held;

/* Lays out a connected graph by stress, and then by forces if that is the algorithm, on the
   host. The plan has the graph and positions; its
   frames, iterations (negative: the default), tolerance and part of the progress. The layout starts
   from the positions unless `held` is NULL. `length` has the lengths of the entries of its graph;
   NULL: all 1. */
gpugeo_status gg_layout_by_stress(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                  const double *length, const gg_stress_held *held,
                                  gg_layout_done *done);

/* True if a layout begins by stress. */
static inline bool gg_layout_is_by_stress(const gpugeo_layout_options *options) {
  return options->algorithm != GPUGEO_LAYOUT_ALGORITHM_FR;
}

/* Returns the bytes of working memory for a component of so many vertices. */
double gg_stress_bytes(const gpugeo_layout_options *options, int64_t vertices, int32_t threads);

#endif
