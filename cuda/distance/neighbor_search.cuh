/* The choice between a tree and all pairs, and what both searches for neighbours need of a tree. */
#ifndef GG_CUDA_NEIGHBOR_SEARCH_CUH
#define GG_CUDA_NEIGHBOR_SEARCH_CUH

#include <memory>

#include "cuda/distance/tree_search.cuh"
#include "distance/sum_limit.h"

namespace gpugeo {

class neighbor_search {
public:
  /* Enqueues a search that writes no results. */
  using sampler = callback<const tree_search &>;

  /* Makes trees if the metric allows it and the points are many in few dimensions. The search is
     then usable(). If a sample of queries is taken and shows that all pairs are faster, the trees
     are freed and it is not. query_bytes: device memory that the caller takes for each query of a
     turn. */
  neighbor_search(const gg_dist_plan &plan, gg_tree_use use, neighbor_blocks &blocks,
                  double query_bytes, const sampler &sample);

  /* True if neighbours are searched in the tree. If not, no function below may be called. */
  bool usable() const { return trees_ != nullptr; }

  /* Returns the number of queries of a turn: all of them if there is memory, since the queries of a
     warp are then nearest each other. */
  int64_t turn() const { return turn_; }

  /* Calls launch(search), which enqueues a search for some queries, for all of [first, end), piece
     by piece. Each query adds `share` of its pairs to the finished work. */
  template <class Launch> void run(int64_t first, int64_t end, double share, Launch launch) {
    tree_search search = search_for(first, end);
    const int64_t leaves = trees_->tree.view().n > 0 ? search.end : 0;
    const double pairs = share * (double)(end - first) * (double)plan_.nx;
    if (leaves == 0) blocks_.piece(pairs, [] {});
    for (int64_t leaf = 0; leaf < leaves; leaf = search.end) {
      search.first = leaf;
      search.end = smaller(leaf + piece_, leaves);
      blocks_.piece(pairs * (double)(search.end - leaf) / (double)leaves, [&] { launch(search); });
    }
  }

  /* Returns the tree of the candidates. */
  const tree_view &tree() const { return trees_->tree.view(); }

  /* Returns the candidates that are not in the tree. */
  candidate_set odd_candidates() const {
    const divided_points &x = trees_->x;
    return {x.odd_points(), x.odd(), {1, x.odd()}, x.odd_index()};
  }

  /* Returns the queries of [first, end) that are not searched in the tree, at most as many as a
     block of distances takes, after the `before` first ones of them; there may be none left. What
     the last call returned is no longer valid after the next piece. */
  query_set odd_queries(int64_t first, int64_t end, int64_t before);

private:
  struct trees {
    divided_points x, y;
    neighbor_tree tree, query_tree;
    std::unique_ptr<neighbor_tree> turn_tree; /* of the queries of a turn that has not all */
  };

  bool suits(gg_tree_use use) const;
  bool needs_no_sample() const;
  void build();
  bool is_faster(const sampler &sample);
  tree_search search_for(int64_t first, int64_t end);
  tree_points queries() const { return {blocks_.asking(), plan_.m, blocks_.weight()}; }
  const divided_points &divided_queries() const { return plan_.symmetric ? trees_->x : trees_->y; }
  const tree_view &all_queries() const {
    return plan_.symmetric ? trees_->tree.view() : trees_->query_tree.view();
  }

  const gg_dist_plan &plan_;
  neighbor_blocks &blocks_;
  int64_t turn_ = 0;
  int64_t piece_;                /* leaves of queries */
  std::unique_ptr<trees> trees_; /* NULL if all pairs are computed */
  point_store odd_queries_;
};

} // namespace gpugeo

#endif
