/*
 * Collisions by testing all pairs, in the paper's two ways (ElfColCnt): `usual` compares each point
 * with all after it, `cyclic` with the half of all points that follow it in the circle.
 *
 * A thread keeps some points of a segment in registers and compares them with the points of a
 * window, of which the block has a part in shared memory at a time. A filter in float finds the
 * pairs that may collide, which are tested in double.
 *
 * Limited by the issue of instructions. A pair of 3-D points takes three fma and one comparison,
 * which has half the rate of an fma and joins its result with that of an earlier pair itself; 32
 * pairs share four loads from shared memory and about six other instructions. That is 4.3
 * instructions or, with the slower comparison, 5.3 cycles for a pair of each lane of a warp; on one
 * H200 it takes 5.7 (5.5e11 pairs in 94 ms).
 */
#include "cuda/points/collide_all.cuh"

#include <cfloat>
#include <climits>
#include <cmath>

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 128, ROWS = 8, SEGMENT = THREADS * ROWS, TILE = 512, STEP = 4 };
static_assert(ROWS * STEP == 32, "pairs are the bits of a word");

/*
 * The filter. Coordinates are centred and scaled to [-1, 1] by a power of two and rounded to float:
 * a, b. With |b|^2 rounded to float, too,
 *
 *   |a - b|^2 <= most   is decided as   |b|^2 - 2 a b <= most - |a|^2.
 *
 * In units of 2^-24 and for three columns, the exact squared distance of the given points is missed
 * by at most 12 for the rounding of the coordinates, 2 for that of |b|^2, 4 and 4 and 8 for the
 * three fma (their results are below 5, 7 and 9), and 4 + most for the right-hand side: less than
 * 2^-18 (1 + most). For one column |a - b| is compared itself, and missed by less than 2^-21.
 */
struct filter_shape {
  double centre[MOST_COLUMNS];
  double scale;
  float most; /* a squared distance, or a distance for one column */
};

/* Returns the centre and scale by which the filter converts points. */
filter_shape shape_filter(const collide_problem &problem) {
  const collide_rule &rule = problem.rule;
  filter_shape shape = {};
  double half = 0; /* the extent's */
  for (int k = 0; k < rule.point.columns; ++k) {
    const double low = problem.bounds.low[k], high = problem.bounds.high[k];
    shape.centre[k] = low / 2 + high / 2;
    half = fmax(half, fmax(high - shape.centre[k], shape.centre[k] - low));
  }
  int exponent = 0;
  (void)frexp(half, &exponent);
  shape.scale = ldexp(1, -(exponent < -1000 ? -1000 : exponent));
  const double radius = fmin(rule.radius * shape.scale, 1e18);
  shape.most = rule.point.columns == 1
                   ? (float)(radius * (1 + 0x1p-20) + 0x1p-21)
                   : (float)((radius * radius * (1 + 0x1p-20) + 0x1p-18) * (1 + 0x1p-18));
  return shape;
}

__global__ void __launch_bounds__(THREADS)
    make_filter(const point_columns points, int columns, const filter_shape shape, float4 *filter) {
  const int64_t i = this_item();
  if (i >= points.n) return;
  float a[MOST_COLUMNS] = {};
  double square = 0;
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    if (k < columns) {
      a[k] = (float)((points.at[k][i] - shape.centre[k]) * shape.scale);
      square = fma((double)a[k], (double)a[k], square);
    }
  filter[i] = make_float4(a[0], a[1], a[2], (float)square);
}

/* A point as it is kept in registers. */
template <int COLUMNS> struct filter_row {
  float a[COLUMNS];
  float most;

  __device__ __forceinline__ void set(float4 point, float squared) {
    const float at[] = {point.x, point.y, point.z};
#pragma unroll
    for (int k = 0; k < COLUMNS; ++k)
      a[k] = COLUMNS == 1 ? at[k] : -2 * at[k];
    most = COLUMNS == 1 ? squared : squared - point.w;
  }

  __device__ __forceinline__ void set_nothing() {
#pragma unroll
    for (int k = 0; k < COLUMNS; ++k)
      a[k] = 0;
    most = -INFINITY;
  }

  __device__ __forceinline__ bool near(float4 b) const {
    if (COLUMNS == 1) return fabsf(a[0] - b.x) <= most;
    float sum = fmaf(a[0], b.x, b.w);
    sum = fmaf(a[COLUMNS > 1 ? 1 : 0], b.y, sum);
    if (COLUMNS > 2) sum = fmaf(a[COLUMNS > 2 ? 2 : 0], b.z, sum);
    return sum <= most;
  }
};

