/*
 * Joining components.
 *
 * Limited by the device's memory: a round reads and writes some 100 bytes of each point, most of
 * them at addresses without an order.
 */
#include "cuda/cluster/components.cuh"

#include "cuda/common/divider.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr double_bits NOTHING = ~0ull; /* which comes after all numbers */
constexpr int MOST_LISTED = 16;        /* entries of a list with core distances */

/* Returns the point at a position. */
__device__ __forceinline__ int32_t point_at(const component_view &v, int64_t at) {
  return v.index ? v.index[at] : (int32_t)at;
}

/* Returns the pair of the points at two positions, the smaller number first. */
__device__ __forceinline__ double_bits pair_of(const component_view &v, int64_t a, int64_t b) {
  const auto i = (uint32_t)point_at(v, a), j = (uint32_t)point_at(v, b);
  return (double_bits)min(i, j) << 32 | max(i, j);
}

/* Returns the largest component. */
__device__ __forceinline__ int32_t largest(const component_view &v) {
  return (int32_t)(*v.largest & UINT32_MAX);
}

/* True if the weight of a position's edges may be as small as the best of their component. */
__device__ __forceinline__ bool is_within_best(const component_view &v, int64_t at, int32_t own) {
  return v.best[own] == NOTHING || bits_of(v.bound[at]) <= v.best[own];
}

/* --- Starts ----------------------------------------------------------------------------------- */

/* Begins with each position as a component of its own. */
__global__ void __launch_bounds__(THREADS) start_positions(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  v.component[at] = v.nearest[at] = (int32_t)at; /* which is no other component */
  v.bound[at] = -INFINITY;
  v.list_next[at] = 0;
  v.size[at] = 1;
  if (at > 0) return;
  *v.largest = 1ull << 32;
  *v.edges = 0;
}

/* Returns the weight of an edge with core distances. */
__device__ __forceinline__ double weight_of(const component_view &v, int64_t at, int32_t to,
                                            double distance) {
  return fmax(distance, fmax(v.core[at], v.core[to]));
}

/* Returns the distance that all points have which are not in a position's list, at least. */
__device__ __forceinline__ double list_radius(const component_view &v, int64_t at) {
  double radius = v.core[at];
  for (int r = 0; r < v.list; ++r)
    radius = fmax(radius, v.list_distance[r * v.n + at]);
  return radius;
}

/* Sorts each list by weights; entries with the same weight keep their order. */
__global__ void __launch_bounds__(THREADS) sort_lists(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  double weight[MOST_LISTED], distance[MOST_LISTED];
  int32_t position[MOST_LISTED];
  const double radius = list_radius(v, at);
  int sure = 0;
  for (int r = 0; r < v.list; ++r) {
    const double here = v.list_distance[r * v.n + at];
    const int32_t to = v.list_position[r * v.n + at];
    const double own = weight_of(v, at, to, here);
    int e = r;
    for (; e > 0 && weight[e - 1] > own; --e) {
      weight[e] = weight[e - 1];
      distance[e] = distance[e - 1];
      position[e] = position[e - 1];
    }
    weight[e] = own;
    distance[e] = here;
    position[e] = to;
    sure += own <= radius;
  }
  for (int r = 0; r < v.list; ++r) {
    v.list_distance[r * v.n + at] = distance[r];
    v.list_position[r * v.n + at] = position[r];
  }
  v.sure[at] = (uint8_t)sure;
  v.bound[at] = sure > 0 ? v.core[at] : radius;
}

/* --- A round: the first edge of each component ------------------------------------------------ */

/* Finds the nearest point of another component among the first `most` of a position's list. Returns
   its entry, or `most`. */
__device__ __forceinline__ int read_list(const component_view &v, int64_t at, int32_t own,
                                         int most) {
  int next = v.list_next[at];
  while (next < most && v.component[v.list_position[next * v.n + at]] == own)
    ++next;
  v.list_next[at] = (uint8_t)next;
  if (next < most) v.nearest[at] = v.list_position[next * v.n + at];
  return next;
}

/* Does the same among those that are sure. Behind them the bound is the radius of the list. */
__device__ __forceinline__ void read_sure(const component_view &v, int64_t at, int32_t own) {
  const int sure = v.sure[at];
  if (v.list_next[at] == sure) return;
  const int next = read_list(v, at, own, sure);
  if (next < sure) v.distance[at] = v.list_distance[next * v.n + at];
  const double bound =
      next < sure ? weight_of(v, at, v.nearest[at], v.distance[at]) : list_radius(v, at);
  v.bound[at] = fmax(v.bound[at], bound);
}

