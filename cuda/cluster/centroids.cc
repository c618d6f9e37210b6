/*
 * Ward's linkages of points without a matrix, on a device: the rounds of the CPU's centroids.c. The
 * lists of clusters are the core's, in memory of the host, and the centroids are in device memory.
 * A round takes 20 bytes of each cluster over the link; the bits are those of the CPU, since the
 * steps of centroid_step.h make the distances.
 */

#include "cuda/cluster/centroids.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "cluster/clusters.h"
#include "cuda/cluster/centroid_search.cuh"
#include "cuda/common/divider.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/upload.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t SLOT = 8 * MIB;          /* of an upload */
constexpr double SHARE_OF_FIRST = 1.0 / 3; /* of the call's progress: the first search */

constexpr int64_t TILE = CENTROID_TILE;
constexpr int64_t PAIRS = 32;                   /* for each position, for which there is room */
constexpr double PRODUCTS = (double)(1l << 42); /* of a launch: 20 ms of an H200 */
constexpr size_t AT_ONCE = 32;                  /* ranges */
constexpr int64_t SAMPLE = 64;                  /* tiles of columns with which a search begins */
constexpr int64_t GROWTH = 3;        /* tiles of a launch for each that its clusters have seen, */
constexpr int64_t LEAST_TILES = 128; /* or so many in both directions */
constexpr int64_t SEEN = 16;         /* tiles after which one of */
constexpr double FEW = 256;          /* pairs that are listed is a reason for more digits */

/* --- Memory ----------------------------------------------------------------------------------- */

/* What a clustering has on the device. */
struct device_parts {
  centroid_view v;
  centroid_set other; /* to which columns that stay are copied */
};

/* Takes the arrays of a set of centroids from its memory. */
void divide_set(centroid_set &set, int64_t values, int64_t ld, divider &part) {
  part.take(set.high, values);
  part.take(set.low, values);
  for (double **list : {&set.size, &set.level, &set.distance})
    part.take(*list, ld);
}

/* Divides the memory of searches of at most so many positions. */
void divide_search(centroid_search &search, int64_t positions, int64_t m, divider &part) {
  search.room = larger(TILE * TILE, PAIRS * positions);
  part.take(search.cluster, positions);
  part.take(search.bound, positions);
  part.take(search.column, 2 * positions * rounded_columns(m, true));
  part.take(search.pair, search.room);
  part.take(search.distance, search.room);
  part.take(search.count, AT_ONCE);
}

/* Returns the bytes for n points of m coordinates, and divides the memory unless it is NULL. */
int64_t divide(device_parts &parts, int64_t n, int64_t m, char *memory) {
  divider part(memory);
  centroid_view &v = parts.v;
  v.m = m;
  v.ld = n;
  divide_set(v.set, m * v.ld, v.ld, part);
  divide_set(parts.other, m * v.ld, v.ld, part);
  divide_search(v.search, round_up(n, TILE) + TILE, m, part);
  part.take(v.centre, m);
  part.take(v.largest, m);
  part.take(v.reach, m);
  part.take(v.low_norm, 1);
  for (int32_t **list : {&v.nearest, &v.first, &v.second, &v.from})
    part.take(*list, n);
  for (double **list : {&v.settled, &v.ni, &v.nj, &v.dij})
    part.take(*list, n);
  return part.bytes();
}

/* --- A clustering ----------------------------------------------------------------------------- */

class clustering {
public:
  clustering(const gg_hclust_plan &plan, const worker &here, int64_t bytes);
  ~clustering() { gg_clusters_free(&clusters_); }
  clustering(const clustering &) = delete;
  clustering &operator=(const clustering &) = delete;

