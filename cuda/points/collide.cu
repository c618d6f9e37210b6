/*
 * Collisions: copies the user's points to the device, runs one of the searches, and copies the
 * result back.
 *
 * Limited, for counts, by the link over which the points are copied (45 of 105 ms for 100 million
 * points on an H200; the core's inspection takes 30 ms and the search 26), and for pairs and counts
 * of each point by the first touch of the result's pages.
 */
#include <algorithm>

#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"
#include "cuda/common/team.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/points/collide_all.cuh"
#include "cuda/points/collide_grid.cuh"
#include "points/collide_result.h"

namespace gpugeo {
namespace {

/* --- The points ------------------------------------------------------------------------------- */

constexpr int THREADS = 256;
/* Fractions of a call for the progress hook: when the points are on the device, and, of the
   rest, when pairs are counted. */
constexpr double LOADED = 0.25, COUNTED = 0.5;

__global__ void __launch_bounds__(THREADS) multiply(double *values, int64_t n, double factor) {
  const int64_t i = this_item();
  if (i < n) values[i] *= factor;
}

/* A matrix of points, and their radii and groups, in device memory. */
class point_store {
public:
  void load(device_resources &resources, const gg_collide_plan &plan, const gpugeo_matrix &x,
            const double *radii, const int32_t *group, double done, gg_clock *clock) {
    const int columns = plan.rule.columns;
    const int64_t n = x.nrow;
    points_.points.n = n;
    columns_.allocate(n * columns * (int64_t)sizeof(double));
    for (int k = 0; k < columns; ++k)
      points_.points.at[k] = columns_.as<double>() + k * n;
    const int64_t slot = smaller(larger(n * 2, 1 << 17), (int64_t)32 << 20);
    const int64_t part = slot / (int64_t)sizeof(double);
    uploader uploader(resources, GPUGEO_POINTS_ROWS, columns, plan.threads, clock, slot);
    for (int64_t i = 0; i < n; i += part)
      uploader.load(x, i, smaller(part, n - i), columns_.as<double>() + i, n,
                    done + (LOADED - done) * (double)i / (double)n);
    points_.radius = upload_array(radius_, radii, n, resources.upload);
    points_.group = upload_array(group_, group, n, resources.upload);
    /* Recorded when the pinned slots are empty again. */
    event loaded;
    GG_CUDA(cudaEventRecord(loaded, resources.upload));
    wait(loaded, clock, LOADED);
  }

  /* Multiplies coordinates and radii by a power of two. */
  void scale(double factor, cudaStream_t stream) {
    const int64_t n = points_.points.n;
    const int64_t values = (points_.points.at[2] ? 3 : points_.points.at[1] ? 2 : 1) * n;
    multiply<<<blocks_for(values, THREADS), THREADS, 0, stream>>>(columns_.as<double>(), values,
                                                                  factor);
    if (points_.radius)
      multiply<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(radius_.as<double>(), n, factor);
  }

  const collide_points &points() const { return points_; }

private:
  template <class T>
  static const T *upload_array(device_memory &to, const T *from, int64_t n, cudaStream_t stream) {
    if (!from) return nullptr;
    to.allocate(n * (int64_t)sizeof(T));
    GG_CUDA(cudaMemcpyAsync(to.as(), from, (size_t)n * sizeof(T), cudaMemcpyHostToDevice, stream));
    return to.as<T>();
  }

  device_memory columns_, radius_, group_;
  collide_points points_ = {};
};

/* Returns the problem of a plan, with points on the device. */
collide_problem problem_of(const gg_collide_plan &plan, const point_store &x,
                           const point_store &y) {
  collide_problem problem = {};
  problem.x = x.points();
  problem.y = plan.within ? problem.x : y.points();
  collide_rule &rule = problem.rule;
  rule.point = plan.rule;
  rule.within = plan.within;
  rule.radii = plan.radii_x != nullptr;
  rule.exclude = plan.exclude;
  rule.radius = plan.radius;
  rule.limit = gg_collide_limit(plan.radius);
  const gg_point_range range = gg_point_range_join(&plan.range_x, &plan.range_y);
  for (int k = 0; k < plan.rule.columns; ++k) {
    rule.periodic = rule.periodic || plan.rule.box[k] > 0;
    problem.bounds.low[k] = range.low[k] * plan.rule.scale;
    problem.bounds.high[k] = range.high[k] * plan.rule.scale;
  }
  problem.algorithm = plan.algorithm;
  problem.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, plan.device);
  return problem;
}

/* --- The results ------------------------------------------------------------------------------ */

/* The data of a call. */
struct collide_call {
  const gg_collide_plan &plan;
  device_resources &stores;
  gg_clock *clock;
  collide_launches &launches;
  collide_search &search;
  gg_collide_result *result;
  collide_sink sink;

