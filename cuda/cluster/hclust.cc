/*
 * Hierarchical clustering with the matrix of distances in the device's memory: square, so that rows
 * are read in their order, 8 n^2 bytes, and at most 1 GiB more.
 *
 * The lists of clusters are the core's, in memory of the host (gg_clusters): a round that rewrites
 * the matrix takes 12 bytes of each cluster to the host and 60 back. Rounds in place have lists of
 * their own on the device, and the host gets their merges when the next round rewrites the matrix.
 * Merges and heights have the bits of the CPU's, since the rules of rounds (round_step.h) and the
 * steps of Lance and Williams (linkage_step.h) are the core's.
 *
 * Single linkage of points takes the minimum spanning tree, without a matrix.
 */
#include "cuda/cluster/hclust.cuh"

#include <cstring>
#include <vector>

#include "cluster/clusters.h"
#include "cluster/mst.h"
#include "cuda/cluster/centroids.cuh"
#include "cuda/cluster/spanning_tree.cuh"
#include "cuda/cluster/working.cuh"
#include "cuda/common/divider.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/distance/dist_resident.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB; /* without the matrix and lists, */
constexpr int64_t MOST_REST = 768 * MIB;  /* while distances are computed */
constexpr int LEAST_ROUNDS = 4;           /* in place that are enqueued at a time, at first */
constexpr int MOST_ROUNDS = 64;           /* and later: so many between two polls of the hooks */

/* Part of the call's time that the distances take, for progress. */
constexpr double SHARE_OF_DISTANCES = 1.0 / 3;

/* --- Memory ----------------------------------------------------------------------------------- */

/* What a clustering has on the device. */
struct device_parts {
  working_view w;
  survey *found;
  int32_t *component; /* of each point, single linkage */
  round_view rounds;
};

/* Returns the bytes of the lists of n clusters, and divides the memory unless it is NULL. */
int64_t divide(device_parts &parts, int64_t n, char *memory) {
  divider part(memory);
  working_view &w = parts.w;
  for (int32_t **list :
       {&w.row, &w.from, &w.pair_of, &w.low, &w.high, &w.nearest, &parts.component})
    part.take(*list, n);
  for (double **list : {&w.size, &w.ni, &w.nj, &w.dij, &w.pair_size, &w.distance})
    part.take(*list, n);
  part.take(parts.found, 1);
  round_view &rounds = parts.rounds;
  part.take(rounds.state, 1);
  part.take(rounds.firsts, divide_up(n, 32));
  part.take(rounds.found, larger(n, ROUND_BLOCKS));
  part.take(rounds.lost, n);
  part.take(rounds.ended, ROUND_BLOCKS);
  part.take(rounds.merges, n);
  return part.bytes();
}

/* Returns the bytes of a matrix of n points. */
int64_t matrix_bytes(int64_t n) { return n * n * (int64_t)sizeof(double); }

/* Checks that the matrix and all else fit into the free memory of the device. */
gpugeo_status check_memory(const gg_hclust_plan &plan, gpugeo_error *error) {
  device_parts unread = {};
  const int64_t needed = matrix_bytes(plan.n) + divide(unread, plan.n, nullptr) + LEAST_REST;
  return check_room("the clustering", plan.n, needed, plan.device, error);
}

/* --- A clustering ----------------------------------------------------------------------------- */

class clustering {
public:
  clustering(const gg_hclust_plan &plan, const worker &here, gg_merge *merges, gpugeo_error *error);
  ~clustering() { gg_clusters_free(&clusters_); }
  clustering(const clustering &) = delete;
  clustering &operator=(const clustering &) = delete;

  /* Returns the core's errors about distances or memory. */
  gpugeo_status run();

private:
  gpugeo_status fill();
  gpugeo_status check_distances();
  void merge_in_rounds();
  void rewrite();
  void run_rounds_in_place();
  void take_merges(const round_state &state);
  void find_tree();

