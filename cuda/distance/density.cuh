/* Core points, and which of them are joined by neighbours within a radius. */
#ifndef GG_CUDA_DENSITY_CUH
#define GG_CUDA_DENSITY_CUH

#include "cuda/common/team.cuh"
#include "distance/knn.h"

namespace gpugeo {

/* Finds the core points of x, which have at least min_points within the radius, themselves
   included: core is 1 or 0. root: of a core point, the smallest one that it is joined with; of
   others, the smallest root of those near them, or INT32_MAX if there is none or `border` is false.
   The team has one worker. */
void density(const gg_radius_plan &plan, int64_t min_points, bool border, int32_t *core,
             int32_t *root, team &team);

} // namespace gpugeo

#endif
