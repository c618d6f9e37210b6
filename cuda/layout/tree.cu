/*
 * The tree over the vertices of a layout.
 *
 * Vertices are sorted along a Hilbert curve, so that successive vertices are close to each other in
 * the drawing. All leaves have the same number of vertices and all nodes the same number of
 * children, which needs no links, counts or atomics: the children of node i of a level are the
 * nodes from LAYOUT_FAN i of the level below, and the depth depends only on the number of vertices.
 * Each node has its own bounds.
 *
 * Limit: the device's memory, for the radix sort of 8 passes over 12 bytes a vertex; with fewer
 * than 40,000 vertices, the launches.
 */
#include "cuda/layout/tree.cuh"

#include <cmath>

#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr int CLIMB = 4; /* levels above the first that a block computes: THREADS = FAN^CLIMB */
static_assert(THREADS == 1 << 2 * CLIMB && LAYOUT_FAN == 4, "a block's last level has one node");

/* From this level on, whose nodes have 128 vertices, a node of equal keys is not opened. */
constexpr int CROWD_LEVEL = 2;

/* Bits of a coordinate in a key: all bits of a fine offset in the plane, the highest in space. */
template <int DIM> constexpr int key_bits = DIM == 2 ? 31 : 21;

/* Returns the number of an offset along the Hilbert curve, by the method of J. Skilling,
   "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004): from the highest bit
   down, the axes are reflected and exchanged as the curve turns within each cell; what is left of
   them are the digits of the number in Gray code. */
template <int DIM> __device__ __forceinline__ uint64_t hilbert_key(const layout_fine<DIM> &fine) {
  constexpr int BITS = key_bits<DIM>;
  uint32_t axis[DIM];
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    axis[c] = (uint32_t)(fine.at[c] + (1 << 30)) >> (31 - BITS);
  for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
    const uint32_t below = bit - 1;
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      const uint32_t exchanged = axis[c] & bit ? 0 : (axis[0] ^ axis[c]) & below;
      axis[0] ^= axis[c] & bit ? below : exchanged;
      axis[c] ^= exchanged;
    }
  }
#pragma unroll
  for (int c = 1; c < DIM; ++c)
    axis[c] ^= axis[c - 1];
  uint32_t turned = 0;
  for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1)
    if (axis[DIM - 1] & bit) turned ^= bit - 1;
  uint64_t key = 0;
  for (int bit = BITS - 1; bit >= 0; --bit)
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      key = key << 1 | ((axis[c] ^ turned) >> bit & 1);
  return key;
}

template <int DIM>
__global__ void __launch_bounds__(THREADS)
    make_keys(const layout_vertices<DIM> vertices, layout_fine<DIM> *fine, uint64_t *key,
              int32_t *vertex) {
  const int64_t i = this_item();
  if (i >= vertices.n || vertices.state->converged) return;
  const layout_fine<DIM> here = vertices.fine_of(i);
  fine[i] = here;
  key[i] = hilbert_key(here);
  vertex[i] = (int32_t)i;
}

/* Arguments of climb_levels(). */
template <int DIM> struct climb_job {
  layout_tree_view<DIM> tree;
  layout_node<DIM> *level[LAYOUT_LEVELS]; /* the levels of the tree, to be written */
  const uint64_t *key;                    /* sorted */
  const layout_fine<DIM> *from_fine;      /* by vertex */
  const float *from_mass;
  layout_fine<DIM> *fine; /* by rank in the order */
  float *mass;
  float theta;
};

/* Adds the moments of a child of some mass at e from the centre; `below` are its moments about its
   own centre. */
__device__ __forceinline__ void add_moments(const float (&e)[2], float mass, const float *below,
                                            float *moment) {
  const float x2 = e[0] * e[0] - e[1] * e[1], y2 = 2 * e[0] * e[1]; /* e^2 */
  const float x3 = x2 * e[0] - y2 * e[1], y3 = x2 * e[1] + y2 * e[0];
  const float x4 = x2 * x2 - y2 * y2, y4 = 2 * x2 * y2;
  const float *m2 = below, *m3 = below + 2, *m4 = below + 4;
  moment[0] += m2[0] + mass * x2;
  moment[1] += m2[1] + mass * y2;
  moment[2] += m3[0] + 3 * (m2[0] * e[0] - m2[1] * e[1]) + mass * x3;
  moment[3] += m3[1] + 3 * (m2[0] * e[1] + m2[1] * e[0]) + mass * y3;
  moment[4] +=
      m4[0] + 4 * (m3[0] * e[0] - m3[1] * e[1]) + 6 * (m2[0] * x2 - m2[1] * y2) + mass * x4;
  moment[5] +=
      m4[1] + 4 * (m3[0] * e[1] + m3[1] * e[0]) + 6 * (m2[0] * y2 + m2[1] * x2) + mass * y4;
}

