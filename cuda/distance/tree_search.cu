/*
 * Neighbours by a tree of boxes: the k nearest, and those within a radius.
 *
 * Limited by the instructions of the walk and of the lists, see tree_walk.cuh.
 */
#include "cuda/distance/tree_search.cuh"

#include "cuda/distance/tree_walk.cuh"

namespace gpugeo {
namespace {

constexpr int SHARED_MOST = 32; /* neighbours in lists in shared memory: 48 KiB for a block */

/* --- The nearest ------------------------------------------------------------------------------ */

/* A lane's neighbours: a heap with the last one on top, 32 entries of which a warp's lanes have
   side by side. */
class lane_heap {
public:
  __device__ __forceinline__ lane_heap(double *distance, int32_t *index, int64_t k)
      : distance_(distance + threadIdx.x % LANES), index_(index + threadIdx.x % LANES), k_(k) {
    for (int64_t r = 0; r < k; ++r)
      put(r, nobody());
  }

  __device__ __forceinline__ int64_t size() const { return k_; }
  __device__ __forceinline__ gg_neighbor top() const { return at(0); }

  /* Replaces the top by another neighbour. */
  __device__ __forceinline__ void replace(const gg_neighbor &one) {
    int64_t r = 0;
    for (int64_t child; (child = 2 * r + 1) < k_; r = child) {
      gg_neighbor last = at(child);
      if (child + 1 < k_) {
        const gg_neighbor other = at(child + 1);
        if (gg_neighbor_before(last, other)) {
          last = other;
          ++child;
        }
      }
      if (!gg_neighbor_before(one, last)) break;
      put(r, last);
    }
    put(r, one);
  }

  /* Takes the top away. */
  __device__ __forceinline__ gg_neighbor pop() {
    const gg_neighbor last = top(), one = at(--k_);
    replace(one);
    return last;
  }

private:
  __device__ __forceinline__ gg_neighbor at(int64_t r) const {
    return {distance_[r * LANES], index_[r * LANES]};
  }
  __device__ __forceinline__ void put(int64_t r, const gg_neighbor &one) {
    distance_[r * LANES] = one.distance;
    index_[r * LANES] = one.index;
  }

  double *distance_;
  int32_t *index_;
  int64_t k_;
};

template <class SUM> class nearest_taker : public any_point {
public:
  __device__ __forceinline__ nearest_taker(const tree_search &search, const lane_heap &heap,
                                           int32_t row, bool there)
      : any_point(search, row), finish_(gg_sum_finish_of(SUM::step, search.finish)), p_(search.p),
        run_(exact::step_run_make(search.tree.m, search.p, search.finish)), heap_(heap),
        limit_(there ? INFINITY : -1) {}

  __device__ __forceinline__ double limit() const { return limit_; }

  /* Points as far as the last neighbour are left out if their indices are larger. Roots of powers
     may be equal for different sums: only sums of 0 are compared so. */
  __device__ __forceinline__ bool leaves_out(double sum, int32_t least) const {
    if (sum > limit_) return true;
    if (least <= last_.index) return false; /* also while the list is not full */
    if (finish_ == GG_SUM_POWER_ROOT) return last_.distance == 0;
    return sum >= limit_ * (1 - 0x1p-48) && SUM::finish(sum, run_) >= last_.distance;
  }

  __device__ __forceinline__ void take(double distance, int64_t, int32_t index) {
    const gg_neighbor one = {distance, index};
    if (!gg_neighbor_before(one, last_)) return;
    heap_.replace(one);
    last_ = heap_.top();
  }

  __device__ __forceinline__ void settle() {
    if (last_.index == INT32_MAX || last_.distance == limit_of_) return;
    limit_of_ = last_.distance;
    limit_ = gg_sum_limit(finish_, p_, limit_of_);
  }

  /* Writes the neighbours in their order; they are then no longer here. */
  __device__ __forceinline__ void write(const nearest_lists &lists, int32_t row) {
    for (int64_t r = heap_.size() - 1; r >= 0; --r)
      lists.put(row, r, heap_.pop());
  }

private:
  const gg_sum_finish finish_;
  const double p_;
  const exact::step_run run_;
  lane_heap heap_;
  gg_neighbor last_ = nobody();
  double limit_, limit_of_ = NAN;
};

template <class SUM, int M>
__global__ void __launch_bounds__(WALK_THREADS)
    find_nearest(const __grid_constant__ tree_search search, const nearest_lists lists,
                 const nearest_room::view room) {
  extern __shared__ double shared[];
  const int64_t entries = lists.k * LANES;
  const int64_t warp = (room.distance ? (int64_t)blockIdx.x * WALK_WARPS : 0) + threadIdx.x / LANES;
  double *distance = room.distance ? room.distance : shared;
  int32_t *index =
      room.distance ? room.index : reinterpret_cast<int32_t *>(shared + WALK_WARPS * entries);
  const int64_t warps = (int64_t)gridDim.x * WALK_WARPS;
  for (int64_t leaf = search.first + this_item() / LANES * search.step; leaf < search.end;
       leaf += warps * search.step) {
    const int64_t at = leaf * TREE_FAN + threadIdx.x % LANES;
    const bool there = at < search.asking.n;
    const int32_t row = there ? search.asking.index[at] : -1;
    nearest_taker<SUM> taker(
        search, lane_heap(distance + warp * entries, index + warp * entries, lists.k), row, there);
    tree_walk<SUM, M, nearest_taker<SUM>> walk(search, leaf, there, taker);
    walk.run();
    if (there && lists.distance) taker.write(lists, row);
  }
}

/* --- Within a radius -------------------------------------------------------------------------- */

class near_taker : public any_point {
public:
  __device__ __forceinline__ near_taker(const tree_search &search, int32_t row,
                                        const radius_lists &lists, double radius, double limit,
                                        int64_t next)
      : any_point(search, row), lists_(lists), row_(row), radius_(radius), limit_(limit),
        next_(next) {}

