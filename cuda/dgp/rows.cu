/*
 * The vector of all 2^n sums, with a thread for each sum.
 *
 * Limited by the link, over which 8 bytes for each sum are copied to the user's vector.
 */
#include <cmath>

#include "common/superaccumulator.h"
#include "cuda/common/chunks.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/team.cuh"
#include "dgp/plan.h"

namespace gpugeo {
namespace {

enum { THREADS = 256, MOST_SIGNS = 30, COLUMN_SIGNS = 10 };

constexpr int64_t PER_LAUNCH = 1 << 26; /* sums */

/* Sums of rows [first, first + count), in one word. */
struct word_job {
  int64_t d[MOST_SIGNS];
  int n;
  double unit;
  int64_t first, count;
  double *sums;
};

__global__ void __launch_bounds__(THREADS) add_words(const __grid_constant__ word_job job) {
  const int64_t at = this_item();
  if (at >= job.count) return;
  const int64_t row = job.first + at;
  int64_t sum = 0;
  for (int j = 0; j < job.n; ++j)
    sum += row >> j & 1 ? job.d[j] : -job.d[j];
  job.sums[at] = (double)sum * job.unit;
}

/* The same in several words; d is in device memory. */
struct fixed_job {
  const uint64_t *d;
  int n, words, exponent;
  int64_t first, count;
  double *sums;
};

__global__ void __launch_bounds__(THREADS) add_fixed(const fixed_job job) {
  const int64_t at = this_item();
  if (at >= job.count) return;
  uint64_t sum[GG_FIXED_WORDS] = {};
  gg_superaccumulator_add_row(sum, job.d, job.n, job.words, (uint64_t)(job.first + at), 0);
  job.sums[at] = gg_superaccumulator_double(sum, job.words, job.exponent);
}

void add_rows(const gg_dgp_sums_plan &plan, const uint64_t *d, int64_t first, int64_t count,
              double *sums, cudaStream_t stream) {
  const unsigned blocks = blocks_for(count, THREADS);
  if (plan.words > 1) {
    add_fixed<<<blocks, THREADS, 0, stream>>>(
        {d, plan.n, plan.words, plan.exponent, first, count, sums});
    return;
  }
  word_job job = {{}, plan.n, ldexp(1, plan.exponent), first, count, sums};
  for (int j = 0; j < plan.n; ++j)
    job.d[j] = (int64_t)plan.d[j];
  add_words<<<blocks, THREADS, 0, stream>>>(job);
}

} // namespace

/* Computes the vector and copies it to the host as a matrix with the lowest signs along its
   columns. */
gpugeo_status dgp_sums(const gg_dgp_sums_plan &plan, call &call) {
  device_resources &resources = resources_for(plan.device);
  const int64_t rows = (int64_t)1 << smaller(plan.n, COLUMN_SIGNS);
  const int64_t columns = ((int64_t)1 << plan.n) / rows;
  result to = {};
  to.out = plan.sums;
  to.type = GPUGEO_TYPE_DOUBLE;
  to.rows = rows;
  to.threads = plan.threads;
  to.pairs = (double)rows * (double)columns;
  const int64_t spare = memory_budget(plan.work_bytes) / 2 / to.value_bytes();
  const int64_t values = larger(smaller(chunk_queue::values_wanted(to, 1), spare),
                                rows * smaller(columns, chunk_queue::COLUMNS));
  device_memory d;
  const int64_t bytes = plan.n * plan.words * (int64_t)sizeof *plan.d;
  d.allocate(bytes);
  copy_in(d.as(), plan.d, (size_t)bytes);
  busy_time busy(resources.compute[0]);
  chunk_counter untaken(0);
  chunk_queue chunks(resources, to, call.clock, &busy, values, rows, &untaken);
  finish_streams finish(resources);
  chunk_walk at(chunks, pair_block{0, rows, 0, columns, columns, 0});
  while (at.next_chunk())
    for (at.divide(at.chunk().size(), PER_LAUNCH); at.next_launch();)
      add_rows(plan, d.as<uint64_t>(), at.chunk().j0 * rows + at.first(), at.items(),
               static_cast<double *>(at.values()) + at.first(), at.stream());
  chunks.finish();
  call.report->device_seconds += busy.seconds();
  return GPUGEO_OK;
}

} // namespace gpugeo
