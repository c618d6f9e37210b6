/* Collisions by all pairs. */
#ifndef GG_CPU_COLLIDE_ALL_H
#define GG_CPU_COLLIDE_ALL_H

#include "points/cpu/collide_search.h"

/* Finds collisions by all pairs. */
gpugeo_status gg_cpu_collide_all(gg_cpu_search *search);

#endif
