/* Neighbours within a radius that are visited and not stored. */
#ifndef GG_CPU_NEAR_H
#define GG_CPU_NEAR_H

#include "common/call.h"
#include "distance/knn.h"

typedef struct gg_near_visitor {
  void *own;
  int passes; /* over all pairs */
  /* Called for each point and each of its neighbours, in any order, by all threads. */
  void (*visit)(void *own, int64_t point, int64_t neighbor);
  /* Called after each pass, on the calling thread. */
  gpugeo_status (*next)(void *own, gg_call *call);
} gg_near_visitor;

/* Visits all points of x at a distance of at most plan->radius from each other point of x. */
gpugeo_status gg_cpu_visit_near(const gg_radius_plan *plan, const gg_near_visitor *visitor,
                                gg_call *call);

#endif