/* Lowers the best weight of a component by those edges of a list that are not sure. */
__device__ __forceinline__ void offer_listed(const component_view &v, int64_t at, int32_t own) {
  double least = INFINITY;
  for (int r = v.sure[at]; r < v.list; ++r) {
    const int32_t to = v.list_position[r * v.n + at];
    const double weight = weight_of(v, at, to, v.list_distance[r * v.n + at]);
    if (weight < least && v.component[to] != own) least = weight;
  }
  if (least < INFINITY) atomicMin(v.best + own, bits_of(least));
}

/* Finds each position's edge in its list, if its last one is within a component by now. */
__global__ void __launch_bounds__(THREADS) refresh(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int32_t own = v.component[at];
  if (own == largest(v)) return;
  int32_t to = v.nearest[at];
  if (to >= 0 && v.component[to] == own) {
    v.nearest[at] = -1;
    if (v.core) {
      read_sure(v, at, own);
    } else if (v.list_next[at] < v.list) {
      const int64_t next = smaller(read_list(v, at, own, (int)v.list), v.list - 1);
      v.bound[at] = fmax(v.bound[at], v.list_distance[next * v.n + at]);
    }
    to = v.nearest[at];
  }
  if (to >= 0)
    atomicMin(v.best + own, bits_of(v.bound[at]));
  else if (v.core && is_within_best(v, at, own))
    offer_listed(v, at, own);
}

/* Sets 1 for positions without an edge that may have the best one of their component. */
__global__ void __launch_bounds__(THREADS) mark_active(const component_view v, int32_t *mark) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int32_t own = v.component[at];
  mark[at] = own != largest(v) && v.nearest[at] < 0 && is_within_best(v, at, own);
}

/* Copies their positions, by the number of them up to each. */
__global__ void __launch_bounds__(THREADS)
    list_active(int64_t n, const int32_t *up_to, int32_t *active) {
  const int64_t at = this_item();
  if (at < n && up_to[at] > (at > 0 ? up_to[at - 1] : 0)) active[up_to[at] - 1] = (int32_t)at;
}

/* True if a position has an edge with the best weight of its component. */
__device__ __forceinline__ bool has_best(const component_view &v, int64_t at, int32_t own) {
  return own != largest(v) && v.nearest[at] >= 0 && bits_of(v.bound[at]) == v.best[own];
}

/* Returns the distance of a position's nearest edge: without core distances, its weight. */
__device__ __forceinline__ double distance_of(const component_view &v, int64_t at) {
  return v.core ? v.distance[at] : v.bound[at];
}

/* Finds, with core distances, the smallest distance of edges with the best weight. */
__global__ void __launch_bounds__(THREADS) offer_distances(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int32_t own = v.component[at];
  if (has_best(v, at, own)) atomicMin(v.best_distance + own, bits_of(v.distance[at]));
}

/* True if a position's edge has the best weight and the smallest distance. */
__device__ __forceinline__ bool has_shortest(const component_view &v, int64_t at, int32_t own) {
  return has_best(v, at, own) && (!v.core || bits_of(v.distance[at]) == v.best_distance[own]);
}

/* Finds the first pair among a component's shortest edges. */
__global__ void __launch_bounds__(THREADS) offer_pairs(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int32_t own = v.component[at];
  if (has_shortest(v, at, own)) atomicMin(v.best_pair + own, pair_of(v, at, v.nearest[at]));
}

/* Keeps the first edge of each component, which one position has. */
__global__ void __launch_bounds__(THREADS) take_pairs(const component_view v) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int32_t own = v.component[at];
  if (!has_shortest(v, at, own) || pair_of(v, at, v.nearest[at]) != v.best_pair[own]) return;
  v.best_at[own] = (int32_t)at;
  v.next[own] = v.component[v.nearest[at]];
}

/* --- A round: components are joined ----------------------------------------------------------- */

/* True if this is the number of a component. */
__device__ __forceinline__ bool is_component(const component_view &v, int64_t c) {
  return c < v.n && v.component[c] == c;
}

/* Leads each component along its edge, and keeps that. Of two that lead to each other the first one
   leads to itself. There are no longer circles, since no two edges are equal. */
