/* The tile kernels in double. */
#include "cuda/distance/panel_copy.cuh"
#include "cuda/distance/square_roots.cuh"

namespace gpugeo {
namespace f64 {
namespace {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "distance/power.h"
#include "distance/metric_step.h"
#include "cuda/distance/near_pair.cuh"
#include "cuda/distance/tile.cuh"
/* clang-format on */

GG_STEPS_ANY(STEP_TYPE)
GG_STEPS_DOUBLE(STEP_TYPE)

} // namespace
} // namespace f64

#define LARGE(name, sums) f64::kernel_of<f64::name##_type, false>(),
#define SMALL(name, sums) f64::kernel_of<f64::name##_type, true>(),
const tile_kernel f64_kernels[] = {GG_STEPS_ANY(LARGE) GG_STEPS_DOUBLE(LARGE)};
const tile_kernel f64_small_kernels[] = {GG_STEPS_ANY(SMALL) GG_STEPS_DOUBLE(SMALL)};

} // namespace gpugeo
