/*
 * The CUDA backend's nearest neighbours.
 *
 * Distances are computed in blocks, by the tile kernels of distance matrices. A warp looks through
 * those of one query: whatever comes before the last of its k nearest so far waits in shared memory
 * until there are 32, which are then sorted and merged into the list. The list stands in device
 * memory, for any k.
 *
 * Limit: the tile kernels; writing and reading 8 bytes a pair, where there are few coordinates.
 */
#include <cmath>
#include <vector>

#include "device.cuh"
#include "fetch.cuh"
#include "neighbors.cuh"

namespace gpugeo {
namespace {

constexpr int LANES = 32, WARPS = 8, THREADS = LANES * WARPS;

/* The lists of the queries of a block, each of k neighbours in their order, the places that are not
   yet filled last. */
struct nearest_lists {
  double *distance;
  int32_t *index;
  int64_t k;
};

/* Comes after every neighbour: what an empty place holds. */
__device__ __forceinline__ gg_neighbor nobody() { return {NAN, INT32_MAX}; }

__global__ void __launch_bounds__(THREADS) empty_lists(const nearest_lists lists, int64_t entries) {
  const int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (e >= entries) return;
  lists.distance[e] = nobody().distance;
  lists.index[e] = nobody().index;
}

__device__ __forceinline__ gg_neighbor of_lane(const gg_neighbor &mine, int lane) {
  return {__shfl_sync(~0u, mine.distance, lane), __shfl_sync(~0u, mine.index, lane)};
}

/* Sorts the neighbours of a warp's lanes, by a bitonic network. */
__device__ __forceinline__ gg_neighbor sorted(gg_neighbor mine) {
  const int lane = threadIdx.x % LANES;
  for (int size = 2; size <= LANES; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      const gg_neighbor other = of_lane(mine, lane ^ step);
      const bool keep_first = ((lane & size) == 0) == ((lane & step) == 0);
      if (keep_first ? gg_neighbor_before(other, mine) : gg_neighbor_before(mine, other))
        mine = other;
    }
  return mine;
}

/* One query's list, in the hands of a warp. */
class nearest_list {
public:
  __device__ __forceinline__ nearest_list(const nearest_lists &lists, int64_t query)
      : distance_(lists.distance + query * lists.k), index_(lists.index + query * lists.k),
        k_(lists.k) {}

  __device__ __forceinline__ gg_neighbor at(int64_t r) const { return {distance_[r], index_[r]}; }

  /* The one that a nearer neighbour drives out. */
  __device__ __forceinline__ gg_neighbor last() const { return at(k_ - 1); }

  /* Merges the neighbours of all lanes, which are sorted. */
  __device__ __forceinline__ void merge(const gg_neighbor &mine) {
    const int lane = threadIdx.x % LANES;
    const int64_t place = entries_before(mine) + lane;
    for (int64_t first = (k_ - 1) / LANES * LANES; first >= 0; first -= LANES) {
      const int64_t r = first + lane;
      const gg_neighbor entry = r < k_ ? at(r) : nobody();
      const int moves = lanes_before(mine, entry);
      __syncwarp(); /* all have read */
      if (r + moves < k_) put(r + moves, entry);
      if (!__any_sync(~0u, moves > 0)) break; /* nor does any entry before */
    }
    if (place < k_) put(place, mine);
    __syncwarp();
  }

private:
  __device__ __forceinline__ void put(int64_t r, const gg_neighbor &entry) {
    distance_[r] = entry.distance;
    index_[r] = entry.index;
  }

  /* How many entries come before a neighbour. */
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

