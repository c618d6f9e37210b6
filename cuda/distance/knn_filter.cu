/*
 * The filter in half precision.
 *
 * A thread block compares a tile of 128 queries with tiles of 128 candidates: a warp compares the
 * products of 64 queries and 32 candidates with the bounds, and lists the survivors.
 *
 * Limited by the half-precision tensor cores, or for short rows by the comparison, two instructions
 * for each pair.
 */
#include "cuda/distance/knn_filter.cuh"

#include <cmath>
#include <numeric>

#include "cuda/common/launch.cuh"
#include "cuda/distance/half_tiles.cuh"

namespace gpugeo {
namespace {

enum { TILE = FILTER_TILE, THREADS = HALF_THREADS };
static_assert(TILE == HALF_TILE, "a tile of products");
constexpr int64_t TURN = 1 << 16;               /* queries at a time */
constexpr int64_t TURN_LEAST = 1 << 10;         /* with fewer the filter is slower */
constexpr int64_t CANDIDATES_LEAST = 1 << 13;   /* candidates: with fewer, or */
constexpr double PAIRS_LEAST = 1 << 24;         /* with fewer pairs, it is slower, too */
constexpr int64_t COLUMNS_MOST = 1 << 16;       /* for which the error of a product is small */
constexpr double PRODUCTS = (double)(1l << 42); /* of a launch: an interrupt waits for two */

/* --- The kernel ------------------------------------------------------------------------------- */

struct filter_job {
  half_points asking, candidates;
  int64_t columns;
  filter_turn turn;
  int64_t begin, end; /* positions of the candidates */
  int tiles_each;     /* of candidates, for a thread block */
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/* The comparison: rounding of base and least and of three operations with each of them. */
constexpr float COMPARE_ERROR = 0x1p-21f;

/* Lists the survivors of a lane: bit 8 half + 2 j + e of `mask` for sum[i][j][2 half + e]. */
static __device__ __forceinline__ void write_survivors(const survivor_lists found, int64_t query,
                                                       int64_t position, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    const int bit = __ffs((int)mask) - 1, half = bit / 8, j = bit % 8 / 2, e = bit % 2;
    const int64_t q = query + 8 * half;
    const int32_t slot = atomicAdd(&found.count[q], 1);
    if (slot < found.room) found.position[q * found.room + slot] = (int32_t)(position + 8 * j + e);
  }
}

#endif

/* Rows of DEPTH columns at a time; WHOLE: they have no more, and the queries' stay. */
template <int DEPTH, bool WHOLE>
__global__ void __launch_bounds__(THREADS, 2) pass_pairs(const filter_job job) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ uint4 shared[];
  __shared__ float base[2][TILE], least[TILE]; /* of candidates, by turns, and of queries */
  __shared__ unsigned most[3];                 /* least, reach and spread of all queries, as bits */
  const int64_t query = (int64_t)blockIdx.x * TILE; /* in the turn */
  const int64_t begin = job.begin + (int64_t)blockIdx.y * job.tiles_each * TILE;
  const int64_t end = smaller(begin + (int64_t)job.tiles_each * TILE, job.end);
  const int tiles = (int)divide_up(end - begin, TILE);

  if (threadIdx.x < 3) most[threadIdx.x] = 0;
  __syncthreads();
  bool lost = true;
  if (threadIdx.x < TILE) {
    const query_bound mine = job.turn.bound[query + threadIdx.x];
    lost = mine.least == LOST.least;
    least[threadIdx.x] = mine.least;
    if (!lost) {
      atomicMax(&most[0], __float_as_uint(fabsf(mine.least)));
      atomicMax(&most[1], __float_as_uint(mine.reach));
      atomicMax(&most[2], __float_as_uint(mine.spread));
    }
  }
  if (!__syncthreads_or(!lost)) return; /* nobody asks */
  half_stream<DEPTH, WHOLE> products(shared,
                                     job.asking.row + (job.turn.first + query) * job.columns,
                                     job.candidates.row + begin * job.columns, job.columns, tiles);
  warp_tile warp;

