#include "cuda/distance/point_loader.cuh"

#include <type_traits>

#include "cuda/common/pairs.cuh"
#include "cuda/distance/prepare.cuh"

namespace gpugeo {

point_loader::point_loader(device_resources &resources, const gg_dist_plan &plan, gg_clock *clock,
                           int64_t slot_bytes, int64_t rank_bytes)
    : plan_(plan), device_(resources.device), stream_(resources.upload),
      uploader_(resources, plan.points, plan.m, plan.threads, clock, slot_bytes, is_sparse(plan)) {
  if (plan.ranked) ranker_.allocate(ranked_points(plan, rank_bytes), plan.m);
}

/* Copies points that are on the device already. */
void point_loader::copy(const gg_brought_points &from, int64_t first, int64_t count, double *to,
                        int64_t ld) {
  const double *data = static_cast<const double *>(from.data) + first;
  GG_CUDA(cudaMemcpy2DAsync(to, (size_t)ld * sizeof *to, data, (size_t)from.ld * sizeof *data,
                            (size_t)count * sizeof *to, (size_t)plan_.m, cudaMemcpyDeviceToDevice,
                            stream_));
}
void point_loader::copy(const gg_brought_points &from, int64_t first, int64_t count, float *to,
                        int64_t ld) {
  const double *data = static_cast<const double *>(from.data) + first;
  round_points(data, from.ld, to, ld, count, plan_.m, stream_);
}

template <class T>
void point_loader::load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
                        double fraction) {
  const gg_point_facts *facts = x.data == plan_.x.data ? plan_.x_facts : plan_.y_facts;
  if (facts && facts->brought.data && facts->brought.device == device_)
    copy(facts->brought, first, count, to, ld);
  else
    uploader_.load(x, first, count, to, ld, fraction);
  if constexpr (std::is_same<T, double>::value)
    if (plan_.ranked) ranker_.rank(to, ld, count, stream_);
}

template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, double *, int64_t,
                                 double);
template void point_loader::load(const gpugeo_matrix &, int64_t, int64_t, float *, int64_t, double);

} // namespace gpugeo
