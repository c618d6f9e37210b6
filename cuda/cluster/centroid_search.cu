/*
 * Searches of the nearest clusters by Ward's distance among centroids. Centroids are moved to the
 * centre, scaled and rounded to half precision, or for more digits to two halves for each
 * coordinate. Tiles of products on the tensor cores rule out pairs by a bound of their distance for
 * any rounding errors; all other pairs wait in a list, and are computed by the steps of
 * centroid_step.h.
 *
 * Limited by the tensor cores and by the comparison, five instructions for each pair.
 */
#include "cluster/centroid_step.h"
#include "cuda/cluster/centroid_search.cuh"
#include "cuda/cluster/nearest.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/distance/half_tiles.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = HALF_THREADS;
constexpr int TILE = HALF_TILE;
static_assert(TILE == CENTROID_TILE, "a tile of products");
constexpr int FIRSTS = 8;         /* clusters that are tried before a search */
constexpr int PAIR_BLOCKS = 2048; /* that compute the listed pairs */
constexpr int TILES_EACH = 32;    /* of columns for a block of threads at most, */
constexpr int64_t BLOCKS = 4096;  /* so that there are about so many blocks */

/* Returns the centroid of a cluster, in two parts, with strides of v.ld. */
__device__ __forceinline__ gg_centroid centroid_at(const centroid_view &v, int64_t c) {
  return {v.set.high + c, v.set.low + c, v.ld};
}

/* Returns Ward's distance of two clusters, at least the level of each. */
__device__ __forceinline__ double distance_between(const centroid_view &v, int32_t a, int32_t b) {
  return gg_ward_distance(gg_centroid_distance(centroid_at(v, a), centroid_at(v, b), v.m),
                          gg_ward_factor(v.set.size[a], v.set.size[b]),
                          gg_greater(v.set.level[a], v.set.level[b]));
}

/* --- The centre ------------------------------------------------------------------------------- */

/* Returns the result of join() over the values of a block's threads to all of them. */
template <class Join> __device__ double join_block(double value, Join join) {
  __shared__ double part[THREADS];
  __syncthreads(); /* all have read what the last call left */
  part[threadIdx.x] = value;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if ((int)threadIdx.x < step)
      part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + step]);
    __syncthreads();
  }
  return part[0];
}

/* Finds a centre, by a block for each coordinate. The result does not depend on the centre. */
__global__ void __launch_bounds__(THREADS) find_centres(const centroid_view v) {
  const auto greater = [](double a, double b) { return fmax(a, b); };
  const double *value = v.set.high + (int64_t)blockIdx.x * v.ld;
  double sum = 0, largest = 0, reach = 0;
  for (int64_t c = threadIdx.x; c < v.active; c += THREADS) {
    sum += value[c] / (double)v.active;
    largest = fmax(largest, fabs(value[c]));
  }
  const double centre = join_block(sum, [](double a, double b) { return a + b; });
  for (int64_t c = threadIdx.x; c < v.active; c += THREADS)
    reach = fmax(reach, fabs(value[c] - centre));
  largest = join_block(largest, greater);
  reach = join_block(reach, greater);
  if (threadIdx.x > 0) return;
  v.centre[blockIdx.x] = centre;
  v.largest[blockIdx.x] = largest;
  v.reach[blockIdx.x] = reach;
}

/* Scales all coordinates, by a thread for each. */
__global__ void __launch_bounds__(THREADS) scale_all(const centroid_view v, double scale) {
  const int64_t c = this_item();
  if (c < v.active) v.set.high[blockIdx.y * v.ld + c] *= scale;
}

/* --- Merging ---------------------------------------------------------------------------------- */

/* Returns the sum over a warp's lanes to all of them. */
__device__ __forceinline__ double sum_of_warp(double value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(~0u, value, step);
  return value;
}

/* Merges the pairs, by a warp for each. */
__global__ void __launch_bounds__(THREADS) merge_pairs(const centroid_view v) {
  const int lane = (int)threadIdx.x % 32;
  const int64_t p = this_item() / 32;
  if (p >= v.pairs) return; /* all of a warp */
  const int64_t first = v.first[p], second = v.second[p];
  double low = 0;
  for (int64_t k = lane; k < v.m; k += 32) {
    const int64_t i = k * v.ld + first, j = k * v.ld + second;
    gg_centroid_merge(&v.set.high[i], &v.set.low[i], v.set.high[j], v.set.low[j], v.ni[p], v.nj[p]);
    low += v.set.low[i] * v.set.low[i];
  }
  low = sum_of_warp(low);
  if (lane > 0) return;
  v.set.size[first] = v.ni[p] + v.nj[p];
  v.set.size[second] = 0;
  v.set.level[first] = v.dij[p];
  atomicMax(v.low_norm, (unsigned long long)__double_as_longlong(sqrt(low) * (1 + 1e-9)));
}

