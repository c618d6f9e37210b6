/*
 * The CPU backend's neighbours within a radius: searches all tiles of distances twice, first to
 * count the neighbours of each point and then to write them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/atomic.h"
#include "common/cpu.h"
#include "common/memory.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/cpu/tiles.h"
#include "distance/knn.h"

typedef struct search {
  const gg_radius_plan *plan;
  const gg_cpu_kernels *kernels;
  gpugeo_neighbors *found;
  int64_t *next; /* of each point: where its next neighbour goes; NULL while they are counted */
  const gg_near_visitor *visitor; /* or they are visited, and `found` is NULL */
} search;

/* Counts a neighbour of a point, writes it, or hands it to the visitor. */
static void note_neighbor(const search *search, int64_t point, int64_t index, double distance) {
  if (search->visitor) {
    search->visitor->visit(search->visitor->own, point, index);
    return;
  }
  if (!search->next) {
    gg_atomic_add(&search->found->start[point + 1], 1);
    return;
  }
  const int64_t at = gg_atomic_add(&search->next[point], 1);
  search->found->index[at] = (int32_t)index;
  search->found->distance[at] = distance;
}

/* Notes the distances of a tile that are within the radius. */
static int32_t note_tile(void *own, const gg_cpu_position *position, void *values) {
  const search *search = own;
  const gg_dist_plan *dist = &search->plan->dist;
  const bool marked = dist->step == GG_STEP_correlation_missing;
  int32_t positions[GG_CPU_TILE];
  for (int64_t c = 0; c < position->columns; ++c) {
    const double *value = (const double *)values + c * position->ld;
    const int64_t hits =
        search->kernels->select(value, position->diagonal ? c + 1 : 0, position->rows,
                                search->plan->radius, NULL, positions);
    for (int64_t h = 0; h < hits; ++h) {
      const double distance = value[positions[h]];
      if (isnan(distance) || (marked && isinf(distance))) continue;
      note_neighbor(search, position->column + c, position->row + positions[h], distance);
      if (dist->symmetric)
        note_neighbor(search, position->row + positions[h], position->column + c, distance);
    }
  }
  return 0;
}

gpugeo_status gg_cpu_radius(const gg_radius_plan *plan, gpugeo_neighbors *found, gg_call *call) {
  if (call->status) return call->status;
  bool done = false;
  if (gg_kd_suits(&plan->dist, plan->trees, 0)) {
    gg_kd_radius(plan, found, NULL, &done, call);
    if (call->status || done) return call->status;
  }
  search search = {.plan = plan, .kernels = gg_cpu_kernels_for(false), .found = found};
  gg_cpu_sink sink = {.own = &search, .share = 0.5, .take = note_tile};
  gg_cpu_tiles(&plan->dist, &sink, call);
  if (GG_TRY(call, gg_radius_allocate(found, call->error))) return call->status;
  search.next = gg_call_allocate(call, found->points, sizeof *search.next);
  if (!search.next) return call->status;
  memcpy(search.next, found->start, (size_t)found->points * sizeof *search.next);
  sink.before = 0.5;
  gg_cpu_tiles(&plan->dist, &sink, call);
  gg_free(search.next);
  return call->status;
}

gpugeo_status gg_cpu_visit_near(const gg_radius_plan *plan, const gg_near_visitor *visitor,
                                gg_call *call) {
  if (call->status) return call->status;
  bool done = false;
  if (gg_kd_suits(&plan->dist, plan->trees, 0)) {
    gg_kd_visit_near(plan, visitor, &done, call);
    if (call->status || done) return call->status;
  }
  search search = {.plan = plan, .kernels = gg_cpu_kernels_for(false), .visitor = visitor};
  gg_cpu_sink sink = {.own = &search, .share = 1.0 / visitor->passes, .take = note_tile};
  for (int pass = 0; !call->status && pass < visitor->passes; ++pass) {
    sink.before = sink.share * pass;
    gg_cpu_tiles(&plan->dist, &sink, call);
    visitor->next(visitor->own, call);
  }
  return call->status;
}