  void fetch_result(const void *from, int64_t bytes, void *to) {
    fetch(stores, from, bytes, to, plan.threads, clock, launches.done());
  }
};

/* Computes the `count` sums of PER_POINT and TABLE. */
void find_numbers(collide_call &call, int64_t count, int64_t *to) {
  const int64_t bytes = count * (int64_t)sizeof(int64_t);
  device_memory numbers;
  numbers.allocate(bytes);
  call.launches.begin();
  GG_CUDA(cudaMemsetAsync(numbers.as(), 0, (size_t)bytes, call.launches.stream()));
  call.sink.number = numbers.as<unsigned long long>();
  call.result->count = call.search.run(call.sink);
  call.fetch_result(numbers.as(), bytes, to);
}

__global__ void __launch_bounds__(THREADS) widen(const int32_t *from, int64_t n, int64_t *to) {
  const int64_t i = this_item();
  if (i < n) to[i] = from[i];
}

/* Sets first[i] to the sum of count[0] to count[i - 1], i from 0 to n. */
void begin_rows(collide_launches &launches, const int32_t *count, int64_t n, int64_t *first) {
  const cudaStream_t stream = launches.stream();
  size_t bytes = 0;
  exclusive_sum(nullptr, bytes, first, first, n + 1, stream);
  device_memory scratch;
  scratch.allocate((int64_t)bytes);
  launches.begin();
  widen<<<blocks_for(n + 1, THREADS), THREADS, 0, stream>>>(count, n + 1, first);
  exclusive_sum(scratch.as(), bytes, first, first, n + 1, stream);
  launches.end();
}

/* Returns the bits of the whole numbers from 0 to most, at least 1. */
int bits_up_to(int64_t most) {
  int bits = 1;
  while (most >> bits > 0)
    ++bits;
  return bits;
}

__global__ void __launch_bounds__(THREADS)
    take_partners(const uint64_t *pair, int64_t n, uint64_t mask, int32_t *partner) {
  const int64_t i = this_item();
  if (i < n) partner[i] = (int32_t)(pair[i] & mask);
}

/* The partners of some rows, sorted, in device memory. Sorting the pairs of all these rows at
   once takes less time than copying the partners over the link. */
class row_filler {
public:
  /* Allocates room for so many partners of so many rows at a time. */
  row_filler(int64_t partners, int64_t rows) {
    for (device_memory &pairs : pairs_)
      pairs.allocate(partners * (int64_t)sizeof(uint64_t));
    count_.allocate(rows * (int64_t)sizeof(int32_t));
    double_buffer<uint64_t> none;
    sort_words(nullptr, scratch_bytes_, none, partners, 0, 64, nullptr);
    scratch_.allocate((int64_t)scratch_bytes_);
  }

