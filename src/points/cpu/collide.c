/* The CPU backend's collisions: the choice of a search. */
#include "common/cpu.h"
#include "points/cpu/collide_all.h"
#include "points/cpu/collide_grid.h"
#include "points/cpu/collide_lattice.h"
#include "points/cpu/collide_sphere.h"

/* Adds up the count from counts of rows or groups. */
static void sum_up(const gg_collide_plan *plan, gg_collide_result *result) {
  int64_t sum = 0;
  if (plan->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    for (int64_t i = 0; i < plan->nx; ++i)
      sum += result->per_point[i];
    result->count = plan->within ? sum / 2 : sum;
  } else if (plan->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    for (int64_t e = 0; e < (int64_t)plan->groups * plan->groups; ++e)
      sum += result->table[e];
    result->count = sum;
  }
}

/* Finds the collisions by the algorithm of the plan. */
static gpugeo_status search_plan(gg_cpu_search *search) {
  switch (search->plan->algorithm) {
  case GPUGEO_COLLISIONS_ALGORITHM_LATTICE:
    return gg_cpu_collide_lattice(search);
  case GPUGEO_COLLISIONS_ALGORITHM_GRID:
    return gg_cpu_collide_grid(search);
  default:
    return gg_cpu_collide_all(search);
  }
}

/* Finds the collisions on the sphere, by those of its points in space. */
static gpugeo_status search_sphere(gg_cpu_search *search) {
  gg_cpu_sphere sphere;
  gg_collide_plan flat;
  gg_cpu_search in_space = *search;
  gg_cpu_sphere_make(search->plan, &sphere, &flat, search->call);
  in_space.plan = &flat;
  in_space.sphere = &sphere;
  search_plan(&in_space);
  gg_sphere_plan_free(&sphere.places);
  return search->call->status;
}

gpugeo_status gg_cpu_collide(const gg_collide_plan *plan, gg_collide_result *result,
                             gg_call *call) {
  gg_cpu_search search = {.plan = plan, .result = result, .call = call};
  if (plan->rule.kind == GG_POINT_SPHERE)
    search_sphere(&search);
  else
    search_plan(&search);
  if (!call->status) sum_up(plan, result);
  return call->status;
}
