/*
 * Making the sorted sums of distances: from those of k distances, in L, those of k + 1 by merging
 * (L - d) with (L + d), without sorting.
 *
 * Limited by device memory, 8 bytes read and 8 written for each stored element, and as much again
 * for all the shorter sequences together; 65 percent of an H200's bandwidth.
 */
#include "cuda/common/launch.cuh"
#include "cuda/dgp/sums.cuh"

namespace gpugeo {
namespace {

constexpr int SPLIT_THREADS = 128;

__global__ void __launch_bounds__(SPLIT_THREADS)
    fill_splits(const merge_job job, int64_t count, int64_t *split) {
  const int64_t t = this_item();
  if (t < count) split[t] = split_of(job.x, job.y, smaller(job.first + t * MERGE_TILE, job.end));
}

/* Writes the merged elements, from job.first on, to `out`. */
__global__ void __launch_bounds__(MERGE_THREADS) merge(const merge_job job, int64_t *out) {
  extern __shared__ int64_t shared[];
  const merge_tile tile = load_tile(job, blockIdx.x, shared);
  int64_t merged[MERGE_EACH];
  merge_part<MERGE_EACH>(
      tile, [&](int e, bool of_x, int64_t x, int64_t y, int, int) { merged[e] = of_x ? x : y; });
  __syncthreads(); /* all have read the tile */
#pragma unroll
  for (int e = 0; e < MERGE_EACH; ++e)
    shared[threadIdx.x * MERGE_EACH + e] = merged[e];
  __syncthreads();
  int64_t *to = out + (int64_t)blockIdx.x * MERGE_TILE;
  for (int i = threadIdx.x; i < tile.x_count + tile.y_count; i += MERGE_THREADS)
    to[i] = shared[i];
}

__global__ void put_sum(int64_t *to, int64_t value) { *to = value; }

} // namespace

void find_splits(const merge_job &job, int64_t *split, cudaStream_t stream) {
  const int64_t count = job.tiles() + 1;
  fill_splits<<<blocks_for(count, SPLIT_THREADS), SPLIT_THREADS, 0, stream>>>(job, count, split);
  GG_CUDA(cudaGetLastError());
}

sums make_sums(const int64_t *d, int count, int64_t *upper, int64_t *scratch, int64_t *split,
               pieces &pieces, double fraction) {
  /* The buffers alternate, and the last sums are in `upper`. */
  int64_t *to = count % 2 || count == 0 ? upper : scratch, *other = to == upper ? scratch : upper;
  pieces.begin(fraction);
  put_sum<<<1, 1, 0, pieces.stream()>>>(to, count ? d[0] : 0);
  pieces.end();
  sums all = {to, count ? 1 : 0, 0};
  for (int k = 1; k < count; ++k) {
    sums less = all, more = all;
    less.shift = -d[k];
    more.shift = d[k];
    const int64_t size = all.size();
    for (int64_t from = 0; from < size; from += MERGE_TILES_MOST * MERGE_TILE) {
      const int64_t end = smaller(size, from + MERGE_TILES_MOST * MERGE_TILE);
      const merge_job job = {less, more, size + from, size + end, split};
      pieces.begin(fraction);
      find_splits(job, split, pieces.stream());
      merge<<<(unsigned)job.tiles(), MERGE_THREADS, MERGE_SHARED, pieces.stream()>>>(job,
                                                                                     other + from);
      pieces.end();
    }
    all = {other, size, 0};
    other = to;
    to = const_cast<int64_t *>(all.upper);
  }
  return all;
}

} // namespace gpugeo
