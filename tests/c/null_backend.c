#include "null_backend.h"

#include <string.h>

#include "distance/dist.h"
#include "points/closest_plan.h"

int null_calls;

static gpugeo_status available(gpugeo_error *error) {
  (void)error;
  return GPUGEO_OK;
}

/* All distances are 0. */
static gpugeo_status null_dist(const gg_dist_plan *plan, gg_call *call) {
  (void)call;
  const int64_t n = plan->nx;
  const int64_t elements = plan->shape == GPUGEO_SHAPE_CONDENSED ? n * (n - 1) / 2 : n * plan->ny;
  memset(plan->out, 0, (size_t)elements * (plan->type == GPUGEO_TYPE_FLOAT ? 4 : 8));
  ++null_calls;
  return GPUGEO_OK;
}

/* There are no closest pairs. */
static gpugeo_status null_closest(const gg_closest_plan *plan, gg_closest_result *result,
                                  gg_call *call) {
  (void)plan, (void)call;
  result->found = result->ties = 0;
  ++null_calls;
  return GPUGEO_OK;
}

/* AUTO would take it for its speed. */
const gg_backend null_backend = {
    .id = (gpugeo_backend)NULL_BACKEND,
    .name = "null",
    .title = "Null",
    .can = {.algorithms = {[GG_FAMILY_DIST] = GG_ALL_ALGORITHMS,
                           [GG_FAMILY_CLOSEST] = GG_ALGORITHM(GPUGEO_CLOSEST_ALGORITHM_AUTO) |
                                                 GG_ALGORITHM(GPUGEO_CLOSEST_ALGORITHM_GRID)},
            .bytes_per_second = 1e300,
            .work_per_second = 1e300},
    .available = available,
    .dist = null_dist,
    .closest = null_closest,
};
