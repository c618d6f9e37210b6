/*
 * Ranks of points on the device: the coordinates of each point are sorted with their positions, and
 * a rank follows from the beginning and the end of a run of equal ones.
 *
 * Limited by the device's memory: a sort reads and writes 12 bytes of a coordinate for each 6 to 8
 * bits of its key.
 */
#include "cuda/dist/point_ranks.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/transpose.cuh"

namespace gpugeo {
namespace {

enum { SQUARE = 32, ROWS = 8, MANY = 256 };

constexpr uint64_t MISSING = ~(uint64_t)0; /* the key of missing values: after all others */

/* Returns a whole number that is as much larger as x is; 0 and -0 have one key. */
__device__ __forceinline__ uint64_t key_of(double x) {
  if (isnan(x)) return MISSING;
  const uint64_t bits = (uint64_t)__double_as_longlong(x + 0.0);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Writes the keys of all points with their positions, those of a point one after the other: in
   squares of points by coordinates, so that both sides are read in rows. */
__global__ void make_keys(const double *z, int64_t ld, int64_t count, int64_t m, uint64_t *keys,
                          int32_t *positions) {
  __shared__ uint64_t square[SQUARE][SQUARE + 1];
  const int64_t point0 = (int64_t)blockIdx.x * SQUARE;
  for (int64_t k0 = (int64_t)blockIdx.y * SQUARE; k0 < m; k0 += (int64_t)gridDim.y * SQUARE) {
    for (int row = threadIdx.y; row < SQUARE; row += ROWS) {
      const int64_t i = point0 + threadIdx.x, k = k0 + row;
      if (i < count && k < m) square[row][threadIdx.x] = key_of(z[i + k * ld]);
    }
    __syncthreads();
    for (int row = threadIdx.y; row < SQUARE; row += ROWS) {
      const int64_t i = point0 + row, k = k0 + threadIdx.x;
      if (i >= count || k >= m) continue;
      keys[k + i * m] = square[threadIdx.x][row];
      positions[k + i * m] = (int32_t)k;
    }
    __syncthreads();
  }
}

/* Returns the first of the sorted keys [low, high) that is not below (or, ABOVE, that is above)
   the key; high if there is none. */
template <bool ABOVE>
__device__ __forceinline__ int64_t find_key(const uint64_t *keys, int64_t low, int64_t high,
                                            uint64_t key) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (ABOVE ? keys[middle] <= key : keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Writes the ranks of sorted keys to their positions. */
__global__ void write_ranks(const uint64_t *keys, const int32_t *positions, int64_t count,
                            int64_t m, double *ranks) {
  const int64_t e = this_item();
  if (e >= count * m) return;
  const int64_t i = e / m, t = e - i * m;
  const uint64_t *sorted = keys + i * m, key = sorted[t];
  double rank = NAN;
  if (key != MISSING) {
    const bool first = t == 0 || sorted[t - 1] != key, last = t + 1 == m || sorted[t + 1] != key;
    const int64_t begin = first ? t : find_key<false>(sorted, 0, t, key);
    const int64_t end = last ? t + 1 : find_key<true>(sorted, t + 1, m, key);
    rank = 0.5 * (double)(begin + 1 + end);
  }
  ranks[positions[e] + i * m] = rank;
}

} // namespace

void point_ranker::allocate(int64_t points, int64_t m) {
  points_ = points;
  m_ = m;
  for (device_memory &memory : key_memory_)
    memory.allocate(points * m * (int64_t)sizeof(uint64_t));
  for (device_memory &memory : position_memory_)
    memory.allocate(points * m * (int64_t)sizeof(int32_t));
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> positions;
  sort_segments(nullptr, scratch_bytes_, keys, positions, points, m, nullptr);
  scratch_.allocate(larger((int64_t)scratch_bytes_, 1));
}

void point_ranker::rank(double *z, int64_t ld, int64_t count, cudaStream_t stream) {
  double_buffer<uint64_t> keys = {
      {key_memory_[0].as<uint64_t>(), key_memory_[1].as<uint64_t>()}};
  double_buffer<int32_t> positions = {
      {position_memory_[0].as<int32_t>(), position_memory_[1].as<int32_t>()}};
  for (int64_t i = 0; i < count; i += points_) {
    const int64_t here = smaller(points_, count - i);
    const dim3 grid((unsigned)divide_up(here, SQUARE),
                    (unsigned)smaller(divide_up(m_, SQUARE), 4096));
    make_keys<<<grid, dim3(SQUARE, ROWS), 0, stream>>>(z + i, ld, here, m_, keys.current(),
                                                       positions.current());
    sort_segments(scratch_.as(), scratch_bytes_, keys, positions, here, m_, stream);
    double *ranks = reinterpret_cast<double *>(keys.alternate());
    write_ranks<<<blocks_for(here * m_, MANY), MANY, 0, stream>>>(
        keys.current(), positions.current(), here, m_, ranks);
    GG_CUDA(cudaGetLastError());
    transpose_points(ranks, here, m_, z + i, ld, stream);
  }
}

} // namespace gpugeo
