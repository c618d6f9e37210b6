/* Distances that are read, in the tiles of those that are computed. */
#ifndef GG_READ_TILES_H
#define GG_READ_TILES_H

#include "common/call.h"
#include "distance/cpu/tile_sink.h"
#include "distance/plan.h"

/* Reads all distances of a plan, in tiles of at most GG_READ_SIDE points, and hands them to the
   sink as gg_cpu_tiles() does, with all points as one block. */
gpugeo_status gg_read_tiles(const gg_dist_plan *plan, const gg_cpu_sink *sink, gg_call *call);

#endif
