/* Meet in the middle. */
#ifndef GG_CUDA_DGP_MEET_CUH
#define GG_CUDA_DGP_MEET_CUH

#include "common/clock.h"
#include "dgp/plan.h"

namespace gpugeo {

/* Fills plan.windows. Throws what fails. */
void dgp_meet(const gg_dgp_plan &plan, gg_clock *clock, gpugeo_report *report);

} // namespace gpugeo

#endif
