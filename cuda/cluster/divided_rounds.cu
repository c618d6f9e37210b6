/*
 * Rounds in place of a working matrix in parts. What a device needs of other parts are the rows of
 * second clusters, which are copied to it: columns of pairs are merged in each row by itself, which
 * gives the bits of their mirror images.
 *
 * Limit: device memory. Of A clusters a pair reads two rows and writes one, and reads two and
 * writes one element of each other row, of which each takes 32 bytes.
 */
#include "cuda/cluster/divided_rounds.cuh"
#include "cuda/cluster/merged_element.cuh"
#include "cuda/cluster/nearest.cuh"
#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 256, WARP = 32 };

/* Puts pairs into the lists. */
__global__ void __launch_bounds__(THREADS)
    take_pairs(const working_view w, const pair_record *pairs, int64_t count) {
  const int64_t k = this_item();
  if (k >= count) return;
  const pair_record pair = pairs[k];
  w.low[k] = pair.low;
  w.high[k] = pair.high;
  w.ni[k] = pair.ni;
  w.nj[k] = pair.nj;
  w.dij[k] = pair.dij;
  w.pair_size[k] = pair.size;
  w.pair_of[pair.low] = (int32_t)k;
  w.pair_of[pair.high] = REMOVED;
}

/* Merges the clusters of pairs in the lists. */
__global__ void __launch_bounds__(THREADS) leave_pairs(const working_view w, int64_t count) {
  const int64_t k = this_item();
  if (k >= count) return;
  const int32_t low = w.low[k], high = w.high[k];
  w.size[low] = w.pair_size[k];
  w.size[high] = 0;
  w.nearest[low] = w.nearest[high] = GG_UNKNOWN;
  w.pair_of[low] = w.pair_of[high] = NO_PAIR;
}

/* Merges the columns of the pairs in the row of a cluster, a lane for each pair, and compares them
   with its nearest cluster. Returns the nearest one to lane 0. */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ gg_nearest merge_columns_of(const working_view &w, int32_t cluster,
                                                       int64_t pairs, gg_nearest best) {
  double *row = row_of(w, cluster);
  const double size = w.size[cluster];
  for (int64_t k = threadIdx.x % WARP; k < pairs; k += WARP) {
    const int32_t low = w.low[k];
    const gg_joined columns = joined_pair(w, (int32_t)k);
    const double value = gg_linkage_step(LINKAGE, &columns, row[low], row[w.high[k]], size);
    row[low] = value;
    gg_nearest_take(&best, value, low);
  }
  return nearest_of_warp(best);
}

/* Merges the columns of the pairs in the rows of clusters, by a warp for each. */
template <gpugeo_linkage LINKAGE>
__global__ void __launch_bounds__(THREADS)
    merge_columns(const working_view w, const int32_t *clusters, int64_t count, int64_t pairs,
                  nearest_record *found) {
  const int64_t item = this_item() / WARP;
  if (item >= count) return;
  const int32_t c = clusters[item];
  if (!(w.size[c] > 0) || w.pair_of[c] != NO_PAIR) return; /* all lanes */
  const int32_t nearest = w.nearest[c];
  const bool is_known = nearest != GG_UNKNOWN;
  const bool is_lost = is_known && w.pair_of[nearest] != NO_PAIR;
  const gg_nearest before =
      is_known ? gg_nearest_begin(w.distance[c], nearest, is_lost) : gg_nearest{-INFINITY, 0};
  const gg_nearest best = merge_columns_of<LINKAGE>(w, c, pairs, before);
  if (threadIdx.x % WARP != 0) return;
  const bool is_taken = best.distance != before.distance || best.cluster != before.cluster;
  if (!is_taken && !is_lost) return;
  if (is_taken) w.distance[c] = best.distance;
  w.nearest[c] = is_taken ? best.cluster : GG_UNKNOWN;
  found[1 + atomicAdd(&found[0].cluster, 1)] = {w.distance[c], c, w.nearest[c]};
}

/* Searches the rows of clusters, by a block for each. */
__global__ void __launch_bounds__(THREADS)
    search_listed(const working_view w, const int32_t *clusters, nearest_record *found) {
  const int32_t c = clusters[blockIdx.x];
  const double *row = row_of(w, c);
  gg_nearest best = no_nearest();
#pragma unroll 4
  for (int64_t k = threadIdx.x; k < w.active; k += THREADS) {
    const double value = row[k];
    if (value < best.distance && w.size[k] > 0) best = {value, (int32_t)k};
  }
  best = nearest_of_block<THREADS>(best);
  if (threadIdx.x != 0) return;
  w.distance[c] = best.distance;
  w.nearest[c] = best.cluster;
  found[blockIdx.x] = {best.distance, c, best.cluster};
}

} // namespace

void list_pairs(const working_view &w, const pair_record *pairs, int64_t count,
                cudaStream_t stream) {
  take_pairs<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(w, pairs, count);
  GG_CUDA(cudaGetLastError());
}

void end_pairs(const working_view &w, int64_t count, cudaStream_t stream) {
  leave_pairs<<<blocks_for(count, THREADS), THREADS, 0, stream>>>(w, count);
  GG_CUDA(cudaGetLastError());
}

void merge_columns_in_place(const working_view &w, gpugeo_linkage linkage, const int32_t *clusters,
                            int64_t count, int64_t pairs, nearest_record *found,
                            cudaStream_t stream) {
  if (count == 0) return;
  const unsigned blocks = blocks_for(count * WARP, THREADS);
#define MERGE(constant)                                                                            \
  merge_columns<constant><<<blocks, THREADS, 0, stream>>>(w, clusters, count, pairs, found)
  GG_FOR_LINKAGE_IN_ROUNDS(linkage, MERGE)
#undef MERGE
  GG_CUDA(cudaGetLastError());
}

void search_listed_rows(const working_view &w, const int32_t *clusters, int64_t count,
                        nearest_record *found, cudaStream_t stream) {
  if (count == 0) return;
  search_listed<<<(unsigned)count, THREADS, 0, stream>>>(w, clusters, found);
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo
