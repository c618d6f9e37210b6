/* Collisions of points on a lattice. */
#ifndef GG_CPU_COLLIDE_LATTICE_H
#define GG_CPU_COLLIDE_LATTICE_H

#include "points/cpu/collide_search.h"

/* Finds collisions of points on a lattice. */
gpugeo_status gg_cpu_collide_lattice(gg_cpu_search *search);

#endif
