/*
 * Silhouettes of points, or of distances on the device: blocks of distances are computed and added
 * to the sums of their points, and not kept.
 *
 * Points are sorted by cluster and stay in their order within each, so that a lane that adds the
 * distances of a point has the sum of one cluster after another in a register. Blocks come column
 * by column. Below the diagonal a block is added to the sums of its rows, and to those of its
 * columns: all sums run in the order of the points, as on the CPU, and have its bits.
 *
 * Blocks are computed on two streams in turn, so that the next fills the gaps of the last, and
 * added on a third, whose thread blocks are small enough for the registers that tiles leave.
 *
 * Limited by the tile kernels, which take 70 % of the time where they are alone, and by what the
 * additions take from them. A block of 128 MiB does not stay in the cache until it has been added;
 * a smaller one is added for longer than the next one is computed, since a chain of additions has
 * as many steps as the block has points on a side.
 */
#include <cuda_pipeline.h>

#include <cmath>
#include <vector>

#include "cluster/silhouette_step.h"
#include "cluster/silhouette_sums.h"
#include "cuda/common/divider.cuh"
#include "cuda/common/fetch.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "cuda/distance/point_panels.cuh"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t SIDE = 4096, LEAST_SIDE = 256;          /* points on a side of a block */
constexpr int64_t STAGING_BYTES = 256 * MIB;              /* of points before they are sorted */
constexpr int64_t PANEL_UNIT = 128, PANEL_MOST = 1 << 17; /* points of a panel */
constexpr int64_t PIECE = 64;       /* blocks that are enqueued together: some milliseconds */
constexpr double SMALLER = 0x1p-40; /* scale of distances whose sums overflow */

enum {
  BUFFERS = 3, /* blocks: two are computed while one is added */
  THREADS = 256,
  STRIP = 32,    /* points whose sums a thread block has: a lane adds those of one */
  STEP = 32,     /* distances of each that are added between two barriers */
  STAGES = 3,    /* steps: one is added while the distances of the others are on their way */
  PRODUCERS = 2, /* warps that bring them */
  ADD_THREADS = 32 * (PRODUCERS + 1)
};
static_assert(STEP == 32 && STRIP == 32, "the lanes of a warp have the rows of a step or a strip");

/* Thread blocks that a multiprocessor must have registers for. From 8.0 on that leaves 48 for a
   thread. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int ADD_BLOCKS = 10;
#else
constexpr int ADD_BLOCKS = 13;
#endif

/* --- Kernels ---------------------------------------------------------------------------------- */

/* What is found out on the way. */
struct survey {
  unsigned long long bad;   /* distances that are missing or infinite */
  unsigned long long first; /* of them: its points i < j and its kind, i * 2^33 + j * 4 + kind */
  int odd;                  /* a sum is not finite, */
  int overflow;             /* and one is infinite that a result needs */
};
enum bad_kind { MISSING, INFINITE, MINUS_INFINITE };

/* Points sorted by cluster: a position is one in this order. */
struct sorted_view {
  int64_t n, clusters, ld;
  double *total;    /* the sum of position p and cluster c is at [c * ld + p] */
  int64_t *order;   /* of each position the point, */
  int32_t *cluster; /* and its cluster */
  int64_t *start;   /* of each cluster the first position; and n */
  survey *found;
};

/* A block of distances, column-major, and the positions of its first row and column. */
template <class T> struct block_job {
  const T *value;
  int64_t row, column;
  int rows, columns;
  double scale; /* by which distances are multiplied */
};

template <class real>
__global__ void __launch_bounds__(THREADS)
    place_points(const double *from, int64_t from_ld, int64_t count, int64_t m,
                 const int32_t *position, real *to, int64_t ld) {
  const int64_t i = this_item();
  if (i >= count) return;
  const int64_t at = position[i];
  for (int64_t k = blockIdx.y; k < m; k += gridDim.y)
    to[at + k * ld] = (real)from[i + k * from_ld];
}

/* Takes down a distance that cannot be added, between two positions. */
__device__ __noinline__ void note_bad(const sorted_view &view, int64_t p, int64_t q, double value) {
  const int64_t i = view.order[p], j = view.order[q];
  const int kind = isnan(value) ? MISSING : value > 0 ? INFINITE : MINUS_INFINITE;
  atomicAdd(&view.found->bad, 1ull);
  atomicMin(&view.found->first, (unsigned long long)smaller(i, j) << 33 |
                                    (unsigned long long)larger(i, j) << 2 |
                                    (unsigned long long)kind);
}

