/* The tile kernels in float; Minkowski's powers are there for doubles only. */
#include "cuda/distance/panel_copy.cuh"
#include "cuda/distance/square_roots.cuh"

namespace gpugeo {
namespace f32 {
namespace {

#define GG_SINGLE
using real = float;
/* clang-format off */
#include "common/vector.h"
#include "distance/metric_step.h"
#include "cuda/distance/near_pair.cuh"
#include "cuda/distance/tile.cuh"
/* clang-format on */

GG_STEPS_ANY(STEP_TYPE)

} // namespace
} // namespace f32

#define LARGE(name, sums) f32::kernel_of<f32::name##_type, false>(),
#define SMALL(name, sums) f32::kernel_of<f32::name##_type, true>(),
const tile_kernel f32_kernels[GG_STEP_COUNT] = {GG_STEPS_ANY(LARGE)};
const tile_kernel f32_small_kernels[GG_STEP_COUNT] = {GG_STEPS_ANY(SMALL)};

} // namespace gpugeo