  /* A tile's candidates, one for each thread: their bounds, and the part of the comparison that
     is the same for all queries. */
  const auto known = [&](int tile) {
    half_bound one = {INFINITY, 0, 0, 0};
    const int64_t position = begin + (int64_t)tile * TILE + threadIdx.x;
    if (threadIdx.x < TILE && position < end) one = job.candidates.bound[position];
    return one;
  };
  const auto compared = [&](const half_bound &one) {
    if (one.base == INFINITY) return one.base;
    const float loss = __uint_as_float(most[1]) * one.error + __uint_as_float(most[2]) * one.length;
    return one.base - loss - COMPARE_ERROR * (loss + fabsf(one.base) + __uint_as_float(most[0]));
  };
  if (threadIdx.x < TILE) base[0][threadIdx.x] = compared(known(0));

  for (int tile = 0; tile < tiles; ++tile) {
    const half_bound next = known(tile + 1);
    products.multiply_next(warp);
    if (threadIdx.x < TILE) base[(tile + 1) % 2][threadIdx.x] = compared(next);

    float2 bound[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      bound[j] = *reinterpret_cast<const float2 *>(&base[tile % 2][warp.column_of(j)]);
    const auto survives = [&](int i, int half, int j, int e) {
      return !(warp.sum[i][j][2 * half + e] <
               least[warp.row_of(i, half)] + (e ? bound[j].y : bound[j].x));
    };
    bool any = false;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int bit = 0; bit < 16; ++bit)
        any |= survives(i, bit / 8, bit % 8 / 2, bit % 2);
    if (!any) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t mask = 0;
#pragma unroll
      for (int bit = 0; bit < 16; ++bit)
        mask |= survives(i, bit / 8, bit % 8 / 2, bit % 2) ? 1u << bit : 0;
      if (mask)
        write_survivors(job.turn.found, query + warp.row_of(i, 0),
                        begin + (int64_t)tile * TILE + warp.column_of(0), mask);
    }
  }
#endif
}

struct filter_kernel {
  void (*run)(filter_job job);
  int shared_bytes;
};

template <int DEPTH, bool WHOLE> filter_kernel kernel_of() {
  return {pass_pairs<DEPTH, WHOLE>, half_stream<DEPTH, WHOLE>::BYTES};
}

/* Returns the kernel for a number of columns. */
filter_kernel kernel_for(int64_t columns) {
  switch (columns) {
  case 16:
    return kernel_of<16, true>();
  case 32:
    return kernel_of<32, true>();
  case 48:
    return kernel_of<48, true>();
  case 64:
    return kernel_of<64, true>();
  default:
    return kernel_of<64, false>();
  }
}

/* Returns the columns of a row, as the kernels need them. */
int64_t columns_for(int64_t m) { return round_up(m, m > 64 ? 64 : 16); }

/* True if the kernel was compiled for tensor cores. */
bool has_kernel() {
  cudaFuncAttributes attributes;
  GG_CUDA(cudaFuncGetAttributes(&attributes, (const void *)kernel_for(16).run));
  return attributes.ptxVersion >= 80;
}

/* --- Rounding --------------------------------------------------------------------------------- */

/* Computes approximate means of the coordinates, with a block for each. */
__global__ void __launch_bounds__(THREADS) find_centre(const points x, int64_t n, double *centre) {
  __shared__ double part[THREADS];
  const double *value = static_cast<const double *>(x.data) + blockIdx.x * x.ld;
  double sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += THREADS)
    sum += value[i];
  part[threadIdx.x] = sum;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) centre[blockIdx.x] = part[0] / (double)n;
}

/* A coordinate centred and weighted for the filter, before it is scaled. */
struct filter_coordinates {
  points x;
  const double *centre, *weight; /* each may be NULL */

  __device__ __forceinline__ double at(int64_t i, int64_t k) const {
    const double value = static_cast<const double *>(x.data)[i + k * x.ld];
    const double apart = centre ? value - centre[k] : value;
    return weight ? apart * weight[k] : apart;
  }
};

using double_bits = unsigned long long;

/* Finds the largest magnitude, as bits; those of NaN are larger than any number's. Takes a grid
   of points by coordinates. */
__global__ void __launch_bounds__(THREADS)
    find_largest(const filter_coordinates x, int64_t n, int64_t m, double_bits *largest) {
  __shared__ double_bits here;
  if (threadIdx.x == 0) here = 0;
  __syncthreads();
  double_bits most = 0;
  for (int64_t i = this_item(); i < n; i += (int64_t)gridDim.x * THREADS)
    for (int64_t k = blockIdx.y; k < m; k += gridDim.y) {
      const double_bits bits = (double_bits)__double_as_longlong(fabs(x.at(i, k)));
      most = bits > most ? bits : most;
    }
  atomicMax(&here, most);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(largest, here);
}

/* Rounds some points in each block, a group of coordinates in as many threads, and puts point i at
   position i * step % n. */
template <int ROUNDED>
__global__ void __launch_bounds__(THREADS)
    round_to_half(const filter_coordinates x, const point_order order, const filter_scale scale,
                  const half_points to) {
  enum { GROUPS = THREADS / ROUNDED, COLUMNS = 8 };
  __shared__ double squares[GROUPS][ROUNDED], errors[GROUPS][ROUNDED];
  const int group = threadIdx.x / ROUNDED, lane = threadIdx.x % ROUNDED;
  const int64_t i = (int64_t)blockIdx.x * ROUNDED + lane;
  const bool there = i < order.n;
  const int64_t position = there ? order.at(i) : 0, end = there ? scale.columns : 0;
  double square = 0, error = 0;
  for (int64_t first = group * COLUMNS; first < end; first += GROUPS * COLUMNS) {
    unsigned half[COLUMNS];
#pragma unroll
    for (int u = 0; u < COLUMNS; ++u) {
      const int64_t k = first + u;
      const double value = k < scale.m ? x.at(i, k) * scale.scale : 0;
      const __half rounded = __double2half(value);
      const double back = (double)__half2float(rounded);
      /* The value itself has been rounded up to three times. */
      const double apart = fabs(value - back) + 0x1p-50 * fabs(value);
      square = fma(back, back, square);
      error = fma(apart, apart, error);
      half[u] = __half_as_ushort(rounded);
    }
    *reinterpret_cast<uint4 *>(to.row + position * scale.columns + first) =
        uint4{half[0] | half[1] << 16, half[2] | half[3] << 16, half[4] | half[5] << 16,
              half[6] | half[7] << 16};
  }
  squares[group][lane] = square;
  errors[group][lane] = error;
  __syncthreads();
  if (group > 0 || !there) return;
  for (int g = 1; g < GROUPS; ++g) {
    square += squares[g][lane];
    error += errors[g][lane];
  }
  const double slack = 1 + STEP_ERROR * (double)(scale.m + 16);
  half_bound bound;
  bound.error = __double2float_ru(sqrt(error) * slack);
  bound.length = __double2float_ru(sqrt(square) * slack);
  const double r = bound.error;
  bound.base = scale.product ? 0 : __double2float_rd((square * (2 - slack) - r * r * slack) / 2);
  bound.unused = 0;
  to.bound[position] = bound;
}

/* Gathers points: those of index[0], ..., or if that is NULL, those at positions 0, ... */
__global__ void __launch_bounds__(THREADS)
    gather_points(const points from, const int32_t *index, const point_order order, int64_t count,
                  int64_t m, double *to, int64_t ld) {
  const int64_t i = this_item();
  if (i >= count) return;
  const double *value = static_cast<const double *>(from.data) - from.first +
                        (index ? (int64_t)index[i] : order.at(i));
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    to[i + k * ld] = value[k * from.ld];
}

/* Returns a grid of blocks along the points, with enough along the coordinates to fill any
   device. */
dim3 grid_over(int64_t count, int64_t m) {
  return dim3(blocks_for(count, THREADS), (unsigned)smaller(m, 64));
}

/* Returns s with s a = 1 modulo n; a and n have no common divisor. */
int64_t inverse_of(int64_t a, int64_t n) {
  int64_t r0 = n, r1 = a, s0 = 0, s1 = 1;
  while (r1 > 0) {
    const int64_t quotient = r0 / r1, r2 = r0 - quotient * r1, s2 = s0 - quotient * s1;
    r0 = r1, r1 = r2;
    s0 = s1, s1 = s2;
  }
  return (s0 % n + n) % n;
}

/* True if the filter has bounds for the step. */
bool has_bounds(gg_step step) {
  return step == GG_STEP_euclidean || step == GG_STEP_seuclidean || step == GG_STEP_product;
}

} // namespace

/* --- The filter ------------------------------------------------------------------------------- */

neighbor_filter::neighbor_filter(const gg_dist_plan &plan, neighbor_blocks &blocks,
                                 const filter_wish &wish)
    : plan_(plan), blocks_(blocks), wish_(wish), sample_points_(round_up(wish.sample, TILE)) {
  const bool suits = wish.wanted && has_bounds(plan.step) &&
                     !(plan.finish & GG_FINISH_SIMILARITY) && plan.m <= COLUMNS_MOST &&
                     plan.nx >= larger(CANDIDATES_LEAST, 8 * sample_points_) &&
                     (double)plan.nx * (double)plan.ny >= PAIRS_LEAST && has_kernel();
  if (!suits) return;
  scale_.m = plan.m;
  scale_.columns = columns_for(plan.m);
  scale_.product = plan.step == GG_STEP_product;
  scale_.squared = plan.finish & GG_FINISH_SQUARED;
  if (!divide()) return;
  choose_order();
  allocate();
  if (!find_scale()) return;
  round_points();
  usable_ = true;
}

/* Chooses the number of queries of a turn. */
bool neighbor_filter::divide() {
  const bool panels = blocks_.in_panels();
  const double x_rows = (double)((panels ? blocks_.panel() : plan_.nx) + TILE);
  const double y_rows = (double)((panels ? blocks_.queries() : plan_.ny) + 2 * TILE);
  const double row_bytes = (double)scale_.columns * sizeof(__half) + sizeof(half_bound);
  const double gathered = (double)(panels ? 1 : 1 + sample_points_ + blocks_.queries() + TILE);
  const double fixed = (x_rows + y_rows) * row_bytes + gathered * (double)plan_.m * sizeof(double);
  const double query_bytes =
      (double)(wish_.room + 2) * sizeof(int32_t) + sizeof(query_bound) + wish_.query_bytes;
  const double left = (double)memory_budget(plan_.work_bytes) / 2 - fixed;
  const double most = fmin((double)smaller(TURN, wish_.queries), left / query_bytes);
  const int64_t wanted = round_up(panels ? blocks_.queries() : plan_.ny, TILE);
  queries_ = smaller((int64_t)fmax(most, 0) / TILE * TILE, wanted);
  return queries_ >= smaller(TURN_LEAST, wanted);
}

void neighbor_filter::allocate() {
  const int64_t m_bytes = plan_.m * (int64_t)sizeof(double);
  const bool panels = blocks_.in_panels();
  const int64_t x_rows = panels ? blocks_.panel() : plan_.nx, y_rows = panels ? queries_ : plan_.ny;
  candidates_.allocate(round_up(x_rows, TILE), scale_.columns, blocks_.stream());
  asking_.allocate(round_up(y_rows, TILE) + TILE, scale_.columns, blocks_.stream());
  centre_.allocate(m_bytes);
  largest_.allocate(sizeof(double_bits));
  if (!panels) {
    sample_.allocate(sample_points_, plan_.m, blocks_.stream());
    lost_points_.allocate(round_up(blocks_.queries(), TILE), plan_.m, blocks_.stream());
  }
  count_.allocate(queries_ * (int64_t)sizeof(int32_t));
  position_.allocate(queries_ * wish_.room * (int64_t)sizeof(int32_t));
  bound_.allocate(queries_ * (int64_t)sizeof(query_bound));
  lost_.allocate((1 + queries_) * (int64_t)sizeof(int32_t));
}

