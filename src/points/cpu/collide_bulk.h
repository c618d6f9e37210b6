/* Counts points of which all pairs collide. */
#ifndef GG_CPU_COLLIDE_BULK_H
#define GG_CPU_COLLIDE_BULK_H

#include "points/cpu/collide_search.h"

/* Count points that all collide with each other: those of one span of a (pairing ONCE), or those
   of one of a with those of one of b. For COUNT, PER_POINT (of a, pairing OWN) and TABLE. If
   pairs are excluded, the rows of each span must ascend. */
void gg_cpu_bulk_within(gg_cpu_search *search, gg_cpu_found *found, gg_span a);
void gg_cpu_bulk_between(gg_cpu_search *search, gg_cpu_found *found, gg_span a, gg_span b);

#endif
