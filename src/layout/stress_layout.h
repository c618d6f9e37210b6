/* Layouts by stress of one connected graph. */
#ifndef GG_LAYOUT_STRESS_LAYOUT_H
#define GG_LAYOUT_STRESS_LAYOUT_H

#include "layout/multilevel.h"

/* Graphs of up to so many vertices have all vertices as pivots. */
enum { GG_STRESS_ALL = 1000, GG_STRESS_PIVOTS = 200 };

/* Lays out a connected graph by stress, on the host. The plan has the graph and positions, of which
   those of fixed vertices, or all with options->init, are where the layout starts; its frames,
   iterations (negative: the default), tolerance and part of the progress. `length` has the lengths
   of the entries of its graph; NULL: all 1. */
gpugeo_status gg_layout_by_stress(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                  const double *length, bool placed, gg_layout_done *done);

/* Returns the bytes of working memory for a component of so many vertices. */
double gg_stress_bytes(const gpugeo_layout_options *options, int64_t vertices, int32_t threads);

#endif
