/*
 * Sorted sums of signed distances, and the merging of two such sequences by tiles.
 *
 * The 2^k sums of k distances are symmetric about 0, so that only their upper half is stored. Two
 * sequences are merged along their merge path: how many of the first elements of the merged
 * sequence are from either is found by bisection, for each tile by a thread, and for the threads of
 * a tile in shared memory. Of equal elements those of x come first.
 */
#ifndef GG_CUDA_DGP_SUMS_CUH
#define GG_CUDA_DGP_SUMS_CUH

#include "cuda/common/pieces.cuh"
#include "cuda/dgp/ranges.cuh"

namespace gpugeo {

enum {
  MERGE_THREADS = 256,
  MERGE_EACH = 17, /* elements merged by a thread: odd, so that their beginnings share no bank */
  MERGE_TILE = MERGE_THREADS * MERGE_EACH,
  MERGE_SHARED = (MERGE_TILE + 2) * (int)sizeof(int64_t)
};

/* Tiles in a launch, at most. */
constexpr int64_t MERGE_TILES_MOST = 1 << 18;

/* Returns the first position, from `low` to `high`, before which all elements are less than
   value, if those before `low` are. Takes fewer steps the nearer it is to `low`. at(i) is
   element i. */
template <class At, class Index>
__device__ Index first_not_less(At at, Index low, Index high, int64_t value) {
  Index step = 1;
  while (step <= high - low && at(low + step - 1) < value) {
    low += step;
    step *= 2;
  }
  if (step <= high - low) high = low + step - 1;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (at(middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* An increasing sequence: the sums of k distances, all of them shifted. */
struct sums {
  const int64_t *upper; /* the sums from the middle on; for k = 0 the only sum, 0 */
  int64_t half;         /* 2^(k-1), 0 for k = 0 */
  int64_t shift;

  __host__ __device__ int64_t size() const { return half ? 2 * half : 1; }
  __device__ int64_t at(int64_t i) const {
    return shift + (i >= half ? upper[i - half] : -upper[half - 1 - i]);
  }
};

/* Returns how many of the first `merged` elements are of x. */
__device__ inline int64_t split_of(const sums &x, const sums &y, int64_t merged) {
  int64_t low = larger(0, merged - y.size()), high = smaller(merged, x.size());
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (x.at(middle) <= y.at(merged - 1 - middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Elements [first, end) of a merged sequence in tiles; split[t] is the part of x before tile t. */
struct merge_job {
  sums x, y;
  int64_t first, end;
  const int64_t *split; /* tiles() + 1 */

  __host__ __device__ int64_t tiles() const { return divide_up(end - first, MERGE_TILE); }
};

/* One tile in shared memory: its elements of x, the next one of x, its elements of y, and the next
   one of y; beyond the end of a sequence the next one is INT64_MAX. */
struct merge_tile {
  int64_t x0, y0;       /* the positions in x and y where it begins */
  int x_count, y_count; /* its elements of either */
  const int64_t *x, *y;
};

/* Loads elements from `first` on and the next one; all threads of the block call it. */
__device__ inline void load_part(const sums &from, int64_t first, int count, int64_t *to) {
  const int thread = (int)threadIdx.x;
  if (first >= from.half) {
    const int64_t *stored = from.upper + (first - from.half);
#pragma unroll 4
    for (int i = thread; i < count; i += MERGE_THREADS)
      to[i] = from.shift + stored[i];
  } else if (first + count <= from.half) {
    const int64_t *stored = from.upper + (from.half - 1 - first);
#pragma unroll 4
    for (int i = thread; i < count; i += MERGE_THREADS)
      to[i] = from.shift - stored[-i];
  } else {
    for (int i = thread; i < count; i += MERGE_THREADS)
      to[i] = from.at(first + i);
  }
  if (thread == 0) to[count] = first + count < from.size() ? from.at(first + count) : INT64_MAX;
}

/* Loads a tile; all threads of the block call it. `shared` has MERGE_SHARED bytes. Ends with a
   barrier. */
__device__ inline merge_tile load_tile(const merge_job &job, int64_t tile, int64_t *shared) {
  const int64_t begin = job.first + tile * MERGE_TILE;
  merge_tile at;
  at.x0 = job.split[tile];
  at.y0 = begin - at.x0;
  at.x_count = (int)(job.split[tile + 1] - at.x0);
  at.y_count = (int)smaller(MERGE_TILE, job.end - begin) - at.x_count;
  at.x = shared;
  at.y = shared + at.x_count + 1;
  load_part(job.x, at.x0, at.x_count, shared);
  load_part(job.y, at.y0, at.y_count, shared + at.x_count + 1);
  __syncthreads();
  return at;
}

/* Merges this thread's part of the tile, in a loop unrolled so often: calls visit(e, of_x, x, y, i,
   j) for each of its elements e in order, which is x, element i of the tile's x, or else y, element
   j of its y. When it is x, y is the first that is not less. */
template <int UNROLLED, class Visit>
__device__ void merge_part(const merge_tile &tile, Visit visit) {
  const int size = tile.x_count + tile.y_count;
  const int begin = (int)smaller((int)threadIdx.x * MERGE_EACH, size);
  const int count = (int)smaller(MERGE_EACH, size - begin);
  int low = (int)larger(0, begin - tile.y_count), high = (int)smaller(begin, tile.x_count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (tile.x[middle] <= tile.y[begin - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = begin - low;
  int64_t x = tile.x[i], y = tile.y[j];
#pragma unroll UNROLLED
  for (int e = 0; e < MERGE_EACH; ++e) {
    if (e < count) {
      const bool of_x = x <= y;
      visit(e, of_x, x, y, i, j);
      if (of_x)
        x = tile.x[++i];
      else
        y = tile.y[++j];
    }
  }
}

/* Fills `split` for all tiles of the job. */
void find_splits(const merge_job &job, int64_t *split, cudaStream_t stream);

/* Makes the sums of d[0], ..., d[count - 1], count at least 0: the upper half in `upper`, with
   room for larger(1, 2^(count-1)) elements, through `scratch` with half that room, at least 1.
   `split` has room for MERGE_TILES_MOST + 1 elements. */
sums make_sums(const int64_t *d, int count, int64_t *upper, int64_t *scratch, int64_t *split,
               pieces &pieces, double fraction);

} // namespace gpugeo

#endif
