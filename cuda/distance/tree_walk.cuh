/*
 * The walk of a warp through a tree of boxes, and the choice of a kernel with it.
 *
 * Limited by the instructions of the walk and of what takes the points: a warp's 32 queries visit
 * some 25 leaves for 10 neighbours in three dimensions, most of them for fewer than 8 of the
 * queries.
 */
#ifndef GG_CUDA_TREE_WALK_CUH
#define GG_CUDA_TREE_WALK_CUH

#include <type_traits>

#include "cuda/common/launch.cuh"
#include "cuda/distance/exact_distance.cuh"
#include "cuda/distance/tree_queries.cuh"
#include "distance/sum_limit.h"

namespace gpugeo {
namespace exact {

/* A step as a type. `points` is the number of points whose sums a lane computes at a time; powers
   take one, by a function of their own. */
#define TREE_STEP(name, at_a_time, INLINE)                                                         \
  struct name##_sum {                                                                              \
    static constexpr gg_step step = GG_STEP_##name;                                                \
    static constexpr int points = at_a_time;                                                       \
    static __device__ INLINE double with(double sum, double a, double b, double w,                 \
                                         const step_run &run) {                                    \
      name##_step(a, b, w, &run, &sum);                                                            \
      return sum;                                                                                  \
    }                                                                                              \
    static __device__ INLINE double finish(double sum, const step_run &run) {                      \
      return name##_finish(&sum, &run);                                                            \
    }                                                                                              \
  };
TREE_STEP(euclidean, 4, __forceinline__)
TREE_STEP(seuclidean, 4, __forceinline__)
TREE_STEP(manhattan, 4, __forceinline__)
TREE_STEP(maximum, 4, __forceinline__)
TREE_STEP(halves, 2, __noinline__)
TREE_STEP(power, 2, __noinline__)
#undef TREE_STEP

} // namespace exact

constexpr int WALK_WARPS = 4, WALK_THREADS = LANES * WALK_WARPS;

/* Queries up to which a leaf is scanned query by query, with a lane for each point. */
constexpr int FEW = 8;

/* The coordinates of 32 queries, a lane each: M of them in registers, or in memory where M is 0. */
template <int M> class lane_query {
public:
  __device__ __forceinline__ lane_query(const tree_view &asking, int64_t leaf) {
#pragma unroll
    for (int k = 0; k < M; ++k)
      coordinate_[k] = asking.leaf[(leaf * M + k) * TREE_FAN + threadIdx.x % LANES];
  }
  __device__ __forceinline__ int columns() const { return M; }
  __device__ __forceinline__ double at(int k) const { return coordinate_[k]; }
  __device__ __forceinline__ double of(int lane, int k) const {
    return __shfl_sync(~0u, coordinate_[k], lane);
  }

private:
  double coordinate_[M];
};
template <> class lane_query<0> {
public:
  __device__ __forceinline__ lane_query(const tree_view &asking, int64_t leaf)
      : coordinate_(asking.leaf + leaf * asking.m * TREE_FAN), m_((int)asking.m) {}
  __device__ __forceinline__ int columns() const { return m_; }
  __device__ __forceinline__ double at(int k) const { return of(threadIdx.x % LANES, k); }
  __device__ __forceinline__ double of(int lane, int k) const {
    return coordinate_[k * TREE_FAN + lane];
  }

private:
  const double *coordinate_;
  const int m_;
};

/*
 * The walk of a warp through the tree for 32 queries, nearest boxes first. TAKER is a lane's own:
 *   limit()                    the sum beyond which nothing is taken; below 0 without a query,
 *   all_skip(level, node)      true if no query of the warp takes a point of a node,
 *   skips(level, node)         true if the lane's query takes none,
 *   leaves_out(sum, least)     true if no point with at least this sum and index is taken,
 *   wants(at, index)           true if the point at a position of the tree is a candidate,
 *   take(distance, at, index)  takes a candidate,
 *   settle()                   may lower the limit, after all of a leaf.
 */
