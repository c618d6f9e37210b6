/* The energy of a layout, whose gradient is the force, and the mean length of its edges. */
#ifndef GG_LAYOUT_ENERGY_H
#define GG_LAYOUT_ENERGY_H

#include "common/call.h"
#include "layout/components.h"

/*
 * Computes the sum over edges of w d^3 / 3 minus the sum over the pairs of each component of log d;
 * Inf if two vertices of a component coincide. Above 12.5 million pairs (a component of 5,000
 * vertices) the second sum is estimated from 2^20 pairs, the same ones for every layout of a graph:
 * its relative standard error is about that of a mean of as many logarithms.
 *
 * positions  vertices by dim, column-major
 */
gpugeo_status gg_layout_energy(const gg_layout_graph *csr, const gg_layout_components *components,
                               const double *positions, int32_t dim, int32_t threads,
                               double *energy, gg_call *call);

/* Computes the mean length of the edges; 1 if it is 0 or not finite, or there is no edge. */
gpugeo_status gg_layout_mean_length(const gg_layout_graph *graph, const double *positions,
                                    int32_t dim, int32_t threads, double *mean, gg_call *call);

#endif
