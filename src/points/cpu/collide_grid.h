/* Collisions by a grid. */
#ifndef GG_CPU_COLLIDE_GRID_H
#define GG_CPU_COLLIDE_GRID_H

#include "points/cpu/collide_search.h"

/* Finds collisions by a grid. */
gpugeo_status gg_cpu_collide_grid(gg_cpu_search *search);

#endif