__device__ __forceinline__ void add_moments(const float (&e)[3], float mass, const float *below,
                                            float *moment) {
  int at = 0;
#pragma unroll
  for (int a = 0; a < 3; ++a)
#pragma unroll
    for (int b = a; b < 3; ++b, ++at)
      moment[at] += below[at] + mass * e[a] * e[b];
}

/* Returns a vertex as a node. */
template <int DIM>
__device__ __forceinline__ layout_node<DIM> vertex_node(const layout_fine<DIM> &fine, float mass) {
  layout_node<DIM> node = {};
#pragma unroll
  for (int c = 0; c < DIM; ++c)
    node.at[c] = (double)fine.at[c] / GG_LAYOUT_FINE;
  node.mass = mass;
  return node;
}

/* Returns the node of `count` parts; part(i) is the i-th. `alike`: all its vertices have the same
   key, and they are too many to be summed one by one. */
template <int DIM, class Part>
__device__ __forceinline__ layout_node<DIM> join_nodes(int count, float theta, bool alike,
                                                       Part part) {
  layout_node<DIM> node = {};
  const layout_node<DIM> first = part(0);
  double mass = 0, sum[DIM] = {};
  for (int i = 0; i < count; ++i) {
    const layout_node<DIM> one = part(i);
    mass += (double)one.mass;
#pragma unroll
    for (int c = 0; c < DIM; ++c)
      sum[c] = fma((double)one.mass, one.at[c] - first.at[c], sum[c]);
  }
  node.mass = (float)mass;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    node.at[c] = first.at[c] + sum[c] / mass;
    node.low[c] = INFINITY;
    node.high[c] = -INFINITY;
  }
  for (int i = 0; i < count; ++i) {
    const layout_node<DIM> one = part(i);
    float e[DIM];
#pragma unroll
    for (int c = 0; c < DIM; ++c) {
      e[c] = (float)(one.at[c] - node.at[c]);
      node.low[c] = fminf(node.low[c], e[c] + one.low[c]);
      node.high[c] = fmaxf(node.high[c], e[c] + one.high[c]);
    }
    add_moments(e, one.mass, one.moment, node.moment);
  }
  float size = 0, square = 0;
#pragma unroll
  for (int c = 0; c < DIM; ++c) {
    const float farthest = fmaxf(-node.low[c], node.high[c]);
    size = fmaxf(size, node.high[c] - node.low[c]);
    square = fmaf(farthest, farthest, square);
  }
  /* The size is at least the side of a cube whose corners are as far from the centre of mass as the
     farthest vertex, beyond which the series converges. A node whose vertices are at one point, or
     are alike, is always taken by its mass alone. */
  const float radius = sqrtf(square), side = fmaxf(size, radius * (DIM == 2 ? 1.4143f : 1.1548f));
  node.reach = fmaxf(side / theta, radius) * 1.000001f;
  if (size == 0 || alike) node.reach = -1;
#pragma unroll
  for (int k = 0; k < 6; ++k)
    if (alike) node.moment[k] = 0;
  return node;
}

/* Computes the nodes of level `base`, THREADS for each block, and of up to CLIMB levels above them.
   At base 0 it also copies the vertices into the sorted order. */
