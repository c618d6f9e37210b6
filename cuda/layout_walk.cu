/*
 * Repulsion by a walk over the tree.
 *
 * A warp walks for 32 vertices that follow each other in the order of the tree and so lie close
 * together. It tests 32 nodes at a time, one a lane, against the bounds of its vertices: a node is
 * taken as a whole by all of them or by none. So the lanes never part, and every vertex sees nodes
 * that are further away than its own opening angle asks for.
 *
 * In the plane the force at z is the conjugate of sum m / (z - e) = sum M_k / z^(k + 1), with M_k =
 * sum m e^k; M_1 is 0 about the centre of mass. In space the field of z / |z|^2 is developed to the
 * second order. The series converges for every node taken, as all of it lies nearer to its centre
 * than any of the vertices.
 *
 * Limit: the FP32 pipes; some 30 operations a vertex and node (order 4), 9 a pair of vertices.
 */
#include "layout.cuh"

#include <stdexcept>

namespace gpugeo {
namespace {

constexpr int LANES = 32, WARPS = 4;

/* Nodes waiting to be tested are at most 128 children of 32 nodes, and for each level above theirs
   96 more, as the deepest are tested first. */
constexpr int stack_length(int levels) { return 128 + 96 * levels; }

/* A node on the stack: its level in the highest bits. */
constexpr int NUMBER_BITS = 28;

/* Floats of a node's moments that an expansion needs. */
template <int DIM, int ORDER>
constexpr int moments = ORDER == 0 ? 0
                        : DIM == 3 ? 6
                                   : 2 * (ORDER - 1);

/* A node taken as a whole, and a vertex to be looked at. */
template <int DIM, int ORDER> struct alignas(16) far_node {
  layout_place<DIM> place;
  float mass, moment[moments<DIM, ORDER> + 1]; /* the last one is not used */
};
template <int DIM> struct alignas(16) near_vertex {
  layout_place<DIM> place;
  float mass;
};

/* Adds what a node's moments beyond its mass push with: d leads from the node, inverse is 1 /
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

/* With S the second moments and t their trace: (4 d'Sd / |d|^2 d - 2 S d - t d) / |d|^4. */
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
__device__ __forceinline__ void repel_whole(const layout_place<DIM> &place,
                                            const far_node<DIM, ORDER> &node, float *force) {
  float d[DIM], square = GG_LAYOUT_SOFT;
  layout_difference(place, node.place, d);
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    square = fmaf(d[c], d[c], square);
  const float inverse = layout_reciprocal(square), factor = node.mass * inverse;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    force[c] = fmaf(factor, d[c], force[c]);
  if (ORDER > 0) add_expansion<ORDER>(d, node.moment, inverse, force);
}

/* What a warp has in shared memory beside its stack. */
template <int DIM, int ORDER> struct warp_memory {
  far_node<DIM, ORDER> far[LANES];
  near_vertex<DIM> near[LANES];
  int32_t leaf[LANES];
};

/* Bounds of the vertices of a warp, in units. */
template <int DIM> struct warp_bounds {
  double low[DIM], high[DIM];

  /* From each lane's own; all lanes together. */
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

  /* May all take the node as a whole? */
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

/* A centre of mass as a place. */
template <int DIM> __device__ __forceinline__ layout_place<DIM> place_of(const double (&at)[DIM]) {
  layout_place<DIM> place;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    place.whole[c] = (float)rint(at[c]);
    place.rest[c] = (float)(at[c] - (double)place.whole[c]);
  }
  return place;
}

/* The repulsion of the vertices of some leaves, at most 32, which are listed in the memory. */
template <int DIM, int ORDER>
__device__ __forceinline__ void
repel_leaves(const layout_tree_view<DIM> &tree, const layout_place<DIM> &own,
             warp_memory<DIM, ORDER> &memory, int leaves, float *force) {
  constexpr int AT_ONCE = LANES / LAYOUT_LEAF;
  const int lane = threadIdx.x % LANES;
  for (int first = 0; first < leaves; first += AT_ONCE) {
    const int count = min(leaves - first, AT_ONCE) * LAYOUT_LEAF;
    near_vertex<DIM> one = {};
    if (lane < count) {
      const int64_t place =
          (int64_t)memory.leaf[first + lane / LAYOUT_LEAF] * LAYOUT_LEAF + lane % LAYOUT_LEAF;
      if (place < tree.n) { /* else of no mass */
        one.place = layout_place_of(tree.fine[place]);
        one.mass = tree.mass_of(place);
      }
    }
    memory.near[lane] = one;
    __syncwarp();
    for (int k = 0; k < count; ++k) {
      const near_vertex<DIM> from = memory.near[k];
      float d[DIM];
      layout_difference(own, from.place, d);
      layout_repel<DIM>(d, from.mass, force);
    }
    __syncwarp();
  }
}

/* A warp to 32 vertices. */
template <int DIM, int ORDER>
__global__ void __launch_bounds__(WARPS *LANES)
    walk(const __grid_constant__ layout_tree_view<DIM> tree, const layout_state *state, int length,
         layout_force<DIM> *repulsion) {
  __shared__ warp_memory<DIM, ORDER> memories[WARPS];
  extern __shared__ uint32_t stacks[];
  const int lane = threadIdx.x % LANES, in_block = threadIdx.x / LANES;
  const int64_t first = ((int64_t)blockIdx.x * WARPS + in_block) * LANES;
  if (first >= tree.n || state->converged) return; /* all of a warp */
  warp_memory<DIM, ORDER> &memory = memories[in_block];
  uint32_t *stack = stacks + in_block * length;
  const uint32_t lanes_before = (1u << lane) - 1;
  const int64_t at = smaller(first + lane, tree.n - 1);
  const warp_bounds<DIM> bounds(tree.fine[at]);
  const layout_place<DIM> own = layout_place_of(tree.fine[at]);
  float force[DIM] = {};

  int depth = 1; /* of the stack */
  if (lane == 0) stack[0] = (uint32_t)(tree.levels - 1) << NUMBER_BITS;
  __syncwarp();
  while (depth > 0) {
    const int tested = min(depth, LANES);
    depth -= tested;
    int level = 0;
    int32_t number = 0;
    bool open = false, whole = false;
    layout_node<DIM> node;
    if (lane < tested) {
      const uint32_t entry = stack[depth + lane];
      level = (int)(entry >> NUMBER_BITS);
      number = (int32_t)(entry & ((1u << NUMBER_BITS) - 1));
      node = tree.level[level][number];
      whole = bounds.within_reach(node);
      open = !whole;
    }

    /* Children on the stack, those of higher nodes below. All have read what was there. */
    const int children =
        open && level > 0
            ? (int)smaller(tree.nodes[level - 1] - (int64_t)number * LAYOUT_FAN, LAYOUT_FAN)
            : 0;
    const uint32_t ones = __ballot_sync(~0u, children & 1), twos = __ballot_sync(~0u, children & 2),
                   fours = __ballot_sync(~0u, children & 4);
    int slot = depth + __popc(ones & lanes_before) + 2 * __popc(twos & lanes_before) +
               4 * __popc(fours & lanes_before);
    for (int k = 0; k < children; ++k)
      stack[slot++] = (uint32_t)(level - 1) << NUMBER_BITS | (uint32_t)(number * LAYOUT_FAN + k);
    depth += __popc(ones) + 2 * __popc(twos) + 4 * __popc(fours);

    const uint32_t wholes = __ballot_sync(~0u, whole);
    const uint32_t leaves = __ballot_sync(~0u, open && level == 0);
    if (whole) {
      far_node<DIM, ORDER> &far = memory.far[__popc(wholes & lanes_before)];
      far.place = place_of(node.at);
      far.mass = node.mass;
#pragma unroll
      for (int k = 0; k < moments<DIM, ORDER>; ++k)
        far.moment[k] = node.moment[k];
    }
    if (open && level == 0) memory.leaf[__popc(leaves & lanes_before)] = number;
    __syncwarp();
    for (int k = 0; k < __popc(wholes); ++k)
      repel_whole<DIM, ORDER>(own, memory.far[k], force);
    repel_leaves<DIM, ORDER>(tree, own, memory, __popc(leaves), force);
    __syncwarp(); /* before the memory is filled again */
  }
  if (first + lane >= tree.n) return;
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    repulsion[tree.vertex[at]].at[c] = force[c];
}

template <int DIM, int ORDER>
void launch(const layout_tree_view<DIM> &tree, const layout_state *state,
            layout_force<DIM> *repulsion, cudaStream_t stream) {
  const int length = stack_length(tree.levels);
  const int64_t blocks = divide_up(tree.n, WARPS * LANES);
  walk<DIM, ORDER><<<(unsigned)blocks, WARPS * LANES, WARPS * length * sizeof(uint32_t), stream>>>(
      tree, state, length, repulsion);
}

} // namespace

template <>
void layout_walk(const layout_tree_view<2> &tree, const layout_state *state, int32_t order,
                 layout_force<2> *repulsion, cudaStream_t stream) {
  if (order == 0)
    launch<2, 0>(tree, state, repulsion, stream);
  else if (order == 2)
    launch<2, 2>(tree, state, repulsion, stream);
  else
    launch<2, 4>(tree, state, repulsion, stream);
}

template <>
void layout_walk(const layout_tree_view<3> &tree, const layout_state *state, int32_t order,
                 layout_force<3> *repulsion, cudaStream_t stream) {
  if (order == 0)
    launch<3, 0>(tree, state, repulsion, stream);
  else
    launch<3, 2>(tree, state, repulsion, stream);
}

} // namespace gpugeo
