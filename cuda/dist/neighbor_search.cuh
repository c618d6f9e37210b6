/* The choice between a tree and all pairs, and what both searches for neighbours need of a tree. */
#ifndef GG_CUDA_NEIGHBOR_SEARCH_CUH
#define GG_CUDA_NEIGHBOR_SEARCH_CUH

#include <functional>

#include "cuda/dist/tree_search.cuh"

namespace gpugeo {

class neighbor_search {
public:
  /* Searches `queries` queries and waits for the end. */
  using sampler = std::function<void(const tree_search &search, int64_t queries)>;

  /* Makes a tree if the metric allows it and the points are many in few dimensions. The search is
     then usable() unless a sample of queries shows that all pairs are faster. */
  neighbor_search(const gg_dist_plan &plan, gg_tree_use use, neighbor_blocks &blocks,
                  const sampler &sample);

  /* True if neighbours are searched in the tree. If not, no function below may be called. */
  bool usable() const { return usable_; }

  /* Calls launch(search), which enqueues a search for some queries, for all of [first, end), piece
     by piece. Each query adds `share` of its pairs to the finished work. */
  template <class Launch> void run(int64_t first, int64_t end, double share, Launch launch) {
    for (int64_t q = first; q < end; q += PIECE) {
      const int64_t last = smaller(q + PIECE, end);
      blocks_.piece(share * (double)(last - q) * (double)plan_.nx,
                    [&] { launch(search(q, last, 1)); });
    }
  }

  /* Returns the step of the sums that the tree is searched by. */
  gg_step step() const { return gg_sum_step(plan_.step); }

  /* Returns the candidates that are not in the tree. */
  candidate_set odd_candidates() const {
    return {x_.odd_points(), x_.odd(), {1, x_.odd()}, x_.odd_index()};
  }

  /* Returns the queries of [first, end) that are not searched in the tree, at most as many as a
     block of distances takes, after the `before` first ones of them; there may be none left. */
  query_set odd_queries(int64_t first, int64_t end, int64_t before) const;

private:
  static constexpr int64_t PIECE = 1 << 17; /* queries; at most some 10 ms */

  bool suits(gg_tree_use use) const;
  void build();
  bool is_faster(const sampler &sample);
  tree_search search(int64_t first, int64_t end, int64_t step) const;
  const divided_points &queries() const { return plan_.symmetric ? x_ : y_; }

  const gg_dist_plan &plan_;
  neighbor_blocks &blocks_;
  bool usable_ = false;
  divided_points x_, y_;
  neighbor_tree tree_;
};

} // namespace gpugeo

#endif
