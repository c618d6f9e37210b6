/*
 * The CUDA backend's distance matrices: brings points to the device, hands blocks of pairs to the
 * tile kernels, and sends their values on to the user's result, all three at a time.
 *
 * Usually all points fit into the device's memory and are brought there once, in panels of points,
 * so that the first pairs are computed while later points are still coming. Else each pair of
 * panels is brought there in turn. Either way a kernel takes all coordinates of a pair in their
 * order, so that no division of the work shows in the result.
 *
 * Several devices each bring all points that they need, and share the chunks.
 *
 * At the least, two panels of 128 points with all their coordinates must fit, and for Mahalanobis'
 * distance the factor.
 */
#include "cuda/distance/dist.cuh"

#include <vector>

#include "cuda/common/chunks.cuh"
#include "cuda/common/device.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "cuda/distance/point_loader.cuh"
#include "cuda/distance/prepare.cuh"

namespace gpugeo {
namespace {

constexpr int64_t PANEL_UNIT = 128;     /* points: rows of the largest tile */
constexpr int64_t PANEL_MOST = 1 << 17; /* so that a column of a block fits into a slot */
constexpr int64_t SLOT_LEAST = 1 << 16, SLOT_MOST = 1 << 24; /* bytes of pinned memory */
constexpr int64_t MIN_BYTES_TO_SPLIT = 1 << 26; /* of points: more are copied in parts */
constexpr double LAUNCH_SECONDS = 0.1; /* so long a launch may take: an interrupt waits for two */

int64_t padded(int64_t n) { return round_up(n, 16); } /* points: rows aligned for all copies */

int64_t real_bytes(const gg_dist_plan &plan) {
  return plan.single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
}

/* True if points are prepared in double and rounded to float after that. */
bool rounds_after(const gg_dist_plan &plan) {
  return plan.single && plan.prepare != GG_PREPARE_NOTHING;
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* How the work is divided to fit into the device's memory. */
struct division {
  bool resident; /* all points stay on the device */
  int64_t panel; /* points brought there at a time */
  int64_t chunk; /* values computed at a time, in one of two buffers */
  int64_t slot;  /* bytes of pinned memory filled at a time */
  int64_t ranks; /* bytes for points that are ranked together */
};

division divide(const gg_dist_plan &plan, const result &to, int64_t budget) {
  const int64_t m = plan.m, value = to.value_bytes();
  const int64_t want = chunk_queue::values_wanted(to, plan.workers);
  const int64_t slot = smaller(SLOT_MOST, larger(SLOT_LEAST, budget / 64));
  const int64_t constants =
      m * real_bytes(plan) +
      (gg_factor_size(&plan) ? (m + gg_factor_size(&plan)) * (int64_t)sizeof(double) : 0);
  const int64_t ranks = 8 * slot;
  const int64_t rest = budget - constants - point_loader::device_bytes(plan, slot) -
                       point_loader::device_rank_bytes(plan, ranks);
  /* What a point takes: its coordinates, and while it is prepared, scratch next to them. */
  const int64_t point = m * real_bytes(plan);
  const bool by_rows = plan.points == GPUGEO_POINTS_ROWS;
  const int64_t beside =
      prepare_scratch(1) + (rounds_after(plan) ? m * (int64_t)sizeof(double) : 0) +
      (by_rows ? point_loader::device_bytes(plan, sizeof(double)) : 0); /* of larger slots */
  const int64_t columns = 2 * chunk_queue::COLUMNS * value; /* of both buffers, for each row */
  const int64_t longest = larger(plan.nx, plan.ny);

  division d;
  const bool much = plan.nx * point > MIN_BYTES_TO_SPLIT;
  d.panel = smaller(PANEL_MOST, much ? round_up(divide_up(longest, 4), 4 * PANEL_UNIT) : longest);
  const int64_t points = padded(plan.nx) + (plan.symmetric ? 0 : padded(plan.ny));
  const int64_t left = rest - points * point - padded(d.panel) * beside;
  d.resident = left >= smaller(2 * value * want, columns * d.panel);
  if (d.resident) {
    d.chunk = smaller(want, left / 2 / value);
  } else {
    const int64_t units = rest / (2 * point + beside + columns) / PANEL_UNIT;
    d.panel =
        smaller(larger(units, 1) * PANEL_UNIT, smaller(PANEL_MOST, round_up(longest, PANEL_UNIT)));
    const int64_t spare = rest - d.panel * (2 * point + beside);
    d.chunk = larger(chunk_queue::COLUMNS * d.panel, smaller(want, spare / 2 / value));
  }
  d.chunk = larger(d.chunk, 1);
  /* A slot takes at least one coordinate of all points of a panel. */
  d.ranks = ranks;
  d.slot = by_rows ? larger(slot, smaller(d.panel, longest) * (int64_t)sizeof(double)) : slot;
  return d;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* Instructions that a pair and coordinate takes, roughly. */
double step_cost(gg_step step) {
  switch (step) {
  case GG_STEP_product:
    return 1;
  case GG_STEP_euclidean:
  case GG_STEP_manhattan:
  case GG_STEP_maximum:
    return 2;
  case GG_STEP_halves:
  case GG_STEP_halves_missing:
    return 20;
  case GG_STEP_power:
  case GG_STEP_power_missing:
    return 160;
  default:
    return 8;
  }
}

/* True if the kernel was compiled for tensor cores that take doubles. */
bool has_product_kernel() {
  cudaFuncAttributes attributes;
  GG_CUDA(cudaFuncGetAttributes(&attributes, (const void *)product_kernel.run));
  return attributes.ptxVersion >= 80;
}

} // namespace

tile_kernel choose_kernel(const gg_dist_plan &plan, double pairs) {
  const int processors = attribute(cudaDevAttrMultiProcessorCount, plan.device);
  tile_kernel chosen = (plan.single ? f32_kernels : f64_kernels)[plan.step];
  if (!plan.single && plan.step == GG_STEP_product && has_product_kernel()) chosen = product_kernel;
  const double tile = (double)chosen.grid.rows * (double)chosen.grid.columns;
  if (pairs / tile < processors / 2.0)
    chosen = (plan.single ? f32_small_kernels : f64_small_kernels)[plan.step];
  if (chosen.shared_bytes > 48 * 1024)
    GG_CUDA(cudaFuncSetAttribute((const void *)chosen.run,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, chosen.shared_bytes));
  return chosen;
}

void bring_weights(const gg_dist_plan &plan, device_memory &weight) {
  if (!plan.weight) return;
  const int64_t m = plan.m;
  weight.allocate(m * real_bytes(plan));
  if (plan.single) {
    const std::vector<float> rounded(plan.weight, plan.weight + m);
    copy_in(weight.as(), rounded.data(), (size_t)m * sizeof(float));
  } else {
    copy_in(weight.as(), plan.weight, (size_t)m * sizeof(double));
  }
}

void launch(const tile_kernel &kernel, tile_job job, int64_t tiles, cudaStream_t stream) {
  void *arguments[] = {&job};
  GG_CUDA(cudaLaunchKernel((const void *)kernel.run, dim3((unsigned)tiles),
                           dim3((unsigned)kernel.threads), arguments, (size_t)kernel.shared_bytes,
                           stream));
}

int64_t tiles_of_launch(const gg_dist_plan &plan, const tile_kernel &kernel) {
  const int processors = attribute(cudaDevAttrMultiProcessorCount, plan.device);
  const double cycles = 1.5e9; /* a second; to ask for them takes longer than a small job */
  const int ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, plan.device);
  const double lanes = plan.single || ratio < 1 ? 128 : 128.0 / ratio;
  const double steps = (double)kernel.grid.rows * (double)kernel.grid.columns * (double)plan.m;
  const double tiles =
      LAUNCH_SECONDS * cycles * lanes * processors / (steps * step_cost(plan.step));
  return larger(2 * processors, tiles < 1 << 30 ? (int64_t)tiles : 1 << 30);
}

namespace {

/* --- The job ---------------------------------------------------------------------------------- */

/* Points on the device: all of x or y, or one panel. */
struct point_store {
  device_memory memory;
  int64_t ld = 0, first = 0;
  points view() const { return {memory.as(), ld, first}; }
};

class dist_job {
public:
  /* Makes a worker's job; plan and result are the worker's. */
  dist_job(const gg_dist_plan &plan, const worker &here, const result &to, const division &division,
           chunk_counter *untaken);

