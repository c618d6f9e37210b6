/*
 * The CUDA backend's closest pairs.
 *
 * Limited by the link, over which the points are copied; the rest by the device's memory, mostly by
 * sorting points into cells and reading their coordinates in that order. Searches after that take
 * about as long as reading the points once, since a good bound is known from neighbours in the
 * order of cells.
 *
 * Large sets of points are first reduced by a sieve to those that can be part of a close pair. If
 * that is not possible, evenly spread points are searched by cells: each point is compared with its
 * own cell and with the cells within the bound. Other sets, and small ones, are searched by a tree
 * of boxes. Pairs of coincident points, if they are wanted, are found by sorting, without testing
 * pairs.
 *
 * All points and the memory to sort them must fit into the device's memory: about 100 bytes for
 * each point.
 */
#include "points/points.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/common/device.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/sort.cuh"
#include "cuda/common/team.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/points/closest_result.cuh"
#include "cuda/points/closest_search.cuh"
#include "cuda/points/closest_sources.cuh"
#include "cuda/points/closest_sweep.cuh"
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

/* --- Points ----------------------------------------------------------------------------------- */

/* Converts points for the rule, with the coordinates of each point together, from the columns of
   the matrix: those of the given rows, or (NULL) all. */
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

/* Sums over all points the number of later points in the same cell. */
__global__ void __launch_bounds__(THREADS)
    count_cell_pairs(const grid_view grid, square_word *pairs) {
  square_word sum = 0;
  for (int64_t p = this_item(); p < grid.n; p += (int64_t)gridDim.x * THREADS)
    sum += (square_word)(grid.find(grid.key[p] + 1) - p - 1);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(pairs, sum);
}

__global__ void __launch_bounds__(THREADS)
    mark_y(const int32_t *row, int64_t n, int64_t nx, int32_t *mark) {
  const int64_t p = this_item();
  if (p < n) mark[p] = row[p] >= nx;
}

__global__ void __launch_bounds__(THREADS)
    write_y(const int32_t *row, const int32_t *before, int64_t n, int64_t nx, int32_t *position) {
  const int64_t p = this_item();
  if (p < n && row[p] >= nx) position[before[p]] = (int32_t)p;
}

/* --- The job ---------------------------------------------------------------------------------- */

class closest_job {
public:
  closest_job(const gg_closest_plan &plan, gg_closest_result *result, device_resources &resources,
              call &entered)
      : plan_(plan), result_(result), entered_(entered), stream_(resources.upload),
        call_(plan, result, stream_, entered.clock), search_(call_.search),
        n_(plan.x.nrow + (plan.within ? 0 : plan.y.nrow)),
        uploader_(resources, GPUGEO_POINTS_ROWS, plan.x.ncol, plan.threads, entered.clock, SLOT),
        finish_(resources) {}

  gpugeo_status run();

private:
  void upload();
  gpugeo_status decide_rule();
  void take_points();
  void join_locations();

  void try_sieve();
  bool try_grid();
  void search_tree();

