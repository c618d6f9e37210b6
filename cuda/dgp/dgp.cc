/* One-dimensional distance geometry on the device: the choice of an algorithm. */
#include "cuda/dgp/exhaustive.cuh"
#include "cuda/dgp/meet.cuh"

namespace gpugeo {

gpugeo_status dgp(const gg_dgp_plan &plan, call &call) {
  if (plan.algorithm == GPUGEO_DGP_ALGORITHM_EXHAUSTIVE)
    dgp_exhaustive(plan, call);
  else
    dgp_meet(plan, call);
  return GPUGEO_OK;
}

} // namespace gpugeo
