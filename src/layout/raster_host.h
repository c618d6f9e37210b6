/* Images of layouts on the host. */
#ifndef GG_LAYOUT_RASTER_HOST_H
#define GG_LAYOUT_RASTER_HOST_H

#include "common/call.h"
#include "layout/raster_plan.h"

/* Draws the asked tile, with bins after all others, one after the other. Takes up to 12 MB next to
   the image. */
gpugeo_status gg_raster_on_host(const gg_raster_plan *plan, gg_call *call);

#endif
