#include "cuda/dist/point_loader.cuh"

#include "common/context.h"
#include "cuda/common/pairs.cuh"
#include "dist/rank.h"

namespace gpugeo {
namespace {

constexpr int64_t RANKS = 1 << 22; /* coordinates ranked at a time, unless 16 points have more */

} // namespace

point_loader::point_loader(device_resources &resources, const gg_dist_plan &plan, gg_clock *clock,
                           int64_t slot_bytes)
    : plan_(plan), clock_(clock), uploader_(resources, orientation(plan), plan.m, plan.threads,
                                            clock, slot_bytes, is_sparse(plan)) {
  if (!plan.ranked) return;
  block_ = smaller(larger(RANKS / plan.m, 16), larger(plan.nx, plan.ny));
  ranks_.resize((size_t)(block_ * plan.m));
  room_.resize((size_t)(plan.threads * gg_rank_room(plan.m)));
}

template <class T>
void point_loader::load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                        double fraction) {
  if (!plan_.ranked) return uploader_.load(x, first, count, to, ld, fraction);
  for (int64_t i = 0; i < count; i += block_) {
    const int64_t here = smaller(block_, count - i);
    if (!gg_rank_block(&x, plan_.points, first + i, here, ranks_.data(), room_.data(),
                       plan_.threads, clock_))
      throw interrupted();
    gpugeo_matrix block = {};
    block.data = ranks_.data();
    block.type = GPUGEO_TYPE_DOUBLE;
    block.nrow = block.ld = here;
    block.ncol = plan_.m;
    uploader_.load(block, 0, here, to + i, ld, fraction);
  }
}

template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, double *, int64_t,
                                 double);
template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, float *, int64_t, double);

} // namespace gpugeo