/* True if the value is finite. */
__device__ __forceinline__ bool is_finite(double value) {
  return (__double2hiint(value) & 0x7ff00000) != 0x7ff00000;
}

/* The distances that are added in a step, by the point on the other side. */
template <class T> struct stage { T value[STEP][STRIP + 1]; };

/* A strip of a block: STRIP of its rows, or of its columns. */
struct strip {
  bool of_rows;
  int first;  /* of its points in the block, */
  int others; /* and how many are on the other side */

  template <class T> __device__ explicit strip(const block_job<T> &job) {
    const int row_strips = (job.rows + STRIP - 1) / STRIP;
    of_rows = (int)blockIdx.x < row_strips;
    first = ((int)blockIdx.x - (of_rows ? 0 : row_strips)) * STRIP;
    others = of_rows ? job.columns : job.rows;
  }
};

/* Starts the copies of the distances that are added in a step, 0 where the block has ended, by
   PRODUCERS warps. The lanes of a warp have rows that follow each other: all of the strip, or those
   of the step, in as many columns as that takes. */
template <class T>
__device__ __forceinline__ void start_step(const block_job<T> &job, const strip &own, int step,
                                           stage<T> &to) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = own.of_rows ? own.first + lane : step * STEP + lane;
  const int column = (own.of_rows ? step * STEP : own.first) + warp;
  const T *from = job.value + row + (int64_t)column * job.rows;
  T *at = own.of_rows ? &to.value[warp][lane] : &to.value[lane][warp];
  const int turn = own.of_rows ? PRODUCERS * (STRIP + 1) : PRODUCERS;
#pragma unroll
  for (int e = 0; e < STRIP / PRODUCERS; ++e) {
    const bool there = row < job.rows && column + e * PRODUCERS < job.columns;
    __pipeline_memcpy_async(at + e * turn,
                            there ? from + (int64_t)e * PRODUCERS * job.rows : job.value, sizeof(T),
                            there ? 0 : sizeof(T));
  }
}

/* Returns a distance as it is added: 0 from a point to itself, and scaled. Notes one that is not
   finite, of two that the block has below the diagonal. */
template <class T>
__device__ __forceinline__ double checked(const block_job<T> &job, const strip &own, int other,
                                          double value, const sorted_view &view) {
  const int point = own.first + (int)threadIdx.x % 32;
  const int row = own.of_rows ? point : other, column = own.of_rows ? other : point;
  if (!is_finite(value) && own.of_rows && row < job.rows && (job.row > job.column || row > column))
    note_bad(view, job.row + row, job.column + column, value);
  if (job.row == job.column && row == column) value = 0;
  return value * job.scale;
}

/* The sum of one lane's point and one cluster, the next of which it takes where that begins.
   CHECKED: distances are checked and scaled. */
template <class T, bool CHECKED> class chain {
public:
  /* at: the position of the lane's point, or -1; from: that of the first distance that is added. */
  __device__ chain(const block_job<T> &job, const strip &own, const sorted_view &view, int64_t at,
                   int64_t from)
      : job_(job), own_(own), view_(view), at_(at), from_(from) {
    open(from);
  }

  /* Adds `count` distances, those from the points after `done`. */
  __device__ __forceinline__ void add(const stage<T> &values, int done, int count) {
    const int64_t position = from_ + done;
    if (count == STEP && position + STEP <= end_) { /* mostly: all of one cluster */
#pragma unroll
      for (int k = 0; k < STEP; ++k)
        take(values, k, done);
      return;
    }
    int k = 0;
    while (k < count) {
      if (position + k == end_) {
        close();
        open(position + k);
      }
      const int until = (int)smaller(count, end_ - position);
      for (; k < until; ++k)
        take(values, k, done);
    }
  }

  __device__ __forceinline__ void close() {
    if (at_ >= 0) view_.total[cluster_ * view_.ld + at_] = sum_;
  }

private:
  __device__ __forceinline__ void take(const stage<T> &values, int k, int done) {
    const double value = (double)values.value[k][threadIdx.x % 32];
    sum_ += CHECKED ? checked(job_, own_, done + k, value, view_) : value;
  }

  __device__ __forceinline__ void open(int64_t position) {
    cluster_ = view_.cluster[position];
    end_ = view_.start[cluster_ + 1];
    sum_ = at_ >= 0 ? view_.total[cluster_ * view_.ld + at_] : 0;
  }

  const block_job<T> &job_;
  const strip &own_;
  const sorted_view &view_;
  const int64_t at_, from_;
  int64_t cluster_, end_;
  double sum_;
};

