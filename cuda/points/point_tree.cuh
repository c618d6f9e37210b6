/*
 * A tree of boxes over points, for points that no grid of one cell size fits: clusters, points on
 * curves, sets far from each other.
 *
 * Points are in the order of Morton keys made of their coordinates' ranks, so that they do not
 * depend on the scale of the coordinates. FAN successive points, and then FAN successive nodes,
 * share a box.
 */
#ifndef GG_CUDA_POINT_TREE_CUH
#define GG_CUDA_POINT_TREE_CUH

#include "cuda/points/point_set.cuh"

namespace gpugeo {

struct tree_box {
  double low[MOST_COLUMNS], high[MOST_COLUMNS];
  uint64_t wanted; /* not 0: it holds a point that may be the second one of a pair */
};

struct tree_view {
  enum { FAN = 8, MOST_LEVELS = 11 };
  const double *at[MOST_COLUMNS]; /* by position */
  const int32_t *row;             /* by position */
  const tree_box *box[MOST_LEVELS];
  int64_t n, nodes[MOST_LEVELS]; /* nodes of the last level: 1 */
  int levels;
};

class point_tree {
public:
  /* Takes device memory and orders the points; works on the stream. To be called once. */
  void build(const point_set &points, cudaStream_t stream);
  const tree_view &view() const { return view_; }

private:
  device_memory row_, at_, box_;
  tree_view view_ = {};
};

/* Returns a lower bound, up to rounding, of the squared distance from a location to the nearest
   location of a box. */
__device__ __forceinline__ double box_distance(const gg_point_rule &rule, const double *location,
                                               const tree_box &box) {
  double sum = 0;
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k) {
    double gap = fmax(box.low[k] - location[k], location[k] - box.high[k]);
    if (rule.kind != GG_POINT_SPHERE && rule.box[k] > 0) {
      gap = fmin(gap, fmax(box.low[k] - location[k] + rule.box[k], 0.0));
      gap = fmin(gap, fmax(location[k] - box.high[k] + rule.box[k], 0.0));
    }
    gap = fmax(gap, 0.0);
    sum += gap * gap;
  }
  return sum;
}

} // namespace gpugeo

#endif
