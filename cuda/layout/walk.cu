/*
 * Repulsion by a walk over the tree.
 *
 * A warp walks for 32 vertices that are successive in the order of the tree and therefore mostly
 * close to each other. It tests 32 nodes at a time, one in each lane, against the bounds of its
 * vertices: a node is taken as a whole by all of them or by none. The lanes do not diverge, and a
 * node is never nearer to a vertex than theta allows.
 *
 * In sparse parts of a drawing the bounds of 32 vertices may cover half of it, which opens nearly
 * every node. A warp that has visited more than TOGETHER nodes and vertices stops, and each of its
 * vertices gets a warp, whose lanes divide the nodes among them.
 *
 * In the plane the force at z is the conjugate of sum m / (z - e) = sum M_k / z^(k + 1), with M_k =
 * sum m e^k; M_1 is 0 about the centre of mass. In space the field of z / |z|^2 is developed to the
 * second order. The series converges for every node taken, as all of it lies nearer to its centre
 * than any of the vertices.
 *
 * Limit: the FP32 pipes; about 30 operations a vertex and node (order 4), 9 a pair of vertices.
 */
#include "cuda/layout/walk.cuh"

namespace gpugeo {
namespace {

constexpr int LANES = LAYOUT_RUN, WARPS = 4;
constexpr int LEAVES = LANES / LAYOUT_LEAF; /* summed at a time */
constexpr int TOGETHER = 2048;              /* 512 was slower by far on an H200 */
constexpr int64_t ALONE = 1024; /* maximum number of blocks that walk for single vertices */

/* Returns the maximum length of the stack: 128 children of 32 nodes, and 96 nodes for each level
   above theirs, as the deepest nodes are tested first. */
constexpr int stack_length(int levels) { return 128 + 96 * levels; }

/* An entry of the stack is the number of a node, with its level in the bits from here on. */
constexpr int NUMBER_BITS = 28;

/* Number of moments of a node that an expansion uses. */
template <int DIM, int ORDER>
constexpr int moments = ORDER == 0 ? 0
                        : DIM == 3 ? 6
                                   : 2 * (ORDER - 1);

/* A node that is taken as a whole, and a vertex of an opened leaf. */
template <int DIM, int ORDER> struct alignas(16) far_node {
  layout_offset<DIM> offset;
  float mass, moment[moments<DIM, ORDER> + 1]; /* the last element is not used */
};
template <int DIM> struct alignas(16) near_vertex {
  layout_offset<DIM> offset;
  float mass;
};

/* Adds the force of a node's moments of order 2 and more; d leads from the node, inverse is 1 /
   |d|^2. */
template <int ORDER>
__device__ __forceinline__ void add_expansion(const float (&d)[2], const float *moment,
                                              float inverse, float *force) {
  const float x = d[0] * inverse, y = -d[1] * inverse; /* w = 1 / z */
  const float x2 = fmaf(x, x, -(y * y)), y2 = 2 * x * y;
  float a = moment[0], b = moment[1]; /* M_2 + M_3 w + M_4 w^2 */
  if (ORDER == 4) {
    const float c = fmaf(moment[4], x, fmaf(-moment[5], y, moment[2]));
    const float e = fmaf(moment[4], y, fmaf(moment[5], x, moment[3]));
    a = fmaf(c, x, fmaf(-e, y, a));
    b = fmaf(c, y, fmaf(e, x, b));
  }
  const float p = fmaf(a, x2, -(b * y2)), q = fmaf(a, y2, b * x2);
  force[0] += fmaf(p, x, -(q * y));
  force[1] -= fmaf(p, y, q * x);
}

/* Adds the force of the second moments S with trace t: (4 d'Sd / |d|^2 d - 2 S d - t d) / |d|^4. */
template <int ORDER>
__device__ __forceinline__ void add_expansion(const float (&d)[3], const float *s, float inverse,
                                              float *force) {
  const float sx = fmaf(s[0], d[0], fmaf(s[1], d[1], s[2] * d[2]));
  const float sy = fmaf(s[1], d[0], fmaf(s[3], d[1], s[4] * d[2]));
  const float sz = fmaf(s[2], d[0], fmaf(s[4], d[1], s[5] * d[2]));
  const float along = fmaf(sx, d[0], fmaf(sy, d[1], sz * d[2]));
  const float factor = fmaf(4 * along, inverse, -(s[0] + s[3] + s[5]));
  const float fourth = inverse * inverse;
  force[0] = fmaf(fourth, fmaf(factor, d[0], -2 * sx), force[0]);
  force[1] = fmaf(fourth, fmaf(factor, d[1], -2 * sy), force[1]);
  force[2] = fmaf(fourth, fmaf(factor, d[2], -2 * sz), force[2]);
}

template <int DIM, int ORDER>
__device__ __forceinline__ void repel_whole(const layout_offset<DIM> &offset,
                                            const far_node<DIM, ORDER> &node, float *force) {
  float d[DIM], square = GG_LAYOUT_SOFT;
  layout_difference(offset, node.offset, d);
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    square = fmaf(d[c], d[c], square);
  const float inverse = layout_reciprocal(square), factor = node.mass * inverse;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    force[c] = fmaf(factor, d[c], force[c]);
  if (ORDER > 0) add_expansion<ORDER>(d, node.moment, inverse, force);
}

/* The shared memory of a warp, without its stack. */
template <int DIM, int ORDER> struct warp_memory {
  far_node<DIM, ORDER> far[LANES];
  near_vertex<DIM> near[LANES];
  int32_t leaf[LANES];
};

/* Bounds of the vertices of a warp, in units. */
template <int DIM> struct warp_bounds {
  double low[DIM], high[DIM];

  /* The bounds of each lane's vertex; called by all lanes. */
  __device__ __forceinline__ explicit warp_bounds(const layout_fine<DIM> &own) {
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      int32_t least = own.at[c], most = least;
      for (int step = LANES / 2; step > 0; step /= 2) {
        least = min(least, __shfl_xor_sync(~0u, least, step));
        most = max(most, __shfl_xor_sync(~0u, most, step));
      }
      low[c] = (double)least / GG_LAYOUT_FINE;
      high[c] = (double)most / GG_LAYOUT_FINE;
    }
  }