/* Adds a block to the sums of its rows and, below the diagonal, of its columns, with a thread block
   for STRIP of them: the last warp adds what the others bring. */
template <class T, bool CHECKED>
__global__ void __launch_bounds__(ADD_THREADS, ADD_BLOCKS)
    add_block(const __grid_constant__ block_job<T> job, const __grid_constant__ sorted_view view) {
  __shared__ stage<T> stages[STAGES];
  const strip own(job);
  const int steps = (own.others + STEP - 1) / STEP;
  const int point = own.first + (int)threadIdx.x % 32;
  const bool there = point < (own.of_rows ? job.rows : job.columns);
  const bool adds = threadIdx.x >= 32 * PRODUCERS;
  chain<T, CHECKED> sums(job, own, view, there ? point + (own.of_rows ? job.row : job.column) : -1,
                         own.of_rows ? job.column : job.row);
  const auto start = [&](int step) {
    if (!adds && step < steps) start_step(job, own, step, stages[step % STAGES]);
    __pipeline_commit(); /* also when empty, so that the wait below can count */
  };
  for (int step = 0; step < STAGES - 1; ++step)
    start(step);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads(); /* this step is there, and the one before has been added */
    start(step + STAGES - 1);
    if (adds)
      sums.add(stages[step % STAGES], step * STEP, (int)smaller(STEP, own.others - step * STEP));
  }
  if (adds) sums.close();
}

/* Makes the results of the sums. none: the width of a point without another cluster. */
__global__ void __launch_bounds__(THREADS)
    finish_points(const sorted_view view, double none, int32_t *neighbors, double *widths) {
  const int64_t p = this_item();
  if (p >= view.n) return;
  const int32_t own = view.cluster[p];
  int32_t neighbor = -1;
  double least = none;
  for (int64_t c = 0; c < view.clusters; ++c) {
    const int64_t size = view.start[c + 1] - view.start[c];
    if (size > 0 && !is_finite(view.total[c * view.ld + p])) view.found->odd = 1;
    if (size == 0 || c == own) continue;
    gg_silhouette_take(view.total[c * view.ld + p], (double)size, (int32_t)c, &neighbor, &least);
  }
  const double total = view.total[own * view.ld + p];
  const double size = (double)(view.start[own + 1] - view.start[own]);
  if (isinf(total) || isinf(least)) view.found->overflow = 1; /* all write 1 */
  neighbors[view.order[p]] = neighbor;
  widths[view.order[p]] = neighbor < 0 ? none : gg_silhouette_width(total, size, least);
}

/* --- Sizes ------------------------------------------------------------------------------------ */

/* How a job is divided. */
struct division {
  bool single; /* distances of a block are floats */
  tile_kernel kernel;
  int64_t side, panel, piece; /* points of a block and of a panel; blocks of a piece */

  int64_t value_bytes() const { return single ? sizeof(float) : sizeof(double); }
  int64_t buffer_bytes() const { return side * side * value_bytes(); }
};

/* Returns the whole square of `side` points, as the kernels take it. */
pair_block square_of(int64_t side) { return {0, side, 0, side, side, 0}; }

/* Chooses the side of a block, which one launch of so many tiles computes; kernel: NULL if none
 * does. */
int64_t side_of(int64_t n, int64_t work_bytes, const tile_kernel *kernel, int64_t tiles) {
  const int64_t limit = work_bytes > 0 ? work_bytes / 2 : INT64_MAX;
  const auto suits = [&](int64_t side) {
    return side / 2 < n && BUFFERS * side * side * (int64_t)sizeof(double) <= limit &&
           (!kernel || kernel->grid.count(square_of(side)) <= tiles);
  };
  int64_t side = SIDE;
  while (side > LEAST_SIDE && !suits(side))
    side /= 2;
  return side;
}

