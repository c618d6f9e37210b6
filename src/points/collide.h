/* The two steps of a call of collisions: plan, and compute. */
#ifndef GG_COLLIDE_H
#define GG_COLLIDE_H

#include "common/backend.h"
#include "points/collide_result.h"

/* Checks all arguments and makes the plan, which still points to the caller's data. */
gpugeo_status gg_collide_prepare(const gpugeo_matrix *x, const gpugeo_matrix *y,
                                 const gpugeo_collisions_options *options, gg_collide_plan *plan,
                                 const gg_backend **backend, gg_call *call);

/* Computes the result, to be freed by gg_collide_result_free(), and ends the call; after a failure
   the result need not be freed. */
gpugeo_status gg_collide_run(const gg_collide_plan *plan, const gg_backend *backend,
                             gg_collide_result *result, gg_call *call);

#endif
