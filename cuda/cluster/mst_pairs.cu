/*
 * First edges of points by all pairs: the points that search are copied together, and their
 * distances to all points are computed in blocks, which a warp for each of them looks through.
 *
 * Limited by the tile kernels, or for short rows by writing and reading 8 bytes for each pair.
 */
#include "cuda/cluster/mst_pairs.cuh"

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256, LANES = 32, WARPS = THREADS / LANES;

/* --- Pairs without a distance ----------------------------------------------------------------- */

struct missing_count {
  unsigned long long count, first; /* the first one's points i < j: i * 2^32 + j */
};

/* Adds the missing pairs of a block, with a warp for each query. Each pair is in blocks from both
   sides, and counts once. */
__global__ void __launch_bounds__(THREADS)
    add_missing(const distance_block block, missing_count *found) {
  const int lane = threadIdx.x % LANES;
  const int64_t q = this_item() / LANES;
  if (q >= block.queries) return; /* all of a warp */
  const int64_t query = block.query_at(q);
  const double *value = block.value + q * block.query_step;
  unsigned long long count = 0, first = ~0ull;
  for (int64_t c = lane; c < block.candidates; c += LANES) {
    const int64_t candidate = block.candidate_at(c);
    if (candidate <= query || !block.counts(query, candidate)) continue;
    if (!isnan(value[c * block.candidate_step])) continue;
    ++count;
    first = min(first, (unsigned long long)query << 32 | (unsigned long long)candidate);
  }
  if (count == 0) return;
  atomicAdd(&found->count, count);
  atomicMin(&found->first, first);
}

/* --- First edges ------------------------------------------------------------------------------ */

/* An edge of a query to a point; the points are in no order if there is none yet. */
struct edge {
  double weight, distance;
  int32_t point; /* INT32_MAX: none */
};

/* Returns an edge that comes after all others. */
__device__ __forceinline__ edge no_edge() { return {INFINITY, INFINITY, INT32_MAX}; }

/* Returns the one that comes first. */
__device__ __forceinline__ edge first_of(const edge &a, const edge &b) {
  if (a.weight != b.weight) return a.weight < b.weight ? a : b;
  if (a.distance != b.distance) return a.distance < b.distance ? a : b;
  return a.point < b.point ? a : b;
}

/* Copies the points with the given numbers, columns of ld. */
__global__ void __launch_bounds__(THREADS)
    gather_points(const points from, int64_t m, const int32_t *point, int64_t count, double *to,
                  int64_t ld) {
  const int64_t q = this_item();
  if (q >= count) return;
  const double *x = static_cast<const double *>(from.data) + point[q];
  for (int64_t k = 0; k < m; ++k)
    to[q + k * ld] = x[k * from.ld];
}

/* Begins with no edge for each query. */
__global__ void __launch_bounds__(THREADS)
    start_edges(double *weight, double *distance, int32_t *point, int64_t queries) {
  const int64_t q = this_item();
  if (q >= queries) return;
  const edge none = no_edge();
  weight[q] = none.weight;
  distance[q] = none.distance;
  point[q] = none.point;
}

/* Finds the first edges of the queries of a block, with a warp for each. */
__global__ void __launch_bounds__(THREADS)
    take_edges(const distance_block block, const component_view view, double *weight,
               double *distance, int32_t *point) {
  const int lane = threadIdx.x % LANES;
  const int64_t q = this_item() / LANES;
  if (q >= block.queries) return; /* all of a warp */
  const int64_t query = block.query_at(q);
  const int32_t own = view.component[query];
  const double *value = block.value + q * block.query_step;
  edge first = no_edge();
  if (lane == 0) first = {weight[q], distance[q], point[q]};
  for (int64_t c = lane; c < block.candidates; c += LANES) {
    const int32_t candidate = block.candidate_at(c);
    if (view.component[candidate] == own || !block.counts(query, candidate)) continue;
    const double here = value[c * block.candidate_step];
    const double core = view.core ? fmax(view.core[query], view.core[candidate]) : here;
    first = first_of(first, {fmax(here, core), here, candidate});
  }
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2)
    first = first_of(first, {__shfl_xor_sync(~0u, first.weight, step),
                             __shfl_xor_sync(~0u, first.distance, step),
                             __shfl_xor_sync(~0u, first.point, step)});
  if (lane > 0) return;
  weight[q] = first.weight;
  distance[q] = first.distance;
  point[q] = first.point;
}

