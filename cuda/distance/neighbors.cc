/* Distances block by block, for neighbours. */
#include "cuda/distance/neighbors.cuh"

#include <cmath>

#include "cuda/distance/point_panels.cuh"
#include "cuda/distance/sparse_panels.cuh"

namespace gpugeo {
namespace {

constexpr int64_t UNIT = 128;       /* points: rows of the largest tile */
constexpr int64_t QUERIES = 4096;   /* of a block: a warp each looks through their distances */
constexpr int64_t VALUES = 1 << 23; /* of a block */
constexpr int64_t PANEL = 1 << 17;  /* points brought at a time */

} // namespace

bool depends_on_order(gg_step step) {
  return step == GG_STEP_cosine_missing || step == GG_STEP_correlation_missing;
}

neighbor_blocks::neighbor_blocks(const gg_dist_plan &plan, gg_clock *clock,
                                 device_resources &resources, double point_bytes, bool panels)
    : plan_(plan), clock_(clock), resources_(resources),
      one_sided_(plan.symmetric && depends_on_order(plan.step)),
      panel_(panels ? sparse_panels::points_of_panel(plan) : 0),
      pieces_(resources.compute[0], clock) {
  if (panel_ > 0)
    panels_ = std::make_unique<sparse_panels>(plan, clock, resources, panel_);
  else
    load_all();

  /* Half of what is left to the caller. */
  const double left = (double)memory_budget(plan.work_bytes) / 2;
  const double most = fmin((double)(panel_ > 0 ? panel_ : QUERIES), left / point_bytes);
  queries_ = smaller(larger((int64_t)most / UNIT, 1) * UNIT, plan.ny);
  const double values = fmin((double)VALUES, left / sizeof(double));
  candidates_ = smaller(larger((int64_t)(values / (double)queries_) / UNIT, 1) * UNIT, plan.nx);
  if (panel_ > 0) candidates_ = smaller(candidates_, panel_);
  values_.allocate(queries_ * candidates_ * (int64_t)sizeof(double));
  kernel_ = choose_kernel(plan, (double)queries_ * (double)candidates_);
  launch_tiles_ = tiles_of_launch(plan, kernel_);

  flat_.allocate(sizeof(int32_t));
  bring_weights(plan, weight_);
  job_.m = plan.m;
  job_.weight = weight_.as();
  job_.p = plan.p;
  job_.finish = plan.finish;
  job_.out = values_.as();
  job_.missing = NAN;
  job_.flat = flat_.as<int32_t>();
}

neighbor_blocks::~neighbor_blocks() = default;

void point_store::allocate(int64_t n, int64_t m, cudaStream_t stream) {
  ld_ = round_up(larger(n, 1), QUERY_UNIT);
  const int64_t bytes = ld_ * m * (int64_t)sizeof(double);
  memory_.allocate(bytes);
  GG_CUDA(cudaMemsetAsync(memory_.as(), 0, (size_t)bytes, stream));
}

/* Brings and prepares all points; returns when they are there. */
void neighbor_blocks::load_all() {
  x_.allocate(plan_.nx, plan_.m, resources_.upload);
  if (!plan_.symmetric) y_.allocate(plan_.ny, plan_.m, resources_.upload);
  finish_streams finish(resources_);
  load(plan_.x, x_, plan_.nx);
  if (!plan_.symmetric) load(plan_.y, y_, plan_.ny);
}

void neighbor_blocks::load(const gpugeo_matrix &x, const point_store &points, int64_t n) {
  load_panels(
      plan_, x, n, {smaller(PANEL, n), points.ld()}, resources_, clock_,
      [&](int64_t i) { return points.data() + i; }, [](int64_t, int64_t) {});
}

points neighbor_blocks::candidates() const { return panels_ ? panels_->offered() : x_.view(); }

points neighbor_blocks::asking() const {
  if (panels_) return panels_->asked();
  return plan_.symmetric ? x_.view() : y_.view();
}

void neighbor_blocks::ask(int64_t first, int64_t end) {
  if (panels_) piece(0, [&] { panels_->ask(first, end, stream()); });
}

points neighbor_blocks::ask_listed(const int32_t *index, int64_t count) {
  return panels_->ask_listed(index, count, stream());
}

points neighbor_blocks::offer(const point_order &order, int64_t begin, int64_t end) {
  return panels_->offer(order, begin, end, stream());
}

/* Begins a piece with the distances of a block. */
distance_block neighbor_blocks::compute(const query_set &asking, const candidate_set &offered,
                                        int64_t candidate, int64_t candidate_end,
                                        candidate_side side) {
  const bool turned = side == candidate_side::before; /* queries are the rows */
  const int64_t query = asking.first, query_end = asking.end;
  const int64_t queries = query_end - query, candidates = candidate_end - candidate;
  job_.a = turned ? asking.at : offered.at;
  job_.b = turned ? offered.at : asking.at;
  job_.block = turned ? pair_block{query, query_end, candidate, candidate_end, candidate_end, 0}
                      : pair_block{candidate, candidate_end, query, query_end, query_end, 0};
  const int64_t tiles = kernel_.grid.count(job_.block);
  pieces_.begin(done_);
  for (job_.first_tile = 0; job_.first_tile < tiles; job_.first_tile += launch_tiles_) {
    if (job_.first_tile > 0) {
      pieces_.end();
      pieces_.begin(done_);
    }
    const int64_t here = smaller(launch_tiles_, tiles - job_.first_tile);
    launch(kernel_, job_, here, stream());
  }
  return {values_.as<double>(),
          turned ? 1 : candidates,
          turned ? queries : 1,
          query,
          queries,
          candidate,
          candidates,
          side,
          asking.index,
          offered.order,
          offered.index};
}

} // namespace gpugeo
