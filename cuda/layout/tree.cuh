/* The tree of expansions by which repulsion is approximated. */
#ifndef GG_CUDA_LAYOUT_TREE_CUH
#define GG_CUDA_LAYOUT_TREE_CUH

#include "cuda/layout/vertices.cuh"

namespace gpugeo {

/* Maximum numbers of vertices of a leaf, of children of a node, and of levels. */
enum { LAYOUT_LEAF = 8, LAYOUT_FAN = 4, LAYOUT_LEVELS = 15 };

/* The expansion of the vertices below a node about their centre of mass; lengths are in units. */
template <int DIM> struct alignas(DIM == 2 ? 16 : 8) layout_node {
  double at[DIM];            /* centre of mass */
  float low[DIM], high[DIM]; /* bounds, from the centre */
  float mass;
  float reach;     /* vertices further away take the node as a whole; negative: all vertices */
  float moment[6]; /* plane: sums of m e^2, m e^3, m e^4 as complex numbers, e from the centre;
                      space: sums of m e e', as xx, xy, xz, yy, yz, zz */
};

/* A tree over vertices in the order of a Hilbert curve. Level 0 has the leaves, of LAYOUT_LEAF
   successive vertices each; a node has LAYOUT_FAN successive children on the level below. */
template <int DIM> struct layout_tree_view {
  int64_t n;
  int levels;
  const layout_node<DIM> *level[LAYOUT_LEVELS];
  int32_t nodes[LAYOUT_LEVELS];
  const int32_t *vertex; /* by rank in the order, as fine and mass are */
  const layout_fine<DIM> *fine;
  const float *mass; /* NULL: all 1 */

  __device__ __forceinline__ float mass_of(int64_t rank) const { return mass ? mass[rank] : 1.0f; }
};

template <int DIM> class layout_tree {
public:
  /* Takes device memory for n > 0 vertices. */
  layout_tree(int64_t n, bool masses, double theta);

  /* Builds the tree of the current positions. */
  void build(const layout_vertices<DIM> &vertices, cudaStream_t stream);

  const layout_tree_view<DIM> &view() const { return view_; }

private:
  void climb(const layout_state *state, cudaStream_t stream);

  const float theta_;
  layout_tree_view<DIM> view_ = {};
  int64_t scratch_bytes_ = 0;
  device_memory nodes_, keys_[2], vertices_[2], fine_[2], mass_, scratch_;
};

} // namespace gpugeo

#endif
