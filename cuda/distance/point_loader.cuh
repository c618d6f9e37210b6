/* Copying a plan's points to the device, or their ranks. */
#ifndef GG_CUDA_POINT_LOADER_CUH
#define GG_CUDA_POINT_LOADER_CUH

#include "cuda/common/pairs.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/distance/point_ranks.cuh"
#include "distance/dist.h"

namespace gpugeo {

/* Points that were brought to the device when they were inspected are copied there. Points that are
   still to be ranked are ranked on the device. Those are loaded as doubles, because
   they are prepared. */
class point_loader {
public:
  /* Each slot holds slot_bytes, at least one coordinate of all points that are loaded at a time.
     rank_bytes: about the memory for points that are ranked together. */
  point_loader(device_resources &resources, const gg_dist_plan &plan, gg_clock *clock,
               int64_t slot_bytes, int64_t rank_bytes);

  /* Returns the device memory that slots take. */
  static int64_t device_bytes(const gg_dist_plan &plan, int64_t slot_bytes) {
    return uploader::device_bytes(plan.points, slot_bytes, is_sparse(plan));
  }

  /* Returns the device memory that ranking takes. */
  static int64_t device_rank_bytes(const gg_dist_plan &plan, int64_t rank_bytes) {
    if (!plan.ranked) return 0;
    return point_ranker::device_bytes(ranked_points(plan, rank_bytes), plan.m) + (1 << 16);
  }

  /* Copies points [first, first + count) of x, which is the plan's x or y, as
     uploader::load() does. */
  template <class T>
  void load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
            double fraction);

private:
  static bool is_sparse(const gg_dist_plan &plan) { return plan.x.sparse || plan.y.sparse; }

  /* Returns how many points are ranked together. */
  static int64_t ranked_points(const gg_dist_plan &plan, int64_t rank_bytes) {
    const int64_t fit = rank_bytes / point_ranker::device_bytes(1, plan.m);
    return larger(1, smaller(fit, larger(plan.nx, plan.ny)));
  }

  void copy(const gg_brought_points &from, int64_t first, int64_t count, double *to, int64_t ld);
  void copy(const gg_brought_points &from, int64_t first, int64_t count, float *to, int64_t ld);

  const gg_dist_plan &plan_;
  const int device_;
  cudaStream_t stream_;
  uploader uploader_;
  point_ranker ranker_;
};

} // namespace gpugeo

#endif
