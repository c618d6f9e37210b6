/* Crossings of a layout's edges. */
#ifndef GG_LAYOUT_CROSSINGS_H
#define GG_LAYOUT_CROSSINGS_H

#include "layout/quality/measured.h"

/* Computes the fields crossings and crossings_error from all pairs of edges or, if there are more,
   from `pairs` random ones. Two edges without a common vertex cross if they have a point in common,
   ends included. Exact if no nonzero coordinate is less than 2^-480 of the largest. */
gpugeo_status gg_layout_crossings(const gg_measured *m, int64_t pairs, uint64_t seed,
                                  gpugeo_layout_quality_result *quality);

#endif