  /* True if all vertices take the node as a whole. */
  __device__ __forceinline__ bool within_reach(const layout_node<DIM> &node) const {
    float square = 0;
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      const float gap = (float)fmax(fmax(low[c] - node.at[c], node.at[c] - high[c]), 0.0);
      square = fmaf(gap, gap, square);
    }
    return node.reach < 0 || node.reach * node.reach < square;
  }
};

/* Returns a node as a source. */
template <int DIM, int ORDER>
__device__ __forceinline__ far_node<DIM, ORDER> far_of(const layout_node<DIM> &node) {
  far_node<DIM, ORDER> far;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    far.offset.whole[c] = (float)rint(node.at[c]);
    far.offset.rest[c] = (float)(node.at[c] - (double)far.offset.whole[c]);
  }
  far.mass = node.mass;
#pragma unroll
  for (int k = 0; k < moments<DIM, ORDER>; ++k)
    far.moment[k] = node.moment[k];
  return far;
}

/* A node that a lane has tested. */
template <int DIM> struct tested_node {
  layout_node<DIM> node;
  int32_t number;
  bool whole, leaf; /* to be taken as a whole; a leaf to be opened */
};

/* The nodes that a warp still has to test, in shared memory. */
template <int DIM> class node_stack {
public:
  /* Starts with the root. */
  __device__ __forceinline__ node_stack(const layout_tree_view<DIM> &tree, uint32_t *stack)
      : tree_(tree), stack_(stack) {
    if (threadIdx.x % LANES == 0) stack_[0] = (uint32_t)(tree.levels - 1) << NUMBER_BITS;
    __syncwarp();
  }

  __device__ __forceinline__ bool empty() const { return depth_ == 0; }

  /* Tests up to 32 nodes, and pushes the children of the opened ones, those of higher nodes first.
   */
  __device__ __forceinline__ tested_node<DIM> test(const warp_bounds<DIM> &bounds) {
    const int lane = threadIdx.x % LANES;
    const uint32_t lanes_before = (1u << lane) - 1;
    const int tested = min(depth_, LANES);
    depth_ -= tested;
    tested_node<DIM> one;
    one.number = 0;
    one.whole = one.leaf = false;
    int children = 0, level = 0;
    if (lane < tested) {
      const uint32_t entry = stack_[depth_ + lane];
      level = (int)(entry >> NUMBER_BITS);
      one.number = (int32_t)(entry & ((1u << NUMBER_BITS) - 1));
      one.node = tree_.level[level][one.number];
      one.whole = bounds.within_reach(one.node);
      one.leaf = !one.whole && level == 0;
      if (!one.whole && level > 0)
        children =
            (int)smaller(tree_.nodes[level - 1] - (int64_t)one.number * LAYOUT_FAN, LAYOUT_FAN);
    }
    __syncwarp(); /* all lanes have read their entries */
    const uint32_t ones = __ballot_sync(~0u, children & 1), twos = __ballot_sync(~0u, children & 2),
                   fours = __ballot_sync(~0u, children & 4);
    int slot = depth_ + __popc(ones & lanes_before) + 2 * __popc(twos & lanes_before) +
               4 * __popc(fours & lanes_before);
    for (int k = 0; k < children; ++k)
      stack_[slot++] =
          (uint32_t)(level - 1) << NUMBER_BITS | (uint32_t)(one.number * LAYOUT_FAN + k);
    depth_ += __popc(ones) + 2 * __popc(twos) + 4 * __popc(fours);
    return one;
  }

private:
  const layout_tree_view<DIM> &tree_;
  uint32_t *stack_;
  int depth_ = 1;
};

