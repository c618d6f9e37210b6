/*
 * The CUDA backend's neighbours within a radius: distances are computed in blocks twice, to count
 * the neighbours of each query and to write them, with a warp for each query.
 *
 * If the filter in half precision can be used, only the distances of its survivors are computed,
 * with the same bits. In few dimensions a tree is searched twice instead, as for nearest
 * neighbours.
 *
 * Limited as nearest neighbours, or for many neighbours by copying them to the host.
 */
#include <algorithm>

#include "cuda/common/device.cuh"
#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/density.cuh"
#include "cuda/distance/exact_distance.cuh"
#include "cuda/distance/knn_filter.cuh"
#include "cuda/distance/neighbor_search.cuh"
#include "cuda/distance/radius_lists.cuh"

namespace gpugeo {
namespace {

constexpr int WARPS = 8, THREADS = LANES * WARPS;
constexpr int64_t ROOM = 1 << 24; /* see most_of_turn() */

/* With the filter: survivors that a query has room for in each of so many blocks. */
constexpr int64_t SURVIVORS = 256, BLOCKS = 16;

/* Searches a block, with a warp for each query. */
__global__ void __launch_bounds__(THREADS)
    take_near(const distance_block block, double radius, radius_lists lists) {
  const int lane = threadIdx.x % LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + threadIdx.x / LANES;
  if (q >= block.queries) return; /* all of a warp */
  const int64_t query = block.query_at(q);
  const double *value = block.value + q * block.query_step;
  int64_t next = lists.next[query - lists.first];
  for (int64_t first = 0; first < block.candidates; first += LANES) {
    const int64_t c = first + lane;
    const int32_t candidate = c < block.candidates ? block.candidate_at(c) : -1;
    const bool counts = candidate >= 0 && block.counts(query, candidate);
    const double distance = counts ? value[c * block.candidate_step] : 0;
    next = lists.take(query, next, counts && distance <= radius, distance, candidate);
  }
  if (lane == 0) lists.next[query - lists.first] = next;
}

/* Resets the lists of some queries. */
__global__ void __launch_bounds__(THREADS)
    reset_listed(const radius_lists lists, const int32_t *query, int64_t queries) {
  const int64_t at = this_item();
  if (at < queries) lists.next[query[at] - lists.first] = lists.start[query[at] - lists.first];
}

/* --- With the filter -------------------------------------------------------------------------- */

/* Marks a query as lost to the filter and resets its list; the tile kernels compute it. */
__device__ __forceinline__ void lose(const filter_turn &turn, const radius_lists &lists,
                                     int64_t query) {
  turn.bound[query - turn.first] = LOST;
  turn.lost[atomicAdd(turn.lost_count, 1)] = (int32_t)query;
  lists.next[query - lists.first] = lists.start[query - lists.first];
}

/* Computes the bounds of a turn's queries. */
__global__ void __launch_bounds__(THREADS)
    find_bounds(const filter_turn turn, const filter_scale scale, double radius,
                const radius_lists lists) {
  const int64_t q = this_item(), query = turn.first + q;
  if (query >= turn.end) { /* within the last tile, nobody */
    if (q < round_up(turn.end - turn.first, FILTER_TILE)) turn.bound[q] = LOST;
    return;
  }
  turn.bound[q] = scale.of(turn.rounded[q], radius);
  if (turn.bound[q].least == LOST.least) lose(turn, lists, query);
}

/* Takes the survivors of a turn, with a warp for each query, and empties their lists. */
template <class DISTANCE>
__global__ void __launch_bounds__(THREADS)
    take_survivors(const filter_turn turn, const point_order order, const exact_points points,
                   bool within, double radius, radius_lists lists) {
  const int lane = threadIdx.x % LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + threadIdx.x / LANES, query = turn.first + q;
  if (query >= turn.end) return; /* all of a warp */
  const int32_t count = turn.found.count[q], *position = turn.found.position + q * turn.found.room;
  int64_t next = lists.next[query - lists.first];
  __syncwarp(); /* all have read */
  if (lane == 0) turn.found.count[q] = 0;
  if (count > turn.found.room) {
    if (lane == 0) lose(turn, lists, query);
    return;
  }
  for (int32_t first = 0; first < count; first += LANES) {
    const bool there = first + lane < count;
    const int64_t at = there ? position[first + lane] : 0, c = order.at(at);
    const double distance = there ? DISTANCE::of(points, query, points.by_position ? at : c) : 0;
    next = lists.take(query, next, there && !(within && c == query) && distance <= radius, distance,
                      c);
  }
  if (lane == 0) lists.next[query - lists.first] = next;
}

using survivor_kernel = void (*)(filter_turn turn, point_order order, exact_points points,
                                 bool within, double radius, radius_lists lists);

/* --- Clusters by density ---------------------------------------------------------------------- */

__global__ void __launch_bounds__(THREADS)
    find_core(const int64_t *neighbors, int64_t n, int64_t min_points, const density_links links,
              int32_t *core) {
  const int64_t i = this_item();
  if (i >= n) return;
  core[i] = neighbors[i] + 1 >= min_points;
  links.parent[i] = (int32_t)i;
}

/* Replaces each parent by the root, and begins the search for the roots near other points. */
__global__ void __launch_bounds__(THREADS) find_roots(const density_links links, int64_t n) {
  const int64_t i = this_item();
  if (i >= n) return;
  links.border[i] = INT32_MAX;
  volatile int32_t *up = links.parent;
  int32_t at = up[i];
  for (int32_t next; (next = up[at]) != at;)
    at = next;
  links.parent[i] = at;
}

/* Sets `border` of core points to their roots. */
__global__ void __launch_bounds__(THREADS) take_roots(const density_links links, int64_t n) {
  const int64_t i = this_item();
  if (i < n && links.core[i]) links.border[i] = links.parent[i];
}

/* --- The job ---------------------------------------------------------------------------------- */

class radius_job {
public:
  /* passes: how often all queries are searched. */
  radius_job(const gg_radius_plan &plan, int passes, gpugeo_neighbors *found, const worker &here)
      : plan_(plan), share_(1.0 / passes), dist_(plan_of(plan.dist, here)), found_(found),
        clock_(here.clock), resources_(*here.resources),
        blocks_(dist_, clock_, resources_, QUERY_BYTES, true),
        tree_(dist_, plan.trees, blocks_, QUERY_BYTES,
              [this](const tree_search &search) { search_tree(search, {}); }),
        filter_(dist_, blocks_, {SURVIVORS, 0, INT32_MAX, QUERY_BYTES, !tree_.usable()}),
        finish_(resources_) {
    turn_ = tree_.usable()     ? tree_.turn()
            : filter_.usable() ? filter_.queries()
                               : blocks_.queries();
    start_.allocate(turn_ * (int64_t)sizeof(int64_t));
    next_.allocate(turn_ * (int64_t)sizeof(int64_t));
  }

