/* The layout of one connected graph, above the backend: iterations on the graph and on its coarser
   graphs. Positions are vertices by dim, column-major. */
#ifndef GG_LAYOUT_MULTILEVEL_H
#define GG_LAYOUT_MULTILEVEL_H

#include "layout/iterations.h"

/* Lays out a connected graph, by coarser graphs first, of which the smallest starts from the
   distances in it. If options->multilevel is 0, it starts from a random placement instead. The plan
   has the graph and positions. */
gpugeo_status gg_layout_multilevel(const gg_layout_setting *setting, const gg_layout_plan *plan,
                                   gg_layout_done *done);

#endif
