/* The choice between a tree and all pairs. */
#include "cuda/dist/neighbor_search.cuh"

#include <algorithm>

namespace gpugeo {
namespace {

constexpr int64_t COLUMNS_MOST = 16; /* with more, keys have less than 4 bits of a coordinate */
constexpr int64_t CANDIDATES_LEAST = 4096; /* with fewer, or */
constexpr double PAIRS_LEAST = 1 << 26;    /* with fewer pairs, a tree is made too late */
constexpr int64_t SAMPLE = 2048;           /* queries */

/* Instructions of a warp, of which only the ratios matter. */
double work_of_pairs(double pairs, double m) { return pairs * (0.5 + 0.01 * m); }
double work_of_walk(const tree_work &work, double m) {
  return (double)work.opened * (60 + 10 * m) + (double)work.scanned * (150 + 8 * m);
}

} // namespace

neighbor_search::neighbor_search(const gg_dist_plan &plan, gg_tree_use use, neighbor_blocks &blocks,
                                 const sampler &sample)
    : plan_(plan), blocks_(blocks) {
  if (!suits(use)) return;
  build();
  usable_ = use == GG_TREES_ALWAYS || is_faster(sample);
}

bool neighbor_search::suits(gg_tree_use use) const {
  if (use == GG_TREES_NEVER || !gg_has_sum_limits(&plan_)) return false;
  if (use == GG_TREES_ALWAYS) return true;
  return plan_.m <= COLUMNS_MOST && plan_.nx >= CANDIDATES_LEAST &&
         (double)plan_.nx * (double)plan_.ny >= PAIRS_LEAST &&
         neighbor_tree::bytes(plan_.nx, plan_.m) <= 0.5 * (double)memory_budget(plan_.work_bytes);
}

void neighbor_search::build() {
  blocks_.drain();
  const tree_points x = {blocks_.candidates(), plan_.m, blocks_.weight()};
  x_.build(x, plan_.nx, blocks_.stream());
  tree_.build(x, x_, blocks_.stream());
  if (!plan_.symmetric)
    y_.build({blocks_.asking(), plan_.m, blocks_.weight()}, plan_.ny, blocks_.stream());
}

tree_search neighbor_search::search(int64_t first, int64_t end, int64_t step) const {
  return {tree_.view(),    blocks_.asking(), first,   end,          step,
          plan_.symmetric, blocks_.weight(), plan_.p, plan_.finish, nullptr};
}

/* Compares the work of a sample of queries with that of all pairs. */
bool neighbor_search::is_faster(const sampler &sample) {
  const int64_t step = divide_up(plan_.ny, SAMPLE), count = divide_up(plan_.ny, step);
  device_memory memory;
  tree_work work = {};
  memory.allocate(sizeof work);
  copy_in(memory.as(), &work, sizeof work);
  tree_search some = search(0, plan_.ny, step);
  some.work = memory.as<tree_work>();
  sample(some, count);
  GG_CUDA(cudaMemcpy(&work, memory.as(), sizeof work, cudaMemcpyDeviceToHost));
  const double m = (double)plan_.m, nx = (double)plan_.nx, ny = (double)plan_.ny;
  const double odd = (double)x_.odd() * ny + (double)queries().odd() * nx;
  return work_of_walk(work, m) * ny / (double)count + work_of_pairs(odd, m) <
         work_of_pairs(nx * ny, m);
}

query_set neighbor_search::odd_queries(int64_t first, int64_t end, int64_t before) const {
  const std::vector<int32_t> &odd = queries().odd_list();
  const auto at = std::lower_bound(odd.begin(), odd.end(), first) - odd.begin() + before;
  const auto past = std::lower_bound(odd.begin(), odd.end(), end) - odd.begin();
  return {queries().odd_points(), at,
          std::clamp((int64_t)past, (int64_t)at, at + blocks_.queries()),
          queries().odd_index() + at};
}

} // namespace gpugeo
