/* Packs the components of a layout. Positions are vertices by dim, column-major. */
#ifndef GG_LAYOUT_PACKING_H
#define GG_LAYOUT_PACKING_H

#include "layout/components.h"

/* Moves components next to each other, the whole around 0: vertices of different components are at
   least 1 apart. `packed` may be `positions`. */
gpugeo_status gg_layout_pack(const gg_layout_components *components, int64_t vertices, int32_t dim,
                             int32_t threads, const double *positions, double *packed,
                             gpugeo_error *error);

#endif
