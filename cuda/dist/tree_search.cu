/*
 * Neighbours by a tree of boxes.
 *
 * Limited by the instructions of the walk and of the sorted lists; a query reads some 10 KiB, for
 * the most part from the level 2 cache.
 */
#include "cuda/dist/tree_search.cuh"

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

constexpr int WARPS = 8, THREADS = LANES * WARPS;

/* Waiting neighbours that are merged after a leaf: more of them leave the limit as it is for
   longer, and fewer take more time to merge. */
constexpr int MERGE_LEAST = 8;

/* --- The nearest ---------------------------------------------------------------------------- */

/* Takes neighbours into a list. */
template <class SUM, class LIST> class nearest_taker {
public:
  __device__ __forceinline__ nearest_taker(const tree_search &search, const LIST &list, int64_t k,
                                           waiting_room *room)
      : finish_(gg_sum_finish_of(SUM::step, search.finish)), p_(search.p),
        run_(exact::step_run_make(search.tree.m, search.p, search.finish)), k_(k),
        filler_(list, room) {}

  __device__ __forceinline__ double limit() const { return limit_; }

  /* Points as far as the last neighbour are left out if their indices are larger. Roots of powers
     may be equal for different sums: only sums of 0 are compared so. */
  __device__ __forceinline__ bool leaves_out(double sum, int32_t least) const {
    if (sum > limit_) return true;
    const gg_neighbor &last = filler_.last();
    if (least <= last.index) return false; /* also while the list is not full */
    if (finish_ == GG_SUM_POWER_ROOT) return last.distance == 0;
    return sum >= limit_ * (1 - 0x1p-48) && SUM::finish(sum, run_) >= last.distance;
  }

  __device__ __forceinline__ void take(bool there, double distance, int32_t index) {
    found_ += __popc(__ballot_sync(~0u, there));
    filler_.take(there ? gg_neighbor{distance, index} : nobody());
    const bool fills = filler_.last().index == INT32_MAX && found_ >= k_;
    if (filler_.waiting() >= MERGE_LEAST || fills) filler_.finish();
    const double last = filler_.last().distance;
    if (filler_.last().index == INT32_MAX || last == limit_of_) return;
    limit_of_ = last;
    limit_ = gg_sum_limit(finish_, p_, last);
  }

  __device__ __forceinline__ const LIST &finish() {
    filler_.finish();
    return filler_.list();
  }

private:
  const gg_sum_finish finish_;
  const double p_;
  const exact::step_run run_;
  const int64_t k_;
  int64_t found_ = 0;
  double limit_ = INFINITY, limit_of_ = NAN;
  list_filler<LIST> filler_;
};

/* Searches for lists in registers or in memory. */
struct lists_in_lanes {
  using list = lane_list;
  static __device__ __forceinline__ list open(const nearest_lists &lists, int64_t) {
    return lane_list(lists.k);
  }
  static __device__ __forceinline__ void close(const list &list, const nearest_lists &lists,
                                               int64_t query) {
    list.write(lists, query);
  }
};
struct lists_in_memory {
  using list = nearest_list;
  static __device__ __forceinline__ list open(const nearest_lists &lists, int64_t query) {
    return nearest_list(lists, query);
  }
  static __device__ __forceinline__ void close(const list &, const nearest_lists &, int64_t) {}
};

template <class SUM, int M, class LISTS>
__global__ void __launch_bounds__(THREADS)
    find_nearest(const tree_search search, const nearest_lists lists) {
  __shared__ waiting_room rooms[WARPS];
  const int warp = threadIdx.x / LANES;
  const int64_t number = (int64_t)blockIdx.x * WARPS + warp, row = search.first + number;
  const int64_t query = search.first + number * search.step;
  if (query >= search.end) return; /* all of a warp */
  nearest_taker<SUM, typename LISTS::list> taker(search, LISTS::open(lists, row), lists.k,
                                                 &rooms[warp]);
  tree_walk<SUM, M, decltype(taker)> walk(search, query, taker);
  if (!walk.is_finite()) return; /* all of a warp */
  walk.run();
  LISTS::close(taker.finish(), lists, row);
}

/* --- Within a radius ------------------------------------------------------------------------ */

class near_taker {
public:
  __device__ __forceinline__ near_taker(const radius_lists &lists, double radius, double limit,
                                        int64_t next)
      : lists_(lists), radius_(radius), limit_(limit), next_(next) {}

  __device__ __forceinline__ double limit() const { return limit_; }
  __device__ __forceinline__ bool leaves_out(double sum, int32_t) const { return sum > limit_; }
  __device__ __forceinline__ void take(bool there, double distance, int32_t index) {
    next_ = lists_.take(next_, there && distance <= radius_, distance, index);
  }
  __device__ __forceinline__ int64_t next() const { return next_; }

private:
  radius_lists lists_;
  const double radius_, limit_;
  int64_t next_;
};

template <class SUM, int M>
__global__ void __launch_bounds__(THREADS)
    find_near(const tree_search search, double radius, const radius_lists lists) {
  const int64_t number = (int64_t)blockIdx.x * WARPS + threadIdx.x / LANES;
  const int64_t query = search.first + number * search.step;
  int64_t *next = &lists.next[search.first + number - lists.first];
  if (query >= search.end) return; /* all of a warp */
  const double limit = gg_sum_limit(gg_sum_finish_of(SUM::step, search.finish), search.p, radius);
  near_taker taker(lists, radius, limit, *next);
  tree_walk<SUM, M, near_taker> walk(search, query, taker);
  if (!walk.is_finite()) return; /* all of a warp */
  walk.run();
  if (threadIdx.x % LANES == 0) *next = taker.next();
}

/* Calls launch(sum, columns) with the sum and the number of columns as types; 0 columns stand for
   any number. */
template <class Launch> void choose_walk(gg_step step, int64_t m, Launch launch) {
  if (step == GG_STEP_euclidean && m == 2)
    return launch(exact::euclidean_sum(), std::integral_constant<int, 2>());
  if (step == GG_STEP_euclidean && m == 3)
    return launch(exact::euclidean_sum(), std::integral_constant<int, 3>());
  exact::choose_sum(step, [&](auto sum) { launch(sum, std::integral_constant<int, 0>()); });
}

unsigned blocks_of(const tree_search &search) {
  return (unsigned)divide_up(divide_up(search.end - search.first, search.step), WARPS);
}

} // namespace

void search_nearest(const tree_search &search, gg_step step, const nearest_lists &lists,
                    cudaStream_t stream) {
  choose_walk(step, search.tree.m, [&](auto sum, auto columns) {
    using SUM = decltype(sum);
    constexpr int M = decltype(columns)::value;
    if (lists.k <= LANES)
      find_nearest<SUM, M, lists_in_lanes>
          <<<blocks_of(search), THREADS, 0, stream>>>(search, lists);
    else
      find_nearest<SUM, M, lists_in_memory>
          <<<blocks_of(search), THREADS, 0, stream>>>(search, lists);
  });
}

void search_near(const tree_search &search, gg_step step, double radius, const radius_lists &lists,
                 cudaStream_t stream) {
  choose_walk(step, search.tree.m, [&](auto sum, auto columns) {
    find_near<decltype(sum), decltype(columns)::value>
        <<<blocks_of(search), THREADS, 0, stream>>>(search, radius, lists);
  });
}

} // namespace gpugeo
