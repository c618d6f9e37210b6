/*
 * Searches of a tree of boxes: a warp for each query.
 *
 * The sums of boxes are those of the gaps between them and the query, in the steps of the metric,
 * see sum_limit.h: rounding leaves out no point that is a neighbour. All lanes compute the sums of
 * a box or of a point each.
 */
#ifndef GG_CUDA_TREE_SEARCH_CUH
#define GG_CUDA_TREE_SEARCH_CUH

#include "cuda/dist/exact_distance.cuh"
#include "cuda/dist/nearest_list.cuh"
#include "cuda/dist/neighbor_tree.cuh"
#include "cuda/dist/radius_lists.cuh"
#include "dist/sum_limit.h"

namespace gpugeo {

/* What a walk has done, of all queries together. */
struct tree_work {
  unsigned long long opened;  /* nodes, whose 32 boxes were compared with a query */
  unsigned long long scanned; /* leaves */
};

/* A search of queries first, first + step, ... before end, points of `asking`, whose lists are
   those of queries first, first + 1, ... Queries with a coordinate that is not finite are left out.
 */
struct tree_search {
  tree_view tree;
  points asking;
  int64_t first, end, step;
  bool within;          /* the queries are the tree's points: each leaves itself out */
  const double *weight; /* or NULL */
  double p;
  int finish;      /* GG_FINISH_... */
  tree_work *work; /* added to, or NULL */
};

namespace exact {

#define TREE_STEP(name)                                                                            \
  struct name##_sum {                                                                              \
    static constexpr gg_step step = GG_STEP_##name;                                                \
    static __device__ __forceinline__ double with(double sum, double a, double b, double w,        \
                                                  const step_run &run) {                           \
      name##_step(a, b, w, &run, &sum);                                                            \
      return sum;                                                                                  \
    }                                                                                              \
    static __device__ __forceinline__ double finish(double sum, const step_run &run) {             \
      return name##_finish(&sum, &run);                                                            \
    }                                                                                              \
  };
TREE_STEP(euclidean)
TREE_STEP(seuclidean)
TREE_STEP(manhattan)
TREE_STEP(maximum)
TREE_STEP(halves)
TREE_STEP(power)
#undef TREE_STEP

/* Calls choose(sum) with the sum of a step that gg_sum_step() returns as a type. */
template <class Choose> auto choose_sum(gg_step step, Choose choose) {
  switch (step) {
  case GG_STEP_seuclidean:
    return choose(seuclidean_sum());
  case GG_STEP_manhattan:
    return choose(manhattan_sum());
  case GG_STEP_maximum:
    return choose(maximum_sum());
  case GG_STEP_halves:
    return choose(halves_sum());
  case GG_STEP_power:
    return choose(power_sum());
  default:
    return choose(euclidean_sum());
  }
}

} // namespace exact

/* The coordinates of a query: M of them in registers, or in memory where M is 0. */
template <int M> struct tree_query {
  double coordinate[M];
  __device__ __forceinline__ tree_query(const points &asking, int64_t query, int64_t) {
#pragma unroll
    for (int k = 0; k < M; ++k)
      coordinate[k] = static_cast<const double *>(asking.data)[query + k * asking.ld];
  }
  __device__ __forceinline__ int64_t columns() const { return M; }
  __device__ __forceinline__ double at(int64_t k) const { return coordinate[k]; }
};
template <> struct tree_query<0> {
  const double *data;
  int64_t ld, m;
  __device__ __forceinline__ tree_query(const points &asking, int64_t query, int64_t m)
      : data(static_cast<const double *>(asking.data) + query), ld(asking.ld), m(m) {}
  __device__ __forceinline__ int64_t columns() const { return m; }
  __device__ __forceinline__ double at(int64_t k) const { return data[k * ld]; }
};

/*
 * The walk of a warp through the tree for one query, nearest boxes first. TAKER has
 *   limit()                       the sum beyond which nothing is taken,
 *   leaves_out(sum, least)        true if no point with at least this sum and index is taken,
 *   take(there, sum, index)       takes a point of each lane, which may lower the limit.
 */