  /* Counts neighbours into found->start, which is complete when all workers are done. */
  void count(query_queue *queries) {
    const std::vector<int64_t> nothing((size_t)turn_);
    for (int64_t q, end; queries->take(turn_, &q, &end);) {
      take(q, end, nothing);
      GG_CUDA(cudaMemcpy(found_->start + q + 1, next_.as(), (size_t)(end - q) * sizeof(int64_t),
                         cudaMemcpyDeviceToHost));
    }
  }

  /* Writes the neighbours, after memory for them has been allocated. */
  void fill(query_queue *queries) {
    const int64_t n = dist_.ny, total = found_->start[n];
    int64_t room = smaller(most_of_turn(), total);
    for (int64_t q = 0; q < n; q += QUERY_UNIT)
      room = larger(room, start(smaller(q + QUERY_UNIT, n)) - start(q));
    if (room == 0) return;
    distance_.allocate(room * (int64_t)sizeof(double));
    index_.allocate(room * (int64_t)sizeof(int32_t));
    for (int64_t q, last; queries->take(turn_, &q, &last);)
      for (int64_t end; q < last; q = end) {
        end = smaller(q + QUERY_UNIT, last);
        while (end < last && start(smaller(end + QUERY_UNIT, last)) <= start(q) + room)
          end = smaller(end + QUERY_UNIT, last);
        write(q, end);
      }
  }

