/*
 * The product of the sign matrix M with the distances, all 2^n rows of it.
 *
 * A row's sum has three parts: 2^6 sums of the lowest signs are in the registers of each thread,
 * already added to those of the signs in the thread's and the block's number; a loop visits 2^8
 * sums of the signs between them. A row then takes one addition and one comparison, both of which
 * the instruction VIADDMNMX does: 32-bit sums, rounded down, are shifted so that the range of
 * interest begins at 0. If the smallest of 64 of them, as unsigned numbers, is in the range, a warp
 * tests these rows together with all 64 bits.
 *
 * Correctness of the 32-bit filter, in units of 2^shift: a sum S is represented by F, the sum of
 * two numbers rounded down, so S / 2^shift - 2 < F <= S / 2^shift. From low <= S <= high follows
 * floor(low / 2^shift) - 1 <= F <= floor(high / 2^shift). F is known modulo 2^32, which is
 * sufficient not to miss a row if the range is narrower than that.
 *
 * Limited by the throughput of integer minima, 64 rows for each cycle and multiprocessor; an H200
 * reaches 92 percent of it. If most rows are found, testing them takes about 30 times as long.
 */
#include "cuda/dgp/exhaustive.cuh"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/dgp/ranges.cuh"

namespace gpugeo {
namespace {

enum {
  HELD_BITS = 6,   /* signs of the sums that a thread holds */
  THREAD_BITS = 8, /* signs of a thread's number */
  LOOP_BITS = 8,   /* signs of the loop */
  UNIT_BITS = HELD_BITS + THREAD_BITS + LOOP_BITS,
  HELD = 1 << HELD_BITS,
  THREADS = 1 << THREAD_BITS,
  LOOPS = 1 << LOOP_BITS,
  MOST_BITS = 64 /* signs of a row */
};
static_assert(HELD == 64 && LOOPS == THREADS, "how tables are filled and rows are settled");

/* The share of rows in a gap between ranges above which testing them takes longer than another
   walk. */
constexpr double GAP_SHARE = 1.0 / (1 << 12);

constexpr int64_t UNITS_MOST = 1 << 15;                  /* in a launch: 2^37 rows */
constexpr int64_t FOUND_LEAST = (int64_t)1 << UNIT_BITS; /* rows of a unit that may be wanted */

/* A unit is the 2^UNIT_BITS rows with the same high signs; each has a thread block. */
struct walk_job {
  int64_t d[MOST_BITS]; /* 0 from n on */
  uint64_t first_unit;
  uint64_t unit_rows; /* rows of a unit that are there: fewer than all where n < UNIT_BITS */
  int shift;
  uint32_t add, width; /* a sum F of the filter is of interest when F + add <= width, unsigned */
  int range_count;
  sum_range range[GG_DGP_WINDOWS];
};

/* Counts the rows that a walk finds. */
struct count_rows {
  gpugeo_uint128 *totals; /* of each range */
  uint32_t *unit_count;   /* of each unit and range, or NULL */
};
struct list_rows {
  const uint32_t *unit_count; /* of each unit and range */
  int which;                  /* range */
  const uint64_t *first_slot; /* of each unit's rows in `rows` */
  uint64_t *rows;
};

/* Calls found(row of the unit, range, true if it is in that range) with all lanes of a warp
   together, for all rows of the unit that may lie in a range. */
template <class Found> __device__ void walk_unit(const walk_job &job, Found found) {
  __shared__ int64_t held[HELD], loop[LOOPS];
  __shared__ uint32_t short_loop[LOOPS];
  const uint32_t thread = threadIdx.x, lane = thread % 32;
  const int64_t *d = job.d;
  if (thread < HELD) held[thread] = signed_sum(d, HELD_BITS, thread);
  loop[thread] = signed_sum(d + HELD_BITS + THREAD_BITS, LOOP_BITS, thread);
  short_loop[thread] = (uint32_t)(loop[thread] >> job.shift) + job.add;
  const int64_t base =
      signed_sum(d + HELD_BITS, THREAD_BITS, thread) +
      signed_sum(d + UNIT_BITS, MOST_BITS - UNIT_BITS, job.first_unit + blockIdx.x);
  __syncthreads();
  uint32_t short_held[HELD];
#pragma unroll
  for (int i = 0; i < HELD; ++i)
    short_held[i] = (uint32_t)((base + held[i]) >> job.shift);

  for (uint32_t h = 0; h < LOOPS; ++h) {
    const uint32_t here = short_loop[h];
    uint32_t least[4] = {~0u, ~0u, ~0u, ~0u};
#pragma unroll
    for (int i = 0; i < HELD; ++i)
      least[i % 4] = __viaddmin_u32(short_held[i], here, least[i % 4]);
    const uint32_t all = min(min(least[0], least[1]), min(least[2], least[3]));
    uint32_t lanes = __ballot_sync(~0u, all <= job.width);
    while (lanes) { /* settle the rows of one lane after the other, two in each lane */
      const int of = __ffs((int)lanes) - 1;
      lanes &= lanes - 1;
      const int64_t sum = __shfl_sync(~0u, base, of) + loop[h];
      const uint32_t first = (h << THREAD_BITS | (thread - lane + of)) << HELD_BITS;
      for (uint32_t i = lane; i < HELD; i += 32)
        for (int r = 0; r < job.range_count; ++r)
          found(first + i, r, first + i < job.unit_rows && job.range[r].holds(sum + held[i]));
    }
  }
}

__global__ void __launch_bounds__(THREADS, 2)
    walk(const __grid_constant__ walk_job job, const count_rows out) {
  uint32_t count[GG_DGP_WINDOWS] = {};
  walk_unit(job, [&](uint32_t, int range, bool inside) {
#pragma unroll
    for (int r = 0; r < GG_DGP_WINDOWS; ++r)
      count[r] += inside && r == range;
  });
#pragma unroll
  for (int r = 0; r < GG_DGP_WINDOWS; ++r) {
    if (r >= job.range_count) break;
    const uint32_t sum = block_sum_before<THREADS>(count[r]) + count[r];
    if (threadIdx.x != THREADS - 1) continue; /* the last one has the sum of all */
    if (sum) add_count(out.totals + r, sum);
    if (out.unit_count) out.unit_count[(int64_t)blockIdx.x * job.range_count + r] = sum;
  }
}

__global__ void __launch_bounds__(THREADS, 2)
    walk(const __grid_constant__ walk_job job, const list_rows out) {
  __shared__ unsigned int next;
  if (out.unit_count[(int64_t)blockIdx.x * job.range_count + out.which] == 0) return;
  if (threadIdx.x == 0) next = 0;
  /* walk_unit() comes to a barrier before it finds any. */
  uint64_t *rows = out.rows + out.first_slot[blockIdx.x];
  const uint64_t high = (job.first_unit + blockIdx.x) << UNIT_BITS;
  walk_unit(job, [&](uint32_t row, int range, bool inside) {
    if (range == out.which && inside) rows[atomicAdd(&next, 1u)] = high | row;
  });
}

/* Returns the number of bits of a value without leading zeros. */
int bits_of(uint64_t value) {
  int bits = 0;
  for (; value; value >>= 1)
    ++bits;
  return bits;
}

/* Returns the job for a group of ranges, without first_unit. */
walk_job make_job(const gg_dgp_plan &plan, const std::vector<sum_range> &ranges,
                  const range_group &group) {
  walk_job job = {};
  std::copy(plan.d, plan.d + plan.n, job.d);
  job.unit_rows = (uint64_t)1 << smaller(plan.n, UNIT_BITS);
  job.shift = (int)larger(0, bits_of((uint64_t)sum_of_distances(plan)) - 31);
  std::copy(ranges.begin() + group.first, ranges.begin() + group.end, job.range);
  job.range_count = group.end - group.first;
  const sum_range all = hull_of(ranges, group);
  const int64_t low = (all.low >> job.shift) - 1, high = all.high >> job.shift;
  job.add = (uint32_t)-low;
  job.width = (uint32_t)smaller(high - low, UINT32_MAX);
  return job;
}

/* The walk over all units, in several launches. */
class walker {
public:
  walker(const gg_dgp_plan &plan, cudaStream_t stream, gg_clock *clock)
      : plan_(plan), pieces_(stream, clock),
        units_(plan.n > UNIT_BITS ? (uint64_t)1 << (plan.n - UNIT_BITS) : 1),
        filled_(plan.window_count) {
    for (int w = 0; w < plan.window_count; ++w) {
      gg_dgp_window &window = plan.windows[w];
      window.count = gg_uint128_make(0, 0);
      if (window.capacity > 0) listing_ = true;
      const sum_range range = range_of(window, sum_of_distances(plan));
      if (range.low <= range.high) window_of_.push_back(w);
    }
    std::sort(window_of_.begin(), window_of_.end(),
              [&](int a, int b) { return plan.windows[a].low < plan.windows[b].low; });
    for (int w : window_of_)
      ranges_.push_back(range_of(plan.windows[w], sum_of_distances(plan)));
  }

