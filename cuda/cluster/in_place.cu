/*
 * Rounds that merge few pairs of clusters, and write only their rows and columns. Rows are searched
 * again if their nearest cluster was merged. The rules are those of round_step.h.
 *
 * A round is four launches, without a message to the host: what a launch leaves to do is in
 * round_state. The last block of a launch to end does what needs all others. When the next round
 * is to rewrite the matrix, launches that are enqueued do nothing.
 *
 * Limit: the time of launches for a few pairs, device memory for many. Of A clusters a pair reads
 * three rows and writes one and a column, of which each element takes 32 bytes, read and written:
 * 96 A bytes; a search reads 8 A.
 */
#include "cuda/cluster/merged_element.cuh"
#include "cuda/cluster/nearest.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {
namespace {

enum {
  THREADS = 256,
  FIND_THREADS = 1024,
  EACH = 8,               /* elements of a row for each thread */
  CHUNK = THREADS * EACH, /* elements of a row for each block */
  GROUPS = THREADS / 32,  /* of pairs, whose columns a block copies at the same time */
  FLIGHT = 4              /* elements that a thread reads at the same time */
};

/* --- Pairs ------------------------------------------------------------------------------------ */

/* Lists a pair, as gg_clusters does. */
__device__ __forceinline__ void list_pair(const working_view &w, int32_t pair, int32_t low,
                                          merge_step *merge) {
  const int32_t high = w.nearest[low];
  w.low[pair] = low;
  w.high[pair] = high;
  w.ni[pair] = w.size[low];
  w.nj[pair] = w.size[high];
  w.pair_size[pair] = w.size[low] + w.size[high];
  w.dij[pair] = w.distance[low];
  w.pair_of[low] = pair;
  w.pair_of[high] = REMOVED;
  *merge = {low, high, w.distance[low]};
}

/* Returns the cluster to be searched if not all are, to thread 0. */
__device__ int32_t find_wanted(const working_view &w, const round_view &view) {
  gg_nearest mine = no_nearest();
  for (unsigned b = threadIdx.x; b < gridDim.x; b += FIND_THREADS)
    mine = nearer(mine, read_found(&view.found[b]));
  mine = nearest_of_block<FIND_THREADS>(mine);
  return threadIdx.x == 0 && mine.cluster != INT32_MAX ? w.nearest[mine.cluster] : GG_UNKNOWN;
}

/* Lists the pairs in the order of their first clusters, or ends rounds in place. By one block. */
__device__ void list_pairs(const working_view &w, const round_view &view) {
  __shared__ int32_t pairs;
  round_state *state = view.state;
  const int64_t words = (w.active + 31) / 32, each = (words + FIND_THREADS - 1) / FIND_THREADS;
  const int32_t first = (int32_t)smaller(threadIdx.x * each, words);
  const int32_t last = (int32_t)smaller(first + each, words);
  int32_t count = 0;
  for (int32_t k = first; k < last; ++k)
    count += __popc(__ldcg(&view.firsts[k]));
  int32_t at = block_sum_before<FIND_THREADS>(count);
  if (threadIdx.x == FIND_THREADS - 1) pairs = at + count;
  const int32_t wanted = find_wanted(w, view);
  const int64_t alive = state->alive, merged = state->merged;
  __syncthreads();
  const bool rewrites = gg_round_rewrites(w.active, alive, pairs);
  if (threadIdx.x == 0) {
    state->done = rewrites;
    state->pairs = pairs;
    state->wanted = wanted;
    state->lost = 0;
    state->alive = rewrites ? alive : alive - pairs;
    state->merged = rewrites ? merged : merged + pairs;
  }
  for (int32_t k = first; !rewrites && k < last; ++k)
    for (uint32_t bits = __ldcg(&view.firsts[k]); bits; bits &= bits - 1, ++at)
      list_pair(w, at, 32 * k + __ffs((int)bits) - 1, &view.merges[merged + at]);
}

/* Finds the pairs of clusters that are nearest to each other. */
__global__ void __launch_bounds__(FIND_THREADS)
    find_pairs(const working_view w, const round_view view) {
  if (view.state->done) return;
  const int64_t c = this_item();
  gg_nearest wanted = no_nearest();
  bool is_first = false;
  if (c < w.active) {
    const int32_t other = w.nearest[c];
    const int32_t back = other == GG_UNKNOWN ? (int32_t)c : w.nearest[other];
    is_first = other > c && back == c;
    if (back == GG_UNKNOWN) wanted = {w.distance[c], (int32_t)c};
  }
  const uint32_t bits = __ballot_sync(~0u, is_first);
  if (threadIdx.x % 32 == 0 && c < w.active) view.firsts[c / 32] = bits;
  wanted = nearest_of_block<FIND_THREADS>(wanted);
  if (threadIdx.x == 0) view.found[blockIdx.x] = wanted;
  if (is_last_block(&view.state->blocks, gridDim.x)) list_pairs(w, view);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Returns the number of chunks of a row. */
__host__ __device__ __forceinline__ int64_t chunks_of(const working_view &w) {
  return (w.active + CHUNK - 1) / CHUNK;
}

/* Replaces a chunk of the row of a pair's first cluster. An element is read only by the thread that
   writes it, and those of second clusters are written by none. */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ void merge_chunk(const working_view &w, const row_pair &rows,
                                            int64_t chunk) {
  const int32_t own = w.low[rows.pair];
  const int64_t first = chunk * CHUNK + threadIdx.x;
  double *out = row_of(w, own), value[EACH];
  bool is_written[EACH];
#pragma unroll
  for (int e = 0; e < EACH; ++e) {
    const int64_t c = first + e * THREADS;
    is_written[e] = c < w.active && w.size[c] > 0 && w.pair_of[c] != REMOVED;
    value[e] = INFINITY;
    if (is_written[e] && c != own) value[e] = merged_element<LINKAGE>(w, rows, (int32_t)c);
  }
#pragma unroll
  for (int e = 0; e < EACH; ++e)
    if (is_written[e]) out[first + e * THREADS] = value[e];
}

/* Replaces the rows of first clusters. */
template <gpugeo_linkage LINKAGE>
__global__ void __launch_bounds__(THREADS)
    merge_rows_in_place(const working_view w, const round_view view) {
  if (view.state->done) return;
  const int64_t chunks = chunks_of(w), items = view.state->pairs * chunks;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x)
    merge_chunk<LINKAGE>(w, rows_of_pair(w, (int32_t)(item / chunks)), item % chunks);
}

/* Does so for the rows of tasks, by a block for each chunk. */
template <gpugeo_linkage LINKAGE>
__global__ void __launch_bounds__(THREADS)
    merge_tasks_in_place(const working_view w, const row_task *tasks) {
  const int64_t chunks = chunks_of(w);
  const row_task task = tasks[blockIdx.x / chunks];
  merge_chunk<LINKAGE>(w, rows_of_task(w, w.low[task.number], task.other), blockIdx.x % chunks);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* Copies elements of merged rows to the columns of row c, those of every GROUPS-th pair from the
   first on, and compares them with the nearest cluster. */
__device__ __forceinline__ void copy_columns(const working_view &w, int32_t c, int32_t first,
                                             int32_t pairs, gg_nearest *best) {
  double *row = row_of(w, c);
  for (int32_t k = first; k < pairs; k += FLIGHT * GROUPS) {
    int32_t low[FLIGHT];
    double value[FLIGHT];
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f) {
      const int32_t pair = k + f * GROUPS;
      low[f] = pair < pairs ? w.low[pair] : GG_UNKNOWN;
      if (pair < pairs) value[f] = row_of(w, low[f])[c];
    }
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f) {
      if (low[f] == GG_UNKNOWN) continue;
      row[low[f]] = value[f];
      gg_nearest_take(best, value[f], low[f]);
    }
  }
}

