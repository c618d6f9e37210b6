/*
 * Layouts by stress on CUDA: graphs whose edges have length 1, and whose distances fit in 16 bits.
 *
 * Pivots are found in rounds, each by one search from up to 64 of them. The distances stay on the
 * device, as do the iterations. The host chooses among drawn pivots, solves the problem of
 * eigenvectors, and lists the groups of vertices. All sums have a fixed order: a layout has the
 * same bits in any run, but not those of the CPU.
 *
 * Device memory: 2 bytes for a vertex and a pivot, about 100 for a vertex, and 8 for an edge; for
 * each pivot 8 for each distance that occurs.
 *
 * Limit: for small graphs and long paths, launches; else see stress_move.cu.
 */
#include <algorithm>
#include <cmath>

#include "common/random.h"
#include "cuda/common/team.cuh"
#include "cuda/layout/stress_move.cuh"
#include "cuda/layout/stress_scaling.cuh"
#include "cuda/layout/transfer.cuh"
#include "layout/pivot_axes.h"
#include "layout/stress_plan.h"

namespace gpugeo {
namespace {

constexpr int ROUND_GROWTH = 7; /* pivots of a round for each one before: rounds of 1, 7, 56, 64 */

/* One layout of a connected graph of more vertices than pivots. */
template <int DIM> class stress_job {
public:
  stress_job(const gg_stress_plan &plan, gg_clock *clock, device_resources &resources);
  /* Returns false if a distance does not fit. */
  bool find_pivots();
  void begin();
  void iterate(gg_layout_outcome *outcome);
  gg_stress_sums ratios();
  void fetch_positions();
  double seconds() const { return pieces_.seconds(); }

private:
  cudaStream_t stream() const { return pieces_.stream(); }
  stress_pivots &pivots() { return layout_.pivots; }
  stress_state *seen(int64_t which) const {
    return static_cast<stress_state *>(resources_.pinned_down[which]);
  }
  bool search(const int32_t *sources, int32_t first, int32_t count);
  void draw_pivots(int32_t round);
  void weigh();
  std::vector<int32_t> choose_starts();
  void place();
  gg_pivot_axes find_axes(const stress_scaling &scaling);
  double find_factor(const stress_scaling &scaling);
  void make_groups();
  void make_limits();
  void call_frame(int64_t done);
  template <class Launch> void launch(double fraction, Launch launch);

  const gg_stress_plan &plan_;
  const gg_layout_plan &given_;
  const int64_t n_;
  device_resources &resources_;
  pieces pieces_;
  path_graph graph_;
  path_search search_;
  device_memory hops_, nearest_, region_, best_, within_, weight_, order_, positions_, moved_;
  device_memory pivot_, pivot_positions_, stress_, parts_, state_, fixed_, lower_, upper_;
  stress_layout<DIM> layout_ = {};
  std::vector<int32_t> chosen_; /* the vertices of the pivots */
  int32_t longest_ = 0;         /* distance */
  int64_t group_[GG_STRESS_GROUPS + 1];
  finish_streams finish_; /* last, so that it is destroyed before the members above */
};

/* Allocates device memory of an array. */
template <class T> T *room(device_memory &memory, int64_t count) {
  memory.allocate(larger(count, 1) * (int64_t)sizeof(T));
  return memory.as<T>();
}

template <int DIM>
stress_job<DIM>::stress_job(const gg_stress_plan &plan, gg_clock *clock,
                            device_resources &resources)
    : plan_(plan), given_(*plan.layout), n_(given_.graph.vertices), resources_(resources),
      pieces_(resources.compute[0], clock), graph_(gg_path_graph{given_.graph, nullptr}),
      search_(graph_.view(), resources), finish_(resources) {
  const int32_t count = (int32_t)plan.pivots;
  layout_.pivots = {n_,
                    count,
                    room<uint16_t>(hops_, n_ * count),
                    room<uint16_t>(nearest_, n_),
                    room<int32_t>(region_, n_),
                    room<unsigned long long>(best_, GG_PATHS_SOURCES)};
  layout_.graph = graph_.view();
  layout_.positions = room<layout_position<DIM>>(positions_, n_);
  layout_.pivot_positions = room<layout_position<DIM>>(pivot_positions_, count);
  layout_.stress = room<double>(stress_, n_);
  layout_.parts = room<double>(parts_, STRESS_PARTS * (int64_t)STRESS_PRODUCTS);
  reserve_down(resources, (int64_t)sizeof(stress_state));
}

/* Enqueues launches as a piece. */
template <int DIM>
template <class Launch>
void stress_job<DIM>::launch(double fraction, Launch launch) {
  pieces_.begin(fraction);
  launch();
  pieces_.end();
}

/* --- Pivots ----------------------------------------------------------------------------------- */

/* Fills so many columns of distances from `first` on. */
template <int DIM>
bool stress_job<DIM>::search(const int32_t *sources, int32_t first, int32_t count) {
  const path_distances<uint16_t> columns = {pivots().hops + first, pivots().count, count};
  const int32_t steps = search_.run(sources, columns, pieces_,
                                    GG_STRESS_PIVOTS_SHARE * first / (double)pivots().count);
  longest_ = std::max(longest_, steps);
  return steps >= 0;
}

/* Adds pivots, at least one. */
template <int DIM> void stress_job<DIM>::draw_pivots(int32_t round) {
  const int32_t done = (int32_t)chosen_.size();
  const int32_t parts =
      std::min({(int32_t)GG_PATHS_SOURCES, ROUND_GROWTH * done, pivots().count - done});
  launch(0, [&] { stress_draw(pivots(), (uint64_t)round, parts, stream()); });
  for (const unsigned long long word : from_device(pivots().best, parts, stream()))
    if (~word) chosen_.push_back((int32_t)(uint32_t)word);
}

/* Finds the first pivot, which is farthest from vertex 0, and then the others. */
template <int DIM> bool stress_job<DIM>::find_pivots() {
  const int32_t vertex = 0;
  if (!search(&vertex, 0, 1)) return false;
  launch(0, [&] { stress_find_farthest(pivots(), stream()); });
  const uint32_t farthest = (uint32_t)from_device(pivots().best, 1, stream())[0];
  chosen_.push_back((int32_t)(0xffffffffu - farthest));
  for (int32_t first = 0, round = 1;; ++round) {
    const int32_t last = (int32_t)chosen_.size();
    if (!search(chosen_.data() + first, first, last - first)) return false;
    launch(0, [&] { stress_lower_nearest(pivots(), first, last, stream()); });
    if (last == pivots().count) break;
    draw_pivots(round);
    first = last;
  }
  weigh();
  return true;
}

template <int DIM> void stress_job<DIM>::weigh() {
  const int64_t entries = pivots().count * ((int64_t)longest_ + 1);
  layout_.weights = {longest_ + 1, room<int32_t>(within_, entries), room<float>(weight_, entries)};
  launch(GG_STRESS_PIVOTS_SHARE, [&] {
    GG_CUDA(cudaMemsetAsync(within_.as(), 0, (size_t)entries * sizeof(int32_t), stream()));
    stress_weigh(pivots(), layout_.weights, stream());
  });
}

/* --- First positions -------------------------------------------------------------------------- */

/* Returns the pivots of the start: each as far as possible from those before it. */
template <int DIM> std::vector<int32_t> stress_job<DIM>::choose_starts() {
  const int32_t count = pivots().count;
  std::vector<uint16_t> nearest((size_t)count, 0xffff);
  std::vector<int32_t> starts;
  for (int32_t next = 0; (int32_t)starts.size() < std::min(count, (int32_t)GG_PIVOTS_START);) {
    starts.push_back(next);
    const std::vector<uint16_t> hops =
        from_device(pivots().hops + (int64_t)chosen_[(size_t)next] * count, count, stream());
    for (size_t p = 0; p < nearest.size(); ++p)
      nearest[p] = std::min(nearest[p], hops[p]);
    next = (int32_t)(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return starts;
}

/* Returns the principal axes of the centred squares. */
template <int DIM> gg_pivot_axes stress_job<DIM>::find_axes(const stress_scaling &scaling) {
  const int32_t starts = scaling.starts, pairs = starts * (starts + 1) / 2;
  launch(GG_STRESS_PIVOTS_SHARE, [&] { stress_multiply(scaling, layout_.parts, stream()); });
  const std::vector<double> parts =
      from_device(layout_.parts, STRESS_PARTS * (int64_t)pairs, stream());
  auto products = std::vector<gg_pivot_products>(1);
  for (size_t at = 0; at < parts.size();)
    for (int32_t i = 0; i < starts; ++i)
      for (int32_t j = 0; j <= i; ++j)
        products[0].of[i][j] += parts[at++];
  for (int32_t i = 0; i < starts; ++i)
    for (int32_t j = 0; j < i; ++j)
      products[0].of[j][i] = products[0].of[i][j];
  gg_pivot_axes axes;
  gg_pivot_axes_find(&products[0], starts, DIM, &axes);
  return axes;
}

/* Returns the factor by which distances fit those in the graph by least squares. */
template <int DIM> double stress_job<DIM>::find_factor(const stress_scaling &scaling) {
  launch(GG_STRESS_PIVOTS_SHARE, [&] {
    stress_copy_pivots(layout_, pivot_.as<int32_t>(), stream());
    stress_fit(scaling, layout_.positions, layout_.pivot_positions, layout_.parts, stream());
  });
  double product = 0, square = 0;
  const std::vector<double> parts = from_device(layout_.parts, 2 * STRESS_PARTS, stream());
  for (size_t part = 0; part < parts.size(); part += 2) {
    product += parts[part];
    square += parts[part + 1];
  }
  return square > 0 ? product / square : 0;
}

/* Places the vertices by classical scaling. */
template <int DIM> void stress_job<DIM>::place() {
  const std::vector<int32_t> starts = choose_starts();
  const int32_t count = (int32_t)starts.size();
  device_memory start, squares, means, axes;
  stress_scaling scaling = {pivots(), count, to_device(start, starts.data(), count), nullptr};
  unsigned long long *sums = room<unsigned long long>(squares, count);
  launch(GG_STRESS_PIVOTS_SHARE, [&] {
    GG_CUDA(cudaMemsetAsync(sums, 0, (size_t)count * sizeof *sums, stream()));
    stress_sum_squares(scaling, sums, stream());
  });
  std::vector<double> mean;
  double all = 0;
  for (const unsigned long long sum : from_device(sums, count, stream())) {
    mean.push_back((double)sum / (double)n_);
    all += mean.back() / (double)count;
  }
  mean.push_back(all);
  scaling.mean = to_device(means, mean.data(), count + 1);
  const gg_pivot_axes found = find_axes(scaling);
  const double *axis = to_device(axes, found.of[0], DIM * (int64_t)GG_PIVOTS_START);
  launch(GG_STRESS_PIVOTS_SHARE,
         [&] { stress_project(scaling, axis, layout_.positions, stream()); });
  const double factor = find_factor(scaling);
  launch(GG_STRESS_PIVOTS_SHARE, [&] {
    stress_shake(n_, factor, GG_STRESS_JITTER, plan_.seed, layout_.positions, stream());
  });
  pieces_.drain(GG_STRESS_PIVOTS_SHARE + GG_STRESS_START_SHARE);
}

/* Lists the vertices by groups, which are drawn by a hash: neighbours are in different ones. */
template <int DIM> void stress_job<DIM>::make_groups() {
  const auto group_of = [](int64_t v) {
    return gg_random(GG_STRESS_GROUPS, (uint64_t)v) % GG_STRESS_GROUPS;
  };
  int64_t at[GG_STRESS_GROUPS + 1] = {};
  for (int64_t v = 0; v < n_; ++v)
    ++at[group_of(v) + 1];
  int64_t most = 0;
  for (int g = 0; g < GG_STRESS_GROUPS; ++g) {
    most = std::max(most, at[g + 1]);
    at[g + 1] += at[g];
  }
  std::copy(at, at + GG_STRESS_GROUPS + 1, group_);
  std::vector<int32_t> order((size_t)n_);
  for (int64_t v = 0; v < n_; ++v)
    order[(size_t)at[group_of(v)]++] = (int32_t)v;
  layout_.order = to_device(order_, order.data(), n_);
  layout_.moved = room<layout_position<DIM>>(moved_, most);
}

/* Copies which vertices are fixed, and the bounds. */
template <int DIM> void stress_job<DIM>::make_limits() {
  using position = layout_position<DIM>;
  if (given_.fixed) layout_.fixed = to_device(fixed_, given_.fixed, n_);
  if (given_.lower)
    layout_.lower = to_device<position>(lower_, gathered<DIM>(given_.lower, n_).data(), n_);
  if (given_.upper)
    layout_.upper = to_device<position>(upper_, gathered<DIM>(given_.upper, n_).data(), n_);
}

/* Fills the positions from which the iterations start, and all that they need. */
template <int DIM> void stress_job<DIM>::begin() {
  const int32_t *pivot = to_device(pivot_, chosen_.data(), pivots().count);
  if (plan_.placed)
    copy_in(layout_.positions, gathered<DIM>(given_.positions, n_).data(),
            (size_t)n_ * sizeof *layout_.positions);
  else
    place();
  make_groups();
  make_limits();
  stress_state state = {};
  state.before = INFINITY;
  layout_.state = to_device(state_, &state, 1);
  launch(GG_STRESS_PIVOTS_SHARE + GG_STRESS_START_SHARE,
         [&] { stress_copy_pivots(layout_, pivot, stream()); });
}

/* --- Iterations ------------------------------------------------------------------------------- */

template <int DIM> void stress_job<DIM>::fetch_positions() {
  scatter(from_device(layout_.positions, n_, stream()), given_.positions);
}

template <int DIM> void stress_job<DIM>::call_frame(int64_t done) {
  fetch_positions();
  if (given_.frame(done, 0, given_.positions, given_.frame_data)) throw interrupted();
}

/* Runs the iterations, two of which are enqueued at a time. Each copies its state to the host,
   which reads it before it launches the iteration after the next. */
template <int DIM> void stress_job<DIM>::iterate(gg_layout_outcome *outcome) {
  const bool frames = given_.frame && given_.frame_every > 0;
  const double begun = GG_STRESS_PIVOTS_SHARE + GG_STRESS_START_SHARE;
  stress_state known = {};
  pieces_.drain(begun);
  *seen(0) = *seen(1) = known;
  double fraction = begun;
  for (int64_t done = 0; done < given_.iterations && !known.converged; ++done) {
    pieces_.begin(fraction);
    known = *seen(done % 2);
    fraction = begun + (1 - begun) * gg_stress_progress(known.iterations, given_.iterations,
                                                        known.iterations ? known.decrease : 1,
                                                        GG_STRESS_LEAST_DECREASE(done));
    if (known.converged) break;
    for (int g = 0; g < GG_STRESS_GROUPS; ++g)
      stress_move(layout_, group_[g], group_[g + 1], stream());
    stress_end(layout_, given_.tolerance, stream());
    GG_CUDA(cudaMemcpyAsync(seen(done % 2), layout_.state, sizeof known, cudaMemcpyDeviceToHost,
                            stream()));
    pieces_.end();
    if (!frames || (done + 1) % given_.frame_every) continue;
    pieces_.drain(fraction);
    known = *seen(done % 2);
    if (known.iterations == done + 1) call_frame(done + 1);
  }
  pieces_.drain(fraction);
  const stress_state &last = seen(0)->iterations > seen(1)->iterations ? *seen(0) : *seen(1);
  outcome->iterations = last.iterations;
  outcome->converged = last.converged != 0;
}

/* Returns the sums of ratios of distances. */
template <int DIM> gg_stress_sums stress_job<DIM>::ratios() {
  launch(1, [&] { stress_ratios(layout_, layout_.parts, stream()); });
  gg_stress_sums sums = {0, 0, (n_ - 1) * pivots().count};
  const std::vector<double> parts = from_device(layout_.parts, 2 * STRESS_PARTS, stream());
  for (size_t part = 0; part < parts.size(); part += 2) {
    sums.ratio += parts[part];
    sums.square += parts[part + 1];
  }
  pieces_.drain(1);
  return sums;
}

/* Lays out the graph of a plan. */
template <int DIM>
void lay_out(const gg_stress_plan &plan, gg_stress_outcome *outcome, call &call) {
  stress_job<DIM> job(plan, call.clock, resources_for(plan.device));
  outcome->done = job.find_pivots();
  if (!outcome->done) return;
  job.begin();
  job.iterate(&outcome->layout);
  outcome->sums = job.ratios();
  job.fetch_positions();
  call.report->device_seconds += job.seconds();
}

} // namespace

gpugeo_status stress(const gg_stress_plan &plan, gg_stress_outcome *outcome, call &call) {
  *outcome = {};
  const gpugeo_status status = check_room("a layout by stress", plan.layout->graph.vertices,
                                          (int64_t)plan.bytes, plan.device, call.error);
  if (status) return status;
  if (plan.layout->dim == 2)
    lay_out<2>(plan, outcome, call);
  else
    lay_out<3>(plan, outcome, call);
  return GPUGEO_OK;
}

} // namespace gpugeo
