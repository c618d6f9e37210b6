/* Collisions on a sphere by those of points in space. */
#ifndef GG_SPHERE_PLAN_H
#define GG_SPHERE_PLAN_H

#include "common/c_linkage.h"
#include "points/collide_plan.h"

GG_C_BEGIN

/* The points of a plan on the sphere. */
typedef struct gg_sphere_plan {
  const gg_collide_plan *plan;
  double *x, *y;             /* as gg_sphere_point() makes them, three values each */
  double *units_x, *units_y; /* their units, n by 3 */
} gg_sphere_plan;

/* Makes the plan of the units in space, within a chord that no colliding pair exceeds and without
   radii. To be freed also after a failure. */
gpugeo_status gg_sphere_plan_make(const gg_collide_plan *plan, gg_sphere_plan *sphere,
                                  gg_collide_plan *flat, gg_call *call);
void gg_sphere_plan_free(gg_sphere_plan *sphere);

/* True if point i of x and point j of y collide by the distance on the sphere. */
bool gg_sphere_plan_collide(const gg_sphere_plan *sphere, int64_t i, int64_t j);

GG_C_END

#endif
