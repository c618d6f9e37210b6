/*
 * Mantel tests with the condensed distances of all sides in the device's memory: 4 n^2 bytes each.
 *
 * A thread block has one row of x in shared memory, or in memory of its own if it is too long, for
 * all permutations of a batch. Each warp takes one permutation at a time: it reads the row of y of
 * the point at the position of the row's point in order, and gathers the elements of x.
 *
 * Limit: device memory, which has 8 bytes of y for each product, since permutations have the point
 * elsewhere. 25,145 points and 1,000 permutations are 3.2e11 products, 2.5 TB. The gathers of
 * a warp take about 6 cycles of shared memory, less than half of that time.
 */
#include <cstring>
#include <vector>

#include "cuda/common/launch.cuh"
#include "cuda/ordination/tested.cuh"
#include "ordination/mantel.h"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t OTHER_BYTES = 512 * MIB; /* of orders, sums of rows, and rows of blocks */
constexpr double LAUNCH_PRODUCTS = 2e10;   /* bounds the delay of an interrupt: some 50 ms */

enum {
  LANES = GG_MANTEL_LANES,
  CHUNK = GG_MANTEL_CHUNK,
  THREADS = 1024,
  UNROLLED = 8, /* products of a lane whose loads are under way together */
  MOST_BATCH = 512,
  MANY = 256
};
static_assert(LANES == 32, "a lane is a thread of a warp");

/* Adds the lanes of a warp in the order of the plan; lane 0 gets the sum. */
__device__ __forceinline__ double add_lanes(double sum) {
#pragma unroll
  for (int half = LANES / 2; half > 0; half /= 2)
    sum += __shfl_down_sync(~0u, sum, half);
  return sum;
}

/* --- Standardized distances ------------------------------------------------------------------- */

/* A pass over a side: see gg_mantel_pass. */
struct pass_job {
  gg_mantel_pass pass;
  double *v;
  const double *other;
  double number;
  int64_t count;
  double *sum; /* of each chunk */
};

template <gg_mantel_pass PASS>
__device__ __forceinline__ double term_of(const pass_job &job, int64_t k) {
  const double v = job.v[k];
  if (PASS == GG_MANTEL_SUM) return v - job.number;
  if (PASS == GG_MANTEL_PRODUCT) return v * job.other[k];
  const double changed = PASS == GG_MANTEL_CENTER ? v - job.number : v / job.number;
  job.v[k] = changed;
  return PASS == GG_MANTEL_CENTER ? changed * changed : 0;
}

/* A warp takes a chunk. */
template <gg_mantel_pass PASS>
__global__ void __launch_bounds__(MANY) add_chunks(const pass_job job) {
  const int64_t first = this_item() / LANES * CHUNK;
  if (first >= job.count) return;
  const int64_t last = smaller(first + CHUNK, job.count);
  double sum = 0;
#pragma unroll 4
  for (int64_t k = first + threadIdx.x % LANES; k < last; k += LANES)
    sum += term_of<PASS>(job, k);
  sum = add_lanes(sum);
  if (threadIdx.x % LANES == 0) job.sum[first / CHUNK] = sum;
}

/* Sets *found to 1 if not all values are equal. */
__global__ void __launch_bounds__(MANY) find_unequal(const double *v, int64_t count, int *found) {
  const double first = v[0];
  bool unequal = false;
  for (int64_t k = this_item(); k < count; k += (int64_t)gridDim.x * blockDim.x)
    unequal = unequal || v[k] != first;
  if (unequal) *found = 1;
}

/* --- Permutations ----------------------------------------------------------------------------- */

/* Permutations of a batch: point index[i + s * n] of x is at position i, and point r at
   place[s + r * count]. */
struct batch_view {
  int64_t n, count;
  uint16_t *index, *place;
};

/* Takes the permutations as the plan has them, the first of which is left out if `as_is`: it leaves
   the points where they are. */
__global__ void __launch_bounds__(MANY)
    make_batch(const batch_view batch, const int32_t *order, bool as_is) {
  const int64_t i = this_item(), s = blockIdx.y;
  if (i >= batch.n) return;
  const int64_t point = as_is && s == 0 ? i : order[(s - as_is) * batch.n + i];
  batch.index[i + s * batch.n] = (uint16_t)point;
  batch.place[s + point * batch.count] = (uint16_t)i;
}

