/* The forces of a layout by themselves, for tests of their accuracy. */
#ifndef GG_CUDA_LAYOUT_CUH
#define GG_CUDA_LAYOUT_CUH

#include "common/test_hooks.h"
#include "layout/plan.h"

namespace gpugeo {

/* Throws what fails. */
void layout_forces(const gg_layout_plan &plan, const gg_layout_forces &forces, gg_clock *clock);

} // namespace gpugeo

#endif
