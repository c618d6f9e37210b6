/* Copying a plan's points to the device, or their ranks. */
#ifndef GG_CUDA_POINT_LOADER_CUH
#define GG_CUDA_POINT_LOADER_CUH

#include <vector>

#include "cuda/common/upload.cuh"
#include "dist/dist.h"

namespace gpugeo {

/* Points that are still to be ranked are ranked in blocks on the host. */
class point_loader {
public:
  /* Each slot holds slot_bytes, at least one coordinate of all points that are loaded at a time. */
  point_loader(device_resources &resources, const gg_dist_plan &plan, gg_clock *clock,
               int64_t slot_bytes);

  /* Returns the device memory that it takes. */
  static int64_t device_bytes(const gg_dist_plan &plan, int64_t slot_bytes) {
    return uploader::device_bytes(orientation(plan), slot_bytes, is_sparse(plan));
  }

  /* Returns how points are stored when they are uploaded: blocks of ranks have points in rows. */
  static gpugeo_points orientation(const gg_dist_plan &plan) {
    return plan.ranked ? GPUGEO_POINTS_ROWS : plan.points;
  }

  /* Copies points [first, first + count) of x, which is the plan's x or y, as
     uploader::load() does. */
  template <class T>
  void load(const gpugeo_matrix &x, int64_t first, int64_t count, T *to, int64_t ld,
            double fraction);

private:
  static bool is_sparse(const gg_dist_plan &plan) {
    return !plan.ranked && (plan.x.sparse || plan.y.sparse);
  }

  const gg_dist_plan &plan_;
  gg_clock *clock_;
  uploader uploader_;
  int64_t block_ = 0; /* points ranked at a time */
  std::vector<double> ranks_;
  std::vector<char> room_; /* for the threads that rank */
};

} // namespace gpugeo

#endif
