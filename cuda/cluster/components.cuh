/*
 * Components of points that are joined in rounds by their first edges (Boruvka) until there is one.
 *
 * Edges are ordered as in cluster/forest.h: by weight, by distance, by their smaller point, and by
 * the larger one. In each round all components but the largest are joined to others, so that the
 * points of the largest one, whose edges are the longest, search nothing.
 *
 * Each point has a bound, below which no edge to another component has its weight. It begins with
 * the list of its nearest points, which in most points holds the edges of several rounds. A point
 * whose list is used up is active: its owner searches its first edge in all points, if its bound is
 * not beyond the best weight of its component so far.
 *
 * With core distances, listed edges are sure if their weight is no larger than the distance of the
 * last neighbour: the edges to points that are not listed come after them.
 */
#ifndef GG_CUDA_CLUSTER_COMPONENTS_CUH
#define GG_CUDA_CLUSTER_COMPONENTS_CUH

#include "cluster/mst.h"
#include "cuda/common/ordered_bits.cuh"
#include "cuda/distance/neighbors.cuh"

namespace gpugeo {

/* The edges of n points, which have positions: those in a tree, or their own indices. */
struct component_view {
  int64_t n;
  const int32_t *index; /* of the point at each position; NULL: the position */

  /* Of each position: */
  int32_t *component; /* the position of one of its points */
  double *bound;      /* no edge to another component has a smaller weight, */
  int32_t *nearest;   /* and that to this position is the first with this weight; or -1 */
  double *distance;   /* with core distances: of this edge */
  double *core;       /* NULL: there are none */

  /* The list of position `at`: its entry r is at [r * n + at]. */
  int64_t list;
  double *list_distance;
  int32_t *list_position;
  uint8_t *list_next; /* entries before it are of the same component */
  uint8_t *sure;      /* with core distances: entries before it are sure */

  /* Of each component: the bits of its best weight, of the smallest distance with this weight, the
     smallest pair of points with both, the position with this edge (-1: none is known), to which
     component it leads, the component after the round, and the number of points. */
  double_bits *best, *best_distance, *best_pair;
  int32_t *best_at, *next, *lead, *size;
  unsigned long long *largest; /* the largest component, in the lower half; above it its size */

  /* The edges that were found; weights only with core distances. */
  int32_t *edges;
  double_bits *pair; /* the smaller point in the upper half */
  double *edge_distance, *edge_weight;
};

class components {
public:
  /* Allocates room, and makes each of n points a component; index is that of the view. The lists
     are to be filled before the first round, and the core distances if there are any. All work is
     on the stream. */
  components(int64_t n, int64_t list, bool core, const int32_t *index, cudaStream_t stream);

  const component_view &view() const { return view_; }

  /* Has the edges first that are sure; core distances have been set. */
  void start_core();

  /* Begins a round. Returns the number of active positions, for which `nearest` and `bound` are to
     be set, or `bound` alone; waits for it. */
  int64_t begin_round();
  const int32_t *active() const { return active_.as<int32_t>(); }

  /* Ends it: joins components. Returns the number of edges so far; waits for it. */
  int64_t end_round();

  /* Returns the edges in their order in device memory that belongs to this. */
  const gg_edge *sort();

private:
  void sort_by(double_bits *keys, int bits);

  cudaStream_t stream_;
  device_memory memory_, scratch_, active_, mark_, key_[2], row_[2], sorted_;
  component_view view_ = {};
  int64_t scratch_bytes_ = 0;
};

} // namespace gpugeo

#endif
