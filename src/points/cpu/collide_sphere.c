/* Collisions on a sphere: those of the unit vectors of the positions, in space, within a chord that
   no colliding pair exceeds (points/sphere_plan.h), each tested again by the distance on the
   sphere. */
#include "points/cpu/collide_sphere.h"

#include <math.h>

#include "common/sphere.h"

/* --- The test --------------------------------------------------------------------------------- */

int64_t gg_cpu_list_sphere(const gg_cpu_search *search, int64_t i, const gg_span *spans, int count,
                           int32_t *found) {
  const int64_t near = search->sphere->list(search, i, spans, count, found);
  const int64_t row = (int64_t)search->a.row[i];
  int64_t sum = 0;
  for (int64_t k = 0; k < near; ++k)
    if (gg_sphere_plan_collide(&search->sphere->places, row, (int64_t)search->b.row[found[k]]))
      found[sum++] = found[k];
  return sum;
}

int64_t gg_cpu_count_sphere(const gg_cpu_search *search, int64_t i, const gg_span *spans,
                            int count) {
  enum { PIECE = 512 };
  int32_t found[PIECE];
  int64_t sum = 0;
  for (int s = 0; s < count; ++s)
    for (int64_t j = spans[s].begin; j < spans[s].end; j += PIECE) {
      const int64_t end = spans[s].end - j < PIECE ? spans[s].end : j + PIECE;
      sum += gg_cpu_list_sphere(search, i, &(gg_span){j, end}, 1, found);
    }
  return sum;
}

/* --- The plan in space ------------------------------------------------------------------------ */

/* Returns the smallest of n radii, infinity for none. */
static double smallest(const double *radii, int64_t n) {
  double least = INFINITY;
  for (int64_t i = 0; i < n; ++i)
    least = fmin(least, radii[i]);
  return least;
}

gpugeo_status gg_cpu_sphere_make(const gg_collide_plan *plan, gg_cpu_sphere *sphere,
                                 gg_collide_plan *flat, gg_call *call) {
  const double least = plan->radii_x
                           ? smallest(plan->radii_x, plan->nx) + smallest(plan->radii_y, plan->ny)
                           : plan->radius;
  *sphere = (gg_cpu_sphere){.sure = gg_sphere_sure_chord(plan->sphere_radius, least)};
  return gg_sphere_plan_make(plan, &sphere->places, flat, call);
}
