/* The energy of a layout, of which its forces are the slope. */
#ifndef GG_LAYOUT_ENERGY_H
#define GG_LAYOUT_ENERGY_H

#include "layout/components.h"

/*
 * Sum over edges of w d^3 / 3 less that over the pairs of each component of log d; Inf where two
 * vertices of a component coincide. Above 12.5 million pairs (a component of 5,000 vertices) the
 * second sum is estimated from 2^20 pairs, the same ones for every layout of a graph: its relative
 * standard error is about that of a mean of as many logarithms.
 *
 * positions  vertices by dim, column-major
 */
gpugeo_status gg_layout_energy(const gg_layout_graph *csr, const gg_layout_components *components,
                               const double *positions, int32_t dim, int32_t threads,
                               gg_clock *clock, double *energy, gpugeo_error *error);

#endif