  /* Finds the core points, and the root of each: the smallest point of its cluster; of other points
     the smallest root near them, or INT32_MAX if there is none or if `border` is false. All are
     searched by this worker. */
  void cluster(int64_t min_points, bool border, int32_t *core_out, int32_t *root_out) {
    const int64_t n = dist_.ny;
    device_memory neighbors, core, parent, roots;
    const finish_streams finish(resources_); /* before they are freed */
    neighbors.allocate(8 * n);
    for (device_memory *one : {&core, &parent, &roots})
      one->allocate(4 * n);
    const std::vector<int64_t> nothing((size_t)turn_);
    visit_all(nothing, [&](int64_t first, int64_t end) {
      GG_CUDA(cudaMemcpyAsync(neighbors.as<int64_t>() + first, next_.as(),
                              (size_t)(8 * (end - first)), cudaMemcpyDeviceToDevice,
                              blocks_.stream()));
    });
    const unsigned blocks = blocks_for(n, THREADS);
    const cudaStream_t stream = blocks_.stream();
    links_.parent = parent.as<int32_t>();
    blocks_.piece(0, [&] {
      find_core<<<blocks, THREADS, 0, stream>>>(neighbors.as<int64_t>(), n, min_points, links_,
                                                core.as<int32_t>());
    });
    links_.core = core.as<int32_t>();
    visit_all(nothing, [](int64_t, int64_t) {});
    density_links last = links_;
    last.border = roots.as<int32_t>();
    blocks_.piece(0, [&] { find_roots<<<blocks, THREADS, 0, stream>>>(last, n); });
    links_ = last;
    if (border) visit_all(nothing, [](int64_t, int64_t) {});
    links_ = {};
    blocks_.piece(0, [&] { take_roots<<<blocks, THREADS, 0, stream>>>(last, n); });
    blocks_.drain();
    bring(core, n, core_out);
    bring(roots, n, root_out);
  }

  double seconds() const { return blocks_.seconds(); }

private:
  void bring(const device_memory &from, int64_t n, int32_t *to) {
    fetch(resources_, from.as(), 4 * n, to, dist_.threads, clock_, blocks_.fraction());
  }

  /* Searches all queries; after(first, end) uses what was counted. */
  template <class After> void visit_all(const std::vector<int64_t> &nothing, After after) {
    for (int64_t first = 0, end; first < dist_.ny; first = end) {
      end = smaller(first + turn_, dist_.ny);
      take(first, end, nothing);
      after(first, end);
    }
  }

  int64_t start(int64_t q) const { return found_->start[q]; }

  static constexpr double QUERY_BYTES = 2 * sizeof(int64_t);

  /* Returns the neighbours that are written at a time, unless 16 queries have more: half the
     memory's worth. Without a tree more than ROOM of them save no time; in the tree the queries of
     a warp are nearest each other if all are searched at once. */
  int64_t most_of_turn() const {
    const double memory = 0.5 * (double)memory_budget(dist_.work_bytes);
    const auto most = (int64_t)(memory / (sizeof(double) + sizeof(int32_t)));
    return tree_.usable() ? most : smaller(most, ROOM);
  }

  radius_lists lists(int64_t first) const {
    return {start_.as<int64_t>(),
            next_.as<int64_t>(),
            distance_.as<double>(),
            index_.as<int32_t>(),
            first,
            links_};
  }

  /* Takes the neighbours of queries [first, end), of which the first ones go to `start`. */
  void take(int64_t first, int64_t end, const std::vector<int64_t> &start) {
    const size_t bytes = (size_t)(end - first) * sizeof(int64_t);
    copy_in(start_.as(), start.data(), bytes);
    const auto begin = [&] {
      GG_CUDA(cudaMemcpyAsync(next_.as(), start_.as(), bytes, cudaMemcpyDeviceToDevice,
                              blocks_.stream()));
    };
    begin();
    if (tree_.usable()) return take_from_tree(first, end);
    blocks_.ask(first, end);
    const bool filters = filter_.usable();
    if (filters && take_filtered(first, end)) return;
    begin();
    for (int64_t q = first; q < end; q += blocks_.queries())
      look_through({blocks_.asking(), q, smaller(q + blocks_.queries(), end), nullptr}, all(),
                   first, filters ? 0 : share_);
    blocks_.drain();
  }

  void search_tree(const tree_search &search, const radius_lists &lists) {
    search_near(search, gg_sum_step(dist_.step), plan_.radius, lists, blocks_.stream());
  }

  /* Takes the neighbours of a turn's queries in the tree. Points that are not in it are compared
     with all others. */
  void take_from_tree(int64_t first, int64_t end) {
    tree_.run(first, end, share_,
              [&](const tree_search &search) { search_tree(search, lists(first)); });
    const candidate_set odd = tree_.odd_candidates();
    for (int64_t q = first; odd.end > 0 && q < end; q += blocks_.queries())
      look_through({blocks_.asking(), q, smaller(q + blocks_.queries(), end), nullptr}, odd, first,
                   0);
    for (int64_t before = 0, count = 1; count > 0; before += count) {
      const query_set queries = tree_.odd_queries(first, end, before);
      count = queries.end - queries.first;
      if (count == 0) break;
      blocks_.piece(0, [&] {
        reset_listed<<<blocks_for(count, THREADS), THREADS, 0, blocks_.stream()>>>(
            lists(first), queries.index, count);
      });
      look_through(queries, all(), first, 0);
    }
    blocks_.drain();
  }