/* Adds the clusters of a warp's lanes to the list of lost ones. */
__device__ __forceinline__ void list_lost(const round_view &view, int32_t c, bool is_lost) {
  const uint32_t all = __ballot_sync(~0u, is_lost), lane = threadIdx.x % 32;
  int32_t base = 0;
  if (lane == 0 && all) base = atomicAdd(&view.state->lost, __popc(all));
  base = __shfl_sync(~0u, base, 0);
  if (is_lost) view.lost[base + __popc(all & ((1u << lane) - 1))] = c;
}

/* Merges the clusters of pairs in the lists, and decides which rows are searched. By one block. */
__device__ void end_round(const working_view &w, const round_view &view) {
  round_state *state = view.state;
  const int32_t pairs = state->pairs;
  for (int32_t k = (int32_t)threadIdx.x; k < pairs; k += THREADS) {
    const int32_t low = w.low[k], high = w.high[k];
    w.size[low] = w.pair_size[k];
    w.size[high] = 0;
    w.nearest[low] = w.nearest[high] = GG_UNKNOWN;
    w.pair_of[low] = w.pair_of[high] = NO_PAIR;
  }
  if (threadIdx.x > 0) return;
  const int32_t lost = __ldcg(&state->lost);
  const bool all = gg_round_searches_all(pairs, lost, &state->credit);
  if (!all && state->wanted != GG_UNKNOWN) view.lost[0] = state->wanted;
  state->searches = pairs + (all ? lost : state->wanted != GG_UNKNOWN);
  const int64_t most = (w.active + CHUNK - 1) / CHUNK;
  const int64_t spare = ROUND_BLOCKS / larger(state->searches, 1);
  state->parts = (int32_t)larger(smaller(spare, most), 1);
}

/* Copies the columns of pairs to all other rows, a lane for each row, and finds which of these have
   lost their nearest cluster. */
