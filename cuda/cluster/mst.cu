/*
 * Minimum spanning trees of points, by distance or by mutual reachability, joined in rounds
 * (components.cuh). Points begin with the lists of their nearest points. When lists are used up,
 * edges are searched in a tree of boxes, if that is faster for neighbours and all coordinates are
 * finite, else by all pairs.
 *
 * Limited as the searches. The bits are those of the CPU, since there is one tree.
 */
#include <memory>

#include "cuda/cluster/components.cuh"
#include "cuda/cluster/mst_pairs.cuh"
#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/neighbor_search.cuh"
#include "cuda/distance/outside_search.cuh"

namespace gpugeo {
namespace {

constexpr int THREADS = 256;

/* Neighbours of a list: searched in a tree, also with core distances, and by all pairs. More than
   LIST_MOST are needed for the core distances only. */
constexpr int64_t LIST = 4, LIST_OF_CORE = 8, LIST_OF_PAIRS = 16, LIST_MOST = 16;

constexpr double POINT_BYTES = 128;      /* of a point, without its list */
constexpr double ENTRY = 12;             /* bytes of an entry of a list */
constexpr int64_t PIECE = 1 << 15;       /* leaves of queries in a launch */
constexpr double SHARE_OF_LISTS = 0.5;   /* of the call's time, */
constexpr double SHARE_OF_MISSING = 0.3; /* and of the search for missing pairs */

/* The lists of neighbours as they were found: of each point, one after the other. */
struct found_lists {
  int64_t k, core; /* core: the entry with the core distance */
  const double *distance;
  const int32_t *index;
};

/* Returns the number of neighbours to search for lists of at least `list`. */
int64_t neighbors_of(const gg_reach_plan &plan, int64_t list) {
  return smaller(larger(plan.k, list), plan.pairs->n - 1);
}

/* Writes the position of each point. */
__global__ void __launch_bounds__(THREADS)
    number_positions(const component_view v, int32_t *position) {
  const int64_t at = this_item();
  if (at < v.n) position[v.index[at]] = (int32_t)at;
}

/* Copies lists to the order of positions. If there are no more points, entries lead nowhere. */
__global__ void __launch_bounds__(THREADS)
    put_lists(const component_view v, const found_lists lists, const int32_t *position) {
  const int64_t at = this_item();
  if (at >= v.n) return;
  const int64_t first = v.index[at] * lists.k;
  for (int64_t r = 0; r < v.list; ++r) {
    const int32_t index = lists.index[first + r];
    const bool there = index != INT32_MAX;
    v.list_distance[r * v.n + at] = there ? lists.distance[first + r] : INFINITY;
    v.list_position[r * v.n + at] = there ? position[index] : (int32_t)at;
  }
  if (v.core) v.core[at] = lists.distance[first + lists.core];
}

/* Copies the core distances of all points. */
__global__ void __launch_bounds__(THREADS)
    copy_core(const found_lists lists, int64_t n, double *core) {
  const int64_t i = this_item();
  if (i < n) core[i] = lists.distance[i * lists.k + lists.core];
}

/* --- What both searches do -------------------------------------------------------------------- */

class tree_maker {
public:
  tree_maker(const gg_reach_plan &plan, const worker &here, gg_mst_result *result,
             gpugeo_error *error, int64_t list)
      : plan_(plan), here_(here), result_(result), error_(error), n_(plan.pairs->n),
        k_(neighbors_of(plan, list)), list_(smaller(k_, LIST_MOST)),
        dist_(plan_of(plan.pairs->dist, here)),
        blocks_(dist_, here.clock, *here.resources, POINT_BYTES + ENTRY * (double)list_),
        finish_(*here.resources) {}

protected:
  cudaStream_t stream() const { return blocks_.stream(); }

  /* Joins all points; search(active) enqueues the search for so many active positions. */
  template <class Search> void join_all(components &all, Search search) {
    int64_t edges = 0, joined = -1;
    const double pairs = (double)n_ * (double)n_, whole = log((double)n_);
    double done = 0;
    while (edges < n_ - 1) {
      if (joined == edges) throw device_failure{cudaErrorUnknown, "joining components"};
      joined = edges;
      int64_t active = 0;
      blocks_.piece(0, [&] { active = all.begin_round(); });
      if (active > 0) search(active);
      blocks_.piece(0, [&] { edges = all.end_round(); });
      const double now = 1 - log((double)(n_ - edges)) / whole;
      blocks_.piece((1 - SHARE_OF_LISTS) * pairs * (now - done), [] {});
      done = now;
    }
  }

  /* Brings the edges to the result. */
  gpugeo_status bring(components &all) {
    const gg_edge *sorted = nullptr;
    blocks_.piece(0, [&] { sorted = all.sort(); });
    blocks_.drain();
    gg_forest *tree = &result_->tree;
    const double *core = plan_.k > 0 ? plan_.core : nullptr;
    const gpugeo_status status = gg_forest_make(n_, core, n_ - 1, here_.threads, tree, error_);
    if (status) return status;
    fetch(*here_.resources, sorted, (n_ - 1) * (int64_t)sizeof(gg_edge), tree->edge, here_.threads,
          here_.clock, 1);
    tree->count = n_ - 1;
    here_.report->device_seconds += blocks_.seconds();
    return GPUGEO_OK;
  }

