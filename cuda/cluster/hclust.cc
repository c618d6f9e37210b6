/*
 * Hierarchical clustering with the matrix of distances in the device's memory: square, so that rows
 * are read in their order, 8 n^2 bytes, and at most 1 GiB more.
 *
 * Merges and heights have the bits of the CPU's, since the rules of rounds (round_step.h) and the
 * steps of Lance and Williams (linkage_step.h) are the core's.
 *
 * Single linkage of points takes the minimum spanning tree, without a matrix.
 */
#include <cstring>

#include "cluster/clusters.h"
#include "cluster/mst.h"
#include "cuda/cluster/device_rounds.cuh"
#include "cuda/cluster/hclust_centroids.cuh"
#include "cuda/cluster/spanning_tree.cuh"
#include "cuda/common/divider.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/dist/dist_resident.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB; /* beside the matrix and the lists, */
constexpr int64_t MOST_REST = 768 * MIB;  /* while distances are computed */

/* Part of the call's time that the distances take, for progress. */
constexpr double SHARE_OF_DISTANCES = 1.0 / 3;

/* --- Memory ----------------------------------------------------------------------------------- */

/* What a clustering has on the device beside the lists of rounds. */
struct device_parts {
  survey *found;
  int32_t *component; /* of each point, single linkage */
};

/* Returns the bytes of these for n clusters, and divides the memory unless it is NULL. */
int64_t divide(device_parts &parts, int64_t n, char *memory) {
  divider part(memory);
  part.take(parts.component, n);
  part.take(parts.found, 1);
  return part.bytes();
}

/* Returns the bytes of a matrix of n points. */
int64_t matrix_bytes(int64_t n) { return n * n * (int64_t)sizeof(double); }

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
  gpugeo_status check_memory();
  gpugeo_status fill();
  gpugeo_status check_distances();
  void merge_in_rounds();
  void find_tree();

  cudaStream_t stream() const { return pieces_.stream(); }
  const working_view &view() const { return rounds_.view(); }

  const gg_hclust_plan &plan_;
  const worker &here_;
  gg_merge *merges_;
  gpugeo_error *error_;
  gg_clusters clusters_ = {};
  device_memory matrix_, lists_;
  device_parts parts_ = {};
  pieces pieces_;
  device_rounds rounds_;
  finish_streams finish_; /* last: before all of the above is let go */
};

clustering::clustering(const gg_hclust_plan &plan, const worker &here, gg_merge *merges,
                       gpugeo_error *error)
    : plan_(plan), here_(here), merges_(merges), error_(error),
      pieces_(here.resources->compute[0], here.clock), rounds_(clusters_, plan.linkage, pieces_),
      finish_(*here.resources) {}