__global__ void __launch_bounds__(THREADS)
    take_columns(const working_view w, const round_view view) {
  __shared__ gg_nearest of_group[GROUPS][32];
  if (view.state->done) return;
  const int lane = (int)threadIdx.x % 32, group = (int)threadIdx.x / 32;
  for (int64_t first = 32 * (int64_t)blockIdx.x; first < w.active; first += 32 * gridDim.x) {
    const int32_t c = (int32_t)first + lane;
    const bool is_open = c < w.active && w.size[c] > 0 && w.pair_of[c] == NO_PAIR;
    const int32_t nearest = is_open ? w.nearest[c] : GG_UNKNOWN;
    const bool is_known = nearest != GG_UNKNOWN;
    bool is_lost = is_known && w.pair_of[nearest] != NO_PAIR;
    const gg_nearest before =
        is_known ? gg_nearest_begin(w.distance[c], nearest, is_lost) : gg_nearest{-INFINITY, 0};
    gg_nearest best = before;
    if (is_open) copy_columns(w, c, group, view.state->pairs, &best);
    of_group[group][lane] = best;
    __syncthreads();
    if (group == 0) {
#pragma unroll
      for (int g = 1; g < GROUPS; ++g)
        best = nearer(best, of_group[g][lane]);
      const bool is_taken = best.distance != before.distance || best.cluster != before.cluster;
      is_lost = is_open && !is_taken && (is_lost || !is_known);
      if (is_taken) w.distance[c] = best.distance;
      if (is_taken || is_lost) w.nearest[c] = is_taken ? best.cluster : GG_UNKNOWN;
      list_lost(view, c, is_lost);
    }
    __syncthreads();
  }
  if (is_last_block(&view.state->blocks, gridDim.x)) end_round(w, view);
}

/* --- Searches --------------------------------------------------------------------------------- */

/* Returns the nearest cluster of one among the columns [first, last) to thread 0. */
__device__ __forceinline__ gg_nearest search_columns(const working_view &w, const double *row,
                                                     int64_t first, int64_t last) {
  gg_nearest best = no_nearest();
#pragma unroll 4
  for (int64_t c = first + threadIdx.x; c < last; c += THREADS) {
    const double value = row[c];
    if (value < best.distance && w.size[c] > 0) best = {value, (int32_t)c};
  }
  return nearest_of_block<THREADS>(best);
}

/* Searches the listed rows, each in parts, of which the last block to end takes the nearest. */
__global__ void __launch_bounds__(THREADS)
    search_rows(const working_view w, const round_view view) {
  const round_state *state = view.state;
  if (state->done) return;
  const int64_t parts = state->parts, items = state->searches * parts;
  const int64_t size = (w.active + parts - 1) / parts;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t row = item / parts, first = item % parts * size;
    const int32_t c = row < state->pairs ? w.low[row] : view.lost[row - state->pairs];
    gg_nearest best = search_columns(w, row_of(w, c), first, smaller(first + size, w.active));
    if (parts > 1) {
      if (threadIdx.x == 0) view.found[item] = best;
      if (!is_last_block(&view.ended[row], (unsigned)parts)) continue;
      best = no_nearest();
      for (int64_t p = threadIdx.x; p < parts; p += THREADS)
        best = nearer(best, read_found(&view.found[row * parts + p]));
      best = nearest_of_block<THREADS>(best);
    }
    if (threadIdx.x > 0) continue;
    w.distance[c] = best.distance;
    w.nearest[c] = best.cluster;
  }
}

} // namespace

void merge_in_place(const working_view &w, const round_view &view, gpugeo_linkage linkage,
                    int rounds, cudaStream_t stream) {
  const unsigned find_blocks = blocks_for(w.active, FIND_THREADS);
  const unsigned take_blocks = (unsigned)smaller(blocks_for(w.active, 32), ROUND_BLOCKS);
  for (int r = 0; r < rounds; ++r) {
    find_pairs<<<find_blocks, FIND_THREADS, 0, stream>>>(w, view);
#define MERGE(constant) merge_rows_in_place<constant><<<ROUND_BLOCKS, THREADS, 0, stream>>>(w, view)
    GG_FOR_LINKAGE_IN_ROUNDS(linkage, MERGE)
#undef MERGE
    take_columns<<<take_blocks, THREADS, 0, stream>>>(w, view);
    search_rows<<<ROUND_BLOCKS, THREADS, 0, stream>>>(w, view);
    GG_CUDA(cudaGetLastError());
  }
}

void merge_listed_in_place(const working_view &w, gpugeo_linkage linkage, const row_task *tasks,
                           int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  const unsigned blocks = (unsigned)(count * chunks_of(w));
#define MERGE(constant) merge_tasks_in_place<constant><<<blocks, THREADS, 0, stream>>>(w, tasks)
  GG_FOR_LINKAGE_IN_ROUNDS(linkage, MERGE)
#undef MERGE
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo
