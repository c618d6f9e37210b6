/* Bringing all points of a matrix to the device, prepared, panel by panel. */
#ifndef GG_CUDA_POINT_PANELS_CUH
#define GG_CUDA_POINT_PANELS_CUH

#include "cuda/distance/dist.cuh"
#include "cuda/distance/point_loader.cuh"
#include "cuda/distance/prepare.cuh"

namespace gpugeo {

/* Points of a panel, and elements from one coordinate of a point to the next in its memory. */
struct panel_size {
  int64_t points, ld;
};

/* Device memory that load_panels() takes at the most, without the preparation's. */
constexpr int64_t PANEL_SLOT_BYTES = 1 << 24; /* of pinned memory */
constexpr int64_t PANEL_RANK_BYTES = 1 << 28; /* for points that are ranked together */

/* Copies n points of x, which is the plan's x or y, and prepares them. Coordinate k of point i + p
   goes to room(i)[p + k * ld] in the panel that begins with point i; placed(i, count) may enqueue
   the use of a finished panel on the stream of uploads. Returns when all is done. */
template <class Room, class Placed>
void load_panels(const gg_dist_plan &plan, const gpugeo_matrix &x, int64_t n,
                 const panel_size &panel, device_resources &resources, gg_clock *clock, Room room,
                 Placed placed) {
  device_memory scratch, centre, factor;
  const int64_t m = plan.m;
  if (plan.prepare != GG_PREPARE_NOTHING) scratch.allocate(prepare_scratch(panel.points));
  if (const int64_t factors = gg_factor_size(&plan)) {
    centre.allocate(m * (int64_t)sizeof(double));
    factor.allocate(factors * (int64_t)sizeof(double));
    copy_in(centre.as(), plan.centre, (size_t)m * sizeof(double));
    copy_in(factor.as(), plan.factor, (size_t)factors * sizeof(double));
  }
  point_loader loader(resources, plan, clock, PANEL_SLOT_BYTES, PANEL_RANK_BYTES);
  const finish_streams finish(resources); /* before all of this is let go */
  for (int64_t i = 0; i < n; i += panel.points) {
    const int64_t count = smaller(panel.points, n - i);
    double *to = room(i);
    loader.load(x, i, count, to, panel.ld, 0);
    prepare_points(to, panel.ld, count, m, plan.prepare, centre.as<double>(), factor.as<double>(),
                   scratch.as(), resources.upload);
    placed(i, count);
  }
}

} // namespace gpugeo

#endif