/* --- Sums of products ------------------------------------------------------------------------- */

struct rows_job {
  batch_view batch;
  const double *x, *y; /* condensed */
  int64_t first, end;  /* rows of x */
  double *rows;        /* n for each thread block, if they do not fit into shared memory */
  double *sum;         /* of row r and permutation s: at [s + (r - first) * count] */
};

/* Returns the sum of row[index[k]] * y[k] to lane 0. */
__device__ __forceinline__ double add_row(const double *row, const uint16_t *index, const double *y,
                                          int count) {
  double sum = 0;
  int k = (int)threadIdx.x % LANES;
  for (; k + LANES * (UNROLLED - 1) < count; k += LANES * UNROLLED) {
    double value[UNROLLED];
    int at[UNROLLED];
#pragma unroll
    for (int u = 0; u < UNROLLED; ++u) {
      value[u] = __ldcs(y + k + LANES * u);
      at[u] = index[k + LANES * u];
    }
#pragma unroll
    for (int u = 0; u < UNROLLED; ++u)
      sum += row[at[u]] * value[u];
  }
  for (; k < count; k += LANES)
    sum += row[index[k]] * y[k];
  return add_lanes(sum);
}

/* Takes rows of x, one after the other. */
template <bool SHARED> __global__ void __launch_bounds__(THREADS, 1) add_rows(const rows_job job) {
  extern __shared__ double shared_row[];
  __shared__ int next;
  const batch_view batch = job.batch;
  const int64_t n = batch.n;
  const pair_block all = all_pairs(n);
  double *const row = SHARED ? shared_row : job.rows + blockIdx.x * n;
  for (int64_t r = job.first + blockIdx.x; r < job.end; r += gridDim.x) {
    __syncthreads();
    for (int64_t j = threadIdx.x; j < n; j += THREADS)
      row[j] = j == r ? 0 : job.x[all.offset(smaller(j, r)) + (j < r ? r - j : j - r) - 1];
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    for (;;) {
      int s = 0;
      if (threadIdx.x % LANES == 0) s = atomicAdd(&next, 1);
      s = __shfl_sync(~0u, s, 0);
      if (s >= batch.count) break;
      const int64_t at = batch.place[s + r * batch.count];
      const double sum =
          add_row(row, batch.index + s * n + at + 1, job.y + all.offset(at), (int)(n - 1 - at));
      if (threadIdx.x % LANES == 0) job.sum[s + (r - job.first) * batch.count] = sum;
    }
  }
}

/* Adds the sums of rows to those of the permutations, in the order of the rows. */
__global__ void __launch_bounds__(MANY)
    add_to_sums(const double *row_sum, int64_t rows, int64_t count, double *sum) {
  const int64_t s = this_item();
  if (s >= count) return;
  double all = sum[s];
#pragma unroll 16
  for (int64_t r = 0; r < rows; ++r)
    all += row_sum[s + r * count];
  sum[s] = all;
}

/* --- A call ----------------------------------------------------------------------------------- */

/* Returns the distances of a side. */
tested_source source_of(const gg_mantel_plan &plan, int s) {
  return {&plan.source[s], plan.points[s], plan.name[s], false, true, plan.ranked, true};
}

/* Returns the bytes of device memory that a test takes. */
int64_t needed_bytes(const gg_mantel_plan &plan) {
  int64_t kept = 0;
  for (int s = 0; s < plan.sides - 1; ++s)
    kept += tested_distances::kept_bytes(source_of(plan, s));
  const tested_source last = source_of(plan, plan.sides - 1);
  return kept + larger(tested_distances::device_bytes(last) + tested_distances::LEAST_REST,
                       tested_distances::kept_bytes(last) + OTHER_BYTES);
}

class mantel_test {
public:
  mantel_test(const gg_mantel_plan &plan, const worker &here, gpugeo_error *error)
      : plan_(plan), here_(here), error_(error), pairs_(plan.n * (plan.n - 1) / 2),
        all_(1 + plan.permutations), pieces_(here.resources->compute[0], here.clock),
        finish_(*here.resources) {}

