/* The choice between a tree and all pairs. */
#include "cuda/distance/neighbor_search.cuh"

#include <algorithm>

namespace gpugeo {
namespace {

/* When trees are made. The times are those of 10 neighbours on an H200.
   - POINTS_LEAST, of both sets: a point is put into a tree in the time of about 4,000 pairs.
   - PAIRS_LEAST: 10,000 uniform points with 1 to 6 columns take 1.5 to 3.2 ms in a tree and 1.9 ms
     by all pairs; 100,000 take 3.5 to 9.3 ms and 14 ms.
   - MANY_PAIRS_LEAST, with more than FEW_COLUMNS: a tree that is freed again because a sample is
     slow takes 5 ms for 100,000 points, next to 15 ms for all pairs, and 45 ms for 10^6 points,
     next to 540 ms. Clusters of 100,000 points would take 8 ms in a tree of 8 columns. */
constexpr int64_t FEW_COLUMNS = 6, POINTS_LEAST = 4096;
constexpr double PAIRS_LEAST = 0x1p30, MANY_PAIRS_LEAST = 0x1p36;

/* The most warps that a multiprocessor runs at a time. If all warps run at a time, the search takes
   as long as its slowest warp, and a sample of it nearly as long. */
constexpr int64_t RESIDENT_WARPS = 64;

constexpr int64_t SAMPLE = 128;    /* leaves of queries: a warp for each multiprocessor */
constexpr int64_t TURN_UNIT = 128; /* queries: rows of a tile */

/* Leaves of queries in a launch: by default some ms, and after a sample up to PIECE_MOST, with
   PIECE_WORK. */
constexpr int64_t PIECE = 1 << 12, PIECE_MOST = 1 << 15;
constexpr double PIECE_WORK = 1e10;

/* A warp of the sample gives up after this part of what all pairs take, since a sample must not
   take long itself; trees are left if a quarter of the warps give up. */
constexpr double SAMPLE_MOST = 0.25;

/* Returns the work of pairs in cycles of a warp scheduler, of which only the ratios matter. */
double work_of_pairs(double pairs, double m) { return pairs * (0.5 + 0.01 * m); }

/* Returns the work of a walk in the same cycles. */
double work_of_walk(const tree_work &work, double m) {
  return (double)work.opened * (100 + 20 * m) + (double)work.tested * (60 + 15 * m) +
         (double)work.scanned * (8 + 4 * m) + (double)work.taken * 20;
}

} // namespace

neighbor_search::neighbor_search(const gg_dist_plan &plan, gg_tree_use use, neighbor_blocks &blocks,
                                 double query_bytes, const sampler &sample)
    : plan_(plan), blocks_(blocks), piece_(PIECE) {
  if (!suits(use)) return;
  build();
  if (use != GG_TREES_ALWAYS && !needs_no_sample() && !is_faster(sample)) {
    trees_.reset();
    return;
  }
  odd_queries_.allocate(divided_queries().odd() > 0 ? blocks_.queries() : 0, plan.m,
                        blocks_.stream());
  const double room = 0.5 * (double)memory_budget(plan.work_bytes) / query_bytes;
  turn_ = (int64_t)fmin(room, (double)plan.ny);
  if (turn_ < plan.ny) turn_ = round_up(larger(turn_ - TURN_UNIT, 1), TURN_UNIT);
}

bool neighbor_search::suits(gg_tree_use use) const {
  if (use == GG_TREES_NEVER || blocks_.in_panels() || !gg_has_sum_limits(&plan_)) return false;
  if (use == GG_TREES_ALWAYS) return true;
  const double queries = plan_.symmetric ? 0 : neighbor_tree::bytes(plan_.ny, plan_.m);
  return plan_.m <= TREE_COLUMNS_MOST && smaller(plan_.nx, plan_.ny) >= POINTS_LEAST &&
         (double)plan_.nx * (double)plan_.ny >=
             (plan_.m <= FEW_COLUMNS ? PAIRS_LEAST : MANY_PAIRS_LEAST) &&
         neighbor_tree::bytes(plan_.nx, plan_.m) + queries <=
             0.5 * (double)memory_budget(plan_.work_bytes);
}

/* True if all queries with few columns are searched at a time: trees have then been faster than all
   pairs for uniform points, clusters and a curve. */
bool neighbor_search::needs_no_sample() const {
  const int64_t warps =
      RESIDENT_WARPS * attribute(cudaDevAttrMultiProcessorCount, current_device());
  return plan_.m <= FEW_COLUMNS && divide_up(plan_.ny, TREE_FAN) <= warps;
}

void neighbor_search::build() {
  blocks_.drain();
  trees_ = std::make_unique<trees>();
  const tree_points x = {blocks_.candidates(), plan_.m, blocks_.weight()};
  trees_->x.build(x, plan_.nx, blocks_.stream());
  trees_->tree.build(x, trees_->x, blocks_.stream());
  if (plan_.symmetric) return;
  trees_->y.build(queries(), plan_.ny, blocks_.stream());
  trees_->query_tree.build(queries(), trees_->y, blocks_.stream());
}

/* Returns the search for all leaves of the queries of [first, end). */
tree_search neighbor_search::search_for(int64_t first, int64_t end) {
  const bool all = first == 0 && end == plan_.ny;
  if (!all) {
    blocks_.drain();
    trees_->turn_tree = std::make_unique<neighbor_tree>();
    trees_->turn_tree->take(queries(), all_queries(), first, end, blocks_.stream());
  }
  tree_search search = {};
  search.tree = trees_->tree.view();
  search.asking = all ? all_queries() : trees_->turn_tree->view();
  search.end = divide_up(search.asking.n, TREE_FAN);
  search.step = 1;
  search.within = plan_.symmetric;
  search.same = plan_.symmetric && all;
  search.weight = blocks_.weight();
  search.p = plan_.p;
  search.finish = plan_.finish;
  return search;
}

/* Compares the work of a sample of queries with that of all pairs. */
bool neighbor_search::is_faster(const sampler &sample) {
  const double m = (double)plan_.m, nx = (double)plan_.nx, ny = (double)plan_.ny;
  const double odd = (double)trees_->x.odd() * ny + (double)divided_queries().odd() * nx;
  const double left = work_of_pairs(nx * ny - odd, m);
  tree_search some = search_for(0, plan_.ny);
  if (trees_->tree.view().n == 0 || some.end == 0) return false;
  const double leaves = (double)some.end;
  some.step = divide_up(some.end, SAMPLE);
  const double searched = (double)divide_up(some.end, some.step);
  device_memory memory;
  tree_work work = {};
  memory.allocate(sizeof work);
  copy_in(memory.as(), &work, sizeof work);
  some.work = memory.as<tree_work>();
  const double most = SAMPLE_MOST * left / leaves / work_of_walk({0, 1, TREE_FAN, 0, 0}, m);
  some.most = (unsigned)fmin(most, UINT32_MAX);
  blocks_.piece(0, [&] { sample(some); });
  blocks_.drain();
  GG_CUDA(cudaMemcpy(&work, memory.as(), sizeof work, cudaMemcpyDeviceToHost));
  const double each = work_of_walk(work, m) / searched; /* leaf */
  piece_ = (int64_t)fmax(fmin(PIECE_WORK / each, (double)PIECE_MOST), (double)SAMPLE);
  return 4 * (double)work.given_up < searched && each * leaves < left;
}

query_set neighbor_search::odd_queries(int64_t first, int64_t end, int64_t before) {
  const divided_points &divided = divided_queries();
  const std::vector<int32_t> &odd = divided.odd_list();
  const int64_t at = std::lower_bound(odd.begin(), odd.end(), first) - odd.begin() + before;
  const int64_t past = std::lower_bound(odd.begin(), odd.end(), end) - odd.begin();
  const int64_t count = std::clamp<int64_t>(past - at, 0, blocks_.queries());
  if (count > 0) /* to rows that are aligned */
    blocks_.piece(0, [&] {
      GG_CUDA(cudaMemcpy2DAsync(odd_queries_.data(), 8 * (size_t)odd_queries_.ld(),
                                static_cast<const double *>(divided.odd_points().data) + at,
                                8 * (size_t)divided.odd_points().ld, 8 * (size_t)count,
                                (size_t)plan_.m, cudaMemcpyDeviceToDevice, blocks_.stream()));
    });
  return {odd_queries_.view(), 0, count, divided.odd_index() + at};
}

} // namespace gpugeo