/* Returns a point that is near no other. */
__device__ __forceinline__ float4 nowhere() { return make_float4(INFINITY, 0, 0, INFINITY); }

struct all_pairs_job {
  collide_points x, y;
  collide_rule rule;
  collide_sink sink;
  collide_state *state;
  const float4 *filter_x, *filter_y;
  float most;
  bool cyclic;
  int64_t segments, items;
  int64_t part; /* columns of the window that an item has: a multiple of TILE */

  /* The points of y that a segment of x, from row i0 to before i1, is tested with: those at window
     positions [begin, end), where positions from n on are those from 0 on again. */
  __device__ __forceinline__ int64_t begin(int64_t i0) const { return rule.within ? i0 : 0; }
  __device__ __forceinline__ int64_t end(int64_t i1) const {
    return cyclic ? i1 + y.points.n / 2 : y.points.n;
  }

  /* True if row i and window position t are a candidate pair. Within x each pair does so once. */
  __device__ __forceinline__ bool is_candidate(int64_t i, int64_t t) const {
    if (!rule.within) return true;
    const int64_t steps = t - i, n = y.points.n;
    if (!cyclic) return steps > 0;
    return steps > 0 && (2 * steps < n || (2 * steps == n && 2 * i < n));
  }
};

/* Tests row i with window position t exactly; returns 1 for a collision. */
template <int COLUMNS, bool BOXED>
__device__ __forceinline__ unsigned settle(const all_pairs_job &job, int64_t i, int64_t t,
                                           unsigned *table) {
  const int64_t n = job.y.points.n, j = t < n ? t : t - n;
  if (!job.is_candidate(i, t) || job.rule.excluded(i, j)) return 0;
  double a[MOST_COLUMNS], b[MOST_COLUMNS];
#pragma unroll
  for (int k = 0; k < COLUMNS; ++k) {
    a[k] = job.x.points.at[k][i];
    b[k] = job.y.points.at[k][j];
  }
  const double s = job.rule.radii ? job.x.radius[i] + job.y.radius[j] : job.rule.radius;
  if (!job.rule.collide<COLUMNS, false, BOXED>(a, b, s)) return 0;
  if (job.sink.task == TASK_PER_POINT) {
    atomicAdd(job.sink.number + i, 1ull);
    if (job.rule.within) atomicAdd(job.sink.number + j, 1ull);
  } else if (job.sink.task != TASK_COUNT) {
    job.sink.store_pair(job.rule.within, i, j, table);
  }
  return 1;
}

/* Tests the pairs of an item. FILTER: not with periodic columns; without it all pairs are tested
   in double. */
template <int COLUMNS, bool FILTER>
__global__ void __launch_bounds__(THREADS, 6) all_pairs(const __grid_constant__ all_pairs_job job) {
  __shared__ float4 tile[TILE];
  unsigned long long count = 0;
  take_items(job.state, job.items, job.sink, [&](int64_t item, unsigned *table) {
    const int64_t i0 = item % job.segments * SEGMENT;
    const int64_t i1 = smaller(i0 + SEGMENT, job.x.points.n), n = job.y.points.n;
    const int64_t begin = job.begin(i0) + item / job.segments * job.part;
    const int64_t end = smaller(begin + job.part, job.end(i1));
    filter_row<COLUMNS> row[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int64_t i = i0 + r * THREADS + threadIdx.x;
      if (FILTER && i < i1)
        row[r].set(job.filter_x[i], job.most);
      else
        row[r].set_nothing();
    }
    for (int64_t t0 = begin; t0 < end; t0 += TILE) {
      __syncthreads(); /* before the tile is filled again */
      for (int c = threadIdx.x; FILTER && c < TILE; c += THREADS) {
        const int64_t t = t0 + c;
        tile[c] = t < end ? job.filter_y[t < n ? t : t - n] : nowhere();
      }
      __syncthreads();
#pragma unroll 1
      for (int c = 0; c < TILE; c += STEP) {
        bool any[2] = {!FILTER, false}; /* neither comparison waits for the one before it */
#pragma unroll
        for (int u = 0; FILTER && u < STEP; ++u) {
          const float4 b = tile[c + u];
#pragma unroll
          for (int r = 0; r < ROWS; ++r)
            any[r % 2] |= row[r].near(b);
        }
        if (!any[0] && !any[1]) continue;
        /* Which of them: bit r + u ROWS for row r and position u. This is rare: the compiler must
           neither keep the sums of above for it nor load its parameters before the branch, which
           costs a tenth of the kernel's time. */
        unsigned near = FILTER ? 0 : ~0u;
        int again = c;
        const all_pairs_job *rare = &job;
        asm volatile("" : "+r"(again), "+l"(rare));
#pragma unroll
        for (int u = 0; FILTER && u < STEP; ++u) {
          const float4 b = tile[again + u];
#pragma unroll
          for (int r = 0; r < ROWS; ++r)
            if (row[r].near(b)) near |= 1u << (r + u * ROWS);
        }
        for (; near; near &= near - 1) {
          const int bit = __ffs((int)near) - 1;
          const int64_t i = i0 + bit % ROWS * THREADS + threadIdx.x, t = t0 + c + bit / ROWS;
          if (i < i1 && t < end)
            count += settle<COLUMNS, !FILTER>(FILTER ? *rare : job, i, t, table);
        }
      }
    }
  });
  add_count(job.state, count);
}