/* --- Rounded clusters ------------------------------------------------------------------------- */

/* Compares each cluster that is searched with FIRSTS others, by a thread for each. */
__global__ void __launch_bounds__(THREADS) try_firsts(const centroid_view v, int64_t searches) {
  const int64_t s = this_item();
  if (s >= searches) return;
  const int32_t own = v.search.cluster[s];
  gg_nearest nearest = no_nearest();
  int32_t other = own;
  for (int tried = 0, seen = 0; tried < FIRSTS && seen < 4 * FIRSTS; ++seen) {
    other = other + 1 < v.active ? other + 1 : 0;
    if (other == own || !(v.set.size[other] > 0)) continue;
    gg_nearest_take(&nearest, distance_between(v, own, other), other);
    ++tried;
  }
  v.set.distance[own] = nearest.distance;
  v.nearest[own] = nearest.cluster;
}

/* What rounding may change: a vector x by relative |x| + absolute, and products of two of them by
   product |x| |y| more. */
struct rounding {
  double relative, absolute, product;
};

/* Returns the bounds of rounding. Half precision cuts off 2^-11 of a number, or 2^-25. Two halves
   leave out the product of both second ones, too; products with second ones are added first, while
   the sum is small. */
__device__ __forceinline__ rounding rounding_of(const centroid_search &search, int64_t m) {
  const double absolute = 0x1p-24 * sqrt((double)m), columns = (double)search.columns;
  if (!search.fine) return {0x1p-11, absolute, 1.01 * PRODUCT_ERROR * columns};
  const double first = (double)(m + 32); /* columns of a last product, and of those before it */
  return {0x1p-22, absolute, 1.01 * PRODUCT_ERROR * (first + 0x1p-9 * columns) + 0x1p-22};
}

/* Returns half the square of a centroid's norm less what rounding may add to it in the comparison
   with any other, so that the half of a squared distance is at least the sum of both less the
   product of the rounded vectors. */
__device__ __forceinline__ float norm_of(const rounding &error, double square) {
  const double u = error.relative, t = error.absolute;
  const double relative = 2 * u + u * u + error.product + 0x1p-20; /* and of five operations */
  const double least = square * (1 - relative) - 2.1 * t * sqrt(square) - 2 * t * t;
  return __double2float_rd(least / 2);
}

/* Sets the limit of a position's products from its nearest distance; -1 if that is unknown. */
__device__ __forceinline__ void set_limit(const centroid_view &v, int64_t position, int32_t c) {
  const double low_norm = __longlong_as_double((long long)*v.low_norm);
  const double limit = gg_ward_limit(v.set.distance[c], v.set.size[c], low_norm, 1e-5);
  v.search.bound[position].limit =
      v.nearest[c] == GG_UNKNOWN ? -1 : __double2float_ru(limit * v.scale * v.scale / 2);
}

/* Eight halves, to be written at a time. */
struct half_word {
  uint32_t pair[4];

  __device__ __forceinline__ void set(int at, __half value) {
    const uint32_t bits = __half_as_ushort(value);
    pair[at / 2] = at % 2 ? pair[at / 2] | bits << 16 : bits;
  }
  __device__ __forceinline__ void write(uint16_t *row, int64_t k) const {
    *reinterpret_cast<uint4 *>(row + k) = uint4{pair[0], pair[1], pair[2], pair[3]};
  }
};

/* Rounds eight coordinates from k on, and returns the sum of their squares. */
__device__ __forceinline__ double round_word(const centroid_view &v, int32_t c, int64_t k,
                                             half_word *first, half_word *second) {
  double sum = 0;
#pragma unroll
  for (int u = 0; u < 8; ++u) {
    const int64_t at = k + u;
    const bool there = c >= 0 && at < v.m;
    const double value = there ? (v.set.high[at * v.ld + c] - v.centre[at]) * v.scale : 0;
    const __half half = __double2half(value);
    first->set(u, half);
    second->set(u, __double2half(value - (double)__half2float(half)));
    sum += value * value;
  }
  return sum;
}

/* Rounds the clusters, by a thread for each position. Rows of two halves are second, first, first,
   and as columns first, second, first, so that three products of them make one of the numbers.
   Zeros come before them. */
__global__ void __launch_bounds__(THREADS) round_all(const centroid_view v) {
  const centroid_search &s = v.search;
  const int64_t position = this_item();
  if (position >= s.positions) return;
  const int32_t c = s.cluster[position];
  const int64_t part = round_up(v.m, 8), zeros = s.columns - (s.fine ? 3 : 1) * part;
  uint16_t *row = position < s.rows ? s.row + position * s.columns : nullptr;
  uint16_t *column = s.column + position * s.columns;
  const half_word zero = {};
  double square = 0;
  for (int64_t k = 0; k < zeros; k += 8) {
    zero.write(column, k);
    if (s.fine && row) zero.write(row, k);
  }
  for (int64_t k = 0; k < part; k += 8) {
    half_word first, second;
    const int64_t at = zeros + k;
    square += round_word(v, c, k, &first, &second);
    first.write(column, at);
    if (!s.fine) continue;
    second.write(column, at + part);
    first.write(column, at + 2 * part);
    if (!row) continue;
    second.write(row, at);
    first.write(row, at + part);
    first.write(row, at + 2 * part);
  }
  s.bound[position] = {NAN, 0, -1, 0};
  if (c < 0) return;
  v.settled[c] = v.set.distance[c];
  s.bound[position].norm = norm_of(rounding_of(s, v.m), square);
  s.bound[position].share = __double2float_ru(0.5 / v.set.size[c]);
  set_limit(v, position, c);
}

/* --- Tiles ------------------------------------------------------------------------------------ */

/* True if a pair may be nearest: the half of its squared distance is at least the sum of the norms
   less the product. */
__device__ __forceinline__ bool may_be_nearest(const centroid_bound &a, const centroid_bound &b,
                                               float product) {
  const float limit = fmaxf(a.limit, b.limit);
  return __fmaf_rn(-limit, a.share + b.share, a.norm + b.norm) <= product;
}

/* True if this is the one of two comparisons of a pair that counts. */
__device__ __forceinline__ bool counts(const centroid_search &s, int64_t row, int64_t column) {
  return row < column || (row != column && (row < s.split) != (column < s.split));
}

/* Lists the pairs of a row, bit k of a lane's mask for column warp.column_of(k / 2) + k % 2 of a
   tile that begins at `column`. All lanes of a warp, each with its row. */
__device__ void list_pairs(const centroid_search &s, const warp_tile &warp, int64_t row,
                           int64_t column, unsigned mask) {
  for (unsigned left = mask; left; left &= left - 1) {
    const int k = __ffs((int)left) - 1;
    if (!counts(s, row, column + warp.column_of(k / 2) + k % 2)) mask &= ~(1u << k);
  }
  const int count = __popc(mask);
  int before = count; /* up to this lane */
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int others = __shfl_up_sync(~0u, before, step);
    if (warp.lane >= step) before += others;
  }
  unsigned long long at = 0;
  if (warp.lane == 31 && before > 0) at = atomicAdd(s.count, (unsigned long long)before);
  at = __shfl_sync(~0u, at, 31) + (unsigned long long)(before - count);
  for (; mask; mask &= mask - 1, ++at) {
    const int k = __ffs((int)mask) - 1;
    if ((int64_t)at < s.room)
      s.pair[at] = {(int32_t)row, (int32_t)(column + warp.column_of(k / 2) + k % 2)};
  }
}

/* Lists the pairs of a tile that may be nearest. row, column: where the tile begins. */
__device__ __forceinline__ void take_tile(const centroid_search &s, const warp_tile &warp,
                                          const centroid_bound *rows, const centroid_bound *columns,
                                          int64_t row, int64_t column) {
  bool any = false;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const centroid_bound *two = columns + warp.column_of(j);
    const centroid_bound b[2] = {two[0], two[1]};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const centroid_bound a = rows[warp.row_of(i / 2, i % 2)];
#pragma unroll
      for (int e = 0; e < 2; ++e)
        any |= may_be_nearest(a, b[e], warp.sum[i / 2][j][i % 2 * 2 + e]);
    }
  }
  if (!__any_sync(~0u, any)) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int r = warp.row_of(i / 2, i % 2);
    unsigned mask = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      if (may_be_nearest(rows[r], columns[warp.column_of(k / 2) + k % 2],
                         warp.sum[i / 2][k / 2][i % 2 * 2 + k % 2]))
        mask |= 1u << k;
    list_pairs(s, warp, row + r, column, mask);
  }
}

/* The blocks of a row take the tiles of a range with one tile of rows. */
template <int DEPTH, bool WHOLE>
__global__ void __launch_bounds__(THREADS, 2)
    pass_pairs(const centroid_search s, const tile_range range, int tiles_each) {
  extern __shared__ uint4 shared[];
  __shared__ centroid_bound rows[TILE], columns[2][TILE];
  const int64_t row_tile = range.row0 + blockIdx.x;
  int64_t begin = range.column0 + (int64_t)blockIdx.y * tiles_each;
  const int64_t end = smaller(begin + tiles_each, range.column1);
  if (range.triangle) begin = larger(begin, row_tile);
  if (begin >= end) return;
  const int64_t row = row_tile * TILE;
  const auto *row_halves = reinterpret_cast<const __half *>(s.row);
  const auto *column_halves = reinterpret_cast<const __half *>(s.column);
  half_stream<DEPTH, WHOLE> products(shared, row_halves + row * s.columns,
                                     column_halves + begin * TILE * s.columns, s.columns,
                                     (int)(end - begin));
  warp_tile warp;
  const int at = (int)threadIdx.x;
  if (at < TILE) {
    rows[at] = s.bound[row + at];
    columns[0][at] = s.bound[begin * TILE + at];
  }
  for (int64_t tile = begin; tile < end; ++tile) {
    const int turn = (int)(tile - begin) % 2;
    centroid_bound next;
    if (at < TILE && tile + 1 < end) next = s.bound[(tile + 1) * TILE + at];
    products.multiply_next(warp);
    if (at < TILE && tile + 1 < end) columns[1 - turn][at] = next;
    take_tile(s, warp, rows, columns[turn], row, tile * TILE);
  }
}

struct search_kernel {
  void (*run)(centroid_search search, tile_range range, int tiles_each);
  int shared_bytes;
};

template <int DEPTH, bool WHOLE> search_kernel kernel_of() {
  return {pass_pairs<DEPTH, WHOLE>, half_stream<DEPTH, WHOLE>::BYTES};
}

/* True if kernels were compiled for less than compute capability 8.0, which has less shared
   memory. */
bool is_small() {
  cudaFuncAttributes attributes;
  GG_CUDA(cudaFuncGetAttributes(&attributes, (const void *)kernel_of<32, false>().run));
  return attributes.ptxVersion < 80;
}

/* Returns the kernel for rounded clusters of so many columns. */
search_kernel kernel_for(int64_t columns) {
  if (columns == 32) return kernel_of<32, true>();
  if (is_small()) return kernel_of<32, false>();
  return columns == 64 ? kernel_of<64, true>() : kernel_of<64, false>();
}

/* --- Pairs that may be nearest ---------------------------------------------------------------- */

/* Lowers a distance. The bits of numbers that are not negative have their order. */
__device__ __forceinline__ void lower(double *to, double distance) {
  if (distance < __ldcg(to))
    atomicMin(reinterpret_cast<unsigned long long *>(to),
              (unsigned long long)__double_as_longlong(distance));
}

/* Calls use(pair, row's cluster, column's cluster) for the listed pairs, each in a thread. */
template <class Use> __device__ __forceinline__ void for_pairs(const centroid_search &s, Use use) {
  const int64_t count = smaller((int64_t)*s.count, s.room);
  for (int64_t p = this_item(); p < count; p += (int64_t)gridDim.x * THREADS)
    use(p, s.cluster[s.pair[p].row], s.cluster[s.pair[p].column]);
}

/* Computes the distances of pairs, and finds the smallest of each cluster. */
__global__ void __launch_bounds__(THREADS) measure_pairs(const centroid_view v) {
  for_pairs(v.search, [&](int64_t p, int32_t a, int32_t b) {
    const double distance = distance_between(v, a, b);
    v.search.distance[p] = distance;
    lower(&v.set.distance[a], distance);
    if (v.nearest[b] != GG_UNKNOWN) lower(&v.set.distance[b], distance);
  });
}

