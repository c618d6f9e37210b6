/* The tile kernels in double. */
#include "cuda/dist/panel_copy.cuh"
#include "cuda/dist/square_roots.cuh"

namespace gpugeo {
namespace f64 {
namespace {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "dist/power.h"
#include "dist/metric_step.h"
#include "cuda/dist/near_pair.cuh"
#include "cuda/dist/tile.cuh"
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
