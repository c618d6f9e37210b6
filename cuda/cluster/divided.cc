/*
 * Hierarchical clustering with the rows of the matrix on several devices, for matrices that one has
 * no memory for. Each part has 8 n^2 bytes divided by their number, and at most 1 GiB more.
 *
 * The rounds are those of one device and of the CPU. The lists of clusters are the core's, and the
 * host takes part in each round: it lists the pairs, sends them to all devices, and gets the
 * nearest clusters that change. A row stays where it is. Rows of second clusters that are on
 * another device than those of the first ones are copied there, some at a time; no kernel writes
 * them meanwhile.
 *
 * Distances of points are computed by each device for all pairs, as they take a small part of the
 * time, and each keeps those of its rows. Those in memory or a file are read once and sent to all.
 *
 * All of a clustering by average linkage with its distances takes two H200s 3.3 s for 180,000
 * points in 50 dimensions.
 */
#include <cstring>
#include <memory>
#include <vector>

#include "cluster/clusters.h"
#include "cuda/cluster/divided_rounds.cuh"
#include "cuda/cluster/hclust.cuh"
#include "cuda/common/divider.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/dist_resident.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB; /* without the matrix and lists, */
constexpr int64_t MOST_REST = 512 * MIB;  /* while distances are computed */
constexpr int64_t ROWS_BYTES = 256 * MIB; /* of rows that are copied at a time, */
constexpr int64_t MOST_ROWS = 256;        /* and their number */
constexpr int64_t FIRST_RECORDS = 256;    /* that are copied to the host with their number */

/* Part of the call's time that the distances take, for progress. */
constexpr double SHARE_OF_DISTANCES = 1.0 / 3;

/* --- A part ----------------------------------------------------------------------------------- */

/* A row of another device. */
struct row_source {
  const double *row;
  int device;
};

/* The lists of a part in its device's memory. */
struct part_lists {
  working_view w;
  survey *seen;
  int32_t *clusters, *searched; /* those whose rows are here, and those that are searched */
  pair_record *pairs;
  row_task *tasks;
  nearest_record *found;
};

/* Returns the bytes of the lists of n clusters, and divides the memory unless it is NULL. */
int64_t divide(part_lists &lists, int64_t n, char *memory) {
  divider part(memory);
  working_view &w = lists.w;
  for (int32_t **list :
       {&w.row, &w.from, &w.pair_of, &w.low, &w.high, &w.nearest, &lists.clusters, &lists.searched})
    part.take(*list, n);
  for (double **list : {&w.size, &w.ni, &w.nj, &w.dij, &w.pair_size, &w.distance})
    part.take(*list, n);
  part.take(lists.seen, 1);
  part.take(lists.pairs, n);
  part.take(lists.tasks, n);
  part.take(lists.found, n + 1);
  return part.bytes();
}

/* Returns how many rows are copied at a time. */
int64_t rows_at_a_time(int64_t n) {
  return larger(1, smaller(MOST_ROWS, ROWS_BYTES / (n * (int64_t)sizeof(double))));
}

/* Some rows of the matrix on a device, which is current when they are made. */
class matrix_part {
public:
  matrix_part(const worker &here, int64_t n, int64_t first, int64_t last, gg_clock *clock)
      : number(here.number), device(here.device), resources(here.resources),
        work(here.resources->compute[0], clock), finish_(*here.resources) {
    const int64_t row_bytes = n * (int64_t)sizeof(double);
    matrix_.allocate((last - first) * row_bytes);
    copied_.allocate(rows_at_a_time(n) * row_bytes);
    memory_.allocate(divide(lists, n, nullptr));
    divide(lists, n, memory_.as());
    lists.w.values = matrix_.as<double>();
    lists.w.n = n;
    lists.w.first = first;
    lists.w.rows = last - first;
  }
  ~matrix_part() { (void)cudaSetDevice(device); } /* for its streams, which end next */
  matrix_part(const matrix_part &) = delete;
  matrix_part &operator=(const matrix_part &) = delete;

  /* Returns the bytes of a part of so many rows. */
  static int64_t bytes(int64_t n, int64_t rows) {
    part_lists unread = {};
    return (rows + rows_at_a_time(n)) * n * (int64_t)sizeof(double) + divide(unread, n, nullptr);
  }

  const double *row(int64_t number) const {
    return lists.w.values + (number - lists.w.first) * lists.w.n;
  }

  /* Returns where copied row `number` is, until as many are copied again as there is room for. */
  double *copied_row(int64_t number) const {
    return copied_.as<double>() + number % rows_at_a_time(lists.w.n) * lists.w.n;
  }