template <class SUM, int M, class TAKER> class tree_walk {
public:
  __device__ __forceinline__ tree_walk(const tree_search &search, int64_t query, TAKER &taker)
      : search_(search), tree_(search.tree), query_(search.asking, query, search.tree.m),
        number_(query), run_(exact::step_run_make(search.tree.m, search.p, search.finish)),
        taker_(taker) {}

  /* True if all coordinates of the query are finite. */
  __device__ __forceinline__ bool is_finite() const {
    double zero = 0;
    for (int64_t k = 0; k < query_.columns(); ++k)
      zero += query_.at(k) * 0;
    return zero == 0;
  }

  __device__ __forceinline__ void run() {
    int level = tree_.levels - 1;
    open(level, 0);
    while (level < tree_.levels) {
      const int child = nearest(level);
      if (child < 0) {
        ++level;
      } else if (level == 0) {
        scan(first_[0] + child);
      } else {
        const int64_t node = first_[level] + child;
        open(--level, node * TREE_FAN);
      }
    }
    if (search_.work && threadIdx.x % TREE_FAN == 0) {
      atomicAdd(&search_.work->opened, opened_);
      atomicAdd(&search_.work->scanned, scanned_);
    }
  }

  __device__ __forceinline__ const exact::step_run &step() const { return run_; }

private:
  __device__ __forceinline__ double weight(int64_t k) const {
    return SUM::step == GG_STEP_seuclidean ? search_.weight[k] : 1;
  }

  /* Computes the sums of 32 nodes of a level from `first` on, a lane each. */
  __device__ __forceinline__ void open(int level, int64_t first) {
    ++opened_;
    const tree_level &nodes = tree_.level[level];
    const int lane = threadIdx.x % TREE_FAN;
    const double *box = nodes.box + first / TREE_FAN * query_.columns() * 2 * TREE_FAN + lane;
    const bool there = first + lane < nodes.nodes;
    double sum = 0;
    if (there)
#pragma unroll
      for (int64_t k = 0; k < query_.columns(); ++k) {
        const double low = box[k * 2 * TREE_FAN], high = box[k * 2 * TREE_FAN + TREE_FAN];
        const double at = query_.at(k), gap = fmax(fmax(low - at, at - high), 0.0);
        sum = SUM::with(sum, gap, 0, weight(k), run_);
      }
    const int32_t least = there ? nodes.least[first + lane] : INT32_MAX;
    first_[level] = first;
    sum_[level] = sum;
    least_[level] = least;
    waiting_[level] = __ballot_sync(~0u, there && !taker_.leaves_out(sum, least));
  }

  /* Returns the nearest child of a level that waits and is not left out, and no longer keeps it;
     -1 if there is none. The order of sums is that of their upper halves. */
  __device__ __forceinline__ int nearest(int level) {
    if (waiting_[level] == 0) return -1;
    const int lane = threadIdx.x % TREE_FAN;
    const double sum = sum_[level];
    const bool waits = waiting_[level] >> lane & 1 && !taker_.leaves_out(sum, least_[level]);
    uint32_t key = waits ? (uint32_t)__double2hiint(sum) : UINT32_MAX, best = key;
#pragma unroll
    for (int step = TREE_FAN / 2; step > 0; step /= 2)
      best = min(best, __shfl_xor_sync(~0u, best, step));
    waiting_[level] = __ballot_sync(~0u, waits);
    const uint32_t all = __ballot_sync(~0u, waits && key == best);
    if (all == 0) return -1;
    const int child = __ffs((int)all) - 1;
    waiting_[level] &= ~(1u << child);
    return child;
  }

  /* Compares the query with the points of a leaf. */
  __device__ __forceinline__ void scan(int64_t leaf) {
    ++scanned_;
    const int lane = threadIdx.x % TREE_FAN;
    const int64_t p = leaf * TREE_FAN + lane;
    const double *at = tree_.leaf + leaf * query_.columns() * TREE_FAN + lane;
    bool there = p < tree_.n;
    double sum = 0;
    int32_t index = INT32_MAX;
    if (there) {
#pragma unroll
      for (int64_t k = 0; k < query_.columns(); ++k)
        sum = SUM::with(sum, at[k * TREE_FAN], query_.at(k), weight(k), run_);
      index = tree_.index[p];
    }
    there = there && !(sum > taker_.limit()) && !(search_.within && index == number_);
    taker_.take(there, there ? SUM::finish(sum, run_) : 0, index);
  }

  const tree_search &search_;
  const tree_view &tree_;
  const tree_query<M> query_;
  const int64_t number_;
  const exact::step_run run_;
  TAKER &taker_;
  unsigned opened_ = 0, scanned_ = 0;
  /* Of each level: the nodes that wait, the first one's index, and a lane's sum and index. */
  uint32_t waiting_[TREE_LEVELS];
  int64_t first_[TREE_LEVELS];
  double sum_[TREE_LEVELS];
  int32_t least_[TREE_LEVELS];
};

/* Enqueue searches with a warp for each query: the k nearest into lists, and those within a radius,
   counted or written. */
void search_nearest(const tree_search &search, gg_step step, const nearest_lists &lists,
                    cudaStream_t stream);
void search_near(const tree_search &search, gg_step step, double radius, const radius_lists &lists,
                 cudaStream_t stream);

} // namespace gpugeo

#endif
