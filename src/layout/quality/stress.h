/* Stress of a layout. */
#ifndef GG_LAYOUT_STRESS_H
#define GG_LAYOUT_STRESS_H

#include "layout/quality/measured.h"

/* Computes the fields stress and scale from the distances in the graph between `pivots` vertices
   and all vertices that they reach; fewer pivots than vertices are drawn at random. */
gpugeo_status gg_layout_stress(const gg_measured *m, int64_t pivots, uint64_t seed,
                               gpugeo_layout_quality_result *quality);

#endif
