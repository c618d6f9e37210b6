/* Collisions on a sphere. */
#ifndef GG_CPU_COLLIDE_SPHERE_H
#define GG_CPU_COLLIDE_SPHERE_H

#include "points/cpu/collide_kernels.h"

/* Return those that collide on the sphere. */
gg_cpu_count gg_cpu_count_sphere;
gg_cpu_list gg_cpu_list_sphere;

/* Makes the plan in space of a plan on the sphere. Its places are to be freed also after a failure.
 */
gpugeo_status gg_cpu_sphere_make(const gg_collide_plan *plan, gg_cpu_sphere *sphere,
                                 gg_collide_plan *flat, gg_call *call);

#endif