/* Lists the leaves that lanes have found, and returns their number. */
__device__ __forceinline__ int list_leaves(bool found, int32_t number, int32_t *leaf) {
  const uint32_t all = __ballot_sync(~0u, found);
  if (found) leaf[__popc(all & ((1u << threadIdx.x % LANES) - 1))] = number;
  return __popc(all);
}

/* Returns the vertex of a lane when a warp opens LEAVES leaves of a list from `first` on; of mass 0
   if there is none. */
template <int DIM>
__device__ __forceinline__ near_vertex<DIM>
vertex_of_leaves(const layout_tree_view<DIM> &tree, const int32_t *leaf, int first, int leaves) {
  const int lane = threadIdx.x % LANES, k = first + lane / LAYOUT_LEAF;
  near_vertex<DIM> one = {};
  if (k < leaves) {
    const int64_t rank = (int64_t)leaf[k] * LAYOUT_LEAF + lane % LAYOUT_LEAF;
    if (rank < tree.n) {
      one.offset = layout_offset_of(tree.fine[rank]);
      one.mass = tree.mass_of(rank);
    }
  }
  return one;
}

template <int DIM>
__device__ __forceinline__ void repel_vertex(const layout_offset<DIM> &own,
                                             const near_vertex<DIM> &from, float *force) {
  float d[DIM];
  layout_difference(own, from.offset, d);
  layout_repel<DIM>(d, from.mass, force);
}

/* Walks with a warp for 32 vertices. Runs whose warps stop early are listed in `scattered`. */
template <int DIM, int ORDER>
__global__ void __launch_bounds__(WARPS *LANES)
    walk_together(const __grid_constant__ layout_tree_view<DIM> tree, const layout_state *state,
                  int length, const layout_scattered scattered, layout_force<DIM> *repulsion) {
  __shared__ warp_memory<DIM, ORDER> memories[WARPS];
  extern __shared__ uint32_t stacks[];
  const int lane = threadIdx.x % LANES, in_block = threadIdx.x / LANES;
  const int64_t run = (int64_t)blockIdx.x * WARPS + in_block, first = run * LANES;
  if (first >= tree.n || state->converged) return; /* the whole warp */
  warp_memory<DIM, ORDER> &memory = memories[in_block];
  const int64_t at = smaller(first + lane, tree.n - 1);
  const warp_bounds<DIM> bounds(tree.fine[at]);
  const layout_offset<DIM> own = layout_offset_of(tree.fine[at]);
  float force[DIM] = {};
  int met = 0;
  for (node_stack<DIM> stack(tree, stacks + in_block * length); !stack.empty();) {
    const tested_node<DIM> one = stack.test(bounds);
    const uint32_t wholes = __ballot_sync(~0u, one.whole);
    if (one.whole) memory.far[__popc(wholes & ((1u << lane) - 1))] = far_of<DIM, ORDER>(one.node);
    const int leaves = list_leaves(one.leaf, one.number, memory.leaf);
    __syncwarp();
    for (int k = 0; k < __popc(wholes); ++k)
      repel_whole<DIM, ORDER>(own, memory.far[k], force);
    for (int leaf = 0; leaf < leaves; leaf += LEAVES) {
      memory.near[lane] = vertex_of_leaves(tree, memory.leaf, leaf, leaves);
      __syncwarp();
      const int count = min(leaves - leaf, LEAVES) * LAYOUT_LEAF;
      for (int k = 0; k < count; ++k)
        repel_vertex(own, memory.near[k], force);
      __syncwarp();
    }
    __syncwarp(); /* before the memory is filled again */
    met += __popc(wholes) + leaves * LAYOUT_LEAF;
    if (met > TOGETHER) {
      if (lane == 0) scattered.run[atomicAdd(scattered.count, 1)] = (int32_t)run;
      return;
    }
  }
  if (first + lane >= tree.n) return;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    repulsion[tree.vertex[at]].at[c] = force[c];
}