void neighbor_filter::half_store::allocate(int64_t rows, int64_t row_columns, cudaStream_t stream) {
  columns = row_columns;
  row.allocate(rows * columns * (int64_t)sizeof(__half));
  bound.allocate(rows * (int64_t)sizeof(half_bound));
  /* The padding of the last tile is read, although no result depends on it. */
  GG_CUDA(cudaMemsetAsync(row.as(), 0, (size_t)(rows * columns) * sizeof(__half), stream));
}

/* Finds centre and scale. Returns false if a coordinate is not finite or cannot be scaled. Of
   points in panels the centre is that of the first panel, a spread sample. */
bool neighbor_filter::find_scale() {
  const cudaStream_t stream = blocks_.stream();
  const int64_t step = blocks_.in_panels() ? blocks_.panel() : plan_.nx;
  const int64_t asked = blocks_.in_panels() ? blocks_.queries() : plan_.ny;
  double_bits bits = 0;
  copy_in(largest_.as(), &bits, sizeof bits);
  for (int64_t at = 0, end; at < plan_.nx; at = end) {
    end = smaller(at + step, plan_.nx);
    blocks_.piece(0, [&] {
      if (blocks_.in_panels()) blocks_.offer(order_, at, end);
      if (at == 0 && !scale_.product)
        find_centre<<<(unsigned)plan_.m, THREADS, 0, stream>>>(blocks_.candidates(), end,
                                                               centre_.as<double>());
      find_largest_of(blocks_.candidates(), end - at);
    });
  }
  for (int64_t at = 0, end; !plan_.symmetric && at < plan_.ny; at = end) {
    end = smaller(at + asked, plan_.ny);
    blocks_.ask(at, end);
    blocks_.piece(0, [&] { find_largest_of(blocks_.asking(), end - at); });
  }
  blocks_.drain();
  double largest = 0;
  GG_CUDA(cudaMemcpy(&largest, largest_.as(), sizeof largest, cudaMemcpyDeviceToHost));
  if (!(largest > 0x1p-900 && largest < 0x1p1000)) return false;
  scale_.scale = ldexp(1, 13 - ilogb(largest)); /* the largest half is 65504 */
  return true;
}

/* Takes n points, at the beginning of their memory, into the largest magnitude. */
void neighbor_filter::find_largest_of(const points &x, int64_t n) {
  const filter_coordinates seen = {x, scale_.product ? nullptr : centre_.as<double>(),
                                   blocks_.weight()};
  find_largest<<<grid_over(smaller(n, 1 << 20), plan_.m), THREADS, 0, blocks_.stream()>>>(
      seen, n, plan_.m, largest_.as<double_bits>());
}

/* Chooses an order of the candidates in which any number of the first ones is a spread sample. */
void neighbor_filter::choose_order() {
  const int64_t n = plan_.nx;
  order_ = {larger((int64_t)(0.6180339887 * (double)n), 1), n};
  while (std::gcd(order_.step, n) != 1)
    ++order_.step;
  inverse_ = inverse_of(order_.step, n);
}

/* Rounds all points, candidates in their order and queries in their own, unless they are in
   panels. */
void neighbor_filter::round_points() {
  if (!blocks_.in_panels())
    blocks_.piece(0, [&] {
      round(blocks_.candidates(), {inverse_, plan_.nx}, candidates_);
      round(blocks_.asking(), {1, plan_.ny}, asking_);
      if (sample_points_ > 0) gather(blocks_.candidates(), nullptr, sample_points_, sample_);
    });
  const filter_kernel kernel = kernel_for(scale_.columns);
  GG_CUDA(cudaFuncSetAttribute((const void *)kernel.run,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.shared_bytes));
}

/* Rounds points, from the beginning of their memory, to an order. */
void neighbor_filter::round(const points &x, const point_order &order, const half_store &to) {
  const double *centre = scale_.product ? nullptr : centre_.as<double>();
  /* A panel has too few points for 32 in each block: there would be fewer blocks than
     multiprocessors. */
  const int rounded = blocks_.in_panels() ? 8 : 32;
  const auto kernel = rounded == 8 ? round_to_half<8> : round_to_half<32>;
  kernel<<<blocks_for(order.n, rounded), THREADS, 0, blocks_.stream()>>>(
      {x, centre, blocks_.weight()}, order, scale_, to.view());
}

