/*
 * Pivots of a layout by stress, and the weights of its terms; see layout/pivots.c. Pivots are drawn
 * in rounds of up to 64, whose distances one search finds: vertices at random, in proportion to
 * their distance from the nearest pivot so far. The host takes the farthest vertex one by one
 * instead. Distances are numbers of edges, so weights are a table by pivot and distance.
 *
 * All sums and comparisons are of whole numbers, or choose the least of some numbers, so their
 * order does not matter.
 *
 * Limit: the device's memory.
 */
#include "common/random.h"
#include "cuda/common/launch.cuh"
#include "cuda/layout/stress_pivots.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = STRESS_THREADS;

__global__ void __launch_bounds__(THREADS) find_farthest(const stress_pivots pivots) {
  const int64_t v = this_item();
  if (v >= pivots.n) return;
  const unsigned long long hops = pivots.hops[v * pivots.count];
  const unsigned long long key = hops << 32 | (0xffffffffu - (uint32_t)v);
  if (key > __ldcg(pivots.best)) atomicMax(pivots.best, key);
}

__global__ void __launch_bounds__(THREADS)
    lower_nearest(const stress_pivots pivots, int32_t first, int32_t last) {
  const int64_t v = this_item();
  if (v >= pivots.n) return;
  const uint16_t *hops = pivots.hops + v * pivots.count;
  uint16_t nearest = pivots.nearest[v];
  int32_t region = first == 0 ? 0 : pivots.region[v];
  for (int32_t p = first; p < last; ++p)
    if (hops[p] < nearest) {
      nearest = hops[p];
      region = p;
    }
  pivots.nearest[v] = nearest;
  pivots.region[v] = region;
}

/* Draws vertices: of independent numbers u in (0, 1] the least u / d has v with a probability of
   about d_v over the sum of all d. */
__global__ void __launch_bounds__(THREADS)
    draw(const stress_pivots pivots, uint64_t round, uint32_t parts) {
  const int64_t v = this_item();
  if (v >= pivots.n || pivots.nearest[v] == 0) return;
  const uint64_t random = gg_random(round, (uint64_t)v);
  unsigned long long *best = pivots.best + (uint32_t)random % parts;
  const float u = (float)(uint32_t)((random >> 40) + 1); /* 1 to 2^24 */
  const uint32_t key = __float_as_uint(__fdiv_rn(u, (float)pivots.nearest[v]));
  const unsigned long long word = (unsigned long long)key << 32 | (uint32_t)v;
  if (word < __ldcg(best)) atomicMin(best, word);
}

__global__ void __launch_bounds__(THREADS)
    count_regions(const stress_pivots pivots, const stress_weights weights) {
  const int64_t v = this_item();
  if (v >= pivots.n) return;
  atomicAdd(weights.within + (int64_t)pivots.region[v] * weights.depth + pivots.nearest[v], 1);
}

/* Turns the numbers of vertices at each distance into weights, a block for each pivot. */
__global__ void __launch_bounds__(THREADS) weigh(const stress_weights weights) {
  int32_t *within = weights.within + (int64_t)blockIdx.x * weights.depth;
  float *weight = weights.weight + (int64_t)blockIdx.x * weights.depth;
  __shared__ int32_t all; /* vertices at the distances so far */
  if (threadIdx.x == 0) all = 0;
  for (int32_t begin = 0; begin < weights.depth; begin += THREADS) {
    const int32_t d = begin + (int32_t)threadIdx.x;
    const int32_t own = d < weights.depth ? within[d] : 0;
    const int32_t before = block_sum_before<THREADS>(own); /* has barriers */
    const int32_t sum = all + before + own;
    if (d < weights.depth) within[d] = sum;
    __syncthreads(); /* all threads have read the sum so far */
    if (threadIdx.x == THREADS - 1) all = sum;
    __syncthreads();
  }
  for (int32_t d = (int32_t)threadIdx.x; d < weights.depth; d += THREADS)
    weight[d] = d > 1 ? (float)within[d / 2] / ((float)d * (float)d) : 0;
}

} // namespace

void stress_find_farthest(const stress_pivots &pivots, cudaStream_t stream) {
  GG_CUDA(cudaMemsetAsync(pivots.best, 0, sizeof *pivots.best, stream));
  find_farthest<<<blocks_for(pivots.n, THREADS), THREADS, 0, stream>>>(pivots);
}

void stress_lower_nearest(const stress_pivots &pivots, int32_t first, int32_t last,
                          cudaStream_t stream) {
  if (first == 0)
    GG_CUDA(cudaMemsetAsync(pivots.nearest, 0xff, (size_t)pivots.n * sizeof(uint16_t), stream));
  lower_nearest<<<blocks_for(pivots.n, THREADS), THREADS, 0, stream>>>(pivots, first, last);
}

void stress_draw(const stress_pivots &pivots, uint64_t round, int32_t parts, cudaStream_t stream) {
  GG_CUDA(cudaMemsetAsync(pivots.best, 0xff, GG_PATHS_SOURCES * sizeof *pivots.best, stream));
  draw<<<blocks_for(pivots.n, THREADS), THREADS, 0, stream>>>(pivots, round, (uint32_t)parts);
}

void stress_weigh(const stress_pivots &pivots, const stress_weights &weights, cudaStream_t stream) {
  count_regions<<<blocks_for(pivots.n, THREADS), THREADS, 0, stream>>>(pivots, weights);
  weigh<<<(unsigned)pivots.count, THREADS, 0, stream>>>(weights);
}

} // namespace gpugeo