  cudaStream_t stream() const { return work.stream(); }

  /* Returns the rows, as distances are brought there. */
  resident_matrix rows() const {
    const working_view &w = lists.w;
    return {w.values, w.n, false, false, w.first, w.first + w.rows};
  }

  const int number, device;
  device_resources *const resources;
  part_lists lists = {};
  pieces work;

  /* What is merged next: rows whose pairs are here, and those that come from other devices. */
  std::vector<row_task> own, foreign;
  std::vector<row_source> sources;   /* of the foreign ones */
  std::vector<int32_t> cluster_list; /* on the host */

private:
  device_memory matrix_, copied_, memory_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* --- A clustering ----------------------------------------------------------------------------- */

class divided_clustering {
public:
  divided_clustering(const gg_hclust_plan &plan, team &all, gg_merge *merges, gg_clock *clock,
                     gpugeo_error *error)
      : plan_(plan), team_(all), merges_(merges), clock_(clock), error_(error),
        each_(divide_up(plan.n, all.size())), parts_((size_t)all.size()) {}
  ~divided_clustering();
  divided_clustering(const divided_clustering &) = delete;
  divided_clustering &operator=(const divided_clustering &) = delete;

  /* Returns the core's errors about distances or memory. */
  gpugeo_status run(gpugeo_report *report);

private:
  gpugeo_status fill();
  gpugeo_status fill_part(const worker &here, gpugeo_error *error);
  gpugeo_status copy_all_columns();
  /* True if distances are in memory of the host or in a file. */
  bool copies_columns() const { return !plan_.points && !plan_.source->on_device; }
  void allow_copies();
  gpugeo_status check_distances();
  gpugeo_status fail_distances(const survey &found);
  void prepare();
  void rewrite();
  void take_nearest();
  void merge_in_place();
  void send_lists();
  void merge_pairs();
  void take_changes(const matrix_part &one);
  void search();

  using merge_tasks = void (*)(const working_view &, gpugeo_linkage, const row_task *, int64_t,
                               cudaStream_t);
  void add_task(int32_t number, int32_t low, int32_t high);
  void run_tasks(merge_tasks merge);
  bool run_foreign_tasks(merge_tasks merge, int64_t first);

  /* Calls work(part) for each of them, whose device is current. */
  template <class Work> void for_each_part(Work work) {
    for (const std::unique_ptr<matrix_part> &one : parts_) {
      GG_CUDA(cudaSetDevice(one->device));
      work(*one);
    }
  }

  /* Enqueues work on all devices and waits for it. */
  template <class Launch> void run_piece(double fraction, Launch launch) {
    for_each_part([&](matrix_part &one) { one.work.begin(fraction); });
    launch();
    for_each_part([&](matrix_part &one) { one.work.end(); });
    for_each_part([&](matrix_part &one) { one.work.drain(fraction); });
  }