  const gg_reach_plan &plan_;
  const worker &here_;
  gg_mst_result *result_;
  gpugeo_error *error_;
  const int64_t n_, k_, list_; /* k_: neighbours that are searched for the lists */
  const gg_dist_plan dist_;
  neighbor_blocks blocks_;

private:
  finish_streams finish_;
};

/* --- In a tree of boxes ----------------------------------------------------------------------- */

class box_search : public tree_maker {
public:
  box_search(const gg_reach_plan &plan, const worker &here, gg_mst_result *result,
             gpugeo_error *error)
      : tree_maker(plan, here, result, error, plan.k > 0 ? LIST_OF_CORE : LIST),
        boxes_(dist_, plan.pairs->trees, blocks_, POINT_BYTES + ENTRY * (double)(k_ + list_),
               [this](const tree_search &search) { list_nearest(search, {}); }),
        finish_(*here.resources) {}

  bool usable() {
    return boxes_.usable() && boxes_.turn() >= n_ && boxes_.odd_candidates().end == 0;
  }

  gpugeo_status run() {
    components all(n_, list_, plan_.k > 0, boxes_.tree().index, stream());
    make_lists(all);
    chosen_.allocate(n_, dist_.m);
    make_uniform();
    join_all(all, [&](int64_t active) { search(all, active); });
    return bring(all);
  }

  /* If it is not usable: finds the pairs without a distance. */
  void find_missing() {
    if (!dist_.finite || dist_.prepare != GG_PREPARE_NOTHING || !gg_has_sum_limits(&dist_))
      result_->missing = count_missing(dist_, blocks_, SHARE_OF_MISSING);
    here_.report->device_seconds += blocks_.seconds();
  }

private:
  gg_step step() const { return gg_sum_step(dist_.step); }

  void list_nearest(const tree_search &search, nearest_lists lists) {
    if (!room_) {
      const double bytes = 0.25 * (double)memory_budget(dist_.work_bytes);
      room_ = std::make_unique<nearest_room>(k_, n_, bytes);
    }
    lists.k = k_;
    search_nearest(search, step(), lists, *room_, stream());
  }

  /* Fills the lists, and with them the core distances. */
  void make_lists(components &all) {
    device_memory distance, index, position;
    const finish_streams finish(*here_.resources); /* before they are freed */
    distance.allocate(8 * n_ * k_);
    index.allocate(4 * n_ * k_);
    position.allocate(4 * n_);
    const nearest_lists lists = {distance.as<double>(), index.as<int32_t>(), k_, 0, k_, 1};
    boxes_.run(0, n_, SHARE_OF_LISTS,
               [&](const tree_search &search) { list_nearest(search, lists); });
    const unsigned blocks = blocks_for(n_, THREADS);
    const found_lists found = {k_, plan_.k - 1, lists.distance, lists.index};
    blocks_.piece(0, [&] {
      number_positions<<<blocks, THREADS, 0, stream()>>>(all.view(), position.as<int32_t>());
      put_lists<<<blocks, THREADS, 0, stream()>>>(all.view(), found, position.as<int32_t>());
      if (plan_.k > 0) all.start_core();
    });
    if (plan_.k > 0) bring_core(found);
  }

  void bring_core(const found_lists &found) {
    device_memory core;
    core.allocate(8 * n_);
    blocks_.piece(0, [&] {
      copy_core<<<blocks_for(n_, THREADS), THREADS, 0, stream()>>>(found, n_, core.as<double>());
    });
    blocks_.drain();
    fetch(*here_.resources, core.as(), 8 * n_, plan_.core, here_.threads, here_.clock,
          blocks_.fraction());
  }

  void make_uniform() {
    const tree_view &tree = boxes_.tree();
    int64_t nodes = 0;
    for (int l = 0; l < tree.levels; ++l)
      nodes += tree.level[l].nodes;
    uniform_memory_.allocate(4 * nodes);
    int32_t *next = uniform_memory_.as<int32_t>();
    for (int l = 0; l < tree.levels; ++l) {
      uniform_[l] = next;
      next += tree.level[l].nodes;
    }
  }

  void search(const components &all, int64_t active) {
    const component_view &v = all.view();
    outside_view view = {v.component, v.core, v.bound, v.nearest, v.distance, {}, v.best};
    for (int l = 0; l < TREE_LEVELS; ++l)
      view.uniform[l] = uniform_[l];
    tree_search search = {};
    search.tree = boxes_.tree();
    search.step = 1;
    search.weight = blocks_.weight();
    search.p = dist_.p;
    search.finish = dist_.finish;
    blocks_.piece(0, [&] {
      find_uniform(search.tree, v.component, uniform_, stream());
      search.asking = chosen_.take(search.tree, all.active(), active, stream());
    });
    const int64_t leaves = divide_up(active, TREE_FAN);
    for (; search.first < leaves; search.first = search.end) {
      search.end = smaller(search.first + PIECE, leaves);
      blocks_.piece(0, [&] { search_outside(search, step(), view, stream()); });
    }
  }

