/*
 * The CUDA backend's closest pairs.
 *
 * Limit: the link, over which the points come; the device's memory for the rest, of which sorting
 * points into cells, and reading their coordinates in that order, takes most. Searches after that
 * take about as long as reading the points once, since a good bound is known from neighbours in the
 * order of cells.
 *
 * Very many points go through a sieve first, which leaves the few that can be part of a close pair.
 * Where it can't, many evenly spread points are searched by cells, each point with its own cell
 * and, where it lies within the bound of others, with these. All others, and few points, are
 * searched by a tree of boxes. Pairs of points at the same place, where they are wanted, are found
 * by sorting, without looking at any pair.
 *
 * All points and what sorting them takes must fit into the device's memory: some 100 bytes a point.
 */
#include "points/closest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <queue>
#include <vector>

#include "cuda/common/device.cuh"
#include "cuda/common/sort.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/points/closest_select.cuh"
#include "cuda/points/locations.cuh"
#include "cuda/points/point_sieve.cuh"
#include "cuda/points/point_tree.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;
constexpr int64_t SLOT = 1 << 24;       /* bytes of pinned memory */
constexpr int64_t GRID_LEAST = 1 << 20; /* points that are worth a grid */
constexpr double GRID_POINTS = 40;      /* in a cell */
constexpr double CROWD = 64;            /* pairs a point within cells; more are left to the tree */
constexpr int64_t ROOM_LEAST = 1 << 20; /* candidates */
constexpr int64_t LAUNCH_LEAST = 1 << 12; /* points */
constexpr double LAUNCH_SECONDS = 0.03;   /* so long a launch should take, at most */
constexpr int REGION = 32;                /* points, as in the paper */
constexpr double SWEEP_MOST = 1000;       /* pairs a point; more are left to the tree */

unsigned blocks_for(int64_t items) { return (unsigned)divide_up(items, THREADS); }

__device__ __forceinline__ int64_t this_item() {
  return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

/* --- Where pairs come from ------------------------------------------------------------------ */

/* Each source calls one.meet(q) for the partners q of the point at position p, or some of them. */

/* The points that follow in some order: a sample of close pairs. */
struct follower_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  int64_t n, followers;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    meeting<PLAIN> one(to, at, row, p);
    const int64_t last = smaller(p + followers, n - 1);
    for (int64_t q = p + 1; q <= last; ++q)
      one.meet(q);
  }
};

/* For each point of x the points of y around it in the order. */
struct between_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  const int32_t *before; /* points of y before each position */
  const int32_t *place;  /* positions of the points of y */
  int64_t n, ny, partners;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    if (row[p] >= to.nx) return;
    meeting<PLAIN> one(to, at, row, p);
    const int64_t first = larger(0, smaller(before[p] - partners / 2, ny - partners));
    for (int64_t t = first; t < smaller(first + partners, ny); ++t)
      one.meet(place[t]);
  }
};

/* Points after p in the cells that the bound reaches. */
struct grid_source {
  grid_view grid;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    meeting<PLAIN> one(to, grid.at, grid.row, p);
    const double reach = to.reach(one.bound);
    near_cells near[MOST_COLUMNS] = {{0, 1}, {0, 1}, {0, 1}};
#pragma unroll
    for (int k = 0; k < MOST_COLUMNS; ++k)
      if (k < grid.shape.columns) near[k] = cells_within(grid.shape.axis[k], one.point[k], reach);
    visit_cells(grid, near, p + 1, grid.key[p], [&](int64_t first, int64_t last) {
      for (int64_t q = first; q < last; ++q)
        one.meet(q);
    });
  }
};

/* Points in boxes that the bound reaches: within x those after p, else for points of x those of y.
 */
struct tree_source {
  tree_view tree;

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    constexpr int FAN = tree_view::FAN;
    if (!to.within && tree.row[p] >= to.nx) return;
    meeting<PLAIN> one(to, tree.at, tree.row, p);
    double place[MOST_COLUMNS];
    point_place(to.rule, one.point, place);
    const int64_t least = to.within ? p + 1 : 0;
    /* Nodes still to be opened, as their level and number. */
    int64_t stack[(FAN - 1) * tree_view::MOST_LEVELS + 1];
    int depth = 0;
    stack[depth++] = (int64_t)(tree.levels - 1) << 32;
    while (depth > 0) {
      const int64_t top = stack[--depth];
      const int level = (int)(top >> 32);
      const int64_t first = (top & 0xffffffff) * FAN;
      one.bound = to.bound();
      if (level == 0) {
        for (int64_t q = larger(first, least); q < smaller(first + FAN, tree.n); ++q)
          one.meet(q);
        continue;
      }
      const double reach = to.reach(one.bound), limit = reach * reach * (1 + 0x1p-49);
      int64_t size = FAN; /* points of a child */
      for (int l = 1; l < level; ++l)
        size *= FAN;
      for (int64_t c = first; c < smaller(first + FAN, tree.nodes[level - 1]); ++c) {
        const tree_box &box = tree.box[level - 1][c];
        if (!box.wanted || (c + 1) * size <= least) continue;
        if (box_distance(to.rule, place, box) <= limit)
          stack[depth++] = (int64_t)(level - 1) << 32 | c;
      }
    }
  }
};

