/* The memory of a result of collisions, which the core and the backends allocate. */
#ifndef GG_COLLIDE_RESULT_H
#define GG_COLLIDE_RESULT_H

#include "common/c_linkage.h"
#include "points/collide_plan.h"

GG_C_BEGIN

/* Allocates all but the pairs, filled with 0. To be freed by gg_collide_result_free(), also after a
   failure. */
gpugeo_status gg_collide_result_make(const gg_collide_plan *plan, gg_collide_result *result,
                                     gpugeo_error *error);
void gg_collide_result_free(gg_collide_result *result);

/* Fails if this machine has no memory for result->count pairs; the message has the memory they
   need. */
gpugeo_status gg_collide_check_room(const gg_collide_plan *plan, const gg_collide_result *result,
                                    gpugeo_error *error);

/* Allocates result->partner for result->count pairs. */
gpugeo_status gg_collide_room(const gg_collide_plan *plan, gg_collide_result *result,
                              gpugeo_error *error);

GG_C_END

#endif