template <class SUM, int M, class TAKER> class tree_walk {
public:
  __device__ __forceinline__ tree_walk(const tree_search &search, int64_t leaf, bool there,
                                       TAKER &taker)
      : search_(search), tree_(search.tree), query_(search.asking, leaf),
        box_(box_of(search.asking.level[0], leaf)), home_(search.same ? leaf : -1), there_(there),
        run_(exact::step_run_make(search.tree.m, search.p, search.finish)), taker_(taker),
        limit_(largest_limit()) {}

  __device__ __forceinline__ void run() {
    if (home_ >= 0) scan(home_, __ballot_sync(~0u, there_));
    int level = tree_.levels - 1;
    open(level, 0);
    while (level < tree_.levels && !gives_up_) {
      const int child = nearest(level);
      if (child < 0) {
        ++level;
        continue;
      }
      const int64_t node = first_[level] + child;
      if (level == 0 && node == home_) continue;
      const uint32_t wanting = test(level, node);
      if (wanting == 0) continue;
      if (level > 0)
        open(--level, node * TREE_FAN);
      else
        scan(node, wanting);
      if (search_.work && opened_ + scanned_ / TREE_FAN > search_.most) gives_up_ = true;
    }
    if (search_.work) add_work();
  }

private:
  __device__ __forceinline__ double weight(int k) const {
    return SUM::step == GG_STEP_seuclidean ? search_.weight[k] : 1;
  }

  /* Returns the lowest first coordinate of a node; the next one is 64 behind it. */
  __device__ __forceinline__ const double *box_of(const tree_level &nodes, int64_t node) const {
    return nodes.box + node / TREE_FAN * query_.columns() * 2 * TREE_FAN + node % TREE_FAN;
  }

  /* Returns the upper half of the largest limit, in the order of sums. */
  __device__ __forceinline__ uint32_t largest_limit() const {
    return warp_max(there_ ? (uint32_t)__double2hiint(taker_.limit()) : 0);
  }

  /* Compares the box of the queries with 32 nodes of a level from `first` on, a lane each. */
  __device__ __forceinline__ void open(int level, int64_t first) {
    ++opened_;
    const tree_level &nodes = tree_.level[level];
    const int64_t node = first + threadIdx.x % LANES;
    const double *box = box_of(nodes, node);
    uint32_t key = UINT32_MAX;
    if (node < nodes.nodes && !taker_.all_skip(level, node)) {
      double sum = 0;
#pragma unroll
      for (int k = 0; k < query_.columns(); ++k) {
        const int at = k * 2 * TREE_FAN;
        const double gap = fmax(box[at] - box_[at + TREE_FAN], box_[at] - box[at + TREE_FAN]);
        sum = SUM::with(sum, fmax(gap, 0.0), 0, weight(k), run_);
      }
      key = (uint32_t)__double2hiint(sum);
    }
    first_[level] = first;
    key_[level] = key;
    waiting_[level] = __ballot_sync(~0u, key <= limit_);
  }

  /* Returns the nearest child of a level that waits and is within the limit, and no longer keeps
     it; -1 if there is none. */
  __device__ __forceinline__ int nearest(int level) {
    const uint32_t waiting = waiting_[level];
    if (waiting == 0) return -1;
    const uint32_t key = waiting >> threadIdx.x % LANES & 1 ? key_[level] : UINT32_MAX;
    const uint32_t best = warp_min(key);
    const int child = __ffs((int)__ballot_sync(~0u, key == best)) - 1;
    waiting_[level] = best <= limit_ ? waiting & ~(1u << child) : 0;
    return best <= limit_ ? child : -1;
  }

  /* Returns the lanes whose queries may have neighbours in a node. */
  __device__ __forceinline__ uint32_t test(int level, int64_t node) {
    ++tested_;
    const double *box = box_of(tree_.level[level], node);
    double sum = 0;
#pragma unroll
    for (int k = 0; k < query_.columns(); ++k) {
      const int at = k * 2 * TREE_FAN;
      const double gap = fmax(box[at] - query_.at(k), query_.at(k) - box[at + TREE_FAN]);
      sum = SUM::with(sum, fmax(gap, 0.0), 0, weight(k), run_);
    }
    return __ballot_sync(~0u, there_ && !taker_.skips(level, node) &&
                                  !taker_.leaves_out(sum, tree_.level[level].least[node]));
  }

  /* Compares the queries of some lanes with the points of a leaf. */
  __device__ __forceinline__ void scan(int64_t leaf, uint32_t wanting) {
    const double *points = tree_.leaf + leaf * query_.columns() * TREE_FAN;
    const int count = (int)smaller(TREE_FAN, tree_.n - leaf * TREE_FAN);
    uint32_t near;
    if (__popc(wanting) <= FEW) {
      near = near_by_queries(points, count, wanting);
      scanned_ += __popc(wanting) + FEW;
    } else {
      near = near_by_points(points);
      if (!(wanting >> threadIdx.x % LANES & 1)) near = 0;
      if (count < TREE_FAN) near &= (1u << count) - 1;
      scanned_ += TREE_FAN;
    }
    while (near) {
      const int p = __ffs((int)near) - 1;
      near &= near - 1;
      const int64_t at = leaf * TREE_FAN + p;
      const int32_t index = tree_.index[at];
      if (!taker_.wants(at, index)) continue;
      double sum = 0;
#pragma unroll
      for (int k = 0; k < query_.columns(); ++k)
        sum = SUM::with(sum, points[k * TREE_FAN + p], query_.at(k), weight(k), run_);
      taker_.take(SUM::finish(sum, run_), at, index);
      ++taken_;
    }
    __syncwarp();
    taker_.settle();
    limit_ = largest_limit();
  }

  /* Returns the points of a leaf within the limit, a bit each; every lane computes the sums of its
     own query. */
  __device__ __forceinline__ uint32_t near_by_points(const double *points) const {
    constexpr int AT_A_TIME = SUM::points;
    const double limit = taker_.limit();
    uint32_t near = 0;
#pragma unroll(M > 0 ? 2 : 1)
    for (int p = 0; p < TREE_FAN; p += AT_A_TIME) {
      double sum[AT_A_TIME] = {};
#pragma unroll
      for (int k = 0; k < query_.columns(); ++k) {
        const double at = query_.at(k);
#pragma unroll
        for (int i = 0; i < AT_A_TIME; i += 2) {
          const double2 two = *reinterpret_cast<const double2 *>(points + k * TREE_FAN + p + i);
          sum[i] = SUM::with(sum[i], two.x, at, weight(k), run_);
          sum[i + 1] = SUM::with(sum[i + 1], two.y, at, weight(k), run_);
        }
      }
#pragma unroll
      for (int i = 0; i < AT_A_TIME; ++i)
        if (!(sum[i] > limit)) near |= 1u << (p + i);
    }
    return near;
  }

  /* Returns the same for some queries, one after the other, with a lane for each point. */
  __device__ __forceinline__ uint32_t near_by_queries(const double *points, int count,
                                                      uint32_t wanting) const {
    const int lane = threadIdx.x % LANES;
    uint32_t near = 0;
    while (wanting) {
      const int of = __ffs((int)wanting) - 1;
      wanting &= wanting - 1;
      double sum = 0;
#pragma unroll
      for (int k = 0; k < query_.columns(); ++k)
        sum = SUM::with(sum, points[k * TREE_FAN + lane], query_.of(of, k), weight(k), run_);
      const double limit = __shfl_sync(~0u, taker_.limit(), of);
      const uint32_t all = __ballot_sync(~0u, lane < count && !(sum > limit));
      if (lane == of) near = all;
    }
    return near;
  }

  __device__ __forceinline__ void add_work() {
    atomicAdd(&search_.work->taken, taken_);
    if (threadIdx.x % LANES > 0) return;
    atomicAdd(&search_.work->opened, opened_);
    atomicAdd(&search_.work->tested, tested_);
    atomicAdd(&search_.work->scanned, scanned_);
    atomicAdd(&search_.work->given_up, gives_up_ ? 1 : 0);
  }

  const tree_search &search_;
  const tree_view &tree_;
  const lane_query<M> query_;
  const double *box_;  /* of all queries, see box_of() */
  const int64_t home_; /* the leaf of the queries, or -1 */
  const bool there_;   /* the lane has a query */
  const exact::step_run run_;
  TAKER &taker_;
  uint32_t limit_; /* see largest_limit() */
  bool gives_up_ = false;
  unsigned opened_ = 0, tested_ = 0, scanned_ = 0, taken_ = 0;
  /* Of each level: the nodes that wait, the first one's index, and the upper half of a lane's sum.
   */
  uint32_t waiting_[TREE_LEVELS];
  int64_t first_[TREE_LEVELS];
  uint32_t key_[TREE_LEVELS];
};

