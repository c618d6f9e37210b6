/*
 * What distances depend on, found out where the points are: missing, infinite and huge values,
 * points without any distance, and of each coordinate its standard deviation, or its extent and
 * whether its values are those of its type. All bits are those of the core (inspect.c,
 * missing_rows.c, covariance.c, gower.c).
 *
 * The points stay on the device, where there is room, so that whoever computes distances need not
 * bring them again. Points that do not fit are left to the host.
 *
 * Limited by the link. Sums of deviations are limited by the latency of one addition after another,
 * as in whitening.cu.
 */
#include <vector>

#include "common/inspect.h"
#include "common/matrix.h"
#include "cuda/common/block_reduce.cuh"
#include "cuda/common/sort.cuh"
#include "cuda/common/team.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/distance/moments.cuh"
#include "distance/point_facts.h"

namespace gpugeo {
namespace {

enum { THREADS = 256 };
constexpr int64_t SLOT_BYTES = 1 << 24; /* of pinned memory */
constexpr int64_t POINTS = 1 << 17;     /* uploaded together */
constexpr unsigned FLAG_BLOCKS = 8192;  /* at most, that look for flags */
constexpr int64_t KEPT_SHARE = 8;       /* points are kept in this part of the free memory */
constexpr int64_t MIB = 1 << 20;

/* Points on the device: coordinate k of point i is at z[i + k * ld]. */
struct points_view {
  double *z;
  int64_t ld, n, m;
};

/* Returns the flags of a value. */
__device__ __forceinline__ int flags_of(double value) {
  if (isnan(value)) return GG_HAS_MISSING;
  if (isinf(value)) return GG_HAS_INFINITE;
  return isinf((float)value) ? GG_HAS_HUGE : 0;
}

/* Adds the flags of all values to *found. */
__global__ void __launch_bounds__(THREADS) find_flags(const points_view p, int32_t *found) {
  int flags = 0;
  for (int64_t i = this_item(); i < p.n; i += (int64_t)gridDim.x * THREADS)
    for (int64_t k = blockIdx.y; k < p.m; k += gridDim.y)
      flags |= flags_of(p.z[i + k * p.ld]);
  if (flags) atomicOr(found, flags);
}

/* True if a point still has no distance after another value; *first: its first value that is not
   missing, or NaN. */
__device__ __forceinline__ bool still_without(gg_row_test test, double value, double *first) {
  if (test == GG_ROW_NOT_FINITE) return isfinite(value);
  if (isnan(value)) return true;
  if (isnan(*first)) *first = value;
  return test == GG_ROW_CONSTANT ? value == *first : test == GG_ROW_ZERO && value == 0;
}

/* Marks points without any distance, and adds their reasons. A point is looked through until it is
   known to have distances; with GG_ROW_NOT_FINITE, until it is known to have none. */
__global__ void __launch_bounds__(THREADS)
    mark_points(const points_view p, gg_row_test test, int32_t *without, int32_t *reasons) {
  const int64_t i = this_item();
  if (i >= p.n) return;
  double first = NAN;
  int64_t k = 0;
  while (k < p.m && still_without(test, p.z[i + k * p.ld], &first))
    ++k;
  const bool marked = test == GG_ROW_NOT_FINITE ? k < p.m : k == p.m;
  without[i] = marked;
  if (!marked) return;
  const int32_t reason = test == GG_ROW_NOT_FINITE ? GPUGEO_MISSING_NOT_FINITE
                         : isnan(first)            ? GPUGEO_MISSING_EMPTY
                         : test == GG_ROW_ZERO     ? GPUGEO_MISSING_ZERO
                                                   : GPUGEO_MISSING_CONSTANT;
  atomicOr(reasons, reason);
}

/* Lists the first marked points. before[i]: marked points before point i. */
__global__ void list_marked(const int32_t *marked, const int32_t *before, int64_t n,
                            int64_t *first) {
  const int64_t i = this_item();
  if (i < n && marked[i] && before[i] < GPUGEO_MISSING_ROWS_MAX) first[before[i]] = i;
}

/* --- Coordinates ------------------------------------------------------------------------------ */

/* Begins the moments of a coordinate, one for each thread block: its first value that is not
   missing, 0 if it has none, and the number of such values. */
__global__ void __launch_bounds__(THREADS) start_moments(const moment_view p, double *count) {
  const int64_t k = blockIdx.x;
  const double *value = p.z + k * p.ld;
  int64_t there = 0, first = INT64_MAX;
  for (int64_t i = threadIdx.x; i < p.count; i += THREADS) {
    if (isnan(value[i])) continue;
    if (there++ == 0) first = i;
  }
  there = block_reduce<THREADS>(there, [](int64_t a, int64_t b) { return a + b; });
  first = block_reduce<THREADS>(first, [](int64_t a, int64_t b) { return a < b ? a : b; });
  if (threadIdx.x > 0) return;
  count[k] = (double)there;
  p.first[k] = there > 0 ? value[first] : 0;
  p.centre[k] = 0;
}

__global__ void move_centre(const moment_view p, const double *count) {
  const int64_t k = this_item();
  if (k < p.m) p.centre[k] += p.sum[k] / count[k];
}

__global__ void take_deviation(const moment_view p, const double *count, double *deviation) {
  const int64_t k = this_item();
  if (k < p.m) deviation[k] = sqrt(p.sum[k] / (count[k] - 1));
}

/* True if a value is one of a column's type. */
__device__ __forceinline__ bool fits_type(int type, double value) {
  if (type == GPUGEO_COLUMN_NUMERIC || isnan(value)) return true;
  if (type == GPUGEO_COLUMN_NOMINAL) return value == floor(value) && fabs(value) <= 0x1p53;
  return value == 0 || value == 1;
}

/* Writes minimum and maximum of a numeric coordinate, 0 for others, to extent, and the first point
   whose value is none of the type, or -1, and the value to unfit. A thread block has one. */
__global__ void __launch_bounds__(THREADS)
    find_extents(const points_view p, const double *types, double *extent, double *unfit) {
  const int64_t k = blockIdx.x;
  const int type = types ? (int)types[k] : GPUGEO_COLUMN_NUMERIC;
  const double *value = p.z + k * p.ld;
  double low = INFINITY, high = -INFINITY;
  int64_t first = INT64_MAX;
  for (int64_t i = threadIdx.x; i < p.n; i += THREADS) {
    const double v = value[i];
    if (first == INT64_MAX && !fits_type(type, v)) first = i;
    if (!isfinite(v)) continue;
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  low = block_reduce<THREADS>(low, [](double a, double b) { return b < a ? b : a; });
  high = block_reduce<THREADS>(high, [](double a, double b) { return b > a ? b : a; });
  first = block_reduce<THREADS>(first, [](int64_t a, int64_t b) { return a < b ? a : b; });
  if (threadIdx.x > 0) return;
  const bool none = type != GPUGEO_COLUMN_NUMERIC || low > high;
  extent[2 * k] = none ? 0 : low;
  extent[2 * k + 1] = none ? 0 : high;
  unfit[2 * k] = first == INT64_MAX ? -1 : (double)first;
  unfit[2 * k + 1] = first == INT64_MAX ? 0 : value[first];
}

/* --- A job ------------------------------------------------------------------------------------ */

class inspection {
public:
  inspection(const gg_inspect_plan &plan, const worker &here)
      : plan_(plan), here_(here), stream_(here.resources->upload),
        n_(gg_point_count(&plan.x, plan.points)), m_(gg_point_size(&plan.x, plan.points)),
        ld_(round_up(n_, 16)) {}

  /* True if so much device memory is enough. */
  bool fits(int64_t budget) const {
    return n_ <= INT32_MAX && point_bytes() + 16 * n_ + 8 * 8 * m_ +
                                      uploader::device_bytes(plan_.points, SLOT_BYTES, false) +
                                      MIB <=
                                  budget;
  }

  void run(gg_point_facts &facts) {
    finish_streams finish(*here_.resources);
    bring_points();
    facts.found = find();
    facts.rows.points = n_;
    const gg_row_test test = gg_row_test_of(plan_.metric, facts.found);
    if (test != GG_ROW_NONE) find_rows(test, facts.rows);
    if (plan_.columns == GG_COLUMNS_MOMENTS) find_moments(facts.columns);
    if (plan_.columns == GG_COLUMNS_EXTENTS) find_column_extents(facts.columns);
    facts.done = true;
  }

  /* Leaves the points to the caller if they take a small part of the memory. */
  void keep_points(int64_t budget, gg_brought_points &kept) {
    if (point_bytes() > budget / KEPT_SHARE) return;
    kept.device = here_.device;
    kept.ld = ld_;
    kept.data = z_.give_up();
  }

private:
  int64_t point_bytes() const { return ld_ * m_ * (int64_t)sizeof(double); }
  points_view view() const { return {z_.as<double>(), ld_, n_, m_}; }

  /* Waits for all that was launched. */
  void settle() {
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaEventRecord(launched_, stream_));
    wait(launched_, here_.clock, 0);
  }

  void bring_points() {
    z_.allocate(point_bytes());
    uploader loader(*here_.resources, plan_.points, m_, plan_.threads, here_.clock, SLOT_BYTES);
    for (int64_t i = 0; i < n_; i += POINTS)
      loader.load(plan_.x, i, smaller(POINTS, n_ - i), z_.as<double>() + i, ld_, 0);
    settle();
  }

  /* Returns the flags of all values. */
  int find() {
    found_.allocate(2 * sizeof(int32_t));
    int32_t *found = found_.as<int32_t>();
    GG_CUDA(cudaMemsetAsync(found, 0, 2 * sizeof *found, stream_));
    const unsigned blocks = (unsigned)smaller(blocks_for(n_, THREADS), FLAG_BLOCKS);
    const unsigned lines = (unsigned)larger(1, smaller(m_, FLAG_BLOCKS / blocks));
    find_flags<<<dim3(blocks, lines), THREADS, 0, stream_>>>(view(), found);
    GG_CUDA(cudaGetLastError());
    return fetched(found, stream_);
  }

  void find_rows(gg_row_test test, gg_missing_rows &rows) {
    const int64_t bytes = n_ * (int64_t)sizeof(int32_t), most = GPUGEO_MISSING_ROWS_MAX;
    marked_.allocate(bytes);
    before_.allocate(bytes);
    first_.allocate(most * (int64_t)sizeof(int64_t));
    int32_t *marked = marked_.as<int32_t>(), *before = before_.as<int32_t>();
    const unsigned blocks = blocks_for(n_, THREADS);
    mark_points<<<blocks, THREADS, 0, stream_>>>(view(), test, marked, found_.as<int32_t>() + 1);
    size_t scratch_bytes = 0;
    exclusive_sum(nullptr, scratch_bytes, marked, before, n_, stream_);
    scratch_.allocate((int64_t)scratch_bytes);
    exclusive_sum(scratch_.as(), scratch_bytes, marked, before, n_, stream_);
    list_marked<<<blocks, THREADS, 0, stream_>>>(marked, before, n_, first_.as<int64_t>());
    settle();
    rows.count = fetched(before + n_ - 1, stream_) + fetched(marked + n_ - 1, stream_);
    rows.reasons = fetched(found_.as<int32_t>() + 1, stream_);
    GG_CUDA(cudaMemcpyAsync(rows.first, first_.as(),
                            (size_t)smaller(rows.count, most) * sizeof(int64_t),
                            cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
  }

  /* Numbers and deviations, m each. */
  void find_moments(double *columns) {
    numbers_.allocate(5 * m_ * (int64_t)sizeof(double));
    double *count = number(0), *deviation = number(1);
    const moment_view p = {z_.as<double>(), ld_, n_, m_, nullptr, number(2), number(3), number(4)};
    const unsigned each = blocks_for(m_, THREADS), sums = blocks_for(m_, SUM_COLUMNS);
    start_moments<<<(unsigned)m_, THREADS, 0, stream_>>>(p, count);
    for (int pass = 0; pass < 2; ++pass) {
      sum_deviations<false><<<sums, SUM_THREADS, 0, stream_>>>(p);
      move_centre<<<each, THREADS, 0, stream_>>>(p, count);
    }
    sum_deviations<true><<<sums, SUM_THREADS, 0, stream_>>>(p);
    take_deviation<<<each, THREADS, 0, stream_>>>(p, count, deviation);
    settle();
    take_back(columns, 2 * m_);
  }

  /* Extents and what does not fit, 2 m each. */
  void find_column_extents(double *columns) {
    numbers_.allocate(5 * m_ * (int64_t)sizeof(double));
    double *types = plan_.types ? number(4) : nullptr;
    if (types) copy_in(types, plan_.types, (size_t)m_ * sizeof *types);
    find_extents<<<(unsigned)m_, THREADS, 0, stream_>>>(view(), types, number(0), number(2));
    settle();
    take_back(columns, 4 * m_);
  }

  double *number(int i) const { return numbers_.as<double>() + i * m_; }

  void take_back(double *columns, int64_t count) {
    GG_CUDA(cudaMemcpyAsync(columns, numbers_.as(), (size_t)count * sizeof *columns,
                            cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
  }

  const gg_inspect_plan &plan_;
  const worker &here_;
  cudaStream_t stream_;
  const int64_t n_, m_, ld_;
  event launched_;
  device_memory z_, found_, marked_, before_, first_, scratch_, numbers_;
};

} // namespace

gpugeo_status inspect_points(const gg_inspect_plan &plan, gg_point_facts *facts, call &call) {
  team &team = call.workers();
  const int64_t budget = team.least_budget(plan.work_bytes);
  team.run([&](const worker &here) {
    inspection job(plan, here);
    if (!job.fits(budget)) return;
    job.run(*facts);
    job.keep_points(budget, facts->brought);
  });
  return GPUGEO_OK;
}

void free_points(gg_brought_points &points) {
  int previous = current_device();
  (void)cudaSetDevice(points.device);
  (void)cudaFree(points.data);
  if (previous >= 0) (void)cudaSetDevice(previous);
  points.data = nullptr;
}

} // namespace gpugeo
