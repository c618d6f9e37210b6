/*
 * The CUDA backend's nearest neighbours.
 *
 * Distances are computed in blocks, by the tile kernels of distance matrices. A warp searches those
 * of one query: neighbours nearer than the last of its k nearest so far are collected in shared
 * memory until there are 32, which are then sorted and merged into the list. The list is in device
 * memory, for any k.
 *
 * If the filter in half precision can be used, only a sample of the candidates is computed so. The
 * distances of the pairs that survive the filter are computed one by one, with the same bits.
 *
 * In few dimensions a tree of boxes is searched instead (neighbor_search.cuh has the choice), by a
 * warp for 32 queries, whose lists are in shared memory up to k = 32. Only points with coordinates
 * that are not finite are then compared in blocks.
 *
 * Limited, without the filter and without a tree, by the tile kernels, or for short rows by writing
 * and reading 8 bytes for each pair.
 */
#include "cuda/common/device.cuh"
#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/exact_distance.cuh"
#include "cuda/distance/knn_filter.cuh"
#include "cuda/distance/nearest_list.cuh"
#include "cuda/distance/neighbor_search.cuh"

namespace gpugeo {
namespace {

constexpr int WARPS = 8, THREADS = LANES * WARPS;
constexpr int64_t TURN_ENTRIES = 1 << 23; /* neighbours brought to the host at a time */

__global__ void __launch_bounds__(THREADS) empty_lists(const nearest_lists lists, int64_t entries) {
  const int64_t e = this_item();
  if (e >= entries) return;
  lists.distance[e] = nobody().distance;
  lists.index[e] = nobody().index;
}

/* Empties the lists of some queries. */
__global__ void __launch_bounds__(THREADS)
    empty_listed(const nearest_lists lists, const int32_t *query, int64_t queries) {
  const int64_t at = this_item();
  if (at < queries * lists.k) lists.put(query[at / lists.k], at % lists.k, nobody());
}

/* The user's columns for some queries: the nearest of each, then the second, and so on. They may be
   the lists themselves. */
struct neighbor_columns {
  double *distance;
  int32_t *index;
};

__global__ void __launch_bounds__(THREADS) fill_columns(const nearest_lists lists, int64_t queries,
                                                        double missing, const neighbor_columns to) {
  const int64_t at = this_item();
  if (at >= queries * lists.k) return;
  const int64_t e = lists.offset(lists.first + at % queries, at / queries);
  const double distance = lists.distance[e];
  to.distance[at] = isnan(distance) ? missing : distance;
  to.index[at] = lists.index[e];
}

/* Searches a block, with a warp for each query. */
__global__ void __launch_bounds__(THREADS)
    take_nearest(const distance_block block, const nearest_lists lists) {
  __shared__ waiting_room rooms[WARPS];
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + warp;
  if (q >= block.queries) return; /* all of a warp */
  const int64_t query = block.query_at(q);
  list_filler filler(nearest_list(lists, query), &rooms[warp]);
  const double *value = block.value + q * block.query_step;
  for (int64_t first = 0; first < block.candidates; first += LANES) {
    const int64_t c = first + lane;
    gg_neighbor one = nobody();
    if (c < block.candidates && block.counts(query, block.candidate_at(c)))
      one = {value[c * block.candidate_step], block.candidate_at(c)};
    filler.take(one);
  }
  filler.finish();
}

/* --- With the filter -------------------------------------------------------------------------- */

/* Computes the bounds of a turn's queries and empties the lists of survivors. Queries for which
   the filter cannot be used are listed, and their lists are emptied, too. */
__global__ void __launch_bounds__(THREADS)
    find_bounds(const filter_turn turn, const filter_scale scale, const nearest_lists lists,
                bool first_time) {
  const int64_t q = this_item(), query = turn.first + q;
  if (query >= turn.end) { /* within the last tile, nobody */
    if (q < round_up(turn.end - turn.first, FILTER_TILE)) turn.bound[q] = LOST;
    return;
  }
  if (!first_time && turn.bound[q].least == LOST.least) return;
  const double distance = nearest_list(lists, query).last().distance;
  const bool found_room = turn.found.count[q] <= turn.found.room;
  const query_bound bound = found_room ? scale.of(turn.rounded[q], distance) : LOST;
  turn.bound[q] = bound;
  turn.found.count[q] = 0;
  if (bound.least != LOST.least) return;
  turn.lost[atomicAdd(turn.lost_count, 1)] = (int32_t)query;
  for (int64_t r = 0; r < lists.k; ++r)
    lists.put(query, r, nobody());
}

/* Merges the survivors of a turn into the lists, with a warp for each query. */
template <class DISTANCE>
__global__ void __launch_bounds__(THREADS)
    take_survivors(const filter_turn turn, const point_order order, const exact_points points,
                   bool within, const nearest_lists lists) {
  __shared__ waiting_room rooms[WARPS];
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  const int64_t q = (int64_t)blockIdx.x * WARPS + warp, query = turn.first + q;
  if (query >= turn.end) return; /* all of a warp */
  const int32_t count = turn.found.count[q], *position = turn.found.position + q * turn.found.room;
  if (count == 0 || count > turn.found.room) return;
  list_filler filler(nearest_list(lists, query), &rooms[warp]);
  for (int32_t first = 0; first < count; first += LANES) {
    gg_neighbor one = nobody();
    if (first + lane < count) {
      const int64_t at = position[first + lane], c = order.at(at);
      if (!within || c != query)
        one = {DISTANCE::of(points, query, points.by_position ? at : c), (int32_t)c};
    }
    filler.take(one);
  }
  filler.finish();
}

using survivor_kernel = void (*)(filter_turn turn, point_order order, exact_points points,
                                 bool within, nearest_lists lists);

/* --- The job ---------------------------------------------------------------------------------- */

class knn_job {
public:
  knn_job(const gg_knn_plan &plan, gg_clock *clock, device_resources &resources)
      : plan_(plan), clock_(clock), resources_(resources),
        blocks_(plan.dist, clock, resources, (double)plan.k * 2 * ENTRY, true),
        tree_(plan.dist, plan.trees, blocks_, (double)plan.k * ENTRY,
              [this](const tree_search &search) { search_tree(search, {}); }),
        filter_(plan.dist, blocks_,
                {8 * plan.k + 64, larger(1024, 16 * plan.k), TURN_ENTRIES / plan.k,
                 (double)plan.k * 2 * ENTRY, !tree_.usable()}),
        finish_(resources) {
    turn_ = tree_.usable()     ? tree_.turn()
            : filter_.usable() ? filter_.queries()
                               : blocks_.queries();
    distance_.allocate(turn_ * plan.k * (int64_t)sizeof(double));
    index_.allocate(turn_ * plan.k * (int64_t)sizeof(int32_t));
    if (tree_.usable()) return; /* lists are the columns */
    room_.reset();
    distance_columns_.allocate(turn_ * plan.k * (int64_t)sizeof(double));
    index_columns_.allocate(turn_ * plan.k * (int64_t)sizeof(int32_t));
  }