/* A taker that may take all points of the tree but the query itself. */
class any_point {
public:
  __device__ __forceinline__ any_point(const tree_search &search, int32_t row)
      : own_(search.within ? row : -1) {}
  __device__ __forceinline__ bool all_skip(int, int64_t) const { return false; }
  __device__ __forceinline__ bool skips(int, int64_t) const { return false; }
  __device__ __forceinline__ bool wants(int64_t, int32_t index) const { return index != own_; }

private:
  const int32_t own_; /* -1: the query is not in the tree */
};

/* --- The choice of a kernel ------------------------------------------------------------------- */

/* Calls launch(sum, columns) with the step's sum and the number of columns as types; 0 columns
   stand for any number. */
template <class Launch> inline void choose_walk(gg_step step, int64_t m, Launch launch) {
  using any = std::integral_constant<int, 0>;
  switch (step) {
  case GG_STEP_seuclidean:
    return launch(exact::seuclidean_sum(), any());
  case GG_STEP_manhattan:
    return launch(exact::manhattan_sum(), any());
  case GG_STEP_maximum:
    return launch(exact::maximum_sum(), any());
  case GG_STEP_halves:
    return launch(exact::halves_sum(), any());
  case GG_STEP_power:
    return launch(exact::power_sum(), any());
  default:
    break;
  }
  const exact::euclidean_sum euclidean;
  if (m == 2) return launch(euclidean, std::integral_constant<int, 2>());
  if (m == 3) return launch(euclidean, std::integral_constant<int, 3>());
  launch(euclidean, any());
}

/* Returns the number of blocks that walk the tree. */
inline unsigned blocks_of_walk(const tree_search &search) {
  return (unsigned)divide_up(divide_up(search.end - search.first, search.step), WALK_WARPS);
}

} // namespace gpugeo

#endif
