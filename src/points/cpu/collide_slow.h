/* The tests of collisions that kernels leave out. */
#ifndef GG_CPU_COLLIDE_SLOW_H
#define GG_CPU_COLLIDE_SLOW_H

#include "points/cpu/collide_kernels.h"

/* Returns the function for integers beyond doubles and for points more than a box apart, which
   tests one pair after the other. */
gg_cpu_count *gg_cpu_count_slowly(gg_cpu_filter filter);
gg_cpu_list *gg_cpu_list_slowly(gg_cpu_filter filter);

/* True if points collide whose radii add up to s, with these differences by column. If true, it
   is also true for all smaller differences. */
bool gg_cpu_is_near(const gg_cpu_search *search, double s, const double *differences);

#endif