  void run(query_queue *queries) {
    for (int64_t first, end; queries->take(turn_, &first, &end);) {
      const bool filters = filter_.usable();
      if (tree_.usable()) {
        find_in_tree(lists_in_columns(first, end), end);
        write(lists_in_columns(first, end), end, {distance_.as<double>(), index_.as<int32_t>()});
        continue;
      }
      const nearest_lists lists = lists_in_rows(first);
      blocks_.ask(first, end);
      if (!filters || !find_filtered(lists, end)) {
        empty(lists, end);
        look_through(lists, end, all(), filters ? 0 : 1);
        blocks_.drain();
      }
      write(lists, end, {distance_columns_.as<double>(), index_columns_.as<int32_t>()});
    }
  }

  double seconds() const { return blocks_.seconds(); }

private:
  static constexpr double ENTRY = sizeof(double) + sizeof(int32_t); /* of a list, or a column */

  /* Return the lists of a turn, one after the other, and in the order of the user's columns. */
  nearest_lists lists_in_rows(int64_t first) const {
    return {distance_.as<double>(), index_.as<int32_t>(), plan_.k, first, plan_.k, 1};
  }
  nearest_lists lists_in_columns(int64_t first, int64_t end) const {
    return {distance_.as<double>(), index_.as<int32_t>(), plan_.k, first, 1, end - first};
  }

  /* Empties the lists of a turn, which ends with query `end`. */
  void empty(const nearest_lists &lists, int64_t end) {
    const int64_t entries = (end - lists.first) * plan_.k;
    empty_lists<<<blocks_for(entries, THREADS), THREADS, 0, blocks_.stream()>>>(lists, entries);
  }

  void search_tree(const tree_search &search, const nearest_lists &lists) {
    if (!room_) {
      const double bytes = 0.25 * (double)memory_budget(plan_.dist.work_bytes);
      room_ = std::make_unique<nearest_room>(plan_.k, plan_.dist.ny, bytes);
    }
    nearest_lists of = lists;
    of.k = plan_.k;
    search_nearest(search, gg_sum_step(plan_.dist.step), of, *room_, blocks_.stream());
  }

  /* Finds the neighbours of a turn's queries in the tree. Points that are not in it are compared
     with all others. */
  void find_in_tree(const nearest_lists &lists, int64_t end) {
    const int64_t first = lists.first;
    empty(lists, end);
    tree_.run(first, end, 1, [&](const tree_search &search) { search_tree(search, lists); });
    if (tree_.odd_candidates().end > 0) look_through(lists, end, tree_.odd_candidates(), 0);
    for (int64_t before = 0, count = 1; count > 0; before += count) {
      const query_set odd = tree_.odd_queries(first, end, before);
      count = odd.end - odd.first;
      if (count == 0) break;
      blocks_.piece(0, [&] {
        empty_listed<<<blocks_for(count * plan_.k, THREADS), THREADS, 0, blocks_.stream()>>>(
            lists, odd.index, count);
      });
      look_through(lists, odd, all(), 0);
    }
    blocks_.drain();
  }

