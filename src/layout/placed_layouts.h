/* Layouts by stress of components that stay where they are. */
#ifndef GG_LAYOUT_PLACED_LAYOUTS_H
#define GG_LAYOUT_PLACED_LAYOUTS_H

#include "layout/multilevel.h"

/* Improves the positions of each component by stress, within the bounds of the setting's options.
   `fixed` has which vertices stay, NULL: none. */
gpugeo_status gg_layout_each_within(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                    const gg_layout_components *components, const uint8_t *fixed,
                                    double *positions, gg_layout_done *done);

#endif