/* The paper's regions of 32 points along a column: a point meets those after it in its region, and
   those of the border, which reaches as far as delta behind the region. */
struct sweep_source {
  const double *at[MOST_COLUMNS];
  const int32_t *row;
  const double *along; /* coordinates that are sorted */
  int64_t n;
  double first_reach;  /* delta as known from neighbours */
  bool stops, shrinks; /* optimisations 1 and 2 */

  template <bool PLAIN> __device__ void visit(int64_t p, const selection &to) const {
    meeting<PLAIN> one(to, at, row, p);
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
      one.meet(q);
    }
  }
};

template <class Source, bool PLAIN>
__global__ void __launch_bounds__(THREADS)
    search(const Source source, const selection to, int64_t first, int64_t end) {
  const int64_t p = first + this_item();
  if (p < end) source.template visit<PLAIN>(p, to);
}

/* --- Points --------------------------------------------------------------------------------- */

/* Points as the rule wants them, the coordinates of each together, from the columns of the matrix:
   those of the given rows, or (NULL) all. */
__global__ void __launch_bounds__(THREADS)
    make_points(const gg_point_rule rule, const double *from, int64_t ld, const int32_t *row,
                int64_t n, int columns, double *to) {
  const int64_t i = this_item();
  if (i >= n) return;
  const int64_t from_row = row ? row[i] : i;
  double point[MOST_COLUMNS];
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    point[k] = k < rule.columns ? from[k * ld + from_row] * rule.scale : 0;
  if (rule.kind == GG_POINT_SPHERE) gg_sphere_point(point[0], point[1], point);
#pragma unroll
  for (int k = 0; k < MOST_COLUMNS; ++k)
    if (k < columns) to[i * columns + k] = point[k];
}

/* Adds up how many points follow each in its cell. */
__global__ void __launch_bounds__(THREADS)
    count_cell_pairs(const grid_view grid, square_word *pairs) {
  __shared__ square_word of_warp[THREADS / 32];
  square_word sum = 0;
  for (int64_t p = this_item(); p < grid.n; p += (int64_t)gridDim.x * THREADS)
    sum += (square_word)(grid.find(grid.key[p] + 1) - p - 1);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < THREADS / 32; ++w)
    sum += of_warp[w];
  atomicAdd(pairs, sum);
}

/* Adds up how many points follow each within the reach along a sorted column. */
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
    mark_y(const int32_t *row, int64_t n, int64_t nx, int32_t *mark) {
  const int64_t p = this_item();
  if (p < n) mark[p] = row[p] >= nx;
}