  /* Returns the core's errors about distances. */
  gpugeo_status run();

private:
  void standardize(int s);
  bool all_equal(const double *v);
  double run_pass(gg_mantel_pass pass, double *v, const double *other, double number);
  void choose_sizes();
  void bring_batch(int64_t first, int64_t count);
  void add_side(int s, int64_t first, int64_t count);
  void launch_rows(const rows_job &job);
  double *side(int s) const { return side_[s].own_values(); }
  cudaStream_t stream() const { return pieces_.stream(); }
  double fraction() const {
    return gg_mantel_sums_begin +
           (1 - gg_mantel_sums_begin) * products_ / ((double)(plan_.sides - 1) * (double)all_);
  }

  const gg_mantel_plan &plan_;
  const worker &here_;
  gpugeo_error *error_;
  const int64_t pairs_, all_; /* all_: sums with y */
  int64_t most_ = 1;          /* permutations of a batch */
  int64_t rows_ = 1;          /* of a launch */
  unsigned blocks_ = 1;
  bool shared_ = true;
  double products_ = 0; /* sums that are done */
  tested_distances side_[GG_MANTEL_SIDES];
  device_memory chunk_, found_, order_, index_, place_, row_sum_, row_, sum_;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

gpugeo_status mantel_test::run() {
  chunk_.allocate(divide_up(pairs_, CHUNK) * (int64_t)sizeof(double));
  found_.allocate(sizeof(int));
  for (int s = 0; s < plan_.sides; ++s) {
    const gpugeo_status status =
        side_[s].bring(source_of(plan_, s), here_, pieces_, s * gg_mantel_side_share,
                       gg_mantel_side_share, error_);
    if (status) return status;
    standardize(s);
  }
  if (plan_.sides > 2) *plan_.yz = run_pass(GG_MANTEL_PRODUCT, side(1), side(2), 0);
  choose_sizes();
  for (int64_t first = 0; first < all_; first += most_) {
    const int64_t count = smaller(most_, all_ - first);
    bring_batch(first, count);
    for (int s = 1; s < plan_.sides; ++s)
      add_side(s, first, count);
  }
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

/* --- Standardizing ---------------------------------------------------------------------------- */

double mantel_test::run_pass(gg_mantel_pass pass, double *v, const double *other, double number) {
  const int64_t chunks = divide_up(pairs_, CHUNK);
  const pass_job job = {pass, v, other, number, pairs_, chunk_.as<double>()};
  const unsigned blocks = blocks_for(chunks * LANES, MANY);
  pieces_.begin(fraction());
  switch (pass) {
  case GG_MANTEL_SUM:
    add_chunks<GG_MANTEL_SUM><<<blocks, MANY, 0, stream()>>>(job);
    break;
  case GG_MANTEL_CENTER:
    add_chunks<GG_MANTEL_CENTER><<<blocks, MANY, 0, stream()>>>(job);
    break;
  case GG_MANTEL_SCALE:
    add_chunks<GG_MANTEL_SCALE><<<blocks, MANY, 0, stream()>>>(job);
    break;
  case GG_MANTEL_PRODUCT:
    add_chunks<GG_MANTEL_PRODUCT><<<blocks, MANY, 0, stream()>>>(job);
  }
  pieces_.end();
  pieces_.drain(fraction());
  std::vector<double> sum((size_t)chunks);
  GG_CUDA(cudaMemcpy(sum.data(), job.sum, sum.size() * sizeof sum[0], cudaMemcpyDeviceToHost));
  return gg_mantel_add(sum.data(), chunks);
}

bool mantel_test::all_equal(const double *v) {
  int found = 0;
  copy_in(found_.as(), &found, sizeof found);
  const unsigned blocks = (unsigned)smaller(divide_up(pairs_, MANY), 1 << 12);
  pieces_.begin(fraction());
  find_unequal<<<blocks, MANY, 0, stream()>>>(v, pairs_, found_.as<int>());
  pieces_.end();
  pieces_.drain(fraction());
  GG_CUDA(cudaMemcpy(&found, found_.as(), sizeof found, cudaMemcpyDeviceToHost));
  return !found;
}

void mantel_test::standardize(int s) {
  double *v = side(s);
  const double count = (double)pairs_;
  const bool equal = all_equal(v);
  double mean = run_pass(GG_MANTEL_SUM, v, nullptr, 0) / count;
  mean += run_pass(GG_MANTEL_SUM, v, nullptr, mean) / count;
  const double squares = run_pass(GG_MANTEL_CENTER, v, nullptr, mean);
  run_pass(GG_MANTEL_SCALE, v, nullptr, equal ? NAN : sqrt(squares));
}

/* --- Batches ---------------------------------------------------------------------------------- */

void mantel_test::choose_sizes() {
  const int64_t n = plan_.n, value = sizeof(double), bytes = n * value;
  const int device = here_.device;
  const int64_t batches = divide_up(all_, MOST_BATCH);
  most_ = divide_up(all_, batches);
  shared_ = bytes + 1024 <= attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  int resident = 1; /* blocks of a multiprocessor */
  if (shared_) {
    GG_CUDA(cudaFuncSetAttribute(add_rows<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)bytes));
    GG_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add_rows<true>, THREADS,
                                                          (size_t)bytes));
  }
  blocks_ = (unsigned)smaller(n, (int64_t)larger(resident, 1) *
                                     attribute(cudaDevAttrMultiProcessorCount, device));
  const double fit = LAUNCH_PRODUCTS / ((double)n / 2 * (double)most_ * blocks_);
  const int64_t room = OTHER_BYTES / 4 / (most_ * value * blocks_);
  rows_ = smaller(n, blocks_ * larger(1, smaller((int64_t)fit, room)));
  order_.allocate(most_ * n * (int64_t)sizeof(int32_t));
  index_.allocate(most_ * n * (int64_t)sizeof(uint16_t));
  place_.allocate(most_ * n * (int64_t)sizeof(uint16_t));
  row_sum_.allocate(rows_ * most_ * value);
  row_.allocate(shared_ ? 1 : blocks_ * bytes);
  sum_.allocate(most_ * value);
}

