/*
 * Ranks of points on the device: the coordinates of each point are sorted with their positions, and
 * a rank follows from the beginning and the end of a run of equal ones. So do the codes of columns
 * for Kendall's correlations, and the ranks of distances.
 *
 * Limited by the device's memory: a sort reads and writes 12 bytes of a coordinate for each 6 to 8
 * bits of its key.
 */
#include "cuda/distance/point_ranks.cuh"

#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/transpose.cuh"
#include "distance/kendall.h"

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

/* Does the same for n values, which may be where their keys go. */
template <class T>
__global__ void make_value_keys(const T *values, int64_t n, uint64_t *keys, int32_t *positions) {
  const int64_t k = this_item();
  if (k >= n) return;
  keys[k] = key_of((double)values[k]);
  positions[k] = (int32_t)k;
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

/* The keys that are equal to one, among the sorted keys of a point; none for a missing value. */
struct key_run {
  int64_t begin, end;
};

__device__ __forceinline__ key_run run_of(const uint64_t *sorted, int64_t t, int64_t m) {
  const uint64_t key = sorted[t];
  if (key == MISSING) return {0, 0};
  const bool first = t == 0 || sorted[t - 1] != key, last = t + 1 == m || sorted[t + 1] != key;
  return {first ? t : find_key<false>(sorted, 0, t, key),
          last ? t + 1 : find_key<true>(sorted, t + 1, m, key)};
}

/* Writes the ranks of sorted keys to their positions. */
__global__ void write_ranks(const uint64_t *keys, const int32_t *positions, int64_t count,
                            int64_t m, double *ranks) {
  const int64_t e = this_item();
  if (e >= count * m) return;
  const int64_t i = e / m;
  const key_run run = run_of(keys + i * m, e - i * m, m);
  ranks[positions[e] + i * m] = run.end > 0 ? 0.5 * (double)(run.begin + 1 + run.end) : NAN;
}

/* Writes the codes, and counts the coordinates that are there, and twice their tied pairs. */
__global__ void write_codes(const uint64_t *keys, const int32_t *positions, int64_t count,
                            int64_t m, const point_codes to) {
  const int64_t e = this_item();
  if (e >= count * m) return;
  const int64_t i = e / m;
  const key_run run = run_of(keys + i * m, e - i * m, m);
  const bool there = run.end > 0;
  to.code[positions[e] + i * m] = there ? (int32_t)(run.begin + run.end) : GG_KENDALL_MISSING;
  if (there) atomicAdd(to.present + i, 1ull);
  if (run.end - run.begin > 1)
    atomicAdd(to.untied + i, (unsigned long long)(run.end - run.begin - 1));
}

/* Writes the orders. */
__global__ void write_orders(const uint64_t *keys, const int32_t *positions, int64_t count,
                             int64_t m, const point_orders to) {
  const int64_t e = this_item();
  if (e >= count * m) return;
  const int64_t i = e / m, at = positions[e] + i * m;
  const key_run run = run_of(keys + i * m, e - i * m, m);
  to.order[e] = positions[e];
  to.first[at] = run.end > 0 ? (int32_t)run.begin : -1;
  to.last[at] = run.end > 0 ? (int32_t)run.end : -1;
}

/* Replaces twice the tied pairs by the untied ones. */
__global__ void count_untied(int64_t count, int64_t m, const point_codes to) {
  const int64_t i = this_item();
  if (i >= count) return;
  const unsigned long long present = to.present[i], tied = to.untied[i] / 2;
  to.untied[i] = present * (present - 1) / 2 - tied;
  const int kinds =
      (present < (unsigned long long)m ? POINTS_HAVE_GAPS : 0) | (tied > 0 ? POINTS_HAVE_TIES : 0);
  if (kinds) atomicOr(to.kinds, kinds);
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

void point_ranker::sort(const double *z, int64_t ld, int64_t count, double_buffer<uint64_t> &keys,
                        double_buffer<int32_t> &positions, cudaStream_t stream) {
  keys = {{key_memory_[0].as<uint64_t>(), key_memory_[1].as<uint64_t>()}};
  positions = {{position_memory_[0].as<int32_t>(), position_memory_[1].as<int32_t>()}};
  const dim3 grid((unsigned)divide_up(count, SQUARE),
                  (unsigned)smaller(divide_up(m_, SQUARE), 4096));
  make_keys<<<grid, dim3(SQUARE, ROWS), 0, stream>>>(z, ld, count, m_, keys.current(),
                                                     positions.current());
  GG_CUDA(cudaGetLastError());
  sort_segments(scratch_.as(), scratch_bytes_, keys, positions, count, m_, stream);
}

void point_ranker::rank(double *z, int64_t ld, int64_t count, cudaStream_t stream) {
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> positions;
  for (int64_t i = 0; i < count; i += points_) {
    const int64_t here = smaller(points_, count - i);
    sort(z + i, ld, here, keys, positions, stream);
    double *ranks = reinterpret_cast<double *>(keys.alternate());
    write_ranks<<<blocks_for(here * m_, MANY), MANY, 0, stream>>>(
        keys.current(), positions.current(), here, m_, ranks);
    GG_CUDA(cudaGetLastError());
    transpose_points(ranks, here, m_, z + i, ld, stream);
  }
}

void point_ranker::code(const double *z, int64_t ld, int64_t count, const point_codes &to,
                        cudaStream_t stream) {
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> positions;
  GG_CUDA(cudaMemsetAsync(to.present, 0, (size_t)count * sizeof *to.present, stream));
  GG_CUDA(cudaMemsetAsync(to.untied, 0, (size_t)count * sizeof *to.untied, stream));
  for (int64_t i = 0; i < count; i += points_) {
    const int64_t here = smaller(points_, count - i);
    const point_codes part = {to.code + i * m_, to.present + i, to.untied + i, to.kinds};
    sort(z + i, ld, here, keys, positions, stream);
    write_codes<<<blocks_for(here * m_, MANY), MANY, 0, stream>>>(
        keys.current(), positions.current(), here, m_, part);
    count_untied<<<blocks_for(here, MANY), MANY, 0, stream>>>(here, m_, part);
    GG_CUDA(cudaGetLastError());
  }
}

void point_ranker::order(const double *z, int64_t ld, int64_t count, const point_orders &to,
                         cudaStream_t stream) {
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> positions;
  for (int64_t i = 0; i < count; i += points_) {
    const int64_t here = smaller(points_, count - i), at = i * m_;
    const point_orders part = {to.order + at, to.first + at, to.last + at};
    sort(z + i, ld, here, keys, positions, stream);
    write_orders<<<blocks_for(here * m_, MANY), MANY, 0, stream>>>(
        keys.current(), positions.current(), here, m_, part);
    GG_CUDA(cudaGetLastError());
  }
}

value_ranker::value_ranker(int64_t n) : n_(n) {
  for (device_memory &memory : key_memory_)
    memory.allocate(n * (int64_t)sizeof(uint64_t));
  for (device_memory &memory : position_memory_)
    memory.allocate(n * (int64_t)sizeof(int32_t));
  double_buffer<uint64_t> keys;
  double_buffer<int32_t> positions;
  sort_pairs(nullptr, scratch_bytes_, keys, positions, n, 64, nullptr);
  scratch_.allocate(larger((int64_t)scratch_bytes_, 1));
}

template <class T>
void value_ranker::rank(const T *values, device_memory &to, cudaStream_t stream) {
  uint64_t *const first = key_memory_[0].as<uint64_t>();
  double_buffer<uint64_t> keys = {{first, key_memory_[1].as<uint64_t>()}};
  double_buffer<int32_t> positions = {
      {position_memory_[0].as<int32_t>(), position_memory_[1].as<int32_t>()}};
  make_value_keys<<<blocks_for(n_, MANY), MANY, 0, stream>>>(values, n_, keys.current(),
                                                             positions.current());
  GG_CUDA(cudaGetLastError());
  sort_pairs(scratch_.as(), scratch_bytes_, keys, positions, n_, 64, stream);
  double *ranks = reinterpret_cast<double *>(keys.alternate());
  write_ranks<<<blocks_for(n_, MANY), MANY, 0, stream>>>(keys.current(), positions.current(), 1, n_,
                                                         ranks);
  GG_CUDA(cudaGetLastError());
  to.take(key_memory_[keys.alternate() == first ? 0 : 1]);
}
template void value_ranker::rank<double>(const double *, device_memory &, cudaStream_t);
template void value_ranker::rank<float>(const float *, device_memory &, cudaStream_t);

} // namespace gpugeo