__global__ void __launch_bounds__(THREADS)
    place_y(const int32_t *row, const int32_t *before, int64_t n, int64_t nx, int32_t *place) {
  const int64_t p = this_item();
  if (p < n && row[p] >= nx) place[before[p]] = (int32_t)p;
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

/* --- Pairs of places ------------------------------------------------------------------------ */

/* The row pairs of two places, in the order of (i, j). */
class place_pair {
public:
  place_pair(gg_square square, std::vector<int32_t> a, std::vector<int32_t> b, bool within)
      : square_(square), a_(std::move(a)), b_(std::move(b)), within_(within) {}

  /* The present pair; there is one. */
  gg_closest_pair pair() const {
    return first_ ? gg_closest_pair{square_, a_[at_a_], b_[other_]}
                  : gg_closest_pair{square_, b_[at_b_], a_[other_]};
  }

  /* Goes to the first or next pair, if there is one. */
  bool next() {
    if (begun_) {
      if (++other_ < (first_ ? b_.size() : a_.size())) return true;
      ++(first_ ? at_a_ : at_b_);
    }
    begun_ = true;
    if (at_a_ == a_.size() || at_b_ == b_.size()) return false;
    first_ = !within_ || a_[at_a_] < b_[at_b_];
    other_ = !within_ ? 0 : first_ ? at_b_ : at_a_; /* those before come first in their pairs */
    return true;
  }

private:
  gg_square square_;
  std::vector<int32_t> a_, b_;
  bool within_, begun_ = false, first_ = true;
  size_t at_a_ = 0, at_b_ = 0, other_ = 0;
};

/* --- The job -------------------------------------------------------------------------------- */

class closest_job {
public:
  closest_job(const gg_closest_plan &plan, gg_closest_result *result, gg_clock *clock,
              gpugeo_report *report, kept &kept, gpugeo_error *error)
      : plan_(plan), result_(result), clock_(clock), report_(report), error_(error),
        stream_(kept.upload), n_(plan.x.nrow + (plan.within ? 0 : plan.y.nrow)), busy_(stream_),
        uploader_(kept, GPUGEO_POINTS_ROWS, plan.x.ncol, plan.threads, clock, SLOT), finish_(kept) {
  }

  gpugeo_status run();

private:
  /* A stretch of kernels on the stream whose time counts. */
  template <class Work> void timed(Work work) {
    GG_CUDA(cudaEventRecord(from_, stream_));
    work();
    GG_CUDA(cudaEventRecord(to_, stream_));
    GG_CUDA(cudaGetLastError());
    wait(to_, clock_, fraction_);
    busy_.add(from_, to_);
  }
  template <class T> T fetched(const T *from) const {
    T value;
    GG_CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    return value;
  }

  void upload();
  gpugeo_status decide_rule();
  void take_points();
  void join_places();
  bool pairs_at_zero();

  void try_sieve();
  bool try_grid();
  bool try_sweep();
  void search_tree();

  template <class Source> void search_all(const Source &source, int64_t items);
  template <class Source> void search_launch(const Source &source, int64_t first, int64_t end);
  template <class Source> int64_t collect(const Source &source, int64_t items);
  template <class Source>
  square_word narrow(const Source &source, int64_t items, select_mode mode, square_word low,
                     square_word high, int64_t enough, int64_t *below);
  template <class Source> void find_bound(const Source &source, int64_t items);
  template <class Source> void find_pairs(const Source &source, int64_t items);
  void take_candidates(int64_t count, int64_t ties);

  void set_state(square_word bound);
  square_word bound() const { return fetched(&state_.as<select_state>()->bound); }
  double reach_of(square_word word) const;

  const gg_closest_plan &plan_;
  gg_closest_result *result_;
  gg_clock *clock_;
  gpugeo_report *report_;
  gpugeo_error *error_;
  cudaStream_t stream_;
  const int64_t n_;
  double fraction_ = 0; /* done, for the progress hook */
  int64_t launch_ = LAUNCH_LEAST;

  device_memory columns_, coordinates_, places_, place_rows_, weights_, state_, found_;
  point_bounds raw_bounds_ = {}, bounds_ = {}; /* of all points, as they came and scaled */
  std::vector<int32_t> rows_;                  /* of the points that are left; empty: all */
  point_set points_ = {};
  std::unique_ptr<locations> locations_;
  selection selection_ = {};
  bool plain_ = false;
  event from_, to_;
  busy_time busy_;
  uploader uploader_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* --- Bringing the points -------------------------------------------------------------------- */

void closest_job::upload() {
  const int64_t columns = plan_.x.ncol;
  if (n_ > INT32_MAX) throw device_memory_failure{n_ * columns * (int64_t)sizeof(double)};
  columns_.allocate(n_ * columns * (int64_t)sizeof(double));
  double *at = columns_.as<double>();
  const int64_t panel = SLOT / (int64_t)sizeof(double);
  const auto load = [&](const gpugeo_matrix &x, int64_t place) {
    for (int64_t i = 0; i < x.nrow; i += panel) {
      const double done = 0.5 * (double)(place + i) / (double)n_;
      uploader_.load(x, i, smaller(panel, x.nrow - i), at + place + i, n_, done);
    }
  };
  load(plan_.x, 0);
  if (!plan_.within) load(plan_.y, plan_.x.nrow);
  fraction_ = 0.5;
}

/* Looks for the ranges of x and y. */
gpugeo_status closest_job::decide_rule() {
  const int columns = (int)plan_.x.ncol;
  const int64_t nx = plan_.x.nrow;
  device_memory scratch, found;
  scratch.allocate(bounds_scratch(n_));
  found.allocate(2 * (int64_t)sizeof(point_bounds));
  GG_CUDA(cudaMemsetAsync(found.as(), 0, 2 * sizeof(point_bounds), stream_));
  point_bounds bounds[2];
  timed([&] {
    for (int set = 0; set < (plan_.within ? 1 : 2); ++set) {
      point_columns part = {{}, set == 0 ? nx : n_ - nx};
      for (int k = 0; k < columns; ++k)
        part.at[k] = columns_.as<double>() + k * n_ + (set == 0 ? 0 : nx);
      find_bounds(part, columns, found.as<point_bounds>() + set, scratch.as(), stream_);
    }
  });
  GG_CUDA(cudaMemcpyAsync(bounds, found.as(), sizeof bounds, cudaMemcpyDeviceToHost, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
  gg_point_range range[2] = {};
  for (int set = 0; set < 2; ++set) {
    range[set].finite = true;
    for (int k = 0; k < columns; ++k) {
      range[set].low[k] = bounds[set].low[k];
      range[set].high[k] = bounds[set].high[k];
      range[set].finite &= std::isfinite(bounds[set].low[k]) && std::isfinite(bounds[set].high[k]);
    }
  }
  const gpugeo_status status =
      gg_closest_rule(&plan_, &range[0], &range[1], &result_->rule, error_);
  if (status) return status;

  const gg_point_rule &rule = result_->rule;
  bounds_ = plan_.within ? bounds[0] : joined(bounds[0], bounds[1], columns);
  raw_bounds_ = bounds_;
  double farthest = 0;
  for (int k = 0; k < columns; ++k) {
    bounds_.low[k] *= rule.scale;
    bounds_.high[k] *= rule.scale;
    if (rule.box[k] > 0)
      farthest = fmax(farthest, fmax(fabs(bounds_.low[k]), fabs(bounds_.high[k])));
  }
  plain_ = rule.kind == GG_POINT_DOUBLE;
  for (int k = 0; k < columns; ++k)
    plain_ = plain_ && rule.box[k] == 0;
  state_.allocate(sizeof(select_state));
  selection_.room = larger(ROOM_LEAST, 2 * plan_.k);
  found_.allocate(selection_.room * (int64_t)sizeof(closest_candidate));
  selection_.rule = rule;
  selection_.within = plan_.within;
  selection_.distinct = plan_.distinct;
  selection_.slack = plan_.sphere ? 0x1p-46 : farthest * 0x1p-45;
  selection_.spread = 1 + (plan_.sphere ? 0x1p-40 : 0x1p-50);
  selection_.state = state_.as<select_state>();
  selection_.found = found_.as<closest_candidate>();
  return GPUGEO_OK;
}

/* Takes all points, or those of some rows, which then are points of a set of their own. */
void closest_job::take_points() {
  const gg_point_rule &rule = result_->rule;
  const int64_t n = rows_.empty() ? n_ : (int64_t)rows_.size();
  const int columns = place_columns(rule);
  device_memory row;
  if (!rows_.empty()) {
    row.allocate(4 * n);
    GG_CUDA(
        cudaMemcpyAsync(row.as(), rows_.data(), (size_t)(4 * n), cudaMemcpyHostToDevice, stream_));
  }
  coordinates_.allocate(n * columns * (int64_t)sizeof(double));
  timed([&] {
    make_points<<<blocks_for(n), THREADS, 0, stream_>>>(
        rule, columns_.as<double>(), n_, row.as<int32_t>(), n, columns, coordinates_.as<double>());
  });
  points_.rule = rule;
  points_.n = n;
  points_.nx = rows_.empty() ? plan_.x.nrow : n;
  points_.within = plan_.within;
  points_.stride = columns;
  for (int k = 0; k < columns; ++k)
    points_.at[k] = coordinates_.as<double>() + k;
  selection_.nx = points_.nx;
}

/* With `distinct`, one point for all of a set that lie at the same place, with their number as its
   weight: no pair of places has a square of 0 then. */
void closest_job::join_places() {
  locations_.reset(new locations);
  locations_->build(points_, stream_);
  if (!locations_->exact() || locations_->groups() == points_.n) return;
  const int64_t groups = locations_->groups();
  places_.allocate(groups * MOST_COLUMNS * (int64_t)sizeof(double));
  place_rows_.allocate(groups * (int64_t)sizeof(int32_t));
  weights_.allocate(points_.n * (int64_t)sizeof(int32_t));
  double *at[MOST_COLUMNS] = {};
  for (int k = 0; k < MOST_COLUMNS; ++k)
    if (points_.at[k]) at[k] = places_.as<double>() + k * groups;
  locations_->take_first(points_, at, place_rows_.as<int32_t>(), weights_.as<int32_t>(), stream_);
  for (int k = 0; k < MOST_COLUMNS; ++k)
    points_.at[k] = at[k];
  points_.row = place_rows_.as<int32_t>();
  points_.stride = 1;
  points_.n = groups;
  selection_.weight = weights_.as<int32_t>();
}

/* --- Searching ------------------------------------------------------------------------------ */

void closest_job::set_state(square_word bound) {
  select_state *state = state_.as<select_state>();
  GG_CUDA(cudaMemsetAsync(state, 0, sizeof *state, stream_));
  const square_word start[2] = {bound, NO_BOUND};
  GG_CUDA(cudaMemcpyAsync(state, start, sizeof start, cudaMemcpyHostToDevice, stream_));
}

/* The double whose bits a word is. */
double word_value(square_word word) {
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* selection::reach() on the host. */
double closest_job::reach_of(square_word word) const {
  const gg_point_kind kind = result_->rule.kind;
  double square;
  if (kind == GG_POINT_INTEGER) {
    square = word < WIDE_SQUARE ? (double)word : 8 * ((double)(word - WIDE_SQUARE) + 1);
  } else {
    square = word_value(word);
    if (!(square <= INFINITY)) square = INFINITY;
    if (kind == GG_POINT_SPHERE) square *= 4;
  }
  return sqrt(square) * selection_.spread + selection_.slack;
}

/* Lets some positions meet their partners, and says how many the next launch should take, so that
   an interrupt can wait for it. */
template <class Source>
void closest_job::search_launch(const Source &source, int64_t first, int64_t end) {
  const double start = gg_now();
  timed([&] {
    const unsigned blocks = blocks_for(end - first);
    if (plain_)
      search<Source, true><<<blocks, THREADS, 0, stream_>>>(source, selection_, first, end);
    else
      search<Source, false><<<blocks, THREADS, 0, stream_>>>(source, selection_, first, end);
  });
  const double seconds = gg_now() - start;
  if (seconds < LAUNCH_SECONDS / 8)
    launch_ *= 8;
  else if (seconds > LAUNCH_SECONDS)
    launch_ = larger(launch_ / 4, THREADS);
}

/* Lets all positions below `items` meet their partners. */
template <class Source> void closest_job::search_all(const Source &source, int64_t items) {
  launch_ = LAUNCH_LEAST;
  for (int64_t first = 0; first < items;) {
    const int64_t end = smaller(first + launch_, items);
    search_launch(source, first, end);
    first = end;
  }
}

/* The least `most` in [low, high], or somewhat more, so that with *below at least k pairs have a
   value in [low, most], and at most `enough` unless they share it; the value is the square, or at
   the bound the two rows. high, if there are not so many. *below becomes the number of pairs below
   the last bin that was divided. */
template <class Source>
square_word closest_job::narrow(const Source &source, int64_t items, select_mode mode,
                                square_word low, square_word high, int64_t enough, int64_t *below) {
  const square_word start = bound();
  std::vector<square_word> bins(SELECT_BINS);
  for (;;) {
    int shift = 0;
    while ((high - low) >> shift >= SELECT_BINS)
      ++shift;
    set_state(mode == SELECT_SQUARES ? high : start);
    selection_.mode = mode;
    selection_.low = low;
    selection_.high = high;
    selection_.shift = shift;
    search_all(source, items);
    GG_CUDA(cudaMemcpyAsync(bins.data(), state_.as<select_state>()->bins,
                            sizeof(square_word) * SELECT_BINS, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    int64_t up_to = *below;
    int bin = 0;
    while (bin < SELECT_BINS && up_to + (int64_t)bins[(size_t)bin] < plan_.k)
      up_to += (int64_t)bins[(size_t)bin++];
    if (bin == SELECT_BINS) return high;
    *below = up_to;
    low += (square_word)bin << shift;
    const square_word last = low + (((square_word)1 << shift) - 1);
    if (last < high) high = last;
    if (shift == 0 || up_to + (int64_t)bins[(size_t)bin] <= enough) return high;
  }
}

/* A bound on the k-th square from a source that meets some of the pairs. */
template <class Source> void closest_job::find_bound(const Source &source, int64_t items) {
  if (plan_.k == 1) {
    set_state(NO_BOUND);
    selection_.mode = SELECT_LEAST;
    search_all(source, items);
    return;
  }
  int64_t below = 0;
  set_state(NO_BOUND);
  const square_word most = narrow(source, items, SELECT_SQUARES, 0, NO_BOUND, 4 * plan_.k, &below);
  set_state(most);
}

/* Collects all pairs up to the bound, lowering it to the k-th square met so far. Returns how many
   there are: more than there is room for where they share the square that is the bound then. */
template <class Source> int64_t closest_job::collect(const Source &source, int64_t items) {
  select_state *state = state_.as<select_state>();
  const int64_t many = larger(4096, 4 * plan_.k);
  int64_t kept = 0, most_kept = many;
  square_word present = bound();
  selection_.mode = SELECT_COLLECT;
  selection_.shrink = plan_.k == 1;
  selection_.high = NO_BOUND;
  launch_ = LAUNCH_LEAST;
  for (int64_t first = 0; first < items;) {
    const int64_t end = smaller(first + launch_, items);
    search_launch(source, first, end);
    const int64_t count = (int64_t)fetched(&state->count);
    if (count <= smaller(most_kept, selection_.room)) {
      kept = count;
      first = end;
      continue;
    }
    std::vector<closest_candidate> found((size_t)smaller(count, selection_.room));
    GG_CUDA(cudaMemcpyAsync(found.data(), found_.as(), sizeof(closest_candidate) * found.size(),
                            cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    std::vector<square_word> words;
    words.reserve(found.size());
    for (const closest_candidate &c : found)
      words.push_back(c.word);
    std::nth_element(words.begin(), words.begin() + (plan_.k - 1), words.end());
    const square_word kth = words[(size_t)plan_.k - 1], most = kth < present ? kth : present;
    const bool lost = count > selection_.room; /* some of this launch: it is to be done again */
    if (lost && most == present) return count;
    if (lost) found.resize((size_t)kept);
    found.erase(std::remove_if(found.begin(), found.end(),
                               [most](const closest_candidate &c) { return c.word > most; }),
                found.end());
    kept = (int64_t)found.size();
    most_kept = 2 * kept + many;
    present = most;
    const square_word kept_word = (square_word)kept;
    GG_CUDA(cudaMemcpyAsync(found_.as(), found.data(), sizeof(closest_candidate) * found.size(),
                            cudaMemcpyHostToDevice, stream_));
    GG_CUDA(
        cudaMemcpyAsync(&state->bound, &present, sizeof present, cudaMemcpyHostToDevice, stream_));
    GG_CUDA(cudaMemcpyAsync(&state->count, &kept_word, sizeof kept_word, cudaMemcpyHostToDevice,
                            stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    if (!lost) first = end;
  }
  return kept;
}

/* The k closest pairs from a source that meets all pairs up to the bound, which is in the state. */
template <class Source> void closest_job::find_pairs(const Source &source, int64_t items) {
  set_state(bound());
  int64_t count = collect(source, items), ties = -1;
  if (count > selection_.room) {
    square_word most = bound();
    selection_.mode = SELECT_LEAST;
    set_state(most);
    search_all(source, items);
    const square_word least = bound();
    int64_t below = 0;
    most = plan_.k == 1
               ? least
               : narrow(source, items, SELECT_SQUARES, least, most, selection_.room, &below);
    selection_.mode = SELECT_COLLECT;
    selection_.shrink = false;
    selection_.high = NO_BOUND;
    set_state(most);
    search_all(source, items);
    count = (int64_t)fetched(&state_.as<select_state>()->count);
    if (count > selection_.room) {
      /* They have the same square: the first of them by their rows. */
      if (points_.rule.kind == GG_POINT_INTEGER && most >= WIDE_SQUARE)
        throw device_memory_failure{count * (int64_t)sizeof(closest_candidate)};
      set_state(most);
      const square_word rows =
          narrow(source, items, SELECT_ROWS, 0, NO_BOUND, selection_.room, &below);
      set_state(most);
      selection_.mode = SELECT_COLLECT;
      selection_.high = rows;
      search_all(source, items);
      count = (int64_t)fetched(&state_.as<select_state>()->count);
    }
    set_state(least);
    selection_.mode = SELECT_WEIGH;
    search_all(source, items);
    ties = (int64_t)fetched(&state_.as<select_state>()->count);
  }
  take_candidates(count, ties);
}

/* The result from candidates, which hold the k closest pairs and, unless `ties` is not negative,
   all that share the least square. */
void closest_job::take_candidates(int64_t count, int64_t ties) {
  std::vector<closest_candidate> found((size_t)count);
  GG_CUDA(cudaMemcpyAsync(found.data(), found_.as(), sizeof(closest_candidate) * found.size(),
                          cudaMemcpyDeviceToHost, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
  const auto lower = [](const closest_candidate &a, const closest_candidate &b) {
    return a.word < b.word;
  };
  if (count > plan_.k) {
    std::nth_element(found.begin(), found.begin() + (plan_.k - 1), found.end(), lower);
    const square_word most = found[(size_t)plan_.k - 1].word;
    found.erase(std::remove_if(found.begin(), found.end(),
                               [most](const closest_candidate &c) { return c.word > most; }),
                found.end());
  }
  /* Now in the order of the exact squares. */
  const int64_t nx = plan_.x.nrow;
  std::vector<std::pair<gg_closest_pair, square_word>> exact;
  exact.reserve(found.size());
  for (const closest_candidate &c : found) {
    double a[GG_POINT_COLUMNS], b[GG_POINT_COLUMNS];
    const int64_t j = plan_.within ? c.j : c.j - nx;
    gg_point_load(&points_.rule, &plan_.x, rows_.empty() ? c.i : rows_[(size_t)c.i], a);
    gg_point_load(&points_.rule, &plan_.y, rows_.empty() ? j : rows_[(size_t)j], b);
    exact.push_back({{gg_point_square(&points_.rule, a, b), c.i, j}, c.weight});
  }
  std::sort(exact.begin(), exact.end(),
            [](const auto &a, const auto &b) { return gg_closest_before(&a.first, &b.first); });
  result_->ties = 0;
  for (const auto &one : exact)
    if (gg_square_equal(one.first.square, exact[0].first.square))
      result_->ties += (int64_t)one.second;
  if (ties >= 0) result_->ties = ties;

  /* Pairs of places each give their row pairs, in turn as the order wants it. */
  const auto later = [](const std::pair<gg_closest_pair, size_t> &a,
                        const std::pair<gg_closest_pair, size_t> &b) {
    return gg_closest_before(&b.first, &a.first);
  };
  std::priority_queue<std::pair<gg_closest_pair, size_t>,
                      std::vector<std::pair<gg_closest_pair, size_t>>, decltype(later)>
      queue(later);
  std::vector<place_pair> several;
  const auto write_before = [&](const gg_closest_pair *next) {
    while (result_->found < plan_.k && !queue.empty() &&
           (!next || gg_closest_before(&queue.top().first, next))) {
      const size_t at = queue.top().second;
      result_->pairs[result_->found++] = queue.top().first;
      queue.pop();
      if (several[at].next()) queue.push({several[at].pair(), at});
    }
  };
  result_->found = 0;
  for (size_t e = 0; e < exact.size() && result_->found < plan_.k; ++e) {
    const gg_closest_pair &pair = exact[e].first;
    write_before(&pair);
    if (result_->found == plan_.k) return;
    if (exact[e].second == 1) {
      result_->pairs[result_->found++] = pair;
      continue;
    }
    std::vector<int32_t> a = locations_->rows_of((int32_t)pair.i);
    std::vector<int32_t> b = locations_->rows_of((int32_t)(plan_.within ? pair.j : pair.j + nx));
    if (!plan_.within)
      for (int32_t &row : b)
        row -= (int32_t)nx;
    several.emplace_back(pair.square, std::move(a), std::move(b), plan_.within);
    several.back().next();
    queue.push({several.back().pair(), several.size() - 1});
  }
  write_before(nullptr);
}

/* --- Ways to search ------------------------------------------------------------------------- */

/* Where the k-th square is 0: all pairs come from points at the same place. False where that can't
   be said of their places. */
bool closest_job::pairs_at_zero() {
  if (plan_.distinct) return false;
  locations_.reset(new locations);
  locations_->build(points_, stream_);
  if (!locations_->exact()) return false;
  result_->ties = locations_->count_pairs(points_, stream_);
  const std::vector<gg_closest_pair> pairs = locations_->first_pairs(points_, plan_.k, stream_);
  result_->found = (int64_t)pairs.size();
  std::copy(pairs.begin(), pairs.end(), result_->pairs);
  return true;
}

/* Leaves, of very many points, those that can be part of the k closest pairs; all where points
   crowd in cells or too many are so close. */
void closest_job::try_sieve() {
  const gg_point_rule &rule = result_->rule;
  bool fits = plan_.within && !plan_.sphere && n_ >= GRID_LEAST && plan_.k <= n_ / 64;
  for (int k = 0; k < rule.columns; ++k)
    fits = fits && rule.box[k] == 0;
  sieve_shape shape;
  if (!fits || !shape_sieve(rule.columns, raw_bounds_, n_, &shape)) return;
  point_sieve sieve;
  sieve.allocate(n_, shape);
  timed([&] { sieve.build(columns_.as<double>(), stream_); });
  const sieve_view &view = sieve.view();
  select_state *state = state_.as<select_state>();
  set_state(NO_BOUND);
  timed([&] { sieve.count_pairs(&state->count, stream_); });
  if ((double)fetched(&state->count) > CROWD * (double)n_) return;

  selection_.distinct = false; /* pairs of words are not yet pairs of points */
  find_bound(sieve_followers{view, 4, plan_.distinct}, n_);
  const square_word most = bound();
  sieve_source source = {view, {}};
  const double reach = most < NO_BOUND ? sqrt(word_value(most)) : INFINITY;
  bool near = true;
  for (int k = 0; k < rule.columns; ++k) {
    if (shape.cell_bits[k] == 0) continue;
    const double units = reach / shape.ratio[k] + 2.0625;
    near = near && units < ldexp(1, shape.fine_bits);
    source.reach[k] = near ? (int64_t)units : 0;
  }
  if (near) {
    set_state(most);
    selection_.mode = SELECT_COLLECT;
    selection_.shrink = false;
    selection_.high = NO_BOUND;
    search_all(source, n_);
    const int64_t count = (int64_t)fetched(&state->count);
    if (count > 0 && count <= selection_.room)
      timed([&] {
        rows_ = sieve.rows_of(columns_.as<double>(), found_.as<closest_candidate>(), count,
                              selection_.room, stream_);
      });
  }
  selection_.distinct = plan_.distinct;
}

/* Cells for some GRID_POINTS points each. False where points crowd in cells, or the bound is larger
   than a cell. */
bool closest_job::try_grid() {
  if (plan_.sphere || points_.row || points_.n < GRID_LEAST || plan_.k > points_.n / 64)
    return false;
  const int columns = points_.rule.columns;
  double extent[MOST_COLUMNS], length = 0;
  for (int k = 0; k < columns; ++k)
    extent[k] = bounds_.high[k] - bounds_.low[k];
  /* Columns with less extent than a cell don't count. */
  for (int pass = 0; pass < columns; ++pass) {
    double logs = -log2((double)points_.n / GRID_POINTS);
    int counted = 0;
    for (int k = 0; k < columns; ++k)
      if (extent[k] > length) logs += log2(extent[k]), ++counted;
    if (counted == 0) return false;
    length = exp2(logs / counted);
  }
  double lengths[MOST_COLUMNS] = {length, length, length};
  grid grid;
  grid.allocate(points_.n, columns);
  const grid_shape shape = shape_grid(columns, bounds_, lengths, points_.rule.box);
  const point_columns all = {
      {points_.at[0], points_.at[1], points_.at[2]}, points_.n, points_.stride};
  timed([&] { grid.build(all, shape, stream_); });
  const grid_view &view = grid.view();
  set_state(NO_BOUND);
  square_word *pairs = &state_.as<select_state>()->count;
  timed([&] {
    count_cell_pairs<<<(unsigned)smaller(blocks_for(view.n), 8192), THREADS, 0, stream_>>>(view,
                                                                                           pairs);
  });
  if ((double)fetched(pairs) > CROWD * (double)points_.n) return false;

  const follower_source followers = {{view.at[0], view.at[1], view.at[2]}, view.row, view.n, 4};
  find_bound(followers, view.n);
  const square_word most = bound();
  if (most == 0 && pairs_at_zero()) return true;
  const double reach = reach_of(most);
  for (int k = 0; k < columns; ++k)
    if (shape.axis[k].count > 1 && !(reach <= shape.axis[k].size / shape.axis[k].scale / 2))
      return false;
  fraction_ = 0.8;
  find_pairs(grid_source{view}, view.n);
  return true;
}

void closest_job::search_tree() {
  point_tree tree;
  timed([&] { tree.build(points_, stream_); });
  const tree_view &view = tree.view();
  const int64_t n = view.n, most_pairs = INT32_MAX;
  device_memory mark, place, scratch;
  if (plan_.within) {
    const int64_t followers = smaller(n - 1, smaller(8 + 2 * plan_.k / n, most_pairs));
    if (n > 1)
      find_bound(follower_source{{view.at[0], view.at[1], view.at[2]}, view.row, n, followers}, n);
  } else {
    mark.allocate(4 * n);
    place.allocate(4 * n);
    size_t bytes = 0;
    int32_t *before = mark.as<int32_t>();
    exclusive_sum(nullptr, bytes, before, before, n, stream_);
    scratch.allocate((int64_t)bytes);
    timed([&] {
      mark_y<<<blocks_for(n), THREADS, 0, stream_>>>(view.row, n, points_.nx, before);
      exclusive_sum(scratch.as(), bytes, before, before, n, stream_);
      place_y<<<blocks_for(n), THREADS, 0, stream_>>>(view.row, before, n, points_.nx,
                                                      place.as<int32_t>());
    });
    const int64_t ny = fetched(before + n - 1) + (fetched(view.row + n - 1) >= points_.nx);
    const int64_t partners = smaller(ny, 8 + 2 * plan_.k / larger(n - ny, 1));
    find_bound(between_source{{view.at[0], view.at[1], view.at[2]},
                              view.row,
                              before,
                              place.as<int32_t>(),
                              n,
                              ny,
                              partners},
               n);
  }
  if (n == 1) set_state(NO_BOUND);
  if (bound() == 0 && pairs_at_zero()) return;
  fraction_ = 0.8;
  find_pairs(tree_source{view}, n);
}

/* The paper's scheme, along the first column, or another one where too many points share theirs.
   False where all columns are so. */
bool closest_job::try_sweep() {
  const int64_t n = points_.n;
  const int columns = points_.rule.columns;
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
  sort_pairs(nullptr, bytes, keys, rows, n, 64, stream_);
  scratch.allocate((int64_t)bytes);
  for (int along = 0; along < columns; ++along) {
    sweep_source source = {};
    timed([&] {
      make_sort_keys<<<blocks_for(n), THREADS, 0, stream_>>>(points_.at[along], points_.stride, n,
                                                             keys.current(), rows.current());
      sort_pairs(scratch.as(), bytes, keys, rows, n, 64, stream_);
      for (int k = 0; k < columns; ++k) {
        double *to = sorted.as<double>() + k * n;
        take_sorted<<<blocks_for(n), THREADS, 0, stream_>>>(points_.at[k], points_.stride,
                                                            rows.current(), n, to);
        source.at[k] = to;
      }
    });
    int32_t *names = rows.current();
    if (points_.row) {
      take_names<<<blocks_for(n), THREADS, 0, stream_>>>(points_.row, rows.current(), n,
                                                         rows.alternate());
      names = rows.alternate();
    }
    source.row = names;
    source.along = source.at[along];
    source.n = n;
    const int64_t followers = smaller(n - 1, 1 + 2 * plan_.k / n);
    find_bound(follower_source{{source.at[0], source.at[1], source.at[2]}, names, n, followers}, n);
    const square_word most = bound();
    if (most == 0 && pairs_at_zero()) return true;
    source.first_reach = reach_of(most);
    source.stops = plan_.method != GPUGEO_CLOSEST_METHOD_SWEEP_V0;
    source.shrinks = plan_.method == GPUGEO_CLOSEST_METHOD_SWEEP_V2;
    square_word *pairs = &state_.as<select_state>()->count;
    set_state(most);
    timed([&] {
      count_sweep_pairs<<<blocks_for(n), THREADS, 0, stream_>>>(source.along, n, source.first_reach,
                                                                pairs);
    });
    if ((double)fetched(pairs) > fmax(SWEEP_MOST * (double)n, 4.0 * (double)plan_.k)) continue;
    fraction_ = 0.8;
    find_pairs(source, n);
    return true;
  }
  return false;
}

gpugeo_status closest_job::run() {
  upload();
  const gpugeo_status status = decide_rule();
  if (status) return status;
  if (plan_.method == GPUGEO_CLOSEST_METHOD_GRID) try_sieve();
  take_points();
  if (plan_.distinct) join_places();
  const bool found = plan_.method == GPUGEO_CLOSEST_METHOD_GRID ? try_grid() : try_sweep();
  if (!found) search_tree();
  if (!rows_.empty()) /* rows stand in order, so that the pairs do */
    for (int64_t p = 0; p < result_->found; ++p) {
      result_->pairs[p].i = rows_[(size_t)result_->pairs[p].i];
      result_->pairs[p].j = rows_[(size_t)result_->pairs[p].j];
    }
  report_->device_seconds += busy_.seconds();
  return GPUGEO_OK;
}

} // namespace

gpugeo_status closest(const gg_closest_plan &plan, gg_closest_result *result, gg_clock *clock,
                      gpugeo_report *report, gpugeo_error *error) {
  closest_job job(plan, result, clock, report, kept_for(plan.device), error);
  return job.run();
}

} // namespace gpugeo
