/* One-dimensional distance geometry on the device: the choice of an algorithm. */
#include "cuda/dgp/dgp.cuh"

namespace gpugeo {

void dgp(const gg_dgp_plan &plan, gg_clock *clock, gpugeo_report *report) {
  if (plan.algorithm == GPUGEO_DGP_ALGORITHM_EXHAUSTIVE)
    dgp_exhaustive(plan, clock, report);
  else
    dgp_meet(plan, clock, report);
}

} // namespace gpugeo
