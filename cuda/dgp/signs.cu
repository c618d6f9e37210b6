/*
 * The rows of solutions found by meet in the middle, with a thread block for each solution.
 *
 * Limited by the bisections, 2^(k/4) of them in a table of 2^(k/4) for n = k distances, mostly in
 * the caches.
 */
#include "cuda/dgp/signs.cuh"

#include <algorithm>

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum { THREADS = 256 };

constexpr int64_t PAIRS_MOST = 1 << 14; /* in a launch */

/* Returns the first position in the sorted table with a sum of at least (above: more than) this. */
__device__ int64_t position_of(const sign_table &table, int64_t sum, bool above) {
  int64_t low = 0, high = table.size;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const int64_t here = table.sum[middle];
    if (here < sum || (above && here == sum))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the signs of element `position` of a sequence, whose distances are those of `any`,
   followed by those of `sorted`. All threads of the block call it. Not inlined, because it is
   called twice. */
__device__ __noinline__ uint64_t signs_of(const sums &sequence, int64_t position,
                                          const sign_table &any, const sign_table &sorted) {
  __shared__ uint64_t answer;
  const int64_t sum = sequence.at(position);
  const int64_t rank = position - first_not_less([&](int64_t i) { return sequence.at(i); },
                                                 (int64_t)0, sequence.size(), sum);
  const int64_t each = divide_up(any.size, THREADS);
  const int64_t begin = smaller(threadIdx.x * each, any.size),
                end = smaller(begin + each, any.size);
  int64_t count = 0;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t rest = sum - any.sum[i];
    count += position_of(sorted, rest, true) - position_of(sorted, rest, false);
  }
  int64_t before = block_sum_before<THREADS>(count); /* and all have read the last call's answer */
  if (before <= rank && rank < before + count) {     /* one thread */
    for (int64_t i = begin; i < end; ++i) {
      const int64_t rest = sum - any.sum[i], first = position_of(sorted, rest, false);
      const int64_t here = position_of(sorted, rest, true) - first;
      if (rank - before < here) {
        answer = any.signs[i] | (uint64_t)sorted.signs[first + rank - before] * (uint64_t)any.size;
        break;
      }
      before += here;
    }
  }
  __syncthreads();
  return answer;
}

struct read_job {
  sums a, b;
  sign_table table[4];
  int first, second, n;
  uint64_t outer_signs;
  const found_pair *pairs;
  gpugeo_uint128 *rows;
};

__global__ void __launch_bounds__(THREADS) read_rows(const __grid_constant__ read_job job) {
  const found_pair pair = job.pairs[blockIdx.x];
  const uint64_t a = signs_of(job.a, pair.a, job.table[0], job.table[1]);
  const uint64_t turned = signs_of(job.b, pair.b, job.table[2], job.table[3]);
  if (threadIdx.x != 0) return;
  const uint64_t b = ~turned & (((uint64_t)1 << job.second) - 1);
  const int inner = job.first + job.second;
  gpugeo_uint128 row = gg_uint128_make(a, 0);
  row = gg_uint128_add(row, gg_uint128_shift(gg_uint128_make(b, 0), job.first));
  row = gg_uint128_add(row, gg_uint128_shift(gg_uint128_make(job.outer_signs, 0), inner));
  job.rows[blockIdx.x] = gg_uint128_add(row, gg_uint128_power(job.n - 1));
}

} // namespace

void row_reader::half::make(const int64_t *d, int count, bool sorted) {
  struct entry {
    int64_t sum;
    uint32_t signs;
  };
  std::vector<entry> entries((size_t)1 << count);
  for (size_t e = 0; e < entries.size(); ++e)
    entries[e] = {signed_sum(d, count, e), (uint32_t)e};
  if (sorted)
    std::sort(entries.begin(), entries.end(), [](const entry &x, const entry &y) {
      return x.sum != y.sum ? x.sum < y.sum : x.signs < y.signs;
    });
  std::vector<int64_t> sums_only;
  std::vector<uint32_t> signs_only;
  for (const entry &one : entries) {
    sums_only.push_back(one.sum);
    signs_only.push_back(one.signs);
  }
  sum.allocate((int64_t)(sums_only.size() * sizeof(int64_t)));
  signs.allocate((int64_t)(signs_only.size() * sizeof(uint32_t)));
  copy_in(sum.as(), sums_only.data(), sums_only.size() * sizeof(int64_t));
  copy_in(signs.as(), signs_only.data(), signs_only.size() * sizeof(uint32_t));
  table = {(int64_t)entries.size(), sum.as<int64_t>(), signs.as<uint32_t>()};
}

row_reader::row_reader(const gg_dgp_plan &plan, int first, int second, int64_t pairs_most)
    : n_(plan.n), first_(first), second_(second) {
  const int64_t *b = plan.d + first;
  halves_[0].make(plan.d, first / 2, false);
  halves_[1].make(plan.d + first / 2, first - first / 2, true);
  halves_[2].make(b, second / 2, false);
  halves_[3].make(b + second / 2, second - second / 2, true);
  pairs_.allocate(pairs_most * (int64_t)sizeof(found_pair));
  rows_.allocate(pairs_most * (int64_t)sizeof(gpugeo_uint128));
}

std::vector<gpugeo_uint128> row_reader::read(const sums &a, const sums &b, uint64_t outer_signs,
                                             int64_t count, pieces &pieces, double fraction) {
  read_job job = {a, b, {}, first_, second_, n_, outer_signs, nullptr, nullptr};
  for (int h = 0; h < 4; ++h)
    job.table[h] = halves_[h].table;
  for (int64_t from = 0; from < count; from += PAIRS_MOST) {
    job.pairs = pairs_.as<found_pair>() + from;
    job.rows = rows_.as<gpugeo_uint128>() + from;
    pieces.begin(fraction);
    read_rows<<<(unsigned)smaller(PAIRS_MOST, count - from), THREADS, 0, pieces.stream()>>>(job);
    pieces.end();
  }
  pieces.drain(fraction);
  std::vector<gpugeo_uint128> rows((size_t)count);
  GG_CUDA(cudaMemcpy(rows.data(), rows_.as(), rows.size() * sizeof(gpugeo_uint128),
                     cudaMemcpyDeviceToHost));
  return rows;
}

} // namespace gpugeo
