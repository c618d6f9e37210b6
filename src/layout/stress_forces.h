/* Forces after a layout by stress. */
#ifndef GG_LAYOUT_STRESS_FORCES_H
#define GG_LAYOUT_STRESS_FORCES_H

#include "layout/iterations.h"

/* Iterations of forces. */
typedef struct gg_settling {
  int64_t iterations;
  double start_of_mean; /* the first temperature, in mean lengths of edges */
} gg_settling;

/* Those after a layout by stress. On the collection of bench/graphs.R 100 iterations, or
   temperatures of 2 and 5, gave a higher stress, and no more neighbours were kept on average. */
#define GG_SETTLING_LONG  ((gg_settling){30, 0.5})

/* Those after a step towards less stress. */
#define GG_SETTLING_SHORT ((gg_settling){10, 0.3})

/* Moves the plan's positions, those of a layout by stress, by forces: by up to plan->iterations, if
   these are not negative. `length` has the lengths of the entries of the graph, NULL: all 1; its
   weights are ignored. Progress goes from 0 to 1. The plan's frames are not called. */
gpugeo_status gg_layout_settle(const gg_layout_setting *setting, const gg_layout_plan *plan,
                               const double *length, gg_settling how);

#endif