  std::unique_ptr<nearest_room> room_; /* once neighbours are searched */
  neighbor_search boxes_;
  chosen_points chosen_;
  device_memory uniform_memory_;
  int32_t *uniform_[TREE_LEVELS] = {};
  finish_streams finish_; /* last: before all of the above is let go */
};

/* --- By all pairs ----------------------------------------------------------------------------- */

/* Lists of neighbours in memory of the host: the nearest of all points, then the second, and so on.
 */
struct host_lists {
  host_lists(int64_t n, int64_t k)
      : distance(new double[(size_t)(n * k)]), index(new int32_t[(size_t)(n * k)]) {}
  std::unique_ptr<double[]> distance;
  std::unique_ptr<int32_t[]> index;
};

class all_pairs_search : public tree_maker {
public:
  all_pairs_search(const gg_reach_plan &plan, const worker &here, gg_mst_result *result,
                   gpugeo_error *error)
      : tree_maker(plan, here, result, error, LIST_OF_PAIRS), search_(dist_, blocks_),
        finish_(*here.resources) {}

  gpugeo_status run(const host_lists &lists) {
    components all(n_, list_, plan_.k > 0, nullptr, stream());
    take_lists(all, lists);
    join_all(all, [&](int64_t active) { search_.run(all.view(), all.active(), active); });
    return bring(all);
  }

private:
  void take_lists(components &all, const host_lists &lists) {
    const component_view &v = all.view();
    const auto size = (size_t)(n_ * list_);
    copy_in(v.list_distance, lists.distance.get(), 8 * size);
    copy_in(v.list_position, lists.index.get(), 4 * size);
    if (plan_.k == 0) return;
    const double *core = lists.distance.get() + (plan_.k - 1) * n_;
    memcpy(plan_.core, core, (size_t)(8 * n_));
    copy_in(v.core, core, (size_t)(8 * n_));
    blocks_.piece(0, [&] { all.start_core(); });
  }

  pair_search search_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* --- A call ----------------------------------------------------------------------------------- */

/* A part of a call, on one device. */
class stage {
public:
  stage(const gg_pairs &pairs, call &whole, double done, double share)
      : part_(whole.clock, done, share),
        part_call_({pairs.dist.device, 1, pairs.threads}, part_.get(), whole.report, whole.error) {}
  call &get() { return part_call_; }

private:
  part_clock part_;
  call part_call_;
};

/* Finds the tree by boxes. Otherwise finds the missing pairs, and *done is false. */
gpugeo_status try_boxes(const gg_reach_plan &plan, gg_mst_result *result, bool *done, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    box_search boxes(plan, here, result, call.error);
    *done = boxes.usable();
    if (*done)
      status = boxes.run();
    else
      boxes.find_missing();
  });
  return status;
}

/* Finds the neighbours of all points. */
gpugeo_status find_lists(const gg_reach_plan &plan, int64_t k, host_lists &lists, call &call) {
  gg_knn_plan knn_plan = {};
  knn_plan.dist = plan.pairs->dist;
  knn_plan.trees = plan.pairs->trees;
  knn_plan.k = k;
  knn_plan.index = lists.index.get();
  knn_plan.distance = lists.distance.get();
  return knn(knn_plan, call);
}

} // namespace

gpugeo_status mst(const gg_pairs &plan, gg_mst_result *result, call &call) {
  const gg_reach_plan distances = {&plan, 0, nullptr};
  return hdbscan(distances, result, call);
}

gpugeo_status hdbscan(const gg_reach_plan &plan, gg_mst_result *result, call &call) {
  const gg_pairs &pairs = *plan.pairs;
  gpugeo_status status = GPUGEO_OK;
  bool done = false;
  {
    stage first(pairs, call, 0, 1);
    status = try_boxes(plan, result, &done, first.get());
  }
  if (status || done || result->missing.count > 0) return status;
  const int64_t k = neighbors_of(plan, LIST_OF_PAIRS);
  host_lists lists(pairs.n, k);
  const double listed = SHARE_OF_MISSING + (1 - SHARE_OF_MISSING) * SHARE_OF_LISTS;
  {
    stage second(pairs, call, SHARE_OF_MISSING, listed - SHARE_OF_MISSING);
    status = find_lists(plan, k, lists, second.get());
  }
  if (status) return status;
  stage third(pairs, call, listed, 1 - listed);
  third.get().workers().run([&](const worker &here) {
    status = all_pairs_search(plan, here, result, call.error).run(lists);
  });
  return status;
}

} // namespace gpugeo