__global__ void __launch_bounds__(THREADS) lead_components(const component_view v) {
  const int64_t c = this_item();
  int32_t to = (int32_t)c;
  if (is_component(v, c) && v.best_at[c] >= 0) {
    to = v.next[c];
    if (c < to && v.best_at[to] >= 0 && v.next[to] == c) to = (int32_t)c;
  }
  if (c < v.n) v.lead[c] = to;
  const bool adds = to != c;
  const uint32_t adding = __ballot_sync(~0u, adds);
  const int lane = threadIdx.x % 32;
  int32_t first = 0;
  if (lane == 0 && adding) first = atomicAdd(v.edges, __popc(adding));
  const int64_t e = __shfl_sync(~0u, first, 0) + __popc(adding & ((1u << lane) - 1));
  if (!adds) return;
  const int64_t at = v.best_at[c];
  v.pair[e] = v.best_pair[c];
  v.edge_distance[e] = distance_of(v, at);
  if (v.core) v.edge_weight[e] = v.bound[at];
}

/* Replaces `lead` of each component by the last one on its way. Other threads may shorten the way
   meanwhile. */
__global__ void __launch_bounds__(THREADS) follow_leads(const component_view v) {
  const int64_t c = this_item();
  if (!is_component(v, c)) return;
  volatile int32_t *lead = v.lead;
  int32_t at = lead[c];
  for (int32_t after; (after = lead[at]) != at; at = after)
    lead[c] = after;
}

/* Adds the sizes of joined components. */
__global__ void __launch_bounds__(THREADS) add_sizes(const component_view v) {
  const int64_t c = this_item();
  if (is_component(v, c) && v.lead[c] != c) atomicAdd(v.size + v.lead[c], v.size[c]);
  if (c == 0) *v.largest = 0;
}

/* Sets the component of each position, and finds the largest. */
__global__ void __launch_bounds__(THREADS) label(const component_view v) {
  const int64_t at = this_item();
  unsigned long long mine = 0;
  if (at < v.n) {
    const int32_t own = v.lead[v.component[at]];
    v.component[at] = own;
    if (own == at) mine = (unsigned long long)v.size[at] << 32 | (unsigned long long)at;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    mine = max(mine, __shfl_xor_sync(~0u, mine, step));
  if (threadIdx.x % 32 == 0 && mine > *(volatile unsigned long long *)v.largest)
    atomicMax(v.largest, mine);
}

/* --- The order of edges ----------------------------------------------------------------------- */

/* Writes the keys of the edges' pairs, and their numbers, to be sorted. */
__global__ void __launch_bounds__(THREADS)
    key_pairs(const component_view v, int64_t count, int bits, double_bits *key, int32_t *row) {
  const int64_t e = this_item();
  if (e >= count) return;
  key[e] = v.pair[e] >> 32 << bits | (v.pair[e] & UINT32_MAX);
  row[e] = (int32_t)e;
}

/* Writes the keys of the values in the order of `row`. */
__global__ void __launch_bounds__(THREADS)
    key_values(const double *value, int64_t count, const int32_t *row, double_bits *key) {
  const int64_t e = this_item();
  if (e < count) key[e] = bits_of(value[row[e]]);
}

/* Writes the edges in the order of `row`. */
__global__ void __launch_bounds__(THREADS)
    write_edges(const component_view v, int64_t count, const int32_t *row, gg_edge *to) {
  const int64_t e = this_item();
  if (e >= count) return;
  const double_bits pair = v.pair[row[e]];
  to[e].distance = v.edge_distance[row[e]];
  to[e].i = (int32_t)(pair >> 32);
  to[e].j = (int32_t)(pair & UINT32_MAX);
}

/* Divides the memory of a view unless it is NULL. Returns the bytes. */
int64_t divide(component_view &v, bool core, char *memory) {
  divider part(memory);
  const int64_t n = v.n, none = 0, with_core = core ? n : none;
  for (int32_t **list : {&v.component, &v.nearest, &v.best_at, &v.next, &v.lead, &v.size})
    part.take(*list, n);
  part.take(v.list_position, n * v.list);
  part.take(v.list_distance, n * v.list);
  for (double **list : {&v.bound, &v.edge_distance})
    part.take(*list, n);
  for (double_bits **list : {&v.best, &v.best_pair, &v.pair})
    part.take(*list, n);
  part.take(v.list_next, n);
  part.take(v.largest, 1);
  part.take(v.edges, 1);
  if (core) {
    for (double **list : {&v.core, &v.distance, &v.edge_weight})
      part.take(*list, with_core);
    part.take(v.best_distance, with_core);
    part.take(v.sure, with_core);
  }
  return part.bytes();
}

} // namespace

