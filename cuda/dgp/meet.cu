/*
 * Meet in the middle: the sums of the signs of a first part of the distances, a, are matched with
 * those of a second part, b, for which a + b + outer lies in a range. All sums are symmetric about
 * 0, so that b may be replaced by -b, and both sequences then increase together: for each a the
 * first b that is large enough is found by merging, and those that are not too large follow it.
 *
 * The last distance is added always; rows that subtract it are the mirror images of rows whose sums
 * lie in the mirrored range. Distances between are those of the outer signs: for each choice of
 * them the same two sequences are swept again with another shift, 2^j sweeps, so that memory for
 * 2^(s/2) sums serves n = 1 + s + j distances in time 2^(s/2 + j).
 *
 * Limited by shared memory, whose banks the merging threads access at random, and then by device
 * memory, 8 bytes read for each element of both sequences; on an H200 they reach 83 and 61 percent
 * of their throughput.
 */
#include "cuda/dgp/meet.cuh"

#include <algorithm>
#include <memory>
#include <vector>

#include "cuda/common/launch.cuh"
#include "cuda/dgp/signs.cuh"
#include "cuda/dgp/sums.cuh"

namespace gpugeo {
namespace {

enum { MOST_RANGES = 2 * GG_DGP_WINDOWS };

constexpr int FIND_UNROLLED = 3; /* more would only make the code of the rare partners longer */

constexpr int64_t FOUND_MOST = 1 << 20; /* pairs listed at a time */
constexpr int LEAST_SIGNS = 16;         /* of both parts, where memory is short */

/* The part of one sweep's merged sequence that a launch computes. The merged x are the least b
   wanted for each a: a + outer - (greatest sum of interest); y is the sequence of b. A pair is
   in a range when b - x is between from and to. */
struct sweep_job {
  merge_job merge;
  int range_count;
  int64_t from[MOST_RANGES], to[MOST_RANGES];
  int64_t reach; /* the greatest `to` */
};

/* Calls visit(x, its position, j) for each x of this thread's part of the tile that may have a
   partner; the first b that is not less than x is the j-th of the tile. */
template <class Visit>
__device__ void find_partners(const sweep_job &job, const merge_tile &tile, Visit visit) {
  merge_part<FIND_UNROLLED>(tile, [&](int, bool of_x, int64_t x, int64_t y, int i, int j) {
    if (of_x && y <= x + job.reach) visit(x, tile.x0 + i, j);
  });
}

/* Positions of b. */
struct partners {
  int64_t first, end;
};

/* Returns the partners of such an x in a range. */
__device__ inline partners partners_of(const sweep_job &job, const merge_tile &tile, int range,
                                       int64_t x, int j) {
  const int64_t least = x + job.from[range], beyond = x + job.to[range] + 1;
  if (tile.y[tile.y_count] > x + job.reach) { /* all of them are in the tile */
    const auto at = [&](int k) { return tile.y[k]; };
    const int first = first_not_less(at, j, tile.y_count, least);
    return {tile.y0 + first, tile.y0 + first_not_less(at, first, tile.y_count, beyond)};
  }
  const sums &y = job.merge.y;
  const auto at = [&](int64_t k) { return y.at(k); };
  const int64_t first = first_not_less(at, tile.y0 + j, y.size(), least);
  return {first, first_not_less(at, first, y.size(), beyond)};
}

/* Counts the pairs in each range: adds them to totals and, for the ranges whose bit is set in
   `listed`, stores them in tile_count, tile by tile, the ranges gridDim.x apart. */
template <int RANGES>
__global__ void __launch_bounds__(MERGE_THREADS)
    count_pairs(const __grid_constant__ sweep_job job, gpugeo_uint128 *totals, uint32_t listed,
                uint64_t *tile_count) {
  extern __shared__ int64_t shared[];
  const merge_tile tile = load_tile(job.merge, blockIdx.x, shared);
  uint64_t count[RANGES] = {};
  bool any = false;
  find_partners(job, tile, [&](int64_t x, int64_t, int j) {
    any = true;
#pragma unroll
    for (int r = 0; r < RANGES; ++r) {
      if (r >= job.range_count) break;
      const partners found = partners_of(job, tile, r, x, j);
      count[r] += (uint64_t)(found.end - found.first);
    }
  });
  any = __syncthreads_or(any);
  if (!any && !listed) return;
#pragma unroll
  for (int r = 0; r < RANGES; ++r) {
    if (r >= job.range_count) break;
    const uint64_t sum = block_sum_before<MERGE_THREADS>(count[r]) + count[r];
    if (threadIdx.x != MERGE_THREADS - 1) continue; /* the last one has the sum of all */
    if (sum) add_count(totals + r, sum);
    if (listed >> r & 1) tile_count[(int64_t)gridDim.x * r + blockIdx.x] = sum;
  }
}

/* The pairs of one range, numbered in the order of the merged sequence: those with numbers from
   `skip` on, at most `room` of them, to `found`. */
struct list_job {
  sweep_job sweep;
  int range;
  const uint64_t *first_number; /* of each tile, and their end */
  uint64_t skip, room;
  found_pair *found;
};

__global__ void __launch_bounds__(MERGE_THREADS) list_pairs(const __grid_constant__ list_job list) {
  extern __shared__ int64_t shared[];
  const uint64_t begin = list.first_number[blockIdx.x], end = list.first_number[blockIdx.x + 1];
  if (begin == end || end <= list.skip || begin >= list.skip + list.room) return;
  const sweep_job &job = list.sweep;
  const merge_tile tile = load_tile(job.merge, blockIdx.x, shared);
  uint64_t count = 0;
  find_partners(job, tile, [&](int64_t x, int64_t, int j) {
    const partners found = partners_of(job, tile, list.range, x, j);
    count += (uint64_t)(found.end - found.first);
  });
  uint64_t number = begin + block_sum_before<MERGE_THREADS>(count);
  find_partners(job, tile, [&](int64_t x, int64_t position, int j) {
    const partners found = partners_of(job, tile, list.range, x, j);
    const uint64_t here = (uint64_t)(found.end - found.first);
    const uint64_t wanted = list.skip > number ? list.skip - number : 0;
    for (uint64_t k = wanted; k < here && number + k < list.skip + list.room; ++k)
      list.found[number + k - list.skip] = {position, found.first + (int64_t)k};
    number += here;
  });
}

/* --- The job ---------------------------------------------------------------------------------- */

/* A range of sums of rows that add the last distance, and the windows that want its rows. */
struct wanted_range {
  sum_range range;
  struct user {
    int window;
    bool mirrored; /* the window wants the mirror images */
  };
  std::vector<user> users;
};

/* Device memory for parts of `signs` signs in all. */
struct store {
  int first, second; /* signs of a and of b */
  int64_t tiles;     /* in a launch */
  device_memory a, b, scratch, split, tile_count, first_number, totals;

  /* Elements stored of the sums of k distances. */
  static int64_t elements(int k) { return k > 0 ? (int64_t)1 << (k - 1) : 1; }
  static int64_t bytes(int signs, int ranges) {
    const store size(signs);
    return 8 * (elements(size.first) + elements(size.second) + elements(size.second - 1) +
                (2 + ranges) * (size.tiles + 1));
  }

  explicit store(int signs) : first((signs + 1) / 2), second(signs / 2) {
    const int64_t merged = 2 * (elements(first) + elements(second));
    tiles = smaller(divide_up(merged, MERGE_TILE), MERGE_TILES_MOST);
  }

  void allocate(int ranges) {
    a.allocate(8 * elements(first));
    b.allocate(8 * elements(second));
    scratch.allocate(8 * elements(second - 1));
    split.allocate(8 * (tiles + 1));
    tile_count.allocate(8 * tiles * ranges);
    first_number.allocate(8 * (tiles + 1));
    totals.allocate((int64_t)sizeof(gpugeo_uint128) * MOST_RANGES);
  }
};

class meeting {
public:
  meeting(const gg_dgp_plan &plan, cudaStream_t stream, gg_clock *clock)
      : plan_(plan), pieces_(stream, clock), filled_((size_t)plan.window_count) {
    for (int w = 0; w < plan.window_count; ++w) {
      const sum_range range = range_of(plan.windows[w], sum_of_distances(plan));
      if (range.low > range.high) continue;
      want_range(range, w, false);
      want_range({-range.high, -range.low}, w, true);
    }
  }

  void run() {
    for (int w = 0; w < plan_.window_count; ++w)
      plan_.windows[w].count = gg_uint128_make(0, 0);
    if (ranges_.empty()) return;
    allocate();
    make_sequences();
    const std::vector<range_group> groups = make_groups();
    const int outer = plan_.n - 1 - store_->first - store_->second;
    sweeps_ = (double)((uint64_t)1 << outer) * (double)groups.size();
    GG_CUDA(
        cudaMemsetAsync(store_->totals.as(), 0, sizeof(gpugeo_uint128) * MOST_RANGES, stream()));
    for (const range_group &group : groups)
      for (uint64_t signs = 0; signs >> outer == 0; ++signs)
        sweep(group, signs);
    pieces_.drain(1);
    gpugeo_uint128 totals[MOST_RANGES];
    GG_CUDA(cudaMemcpy(totals, store_->totals.as(), sizeof totals, cudaMemcpyDeviceToHost));
    for (size_t r = 0; r < ranges_.size(); ++r)
      for (const wanted_range::user &user : ranges_[r].users) {
        gpugeo_uint128 &count = plan_.windows[user.window].count;
        count = gg_uint128_add(count, totals[r]);
      }
  }

