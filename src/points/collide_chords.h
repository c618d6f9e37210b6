/* Collisions on a sphere on a backend that only knows Euclidean distances. */
#ifndef GG_COLLIDE_CHORDS_H
#define GG_COLLIDE_CHORDS_H

#include "common/backend.h"
#include "points/collide_result.h"

/* Does what the backend's function collide() would do with a plan on the sphere: the backend lists
   the pairs within the chord, which the host tests again. */
gpugeo_status gg_collide_by_chords(const gg_collide_plan *plan, const gg_backend *backend,
                                   gg_collide_result *result, gg_call *call);

#endif
