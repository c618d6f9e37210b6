/* The layout of a graph of several components. */
#ifndef GG_LAYOUT_COMPONENT_LAYOUTS_H
#define GG_LAYOUT_COMPONENT_LAYOUTS_H

#include "layout/components.h"
#include "layout/iterations.h"

/* Lays out each component separately, and packs them. */
gpugeo_status gg_layout_each_component(const gg_layout_setting *setting, const gg_layout_graph *csr,
                                       const gg_layout_components *components, double *positions,
                                       gg_layout_done *done);

#endif