  candidate_set all() const { return {blocks_.candidates(), plan_.dist.nx, {1, plan_.dist.nx}}; }

  /* Searches all distances of a turn's queries to some candidates, by the tile kernels. Each
     pair adds `share` to the finished work. */
  void look_through(const nearest_lists &lists, int64_t end, const candidate_set &candidates,
                    double share) {
    for (int64_t q = lists.first; q < end; q += blocks_.queries())
      look_through(lists, {blocks_.asking(), q, smaller(q + blocks_.queries(), end), nullptr},
                   candidates, share);
  }

  /* Does the same for one block of the turn's queries. */
  void look_through(const nearest_lists &lists, const query_set &queries,
                    const candidate_set &candidates, double share) {
    blocks_.visit(queries, candidates, share, [&](const distance_block &block) {
      take_nearest<<<(unsigned)divide_up(block.queries, WARPS), THREADS, 0, blocks_.stream()>>>(
          block, lists);
    });
  }

  /* Finds the neighbours of a turn's queries with the filter. Returns false if it rules out too
     few pairs for many of them. */
  bool find_filtered(const nearest_lists &lists, int64_t end) {
    const int64_t first = lists.first;
    const gg_dist_plan &dist = plan_.dist;
    const cudaStream_t stream = blocks_.stream();
    const filter_turn turn = filter_.begin(first, end);
    empty(lists, end);
    const candidate_set sample = filter_.sample();
    look_through(lists, end, sample, 1);
    const auto bound = [&](bool first_time) {
      find_bounds<<<blocks_for(end - first + FILTER_TILE, THREADS), THREADS, 0, stream>>>(
          turn, filter_.scale(), lists, first_time);
    };
    blocks_.piece(0, [&] { bound(true); });
    const survivor_kernel take = exact::choose(dist.step, blocks_.in_panels(), [](auto distance) {
      return survivor_kernel(take_survivors<decltype(distance)>);
    });
    for (int64_t c = sample.end, next; c < dist.nx; c = next) {
      next = filter_.block_end(turn, c, c);
      blocks_.piece((double)(end - first) * (double)(next - c), [&] {
        filter_.pass(turn, c, next);
        take<<<(unsigned)divide_up(end - first, WARPS), THREADS, 0, stream>>>(
            turn, filter_.order(), filter_.survivors(), dist.symmetric, lists);
        bound(false);
      });
    }
    blocks_.drain();
    const int64_t lost = filter_.count_lost(turn);
    if (lost > (end - first) / 4) return false;
    for (int64_t at = 0; at < lost; at += blocks_.queries())
      look_through(lists, filter_.lost(turn, at, smaller(blocks_.queries(), lost - at)), all(), 0);
    blocks_.drain();
    return true;
  }

  /* Writes a turn's finished lists to the user's columns. */
  void write(const nearest_lists &lists, int64_t end, const neighbor_columns &columns) {
    const int64_t first = lists.first, k = plan_.k, queries = end - first, ny = plan_.dist.ny;
    blocks_.piece(0, [&] {
      fill_columns<<<blocks_for(queries * k, THREADS), THREADS, 0, blocks_.stream()>>>(
          lists, queries, plan_.dist.missing, columns);
    });
    blocks_.drain();
    const auto bring = [&](const auto *from, auto *to) {
      constexpr int64_t size = sizeof *from;
      fetch_columns(resources_, from, {to + first, queries * size, k, ny * size},
                    plan_.dist.threads, clock_, blocks_.fraction());
    };
    bring(columns.distance, plan_.distance);
    bring(columns.index, plan_.index);
  }

  const gg_knn_plan &plan_;
  gg_clock *clock_;
  device_resources &resources_;
  device_memory distance_, index_;                 /* of a turn's lists, */
  device_memory distance_columns_, index_columns_; /* and in the user's order */
  neighbor_blocks blocks_;
  std::unique_ptr<nearest_room> room_; /* once the tree is searched */
  neighbor_search tree_;
  neighbor_filter filter_;
  int64_t turn_;          /* queries of a turn, at most */
  finish_streams finish_; /* last: before all of the above is let go */
};

} // namespace

gpugeo_status knn(const gg_knn_plan &plan, call &call) {
  team &team = call.workers();
  query_queue queries(plan.dist.ny, team.size());
  team.run([&](const worker &here) {
    gg_knn_plan mine = plan;
    mine.dist = plan_of(plan.dist, here);
    knn_job job(mine, here.clock, *here.resources);
    job.run(&queries);
    here.report->device_seconds += job.seconds();
  });
  return GPUGEO_OK;
}

} // namespace gpugeo
