/*
 * The CUDA backend's neighbours within a radius: distances are computed in blocks twice, to count
 * the neighbours of each query and to write them down, a warp to a query.
 *
 * Limit: as for nearest neighbours.
 */
#include <algorithm>

#include "device.cuh"
#include "fetch.cuh"
#include "neighbors.cuh"
#include "team.cuh"

namespace gpugeo {
namespace {

constexpr int LANES = 32, WARPS = 8, THREADS = LANES * WARPS;
constexpr int64_t ROOM = 1 << 24; /* neighbours written down at a time, unless one query has more */

/* Where neighbours go: `next` holds, for each query of the block, where its next one does. */
struct radius_lists {
  int64_t *next;
  double *distance; /* NULL while they are counted */
  int32_t *index;
};

/* A warp to each query of the block. */
__global__ void __launch_bounds__(THREADS)
    take_near(const distance_block block, double radius, const radius_lists lists) {
  const int lane = threadIdx.x % LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + threadIdx.x / LANES;
  if (q >= block.queries) return; /* all of a warp */
  const double *value = block.value + q * block.query_step;
  int64_t next = lists.next[q];
  for (int64_t first = 0; first < block.candidates; first += LANES) {
    const int64_t c = first + lane;
    double distance = 0;
    bool near = false;
    if (c < block.candidates && block.counts(block.query_at(q), block.candidate_at(c))) {
      distance = value[c * block.candidate_step];
      near = distance <= radius;
    }
    const uint32_t all = __ballot_sync(~0u, near);
    if (near && lists.distance) {
      const int64_t at = next + __popc(all & ((1u << lane) - 1));
      lists.distance[at] = distance;
      lists.index[at] = block.candidate_at(c);
    }
    next += __popc(all);
  }
  if (lane == 0) lists.next[q] = next;
}

class radius_job {
public:
  radius_job(const gg_radius_plan &plan, gpugeo_neighbors *found, const lane &here)
      : plan_(plan), dist_(plan_of(plan.dist, here)), found_(found), clock_(here.clock),
        kept_(*here.kept), blocks_(dist_, clock_, kept_, sizeof(int64_t)), finish_(kept_) {
    next_.allocate(blocks_.queries() * (int64_t)sizeof(int64_t));
  }

  /* found->start holds the counts after that, when all lanes are done. */
  void count(query_queue *queries) {
    for (int64_t q, end; queries->take(blocks_.queries(), &q, &end);) {
      GG_CUDA(
          cudaMemsetAsync(next_.as(), 0, (size_t)(end - q) * sizeof(int64_t), blocks_.stream()));
      take(q, end);
      GG_CUDA(cudaMemcpy(found_->start + q + 1, next_.as(), (size_t)(end - q) * sizeof(int64_t),
                         cudaMemcpyDeviceToHost));
    }
  }

  /* The neighbours themselves, when there is memory for them. */
  void fill(query_queue *queries) {
    const int64_t n = dist_.ny, total = found_->start[n];
    int64_t room = smaller(ROOM, total);
    for (int64_t q = 0; q < n; ++q)
      room = larger(room, found_->start[q + 1] - found_->start[q]);
    if (room == 0) return;
    distance_.allocate(room * (int64_t)sizeof(double));
    index_.allocate(room * (int64_t)sizeof(int32_t));
    for (int64_t q, last; queries->take(blocks_.queries(), &q, &last);)
      for (int64_t end; q < last; q = end) {
        end = q + 1;
        while (end < last && start(end + 1) <= start(q) + room)
          ++end;
        write(q, end);
      }
  }

  double seconds() const { return blocks_.seconds(); }

private:
  int64_t start(int64_t q) const { return found_->start[q]; }

  void take(int64_t first, int64_t end) {
    const radius_lists lists = {next_.as<int64_t>(), distance_.as<double>(), index_.as<int32_t>()};
    blocks_.visit(first, end, 2, [&](const distance_block &block) {
      take_near<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, blocks_.stream()>>>(
          block, plan_.radius, lists);
    });
    blocks_.drain();
  }

  void write(int64_t first, int64_t end) {
    const int64_t count = start(end) - start(first);
    if (count == 0) return;
    std::vector<int64_t> next(found_->start + first, found_->start + end);
    for (int64_t &one : next)
      one -= start(first);
    copy_in(next_.as(), next.data(), next.size() * sizeof next[0]);
    take(first, end);
    fetch(kept_, distance_.as(), count * (int64_t)sizeof(double), found_->distance + start(first),
          dist_.threads, clock_, blocks_.fraction());
    fetch(kept_, index_.as(), count * (int64_t)sizeof(int32_t), found_->index + start(first),
          dist_.threads, clock_, blocks_.fraction());
  }

  const gg_radius_plan &plan_;
  const gg_dist_plan dist_;
  gpugeo_neighbors *found_;
  gg_clock *clock_;
  kept &kept_;
  device_memory next_, distance_, index_;
  neighbor_blocks blocks_;
  finish_streams finish_; /* last: before all of the above is let go */
};

} // namespace

/* The points stay on each lane's device between the two. */
gpugeo_status radius(const gg_radius_plan &plan, gpugeo_neighbors *found, team &team,
                     gpugeo_error *error) {
  std::vector<std::unique_ptr<radius_job>> jobs((size_t)team.size());
  query_queue counted(plan.dist.ny, team.size()), filled(plan.dist.ny, team.size());
  team.run([&](const lane &here) {
    std::unique_ptr<radius_job> &job = jobs[(size_t)here.number];
    job = std::make_unique<radius_job>(plan, found, here);
    job->count(&counted);
  });
  const gpugeo_status status = gg_radius_allocate(found, error);
  if (status) return status;
  team.run([&](const lane &here) {
    const std::unique_ptr<radius_job> job = std::move(jobs[(size_t)here.number]);
    job->fill(&filled);
    here.report->device_seconds += job->seconds();
  });
  return status;
}

} // namespace gpugeo