/* Walks with a warp for each vertex of the listed runs. */
template <int DIM, int ORDER>
__global__ void __launch_bounds__(WARPS *LANES)
    walk_alone(const __grid_constant__ layout_tree_view<DIM> tree, const layout_state *state,
               int length, const layout_scattered scattered, layout_force<DIM> *repulsion) {
  __shared__ int32_t leaf_lists[WARPS][LANES];
  extern __shared__ uint32_t stacks[];
  if (state->converged) return;
  const int lane = threadIdx.x % LANES, in_block = threadIdx.x / LANES;
  int32_t *leaf_list = leaf_lists[in_block];
  const int64_t vertices = (int64_t)*scattered.count * LANES;
  for (int64_t v = (int64_t)blockIdx.x * WARPS + in_block; v < vertices;
       v += (int64_t)gridDim.x * WARPS) {
    const int64_t at = (int64_t)scattered.run[v / LANES] * LANES + v % LANES;
    if (at >= tree.n) continue;
    const warp_bounds<DIM> bounds(tree.fine[at]);
    const layout_offset<DIM> own = layout_offset_of(tree.fine[at]);
    float force[DIM] = {};
    for (node_stack<DIM> stack(tree, stacks + in_block * length); !stack.empty();) {
      const tested_node<DIM> one = stack.test(bounds);
      if (one.whole) repel_whole<DIM, ORDER>(own, far_of<DIM, ORDER>(one.node), force);
      const int leaves = list_leaves(one.leaf, one.number, leaf_list);
      __syncwarp();
      for (int leaf = 0; leaf < leaves; leaf += LEAVES)
        repel_vertex(own, vertex_of_leaves(tree, leaf_list, leaf, leaves), force);
      __syncwarp(); /* before the list is filled again */
    }
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      for (int step = LANES / 2; step > 0; step /= 2)
        force[c] += __shfl_xor_sync(~0u, force[c], step);
    if (lane > 0) continue;
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      repulsion[tree.vertex[at]].at[c] = force[c];
  }
}

template <int DIM, int ORDER>
void launch_walks(const layout_tree_view<DIM> &tree, const layout_state *state,
                  const layout_scattered &scattered, layout_force<DIM> *repulsion,
                  cudaStream_t stream) {
  const int length = stack_length(tree.levels), shared = WARPS * length * (int)sizeof(uint32_t);
  const int64_t runs = divide_up(tree.n, LANES);
  GG_CUDA(cudaMemsetAsync(scattered.count, 0, sizeof *scattered.count, stream));
  walk_together<DIM, ORDER><<<(unsigned)divide_up(runs, WARPS), WARPS * LANES, shared, stream>>>(
      tree, state, length, scattered, repulsion);
  walk_alone<DIM, ORDER><<<(unsigned)smaller(runs, ALONE), WARPS * LANES, shared, stream>>>(
      tree, state, length, scattered, repulsion);
}

} // namespace

template <>
void layout_walk(const layout_tree_view<2> &tree, const layout_state *state,
                 int32_t expansion_order, const layout_scattered &scattered,
                 layout_force<2> *repulsion, cudaStream_t stream) {
  if (expansion_order == 0)
    launch_walks<2, 0>(tree, state, scattered, repulsion, stream);
  else if (expansion_order == 2)
    launch_walks<2, 2>(tree, state, scattered, repulsion, stream);
  else
    launch_walks<2, 4>(tree, state, scattered, repulsion, stream);
}

template <>
void layout_walk(const layout_tree_view<3> &tree, const layout_state *state,
                 int32_t expansion_order, const layout_scattered &scattered,
                 layout_force<3> *repulsion, cudaStream_t stream) {
  if (expansion_order == 0)
    launch_walks<3, 0>(tree, state, scattered, repulsion, stream);
  else
    launch_walks<3, 2>(tree, state, scattered, repulsion, stream);
}

} // namespace gpugeo
