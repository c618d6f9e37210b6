/* How well a layout keeps neighbours together. */
#ifndef GG_LAYOUT_NEIGHBORHOOD_H
#define GG_LAYOUT_NEIGHBORHOOD_H

#include "layout/quality/measured.h"

/* Computes the field neighborhood. */
gpugeo_status gg_layout_neighborhood(const gg_measured *m, gpugeo_layout_quality_result *quality);

#endif
