/* The result of collisions: its memory, which the core and the backends take. */
#include "points/collide_result.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

/* Returns the bytes of the coordinates, key and row of each point in a grid. */
static double working_bytes(const gg_collide_plan *plan) {
  const double points = (double)plan->nx + (plan->within ? 0 : (double)plan->ny);
  return points * (8.0 * (double)plan->x.ncol + 16);
}

gpugeo_status gg_collide_check_room(const gg_collide_plan *plan, const gg_collide_result *result,
                                    gpugeo_error *error) {
  const double bytes = (double)result->count * 3 * sizeof(int32_t); /* here, and a copy of both */
  return gg_check_memory_limit(&plan->memory, bytes + working_bytes(plan), "what", error,
                               "the %lld pairs that collide need", (long long)result->count);
}

gpugeo_status gg_collide_room(const gg_collide_plan *plan, gg_collide_result *result,
                              gpugeo_error *error) {
  gpugeo_status status = gg_collide_check_room(plan, result, error);
  if (status) return status;
  result->partner = gg_allocate(result->count, sizeof *result->partner);
  if (result->partner) return GPUGEO_OK;
  const double bytes = (double)result->count * sizeof *result->partner;
  return gg_fail(error, GPUGEO_ERROR_MEMORY, "what",
                 "cannot allocate %.1f MiB for the %lld pairs that collide", bytes / 1048576.0,
                 (long long)result->count);
}

void gg_collide_result_free(gg_collide_result *result) {
  gg_free(result->per_point);
  gg_free(result->table);
  gg_free(result->first);
  gg_free(result->partner);
  *result = (gg_collide_result){0};
}

/* Allocates `count` zeros, or returns NULL. */
static int64_t *zeros(int64_t count) {
  int64_t *numbers = gg_allocate(count, sizeof *numbers);
  if (numbers) memset(numbers, 0, (size_t)count * sizeof *numbers);
  return numbers;
}

gpugeo_status gg_collide_result_make(const gg_collide_plan *plan, gg_collide_result *result,
                                     gpugeo_error *error) {
  int64_t count = 0, **numbers = NULL;
  if (plan->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    numbers = &result->per_point;
    count = plan->nx;
  } else if (plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS) {
    numbers = &result->first;
    count = plan->nx + 1;
  } else if (plan->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    const double bytes = 8.0 * plan->groups * plan->groups;
    gpugeo_status status =
        gg_check_memory_limit(&plan->memory, bytes + working_bytes(plan), "group", error,
                              "the table of %d by %d groups needs", plan->groups, plan->groups);
    if (status) return status;
    numbers = &result->table;
    count = (int64_t)plan->groups * plan->groups;
  }
  if (!numbers) return GPUGEO_OK;
  *numbers = zeros(count);
  return *numbers ? GPUGEO_OK : gg_fail_memory(error, count * (int64_t)sizeof **numbers);
}