  double seconds() const { return pieces_.seconds(); }

private:
  cudaStream_t stream() const { return pieces_.stream(); }
  int range_count() const { return (int)ranges_.size(); }

  /* Makes groups of ranges that are swept separately: in one sweep over distant ranges, each a
     would be compared with all b between them. */
  std::vector<range_group> make_groups() {
    std::sort(ranges_.begin(), ranges_.end(), [](const wanted_range &x, const wanted_range &y) {
      return x.range.low < y.range.low;
    });
    for (const wanted_range &one : ranges_)
      sums_wanted_.push_back(one.range);
    return groups_of(sums_wanted_, 4 * mean_gap(plan_.d + store_->first, store_->second));
  }

  void want_range(const sum_range &range, int window, bool mirrored) {
    for (wanted_range &one : ranges_)
      if (one.range == range) return one.users.push_back({window, mirrored});
    ranges_.push_back({range, {{window, mirrored}}});
  }

  /* Allocates memory for sequences as long as is useful, allowed and available. */
  void allocate() {
    const int64_t budget = memory_budget(plan_.work_bytes);
    int signs = plan_.n - 1;
    while (signs > LEAST_SIGNS && store::bytes(signs, range_count()) > budget)
      --signs;
    /* More than 2^62 sweeps would be needed with less memory. */
    if (plan_.n - 1 - signs > 62)
      throw device_memory_failure{store::bytes(plan_.n - 1 - 62, range_count())};
    for (;; --signs) {
      try {
        store_ = std::make_unique<store>(signs);
        store_->allocate(range_count());
        return;
      } catch (const device_memory_failure &) {
        (void)cudaGetLastError();
        if (signs <= LEAST_SIGNS) throw;
      }
    }
  }

  void make_sequences() {
    const int64_t *d = plan_.d;
    int64_t *a = store_->a.as<int64_t>(), *b = store_->b.as<int64_t>();
    int64_t *scratch = store_->scratch.as<int64_t>(), *split = store_->split.as<int64_t>();
    a_ = make_sums(d, store_->first, a, b, split, pieces_, 0);
    b_ = make_sums(d + store_->first, store_->second, b, scratch, split, pieces_, 0);
  }

  double fraction() const { return done_ / sweeps_; }

  sweep_job make_job(const range_group &group, int64_t outer_sum) const {
    const sum_range hull = hull_of(sums_wanted_, group);
    sweep_job job = {};
    job.merge = {a_, b_, 0, 0, store_->split.as<int64_t>()};
    job.merge.x.shift = outer_sum - hull.high;
    job.reach = hull.high - hull.low;
    for (int r = group.first; r < group.end; ++r) {
      job.from[job.range_count] = hull.high - sums_wanted_[(size_t)r].high;
      job.to[job.range_count++] = hull.high - sums_wanted_[(size_t)r].low;
    }
    return job;
  }

  void sweep(const range_group &group, uint64_t outer_signs) {
    const int inner = store_->first + store_->second, last = plan_.n - 1;
    sweep_job job =
        make_job(group, plan_.d[last] + signed_sum(plan_.d + inner, last - inner, outer_signs));
    const int64_t size = a_.size() + b_.size(), step = store_->tiles * MERGE_TILE;
    for (int64_t from = 0; from < size; from += step) {
      job.merge.first = from;
      job.merge.end = smaller(size, from + step);
      count_pairs_of(job, group);
      if (listed_) list_pairs_of(job, group, outer_signs);
      done_ += (double)(job.merge.end - from) / (double)size;
    }
  }

  void count_pairs_of(const sweep_job &job, const range_group &group) {
    listed_ = 0;
    for (int r = group.first; r < group.end; ++r)
      listed_ |= (uint32_t)(wanted_of(ranges_[(size_t)r]) > 0) << (r - group.first);
    gpugeo_uint128 *totals = store_->totals.as<gpugeo_uint128>() + group.first;
    const unsigned tiles = (unsigned)job.merge.tiles();
    pieces_.begin(fraction());
    find_splits(job.merge, store_->split.as<int64_t>(), stream());
    const auto kernel = job.range_count == 1   ? count_pairs<1>
                        : job.range_count <= 3 ? count_pairs<3>
                                               : count_pairs<MOST_RANGES>;
    kernel<<<tiles, MERGE_THREADS, MERGE_SHARED, stream()>>>(job, totals, listed_,
                                                             store_->tile_count.as<uint64_t>());
    pieces_.end();
  }

