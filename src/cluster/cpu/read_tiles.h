/* Distances that are read, in the tiles of those that are computed. */
#ifndef GG_READ_TILES_H
#define GG_READ_TILES_H

#include "cluster/pairs.h"
#include "common/call.h"
#include "distance/cpu/tiles.h"

/* Reads all distances and calls take(), on all threads, with their tiles on and below the diagonal,
   as gg_cpu_tiles() does. done, share: the call's progress. */
gpugeo_status gg_read_tiles(const gg_pairs *pairs, void *own,
                            int32_t (*take)(void *own, const gg_cpu_position *position,
                                            void *values),
                            double done, double share, gg_call *call);

#endif