division divide(const gg_silhouette_plan &plan, const gg_dist_plan *points) {
  const int64_t n = plan.source->n;
  division d = {};
  d.piece = PIECE;
  if (!points) {
    d.side = side_of(n, plan.source->options.run.work_bytes, nullptr, 0);
    return d;
  }
  const double side = (double)smaller(n, SIDE);
  d.single = points->single;
  d.kernel = choose_kernel(*points, side * side);
  const int64_t tiles = tiles_of_launch(*points, d.kernel);
  d.side = side_of(n, points->work_bytes, &d.kernel, tiles);
  d.piece = larger(1, smaller(PIECE, tiles / 16 / d.kernel.grid.count(square_of(d.side))));
  const int64_t fit = STAGING_BYTES / (points->m * (int64_t)sizeof(double)) / PANEL_UNIT;
  d.panel = smaller(smaller(larger(fit, 1) * PANEL_UNIT, PANEL_MOST), round_up(n, PANEL_UNIT));
  return d;
}

/* What a job has in device memory, without blocks and points. */
struct device_parts {
  sorted_view v;
  int32_t *neighbor;
  double *width;
};

/* Takes the arrays of a view of sorted points from memory. */
int64_t divide_memory(device_parts &parts, int64_t n, int64_t clusters, char *memory) {
  divider part(memory);
  sorted_view &v = parts.v;
  v.n = n;
  v.clusters = clusters;
  v.ld = round_up(n, STRIP);
  part.take(v.total, clusters * v.ld);
  part.take(v.order, n);
  part.take(v.cluster, n);
  part.take(v.start, clusters + 1);
  part.take(v.found, 1);
  part.take(parts.neighbor, n);
  part.take(parts.width, n);
  return part.bytes();
}

/* Returns the bytes of device memory that a job needs, roughly. */
double bytes_needed(const gg_silhouette_plan &plan, const gg_dist_plan *points, const division &d) {
  const double n = (double)plan.source->n, clusters = (double)plan.clusters;
  double bytes = 8 * (clusters + 5) * (n + STRIP) + 8 * clusters;
  bytes += (double)(BUFFERS * d.buffer_bytes() + 16 * MIB);
  if (!points) return bytes;
  const double m = (double)points->m, panel = (double)d.panel;
  bytes += m * (n + 16) * (double)d.value_bytes() + 8 * m * panel;
  bytes +=
      (double)(prepare_scratch(d.panel) + point_loader::device_bytes(*points, PANEL_SLOT_BYTES) +
               point_loader::device_rank_bytes(*points, PANEL_RANK_BYTES));
  return bytes + 8 * ((double)gg_factor_size(points) + 2 * m);
}

/* --- A job ------------------------------------------------------------------------------------ */

class silhouette_job {
public:
  silhouette_job(const gg_silhouette_plan &plan, const gg_dist_plan *points, const worker &here,
                 const division &division);

  void run(gg_silhouette_outcome &outcome);

private:
  void sort_points();
  void load_points();
  template <class real> void load_points_as();
  void add_all(bool checked, double scale);
  void add(const pair_block &block, bool checked, double scale);
  void compute(const pair_block &block, const device_memory &to, cudaStream_t stream);
  template <class T>
  void enqueue_addition(const pair_block &block, const device_memory &from, bool checked,
                        double scale);
  survey finish();
  void fetch_results();

  /* Bring work to the queue in pieces that take some milliseconds. */
  void begin_work();
  void end_work();

  template <class T> void bring(T *to, const std::vector<T> &from) {
    copy_in(to, from.data(), from.size() * sizeof(T));
  }
  const gg_dist_plan &points() const { return *points_; }
  double fraction() const { return done_ / ((double)n_ * (double)n_); }

  struct buffer {
    device_memory memory;
    event computed{cudaEventDisableTiming}, added{cudaEventDisableTiming};
  };

