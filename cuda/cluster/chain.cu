/*
 * The chain of nearest neighbours that merges what rounds have left (chain_step.h).
 *
 * All blocks of a launch run at the same time and take its steps together. A step merges, in the
 * matrix, the two clusters on which the last step has decided, and searches the row of the chain's
 * last cluster; a thread does both in columns of its own, which stay the same. Each block posts
 * what it has found, waits for the posts of all, and decides by itself what comes next, from a copy
 * of the chain and of the sizes that it alone reads and writes.
 *
 * Of its columns a thread knows the nearest clusters, as rounds have found them, until one of the
 * two is merged. The post has that of the cluster it names: if it is the chain's last one, both are
 * merged without a search of the second row.
 *
 * Limit: the latency of memory. A step reads one row, or three, 0.3 MB of 40,000 clusters. It has
 * about ten accesses one after the other, of 0.2 us in the cache and 0.7 us in memory: 3 us
 * (predicted). Rounds leave 4 to 86 % of 2,000 to 12,000 normal points of 50 coordinates, since the
 * part of the clusters that are in pairs is next to what ends the rounds (FEW in clusters.c). A
 * search of each row would take 3.0 steps for each merge; 230 such points took 2.7 steps.
 */
#include "cuda/cluster/nearest.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/together.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 1024, WARPS = THREADS / 32 };
enum { UNKNOWN = -1 };

__device__ __forceinline__ double *row_at(const working_view &w, int32_t row) {
  return w.values + row * w.n;
}

/* --- A step in the columns of a thread -------------------------------------------------------- */

/* What a thread reads of a column, all at the same time, before it writes. */
struct column_values {
  double last, low, high; /* of the rows */
  double *row;            /* of cluster c itself */
  candidate nearest;      /* to it */
};

__device__ __forceinline__ column_values read_column(const working_view &w,
                                                     const chain_order &order, int32_t c) {
  column_values v = {};
  v.last = row_at(w, order.last_row)[c];
  if (order.pair.low == UNKNOWN) return v;
  v.low = row_at(w, order.low_row)[c];
  v.high = row_at(w, order.high_row)[c];
  v.row = row_at(w, w.row[c]);
  v.nearest = {w.distance[c], w.nearest[c]};
  return v;
}

__device__ __forceinline__ void write_nearest(const working_view &w, int32_t c,
                                              const candidate &nearest) {
  w.distance[c] = nearest.distance;
  w.nearest[c] = nearest.cluster;
}

/*
 * Keeps what is known of the nearest cluster of column c, whose distance from the union is
 * `merged`. All other distances are as before. If one of the two was nearest to c and the union is
 * as near, it is the first of the nearest, since its number is that of the lower one.
 */
__device__ __forceinline__ void renew_nearest(const working_view &w, const merge_step &pair,
                                              int32_t c, const candidate &nearest, double merged) {
  if (nearest.cluster == UNKNOWN) return;
  const bool was_merged = nearest.cluster == pair.low || nearest.cluster == pair.high;
  if (merged < nearest.distance ||
      (merged == nearest.distance && (was_merged || pair.low < nearest.cluster)))
    write_nearest(w, c, {merged, pair.low});
  else if (was_merged)
    w.nearest[c] = UNKNOWN;
}

/*
 * Merges column c of the two rows, if the step merges, and returns the candidate for the nearest
 * neighbour of the chain's last cluster that this column has.
 *
 * The distance between the last cluster and the union is found in column `last` of the union's row,
 * by the thread that has just computed it: that thread alone reads and writes the two elements of
 * the matrix with that distance.
 */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ candidate take_column(const working_view &w, const chain_order &order,
                                                 double size, int32_t c) {
  const merge_step &pair = order.pair;
  const bool merges = pair.low != UNKNOWN;
  column_values v = read_column(w, order, c);
  if (c == order.found) {
    v.nearest = order.found_nearest;
    write_nearest(w, c, v.nearest);
  }
  double merged = 0;
  if (merges && c == pair.low) {
    w.nearest[c] = UNKNOWN;
  } else if (merges) {
    merged = gg_linkage_step(LINKAGE, &order.joined, v.low, v.high, size);
    row_at(w, order.low_row)[c] = merged;
    v.row[pair.low] = merged;
    renew_nearest(w, pair, c, v.nearest, merged);
  }
  if (c == order.last)
    return merges && c != pair.low ? candidate{merged, pair.low} : no_candidate();
  if (merges && order.last == pair.low) return {merged, c};
  if (merges && c == pair.low) return no_candidate();
  return {v.last, c};
}