/* --- The search ------------------------------------------------------------------------------- */

typedef void (*all_pairs_kernel)(all_pairs_job job);

constexpr all_pairs_kernel kernels[MOST_COLUMNS][2] = {
    {all_pairs<1, false>, all_pairs<1, true>},
    {all_pairs<2, false>, all_pairs<2, true>},
    {all_pairs<3, false>, all_pairs<3, true>},
};

class all_pairs_search : public collide_search {
public:
  all_pairs_search(const collide_problem &problem, collide_launches &launches)
      : problem_(problem), launches_(launches) {
    const collide_rule &rule = problem.rule;
    kernel_ = kernels[rule.point.columns - 1][!rule.periodic];
    int resident = 0;
    GG_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel_, THREADS, 0));
    blocks_ = resident * problem.multiprocessors;
    if (!rule.periodic) make_filters();
  }

  int64_t run(const collide_sink &sink) override {
    const int64_t nx = problem_.x.points.n, ny = problem_.y.points.n;
    all_pairs_job job = {};
    job.x = problem_.x;
    job.y = problem_.y;
    job.rule = problem_.rule;
    job.sink = sink;
    job.filter_x = filter_x_.as<float4>();
    job.filter_y = problem_.rule.within ? job.filter_x : filter_y_.as<float4>();
    job.most = shape_.most;
    job.cyclic = problem_.algorithm == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC;
    job.segments = divide_up(nx, SEGMENT);
    const int64_t window = job.cyclic ? SEGMENT + ny / 2 : ny;
    /* Some items for each block, but none shorter than a tile. */
    const int64_t wanted = divide_up(job.segments * window, 8 * blocks_);
    job.part = round_up(smaller(wanted, LONGEST_PART), TILE);
    job.items = job.segments * divide_up(window, job.part);
    const collide_state done = launches_.run(job.items, true, 1, [&](collide_state *state) {
      job.state = state;
      kernel_<<<(unsigned)smaller(blocks_, job.items), THREADS, 0, launches_.stream()>>>(job);
    });
    return (int64_t)done.count;
  }

private:
  /* About a millisecond for a block, more if many pairs must be tested in double. */
  static constexpr int64_t LONGEST_PART = 8192;

  void make_filters() {
    shape_ = shape_filter(problem_);
    filter_x_.allocate(problem_.x.points.n * (int64_t)sizeof(float4));
    if (!problem_.rule.within) filter_y_.allocate(problem_.y.points.n * (int64_t)sizeof(float4));
    launches_.begin();
    make_filter(problem_.x.points, filter_x_);
    if (!problem_.rule.within) make_filter(problem_.y.points, filter_y_);
  }

  void make_filter(const point_columns &points, const device_memory &filter) {
    gpugeo::make_filter<<<blocks_for(points.n, THREADS), THREADS, 0, launches_.stream()>>>(
        points, problem_.rule.point.columns, shape_, filter.as<float4>());
  }

  const collide_problem problem_;
  collide_launches &launches_;
  all_pairs_kernel kernel_;
  int64_t blocks_;
  filter_shape shape_ = {};
  device_memory filter_x_, filter_y_;
};

} // namespace

std::unique_ptr<collide_search> search_all_pairs(const collide_problem &problem,
                                                 collide_launches &launches) {
  return std::unique_ptr<collide_search>(new all_pairs_search(problem, launches));
}

} // namespace gpugeo
