/* Sparse points of which some at a time are dense on the device. */
#include "cuda/distance/sparse_panels.cuh"

#include <cmath>

#include "cuda/distance/prepare.cuh"

namespace gpugeo {
namespace {

/* Device memory that searches for neighbours of sparse points take besides the points as they are
   stored and the result: PANEL_LIMIT, or as much again as the stored elements, with which points of
   more than 4,000 coordinates have larger panels. PANEL_SHARE of it is for both panels with their
   rounded points, the rest for distances and ranks. */
constexpr double PANEL_LIMIT = 1 << 28, PANEL_SHARE = 0.625;
constexpr double ELEMENT_BYTES = sizeof(double) + sizeof(uint32_t); /* of sparse_rows */
constexpr int64_t POINTS_MOST = 4096, POINTS_LEAST = 128;           /* of a panel, whole tiles */
constexpr int64_t SLOT_BYTES = 1 << 24, RANK_BYTES = 1 << 25;       /* as in point_panels.cuh */

} // namespace

int64_t sparse_panels::points_of_panel(const gg_dist_plan &plan) {
  const bool sparse = plan.x.sparse && (plan.symmetric || plan.y.sparse);
  if (!sparse || plan.m <= TREE_COLUMNS_MOST) return 0;
  const double all = (double)plan.nx + (plan.symmetric ? 0 : (double)plan.ny);
  const double stored =
      (double)plan.x.sparse->stored + (plan.symmetric ? 0 : (double)plan.y.sparse->stored);
  const double limit =
      plan.work_bytes > 0 ? (double)plan.work_bytes : fmax(PANEL_LIMIT, ELEMENT_BYTES * stored);
  if (all * (double)plan.m * sizeof(double) <= limit) return 0;
  const double point_bytes = 2 * (double)plan.m * (sizeof(double) + sizeof(int16_t));
  const double fit = fmin(PANEL_SHARE * limit / point_bytes, (double)POINTS_MOST);
  return larger((int64_t)fit / POINTS_LEAST, 1) * POINTS_LEAST;
}

sparse_panels::sparse_panels(const gg_dist_plan &plan, gg_clock *clock, device_resources &resources,
                             int64_t points_of_panel)
    : plan_(plan), points_(points_of_panel) {
  const int64_t m = plan.m;
  const cudaStream_t stream = resources.upload;
  uploader loader(resources, plan.points, m, plan.threads, clock, SLOT_BYTES, true);
  const finish_streams finish(resources); /* before the loader's memory is let go */
  x_.load(plan.x, plan.points, plan.nx, loader, stream);
  if (!plan.symmetric) y_.load(plan.y, plan.points, plan.ny, loader, stream);
  for (panel *one : {&candidates_, &queries_})
    one->memory.allocate(points_ * m * (int64_t)sizeof(double));
  if (plan.ranked) {
    const int64_t fit = RANK_BYTES / point_ranker::device_bytes(1, m);
    ranker_.allocate(larger(1, smaller(fit, points_)), m);
  }
  if (plan.prepare != GG_PREPARE_NOTHING) scratch_.allocate(prepare_scratch(points_));
  if (const int64_t factors = gg_factor_size(&plan)) {
    centre_.allocate(m * (int64_t)sizeof(double));
    factor_.allocate(factors * (int64_t)sizeof(double));
    copy_in(centre_.as(), plan.centre, (size_t)m * sizeof(double));
    copy_in(factor_.as(), plan.factor, (size_t)factors * sizeof(double));
  }
}

points sparse_panels::offer(const point_order &order, int64_t begin, int64_t end,
                            cudaStream_t stream) {
  return fill(candidates_, x_, {begin, order.step, order.n, nullptr}, begin, end - begin, stream);
}

points sparse_panels::ask(int64_t begin, int64_t end, cudaStream_t stream) {
  const sparse_rows &rows = plan_.symmetric ? x_ : y_;
  return fill(queries_, rows, {begin, 1, plan_.ny, nullptr}, begin, end - begin, stream);
}

points sparse_panels::ask_listed(const int32_t *index, int64_t count, cudaStream_t stream) {
  const sparse_rows &rows = plan_.symmetric ? x_ : y_;
  return fill(queries_, rows, {0, 1, plan_.ny, index}, 0, count, stream);
}

/* Expands, ranks and prepares the chosen points; the first of the panel gets a number. */
points sparse_panels::fill(panel &to, const sparse_rows &rows, const point_choice &choice,
                           int64_t number, int64_t count, cudaStream_t stream) {
  double *data = to.memory.as<double>();
  rows.expand(choice, count, plan_.m, data, points_, stream);
  if (plan_.ranked) ranker_.rank(data, points_, count, stream);
  prepare_points(data, points_, count, plan_.m, plan_.prepare, centre_.as<double>(),
                 factor_.as<double>(), scratch_.as(), stream);
  to.first = number;
  return view(to);
}

} // namespace gpugeo