  void run() {
    if (ranges_.empty()) return;
    totals_.allocate((int64_t)sizeof(gpugeo_uint128) * GG_DGP_WINDOWS);
    GG_CUDA(cudaMemsetAsync(totals_.as(), 0, sizeof(gpugeo_uint128) * GG_DGP_WINDOWS, stream()));
    if (listing_) {
      unit_count_.allocate(GG_DGP_WINDOWS * units_most() * (int64_t)sizeof(uint32_t));
      first_slot_.allocate(units_most() * (int64_t)sizeof(uint64_t));
    }
    const double all_rows = ldexp(mean_gap(plan_.d, plan_.n), plan_.n);
    const std::vector<range_group> groups = groups_of(ranges_, all_rows * GAP_SHARE);
    share_ = 1 / (double)groups.size();
    for (const range_group &group : groups) {
      walk_all(group);
      done_ += share_;
    }
    gpugeo_uint128 totals[GG_DGP_WINDOWS];
    GG_CUDA(cudaMemcpy(totals, totals_.as(), sizeof totals, cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < ranges_.size(); ++r)
      plan_.windows[window_of_[r]].count = totals[r];
  }

  double seconds() const { return pieces_.seconds(); }

private:
  cudaStream_t stream() const { return pieces_.stream(); }
  int64_t units_most() const { return (int64_t)std::min<uint64_t>(units_, UNITS_MOST); }
  double fraction() const { return done_ + share_ * ((double)job_.first_unit / (double)units_); }

  void walk_all(const range_group &group) {
    job_ = make_job(plan_, ranges_, group);
    first_range_ = group.first;
    for (uint64_t unit = 0; unit < units_; unit += (uint64_t)units_most()) {
      job_.first_unit = unit;
      const int64_t here = (int64_t)std::min<uint64_t>(units_ - unit, (uint64_t)units_most());
      pieces_.begin(fraction());
      walk<<<(unsigned)here, THREADS, 0, stream()>>>(
          job_, count_rows{totals_.as<gpugeo_uint128>() + group.first, unit_count_.as<uint32_t>()});
      pieces_.end();
      if (listing_) list_found(here);
    }
    pieces_.drain(fraction());
  }

  /* Copies the rows found by the last launch, of so many units, to the windows with room. */
  void list_found(int64_t units) {
    const size_t ranges = (size_t)job_.range_count;
    pieces_.drain(fraction());
    std::vector<uint32_t> count(ranges * (size_t)units);
    GG_CUDA(cudaMemcpy(count.data(), unit_count_.as(), count.size() * sizeof(uint32_t),
                       cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < ranges; ++r)
      list_range((int)r, count, units);
  }

  /* Copies those of the job's r-th range: as many units at a time as fit into rows_. */
  void list_range(int r, const std::vector<uint32_t> &count, int64_t units) {
    const int64_t ranges = job_.range_count;
    walk_job job = job_;
    int64_t from = 0;
    while (from < units && room(r) > 0) {
      std::vector<uint64_t> first_slot;
      int64_t total = 0, end = from;
      for (; end < units && total + count[(size_t)(end * ranges + r)] <= FOUND_LEAST; ++end) {
        first_slot.push_back((uint64_t)total);
        total += count[(size_t)(end * ranges + r)];
      }
      if (total > 0) {
        if (!rows_.as()) rows_.allocate(FOUND_LEAST * (int64_t)sizeof(uint64_t));
        copy_in(first_slot_.as(), first_slot.data(), first_slot.size() * sizeof(uint64_t));
        job.first_unit = job_.first_unit + (uint64_t)from;
        pieces_.begin(fraction());
        walk<<<(unsigned)(end - from), THREADS, 0, stream()>>>(
            job, list_rows{unit_count_.as<uint32_t>() + from * ranges, r,
                           first_slot_.as<uint64_t>(), rows_.as<uint64_t>()});
        pieces_.end();
        pieces_.drain(fraction());
        take_rows(r, total);
      }
      from = end;
    }
  }

  int64_t room(int r) const {
    const int w = window_of_[(size_t)(first_range_ + r)];
    return plan_.windows[w].capacity - filled_[(size_t)w];
  }

  void take_rows(int r, int64_t total) {
    std::vector<uint64_t> rows((size_t)smaller(total, room(r)));
    GG_CUDA(cudaMemcpy(rows.data(), rows_.as(), rows.size() * sizeof(uint64_t),
                       cudaMemcpyDeviceToHost));
    const int w = window_of_[(size_t)(first_range_ + r)];
    for (uint64_t row : rows)
      plan_.windows[w].rows[filled_[(size_t)w]++] = gg_uint128_make(row, 0);
  }

  const gg_dgp_plan &plan_;
  pieces pieces_;
  const uint64_t units_;
  std::vector<sum_range> ranges_;
  std::vector<int> window_of_;  /* of each range */
  std::vector<int64_t> filled_; /* rows written to each window */
  bool listing_ = false;
  walk_job job_ = {};
  int first_range_ = 0; /* of the job */
  double done_ = 0, share_ = 1;
  device_memory totals_, unit_count_, first_slot_, rows_;
};

} // namespace

void dgp_exhaustive(const gg_dgp_plan &plan, call &call) {
  if (plan.n > MOST_BITS) throw std::runtime_error("exhaustive search ends at 64 distances");
  device_resources &resources = resources_for(plan.device);
  walker all(plan, resources.compute[0], call.clock);
  finish_streams finish(resources);
  all.run();
  call.report->device_seconds += all.seconds();
}

} // namespace gpugeo