  const gg_closest_plan &plan_;
  gg_closest_result *result_;
  call &entered_;
  const cudaStream_t stream_;
  closest_call call_;
  closest_search &search_;
  const int64_t n_;
  device_memory columns_, coordinates_, locations_, location_rows_, weights_;
  point_bounds raw_bounds_ = {}, bounds_ = {}; /* of all points, as they came and scaled */
  uploader uploader_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* --- Bringing the points ---------------------------------------------------------------------- */

void closest_job::upload() {
  const int64_t columns = plan_.x.ncol;
  if (n_ > INT32_MAX) throw device_memory_failure{n_ * columns * (int64_t)sizeof(double)};
  columns_.allocate(n_ * columns * (int64_t)sizeof(double));
  double *at = columns_.as<double>();
  const int64_t panel = SLOT / (int64_t)sizeof(double);
  const auto load = [&](const gpugeo_matrix &x, int64_t offset) {
    for (int64_t i = 0; i < x.nrow; i += panel) {
      const double done = 0.5 * (double)(offset + i) / (double)n_;
      uploader_.load(x, i, smaller(panel, x.nrow - i), at + offset + i, n_, done);
    }
  };
  load(plan_.x, 0);
  if (!plan_.within) load(plan_.y, plan_.x.nrow);
  search_.fraction = 0.5;
}

/* Finds the ranges of x and y, and the rule. */
gpugeo_status closest_job::decide_rule() {
  const int columns = (int)plan_.x.ncol;
  const int64_t nx = plan_.x.nrow;
  device_memory scratch, found;
  scratch.allocate(bounds_scratch(n_));
  found.allocate(2 * (int64_t)sizeof(point_bounds));
  GG_CUDA(cudaMemsetAsync(found.as(), 0, 2 * sizeof(point_bounds), stream_));
  point_bounds bounds[2];
  search_.timed([&] {
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
      gg_closest_rule(&plan_, &range[0], &range[1], &result_->rule, entered_.error);
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
  search_.begin(rule, farthest);
  return GPUGEO_OK;
}

/* Takes all points, or those of some rows, which then are points of a set of their own. */
void closest_job::take_points() {
  const gg_point_rule &rule = result_->rule;
  const int64_t n = call_.rows.empty() ? n_ : (int64_t)call_.rows.size();
  const int columns = location_columns(rule);
  device_memory row;
  if (!call_.rows.empty()) {
    row.allocate(4 * n);
    GG_CUDA(cudaMemcpyAsync(row.as(), call_.rows.data(), (size_t)(4 * n), cudaMemcpyHostToDevice,
                            stream_));
  }
  coordinates_.allocate(n * columns * (int64_t)sizeof(double));
  search_.timed([&] {
    make_points<<<blocks_for(n, THREADS), THREADS, 0, stream_>>>(
        rule, columns_.as<double>(), n_, row.as<int32_t>(), n, columns, coordinates_.as<double>());
  });
  call_.points.rule = rule;
  call_.points.n = n;
  call_.points.nx = call_.rows.empty() ? plan_.x.nrow : n;
  call_.points.within = plan_.within;
  call_.points.stride = columns;
  for (int k = 0; k < columns; ++k)
    call_.points.at[k] = coordinates_.as<double>() + k;
  search_.to.nx = call_.points.nx;
}

/* Joins, with `distinct`, the coincident points of a set into one, with their number as its
   weight: then no pair of locations has a square of 0. */
void closest_job::join_locations() {
  call_.joined.reset(new locations);
  call_.joined->build(call_.points, stream_);
  if (!call_.joined->exact() || call_.joined->groups() == call_.points.n) return;
  const int64_t groups = call_.joined->groups();
  locations_.allocate(groups * MOST_COLUMNS * (int64_t)sizeof(double));
  location_rows_.allocate(groups * (int64_t)sizeof(int32_t));
  weights_.allocate(call_.points.n * (int64_t)sizeof(int32_t));
  double *at[MOST_COLUMNS] = {};
  for (int k = 0; k < MOST_COLUMNS; ++k)
    if (call_.points.at[k]) at[k] = locations_.as<double>() + k * groups;
  call_.joined->take_first(call_.points, at, location_rows_.as<int32_t>(), weights_.as<int32_t>(),
                           stream_);
  for (int k = 0; k < MOST_COLUMNS; ++k)
    call_.points.at[k] = at[k];
  call_.points.row = location_rows_.as<int32_t>();
  call_.points.stride = 1;
  call_.points.n = groups;
  search_.to.weight = weights_.as<int32_t>();
}

/* --- Ways to search --------------------------------------------------------------------------- */

/* Reduces a large set to the points that can be part of the k closest pairs; keeps all if cells
   are crowded or too many points remain. */
void closest_job::try_sieve() {
  const gg_point_rule &rule = result_->rule;
  bool fits = plan_.within && !plan_.sphere && n_ >= GRID_LEAST && plan_.k <= n_ / 64;
  for (int k = 0; k < rule.columns; ++k)
    fits = fits && rule.box[k] == 0;
  sieve_shape shape;
  if (!fits || !shape_sieve(rule.columns, raw_bounds_, n_, &shape)) return;
  point_sieve sieve;
  sieve.allocate(n_, shape);
  search_.timed([&] { sieve.build(columns_.as<double>(), stream_); });
  const sieve_view &view = sieve.view();
  select_state *state = search_.state();
  search_.set_state(NO_BOUND);
  search_.timed([&] { sieve.count_pairs(&state->count, stream_); });
  if ((double)search_.fetched(&state->count) > CROWD * (double)n_) return;

  search_.to.distinct = false; /* pairs of words are not yet pairs of points */
  search_.find_bound(sieve_followers{view, 4, plan_.distinct}, n_);
  const square_word most = search_.bound();
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
    search_.set_state(most);
    search_.to.mode = SELECT_COLLECT;
    search_.to.shrink = false;
    search_.to.high = NO_BOUND;
    search_.search_all(source, n_);
    const int64_t count = (int64_t)search_.fetched(&state->count);
    if (count > 0 && count <= search_.to.room)
      search_.timed([&] {
        call_.rows =
            sieve.rows_of(columns_.as<double>(), search_.found(), count, search_.to.room, stream_);
      });
  }
  search_.to.distinct = plan_.distinct;
}

/* Searches by cells for about GRID_POINTS points each. Returns false if cells are crowded, or
   the bound is larger than a cell. */
bool closest_job::try_grid() {
  if (plan_.sphere || call_.points.row || call_.points.n < GRID_LEAST ||
      plan_.k > call_.points.n / 64)
    return false;
  const int columns = call_.points.rule.columns;
  double extent[MOST_COLUMNS], length = 0;
  for (int k = 0; k < columns; ++k)
    extent[k] = bounds_.high[k] - bounds_.low[k];
  /* Columns with less extent than a cell don't count. */
  for (int pass = 0; pass < columns; ++pass) {
    double logs = -log2((double)call_.points.n / GRID_POINTS);
    int counted = 0;
    for (int k = 0; k < columns; ++k)
      if (extent[k] > length) logs += log2(extent[k]), ++counted;
    if (counted == 0) return false;
    length = exp2(logs / counted);
  }
  double lengths[MOST_COLUMNS] = {length, length, length};
  grid grid;
  grid.allocate(call_.points.n, columns);
  const grid_shape shape = shape_grid(columns, bounds_, lengths, call_.points.rule.box);
  const point_columns all = {{call_.points.at[0], call_.points.at[1], call_.points.at[2]},
                             call_.points.n,
                             call_.points.stride};
  search_.timed([&] { grid.build(all, shape, stream_); });
  const grid_view &view = grid.view();
  search_.set_state(NO_BOUND);
  square_word *pairs = &search_.state()->count;
  search_.timed([&] {
    count_cell_pairs<<<(unsigned)smaller(blocks_for(view.n, THREADS), 8192), THREADS, 0, stream_>>>(
        view, pairs);
  });
  if ((double)search_.fetched(pairs) > CROWD * (double)call_.points.n) return false;

  search_.find_bound_by_followers(view.at, view.row, view.n, 4);
  const square_word most = search_.bound();
  if (most == 0 && pairs_at_zero(call_)) return true;
  const double reach = search_.reach_of(most);
  for (int k = 0; k < columns; ++k)
    if (shape.axis[k].count > 1 && !(reach <= shape.axis[k].size / shape.axis[k].scale / 2))
      return false;
  search_.fraction = 0.8;
  find_pairs(call_, grid_source{view}, view.n);
  return true;
}

void closest_job::search_tree() {
  point_tree tree;
  search_.timed([&] { tree.build(call_.points, stream_); });
  const tree_view &view = tree.view();
  const int64_t n = view.n, most_pairs = INT32_MAX;
  device_memory mark, position, scratch;
  if (plan_.within) {
    const int64_t followers = smaller(n - 1, smaller(8 + 2 * plan_.k / n, most_pairs));
    if (n > 1) search_.find_bound_by_followers(view.at, view.row, n, followers);
  } else {
    mark.allocate(4 * n);
    position.allocate(4 * n);
    size_t bytes = 0;
    int32_t *before = mark.as<int32_t>();
    exclusive_sum(nullptr, bytes, before, before, n, stream_);
    scratch.allocate((int64_t)bytes);
    search_.timed([&] {
      mark_y<<<blocks_for(n, THREADS), THREADS, 0, stream_>>>(view.row, n, call_.points.nx, before);
      exclusive_sum(scratch.as(), bytes, before, before, n, stream_);
      write_y<<<blocks_for(n, THREADS), THREADS, 0, stream_>>>(view.row, before, n, call_.points.nx,
                                                               position.as<int32_t>());
    });
    const int64_t ny =
        search_.fetched(before + n - 1) + (search_.fetched(view.row + n - 1) >= call_.points.nx);
    const int64_t partners = smaller(ny, 8 + 2 * plan_.k / larger(n - ny, 1));
    search_.find_bound(between_source{{view.at[0], view.at[1], view.at[2]},
                                      view.row,
                                      before,
                                      position.as<int32_t>(),
                                      n,
                                      ny,
                                      partners},
                       n);
  }
  if (n == 1) search_.set_state(NO_BOUND);
  if (search_.bound() == 0 && pairs_at_zero(call_)) return;
  search_.fraction = 0.8;
  find_pairs(call_, tree_source{view}, n);
}

gpugeo_status closest_job::run() {
  upload();
  const gpugeo_status status = decide_rule();
  if (status) return status;
  if (plan_.algorithm == GPUGEO_CLOSEST_ALGORITHM_GRID) try_sieve();
  take_points();
  if (plan_.distinct) join_locations();
  const bool found =
      plan_.algorithm == GPUGEO_CLOSEST_ALGORITHM_GRID ? try_grid() : search_sweep(call_);
  if (!found) search_tree();
  if (!call_.rows.empty()) /* rows stand in order, so that the pairs do */
    for (int64_t p = 0; p < result_->found; ++p) {
      result_->pairs[p].i = call_.rows[(size_t)result_->pairs[p].i];
      result_->pairs[p].j = call_.rows[(size_t)result_->pairs[p].j];
    }
  entered_.report->device_seconds += search_.seconds();
  return GPUGEO_OK;
}

} // namespace

gpugeo_status closest(const gg_closest_plan &plan, gg_closest_result *result, call &call) {
  closest_job job(plan, result, resources_for(plan.device), call);
  return job.run();
}

} // namespace gpugeo