  candidate_set all() const { return {blocks_.candidates(), dist_.nx, {1, dist_.nx}}; }

  /* Searches all distances of some queries to some candidates, by the tile kernels. */
  void look_through(const query_set &queries, const candidate_set &candidates, int64_t first,
                    double share) {
    blocks_.visit(queries, candidates, share, [&](const distance_block &block) {
      take_near<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, blocks_.stream()>>>(
          block, plan_.radius, lists(first));
    });
  }

  /* Finds neighbours with the filter. Returns false if it rules out too few pairs for many
     queries. */
  bool take_filtered(int64_t first, int64_t end) {
    const cudaStream_t stream = blocks_.stream();
    const filter_turn turn = filter_.begin(first, end);
    blocks_.piece(0, [&] {
      find_bounds<<<blocks_for(end - first + FILTER_TILE, THREADS), THREADS, 0, stream>>>(
          turn, filter_.scale(), plan_.radius, lists(first));
    });
    const survivor_kernel take = exact::choose(dist_.step, blocks_.in_panels(), [](auto distance) {
      return survivor_kernel(take_survivors<decltype(distance)>);
    });
    for (int64_t c = 0, next; c < dist_.nx; c = next) {
      next = filter_.block_end(turn, c, divide_up(dist_.nx, BLOCKS));
      blocks_.piece(share_ * (double)(end - first) * (double)(next - c), [&] {
        filter_.pass(turn, c, next);
        take<<<(unsigned)divide_up(end - first, WARPS), THREADS, 0, stream>>>(
            turn, filter_.order(), filter_.survivors(), dist_.symmetric, plan_.radius,
            lists(first));
      });
    }
    blocks_.drain();
    const int64_t lost = filter_.count_lost(turn);
    if (lost > (end - first) / 4) return false;
    for (int64_t at = 0; at < lost; at += blocks_.queries())
      look_through(filter_.lost(turn, at, smaller(blocks_.queries(), lost - at)), all(), first, 0);
    blocks_.drain();
    return true;
  }

  void write(int64_t first, int64_t end) {
    const int64_t count = start(end) - start(first);
    if (count == 0) return;
    std::vector<int64_t> from(found_->start + first, found_->start + end);
    for (int64_t &one : from)
      one -= start(first);
    take(first, end, from);
    fetch(resources_, distance_.as(), count * (int64_t)sizeof(double),
          found_->distance + start(first), dist_.threads, clock_, blocks_.fraction());
    fetch(resources_, index_.as(), count * (int64_t)sizeof(int32_t), found_->index + start(first),
          dist_.threads, clock_, blocks_.fraction());
  }

  const gg_radius_plan &plan_;
  const double share_; /* of a pass in the work */
  const gg_dist_plan dist_;
  gpugeo_neighbors *found_;
  gg_clock *clock_;
  device_resources &resources_;
  device_memory start_, next_, distance_, index_;
  density_links links_ = {}; /* while neighbours are visited */
  neighbor_blocks blocks_;
  neighbor_search tree_;
  neighbor_filter filter_;
  int64_t turn_;          /* queries taken at a time, at most */
  finish_streams finish_; /* last: before all of the above is let go */
};

} // namespace

/* Counts and writes the neighbours; the points stay on each worker's device between the two
   passes. */
gpugeo_status radius(const gg_radius_plan &plan, gpugeo_neighbors *found, call &call) {
  team &team = call.workers();
  std::vector<std::unique_ptr<radius_job>> jobs((size_t)team.size());
  query_queue counted(plan.dist.ny, team.size()), filled(plan.dist.ny, team.size());
  team.run([&](const worker &here) {
    std::unique_ptr<radius_job> &job = jobs[(size_t)here.number];
    job = std::make_unique<radius_job>(plan, 2, found, here);
    job->count(&counted);
  });
  const gpugeo_status status = gg_radius_allocate(found, call.error);
  if (status) return status;
  team.run([&](const worker &here) {
    const std::unique_ptr<radius_job> job = std::move(jobs[(size_t)here.number]);
    job->fill(&filled);
    here.report->device_seconds += job->seconds();
  });
  return status;
}

void density(const gg_radius_plan &plan, int64_t min_points, bool border, int32_t *core,
             int32_t *root, team &team) {
  team.run([&](const worker &here) {
    radius_job job(plan, 2 + border, nullptr, here);
    job.cluster(min_points, border, core, root);
    here.report->device_seconds += job.seconds();
  });
}

} // namespace gpugeo
