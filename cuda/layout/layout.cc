/*
 * Layouts on CUDA.
 *
 * An iteration stays on the device: repulsion between all pairs or by a tree, then attraction and
 * the step of each vertex, then the frame of the new positions and the test of convergence. The
 * host launches up to LOOK_EVERY iterations before it reads the state; kernels launched after
 * convergence do nothing.
 *
 * Positions are doubles, as late moves are small compared with the extent of a large drawing.
 * Attraction, which is limited by memory, is summed in doubles too.
 *
 * Limit: see exact.cu, walk.cu, tree.cu and move.cu; with a tree of up to 40,000 vertices, the
 * launches.
 *
 * The graph, two copies of the positions and the memory of the repulsion must fit into the device's
 * memory: about 150 bytes a vertex, and 8 bytes an edge, 16 with weights.
 */
#include "cuda/layout/layout.cuh"

#include <algorithm>
#include <memory>

#include "cuda/common/team.cuh"
#include "cuda/layout/exact.cuh"
#include "cuda/layout/move.cuh"
#include "cuda/layout/transfer.cuh"
#include "cuda/layout/walk.cuh"

namespace gpugeo {
namespace {

constexpr int64_t LOOK_EVERY = 8; /* maximum number of iterations between two reads of the state */
constexpr double LOOK_PAIRS = 3e10; /* pairs of vertices, or work of the same time: about 10 ms */
constexpr double TREE_PAIRS = 1e3;  /* a vertex in a walk takes as long */

/* --- The host's side -------------------------------------------------------------------------- */

/* A CSR graph on the device. */
class device_csr {
public:
  explicit device_csr(const gg_layout_graph &graph) {
    const int64_t n = graph.vertices, entries = graph.start[n];
    std::vector<int32_t> long_row, long_segment;
    std::vector<layout_segment> segment;
    for (int64_t v = 0; v < n; ++v) {
      const int64_t end = graph.start[v + 1];
      if (end - graph.start[v] <= LAYOUT_ROW) continue;
      long_row.push_back((int32_t)v);
      long_segment.push_back((int32_t)segment.size());
      for (int64_t e = graph.start[v]; e < end; e += LAYOUT_SEGMENT)
        segment.push_back({e, smaller(e + LAYOUT_SEGMENT, end), (int32_t)v});
    }
    long_segment.push_back((int32_t)segment.size());
    to_device(start_, graph.start, n + 1);
    to_device(neighbor_, graph.neighbor, entries);
    if (graph.weight) to_device(weight_, graph.weight, entries);
    to_device(long_row_, long_row.data(), (int64_t)long_row.size());
    to_device(long_segment_, long_segment.data(), (int64_t)long_segment.size());
    to_device(segment_, segment.data(), (int64_t)segment.size());
    csr_ = {start_.as<int64_t>(),        neighbor_.as<int32_t>(),      weight_.as<float>(),
            (int32_t)long_row.size(),    (int32_t)segment.size(),      long_row_.as<int32_t>(),
            long_segment_.as<int32_t>(), segment_.as<layout_segment>()};
  }