  __device__ __forceinline__ double limit() const { return limit_; }
  __device__ __forceinline__ bool leaves_out(double sum, int32_t) const { return sum > limit_; }
  __device__ __forceinline__ void take(double distance, int64_t, int32_t index) {
    if (distance <= radius_) lists_.put(row_, next_++, distance, index);
  }
  __device__ __forceinline__ void settle() const {}
  __device__ __forceinline__ int64_t next() const { return next_; }

private:
  radius_lists lists_;
  const int32_t row_;
  const double radius_, limit_;
  int64_t next_;
};

template <class SUM, int M>
__global__ void __launch_bounds__(WALK_THREADS)
    find_near(const __grid_constant__ tree_search search, double radius, const radius_lists lists) {
  const int64_t leaf = search.first + this_item() / LANES * search.step;
  if (leaf >= search.end) return; /* all of a warp */
  const int64_t at = leaf * TREE_FAN + threadIdx.x % LANES;
  const bool there = at < search.asking.n;
  const int32_t row = there ? search.asking.index[at] : -1;
  int64_t *next = there && lists.next ? &lists.next[row - lists.first] : nullptr;
  const double limit = gg_sum_limit(gg_sum_finish_of(SUM::step, search.finish), search.p, radius);
  near_taker taker(search, row, lists, radius, there ? limit : -1, next ? *next : 0);
  tree_walk<SUM, M, near_taker> walk(search, leaf, there, taker);
  walk.run();
  if (next) *next = taker.next();
}

} // namespace

nearest_room::nearest_room(int64_t k, int64_t queries, double bytes) {
  if (k <= SHARED_MOST) return;
  const int64_t entries = k * WALK_THREADS;
  const double fit = bytes / (12 * (double)entries);
  const int resident = 16 * attribute(cudaDevAttrMultiProcessorCount, current_device());
  const int64_t most = smaller(resident, divide_up(queries, WALK_THREADS));
  blocks_ = (unsigned)fmax(fmin(fit, (double)most), 1);
  distance_.allocate(8 * entries * blocks_);
  index_.allocate(4 * entries * blocks_);
}

void search_nearest(const tree_search &search, gg_step step, const nearest_lists &lists,
                    const nearest_room &room, cudaStream_t stream) {
  const nearest_room::view view = room.get();
  const unsigned wanted = blocks_of_walk(search),
                 blocks = wanted < view.blocks ? wanted : view.blocks;
  const size_t shared = view.distance ? 0 : (size_t)lists.k * WALK_THREADS * 12;
  choose_walk(step, search.tree.m, [&](auto sum, auto columns) {
    find_nearest<decltype(sum), decltype(columns)::value>
        <<<blocks, WALK_THREADS, shared, stream>>>(search, lists, view);
  });
}

void search_near(const tree_search &search, gg_step step, double radius, const radius_lists &lists,
                 cudaStream_t stream) {
  choose_walk(step, search.tree.m, [&](auto sum, auto columns) {
    find_near<decltype(sum), decltype(columns)::value>
        <<<blocks_of_walk(search), WALK_THREADS, 0, stream>>>(search, radius, lists);
  });
}

} // namespace gpugeo
