/* Layouts by stress of components that stay where they are. */
#ifndef GG_LAYOUT_PLACED_LAYOUTS_H
#define GG_LAYOUT_PLACED_LAYOUTS_H

#include "layout/components.h"
#include "layout/iterations.h"

/* What vertices keep to, for all vertices; NULL: nothing. */
typedef struct gg_layout_held {
  const uint8_t *fixed; /* nonzero: it stays */
  const double *radius; /* the distance from the origin; NaN: any */
} gg_layout_held;

/* Improves the positions of each component by stress, within the bounds of the setting's options.
 */
gpugeo_status gg_layout_each_within(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                    const gg_layout_components *components,
                                    const gg_layout_held *held, double *positions,
                                    gg_layout_done *done);

#endif
