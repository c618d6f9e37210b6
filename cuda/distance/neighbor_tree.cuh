/*
 * A tree of boxes over points, for neighbours in few dimensions.
 *
 * Points are in the order of Morton keys. Points that share a key are ordered again by the cells
 * of their own box, until at most a leaf of them share one or all that do are equal, so that
 * neither clusters nor large offsets or extents make leaves large. 32 successive points are a
 * leaf, and 32 successive nodes have one node above them: a warp reads the points of a leaf, or
 * the boxes of the nodes below a node, at a time. Queries are in such leaves, too, so that a warp
 * searches for 32 queries near each other.
 */
#ifndef GG_CUDA_NEIGHBOR_TREE_CUH
#define GG_CUDA_NEIGHBOR_TREE_CUH

#include <vector>

#include "cuda/distance/neighbors.cuh"

namespace gpugeo {

constexpr int TREE_FAN = 32;   /* points of a leaf, and nodes below a node */
constexpr int TREE_LEVELS = 6; /* at most: 32^6 leaves are more than there are points */

/* The nodes of a level. */
struct tree_level {
  int64_t nodes;
  double *box;    /* of node i, the lowest coordinate k at box[(i / 32 * m + k) * 64 + i % 32], and
                     the highest one 32 behind it */
  int32_t *least; /* smallest index of a node's points */
};

struct tree_view {
  int64_t m;
  int64_t n;            /* points in the tree: those whose coordinates are all finite */
  const double *leaf;   /* coordinate k of point p: leaf[(p / 32 * m + k) * 32 + p % 32] */
  const int32_t *index; /* of point p in the matrix */
  int levels;
  tree_level level[TREE_LEVELS];
};

/* Coordinates of points, and their weights. */
struct tree_points {
  points x;
  int64_t m;
  const double *weight; /* NULL: all are 1 */

  __device__ __forceinline__ double at(int64_t i, int64_t k) const {
    return static_cast<const double *>(x.data)[i + k * x.ld];
  }
  /* Returns half a difference of coordinates, which is finite, times the weight. */
  __device__ __forceinline__ double half_extent(double low, double high, int64_t k) const {
    const double half = high / 2 - low / 2;
    return weight ? half * weight[k] : half;
  }
};

/* Points divided into those whose coordinates are all finite, and the odd ones, which are in no
   tree. */
class divided_points {
public:
  /* Divides n points; works on the stream, and waits for it. To be called once. */
  void build(const tree_points &points, int64_t n, cudaStream_t stream);

  /* Return the number of points whose coordinates are finite, and their indices. */
  int64_t finite() const { return n_ - odd(); }
  const int32_t *finite_index() const { return finite_index_.as<int32_t>(); }

  /* Return the number of odd points, their coordinates, and their indices in increasing order, on
     the device and on the host. */
  int64_t odd() const { return (int64_t)odd_.size(); }
  points odd_points() const { return point_.view(); }
  const int32_t *odd_index() const { return odd_index_.as<int32_t>(); }
  const std::vector<int32_t> &odd_list() const { return odd_; }

private:
  int64_t n_ = 0;
  std::vector<int32_t> odd_;
  device_memory finite_index_, odd_index_;
  point_store point_;
};

class neighbor_tree {
public:
  /* Returns the device memory that a tree takes while it is made. */
  static double bytes(int64_t n, int64_t m);

  /* Makes a tree over the finite points; works on the stream, and waits for it. To be called once.
   */
  void build(const tree_points &points, const divided_points &divided, cudaStream_t stream);

  /* Makes a tree over those points of another one whose indices are in [first, end), in their order
     there. Otherwise like build(). */
  void take(const tree_points &points, const tree_view &from, int64_t first, int64_t end,
            cudaStream_t stream);

  const tree_view &view() const { return view_; }

private:
  void fill(const tree_points &points, cudaStream_t stream);
  void make_levels(cudaStream_t stream);

  device_memory leaf_, index_, box_, least_;
  tree_view view_ = {};
};

/* Points of a tree as queries: leaves of 32 of them with boxes, and no levels above. */
class chosen_points {
public:
  /* Allocates room for n points with m coordinates. To be called once. */
  void allocate(int64_t n, int64_t m);

  /* Enqueues a copy of the points at `count` positions of a tree, which are the indices of the
     view. It is valid until the next call. */
  tree_view take(const tree_view &tree, const int32_t *position, int64_t count,
                 cudaStream_t stream) const;

private:
  device_memory leaf_, box_, least_;
};

} // namespace gpugeo

#endif