  /* Computes all chunks that are this worker's. To be called once. */
  void run();

private:
  void allocate_points(point_store &store, int64_t n);
  void upload_constants();
  void compute_panels(int64_t i, int64_t end, int64_t columns);

  /* Points [first, first + count) of x to their position in the store, prepared. */
  void load(const gpugeo_matrix &x, point_store &store, int64_t first, int64_t count);
  void prepare(double *z, int64_t ld, int64_t count);
  void add_preparation_time();

  /* Returns the pairs of rows [i0, i1) and columns [j0, j1). */
  pair_block block_of(int64_t i0, int64_t i1, int64_t j0, int64_t j1) const;
  void compute(const point_store &rows, const point_store &columns, const pair_block &block);

  const gg_dist_plan &plan_;
  gg_clock *clock_;
  gpugeo_report *report_;
  device_resources &resources_;
  const division division_;
  const tile_kernel kernel_;
  const int64_t launch_tiles_;
  tile_job job_ = tile_job();

  point_store x_, y_;
  device_memory wide_, scratch_, weight_, centre_, factor_, flat_;
  busy_time busy_;
  event prepare_start_, loaded_;
  bool preparing_ = false; /* the time between these two is still to be taken down */
  point_loader loader_;
  chunk_queue chunks_;
  finish_streams finish_; /* last: before all of the above is let go */
};

dist_job::dist_job(const gg_dist_plan &plan, const worker &here, const result &to,
                   const division &division, chunk_counter *untaken)
    : plan_(plan), clock_(here.clock), report_(here.report), resources_(*here.resources),
      division_(division), kernel_(choose_kernel(plan, to.pairs)),
      launch_tiles_(tiles_of_launch(plan, kernel_)), busy_(resources_.upload),
      loader_(resources_, plan, clock_, division.slot, division.ranks),
      chunks_(resources_, to, clock_, &busy_, division.chunk, smaller(division.panel, plan.nx),
              untaken),
      finish_(resources_) {
  allocate_points(x_, plan.nx);
  if (!plan.symmetric || !division.resident) allocate_points(y_, plan.ny);
  const int64_t panel = padded(division.panel);
  if (rounds_after(plan)) wide_.allocate(panel * plan.m * (int64_t)sizeof(double));
  if (plan.prepare != GG_PREPARE_NOTHING) scratch_.allocate(prepare_scratch(panel));
  flat_.allocate(sizeof(int32_t));
  GG_CUDA(cudaMemsetAsync(flat_.as(), 0, sizeof(int32_t), resources_.upload));
  upload_constants();

  job_.m = plan.m;
  job_.weight = weight_.as();
  job_.p = plan.p;
  job_.finish = plan.finish;
  job_.to_float = plan.type == GPUGEO_TYPE_FLOAT;
  job_.missing = plan.missing;
  job_.missing_float = (float)plan.missing;
  job_.flat = flat_.as<int32_t>();
}

void dist_job::allocate_points(point_store &store, int64_t n) {
  store.ld = padded(division_.resident ? n : division_.panel);
  const int64_t bytes = store.ld * plan_.m * real_bytes(plan_);
  store.memory.allocate(bytes);
  /* What fills up the rows is read, though no result depends on it. */
  GG_CUDA(cudaMemsetAsync(store.memory.as(), 0, (size_t)bytes, resources_.upload));
}

/* Weights, and what whitening and scaling take. */
void dist_job::upload_constants() {
  const auto bring = [this](device_memory &to, const void *from, int64_t bytes) {
    to.allocate(bytes);
    GG_CUDA(
        cudaMemcpyAsync(to.as(), from, (size_t)bytes, cudaMemcpyHostToDevice, resources_.upload));
  };
  const int64_t m = plan_.m;
  bring_weights(plan_, weight_);
  if (const int64_t factors = gg_factor_size(&plan_)) {
    bring(centre_, plan_.centre, m * (int64_t)sizeof(double));
    bring(factor_, plan_.factor, factors * (int64_t)sizeof(double));
  }
}

void dist_job::load(const gpugeo_matrix &x, point_store &store, int64_t first, int64_t count) {
  if (preparing_) add_preparation_time();
  if (!division_.resident) {
    chunks_.wait_for_chunks(resources_.upload); /* they may read what the store holds */
    store.first = first;
  }
  const int64_t offset = first - store.first;
  const double done = chunks_.fraction();
  if (!plan_.single) {
    double *to = store.memory.as<double>() + offset;
    loader_.load(x, first, count, to, store.ld, done);
    prepare(to, store.ld, count);
  } else if (!rounds_after(plan_)) {
    loader_.load(x, first, count, store.memory.as<float>() + offset, store.ld, done);
  } else {
    const int64_t ld = padded(division_.panel);
    double *wide = wide_.as<double>();
    loader_.load(x, first, count, wide, ld, done);
    prepare(wide, ld, count);
    round_points(wide, ld, store.memory.as<float>() + offset, store.ld, count, plan_.m,
                 resources_.upload);
  }
  GG_CUDA(cudaEventRecord(loaded_, resources_.upload));
  chunks_.hold_chunks(loaded_);
}

void dist_job::prepare(double *z, int64_t ld, int64_t count) {
  if (plan_.prepare == GG_PREPARE_NOTHING) return;
  GG_CUDA(cudaEventRecord(prepare_start_, resources_.upload));
  prepare_points(z, ld, count, plan_.m, plan_.prepare, centre_.as<double>(), factor_.as<double>(),
                 scratch_.as(), resources_.upload);
  preparing_ = true;
}

void dist_job::add_preparation_time() {
  wait(loaded_, clock_, chunks_.fraction());
  busy_.add(prepare_start_, loaded_);
  preparing_ = false;
}

pair_block dist_job::block_of(int64_t i0, int64_t i1, int64_t j0, int64_t j1) const {
  pair_block block;
  block.i0 = i0;
  block.i1 = i1;
  block.j0 = j0;
  block.j1 = j1;
  block.wedge = plan_.symmetric ? larger(j0, smaller(i0, j1)) : j1;
  block.below = plan_.shape == GPUGEO_SHAPE_CONDENSED ? 1 : 0;
  return block;
}

void dist_job::compute(const point_store &rows, const point_store &columns,
                       const pair_block &block) {
  job_.a = rows.view();
  job_.b = columns.view();
  chunk_walk at(chunks_, block);
  while (at.next_chunk())
    for (at.divide(kernel_.grid.count(at.chunk()), launch_tiles_); at.next_launch();) {
      job_.block = at.chunk();
      job_.out = at.values();
      job_.first_tile = at.first();
      launch(kernel_, job_, at.items(), at.stream());
    }
}

/* Computes panel after panel of rows, with all columns if they stay on the device. */
void dist_job::run() {
  const int64_t panel = division_.panel;
  if (division_.resident && !plan_.symmetric)
    for (int64_t j = 0; j < plan_.ny; j += panel)
      load(plan_.y, y_, j, smaller(panel, plan_.ny - j));
  for (int64_t i = 0; i < plan_.nx; i += panel) {
    const int64_t end = smaller(i + panel, plan_.nx), columns = plan_.symmetric ? end : plan_.ny;
    if (division_.resident) {
      load(plan_.x, x_, i, end - i);
      compute(x_, plan_.symmetric ? x_ : y_, block_of(i, end, 0, columns));
    } else {
      compute_panels(i, end, columns);
    }
  }
  chunks_.finish();
  if (preparing_) add_preparation_time();
  report_->device_seconds += busy_.seconds();
  int32_t flat = 0;
  GG_CUDA(cudaMemcpy(&flat, flat_.as(), sizeof flat, cudaMemcpyDeviceToHost));
  if (flat) report_->notes |= gg_note_of_flat(&plan_);
}

/* Computes this worker's pairs of a panel of rows [i, end) with each panel of columns. */
void dist_job::compute_panels(int64_t i, int64_t end, int64_t columns) {
  bool loaded = false;
  for (int64_t j = 0; j < columns; j += division_.panel) {
    const pair_block block = block_of(i, end, j, smaller(j + division_.panel, plan_.ny));
    if (!chunks_.takes_part(block)) continue;
    if (!loaded) load(plan_.x, x_, i, end - i);
    loaded = true;
    const bool same = plan_.symmetric && i == j;
    if (!same) load(plan_.y, y_, j, block.j1 - j);
    compute(x_, same ? x_ : y_, block);
  }
}

/* Returns the result of a plan. */
result result_of(const gg_dist_plan &plan) {
  const bool condensed = plan.shape == GPUGEO_SHAPE_CONDENSED;
  const double n = (double)plan.nx;
  result to;
  to.out = plan.out;
  to.type = plan.type;
  to.from_float = plan.single || plan.type == GPUGEO_TYPE_FLOAT;
  to.condensed = condensed;
  to.symmetric = plan.symmetric;
  to.rows = plan.nx;
  to.missing = plan.missing;
  to.threads = plan.threads;
  to.pairs = !plan.symmetric ? n * (double)plan.ny : condensed ? n * (n - 1) / 2 : n * (n + 1) / 2;
  return to;
}

} // namespace

gpugeo_status dist(const gg_dist_plan &plan, call &call) {
  team &team = call.workers();
  const result to = result_of(plan);
  const division division = divide(plan, to, team.least_budget(plan.work_bytes));
  chunk_counter untaken(0);
  team.run([&](const worker &here) {
    result mine = to;
    mine.threads = here.threads;
    dist_job(plan_of(plan, here), here, mine, division, &untaken).run();
  });
  return GPUGEO_OK;
}

void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to) {
  chunk_counter untaken(0);
  dist_resident(plan, here, budget, to, untaken);
}

void dist_resident(const gg_dist_plan &plan, const worker &here, int64_t budget,
                   const resident_matrix &to, chunk_counter &untaken) {
  result mine = result_of(plan);
  mine.resident = to;
  dist_job(plan_of(plan, here), here, mine, divide(plan, mine, budget), &untaken).run();
}

} // namespace gpugeo
