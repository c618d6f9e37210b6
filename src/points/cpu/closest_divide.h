/* Closest pairs by divide and conquer. */
#ifndef GG_CPU_CLOSEST_DIVIDE_H
#define GG_CPU_CLOSEST_DIVIDE_H

#include "points/cpu/closest_sorted_axis.h"

/* Finds closest pairs by divide and conquer. */
gpugeo_status gg_closest_divide(const gg_closest_search *search, const gg_sorted_axis *axis,
                                gg_best *best);

#endif