void neighbor_filter::gather(const points &from, const int32_t *index, int64_t count,
                             const point_store &to) {
  gather_points<<<grid_over(count, plan_.m), THREADS, 0, blocks_.stream()>>>(
      from, index, order_, count, plan_.m, to.data(), to.ld());
}

/* --- A turn ----------------------------------------------------------------------------------- */

filter_turn neighbor_filter::begin(int64_t first, int64_t end) {
  int32_t *lost_count = lost_.as<int32_t>();
  const cudaStream_t stream = blocks_.stream();
  GG_CUDA(cudaMemsetAsync(lost_count, 0, sizeof *lost_count, stream));
  GG_CUDA(cudaMemsetAsync(count_.as(), 0, (size_t)(end - first) * sizeof(int32_t), stream));
  if (blocks_.in_panels())
    blocks_.piece(0, [&] { round(blocks_.asking(), {1, end - first}, asking_); });
  return {first,
          end,
          {count_.as<int32_t>(), position_.as<int32_t>(), wish_.room},
          bound_.as<query_bound>(),
          asking(first).bound + first,
          lost_count + 1,
          lost_count};
}

/* Returns the rounded queries of a turn that begins with query `first`, by their numbers. */
half_points neighbor_filter::asking(int64_t first) const {
  return asking_.view(blocks_.in_panels() ? first : 0);
}

exact_points neighbor_filter::survivors() const {
  return {blocks_.asking(), blocks_.candidates(), blocks_.weight(),
          plan_.m,          plan_.finish,         blocks_.in_panels()};
}

int64_t neighbor_filter::block_end(const filter_turn &turn, int64_t begin, int64_t wanted) const {
  const double row = (double)round_up(turn.end - turn.first, TILE) * (double)scale_.columns;
  int64_t most = larger((int64_t)(PRODUCTS / row) / TILE, 1) * TILE;
  if (blocks_.in_panels()) most = smaller(most, blocks_.panel());
  return smaller(begin + smaller(round_up(wanted, TILE), most), plan_.nx);
}

void neighbor_filter::pass(const filter_turn &turn, int64_t begin, int64_t end) {
  const bool panels = blocks_.in_panels();
  if (panels) round(blocks_.offer(order_, begin, end), {1, end - begin}, candidates_);
  const filter_kernel kernel = kernel_for(scale_.columns);
  const int64_t query_tiles = divide_up(turn.end - turn.first, TILE);
  const int64_t tiles = divide_up(end - begin, TILE);
  /* At least eight waves of thread blocks, whose candidates fit into the cache. */
  const int64_t resident = 2 * attribute(cudaDevAttrMultiProcessorCount, plan_.device);
  const int64_t each =
      larger(larger(1, divide_up(tiles, 65535)), smaller(64, query_tiles * tiles / (8 * resident)));
  const filter_job job = {
      asking(turn.first), candidates_.view(panels ? begin : 0), scale_.columns, turn, begin, end,
      (int)each};
  const dim3 grid((unsigned)query_tiles, (unsigned)divide_up(tiles, each));
  kernel.run<<<grid, THREADS, kernel.shared_bytes, blocks_.stream()>>>(job);
}

int64_t neighbor_filter::count_lost(const filter_turn &turn) const {
  int32_t count = 0;
  GG_CUDA(cudaMemcpy(&count, turn.lost_count, sizeof count, cudaMemcpyDeviceToHost));
  return count;
}

query_set neighbor_filter::lost(const filter_turn &turn, int64_t at, int64_t count) {
  if (blocks_.in_panels()) {
    points asked = {};
    blocks_.piece(0, [&] { asked = blocks_.ask_listed(turn.lost + at, count); });
    return {asked, 0, count, turn.lost + at};
  }
  blocks_.piece(0, [&] { gather(blocks_.asking(), turn.lost + at, count, lost_points_); });
  return {lost_points_.view(), 0, count, turn.lost + at};
}

} // namespace gpugeo
