/* Forces after a layout by stress. */
#ifndef GG_LAYOUT_STRESS_FORCES_H
#define GG_LAYOUT_STRESS_FORCES_H

#include "layout/iterations.h"

/* Moves the plan's positions, those of a layout by stress, by forces: by up to plan->iterations,
   negative: the default. `length` has the lengths of the entries of the graph, NULL: all 1; its
   weights are ignored. Progress goes from 0 to 1. The plan's frames are not called. */
gpugeo_status gg_layout_settle(const gg_layout_setting *setting, const gg_layout_plan *plan,
                               const double *length);

#endif
