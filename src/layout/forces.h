/* The forces of a layout by themselves, for tests of their accuracy. */
#ifndef GG_LAYOUT_FORCES_H
#define GG_LAYOUT_FORCES_H

#include "layout/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Repulsion and attraction at the plan's positions, per unit of a vertex's own mass (see
   layout/step.h), as the first iteration sees them: vertices by dim each, column-major. */
typedef struct gg_layout_forces {
  double *repulsion, *attraction;
} gg_layout_forces;

gpugeo_status gg_cpu_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                   gpugeo_error *error);
/* Only where CUDA is available. */
gpugeo_status gg_cuda_layout_forces(const gg_layout_plan *plan, const gg_layout_forces *forces,
                                    gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