/* Forgets nearest clusters that are not nearest any more, and sets the limits. */
__global__ void __launch_bounds__(THREADS) settle_all(const centroid_view v) {
  const int64_t position = this_item();
  if (position >= v.search.positions) return;
  const int32_t c = v.search.cluster[position];
  if (c < 0) return;
  if (v.set.distance[c] < v.settled[c]) {
    v.settled[c] = v.set.distance[c];
    v.nearest[c] = INT32_MAX;
  }
  set_limit(v, position, c);
}

/* Finds the first cluster at the smallest distance. */
__global__ void __launch_bounds__(THREADS) name_nearest(const centroid_view v) {
  for_pairs(v.search, [&](int64_t p, int32_t a, int32_t b) {
    const double distance = v.search.distance[p];
    if (distance == v.set.distance[a]) atomicMin(&v.nearest[a], b);
    if (v.nearest[b] != GG_UNKNOWN && distance == v.set.distance[b]) atomicMin(&v.nearest[b], a);
  });
}

/* --- Removal ---------------------------------------------------------------------------------- */

/* Copies the clusters that remain to their new columns, by a thread for each coordinate. */
__global__ void __launch_bounds__(THREADS)
    copy_all(const centroid_view v, int64_t columns, const centroid_set to) {
  const int64_t k = blockIdx.y, c = this_item();
  if (c >= columns) return;
  const int64_t old = v.from[c];
  to.high[k * v.ld + c] = v.set.high[k * v.ld + old];
  to.low[k * v.ld + c] = v.set.low[k * v.ld + old];
  if (k > 0) return;
  to.size[c] = v.set.size[old];
  to.level[c] = v.set.level[old];
  to.distance[c] = v.set.distance[old];
}

} // namespace

void find_centre(const centroid_view &view, cudaStream_t stream) {
  find_centres<<<(unsigned)view.m, THREADS, 0, stream>>>(view);
}

void scale_centroids(const centroid_view &view, double scale, cudaStream_t stream) {
  const dim3 blocks(blocks_for(view.active, THREADS), (unsigned)view.m);
  scale_all<<<blocks, THREADS, 0, stream>>>(view, scale);
}

void merge_centroids(const centroid_view &view, cudaStream_t stream) {
  if (view.pairs == 0) return;
  merge_pairs<<<blocks_for(32 * view.pairs, THREADS), THREADS, 0, stream>>>(view);
}

int64_t rounded_columns(int64_t m, bool fine) {
  const int64_t used = (fine ? 3 : 1) * round_up(m, 8);
  return round_up(used, used <= 32 || is_small() ? 32 : 64);
}

void try_first_clusters(const centroid_view &view, int64_t searches, cudaStream_t stream) {
  try_firsts<<<blocks_for(searches, THREADS), THREADS, 0, stream>>>(view, searches);
}

void round_clusters(const centroid_view &view, cudaStream_t stream) {
  round_all<<<blocks_for(view.search.positions, THREADS), THREADS, 0, stream>>>(view);
}

void search_tiles(const centroid_view &view, const tile_range &range, unsigned long long *count,
                  cudaStream_t stream) {
  centroid_view own = view;
  own.search.count = count;
  const centroid_search &search = own.search;
  const search_kernel kernel = kernel_for(search.columns);
  const int64_t rows = range.row1 - range.row0, columns = range.column1 - range.column0;
  const int64_t each = larger(1, smaller(TILES_EACH, rows * columns / BLOCKS));
  const dim3 blocks((unsigned)rows, (unsigned)divide_up(columns, each));
  GG_CUDA(cudaFuncSetAttribute((const void *)kernel.run,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes));
  GG_CUDA(cudaMemsetAsync(search.count, 0, sizeof *search.count, stream));
  kernel.run<<<blocks, THREADS, (size_t)kernel.shared_bytes, stream>>>(search, range, (int)each);
  measure_pairs<<<PAIR_BLOCKS, THREADS, 0, stream>>>(own);
  settle_all<<<blocks_for(search.positions, THREADS), THREADS, 0, stream>>>(own);
  name_nearest<<<PAIR_BLOCKS, THREADS, 0, stream>>>(own);
}

void copy_columns(const centroid_view &view, int64_t columns, const centroid_set &to,
                  cudaStream_t stream) {
  const dim3 blocks(blocks_for(columns, THREADS), (unsigned)view.m);
  copy_all<<<blocks, THREADS, 0, stream>>>(view, columns, to);
}

} // namespace gpugeo