/* Copies the permutations of sums [first, first + count) to the device. */
void mantel_test::bring_batch(int64_t first, int64_t count) {
  const int64_t n = plan_.n, as_is = first == 0, given = count - as_is;
  if (gg_clock_poll(here_.clock, fraction())) throw interrupted();
  if (given > 0)
    copy_in(order_.as(), plan_.order + (first + as_is - 1) * n,
            (size_t)(given * n) * sizeof(int32_t));
  const batch_view batch = {n, count, index_.as<uint16_t>(), place_.as<uint16_t>()};
  pieces_.begin(fraction());
  make_batch<<<dim3(blocks_for(n, MANY), (unsigned)count), MANY, 0, stream()>>>(
      batch, order_.as<int32_t>(), as_is > 0);
  pieces_.end();
}

void mantel_test::launch_rows(const rows_job &job) {
  const unsigned blocks = (unsigned)smaller(blocks_, job.end - job.first);
  const size_t bytes = shared_ ? (size_t)plan_.n * sizeof(double) : 0;
  if (shared_)
    add_rows<true><<<blocks, THREADS, bytes, stream()>>>(job);
  else
    add_rows<false><<<blocks, THREADS, 0, stream()>>>(job);
  GG_CUDA(cudaGetLastError());
  add_to_sums<<<blocks_for(job.batch.count, MANY), MANY, 0, stream()>>>(
      job.sum, job.end - job.first, job.batch.count, sum_.as<double>());
}

/* Computes the sums [first, first + count) of products with side s. */
void mantel_test::add_side(int s, int64_t first, int64_t count) {
  const int64_t n = plan_.n;
  GG_CUDA(cudaMemsetAsync(sum_.as(), 0, (size_t)count * sizeof(double), stream()));
  rows_job job = {};
  job.batch = {n, count, index_.as<uint16_t>(), place_.as<uint16_t>()};
  job.x = side(0);
  job.y = side(s);
  job.rows = row_.as<double>();
  job.sum = row_sum_.as<double>();
  for (job.first = 0; job.first < n; job.first = job.end) {
    job.end = smaller(n, job.first + rows_);
    pieces_.begin(fraction());
    launch_rows(job);
    pieces_.end();
    products_ += (double)count * (double)(job.end - job.first) / (double)n;
  }
  pieces_.drain(fraction());
  GG_CUDA(cudaMemcpy(plan_.sums + (s - 1) * all_ + first, sum_.as(), (size_t)count * sizeof(double),
                     cudaMemcpyDeviceToHost));
}

} // namespace

gpugeo_status mantel(const gg_mantel_plan &plan, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    status = check_room("the test", plan.n, needed_bytes(plan), here.device, call.error);
    if (!status) status = mantel_test(plan, here, call.error).run();
  });
  return status;
}

} // namespace gpugeo
