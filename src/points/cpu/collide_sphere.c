/* Collisions on a sphere: those of the unit vectors of the positions, in space, within a chord that
   no colliding pair exceeds (common/sphere.h), each tested again by the distance on the sphere. */
#include <math.h>

#include "common/error.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/sphere.h"
#include "points/cpu/collide_search.h"

enum { VALUES = 3 }; /* values of a position, and of a unit vector */

/* --- The test --------------------------------------------------------------------------------- */

/* True if points i and j collide by the distance on the sphere. */
static bool collide(const gg_cpu_search *search, int64_t i, int64_t j) {
  const gg_cpu_sphere *sphere = search->sphere;
  const gg_collide_plan *plan = sphere->plan;
  const int64_t row = (int64_t)search->a.row[i], other = (int64_t)search->b.row[j];
  const double radius = plan->radii_x ? plan->radii_x[row] + plan->radii_y[other] : plan->radius;
  const double haversine =
      gg_sphere_haversine(sphere->x + VALUES * row, sphere->y + VALUES * other);
  return gg_sphere_distance(plan->sphere_radius, haversine) <= radius;
}

int64_t gg_cpu_list_sphere(const gg_cpu_search *search, int64_t i, const gg_span *spans, int count,
                           int32_t *found) {
  const int64_t near = search->sphere->list(search, i, spans, count, found);
  int64_t sum = 0;
  for (int64_t k = 0; k < near; ++k)
    if (collide(search, i, found[k])) found[sum++] = found[k];
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

/* Computes the positions of the rows of a matrix and replaces the matrix by their unit vectors. */
static gpugeo_status make_units(const gg_collide_plan *plan, gpugeo_matrix *x, double **positions,
                                double **units, gpugeo_error *error) {
  const int64_t n = x->nrow;
  *positions = gg_allocate(n, VALUES * sizeof(double));
  *units = gg_allocate(n, VALUES * sizeof(double));
  if (!*positions || !*units)
    return gg_fail_memory(error, 2 * VALUES * n * (int64_t)sizeof(double));
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

/* Returns the smallest of n radii, infinity for none. */
static double smallest(const double *radii, int64_t n) {
  double least = INFINITY;
  for (int64_t i = 0; i < n; ++i)
    least = fmin(least, radii[i]);
  return least;
}

/* Sets what plans in space and on the sphere differ in, but for the points. */
static gpugeo_status change_plan(gg_cpu_sphere *sphere, gg_clock *clock, gg_collide_plan *flat,
                                 gpugeo_error *error) {
  const gg_collide_plan *plan = sphere->plan;
  const double least = plan->radii_x
                           ? smallest(plan->radii_x, plan->nx) + smallest(plan->radii_y, plan->ny)
                           : plan->radius;
  sphere->sure = gg_sphere_sure_chord(plan->sphere_radius, least);
  /* No two units are further apart than 2 and some rounding. */
  const double chord = sqrt(gg_sphere_chord_limit(plan->sphere_radius, plan->radius));
  flat->radius = fmin(chord * (1 + 0x1p-50), 2.001);
  flat->radii_x = flat->radii_y = NULL;
  flat->rule = (gg_point_rule){GG_POINT_DOUBLE, VALUES, 1, {0, 0, 0}};
  gpugeo_status status = gg_point_survey(&flat->x, plan->threads, clock, &flat->range_x, error);
  flat->range_y = flat->range_x;
  if (!status && !plan->within)
    status = gg_point_survey(&flat->y, plan->threads, clock, &flat->range_y, error);
  return status;
}

gpugeo_status gg_cpu_sphere_make(const gg_collide_plan *plan, gg_clock *clock,
                                 gg_cpu_sphere *sphere, gg_collide_plan *flat,
                                 gpugeo_error *error) {
  *sphere = (gg_cpu_sphere){.plan = plan};
  *flat = *plan;
  gpugeo_status status = make_units(plan, &flat->x, &sphere->x, &sphere->units_x, error);
  if (plan->within) {
    flat->y = flat->x;
    sphere->y = sphere->x;
  } else if (!status) {
    status = make_units(plan, &flat->y, &sphere->y, &sphere->units_y, error);
  }
  return status ? status : change_plan(sphere, clock, flat, error);
}

void gg_cpu_sphere_free(gg_cpu_sphere *sphere) {
  if (sphere->y != sphere->x) gg_free(sphere->y);
  gg_free(sphere->x);
  gg_free(sphere->units_x);
  gg_free(sphere->units_y);
}