  const layout_csr &view() const { return csr_; }

private:
  device_memory start_, neighbor_, weight_, long_row_, long_segment_, segment_;
  layout_csr csr_;
};

template <int DIM> gg_layout_frame frame_of(const std::vector<layout_position<DIM>> &positions) {
  double low[GG_LAYOUT_DIMS] = {}, high[GG_LAYOUT_DIMS] = {};
  for (int c = 0; c < DIM; ++c)
    low[c] = high[c] = positions[0].at[c];
  for (const layout_position<DIM> &one : positions)
    for (int c = 0; c < DIM; ++c) {
      low[c] = std::min(low[c], one.at[c]);
      high[c] = std::max(high[c], one.at[c]);
    }
  return gg_layout_frame_make(low, high, DIM);
}

/* One layout of n > 0 vertices. */
template <int DIM> class layout_job {
public:
  layout_job(const gg_layout_plan &plan, gg_clock *clock, device_resources &resources)
      : plan_(plan), n_(plan.graph.vertices), frames_(plan.frame && plan.frame_every > 0),
        resources_(resources), csr_(plan.graph), pieces_(resources.compute[0], clock),
        finish_(resources) {
    const std::vector<layout_position<DIM>> start = gathered<DIM>(plan.positions, n_);
    to_device(positions_[0], start.data(), n_);
    positions_[1].allocate(n_ * (int64_t)sizeof(layout_position<DIM>));
    const layout_state state = {frame_of(start), 0, 0};
    to_device(state_, &state, 1);
    if (plan.mass) to_device(mass_, plan.mass, n_);
    if (plan.fixed) to_device(fixed_, plan.fixed, n_);
    if (plan.lower) to_device(lower_, gathered<DIM>(plan.lower, n_).data(), n_);
    if (plan.upper) to_device(upper_, gathered<DIM>(plan.upper, n_).data(), n_);
    const bool exact = plan.repulsion == GPUGEO_LAYOUT_REPULSION_EXACT;
    parts_ = exact ? layout_exact_parts(n_) : 1;
    repulsion_.allocate(parts_ * n_ * (int64_t)sizeof(layout_force<DIM>));
    if (!exact) {
      tree_ = std::make_unique<layout_tree<DIM>>(n_, plan.mass != nullptr, plan.theta);
      scattered_.allocate((1 + divide_up(n_, LAYOUT_RUN)) * (int64_t)sizeof(int32_t));
    }
    pulls_.allocate((csr_.view().segments + 1) * DIM * (int64_t)sizeof(double));
    extents_.allocate(LAYOUT_EXTENTS * (int64_t)sizeof(layout_extent<DIM>));
    reserve_down(resources, (int64_t)sizeof(layout_state));
  }

  void iterate(gg_layout_outcome *outcome, gpugeo_report *report);
  void copy_forces(const gg_layout_forces &forces);

private:
  cudaStream_t stream() const { return pieces_.stream(); }
  layout_state *seen(int which) const {
    return static_cast<layout_state *>(resources_.pinned_down[which]);
  }
  layout_vertices<DIM> vertices(int64_t iteration) const {
    return {n_, positions_[iteration % 2].template as<layout_position<DIM>>(), mass_.as<float>(),
            state_.as<layout_state>()};
  }
  layout_sources<DIM> sources() const {
    return {repulsion_.as<layout_force<DIM>>(), parts_, pulls_.as<double>()};
  }

  void launch_forces(int64_t iteration);
  void launch_move(int64_t iteration);
  int64_t look_every() const;
  double fraction(int64_t done) const {
    return plan_.progress_from +
           (plan_.progress_to - plan_.progress_from) * (double)done / (double)plan_.iterations;
  }
  void fetch_positions(int64_t iterations);
  void call_frame(int64_t done, gg_layout_outcome *outcome);

  const gg_layout_plan &plan_;
  const int64_t n_;
  const bool frames_; /* the plan has a callback for frames */
  device_resources &resources_;
  device_csr csr_;
  device_memory positions_[2], state_, mass_, fixed_, lower_, upper_, repulsion_, pulls_, extents_;
  int64_t parts_ = 1;
  std::unique_ptr<layout_tree<DIM>> tree_;
  device_memory scattered_;
  pieces pieces_;
  finish_streams finish_; /* last, so that it is destroyed before the members above */
};

/* Launches the repulsion, and the pull of long rows. */
template <int DIM> void layout_job<DIM>::launch_forces(int64_t iteration) {
  const layout_vertices<DIM> all = vertices(iteration);
  if (tree_) {
    tree_->build(all, stream());
    int32_t *scattered = scattered_.as<int32_t>();
    layout_walk(tree_->view(), all.state, plan_.expansion_order, {scattered, scattered + 1},
                repulsion_.as<layout_force<DIM>>(), stream());
  } else {
    layout_exact(all, repulsion_.as<layout_force<DIM>>(), pieces_, fraction(iteration));
  }
  layout_pull(all, csr_.view(), sources(), stream());
}

template <int DIM> void layout_job<DIM>::launch_move(int64_t iteration) {
  const layout_limits<DIM> limits = {
      gg_layout_temperature(plan_.start_temp, iteration, plan_.cooling), plan_.tolerance,
      fixed_.as<uint8_t>(), lower_.as<layout_position<DIM>>(), upper_.as<layout_position<DIM>>()};
  const layout_moved<DIM> moved = {
      positions_[(iteration + 1) % 2].template as<layout_position<DIM>>(),
      extents_.as<layout_extent<DIM>>(), state_.as<layout_state>()};
  layout_move(vertices(iteration), csr_.view(), sources(), limits, moved, stream());
}

template <int DIM> int64_t layout_job<DIM>::look_every() const {
  const double pairs = (double)n_ * (tree_ ? TREE_PAIRS : (double)n_);
  return larger(1, (int64_t)std::min(LOOK_PAIRS / pairs, (double)LOOK_EVERY));
}

template <int DIM> void layout_job<DIM>::fetch_positions(int64_t iterations) {
  scatter(from_device(vertices(iterations).position, n_, stream()), plan_.positions);
}

/* Runs the iterations in pieces of up to LOOK_EVERY, two of which are launched at a time. Each
   piece copies its final state to the host, which reads it before it launches the piece after the
   next. */
template <int DIM>
void layout_job<DIM>::iterate(gg_layout_outcome *outcome, gpugeo_report *report) {
  layout_state known = {};
  int slot = 0;
  *seen(0) = *seen(1) = known;
  for (int64_t done = 0; done < plan_.iterations && !known.converged;) {
    pieces_.begin(fraction(done));
    known = *seen(slot);
    int64_t end = smaller(done + look_every(), plan_.iterations);
    if (frames_) end = smaller(end, round_up(done + 1, plan_.frame_every));
    while (done < end && !known.converged) {
      launch_forces(done);
      launch_move(done++);
    }
    GG_CUDA(
        cudaMemcpyAsync(seen(slot), state_.as(), sizeof known, cudaMemcpyDeviceToHost, stream()));
    pieces_.end();
    if (frames_ && done % plan_.frame_every == 0) {
      pieces_.drain(fraction(done));
      known = *seen(slot);
      if (known.iterations == done) call_frame(done, outcome);
    }
    slot = 1 - slot;
  }
  pieces_.drain(fraction(plan_.iterations));
  known = *seen(1 - slot);
  fetch_positions(known.iterations);
  outcome->iterations = known.iterations;
  outcome->converged = known.converged != 0;
  report->device_seconds += pieces_.seconds();
}

template <int DIM> void layout_job<DIM>::call_frame(int64_t done, gg_layout_outcome *outcome) {
  fetch_positions(done);
  outcome->iterations = done;
  if (plan_.frame(done, gg_layout_temperature(plan_.start_temp, done, plan_.cooling),
                  plan_.positions, plan_.frame_data))
    throw interrupted();
}

template <int DIM> void layout_job<DIM>::copy_forces(const gg_layout_forces &forces) {
  device_memory told;
  const int64_t values = n_ * DIM, bytes = values * (int64_t)sizeof(double);
  told.allocate(2 * bytes);
  pieces_.begin(0);
  launch_forces(0);
  layout_copy_forces(vertices(0), csr_.view(), sources(), told.as<double>(),
                     told.as<double>() + values, stream());
  pieces_.end();
  pieces_.drain(1);
  GG_CUDA(cudaMemcpy(forces.repulsion, told.as(), (size_t)bytes, cudaMemcpyDeviceToHost));
  GG_CUDA(cudaMemcpy(forces.attraction, told.as<double>() + values, (size_t)bytes,
                     cudaMemcpyDeviceToHost));
}

} // namespace

gpugeo_status layout(const gg_layout_plan &plan, gg_layout_outcome *outcome, call &call) {
  *outcome = {};
  if (plan.graph.vertices == 0 || plan.iterations == 0) return GPUGEO_OK;
  if (plan.dim == 2)
    layout_job<2>(plan, call.clock, resources_for(plan.device)).iterate(outcome, call.report);
  else
    layout_job<3>(plan, call.clock, resources_for(plan.device)).iterate(outcome, call.report);
  return GPUGEO_OK;
}

void layout_forces(const gg_layout_plan &plan, const gg_layout_forces &forces, gg_clock *clock) {
  if (plan.graph.vertices == 0) return;
  if (plan.dim == 2)
    layout_job<2>(plan, clock, resources_for(plan.device)).copy_forces(forces);
  else
    layout_job<3>(plan, clock, resources_for(plan.device)).copy_forces(forces);
}

} // namespace gpugeo