  gpugeo_status run(gg_merge *merges, gpugeo_error *error);

private:
  void load();
  double largest(const double *list);
  void search(double done, double share);
  void place_clusters();
  void round_clusters_to(bool fine);
  void list_ranges();
  void add_columns(int64_t first, int64_t last);
  void add_rows(int64_t first);
  int64_t next_tiles(int64_t seen, int64_t others) const;
  size_t search_next();
  void finish_ranges(size_t number, double share);
  void merge_round();
  void remove_merged();

  template <class T> void bring(T *to, const T *from, int64_t count) {
    if (count > 0) copy_in(to, from, (size_t)count * sizeof(T));
  }
  template <class T> void take_back(T *to, const T *from, int64_t count) {
    GG_CUDA(cudaMemcpy(to, from, (size_t)count * sizeof(T), cudaMemcpyDeviceToHost));
  }

  /* Enqueues work and waits for it. */
  template <class Launch> void run_piece(Launch launch) {
    pieces_.begin(progress_);
    launch();
    pieces_.end();
    pieces_.drain(progress_);
  }
  cudaStream_t stream() const { return pieces_.stream(); }
  double fraction() const {
    return gg_clusters_fraction(&clusters_, gg_clusters_alive(&clusters_));
  }

  const gg_hclust_plan &plan_;
  const worker &here_;
  gg_clusters clusters_ = {};
  device_memory memory_;
  device_parts parts_ = {};
  centroid_view &v_ = parts_.v;
  double progress_ = 0;            /* of the call */
  std::vector<tile_range> ranges_; /* that are left of a search */
  double most_tiles_;              /* of a launch */
  std::vector<int32_t> place_;     /* the clusters of a search in their order */
  std::vector<bool> searched_;     /* clusters, while they are ordered */
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

clustering::clustering(const gg_hclust_plan &plan, const worker &here, int64_t bytes)
    : plan_(plan), here_(here), pieces_(here.resources->compute[0], here.clock),
      finish_(*here.resources) {
  memory_.allocate(bytes);
  GG_CUDA(cudaMemset(memory_.as(), 0, (size_t)bytes));
  GG_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  divide(parts_, plan.n, plan.points->m, memory_.as());
  most_tiles_ = PRODUCTS / (double)(TILE * TILE * rounded_columns(v_.m, true));
  searched_.resize((size_t)plan.n);
}

gpugeo_status clustering::run(gg_merge *merges, gpugeo_error *error) {
  const gpugeo_status status = gg_clusters_make(&plan_, merges, &clusters_, error);
  if (status) return status;
  load();
  gg_clusters_search_all(&clusters_);
  search(0, SHARE_OF_FIRST);
  while (gg_clusters_alive(&clusters_) > 1)
    merge_round();
  gg_clusters_scale_squares(&clusters_);
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

/* --- Points ----------------------------------------------------------------------------------- */

/* Returns the largest of a list on the device, or 0. */
double clustering::largest(const double *list) {
  std::vector<double> values((size_t)v_.m);
  take_back(values.data(), list, v_.m);
  return *std::max_element(values.begin(), values.end());
}

/* Loads the points, multiplies them by the scale of the clusters, and chooses the scale of rounded
   coordinates, the largest of which are 2^13 to 2^14: halves of second digits are normal, too. */
void clustering::load() {
  const gg_dist_plan &points = *plan_.points;
  uploader loader(*here_.resources, points.points, v_.m, here_.threads, here_.clock,
                  larger(SLOT, plan_.n * (int64_t)sizeof(double)), points.x.sparse != nullptr);
  loader.load(points.x, 0, plan_.n, v_.set.high, v_.ld, 0);
  GG_CUDA(cudaStreamSynchronize(here_.resources->upload));
  v_.active = plan_.n;
  bring(v_.set.size, clusters_.size, plan_.n);
  run_piece([&] { find_centre(v_, stream()); });
  gg_clusters_set_scale(&clusters_, plan_.linkage, largest(v_.largest));
  if (clusters_.scale != 1)
    run_piece([&] {
      scale_centroids(v_, clusters_.scale, stream());
      find_centre(v_, stream());
    });
  const double reach = largest(v_.reach);
  v_.scale = reach > 0 ? std::ldexp(1, 13 - std::ilogb(reach)) : 1;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* Lists the clusters of a search. */
void clustering::place_clusters() {
  const gg_clusters &c = clusters_;
  const int64_t rows = round_up(c.searches, TILE);
  int64_t at = rows;
  place_.assign((size_t)(round_up(c.active, TILE) + TILE), -1);
  std::copy(c.search, c.search + c.searches, place_.begin());
  for (int64_t k = 0; k < c.searches; ++k)
    searched_[(size_t)c.search[k]] = true;
  for (int64_t k = 0; k < c.active; ++k) {
    if (c.size[k] > 0 && !searched_[(size_t)k]) place_[(size_t)at++] = (int32_t)k;
    searched_[(size_t)k] = false;
  }
  v_.search.rows = rows;
  v_.search.positions = round_up(at, TILE);
  bring(v_.search.cluster, place_.data(), v_.search.positions);
}

/* Enqueues the rounding of the clusters of a search. */
void clustering::round_clusters_to(bool fine) {
  centroid_search &s = v_.search;
  s.fine = fine;
  s.columns = rounded_columns(v_.m, fine);
  s.row = fine ? s.column + s.positions * s.columns : s.column;
  round_clusters(v_, stream());
}

/* Returns the tiles of a range. */
double tiles_of(const tile_range &range) {
  const double rows = (double)(range.row1 - range.row0);
  const double wide = (double)(range.column1 - range.column0);
  if (!range.triangle) return rows * wide;
  return rows * (double)(range.column1 - range.row0) - rows * (rows - 1) / 2;
}

/* Adds the two parts of a range to others. */
void add_halves(const tile_range &range, std::vector<tile_range> &to) {
  tile_range first = range, second = range;
  if (range.row1 - range.row0 > 1)
    first.row1 = second.row0 = (range.row0 + range.row1) / 2;
  else
    first.column1 = second.column0 = (range.column0 + range.column1) / 2;
  to.push_back(first);
  to.push_back(second);
}

/* Returns how many tiles a range has in one direction, with so many in the other one, if its
   clusters have seen some. */
int64_t clustering::next_tiles(int64_t seen, int64_t others) const {
  const int64_t most = (int64_t)(most_tiles_ / (double)others);
  const int64_t wanted = seen == 0 ? SEEN / others : larger(GROWTH * seen, LEAST_TILES / others);
  return larger(1, smaller(wanted, most));
}

/* Adds ranges of all rows with tiles of columns, of which few come first: each launch lowers the
   limits of the next. */
void clustering::add_columns(int64_t first, int64_t last) {
  const int64_t rows = v_.search.rows / TILE;
  for (int64_t next; first < last; first = next) {
    next = smaller(last, first + next_tiles(first, rows));
    ranges_.push_back({0, rows, first, next, false});
  }
}

/* Adds ranges of the rows from a tile on with each other. */
void clustering::add_rows(int64_t first) {
  const int64_t last = v_.search.rows / TILE;
  for (int64_t next; first < last; first = next) {
    next = smaller(last, first + next_tiles(first, last - first));
    ranges_.push_back({first, next, first, last, true});
  }
}

/* Lists the ranges of a search. */
void clustering::list_ranges() {
  centroid_search &s = v_.search;
  const int64_t rows = s.rows / TILE, all = s.positions / TILE, sample = smaller(SAMPLE, rows);
  s.split = sample * TILE;
  ranges_.clear();
  if (sample == rows) {
    add_columns(0, all);
    return;
  }
  add_columns(0, sample);
  add_rows(sample);
  add_columns(rows, all);
}

/* Enqueues the next ranges, with about as many tiles as one launch may have. Returns their number.
 */
size_t clustering::search_next() {
  double tiles = 0;
  size_t count = 0;
  for (; count < AT_ONCE && count < ranges_.size(); ++count) {
    tiles += tiles_of(ranges_[count]);
    if (count > 0 && tiles > most_tiles_) break;
    search_tiles(v_, ranges_[count], v_.search.count + count, stream());
  }
  return count;
}

/* Takes the first ranges from the list, which were searched. Those that had no room for their pairs
   come again in parts; more digits are taken from now on if one of them had too many. */
void clustering::finish_ranges(size_t number, double share) {
  unsigned long long count[AT_ONCE];
  take_back(count, v_.search.count, (int64_t)number);
  std::vector<tile_range> left;
  bool fine = false;
  for (size_t k = 0; k < number; ++k) {
    const tile_range &range = ranges_[k];
    const double tiles = tiles_of(range), pairs = tiles * (double)(TILE * TILE);
    const bool seen = (range.triangle ? range.row0 : range.column0) >= SEEN;
    fine = fine || (seen && (double)count[k] * FEW > pairs);
    if ((int64_t)count[k] > v_.search.room)
      add_halves(range, left);
    else
      progress_ += share * tiles;
  }
  left.insert(left.end(), ranges_.begin() + (std::ptrdiff_t)number, ranges_.end());
  ranges_ = std::move(left);
  if (fine && !v_.search.fine && !ranges_.empty()) run_piece([&] { round_clusters_to(true); });
}

/* Merges the listed pairs, and searches the listed clusters. */
void clustering::search(double done, double share) {
  const gg_clusters &c = clusters_;
  place_clusters();
  list_ranges();
  bring(v_.nearest, c.nearest, c.active);
  progress_ = done;
  double tiles = 0;
  for (const tile_range &range : ranges_)
    tiles += tiles_of(range);
  size_t number = 0;
  run_piece([&] {
    merge_centroids(v_, stream());
    try_first_clusters(v_, c.searches, stream());
    round_clusters_to(false);
    number = search_next();
  });
  for (;;) {
    finish_ranges(number, share / tiles);
    if (ranges_.empty()) break;
    run_piece([&] { number = search_next(); });
  }
  take_back(c.nearest, v_.nearest, c.active);
  take_back(c.distance, v_.set.distance, c.active);
}

void clustering::merge_round() {
  gg_clusters *c = &clusters_;
  const double done = fraction();
  gg_clusters_list_pairs(c);
  gg_clusters_begin_round(c);
  v_.pairs = c->pairs;
  bring(v_.first, c->pair.low, c->pairs);
  bring(v_.second, c->pair.high, c->pairs);
  bring(v_.ni, c->pair.ni, c->pairs);
  bring(v_.nj, c->pair.nj, c->pairs);
  bring(v_.dij, c->pair.dij, c->pairs);
  gg_clusters_lose_merged(c);
  gg_clusters_end_round(c);
  if (gg_clusters_alive(c) < 2) return;
  search(done, fraction() - done);
  if (gg_clusters_removes(c)) remove_merged();
}

void clustering::remove_merged() {
  gg_clusters_next_removal(&clusters_);
  const int64_t columns = clusters_.columns;
  bring(v_.from, clusters_.from, columns);
  progress_ = fraction();
  run_piece([&] { copy_columns(v_, columns, parts_.other, stream()); });
  std::swap(v_.set, parts_.other);
  v_.active = columns;
  gg_clusters_remove(&clusters_);
}

} // namespace

gpugeo_status merge_by_centroids(const gg_hclust_plan &plan, const worker &here, gg_merge *merges,
                                 gpugeo_error *error) {
  device_parts unread = {};
  const int64_t bytes = divide(unread, plan.n, plan.points->m, nullptr);
  const gpugeo_status status =
      check_room("the clustering", plan.n, bytes + 4 * SLOT, plan.device, error);
  return status ? status : clustering(plan, here, bytes).run(merges, error);
}

} // namespace gpugeo
