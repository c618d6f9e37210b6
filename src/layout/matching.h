/* Matchings of a graph's vertices. */
#ifndef GG_LAYOUT_MATCHING_H
#define GG_LAYOUT_MATCHING_H

#include "layout/plan.h"

/* Finds a matching: the partner of each vertex, -1 without. mass may be NULL: all 1. */
gpugeo_status gg_layout_matching(const gg_layout_graph *graph, const float *mass, int32_t threads,
                                 int32_t *partner, gpugeo_error *error);

#endif