template <int DIM>
__global__ void __launch_bounds__(THREADS)
    climb_levels(const climb_job<DIM> job, const layout_state *state, int base) {
  const layout_tree_view<DIM> &tree = job.tree;
  if (state->converged) return;
  if (base == 0) {
    constexpr int64_t RANKS = THREADS * LAYOUT_LEAF;
    const int64_t first = blockIdx.x * RANKS;
    for (int64_t p = first + threadIdx.x; p < smaller(first + RANKS, tree.n); p += THREADS) {
      job.fine[p] = job.from_fine[tree.vertex[p]];
      if (job.mass) job.mass[p] = job.from_mass[tree.vertex[p]];
    }
    __syncthreads();
  }
  int64_t vertices = LAYOUT_LEAF; /* below a node */
  for (int level = 0; level < base; ++level)
    vertices *= LAYOUT_FAN;
  int here = THREADS; /* nodes of the block */
  for (int level = base; level < tree.levels && here > 0; ++level) {
    const int64_t i = (int64_t)blockIdx.x * here + threadIdx.x;
    if (threadIdx.x < here && i < tree.nodes[level]) {
      const int64_t from = i * vertices, to = smaller(from + vertices, tree.n);
      if (level == 0) {
        job.level[0][i] = join_nodes<DIM>((int)(to - from), job.theta, false, [&](int k) {
          return vertex_node<DIM>(job.fine[from + k], job.mass ? job.mass[from + k] : 1.0f);
        });
      } else {
        const layout_node<DIM> *below = job.level[level - 1] + i * LAYOUT_FAN;
        const int count = (int)smaller(LAYOUT_FAN, tree.nodes[level - 1] - i * LAYOUT_FAN);
        const bool alike = level >= CROWD_LEVEL && job.key[from] == job.key[to - 1];
        job.level[level][i] =
            join_nodes<DIM>(count, job.theta, alike, [&](int k) { return below[k]; });
      }
    }
    __syncthreads();
    here /= LAYOUT_FAN;
    vertices *= LAYOUT_FAN;
  }
}

} // namespace

template <int DIM>
layout_tree<DIM>::layout_tree(int64_t n, bool masses, double theta) : theta_((float)theta) {
  view_.n = n;
  int64_t all = 0;
  for (int64_t nodes = divide_up(n, LAYOUT_LEAF);; nodes = divide_up(nodes, LAYOUT_FAN)) {
    view_.nodes[view_.levels++] = (int32_t)nodes;
    all += nodes;
    if (nodes == 1) break;
  }
  nodes_.allocate(all * (int64_t)sizeof(layout_node<DIM>));
  const layout_node<DIM> *level = nodes_.template as<layout_node<DIM>>();
  for (int l = 0; l < view_.levels; level += view_.nodes[l++])
    view_.level[l] = level;
  for (int k = 0; k < 2; ++k) {
    keys_[k].allocate(n * (int64_t)sizeof(uint64_t));
    vertices_[k].allocate(n * (int64_t)sizeof(int32_t));
    fine_[k].allocate(n * (int64_t)sizeof(layout_fine<DIM>));
  }
  if (masses) mass_.allocate(n * (int64_t)sizeof(float));
  view_.vertex = vertices_[1].template as<int32_t>();
  view_.fine = fine_[1].template as<layout_fine<DIM>>();
  view_.mass = mass_.template as<float>();
  size_t bytes = 0;
  sort_pairs_to(nullptr, bytes, nullptr, nullptr, nullptr, nullptr, n, DIM * key_bits<DIM>,
                nullptr);
  scratch_bytes_ = (int64_t)bytes;
  scratch_.allocate(scratch_bytes_);
}

template <int DIM>
void layout_tree<DIM>::build(const layout_vertices<DIM> &vertices, cudaStream_t stream) {
  const int64_t n = view_.n;
  layout_fine<DIM> *fine = fine_[0].template as<layout_fine<DIM>>();
  uint64_t *key = keys_[0].template as<uint64_t>(), *sorted = keys_[1].template as<uint64_t>();
  int32_t *vertex = vertices_[0].template as<int32_t>();
  make_keys<DIM><<<blocks_for(n, THREADS), THREADS, 0, stream>>>(vertices, fine, key, vertex);
  size_t bytes = (size_t)scratch_bytes_;
  sort_pairs_to(scratch_.as(), bytes, key, sorted, vertex, vertices_[1].template as<int32_t>(), n,
                DIM * key_bits<DIM>, stream);
  climb_job<DIM> job = {};
  job.tree = view_;
  for (int l = 0; l < view_.levels; ++l)
    job.level[l] = const_cast<layout_node<DIM> *>(view_.level[l]);
  job.key = sorted;
  job.from_fine = fine;
  job.from_mass = vertices.mass;
  job.fine = fine_[1].template as<layout_fine<DIM>>();
  job.mass = mass_.template as<float>();
  job.theta = theta_;
  for (int base = 0; base < view_.levels; base += CLIMB + 1)
    climb_levels<DIM>
        <<<blocks_for(view_.nodes[base], THREADS), THREADS, 0, stream>>>(job, vertices.state, base);
}

template class layout_tree<2>;
template class layout_tree<3>;

} // namespace gpugeo