  /* Fills rows [begin, end), which have so many partners. */
  const int32_t *fill(collide_call &call, const int64_t *first, int64_t begin, int64_t end,
                      int64_t partners) {
    const cudaStream_t stream = call.launches.stream();
    const int64_t rows = end - begin;
    double_buffer<uint64_t> pairs{{pairs_[0].as<uint64_t>(), pairs_[1].as<uint64_t>()}};
    call.launches.begin();
    GG_CUDA(cudaMemsetAsync(count_.as(), 0, (size_t)rows * sizeof(int32_t), stream));
    collide_sink &sink = call.sink;
    sink.task = TASK_FILL;
    sink.row_count = count_.as<int32_t>();
    sink.begin = begin;
    sink.end = end;
    sink.first = first;
    sink.pair = pairs.current();
    sink.partner_bits = bits_up_to(call.plan.within ? call.plan.nx : call.plan.ny);
    call.search.run(sink);

    call.launches.begin();
    sort_words(scratch_.as(), scratch_bytes_, pairs, partners, 0,
               sink.partner_bits + bits_up_to(rows), stream);
    int32_t *partner = reinterpret_cast<int32_t *>(pairs.alternate());
    take_partners<<<blocks_for(partners, THREADS), THREADS, 0, stream>>>(
        pairs.current(), partners, ((uint64_t)1 << sink.partner_bits) - 1, partner);
    call.launches.end();
    return partner;
  }

private:
  device_memory pairs_[2], count_, scratch_;
  size_t scratch_bytes_ = 0;
};

/* Pairs of a chunk, at the most. */
constexpr int64_t MOST_PARTNERS = 1 << 30;
/* Device memory for a pair of a chunk, found, sorted, and, less than a byte, in the sort; and for a
   row, counted. */
constexpr int64_t PARTNER_BYTES = 17, ROW_BYTES = 4;

/* Counts first, then fills as many rows at a time as the device has room for, at least one. */
gpugeo_status find_pairs(collide_call &call, gpugeo_error *error) {
  const gg_collide_plan &plan = call.plan;
  const int64_t n = plan.nx;
  gg_collide_result &result = *call.result;
  device_memory row_count, first;
  row_count.allocate((n + 1) * (int64_t)sizeof(int32_t));
  first.allocate((n + 1) * (int64_t)sizeof(int64_t));
  call.launches.begin();
  GG_CUDA(cudaMemsetAsync(row_count.as(), 0, (size_t)(n + 1) * sizeof(int32_t),
                          call.launches.stream()));
  const double counted = call.launches.done() + (1 - call.launches.done()) * COUNTED;
  call.launches.target(counted);
  call.sink.task = TASK_ROWS;
  call.sink.row_count = row_count.as<int32_t>();
  result.count = call.search.run(call.sink);
  begin_rows(call.launches, row_count.as<int32_t>(), n, first.as<int64_t>());
  call.fetch_result(first.as(), (n + 1) * (int64_t)sizeof(int64_t), result.first);

  const gpugeo_status status = gg_collide_room(&plan, &result, error);
  if (status || result.count == 0) return status;

  const int64_t half = memory_budget(plan.work_bytes) / 2;
  const int64_t most = smaller(smaller(half / PARTNER_BYTES, MOST_PARTNERS), result.count);
  const int64_t rows = smaller(half / ROW_BYTES, n);
  int64_t partners_most = 0, rows_most = 0;
  const auto chunk_end = [&](int64_t begin) {
    const int64_t *const from = result.first + begin, *const to = result.first + n + 1;
    const int64_t end = std::upper_bound(from, to, *from + most) - result.first - 1;
    return larger(smaller(end, begin + rows), begin + 1);
  };
  for (int64_t begin = 0, end; begin < n; begin = end) {
    end = chunk_end(begin);
    partners_most = larger(partners_most, result.first[end] - result.first[begin]);
    rows_most = larger(rows_most, end - begin);
  }
  row_filler filler(partners_most, rows_most);
  for (int64_t begin = 0, end; begin < n; begin = end) {
    end = chunk_end(begin);
    const int64_t at = result.first[begin], partners = result.first[end] - at;
    if (partners == 0) continue;
    call.launches.target(counted + (1 - counted) * (double)(at + partners) / (double)result.count);
    const int32_t *partner = filler.fill(call, first.as<int64_t>(), begin, end, partners);
    call.fetch_result(partner, partners * (int64_t)sizeof(int32_t), result.partner + at);
  }
  return GPUGEO_OK;
}

} // namespace

gpugeo_status collide(const gg_collide_plan &plan, gg_collide_result *result, call &call) {
  device_resources &resources = resources_for(plan.device);
  point_store x, y;
  collide_launches launches(resources, call.clock, LOADED);
  std::unique_ptr<collide_search> search;
  finish_streams finish(resources);
  x.load(resources, plan, plan.x, plan.radii_x, plan.group_x, 0, call.clock);
  if (!plan.within) y.load(resources, plan, plan.y, plan.radii_y, plan.group_y, LOADED, call.clock);
  if (plan.rule.scale != 1) {
    launches.begin();
    x.scale(plan.rule.scale, launches.stream());
    if (!plan.within) y.scale(plan.rule.scale, launches.stream());
    launches.end();
  }

  const collide_problem problem = problem_of(plan, x, y);
  const bool all = plan.algorithm == GPUGEO_COLLISIONS_ALGORITHM_USUAL ||
                   plan.algorithm == GPUGEO_COLLISIONS_ALGORITHM_CYCLIC;
  search = all ? search_all_pairs(problem, launches) : search_grid(problem, launches);
  collide_call job = {plan, resources, call.clock, launches, *search, result, {}};
  job.sink.groups = plan.groups;
  job.sink.group_x = problem.x.group;
  job.sink.group_y = problem.y.group;
  gpugeo_status status = GPUGEO_OK;
  switch (plan.what) {
  case GPUGEO_COLLISIONS_WHAT_PER_POINT:
    job.sink.task = TASK_PER_POINT;
    find_numbers(job, plan.nx, result->per_point);
    break;
  case GPUGEO_COLLISIONS_WHAT_TABLE:
    job.sink.task = TASK_TABLE;
    find_numbers(job, (int64_t)plan.groups * plan.groups, result->table);
    break;
  case GPUGEO_COLLISIONS_WHAT_PAIRS:
    status = find_pairs(job, call.error);
    break;
  default:
    job.sink.task = TASK_COUNT;
    result->count = job.search.run(job.sink);
  }
  call.report->device_seconds += launches.seconds();
  return status;
}

} // namespace gpugeo