  /* How many lanes' neighbours come before an entry; all lanes together, each with its own. */
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
  int64_t k_;
};

/* A warp to each query of the block. */
__global__ void __launch_bounds__(THREADS)
    take_nearest(const distance_block block, const nearest_lists lists) {
  __shared__ double waiting_distance[WARPS][2 * LANES];
  __shared__ int32_t waiting_index[WARPS][2 * LANES];
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + warp;
  if (q >= block.queries) return; /* all of a warp */
  nearest_list list(lists, q);
  double *distance = waiting_distance[warp];
  int32_t *index = waiting_index[warp];
  const double *value = block.value + q * block.query_step;
  gg_neighbor last = list.last();
  int waiting = 0;

  /* Merges the first 32 of those that wait, or all of fewer. */
  const auto merge = [&] {
    __syncwarp();
    gg_neighbor mine = lane < waiting ? gg_neighbor{distance[lane], index[lane]} : nobody();
    const gg_neighbor rest = {distance[lane + LANES], index[lane + LANES]};
    __syncwarp(); /* all have read */
    distance[lane] = rest.distance;
    index[lane] = rest.index;
    list.merge(sorted(mine));
    last = list.last();
    waiting = max(waiting - LANES, 0);
  };

  for (int64_t first = 0; first < block.candidates; first += LANES) {
    const int64_t c = first + lane;
    gg_neighbor one = nobody();
    if (c < block.candidates && block.counts(block.query + q, block.candidate + c))
      one = {value[c * block.candidate_step], (int32_t)(block.candidate + c)};
    const bool enters = gg_neighbor_before(one, last);
    const uint32_t entering = __ballot_sync(~0u, enters);
    if (!entering) continue;
    if (enters) {
      const int slot = waiting + __popc(entering & ((1u << lane) - 1));
      distance[slot] = one.distance;
      index[slot] = one.index;
    }
    waiting += __popc(entering);
    if (waiting >= LANES) merge();
  }
  if (waiting > 0) merge();
}

class knn_job {
public:
  knn_job(const gg_knn_plan &plan, gg_clock *clock, kept &kept)
      : plan_(plan), clock_(clock), kept_(kept),
        blocks_(plan.dist, clock, kept, (double)plan.k * ENTRY), finish_(kept) {
    distance_.allocate(blocks_.queries() * plan.k * (int64_t)sizeof(double));
    index_.allocate(blocks_.queries() * plan.k * (int64_t)sizeof(int32_t));
  }

  void run() {
    for (int64_t q = 0; q < plan_.dist.ny; q += blocks_.queries()) {
      const int64_t end = smaller(q + blocks_.queries(), plan_.dist.ny);
      find(q, end);
      write(q, end);
    }
  }

  double seconds() const { return blocks_.seconds(); }

private:
  static constexpr double ENTRY = sizeof(double) + sizeof(int32_t);

  nearest_lists lists() const { return {distance_.as<double>(), index_.as<int32_t>(), plan_.k}; }

  void find(int64_t first, int64_t end) {
    const int64_t entries = (end - first) * plan_.k;
    empty_lists<<<(unsigned)divide_up(entries, THREADS), THREADS, 0, blocks_.stream()>>>(lists(),
                                                                                         entries);
    blocks_.visit(first, end, 1, [&](const distance_block &block) {
      take_nearest<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, blocks_.stream()>>>(
          block, lists());
    });
    blocks_.drain();
  }

  /* Finished lists to the user's columns. */
  void write(int64_t first, int64_t end) {
    const int64_t k = plan_.k, queries = end - first, entries = queries * k;
    host_distance_.resize((size_t)entries);
    host_index_.resize((size_t)entries);
    const int32_t threads = plan_.dist.threads;
    fetch(kept_, distance_.as(), entries * (int64_t)sizeof(double), host_distance_.data(), threads,
          clock_, blocks_.fraction());
    fetch(kept_, index_.as(), entries * (int64_t)sizeof(int32_t), host_index_.data(), threads,
          clock_, blocks_.fraction());
#pragma omp parallel for num_threads(threads) schedule(static) if (entries > 10000)
    for (int64_t r = 0; r < k; ++r)
      for (int64_t q = 0; q < queries; ++q) {
        const double distance = host_distance_[(size_t)(q * k + r)];
        const int64_t at = first + q + r * plan_.dist.ny;
        plan_.distance[at] = std::isnan(distance) ? plan_.dist.missing : distance;
        plan_.index[at] = host_index_[(size_t)(q * k + r)];
      }
  }

  const gg_knn_plan &plan_;
  gg_clock *clock_;
  kept &kept_;
  device_memory distance_, index_;
  std::vector<double> host_distance_;
  std::vector<int32_t> host_index_;
  neighbor_blocks blocks_;
  finish_streams finish_; /* last: before all of the above is let go */
};

} // namespace

void knn(const gg_knn_plan &plan, gg_clock *clock, gpugeo_report *report) {
  knn_job job(plan, clock, kept_for(plan.dist.device));
  job.run();
  report->device_seconds += job.seconds();
}

} // namespace gpugeo
