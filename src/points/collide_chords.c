/* Collisions on a sphere on a backend that only knows Euclidean distances. */
#include "points/collide_chords.h"

#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/parallel.h"
#include "points/sphere_plan.h"

/* Of the call, the part that the backend takes; the rest is for the tests, on the host. */
#define BACKEND_SHARE 0.8

typedef struct testing {
  const gg_sphere_plan *sphere;
  const gg_collide_result
      *near;     /* pairs within the chord; those that collide come first in a row */
  int64_t *kept; /* of each row: how many collide */
} testing;

/* Tests the pairs of a range of rows. */
static void test_rows(void *own, gg_range rows) {
  const testing *t = own;
  for (int64_t i = rows.first; i < rows.last; ++i) {
    int32_t *row = t->near->partner + t->near->first[i];
    const int64_t count = t->near->first[i + 1] - t->near->first[i];
    int64_t kept = 0;
    for (int64_t k = 0; k < count; ++k)
      if (gg_sphere_plan_collide(t->sphere, i, row[k])) row[kept++] = row[k];
    t->kept[i] = kept;
  }
}

/* Adds the partners of a row to the result but for pairs. */
static void add_row(const gg_collide_plan *plan, gg_collide_result *result, int64_t i,
                    const int32_t *partner, int64_t count) {
  result->count += count;
  if (plan->what == GPUGEO_COLLISIONS_WHAT_PER_POINT) {
    result->per_point[i] += count;
    for (int64_t k = 0; plan->within && k < count; ++k)
      ++result->per_point[partner[k]];
  } else if (plan->what == GPUGEO_COLLISIONS_WHAT_TABLE) {
    for (int64_t k = 0; k < count; ++k)
      ++result->table[plan->group_x[i] + (int64_t)plan->group_y[partner[k]] * plan->groups];
  }
}

/* Fills the result with the pairs that collide. */
static gpugeo_status fill_result(const testing *t, gg_collide_result *result, gg_call *call) {
  if (call->status) return call->status;
  const gg_collide_plan *plan = t->sphere->plan;
  const bool pairs = plan->what == GPUGEO_COLLISIONS_WHAT_PAIRS;
  for (int64_t i = 0; i < plan->nx; ++i) {
    add_row(plan, result, i, t->near->partner + t->near->first[i], t->kept[i]);
    if (pairs) result->first[i + 1] = result->count;
  }
  if (!pairs || GG_TRY(call, gg_collide_room(plan, result, call->error))) return call->status;
  for (int64_t i = 0; i < plan->nx; ++i)
    memcpy(result->partner + result->first[i], t->near->partner + t->near->first[i],
           (size_t)t->kept[i] * sizeof *result->partner);
  return GPUGEO_OK;
}

gpugeo_status gg_collide_by_chords(const gg_collide_plan *plan, const gg_backend *backend,
                                   gg_collide_result *result, gg_call *call) {
  gg_sphere_plan sphere;
  gg_collide_plan flat;
  gg_collide_result near = {0};
  gg_sphere_plan_make(plan, &sphere, &flat, call);
  flat.what = GPUGEO_COLLISIONS_WHAT_PAIRS;
  GG_TRY(call, gg_collide_result_make(&flat, &near, call->error));
  gg_call_part part;
  gg_call_part_begin(call, 0, BACKEND_SHARE, &part);
  GG_TRY(&part.call, backend->collide(&flat, &near, &part.call));
  gg_call_part_end(&part);
  testing t = {&sphere, &near, gg_call_allocate(call, plan->nx, sizeof *t.kept)};
  gg_call_loop(call, (gg_loop){.threads = plan->threads,
                               .count = plan->nx,
                               .grain = 1024,
                               .work = test_rows,
                               .job = &t,
                               .begun = BACKEND_SHARE});
  fill_result(&t, result, call);
  gg_free(t.kept);
  gg_collide_result_free(&near);
  gg_sphere_plan_free(&sphere);
  return call->status;
}
