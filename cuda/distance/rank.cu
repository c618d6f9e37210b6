/*
 * Spearman correlations of pairs of columns with missing values, ranked for each pair separately,
 * with a thread block for each pair.
 *
 * The ranks among the observations that both columns have follow from each column's own order: the
 * first so many of them in that order are counted once, and a rank is then read off the counts at
 * the beginning and at the end of its ties. All sums are of whole numbers, so that their order does
 * not matter.
 *
 * Limited by the gathers, of ten numbers for each observation and pair, from shared memory or the
 * caches.
 */
#include "cuda/common/launch.cuh"
#include "cuda/distance/column_pairs.cuh"
#include "distance/rank.h"

namespace gpugeo {
namespace {

enum { THREADS = 128, WARPS = THREADS / 32 };

/* Some columns on the device, from column `first` on; see gg_rank_order. */
struct order_view {
  const int32_t *order, *first_of, *last_of;
  int64_t first;
};

struct rank_job {
  order_view x, y;
  int64_t n;
  pair_block block;
  int64_t first_pair, pairs;
  int32_t *scratch; /* 2 (n + 1) counts for each thread block, or NULL: in shared memory */
  void *out;
  bool to_float;
  double missing;
  int32_t *flat; /* set to 1 when a column is constant on the observations of a pair */
};

/* Sets before[t] to the number of the first t observations in `order` that both columns have,
   for t up to n. All threads of the block call it. Returns their number among all. */
__device__ int32_t count_common(const int32_t *order, const int32_t *first_x,
                                const int32_t *first_y, int64_t n, int32_t *before) {
  __shared__ int32_t in_warp[WARPS];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int32_t count = 0;
  for (int64_t t0 = 0; t0 < n; t0 += THREADS) {
    const int64_t t = t0 + threadIdx.x;
    bool common = false;
    if (t < n) {
      const int32_t k = order[t];
      common = first_x[k] >= 0 && first_y[k] >= 0;
    }
    const unsigned votes = __ballot_sync(~0u, common);
    if (lane == 0) in_warp[warp] = __popc(votes);
    __syncthreads();
    int32_t here = count;
    for (int w = 0; w < WARPS; ++w) {
      if (w < warp) here += in_warp[w];
      count += in_warp[w];
    }
    if (t < n) before[t] = here + __popc(votes & ((1u << lane) - 1));
    __syncthreads(); /* before in_warp is filled again */
  }
  if (threadIdx.x == 0) before[n] = count;
  return count;
}

__device__ void put_correlation(const rank_job &job, int64_t at, int32_t common, long long xx,
                                long long yy, long long xy) {
  const bool there = common > 1 && xx > 0 && yy > 0;
  if (common > 1 && !there) *job.flat = 1; /* all threads write the same value */
  const double value = there ? gg_rank_correlation(xx, yy, xy) : job.missing;
  if (job.to_float)
    static_cast<float *>(job.out)[at] = (float)value;
  else
    static_cast<double *>(job.out)[at] = value;
}

__global__ void __launch_bounds__(THREADS) correlate_pairs(const rank_job job) {
  extern __shared__ int32_t shared[];
  const int64_t n = job.n;
  int32_t *before_x = job.scratch ? job.scratch + blockIdx.x * 2 * (n + 1) : shared;
  int32_t *before_y = before_x + n + 1;
  for (int64_t pair = blockIdx.x; pair < job.pairs; pair += gridDim.x) {
    const int64_t at = job.first_pair + pair, column = job.block.column_of(at);
    const int64_t row = job.block.first_row(column) + at - job.block.offset(column);
    const int64_t i = (row - job.x.first) * n, j = (column - job.y.first) * n;
    const int32_t *first_x = job.x.first_of + i, *first_y = job.y.first_of + j;
    const int32_t *last_x = job.x.last_of + i, *last_y = job.y.last_of + j;
    const int32_t common = count_common(job.x.order + i, first_x, first_y, n, before_x);
    count_common(job.y.order + j, first_y, first_x, n, before_y);
    __syncthreads();
    long long xx = 0, yy = 0, xy = 0;
    for (int64_t k = threadIdx.x; k < n; k += THREADS) {
      if (first_x[k] < 0 || first_y[k] < 0) continue;
      /* Twice the rank is (before the ties + 1) + (up to their end); its mean is common + 1. */
      const long long a = (long long)before_x[first_x[k]] + before_x[last_x[k]] - common;
      const long long b = (long long)before_y[first_y[k]] + before_y[last_y[k]] - common;
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
    xx += block_sum_before<THREADS>(xx);
    yy += block_sum_before<THREADS>(yy);
    xy += block_sum_before<THREADS>(xy);
    /* The last thread has the sums of all. */
    if (threadIdx.x == THREADS - 1) put_correlation(job, at, common, xx, yy, xy);
  }
}

/* --- The job ---------------------------------------------------------------------------------- */

constexpr int64_t SHARED_MOST = 48 * 1024; /* bytes of shared memory that need no asking for */

/* Some columns' orders in device memory. */
class order_store {
public:
  void allocate(int64_t n, int64_t columns) {
    for (device_memory *part : {&order_, &first_of_, &last_of_})
      part->allocate(n * columns * (int64_t)sizeof(int32_t));
  }

  /* Columns [first, first + count). */
  void load(const gg_rank_order &from, int64_t first, int64_t count, column_ranker &by,
            double fraction) {
    first_ = first;
    by.load(*from.values, first, count, fraction,
            [&](point_ranker &ranker, const double *z, int64_t ld, int64_t i, int64_t here) {
              const int64_t at = i * from.n;
              ranker.order(z, ld, here,
                           {order_.as<int32_t>() + at, first_of_.as<int32_t>() + at,
                            last_of_.as<int32_t>() + at},
                           by.stream());
            });
  }

  order_view view() const {
    return {order_.as<int32_t>(), first_of_.as<int32_t>(), last_of_.as<int32_t>(), first_};
  }

private:
  device_memory order_, first_of_, last_of_;
  int64_t first_ = 0;
};

/* How the work is divided to fit into the device's memory. */
struct division {
  column_panels columns;
  int64_t blocks;        /* in a launch */
  int64_t shared_bytes;  /* counts of one block, where they fit into shared memory */
  int64_t scratch_bytes; /* counts of all blocks of a launch, where they don't */
};

division divide(const gg_rank_plan &plan, const result &to, const column_ranks_size &ranking,
                int64_t budget, team &team) {
  const int64_t n = plan.x->n, counts = 2 * (n + 1) * (int64_t)sizeof(int32_t);
  division d;
  d.blocks = 8 * attribute(cudaDevAttrMultiProcessorCount, team.first_device());
  const bool shared = counts <= SHARED_MOST;
  d.shared_bytes = shared ? counts : 0;
  d.scratch_bytes = shared ? 0 : d.blocks * counts;
  const int64_t column = 2 * 3 * n * (int64_t)sizeof(int32_t); /* of both stores */
  d.columns = divide_columns(plan, to, column, budget - 2 * d.scratch_bytes - ranking.bytes);
  return d;
}

/* Observations of pairs that a multiprocessor does in about a tenth of a second. */
constexpr int64_t LAUNCH_OBSERVATIONS = 1000000;

/* Computes one worker's part. */
void correlate(const gg_rank_plan &plan, const worker &here, const result &to,
               const column_ranks_size &ranking, const division &d, chunk_counter *untaken) {
  const gg_rank_order &x = *plan.x, &y = *plan.y;
  const int64_t panel = d.columns.panel;
  device_resources &resources = *here.resources;
  order_store x_store, y_store;
  device_memory scratch;
  flat_flag flat(resources.upload);
  busy_time busy(resources.upload);
  event loaded;
  column_ranker ranker(resources, x.n, ranking, here.threads, here.clock);
  chunk_queue chunks(resources, to, here.clock, &busy, d.columns.values, smaller(panel, x.columns),
                     untaken);
  finish_streams finish(resources);
  x_store.allocate(x.n, panel);
  if (has_two_panels(plan, panel)) y_store.allocate(x.n, panel);
  if (d.scratch_bytes) scratch.allocate(2 * d.scratch_bytes);

  rank_job job = rank_job();
  job.n = x.n;
  job.to_float = plan.type == GPUGEO_TYPE_FLOAT;
  job.missing = plan.missing;
  job.flat = flat.get();
  const int64_t per_launch = larger(d.blocks, d.blocks * LAUNCH_OBSERVATIONS / 8 / x.n);
  const auto compute = [&](const pair_block &block, bool same) {
    GG_CUDA(cudaEventRecord(loaded, resources.upload));
    chunks.hold_chunks(loaded);
    job.x = x_store.view();
    job.y = same ? job.x : y_store.view();
    chunk_walk at(chunks, block);
    while (at.next_chunk())
      for (at.divide(at.chunk().size(), per_launch); at.next_launch();) {
        /* Each stream has scratch of its own. */
        const int64_t half = at.stream() == resources.compute[0] ? 0 : d.scratch_bytes;
        job.scratch = d.scratch_bytes ? reinterpret_cast<int32_t *>(scratch.as() + half) : nullptr;
        job.block = at.chunk();
        job.out = at.values();
        job.first_pair = at.first();
        job.pairs = at.items();
        const auto blocks = (unsigned)smaller(job.pairs, d.blocks);
        correlate_pairs<<<blocks, THREADS, d.shared_bytes, at.stream()>>>(job);
      }
  };
  visit_panels(
      plan, panel, chunks, resources.upload,
      [&](int64_t first, int64_t count) {
        x_store.load(x, first, count, ranker, chunks.fraction());
      },
      [&](int64_t first, int64_t count) {
        y_store.load(y, first, count, ranker, chunks.fraction());
      },
      compute);
  chunks.finish();
  here.report->device_seconds += busy.seconds();
  flat.report(here.report);
}

} // namespace

gpugeo_status rank_pairs(const gg_rank_plan &plan, call &call) {
  team &team = call.workers();
  correlate_columns(
      plan, team,
      [&](const result &to, const column_ranks_size &ranking, int64_t budget) {
        return divide(plan, to, ranking, budget, team);
      },
      [&](const worker &here, const result &to, const column_ranks_size &ranking,
          const division &division,
          chunk_counter *untaken) { correlate(plan, here, to, ranking, division, untaken); });
  return GPUGEO_OK;
}

} // namespace gpugeo