  /* Copies `count` elements of a list to the current device, or back, when all kernels have ended.
   */
  template <class T> void bring(T *to, const T *from, int64_t count) {
    if (count > 0) copy_in(to, from, (size_t)count * sizeof(T));
  }
  template <class T> void take_back(T *to, const T *from, int64_t count) {
    GG_CUDA(cudaMemcpy(to, from, (size_t)count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  void take_record(const nearest_record &one) {
    clusters_.nearest[one.cluster] = one.nearest;
    clusters_.distance[one.cluster] = one.distance;
  }

  matrix_part &part_of(int64_t cluster) const {
    return *parts_[(size_t)(clusters_.row[cluster] / each_)];
  }
  double fraction() const {
    return gg_clusters_fraction(&clusters_, gg_clusters_alive(&clusters_));
  }

  const gg_hclust_plan &plan_;
  team &team_;
  gg_merge *merges_;
  gg_clock *clock_;
  gpugeo_error *error_;
  const int64_t each_; /* rows of a part, but for the last */
  gg_clusters clusters_ = {};
  bool listed_ = false; /* the devices have the lists of rounds in place */
  std::vector<nearest_record> records_;
  std::vector<std::unique_ptr<matrix_part>> parts_;
};

divided_clustering::~divided_clustering() {
  for (const std::unique_ptr<matrix_part> &one : parts_) { /* they copy from each other */
    if (!one) continue;
    (void)cudaSetDevice(one->device);
    (void)cudaStreamSynchronize(one->stream());
  }
  gg_clusters_free(&clusters_);
}

gpugeo_status divided_clustering::run(gpugeo_report *report) {
  gpugeo_status status = gg_clusters_make(&plan_, merges_, &clusters_, error_);
  if (!status) status = fill();
  if (status) return status;
  allow_copies();
  status = check_distances();
  if (status) return status;
  prepare();
  while (gg_clusters_alive(&clusters_) > 1)
    if (gg_clusters_list_pairs(&clusters_))
      rewrite();
    else
      merge_in_place();
  double longest = 0;
  for (const std::unique_ptr<matrix_part> &one : parts_)
    longest = one->work.seconds() > longest ? one->work.seconds() : longest;
  report->device_seconds += longest;
  return GPUGEO_OK;
}

/* --- The distances ---------------------------------------------------------------------------- */

/* Makes all parts, each on a thread of its own, and brings them the distances. */
gpugeo_status divided_clustering::fill() {
  std::vector<gpugeo_status> status(parts_.size(), GPUGEO_OK);
  std::vector<gpugeo_error> errors(parts_.size());
  team_.run([&](const worker &here) {
    const size_t number = (size_t)here.number;
    status[number] = fill_part(here, &errors[number]);
  });
  for (size_t number = 0; number < parts_.size(); ++number) {
    if (!status[number]) continue;
    if (error_) *error_ = errors[number];
    return status[number];
  }
  return copies_columns() ? copy_all_columns() : GPUGEO_OK;
}

/* Copies distances from memory or a file to all parts. */
gpugeo_status divided_clustering::copy_all_columns() {
  std::vector<placed_matrix> to;
  for (const std::unique_ptr<matrix_part> &one : parts_)
    if (one->lists.w.rows > 0) to.push_back({one->resources, one->rows()});
  part_clock part(clock_, 0, SHARE_OF_DISTANCES);
  return copy_columns(*plan_.source, to, part.get(), error_);
}

gpugeo_status divided_clustering::fill_part(const worker &here, gpugeo_error *error) {
  const int64_t n = plan_.n, first = smaller(n, here.number * each_);
  const int64_t last = smaller(n, first + each_);
  const int64_t needed = matrix_part::bytes(n, last - first) + LEAST_REST;
  const gpugeo_status status =
      check_room("the clustering", n, needed, here.device, error, team_.size());
  if (status) return status;
  std::unique_ptr<matrix_part> &made = parts_[(size_t)here.number];
  made = std::make_unique<matrix_part>(here, n, first, last, clock_);
  if (first == last || copies_columns()) return GPUGEO_OK; /* no rows: no memory for them */
  part_clock part(here.clock, 0, SHARE_OF_DISTANCES / team_.size());
  worker mine = here;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*plan_.source, plan_.points, mine, budget, made->rows(), error);
}

/* Lets devices copy from each other without the host where they can. */
void divided_clustering::allow_copies() {
  for_each_part([&](const matrix_part &to) {
    for (const std::unique_ptr<matrix_part> &from : parts_) {
      int can = 0;
      if (from->device == to.device) continue;
      GG_CUDA(cudaDeviceCanAccessPeer(&can, to.device, from->device));
      if (!can || cudaDeviceEnablePeerAccess(from->device, 0) == cudaSuccess) continue;
      (void)cudaGetLastError(); /* it is enabled already, or copies take the host */
    }
  });
}

/* Fails for distances that are not finite, and finds the scale. */
gpugeo_status divided_clustering::check_distances() {
  const survey none = {0, ~0ull, 0};
  survey all = none;
  run_piece(SHARE_OF_DISTANCES, [&] {
    for_each_part([&](const matrix_part &one) {
      bring(one.lists.seen, &none, 1);
      survey_distances(one.lists.w, one.lists.seen, one.stream());
    });
  });
  for_each_part([&](const matrix_part &one) {
    survey seen = none;
    take_back(&seen, one.lists.seen, 1);
    all.bad += seen.bad;
    all.first = seen.first < all.first ? seen.first : all.first;
    all.most = seen.most > all.most ? seen.most : all.most;
  });
  if (all.bad > 0) return fail_distances(all);
  double most = 0;
  memcpy(&most, &all.most, sizeof most);
  gg_clusters_set_scale(&clusters_, plan_.linkage, most);
  return GPUGEO_OK;
}

gpugeo_status divided_clustering::fail_distances(const survey &found) {
  gg_bad_distances bad = {(int64_t)found.bad, (int64_t)(found.first & UINT32_MAX),
                          (int64_t)(found.first >> 32), 0};
  const matrix_part &one = part_of(bad.j);
  GG_CUDA(cudaSetDevice(one.device));
  take_back(&bad.value, one.row(bad.j) + bad.i, 1);
  return gg_fail_distances(plan_.name, &bad, error_);
}

/* Scales all distances, and finds the nearest point of each. */
void divided_clustering::prepare() {
  run_piece(SHARE_OF_DISTANCES, [&] {
    for_each_part([&](const matrix_part &one) {
      prepare_rows(one.lists.w, clusters_.scale, clusters_.squared, one.stream());
    });
  });
  take_nearest();
}

/* Takes the nearest clusters of all rows to the host. */
void divided_clustering::take_nearest() {
  const gg_clusters &c = clusters_;
  std::vector<int32_t> nearest((size_t)c.active);
  std::vector<double> distance((size_t)c.active);
  for_each_part([&](const matrix_part &one) {
    take_back(nearest.data(), one.lists.w.nearest, c.active);
    take_back(distance.data(), one.lists.w.distance, c.active);
    for (int64_t k = 0; k < c.active; ++k)
      if (&part_of(k) == &one) take_record({distance[(size_t)k], (int32_t)k, nearest[(size_t)k]});
  });
  listed_ = false;
}

/* --- Rows of pairs ---------------------------------------------------------------------------- */

/* Adds the row of a cluster to those that are merged; high: the second cluster of its pair, or -1.
 */
void divided_clustering::add_task(int32_t number, int32_t low, int32_t high) {
  matrix_part &here = part_of(low);
  if (high < 0) return here.own.push_back({number, nullptr});
  const matrix_part &there = part_of(high);
  const double *row = there.row(clusters_.row[high]);
  if (&here == &there) return here.own.push_back({number, row});
  here.foreign.push_back({number, here.copied_row((int64_t)here.foreign.size())});
  here.sources.push_back({row, there.device});
}

/* Merges the rows that were added. */
void divided_clustering::run_tasks(merge_tasks merge) {
  for_each_part([&](const matrix_part &one) {
    const int64_t own = (int64_t)one.own.size(), foreign = (int64_t)one.foreign.size();
    bring(one.lists.tasks, one.own.data(), own);
    bring(one.lists.tasks + own, one.foreign.data(), foreign);
    merge(one.lists.w, plan_.linkage, one.lists.tasks, own, one.stream());
  });
  for (int64_t first = 0; run_foreign_tasks(merge, first);)
    first += rows_at_a_time(plan_.n);
  for (const std::unique_ptr<matrix_part> &one : parts_) {
    one->own.clear();
    one->foreign.clear();
    one->sources.clear();
  }
}

/* Copies a row to a part, from another one on the same device or elsewhere. */
void copy_row(const row_source &from, const matrix_part &to, double *row, size_t bytes) {
  if (from.device == to.device)
    GG_CUDA(cudaMemcpyAsync(row, from.row, bytes, cudaMemcpyDeviceToDevice, to.stream()));
  else
    GG_CUDA(cudaMemcpyPeerAsync(row, to.device, from.row, from.device, bytes, to.stream()));
}

/* Copies rows of other devices to each, and merges with them. False if there are none from number
   `first` on. */
bool divided_clustering::run_foreign_tasks(merge_tasks merge, int64_t first) {
  const size_t bytes = (size_t)clusters_.active * sizeof(double);
  bool any = false;
  for_each_part([&](const matrix_part &one) {
    const int64_t left = (int64_t)one.foreign.size() - first;
    const int64_t count = smaller(left, rows_at_a_time(plan_.n));
    for (int64_t k = first; k < first + count; ++k) {
      copy_row(one.sources[(size_t)k], one, one.copied_row(k), bytes);
    }
    if (count <= 0) return;
    any = true;
    merge(one.lists.w, plan_.linkage, one.lists.tasks + (int64_t)one.own.size() + first, count,
          one.stream());
  });
  return any;
}

/* --- Rounds that rewrite the matrix ----------------------------------------------------------- */

/* Has the listed pairs merged in a matrix of fewer columns. */
void divided_clustering::rewrite() {
  gg_clusters &c = clusters_;
  gg_clusters_begin_rewrite(&c);
  for (int32_t k = 0; k < c.columns; ++k) {
    const int32_t low = c.from[k], pair = c.pair_of[low];
    add_task(k, low, pair < 0 ? -1 : c.pair.high[pair]);
  }
  run_piece(fraction(), [&] {
    for_each_part([&](matrix_part &one) { send_round(one.lists.w, c); });
    run_tasks(merge_listed_rows);
  });
  gg_clusters_take_columns(&c);
  take_nearest();
}

/* --- Rounds in place -------------------------------------------------------------------------- */

/* Merges the listed pairs in place, and searches rows whose nearest cluster was merged. */
void divided_clustering::merge_in_place() {
  if (!listed_) send_lists();
  gg_clusters_begin_round(&clusters_);
  if (clusters_.pairs > 0) merge_pairs();
  gg_clusters_end_round(&clusters_);
  search();
}

/* Copies to the devices what rounds in place keep there. */
void divided_clustering::send_lists() {
  const gg_clusters &c = clusters_;
  for_each_part([&](matrix_part &one) {
    working_view &w = one.lists.w;
    one.cluster_list.clear();
    for (int32_t k = 0; k < c.active; ++k)
      if (&part_of(k) == &one) one.cluster_list.push_back(k);
    bring(one.lists.clusters, one.cluster_list.data(), (int64_t)one.cluster_list.size());
    bring(w.row, c.row, c.active);
    bring(w.size, c.size, c.active);
    bring(w.pair_of, c.pair_of, c.active);
    bring(w.nearest, c.nearest, c.active);
    bring(w.distance, c.distance, c.active);
    w.active = c.active;
  });
  listed_ = true;
}

void divided_clustering::merge_pairs() {
  const gg_clusters &c = clusters_;
  std::vector<pair_record> pairs;
  for (int32_t k = 0; k < c.pairs; ++k) {
    const int32_t low = c.pair.low[k], high = c.pair.high[k];
    pairs.push_back({low, high, c.pair.ni[k], c.pair.nj[k], c.pair.dij[k], c.pair_size[k]});
    add_task(k, low, high);
  }
  run_piece(fraction(), [&] {
    for_each_part([&](const matrix_part &one) {
      bring(one.lists.pairs, pairs.data(), c.pairs);
      GG_CUDA(cudaMemsetAsync(one.lists.found, 0, sizeof *one.lists.found, one.stream()));
      list_pairs(one.lists.w, one.lists.pairs, c.pairs, one.stream());
    });
    run_tasks(merge_listed_in_place);
    for_each_part([&](const matrix_part &one) {
      merge_columns_in_place(one.lists.w, plan_.linkage, one.lists.clusters,
                             (int64_t)one.cluster_list.size(), c.pairs, one.lists.found,
                             one.stream());
    });
  });
  for_each_part([&](const matrix_part &one) { take_changes(one); });
}

/* Takes the nearest clusters that have changed. */
void divided_clustering::take_changes(const matrix_part &one) {
  const int64_t most = (int64_t)one.cluster_list.size() + 1, first = smaller(most, FIRST_RECORDS);
  records_.resize((size_t)most);
  take_back(records_.data(), one.lists.found, first);
  const int64_t count = 1 + records_[0].cluster;
  if (count > first) take_back(records_.data() + first, one.lists.found + first, count - first);
  for (int64_t k = 1; k < count; ++k)
    take_record(records_[(size_t)k]);
}

/* Ends the round on the devices, and searches the listed rows. */
void divided_clustering::search() {
  const gg_clusters &c = clusters_;
  std::vector<std::vector<int32_t>> lists(parts_.size());
  for (int64_t k = 0; k < c.searches; ++k)
    lists[(size_t)(c.row[c.search[k]] / each_)].push_back(c.search[k]);
  const auto list_of = [&](const matrix_part &one) -> const std::vector<int32_t> & {
    return lists[(size_t)one.number];
  };
  run_piece(fraction(), [&] {
    for_each_part([&](const matrix_part &one) {
      const std::vector<int32_t> &list = list_of(one);
      bring(one.lists.searched, list.data(), (int64_t)list.size());
      if (c.pairs > 0) end_pairs(one.lists.w, c.pairs, one.stream());
      search_listed_rows(one.lists.w, one.lists.searched, (int64_t)list.size(), one.lists.found,
                         one.stream());
    });
  });
  for_each_part([&](const matrix_part &one) {
    records_.resize(list_of(one).size());
    if (records_.empty()) return;
    take_back(records_.data(), one.lists.found, (int64_t)records_.size());
    for (const nearest_record &record : records_)
      take_record(record);
  });
}

} // namespace

gpugeo_status hclust(const gg_hclust_plan &plan, gg_merge *merges, call &call) {
  if (plan.workers == 1) return hclust_on_one(plan, merges, call);
  device_guard guard(call.workers().first_device());
  return divided_clustering(plan, call.workers(), merges, call.clock, call.error).run(call.report);
}

} // namespace gpugeo
