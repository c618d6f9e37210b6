/* The sums of all 2^n rows of the sign matrix. */
#ifndef GG_CUDA_DGP_EXHAUSTIVE_CUH
#define GG_CUDA_DGP_EXHAUSTIVE_CUH

#include "cuda/common/team.cuh"
#include "dgp/plan.h"

namespace gpugeo {

/* Fills plan.windows. Throws what fails. */
void dgp_exhaustive(const gg_dgp_plan &plan, call &call);

} // namespace gpugeo

#endif
