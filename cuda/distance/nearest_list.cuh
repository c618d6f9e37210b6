/* Lists of the k nearest neighbours of queries, in device memory, which warps fill. */
#ifndef GG_CUDA_NEAREST_LIST_CUH
#define GG_CUDA_NEAREST_LIST_CUH

#include <cmath>

#include "distance/knn.h"

namespace gpugeo {

constexpr int LANES = 32;

/* Returns the value of an empty entry, which comes after every neighbour. */
__device__ __forceinline__ gg_neighbor nobody() { return {NAN, INT32_MAX}; }

/* The lists of queries from `first` on, each of k sorted neighbours, empty entries last. */
struct nearest_lists {
  double *distance;
  int32_t *index;
  int64_t k, first;
  int64_t query_step, entry_step; /* from a query's list to the next one's, and in a list */

  /* Returns the offset of entry r of a query. */
  __device__ __forceinline__ int64_t offset(int64_t query, int64_t r) const {
    return (query - first) * query_step + r * entry_step;
  }
  __device__ __forceinline__ void put(int64_t query, int64_t r, const gg_neighbor &entry) const {
    distance[offset(query, r)] = entry.distance;
    index[offset(query, r)] = entry.index;
  }
};

__device__ __forceinline__ gg_neighbor of_lane(const gg_neighbor &mine, int lane) {
  return {__shfl_sync(~0u, mine.distance, lane), __shfl_sync(~0u, mine.index, lane)};
}

/* Keeps the first or the last one of a lane's neighbour and that of the lane `step` from it. */
__device__ __forceinline__ void exchange(gg_neighbor *mine, int step, bool keep_first) {
  const gg_neighbor other = of_lane(*mine, (int)(threadIdx.x % LANES) ^ step);
  if (keep_first ? gg_neighbor_before(other, *mine) : gg_neighbor_before(*mine, other))
    *mine = other;
}

/* Sorts the neighbours of a warp's lanes, by a bitonic network. */
__device__ __forceinline__ gg_neighbor sorted(gg_neighbor mine) {
  const int lane = threadIdx.x % LANES;
  for (int size = 2; size <= LANES; size *= 2)
    for (int step = size / 2; step > 0; step /= 2)
      exchange(&mine, step, ((lane & size) == 0) == ((lane & step) == 0));
  return mine;
}

/* One query's list, which a warp fills. */
class nearest_list {
public:
  __device__ __forceinline__ nearest_list(const nearest_lists &lists, int64_t query)
      : distance_(lists.distance + lists.offset(query, 0)),
        index_(lists.index + lists.offset(query, 0)), k_(lists.k), step_(lists.entry_step) {}

  __device__ __forceinline__ gg_neighbor at(int64_t r) const {
    return {distance_[r * step_], index_[r * step_]};
  }

  /* Returns the last neighbour, which a nearer one replaces. */
  __device__ __forceinline__ gg_neighbor last() const { return at(k_ - 1); }

  /* Merges the neighbours of all lanes, which are sorted. */
  __device__ __forceinline__ void merge(const gg_neighbor &mine) {
    const int lane = threadIdx.x % LANES;
    const int64_t rank = entries_before(mine) + lane;
    for (int64_t first = (k_ - 1) / LANES * LANES; first >= 0; first -= LANES) {
      const int64_t r = first + lane;
      const gg_neighbor entry = r < k_ ? at(r) : nobody();
      const int moves = lanes_before(mine, entry);
      __syncwarp(); /* all have read */
      if (r + moves < k_) put(r + moves, entry);
      if (!__any_sync(~0u, moves > 0)) break; /* nor does any entry before */
    }
    if (rank < k_) put(rank, mine);
    __syncwarp();
  }

private:
  __device__ __forceinline__ void put(int64_t r, const gg_neighbor &entry) {
    distance_[r * step_] = entry.distance;
    index_[r * step_] = entry.index;
  }

  /* Returns how many entries come before a neighbour. */
  __device__ __forceinline__ int64_t entries_before(const gg_neighbor &one) const {
    int64_t low = 0, high = k_;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (gg_neighbor_before(at(middle), one))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /* Returns how many lanes' neighbours come before an entry; all lanes call it, each with its
     own entry. */
  __device__ __forceinline__ static int lanes_before(const gg_neighbor &mine,
                                                     const gg_neighbor &entry) {
    int before = 0;
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
      if (gg_neighbor_before(of_lane(mine, before + step - 1), entry)) before += step;
    return gg_neighbor_before(of_lane(mine, before), entry) ? before + 1 : before;
  }

  double *distance_;
  int32_t *index_;
  int64_t k_, step_;
};

/* A buffer for a warp's neighbours until they are merged: two rows of lanes in shared memory. */
struct waiting_room {
  double distance[2 * LANES];
  int32_t index[2 * LANES];
};

/* Fills a list: neighbours that come before its last one are buffered until there are 32, which
   are sorted and merged. */
class list_filler {
public:
  __device__ __forceinline__ list_filler(const nearest_list &list, waiting_room *room)
      : list_(list), room_(room), last_(list.last()) {}

  /* Takes a neighbour from each lane, or nobody(). */
  __device__ __forceinline__ void take(const gg_neighbor &one) {
    const int lane = threadIdx.x % LANES;
    const bool enters = gg_neighbor_before(one, last_);
    const uint32_t entering = __ballot_sync(~0u, enters);
    if (!entering) return;
    if (enters) {
      const int slot = waiting_ + __popc(entering & ((1u << lane) - 1));
      room_->distance[slot] = one.distance;
      room_->index[slot] = one.index;
    }
    waiting_ += __popc(entering);
    if (waiting_ >= LANES) merge();
  }

  /* Merges the buffered neighbours. */
  __device__ __forceinline__ void finish() {
    if (waiting_ > 0) merge();
  }

private:
  /* Merges the first 32 buffered neighbours, or all of fewer. */
  __device__ __forceinline__ void merge() {
    const int lane = threadIdx.x % LANES;
    double *distance = room_->distance;
    int32_t *index = room_->index;
    __syncwarp();
    const gg_neighbor mine = lane < waiting_ ? gg_neighbor{distance[lane], index[lane]} : nobody();
    const gg_neighbor rest = {distance[lane + LANES], index[lane + LANES]};
    __syncwarp(); /* all have read */
    distance[lane] = rest.distance;
    index[lane] = rest.index;
    list_.merge(sorted(mine));
    last_ = list_.last();
    waiting_ = max(waiting_ - LANES, 0);
  }

  nearest_list list_;
  waiting_room *room_;
  gg_neighbor last_;
  int waiting_ = 0;
};

} // namespace gpugeo

#endif
