/* Attraction along the edges. */
#ifndef GG_CPU_ATTRACTION_H
#define GG_CPU_ATTRACTION_H

#include "layout/cpu/state.h"

enum { GG_LAYOUT_TOGETHER = 64 };

/* Computes the attraction of the vertices [first, last), at most GG_LAYOUT_TOGETHER, per unit of
   their masses. */
void gg_cpu_layout_attraction(const gg_cpu_layout_state *state, int64_t first, int64_t last,
                              double (*attraction)[GG_LAYOUT_DIMS]);

#endif
