/*
 * The chain of nearest neighbours that merges what rounds have left (chain_step.h).
 *
 * A launch is one step: all blocks merge, in the matrix, the two clusters on which the last step
 * has decided, and search the row of the chain's last cluster, each a part of the columns; the
 * block that ends last joins what all have found, and decides. Nothing but the order of launches
 * orders the steps, and no block waits for another one.
 *
 * Limit: the time of a launch, 5 us (predicted): a step reads one row, or three, 0.3 MB of 40,000
 * clusters. There are up to three steps for each of the merges that are left. Of 2,000 normal
 * points of 50 coordinates rounds leave 20 % by average linkage, 7 % by ward.D2 and one cluster by
 * complete linkage; 20 % of 130,000 clusters take 0.4 s.
 */
#include "cuda/cluster/nearest.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 256 };

__device__ __forceinline__ double *row_of(const working_view &w, int32_t cluster) {
  return w.values + (int64_t)w.row[cluster] * w.n;
}

/* What a step works on, as the last one has left it. */
struct step {
  int32_t last; /* of the chain */
  bool merges;
  merge_step pair;
  gg_joined joined;
};

/*
 * Merges column c of the two rows, if the step merges, and returns the candidate for the nearest
 * neighbour of the chain's last cluster that this column has.
 *
 * The distance between the last cluster and the union is found in column `last` of the union's row,
 * by the thread that has just computed it: that thread alone reads and writes the two elements of
 * the matrix with that distance.
 */
template <gpugeo_linkage LINKAGE>
__device__ __forceinline__ candidate take_column(const working_view &w, const step &s, int32_t c) {
  const int32_t low = s.pair.low;
  double merged = 0;
  if (s.merges && c != low) {
    double *row = row_of(w, low) + c;
    merged = gg_linkage_step(LINKAGE, &s.joined, *row, row_of(w, s.pair.high)[c], w.size[c]);
    *row = merged;
    row_of(w, c)[low] = merged;
  }
  if (c == s.last) return s.merges && s.last != low ? candidate{merged, low} : no_candidate();
  if (s.merges && s.last == low) return {merged, c};
  if (s.merges && c == low) return no_candidate();
  return {row_of(w, s.last)[c], c};
}

/* Adds the nearest neighbour of the last cluster to the chain, or removes the two and makes them
   one, whose distances the next step computes. By one thread. */
__device__ void decide(const working_view &w, chain_state *state, int32_t nearest,
                       double distance) {
  gg_chain chain = state->chain;
  merge_step pair = {0, 0, distance};
  state->waiting = gg_chain_extend(&chain, nearest, &pair.low, &pair.high);
  if (state->waiting) {
    state->pair = state->merges[state->merged++] = pair;
    state->joined = {w.size[pair.low], w.size[pair.high], distance};
    w.size[pair.low] += w.size[pair.high];
    w.size[pair.high] = 0;
  }
  if (chain.alive > 1) gg_chain_begin(&chain, w.size);
  state->chain = chain;
  state->blocks_done = 0;
}

/* True to all threads of the block that is the last one to have written its candidate. */
__device__ __forceinline__ bool is_last_block(chain_state *state, candidate mine) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    state->found[blockIdx.x] = mine;
    __threadfence();
    last = atomicAdd(&state->blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  return last;
}

template <gpugeo_linkage LINKAGE>
__global__ void __launch_bounds__(THREADS) extend(const working_view w, chain_state *state) {
  if (state->chain.alive == 1) return;
  const step s = {gg_chain_last(&state->chain), state->waiting != 0, state->pair, state->joined};
  candidate best = no_candidate();
  for (int64_t c = blockIdx.x * THREADS + threadIdx.x; c < w.active;
       c += (int64_t)gridDim.x * THREADS)
    if (w.size[c] > 0) best = nearer(best, take_column<LINKAGE>(w, s, (int32_t)c));
  best = nearest_of_block<THREADS>(best);
  if (!is_last_block(state, best)) return;
  __threadfence(); /* reads of other blocks' candidates come after those of their number */
  best = no_candidate();
  for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS)
    best = nearer(best, {__ldcg(&state->found[b].distance), __ldcg(&state->found[b].cluster)});
  best = nearest_of_block<THREADS>(best);
  if (threadIdx.x == 0) decide(w, state, best.cluster, best.distance);
}

__global__ void begin(const working_view w, chain_state *state) {
  gg_chain chain = state->chain;
  gg_chain_begin(&chain, w.size);
  state->chain = chain;
}

} // namespace

void begin_chain(const working_view &w, chain_state *state, cudaStream_t stream) {
  begin<<<1, 1, 0, stream>>>(w, state);
  GG_CUDA(cudaGetLastError());
}

void extend_chain(const working_view &w, chain_state *state, gpugeo_linkage linkage, int steps,
                  cudaStream_t stream) {
  const unsigned blocks = (unsigned)smaller(divide_up(w.active, THREADS), MOST_CHAIN_BLOCKS);
#define EXTEND(constant) extend<constant><<<blocks, THREADS, 0, stream>>>(w, state)
  for (int nth = 0; nth < steps; ++nth)
    GG_FOR_LINKAGE_IN_ROUNDS(linkage, EXTEND)
#undef EXTEND
  GG_CUDA(cudaGetLastError());
}

} // namespace gpugeo
