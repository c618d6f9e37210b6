/*
 * The nearest points of other components, by a tree of boxes. Nodes whose points are all of a
 * query's own component are left out. What a query finds limits all queries of its component.
 *
 * Limited as the search for neighbours.
 */
#include "cuda/distance/outside_search.cuh"

#include "cuda/distance/tree_walk.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;

/* --- Nodes whose points are of one component -------------------------------------------------- */

/* Joins components, a warp for each node. `below` has those of the points or nodes below. */
__global__ void __launch_bounds__(THREADS)
    join_components(const int32_t *below, int64_t count, int64_t nodes, int32_t *uniform) {
  const int lane = threadIdx.x % LANES;
  const int64_t node = this_item() / LANES, child = node * TREE_FAN + lane;
  if (node >= nodes) return; /* all of a warp */
  const int32_t mine = child < count ? below[child] : -1;
  const int32_t first = __shfl_sync(~0u, mine, 0);
  const bool same = __all_sync(~0u, child >= count || mine == first);
  if (lane == 0) uniform[node] = same ? first : -1;
}

/* --- The search ------------------------------------------------------------------------------- */

template <class SUM> class outside_taker {
public:
  __device__ __forceinline__ outside_taker(const tree_search &search, const outside_view &view,
                                           int64_t at, bool there)
      : view_(view), finish_(gg_sum_finish_of(SUM::step, search.finish)), p_(search.p),
        run_(exact::step_run_make(search.tree.m, search.p, search.finish)), there_(there),
        own_(there ? view.component[at] : NO_COMPONENT),
        core_(view.core && there ? view.core[at] : 0) {
    const int32_t first = __shfl_sync(~0u, own_, 0);
    all_own_ = __all_sync(~0u, !there || own_ == first) ? first : NO_COMPONENT;
    limit_ = there ? INFINITY : -1;
    settle();
  }

  __device__ __forceinline__ double limit() const { return limit_; }
  __device__ __forceinline__ bool all_skip(int level, int64_t node) const {
    return view_.uniform[level][node] == all_own_;
  }
  __device__ __forceinline__ bool skips(int level, int64_t node) const {
    return view_.uniform[level][node] == own_;
  }
  __device__ __forceinline__ bool wants(int64_t at, int32_t) const {
    return view_.component[at] != own_;
  }

  /* Points as far as the one that was found are left out if their indices are larger, if the limit
     is that distance. Roots of powers may be equal for different sums: only sums of 0 are compared
     so. */
  __device__ __forceinline__ bool leaves_out(double sum, int32_t least) const {
    if (sum > limit_) return true;
    if (at_ < 0 || limit_of_ != distance_ || least <= index_) return false;
    if (finish_ == GG_SUM_POWER_ROOT) return distance_ == 0;
    return sum >= limit_ * (1 - 0x1p-48) && SUM::finish(sum, run_) >= distance_;
  }

  __device__ __forceinline__ void take(double distance, int64_t at, int32_t index) {
    const double weight = view_.core ? fmax(distance, fmax(core_, view_.core[at])) : distance;
    if (weight > weight_) return;
    if (weight == weight_ &&
        (distance > distance_ || (distance == distance_ && (at_ >= 0 && index > index_))))
      return;
    weight_ = weight;
    distance_ = distance;
    index_ = index;
    at_ = (int32_t)at;
  }

  /* No weight is smaller than the core distance: of edges with this weight the nearest is wanted.
   */
  __device__ __forceinline__ void settle() {
    if (!there_) return;
    double_bits *best = view_.best + own_;
    double_bits known = *(volatile double_bits *)best;
    if (at_ >= 0 && bits_of(weight_) < known) {
      atomicMin(best, bits_of(weight_));
      known = bits_of(weight_);
    }
    const double least = known == ~0ull ? INFINITY : value_of(known);
    most_ = fmin(most_, least);
    double of = most_;
    if (view_.core && weight_ == core_ && weight_ <= most_) of = distance_;
    if (of >= limit_of_) return;
    limit_of_ = of;
    limit_ = gg_sum_limit(finish_, p_, of);
  }

  /* Writes what was found. */
  __device__ __forceinline__ void write(int64_t at) const {
    if (at_ >= 0 && weight_ <= most_) {
      view_.nearest[at] = at_;
      view_.bound[at] = weight_;
      if (view_.core) view_.distance[at] = distance_;
    } else {
      view_.bound[at] = fmax(view_.bound[at], number_after(most_));
    }
  }

private:
  static constexpr int32_t NO_COMPONENT = -2; /* which no node has */

  const outside_view &view_;
  const gg_sum_finish finish_;
  const double p_;
  const exact::step_run run_;
  const bool there_;
  const int32_t own_;
  const double core_;
  int32_t all_own_; /* the component of all queries of the warp */
  /* The first edge so far, to position at_ unless that is -1. */
  double weight_ = INFINITY, distance_ = INFINITY;
  int32_t index_ = INT32_MAX, at_ = -1;
  double most_ = INFINITY;             /* edges with larger weights are left out, */
  double limit_, limit_of_ = INFINITY; /* by their sums, which are those of this distance */
};

template <class SUM, int M>
__global__ void __launch_bounds__(WALK_THREADS)
    find_outside_in_tree(const __grid_constant__ tree_search search,
                         const __grid_constant__ outside_view view) {
  const int64_t leaf = search.first + this_item() / LANES * search.step;
  if (leaf >= search.end) return; /* all of a warp */
  const int64_t query = leaf * TREE_FAN + threadIdx.x % LANES;
  const bool there = query < search.asking.n;
  const int64_t at = there ? search.asking.index[query] : -1;
  outside_taker<SUM> taker(search, view, at, there);
  tree_walk<SUM, M, outside_taker<SUM>> walk(search, leaf, there, taker);
  walk.run();
  if (there) taker.write(at);
}

} // namespace

void find_uniform(const tree_view &tree, const int32_t *component, int32_t *const *uniform,
                  cudaStream_t stream) {
  for (int l = 0; l < tree.levels; ++l) {
    const int64_t nodes = tree.level[l].nodes, count = l > 0 ? tree.level[l - 1].nodes : tree.n;
    join_components<<<blocks_for(nodes * LANES, THREADS), THREADS, 0, stream>>>(
        l > 0 ? uniform[l - 1] : component, count, nodes, uniform[l]);
  }
}

void search_outside(const tree_search &search, gg_step step, const outside_view &view,
                    cudaStream_t stream) {
  choose_walk(step, search.tree.m, [&](auto sum, auto columns) {
    find_outside_in_tree<decltype(sum), decltype(columns)::value>
        <<<blocks_of_walk(search), WALK_THREADS, 0, stream>>>(search, view);
  });
}

} // namespace gpugeo