gpugeo_status clustering::run() {
  gpugeo_status status = check_memory();
  if (!status) status = gg_clusters_make(&plan_, merges_, &clusters_, error_);
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

/* Checks that the matrix and all else fit into the free memory of the device. */
gpugeo_status clustering::check_memory() {
  const int64_t lists = divide(parts_, plan_.n, nullptr) + rounds_.bytes(plan_.n);
  return check_room("the clustering", plan_.n, matrix_bytes(plan_.n) + lists + LEAST_REST,
                    plan_.device, error_);
}

/* --- The distances ---------------------------------------------------------------------------- */

gpugeo_status clustering::fill() {
  matrix_.allocate(matrix_bytes(plan_.n));
  lists_.allocate(divide(parts_, plan_.n, nullptr));
  divide(parts_, plan_.n, lists_.as());
  rounds_.make(matrix_.as<double>(), plan_.n);
  part_clock part(here_.clock, 0, SHARE_OF_DISTANCES);
  worker mine = here_;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  const resident_matrix to = {matrix_.as(), plan_.n, false};
  return fill_resident(*plan_.source, plan_.points, mine, budget, to, error_);
}

/* Fails for distances that are not finite, and finds the scale. */
gpugeo_status clustering::check_distances() {
  survey found = {0, ~0ull, 0};
  bring_list(parts_.found, &found, 1);
  pieces_.run(SHARE_OF_DISTANCES, [&] { survey_distances(view(), parts_.found, stream()); });
  take_list(&found, parts_.found, 1);
  if (found.bad > 0) {
    gg_bad_distances bad = {(int64_t)found.bad, (int64_t)(found.first & UINT32_MAX),
                            (int64_t)(found.first >> 32), 0};
    take_list(&bad.value, view().values + bad.j * plan_.n + bad.i, 1);
    return gg_fail_distances(plan_.name, &bad, error_);
  }
  double most = 0;
  memcpy(&most, &found.most, sizeof most);
  gg_clusters_set_scale(&clusters_, plan_.linkage, most);
  return GPUGEO_OK;
}

void clustering::merge_in_rounds() {
  pieces_.run(SHARE_OF_DISTANCES,
              [&] { prepare_rows(view(), clusters_.scale, clusters_.squared, stream()); });
  rounds_.take_nearest();
  rounds_.merge();
}

/* --- Single linkage --------------------------------------------------------------------------- */

/* Joins components by their first edges to others (Boruvka) until there is one. */
void clustering::find_tree() {
  const int64_t n = plan_.n;
  spanning_tree tree(n);
  GG_CUDA(cudaMemsetAsync(view().nearest, 0xff, (size_t)n * sizeof(int32_t), stream())); /* -1 */
  while (tree.components() > 1) {
    bring_list(parts_.component, tree.component(), n);
    pieces_.run(gg_clusters_fraction(&clusters_, tree.components()),
                [&] { find_outside(view(), parts_.component, stream()); });
    rounds_.take_nearest();
    tree.join(clusters_.nearest, clusters_.distance);
  }
  for (size_t e = 0; e < tree.edges().size(); ++e)
    merges_[e] = tree.edges()[e];
}

/* --- Single linkage of points ------------------------------------------------------------------
 */

/* The tree of points, which the core frees. */
struct found_tree : gg_mst_result {
  found_tree() : gg_mst_result{} {}
  ~found_tree() { gg_forest_free(&tree); }
  found_tree(const found_tree &) = delete;
  found_tree &operator=(const found_tree &) = delete;
};

/* Finds the tree of points without a matrix. *done is false if a distance is missing or may be
   infinite: the matrix tells which. */
gpugeo_status merge_points(const gg_hclust_plan &plan, gg_merge *merges, bool *done,
                           gg_clock *clock, gpugeo_report *report, gpugeo_error *error) {
  gg_pairs pairs = {};
  pairs.n = plan.n;
  pairs.threads = plan.threads;
  pairs.dist = *plan.points;
  pairs.trees = plan.trees;
  const gg_reach_plan distances = {&pairs, 0, nullptr};
  found_tree found;
  const gpugeo_status status = mst(distances, &found, clock, report, error);
  *done = status || gg_tree_shows_finite(plan.source, &found);
  if (status || !*done) return status;
  for (int64_t k = 0; k < plan.n - 1; ++k) {
    const gg_edge &edge = found.tree.edge[k];
    merges[k] = {edge.i, edge.j, edge.distance};
  }
  return GPUGEO_OK;
}

} // namespace

gpugeo_status hclust(const gg_hclust_plan &plan, gg_merge *merges, gg_clock *clock,
                     gpugeo_report *report, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  if (plan.linkage == GPUGEO_LINKAGE_SINGLE && plan.points && !plan.points->single) {
    bool done = false;
    status = merge_points(plan, merges, &done, clock, report, error);
    if (done) return status;
  }
  team one(plan.device, 1, plan.threads, clock, report);
  one.run([&](const worker &here) {
    if (plan.centroids) {
      status = merge_by_centroids(plan, here, merges, error);
      return;
    }
    status = clustering(plan, here, merges, error).run();
  });
  return status;
}

} // namespace gpugeo