components::components(int64_t n, int64_t list, bool core, const int32_t *index,
                       cudaStream_t stream)
    : stream_(stream) {
  view_.n = n;
  view_.index = index;
  view_.list = list;
  memory_.allocate(divide(view_, core, nullptr));
  divide(view_, core, memory_.as());
  active_.allocate(4 * n);
  mark_.allocate(4 * n);
  size_t sum = 0, sort = 0;
  inclusive_sum(nullptr, sum, nullptr, nullptr, n, stream);
  sort_pairs_to(nullptr, sort, nullptr, nullptr, nullptr, nullptr, n, 64, stream);
  scratch_bytes_ = (int64_t)(sum > sort ? sum : sort);
  scratch_.allocate(scratch_bytes_);
  start_positions<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(view_);
  GG_CUDA(cudaGetLastError());
}

void components::start_core() {
  sort_lists<<<blocks_for(view_.n, THREADS), THREADS, 0, stream_>>>(view_);
  GG_CUDA(cudaGetLastError());
}

int64_t components::begin_round() {
  const component_view &v = view_;
  const unsigned blocks = blocks_for(v.n, THREADS);
  const auto empty = [&](double_bits *bits) {
    if (bits) GG_CUDA(cudaMemsetAsync(bits, 0xff, (size_t)(8 * v.n), stream_));
  };
  empty(v.best);
  empty(v.best_distance);
  empty(v.best_pair);
  GG_CUDA(cudaMemsetAsync(v.best_at, 0xff, (size_t)(4 * v.n), stream_)); /* -1 */
  int32_t *mark = mark_.as<int32_t>();
  refresh<<<blocks, THREADS, 0, stream_>>>(v);
  mark_active<<<blocks, THREADS, 0, stream_>>>(v, mark);
  auto bytes = (size_t)scratch_bytes_;
  inclusive_sum(scratch_.as(), bytes, mark, mark, v.n, stream_);
  list_active<<<blocks, THREADS, 0, stream_>>>(v.n, mark, active_.as<int32_t>());
  GG_CUDA(cudaGetLastError());
  return fetched(mark + v.n - 1, stream_);
}

int64_t components::end_round() {
  const component_view &v = view_;
  const unsigned blocks = blocks_for(v.n, THREADS);
  if (v.core) offer_distances<<<blocks, THREADS, 0, stream_>>>(v);
  offer_pairs<<<blocks, THREADS, 0, stream_>>>(v);
  take_pairs<<<blocks, THREADS, 0, stream_>>>(v);
  lead_components<<<blocks, THREADS, 0, stream_>>>(v);
  follow_leads<<<blocks, THREADS, 0, stream_>>>(v);
  add_sizes<<<blocks, THREADS, 0, stream_>>>(v);
  label<<<blocks, THREADS, 0, stream_>>>(v);
  GG_CUDA(cudaGetLastError());
  return fetched(v.edges, stream_);
}

/* Sorts the rows by keys; equal ones keep their order. */
void components::sort_by(double_bits *keys, int bits) {
  auto bytes = (size_t)scratch_bytes_;
  const int64_t count = view_.n - 1;
  sort_pairs_to(scratch_.as(), bytes, reinterpret_cast<uint64_t *>(keys), key_[1].as<uint64_t>(),
                row_[0].as<int32_t>(), row_[1].as<int32_t>(), count, bits, stream_);
  GG_CUDA(cudaMemcpyAsync(row_[0].as(), row_[1].as(), (size_t)(4 * count), cudaMemcpyDeviceToDevice,
                          stream_));
}

const gg_edge *components::sort() {
  const int64_t count = view_.n - 1;
  const unsigned blocks = blocks_for(count, THREADS);
  for (int b = 0; b < 2; ++b) {
    key_[b].allocate(8 * count);
    row_[b].allocate(4 * count);
  }
  sorted_.allocate(count * (int64_t)sizeof(gg_edge));
  double_bits *key = key_[0].as<double_bits>();
  int32_t *row = row_[0].as<int32_t>();
  const int half = bits_for(view_.n);
  key_pairs<<<blocks, THREADS, 0, stream_>>>(view_, count, half, key, row);
  sort_by(key, 2 * half);
  for (const double *value : {view_.edge_distance, view_.edge_weight}) {
    if (!value) continue;
    key_values<<<blocks, THREADS, 0, stream_>>>(value, count, row, key);
    sort_by(key, 64);
  }
  write_edges<<<blocks, THREADS, 0, stream_>>>(view_, count, row, sorted_.as<gg_edge>());
  GG_CUDA(cudaGetLastError());
  return sorted_.as<gg_edge>();
}

} // namespace gpugeo