/* Returns the best candidate of a thread's columns. */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ candidate take_columns(const working_view &w, const chain_order &order,
                                                  const double *size) {
  candidate best = no_candidate();
  for (int64_t c = blockIdx.x * THREADS + threadIdx.x; c < w.active;
       c += (int64_t)gridDim.x * THREADS)
    if (size[c] > 0) best = nearer(best, take_column<LINKAGE>(w, order, size[c], (int32_t)c));
  return best;
}

/* --- The exchange between blocks -------------------------------------------------------------- */

/* Posts the block's candidate for a step. All that its threads have written before the last barrier
   is visible to whoever finds the post. By one thread. */
__device__ __forceinline__ void post(const working_view &w, const chain_view &view,
                                     const chain_order &order, candidate best, unsigned step) {
  /* The union's nearest cluster is not known, and its column may be another block's. */
  const bool is_own = best.cluster != INT32_MAX && best.cluster != order.pair.low;
  const int32_t nearest = is_own ? w.nearest[best.cluster] : UNKNOWN;
  const double distance = best.distance;
  const tagged_words<4> words = {{(uint32_t)__double2hiint(distance),
                                  (uint32_t)__double2loint(distance), (uint32_t)best.cluster,
                                  (uint32_t)nearest}};
  if (order.pair.low != UNKNOWN) __threadfence();
  words.set(view.posts[step % 2 * MOST_CHAIN_BLOCKS + blockIdx.x].word, step);
}

/* Returns the candidate that comes first, and what is known of its cluster. */
__device__ __forceinline__ chain_found better(const chain_found &a, const chain_found &b) {
  return nearer(a.best, b.best).cluster == a.best.cluster ? a : b;
}

/* Waits for the posts of all blocks for a step, and returns the best one. By a warp; its first lane
   gets the result. There are two sets of posts: no block posts for the step after the next one
   before all have read those for this one. */
__device__ __forceinline__ chain_found read_posts(const chain_view &view, unsigned step) {
  const chain_post *posts = view.posts + step % 2 * MOST_CHAIN_BLOCKS;
  chain_found mine = {no_candidate(), UNKNOWN};
#pragma unroll
  for (unsigned first = 0; first < MOST_CHAIN_BLOCKS; first += 32) {
    const unsigned b = first + threadIdx.x % 32;
    if (b >= gridDim.x) continue;
    const tagged_words<4> got = tagged_words<4>::wait(posts[b].word, step);
    mine = better(mine,
                  {{__hiloint2double((int)got.value[0], (int)got.value[1]), (int32_t)got.value[2]},
                   (int32_t)got.value[3]});
  }
  __threadfence(); /* what others have written before their posts is read after this */
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2)
    mine = better(mine, {{__shfl_down_sync(~0u, mine.best.distance, apart),
                          __shfl_down_sync(~0u, mine.best.cluster, apart)},
                         __shfl_down_sync(~0u, mine.nearest, apart)});
  return mine;
}

/* --- The decision ----------------------------------------------------------------------------- */

/* Has the next step merge two clusters. The first block lists the merge. */
__device__ void order_merge(const working_view &w, chain_state *state, const chain_view &view,
                            const merge_step &pair) {
  double *size = state->size;
  state->order.pair = pair;
  state->order.low_row = w.row[pair.low];
  state->order.high_row = w.row[pair.high];
  state->order.joined = {size[pair.low], size[pair.high], pair.distance};
  size[pair.low] += size[pair.high];
  size[pair.high] = 0;
  if (blockIdx.x == 0) view.merges[state->merged] = pair;
  ++state->merged;
}

/* Has the next step search the chain's last cluster. */
__device__ void search_last(const working_view &w, chain_state *state, gg_chain *chain) {
  gg_chain_begin(chain, state->size);
  state->order.last = gg_chain_last(chain);
  state->order.last_row = w.row[state->order.last];
}