  const gg_silhouette_plan &plan_;
  const gg_dist_plan *points_; /* NULL: distances on the device */
  const worker &here_;
  device_resources &resources_;
  const division division_;
  const int64_t n_;
  double done_ = 0;   /* pairs, of n by n */
  int64_t piece_ = 0; /* blocks of the present piece; 0: it has not begun */
  int64_t blocks_ = 0;
  device_memory memory_, point_memory_, weight_;
  device_parts parts_ = {};
  sorted_view &v_ = parts_.v;
  std::vector<int32_t> position_; /* of each point */
  tile_job job_ = {};
  buffer buffers_[BUFFERS];
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

silhouette_job::silhouette_job(const gg_silhouette_plan &plan, const gg_dist_plan *points,
                               const worker &here, const division &division)
    : plan_(plan), points_(points), here_(here), resources_(*here.resources), division_(division),
      n_(plan.source->n), pieces_(resources_.upload, here.clock), finish_(resources_) {
  memory_.allocate(divide_memory(parts_, n_, plan.clusters, nullptr));
  divide_memory(parts_, n_, plan.clusters, memory_.as());
  for (buffer &one : buffers_)
    one.memory.allocate(division.buffer_bytes());
}

void silhouette_job::run(gg_silhouette_outcome &outcome) {
  sort_points();
  if (points_) load_points();
  add_all(false, 1);
  survey found = finish();
  if (found.odd || found.bad > 0) { /* again, to find out why */
    add_all(true, 1);
    found = finish();
  }
  if (found.overflow && found.bad == 0) {
    add_all(true, SMALLER);
    found = finish();
  }
  if (found.bad > 0) {
    const double values[] = {NAN, INFINITY, -INFINITY};
    outcome.bad.count = (int64_t)found.bad;
    outcome.bad.i = (int64_t)(found.first >> 2 & INT32_MAX);
    outcome.bad.j = (int64_t)(found.first >> 33);
    outcome.bad.value = values[found.first & 3];
  } else {
    fetch_results();
  }
  here_.report->device_seconds += pieces_.seconds();
}

/* --- Points ----------------------------------------------------------------------------------- */

/* Sorts the points by cluster, with those of a cluster in their order. */
void silhouette_job::sort_points() {
  std::vector<int64_t> start((size_t)plan_.clusters + 1);
  for (int64_t i = 0; i < n_; ++i)
    ++start[(size_t)plan_.cluster[i] + 1];
  for (size_t c = 0; c < (size_t)plan_.clusters; ++c)
    start[c + 1] += start[c];
  bring(v_.start, start);
  std::vector<int64_t> order((size_t)n_);
  std::vector<int32_t> cluster((size_t)n_);
  position_.resize((size_t)n_);
  for (int64_t i = 0; i < n_; ++i) {
    const int64_t at = start[(size_t)plan_.cluster[i]]++;
    order[(size_t)at] = i;
    cluster[(size_t)at] = plan_.cluster[i];
    position_[(size_t)i] = (int32_t)at;
  }
  bring(v_.order, order);
  bring(v_.cluster, cluster);
}

void silhouette_job::load_points() {
  if (division_.single)
    load_points_as<float>();
  else
    load_points_as<double>();
  bring_weights(points(), weight_);
  job_.m = points().m;
  job_.weight = weight_.as();
  job_.p = points().p;
  job_.finish = points().finish;
  job_.missing = NAN;
  job_.missing_float = NAN;
}

/* Brings the points to their positions. */
template <class real> void silhouette_job::load_points_as() {
  const int64_t m = points().m, ld = round_up(n_, PANEL_UNIT), panel = division_.panel;
  const int64_t bytes = ld * m * (int64_t)sizeof(real);
  device_memory position, staging;
  position.allocate(n_ * (int64_t)sizeof(int32_t));
  bring(position.as<int32_t>(), position_);
  staging.allocate(panel * m * (int64_t)sizeof(double));
  point_memory_.allocate(bytes);
  /* What fills up the rows is read, though no result depends on it. */
  GG_CUDA(cudaMemsetAsync(point_memory_.as(), 0, (size_t)bytes, resources_.upload));
  const finish_streams finish(resources_); /* before both are let go */
  load_panels(
      points(), points().x, n_, {panel, panel}, resources_, here_.clock,
      [&](int64_t) { return staging.as<double>(); },
      [&](int64_t i, int64_t count) {
        const dim3 grid(blocks_for(count, THREADS), (unsigned)smaller(m, 64));
        place_points<<<grid, THREADS, 0, resources_.upload>>>(staging.as<double>(), panel, count, m,
                                                              position.as<int32_t>() + i,
                                                              point_memory_.as<real>(), ld);
        GG_CUDA(cudaGetLastError());
      });
  job_.a = job_.b = {point_memory_.as(), ld, 0};
}

/* --- Blocks ----------------------------------------------------------------------------------- */

void silhouette_job::begin_work() {
  if (piece_ == 0) pieces_.begin(fraction());
}

void silhouette_job::end_work() {
  if (++piece_ < division_.piece) return;
  pieces_.end();
  piece_ = 0;
}

/* Computes the sums of all points. checked: distances that are not finite are noted, and all are
   scaled; else only in blocks on the diagonal, where those of points to themselves become 0. */
void silhouette_job::add_all(bool checked, double scale) {
  const survey none = {0, ~0ull, 0, 0};
  copy_in(v_.found, &none, sizeof none);
  done_ = 0;
  begin_work();
  GG_CUDA(cudaMemsetAsync(v_.total, 0, (size_t)(v_.clusters * v_.ld) * sizeof *v_.total,
                          pieces_.stream()));
  end_work();
  const int64_t side = division_.side;
  for (int64_t j = 0; j < n_; j += side)
    for (int64_t i = j; i < n_; i += side) {
      const int64_t end = smaller(j + side, n_);
      add({i, smaller(i + side, n_), j, end, end, 0}, checked || i == j, scale);
    }
  if (piece_ > 0) pieces_.end();
  piece_ = 0;
}

/* Enqueues the computation of a block and its addition. */
void silhouette_job::add(const pair_block &block, bool checked, double scale) {
  buffer &own = buffers_[blocks_ % BUFFERS];
  const cudaStream_t stream = resources_.compute[blocks_ % 2];
  ++blocks_;
  begin_work();
  GG_CUDA(cudaStreamWaitEvent(stream, own.added, 0));
  compute(block, own.memory, stream);
  GG_CUDA(cudaEventRecord(own.computed, stream));
  GG_CUDA(cudaStreamWaitEvent(pieces_.stream(), own.computed, 0));
  if (division_.single)
    enqueue_addition<float>(block, own.memory, checked, scale);
  else
    enqueue_addition<double>(block, own.memory, checked, scale);
  GG_CUDA(cudaEventRecord(own.added, pieces_.stream()));
  end_work();
  done_ += (double)block.size() * (block.i0 > block.j0 ? 2 : 1);
}

/* Enqueues the computation of a block. */
void silhouette_job::compute(const pair_block &block, const device_memory &to,
                             cudaStream_t stream) {
  if (points_) {
    job_.block = block;
    job_.out = to.as();
    launch(division_.kernel, job_, division_.kernel.grid.count(block), stream);
    return;
  }
  gather_distances(
      *plan_.source->on_device,
      {v_.order + block.i0, v_.order + block.j0, block.i1 - block.i0, block.j1 - block.j0},
      to.as<double>(), stream);
}

template <class T>
void silhouette_job::enqueue_addition(const pair_block &block, const device_memory &from,
                                      bool checked, double scale) {
  const int rows = (int)(block.i1 - block.i0), columns = (int)(block.j1 - block.j0);
  const block_job<T> job = {from.as<T>(), block.i0, block.j0, rows, columns, scale};
  const int64_t strips =
      divide_up(rows, STRIP) + (block.i0 > block.j0 ? divide_up(columns, STRIP) : 0);
  const auto run = checked ? add_block<T, true> : add_block<T, false>;
  run<<<(unsigned)strips, ADD_THREADS, 0, pieces_.stream()>>>(job, v_);
}

/* --- Results ---------------------------------------------------------------------------------- */

/* Makes the results; waits for them. */
survey silhouette_job::finish() {
  pieces_.begin(fraction());
  finish_points<<<blocks_for(n_, THREADS), THREADS, 0, pieces_.stream()>>>(v_, NAN, parts_.neighbor,
                                                                           parts_.width);
  pieces_.end();
  pieces_.drain(fraction());
  survey found;
  GG_CUDA(cudaMemcpy(&found, v_.found, sizeof found, cudaMemcpyDeviceToHost));
  return found;
}

void silhouette_job::fetch_results() {
  const auto bring_back = [&](const auto *from, auto *to) {
    fetch(resources_, from, n_ * (int64_t)sizeof *from, to, here_.threads, here_.clock, fraction());
  };
  bring_back(parts_.neighbor, plan_.neighbor);
  bring_back(parts_.width, plan_.width);
}

} // namespace

gpugeo_status silhouette(const gg_silhouette_plan &plan, gg_silhouette_outcome *outcome,
                         call &call) {
  call.workers().run([&](const worker &here) {
    gg_dist_plan mine;
    if (plan.points) mine = plan_of(*plan.points, here);
    const gg_dist_plan *points = plan.points ? &mine : nullptr;
    const division division = divide(plan, points);
    outcome->declined = (points && depends_on_order(points->step)) ||
                        bytes_needed(plan, points, division) > (double)memory_budget(0);
    if (!outcome->declined) silhouette_job(plan, points, here, division).run(*outcome);
  });
  return GPUGEO_OK;
}

} // namespace gpugeo
