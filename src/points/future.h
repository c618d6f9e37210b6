/* Collisions that are computed while the caller continues: the result of launch. */
#ifndef GG_FUTURE_H
#define GG_FUTURE_H

#include "common/backend.h"
#include "common/thread_pool.h"
#include "points/collide.h"

struct gpugeo_collisions {
  gg_job job; /* first, so a job is its future */
  gg_collide_plan plan;
  const gg_backend *backend;
  void *inputs;            /* copies of all that the plan points to; NULL when it is the caller's */
  _Atomic double fraction; /* of the work that is done */
  /* Written by the work, read when it is done. */
  gg_collide_result result;
  gpugeo_status status;
  gpugeo_report report;
  gpugeo_error error;
};

#endif