/* Adds the nearest neighbour of the last cluster to the chain, and that one's own nearest neighbour
   if it is known; or removes two clusters and has them merged. By one thread. */
__device__ void decide(const working_view &w, chain_state *state, const chain_view &view,
                       const chain_found &found) {
  gg_chain chain = state->chain;
  merge_step pair = {UNKNOWN, UNKNOWN, found.best.distance};
  state->order.found = gg_chain_last(&chain);
  state->order.found_nearest = found.best;
  const int64_t length = chain.length;
  int merges = gg_chain_extend(&chain, found.best.cluster, &pair.low, &pair.high);
  if (chain.length > length && found.nearest != UNKNOWN)
    merges = gg_chain_extend(&chain, found.nearest, &pair.low, &pair.high);
  state->order.pair.low = UNKNOWN;
  if (merges) order_merge(w, state, view, pair);
  if (chain.alive > 1) search_last(w, state, &chain);
  state->chain = chain;
}

/* --- Launches --------------------------------------------------------------------------------- */

template <gpugeo_linkage LINKAGE>
__global__ void __launch_bounds__(THREADS)
    extend(const working_view w, const chain_view view, int steps) {
  __shared__ chain_state state;
  __shared__ double distance[WARPS];
  __shared__ int32_t cluster[WARPS];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  if (threadIdx.x == 0) state = view.states[blockIdx.x];
  __syncthreads();
  for (int nth = 0; nth < steps && state.chain.alive > 1; ++nth) {
    const candidate mine = nearest_of_warp(take_columns<LINKAGE>(w, state.order, state.size));
    if (lane == 0) {
      distance[warp] = mine.distance;
      cluster[warp] = mine.cluster;
    }
    __syncthreads();
    if (warp == 0) {
      const candidate best =
          nearest_of_warp(lane < WARPS ? candidate{distance[lane], cluster[lane]} : no_candidate());
      const unsigned step = state.steps + 1;
      if (lane == 0) post(w, view, state.order, best, step);
      __syncwarp();
      const chain_found found = read_posts(view, step);
      if (lane == 0) {
        state.steps = step;
        decide(w, &state, view, found);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) view.states[blockIdx.x] = state;
}

/* Begins the chain of each block: copies the sizes, and takes the first cluster. */
__global__ void __launch_bounds__(THREADS) begin(const working_view w, const chain_view view) {
  const int64_t n = w.active;
  int32_t *clusters = view.whole + blockIdx.x * 2 * n, *offset = clusters + n;
  double *size = view.sizes + blockIdx.x * n;
  for (int64_t c = threadIdx.x; c < n; c += THREADS) {
    offset[c] = 0;
    size[c] = w.size[c];
  }
  __syncthreads();
  if (threadIdx.x > 0) return;
  chain_state state = {};
  state.chain = {clusters, offset, 0, n, 0};
  state.size = size;
  state.order.pair.low = state.order.found = UNKNOWN;
  search_last(w, &state, &state.chain);
  view.states[blockIdx.x] = state;
  for (unsigned set = 0; set < 2; ++set)
    for (unsigned long long &word : view.posts[set * MOST_CHAIN_BLOCKS + blockIdx.x].word)
      word = 0; /* no step has this number */
}

} // namespace

unsigned chain_blocks(int64_t active) {
  const int64_t most = smaller(most_blocks_together(), (int64_t)MOST_CHAIN_BLOCKS);
  return (unsigned)smaller(divide_up(active, THREADS), most);
}

void begin_chain(const working_view &w, const chain_view &view, cudaStream_t stream) {
  begin<<<view.blocks, THREADS, 0, stream>>>(w, view);
  GG_CUDA(cudaGetLastError());
}

void extend_chain(const working_view &w, const chain_view &view, gpugeo_linkage linkage, int steps,
                  cudaStream_t stream) {
#define EXTEND(constant)                                                                           \
  launch_together(extend<constant>, view.blocks, THREADS, stream, w, view, steps)
  GG_FOR_LINKAGE_IN_ROUNDS(linkage, EXTEND)
#undef EXTEND
}

} // namespace gpugeo