  /* Returns the number of rows of a range that its windows still need. */
  int64_t wanted_of(const wanted_range &range) const {
    int64_t most = 0;
    for (const wanted_range::user &user : range.users)
      most = larger(most, plan_.windows[user.window].capacity - filled_[(size_t)user.window]);
    return most;
  }

  /* Lists the rows that the launch just counted has found. */
  void list_pairs_of(const sweep_job &job, const range_group &group, uint64_t outer_signs) {
    pieces_.drain(fraction());
    const size_t tiles = (size_t)job.merge.tiles();
    gpugeo_uint128 totals[MOST_RANGES];
    GG_CUDA(cudaMemcpy(totals, store_->totals.as(), sizeof totals, cudaMemcpyDeviceToHost));
    std::vector<uint64_t> count(tiles), first_number(tiles + 1);
    for (int r = group.first; r < group.end; ++r) {
      const bool found = !gg_uint128_equal(totals[r], seen_[r]);
      const int in_job = r - group.first;
      seen_[r] = totals[r];
      if (!found || !(listed_ >> in_job & 1)) continue;
      GG_CUDA(cudaMemcpy(count.data(), store_->tile_count.as<uint64_t>() + in_job * (int64_t)tiles,
                         tiles * sizeof(uint64_t), cudaMemcpyDeviceToHost));
      for (size_t t = 0; t < tiles; ++t)
        first_number[t + 1] = first_number[t] + count[t];
      list_range(job, in_job, ranges_[(size_t)r], first_number, outer_signs);
    }
  }

  /* Lists the rows of the r-th range of the job. */
  void list_range(const sweep_job &job, int r, const wanted_range &range,
                  const std::vector<uint64_t> &first_number, uint64_t outer_signs) {
    if (!reader_)
      reader_ = std::make_unique<row_reader>(plan_, store_->first, store_->second, FOUND_MOST);
    uint64_t *numbers = store_->first_number.as<uint64_t>();
    copy_in(numbers, first_number.data(), first_number.size() * sizeof(uint64_t));
    const uint64_t total = first_number.back();
    for (uint64_t skip = 0; skip < total && wanted_of(range) > 0;) {
      const uint64_t room = (uint64_t)smaller(wanted_of(range), FOUND_MOST);
      const int64_t here = (int64_t)std::min(room, total - skip);
      const list_job list = {job, r, numbers, skip, room, reader_->pairs()};
      pieces_.begin(fraction());
      list_pairs<<<(unsigned)job.merge.tiles(), MERGE_THREADS, MERGE_SHARED, stream()>>>(list);
      pieces_.end();
      take_rows(range, reader_->read(a_, b_, outer_signs, here, pieces_, fraction()));
      skip += room;
    }
  }

  void take_rows(const wanted_range &range, const std::vector<gpugeo_uint128> &rows) {
    for (const wanted_range::user &user : range.users) {
      gg_dgp_window &window = plan_.windows[user.window];
      int64_t &filled = filled_[(size_t)user.window];
      for (size_t k = 0; k < rows.size() && filled < window.capacity; ++k)
        window.rows[filled++] = user.mirrored ? gg_uint128_mirror(rows[k], plan_.n) : rows[k];
    }
  }

  const gg_dgp_plan &plan_;
  pieces pieces_;
  std::vector<wanted_range> ranges_;
  std::vector<sum_range> sums_wanted_; /* of each range */
  std::vector<int64_t> filled_;        /* rows written to each window */
  std::unique_ptr<store> store_;
  std::unique_ptr<row_reader> reader_;
  sums a_ = {}, b_ = {};
  gpugeo_uint128 seen_[MOST_RANGES] = {}; /* totals up to the launch before */
  uint32_t listed_ = 0; /* ranges of which the launch under way is to list rows, by bits */
  double sweeps_ = 1, done_ = 0;
};

} // namespace

void dgp_meet(const gg_dgp_plan &plan, call &call) {
  device_resources &resources = resources_for(plan.device);
  meeting all(plan, resources.compute[0], call.clock);
  finish_streams finish(resources);
  all.run();
  call.report->device_seconds += all.seconds();
}

} // namespace gpugeo
