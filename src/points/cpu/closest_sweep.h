/* Closest pairs by a sweep along an axis. */
#ifndef GG_CPU_CLOSEST_SWEEP_H
#define GG_CPU_CLOSEST_SWEEP_H

#include "points/cpu/closest_sorted_axis.h"

/* Regions of 32 along the axis: algorithm is one of SWEEP_V0, V1, V2. */
gpugeo_status gg_closest_sweep(const gg_closest_search *search, const gg_sorted_axis *axis,
                               gpugeo_closest_algorithm algorithm, gg_best *best);

#endif