/* Sets the edges of active positions. */
__global__ void __launch_bounds__(THREADS)
    keep_edges(const component_view view, const int32_t *active, int64_t count,
               const double *weight, const double *distance, const int32_t *point) {
  const int64_t q = this_item();
  if (q >= count || point[q] == INT32_MAX) return;
  const int32_t at = active[q];
  view.nearest[at] = point[q];
  view.bound[at] = weight[q];
  if (view.core) view.distance[at] = distance[q];
  atomicMin(view.best + view.component[at], bits_of(weight[q]));
}

} // namespace

/* Counts the pairs without a distance and finds the first one. */
gg_missing_pairs count_missing(const gg_dist_plan &plan, neighbor_blocks &blocks, double share) {
  device_memory memory;
  missing_count found = {0, ~0ull};
  memory.allocate(sizeof found);
  copy_in(memory.as(), &found, sizeof found);
  const candidate_set all = {blocks.candidates(), plan.nx, {1, plan.nx}};
  for (int64_t q = 0; q < plan.ny; q += blocks.queries())
    blocks.visit(
        {blocks.asking(), q, smaller(q + blocks.queries(), plan.ny), nullptr}, all, share,
        [&](const distance_block &block) {
          add_missing<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, blocks.stream()>>>(
              block, memory.as<missing_count>());
        });
  blocks.drain();
  GG_CUDA(cudaMemcpy(&found, memory.as(), sizeof found, cudaMemcpyDeviceToHost));
  if (found.count == 0) return {0, 0, 0};
  return {(int64_t)found.count, (int64_t)(found.first >> 32), (int64_t)(found.first & UINT32_MAX)};
}

pair_search::pair_search(const gg_dist_plan &plan, neighbor_blocks &blocks)
    : plan_(plan), blocks_(blocks) {
  const int64_t most = blocks.queries();
  queries_.allocate(most, plan.m, blocks.stream());
  weight_.allocate(8 * most);
  distance_.allocate(8 * most);
  point_.allocate(4 * most);
}

void pair_search::run(const component_view &view, const int32_t *active, int64_t count) {
  for (int64_t first = 0; first < count; first += blocks_.queries())
    search(view, active + first, smaller(blocks_.queries(), count - first));
}

/* Searches the edges of as many positions as a block takes. */
void pair_search::search(const component_view &view, const int32_t *active, int64_t count) {
  const cudaStream_t stream = blocks_.stream();
  const unsigned blocks = blocks_for(count, THREADS);
  double *weight = weight_.as<double>(), *distance = distance_.as<double>();
  int32_t *point = point_.as<int32_t>();
  blocks_.piece(0, [&] {
    gather_points<<<blocks, THREADS, 0, stream>>>(blocks_.candidates(), plan_.m, active, count,
                                                  queries_.data(), queries_.ld());
    start_edges<<<blocks, THREADS, 0, stream>>>(weight, distance, point, count);
  });
  const candidate_set all = {blocks_.candidates(), plan_.nx, {1, plan_.nx}};
  blocks_.visit({queries_.view(), 0, count, active}, all, 0, [&](const distance_block &block) {
    take_edges<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, stream>>>(
        block, view, weight, distance, point);
  });
  blocks_.piece(0, [&] {
    keep_edges<<<blocks, THREADS, 0, stream>>>(view, active, count, weight, distance, point);
  });
}

} // namespace gpugeo
