#include "cuda/dist/point_loader.cuh"

#include <type_traits>

#include "cuda/common/pairs.cuh"

namespace gpugeo {

point_loader::point_loader(device_resources &resources, const gg_dist_plan &plan, gg_clock *clock,
                           int64_t slot_bytes, int64_t rank_bytes)
    : plan_(plan), stream_(resources.upload),
      uploader_(resources, plan.points, plan.m, plan.threads, clock, slot_bytes, is_sparse(plan)) {
  if (plan.ranked) ranker_.allocate(ranked_points(plan, rank_bytes), plan.m);
}

template <class T>
void point_loader::load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                        double fraction) {
  uploader_.load(x, first, count, to, ld, fraction);
  if constexpr (std::is_same<T, double>::value)
    if (plan_.ranked) ranker_.rank(to, ld, count, stream_);
}

template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, double *, int64_t,
                                 double);
template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, float *, int64_t, double);

} // namespace gpugeo
