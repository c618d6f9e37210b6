/* Sparse points of which some at a time are dense on the device. */
#ifndef GG_CUDA_SPARSE_PANELS_CUH
#define GG_CUDA_SPARSE_PANELS_CUH

#include "cuda/common/sparse_rows.cuh"
#include "cuda/distance/dist.cuh"
#include "cuda/distance/point_ranks.cuh"

namespace gpugeo {

/* The points of a plan, whose matrices are sparse, as they are stored, and two panels of them:
   candidates and queries, expanded and prepared. A panel is valid until the next of its kind. */
class sparse_panels {
public:
  /* Returns the points of a panel, whole tiles, or 0 if the points are not to be in panels: if they
     are not sparse, if trees may take them, or if all of them, dense, take at most 256 MiB, or what
     the stored elements take, or if it is set, gpugeo_run.work_bytes. */
  static int64_t points_of_panel(const gg_dist_plan &plan);

  /* Copies the points as they are stored. */
  sparse_panels(const gg_dist_plan &plan, gg_clock *clock, device_resources &resources,
                int64_t points_of_panel);

  /* Fill a panel, on a stream, and return it: with points of x at positions [begin, end) of an
     order, with queries [begin, end), or with `count` queries of a list. The first of a panel has
     the number `begin`, or 0 in a list. */
  points offer(const point_order &order, int64_t begin, int64_t end, cudaStream_t stream);
  points ask(int64_t begin, int64_t end, cudaStream_t stream);
  points ask_listed(const int32_t *index, int64_t count, cudaStream_t stream);

  /* Return the panels that were filled last. */
  points offered() const { return view(candidates_); }
  points asked() const { return view(queries_); }

private:
  struct panel {
    device_memory memory; /* rows of points_, a multiple of what the tile kernels need */
    int64_t first = 0;
  };
  points view(const panel &of) const { return {of.memory.as(), points_, of.first}; }

  points fill(panel &to, const sparse_rows &rows, const point_choice &choice, int64_t number,
              int64_t count, cudaStream_t stream);

  const gg_dist_plan &plan_;
  const int64_t points_;
  sparse_rows x_, y_; /* y_ only if there is a y */
  panel candidates_, queries_;
  point_ranker ranker_;
  device_memory scratch_, centre_, factor_;
};

} // namespace gpugeo

#endif