  /* Copies `count` elements of a list to the device, or back, when all kernels have ended. */
  template <class T> void bring(T *to, const T *from, int64_t count) {
    copy_in(to, from, (size_t)count * sizeof(T));
  }
  template <class T> void take_back(T *to, const T *from, int64_t count) {
    GG_CUDA(cudaMemcpy(to, from, (size_t)count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  void take_nearest();

  /* Enqueues work and waits for it. */
  template <class Launch> void run_piece(double fraction, Launch launch) {
    pieces_.begin(fraction);
    launch();
    pieces_.end();
    pieces_.drain(fraction);
  }
  cudaStream_t stream() const { return pieces_.stream(); }
  double fraction() const {
    return gg_clusters_fraction(&clusters_, gg_clusters_alive(&clusters_));
  }

  const gg_hclust_plan &plan_;
  const worker &here_;
  gg_merge *merges_;
  gpugeo_error *error_;
  gg_clusters clusters_ = {};
  device_memory matrix_, lists_;
  device_parts parts_ = {};
  working_view &w_ = parts_.w;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

clustering::clustering(const gg_hclust_plan &plan, const worker &here, gg_merge *merges,
                       gpugeo_error *error)
    : plan_(plan), here_(here), merges_(merges), error_(error),
      pieces_(here.resources->compute[0], here.clock), finish_(*here.resources) {
  matrix_.allocate(matrix_bytes(plan.n));
  lists_.allocate(divide(parts_, plan.n, nullptr));
  divide(parts_, plan.n, lists_.as());
  GG_CUDA(cudaMemset(parts_.rounds.ended, 0, ROUND_BLOCKS * sizeof(unsigned)));
  w_.values = matrix_.as<double>();
  w_.n = w_.rows = plan.n;
}

gpugeo_status clustering::run() {
  gpugeo_status status = gg_clusters_make(&plan_, merges_, &clusters_, error_);
  if (!status) status = fill();
  if (!status) status = check_distances();
  if (status) return status;
  if (plan_.linkage == GPUGEO_LINKAGE_SINGLE)
    find_tree();
  else
    merge_in_rounds();
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

/* --- The distances ---------------------------------------------------------------------------- */

gpugeo_status clustering::fill() {
  part_clock part(here_.clock, 0, SHARE_OF_DISTANCES);
  worker mine = here_;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*plan_.source, plan_.points, mine, budget, {w_.values, w_.n, false}, error_);
}

/* Fails for distances that are not finite, and finds the scale. */
gpugeo_status clustering::check_distances() {
  survey found = {0, ~0ull, 0};
  bring(parts_.found, &found, 1);
  run_piece(SHARE_OF_DISTANCES, [&] { survey_distances(w_, parts_.found, stream()); });
  take_back(&found, parts_.found, 1);
  if (found.bad > 0) {
    gg_bad_distances bad = {(int64_t)found.bad, (int64_t)(found.first & UINT32_MAX),
                            (int64_t)(found.first >> 32), 0};
    take_back(&bad.value, w_.values + bad.j * w_.n + bad.i, 1);
    return gg_fail_distances(plan_.name, &bad, error_);
  }
  double most = 0;
  memcpy(&most, &found.most, sizeof most);
  gg_clusters_set_scale(&clusters_, plan_.linkage, most);
  return GPUGEO_OK;
}

/* --- Rounds ----------------------------------------------------------------------------------- */

void clustering::take_nearest() {
  take_back(clusters_.nearest, w_.nearest, clusters_.active);
  take_back(clusters_.distance, w_.distance, clusters_.active);
}

void clustering::merge_in_rounds() {
  run_piece(SHARE_OF_DISTANCES,
            [&] { prepare_rows(w_, clusters_.scale, clusters_.squared, stream()); });
  take_nearest();
  while (gg_clusters_alive(&clusters_) > 1)
    if (gg_clusters_list_pairs(&clusters_))
      rewrite();
    else
      run_rounds_in_place();
}

/* Has the listed pairs merged in a matrix of fewer columns. */
void clustering::rewrite() {
  gg_clusters_begin_rewrite(&clusters_);
  send_round(w_, clusters_);
  run_piece(fraction(), [&] { merge_rows(w_, plan_.linkage, stream()); });
  gg_clusters_take_columns(&clusters_);
  take_nearest();
}

/* Takes the merges of rounds in place to the lists of the host. */
void clustering::take_merges(const round_state &state) {
  std::vector<merge_step> merges((size_t)state.merged);
  take_back(merges.data(), parts_.rounds.merges, state.merged);
  for (const merge_step &one : merges)
    gg_clusters_merge(&clusters_, one.low, one.high, one.distance);
  clusters_.credit = state.credit;
  take_nearest();
}

/* Merges pairs in place until the next round is to rewrite the matrix. */
void clustering::run_rounds_in_place() {
  const gg_clusters &c = clusters_;
  bring(w_.row, c.row, c.active);
  bring(w_.size, c.size, c.active);
  bring(w_.pair_of, c.pair_of, c.active);
  w_.active = c.active;
  round_state state = {};
  state.alive = gg_clusters_alive(&c);
  state.credit = c.credit;
  bring(parts_.rounds.state, &state, 1);
  for (int rounds = LEAST_ROUNDS; !state.done; rounds = (int)smaller(2 * rounds, MOST_ROUNDS)) {
    run_piece(gg_clusters_fraction(&c, state.alive),
              [&] { merge_in_place(w_, parts_.rounds, plan_.linkage, rounds, stream()); });
    take_back(&state, parts_.rounds.state, 1);
  }
  take_merges(state);
}

/* --- Single linkage --------------------------------------------------------------------------- */

/* Joins components by their first edges to others (Boruvka) until there is one. */
void clustering::find_tree() {
  const int64_t n = w_.n;
  spanning_tree tree(n);
  GG_CUDA(cudaMemsetAsync(w_.nearest, 0xff, (size_t)n * sizeof(int32_t), stream())); /* -1 */
  while (tree.components() > 1) {
    bring(parts_.component, tree.component(), n);
    run_piece(gg_clusters_fraction(&clusters_, tree.components()),
              [&] { find_outside(w_, parts_.component, stream()); });
    take_nearest();
    tree.join(clusters_.nearest, clusters_.distance);
  }
  for (size_t e = 0; e < tree.edges().size(); ++e)
    merges_[e] = tree.edges()[e];
}

/* --- Single linkage of points ----------------------------------------------------------------- */

/* The tree of points, which the core frees. */
struct found_tree : gg_mst_result {
  found_tree() : gg_mst_result{} {}
  ~found_tree() { gg_forest_free(&tree); }
  found_tree(const found_tree &) = delete;
  found_tree &operator=(const found_tree &) = delete;
};

/* Finds the tree of points without a matrix. *done is false if a distance is missing or may be
   infinite: the matrix tells which. */
gpugeo_status merge_points(const gg_hclust_plan &plan, gg_merge *merges, bool *done, call &call) {
  gg_pairs pairs = {};
  pairs.n = plan.n;
  pairs.threads = plan.threads;
  pairs.dist = *plan.points;
  pairs.trees = plan.trees;
  found_tree found;
  const gpugeo_status status = mst(pairs, &found, call);
  *done = status || gg_tree_shows_finite(plan.source, &found);
  if (status || !*done) return status;
  for (int64_t k = 0; k < plan.n - 1; ++k) {
    const gg_edge &edge = found.tree.edge[k];
    merges[k] = {edge.i, edge.j, edge.distance};
  }
  return GPUGEO_OK;
}

} // namespace

void send_round(working_view &w, const gg_clusters &c) {
  const auto bring = [](auto *to, const auto *from, int64_t count) {
    copy_in(to, from, (size_t)count * sizeof *from);
  };
  bring(w.row, c.row, c.active);
  bring(w.size, c.size, c.active);
  bring(w.pair_of, c.pair_of, c.active);
  bring(w.from, c.from, c.columns);
  bring(w.low, c.pair.low, c.pairs);
  bring(w.high, c.pair.high, c.pairs);
  bring(w.ni, c.pair.ni, c.pairs);
  bring(w.nj, c.pair.nj, c.pairs);
  bring(w.dij, c.pair.dij, c.pairs);
  bring(w.pair_size, c.pair_size, c.pairs);
  w.active = c.active;
  w.columns = c.columns;
}

gpugeo_status hclust_on_one(const gg_hclust_plan &plan, gg_merge *merges, call &call) {
  gpugeo_status status = GPUGEO_OK;
  if (plan.linkage == GPUGEO_LINKAGE_SINGLE && plan.points && !plan.points->single) {
    bool done = false;
    status = merge_points(plan, merges, &done, call);
    if (done) return status;
  }
  call.workers().run([&](const worker &here) {
    if (plan.centroids) {
      status = merge_by_centroids(plan, here, merges, call.error);
      return;
    }
    status = check_memory(plan, call.error);
    if (!status) status = clustering(plan, here, merges, call.error).run();
  });
  return status;
}

} // namespace gpugeo
