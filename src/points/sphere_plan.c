/* The plan of collisions on a sphere in space: that of the unit vectors of its points. */
#include "points/sphere_plan.h"

#include <math.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/sphere.h"

enum { VALUES = 3 }; /* values of a position, and of a unit vector */

bool gg_sphere_plan_collide(const gg_sphere_plan *sphere, int64_t i, int64_t j) {
  const gg_collide_plan *plan = sphere->plan;
  const double radius = plan->radii_x ? plan->radii_x[i] + plan->radii_y[j] : plan->radius;
  const double haversine = gg_sphere_haversine(sphere->x + VALUES * i, sphere->y + VALUES * j);
  return gg_sphere_distance(plan->sphere_radius, haversine) <= radius;
}

/* Computes the positions of the rows of a matrix and replaces the matrix by their unit vectors. */
static gpugeo_status make_units(const gg_collide_plan *plan, gpugeo_matrix *x, double **positions,
                                double **units, gg_call *call) {
  if (call->status) return call->status;
  const int64_t n = x->nrow;
  *positions = gg_allocate(n, VALUES * sizeof(double));
  *units = gg_allocate(n, VALUES * sizeof(double));
  if (!*positions || !*units)
    return call->status = gg_fail_memory(call->error, 2 * VALUES * n * (int64_t)sizeof(double));
  for (int64_t i = 0; i < n; ++i) {
    double unit[VALUES];
    gg_point_load(&plan->rule, x, i, *positions + VALUES * i);
    gg_sphere_unit(*positions + VALUES * i, unit);
    for (int c = 0; c < VALUES; ++c)
      (*units)[i + c * n] = unit[c];
  }
  *x = (gpugeo_matrix){*units, GPUGEO_TYPE_DOUBLE, n, VALUES, n, NULL};
  return GPUGEO_OK;
}

/* Sets what plans in space and on the sphere differ in, but for the points. */
static gpugeo_status change_plan(const gg_collide_plan *plan, gg_collide_plan *flat,
                                 gg_call *call) {
  /* No two units are further apart than 2 and some rounding. */
  const double chord = sqrt(gg_sphere_chord_limit(plan->sphere_radius, plan->radius));
  flat->radius = fmin(chord * (1 + 0x1p-50), 2.001);
  flat->sphere_radius = 0;
  flat->radii_x = flat->radii_y = NULL;
  flat->rule = (gg_point_rule){GG_POINT_DOUBLE, VALUES, 1, {0, 0, 0}};
  gg_point_survey(&flat->x, plan->threads, &flat->range_x, call);
  flat->range_y = flat->range_x;
  if (!plan->within) gg_point_survey(&flat->y, plan->threads, &flat->range_y, call);
  return call->status;
}

gpugeo_status gg_sphere_plan_make(const gg_collide_plan *plan, gg_sphere_plan *sphere,
                                  gg_collide_plan *flat, gg_call *call) {
  *sphere = (gg_sphere_plan){.plan = plan};
  *flat = *plan;
  make_units(plan, &flat->x, &sphere->x, &sphere->units_x, call);
  if (plan->within) {
    flat->y = flat->x;
    sphere->y = sphere->x;
  } else {
    make_units(plan, &flat->y, &sphere->y, &sphere->units_y, call);
  }
  return change_plan(plan, flat, call);
}

void gg_sphere_plan_free(gg_sphere_plan *sphere) {
  if (sphere->y != sphere->x) gg_free(sphere->y);
  gg_free(sphere->x);
  gg_free(sphere->units_x);
  gg_free(sphere->units_y);
}
