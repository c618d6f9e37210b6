/*
 * Closest pairs by a sweep along a column (Baroni, Braga and Moreano, 2020): REGION points are
 * tested with each other and with those up to delta after them.
 *
 * Limited by the device's memory for the sort, and by the distances of pairs within the reach.
 */
#include "cuda/points/closest_sweep.cuh"

#include <cmath>

#include "cuda/common/sort.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr int REGION = 32;          /* points, as in the paper */
constexpr double SWEEP_MOST = 1000; /* pairs a point; more are left to the tree */

/* The paper's regions of 32 points along a column: a point is tested with those after it in its
   region, and those of the border, which reaches as far as delta behind the region. */
struct sweep_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  const double *along; /* coordinates that are sorted */
  int64_t n;
  double first_reach;  /* delta as known from neighbours */
  bool stops, shrinks; /* optimisations 1 and 2 */

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    pair_tester<PLAIN> one(to, at, row, p);
    const int64_t region_end = smaller((p / REGION + 1) * REGION, n);
    double border = along[region_end - 1] + first_reach;
    for (int64_t q = p + 1; q < n; ++q) {
      if (q >= region_end && along[q] > border) return;
      if (stops) {
        one.bound = to.bound();
        const double reach = to.reach(one.bound);
        if (along[q] - along[p] > reach) return;
        if (shrinks) border = fmin(border, along[region_end - 1] + reach);
      }
      one.test(q);
    }
  }
};

/* Sums over all points the number of later points within the reach along a sorted column. */
__global__ void __launch_bounds__(THREADS)
    count_sweep_pairs(const double *along, int64_t n, double reach, square_word *pairs) {
  const int64_t p = this_item();
  if (p >= n) return;
  int64_t first = p + 1, last = n;
  while (first < last) {
    const int64_t middle = (first + last) / 2;
    if (along[middle] - along[p] <= reach)
      first = middle + 1;
    else
      last = middle;
  }
  atomicAdd(pairs, (square_word)(first - p - 1));
}

__global__ void __launch_bounds__(THREADS)
    make_sort_keys(const double *at, int64_t stride, int64_t n, uint64_t *key, int32_t *row) {
  const int64_t i = this_item();
  if (i >= n) return;
  const uint64_t bits = (uint64_t)__double_as_longlong(at[i * stride] + 0.0);
  key[i] = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
  row[i] = (int32_t)i;
}

__global__ void __launch_bounds__(THREADS)
    take_sorted(const double *from, int64_t stride, const int32_t *row, int64_t n, double *to) {
  const int64_t p = this_item();
  if (p < n) to[p] = from[row[p] * stride];
}

__global__ void __launch_bounds__(THREADS)
    take_names(const int32_t *name, const int32_t *row, int64_t n, int32_t *to) {
  const int64_t p = this_item();
  if (p < n) to[p] = name[row[p]];
}

} // namespace

bool search_sweep(closest_call &call) {
  const gg_closest_plan &plan = call.plan;
  const point_set &points = call.points;
  closest_search &search = call.search;
  const cudaStream_t stream = search.stream();
  const int64_t n = points.n;
  const int columns = points.rule.columns;
  if (n < 2) return false;
  device_memory key[2], row[2], scratch, sorted;
  for (int b = 0; b < 2; ++b) {
    key[b].allocate(8 * n);
    row[b].allocate(4 * n);
  }
  sorted.allocate(8 * n * columns);
  size_t bytes = 0;
  double_buffer<uint64_t> keys{{key[0].as<uint64_t>(), key[1].as<uint64_t>()}};
  double_buffer<int32_t> rows{{row[0].as<int32_t>(), row[1].as<int32_t>()}};
  sort_pairs(nullptr, bytes, keys, rows, n, 64, stream);
  scratch.allocate((int64_t)bytes);
  for (int along = 0; along < columns; ++along) {
    sweep_source source = {};
    search.timed([&] {
      make_sort_keys<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(
          points.at[along], points.stride, n, keys.current(), rows.current());
      sort_pairs(scratch.as(), bytes, keys, rows, n, 64, stream);
      for (int k = 0; k < columns; ++k) {
        double *to = sorted.as<double>() + k * n;
        take_sorted<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points.at[k], points.stride,
                                                                    rows.current(), n, to);
        source.at[k] = to;
      }
    });
    int32_t *names = rows.current();
    if (points.row) {
      take_names<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(points.row, rows.current(), n,
                                                                 rows.alternate());
      names = rows.alternate();
    }
    source.row = names;
    source.along = source.at[along];
    source.n = n;
    const int64_t followers = smaller(n - 1, 1 + 2 * plan.k / n);
    search.find_bound_by_followers(source.at, names, n, followers);
    const square_word most = search.bound();
    if (most == 0 && pairs_at_zero(call)) return true;
    source.first_reach = search.reach_of(most);
    source.stops = plan.algorithm != GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0;
    source.shrinks = plan.algorithm == GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2;
    square_word *pairs = &search.state()->count;
    search.set_state(most);
    search.timed([&] {
      count_sweep_pairs<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(source.along, n,
                                                                        source.first_reach, pairs);
    });
    if ((double)search.fetched(pairs) > fmax(SWEEP_MOST * (double)n, 4.0 * (double)plan.k))
      continue;
    search.fraction = 0.8;
    find_pairs(call, source, n);
    return true;
  }
  return false;
}

} // namespace gpugeo
