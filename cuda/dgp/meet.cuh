/* Meet in the middle. */
#ifndef GG_CUDA_DGP_MEET_CUH
#define GG_CUDA_DGP_MEET_CUH

#include "cuda/common/team.cuh"
#include "dgp/plan.h"

namespace gpugeo {

/* Fills plan.windows. Throws what fails. */
void dgp_meet(const gg_dgp_plan &plan, call &call);

} // namespace gpugeo

#endif
