/*
 * Sums over pairs for many permutations, with the condensed matrix of distances in the device's
 * memory, and at most 1 GiB more.
 *
 * A sum belongs to a lane. What the points have in all lanes of a batch is written first; then
 * tiles of pairs are taken in the order of the plan, as many as there is room for their sums of
 * columns (add_pairs). These are chained together on a second stream (chain), while the next tiles
 * are computed. The total of all values is one lane more, with a basis or a weight of 1.
 *
 * Limit: the FP64 pipe. 25,145 points and 1,000 lanes are 3.2e11 additions or fma, 0.019 s on an
 * H200 at 64 each cycle and multiprocessor (predicted); a thread loads 4 lanes of a row and 8
 * values from shared memory for 32 of them. The chain of 617,000 fma of a lane takes 0.008 s
 * (predicted), most of it beside the sums.
 */
#include <cmath>
#include <cstring>
#include <type_traits>

#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/dist/dist_resident.cuh"
#include "ordination/permuted_sums.h"
#include "ordination/tested.h"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB, MOST_REST = 768 * MIB; /* while distances are computed */
constexpr int64_t POINT_BYTES = 512 * MIB; /* of what the points have in a batch of lanes */
constexpr int64_t MOST_LANES = 1 << 15;    /* of a batch: a grid has fewer than 2^16 rows */
constexpr int64_t ADDED_BYTES = 128 * MIB; /* of sums of columns, in each of two buffers */

/* Part of the call's time that the distances take, for progress. */
constexpr double SHARE_OF_DISTANCES = 0.5;

enum {
  SIDE = GG_SUMS_SIDE,
  THREADS = 128,
  OWN_LANES = 4,          /* of a thread: those of a warp follow each other */
  OWN_COLUMNS = 8,        /* of a warp */
  LANES = 32 * OWN_LANES, /* of a thread block */
  COLUMNS = 4 * OWN_COLUMNS,
  STRIP = 32, /* rows in shared memory */
  CHAIN_LANES = 32,
  CHAIN_THREADS = 256,
  CHAIN_STEPS = 64 /* in shared memory */
};

/* --- Kernels ---------------------------------------------------------------------------------- */

/* What a point has in a lane: its group, or its element of a basis. */
template <bool GROUPS> struct of_point {
  typedef typename std::conditional<GROUPS, int32_t, double>::type type;
};

/* Distances that a sum cannot take: how many, and the first in condensed order. */
struct survey {
  unsigned long long unfit, first_unfit, negative, first_negative;
};

template <class T>
__global__ void __launch_bounds__(CHAIN_THREADS)
    find_bad(const T *values, int64_t count, bool may_be_negative, survey *found) {
  for (int64_t e = this_item(); e < count; e += (int64_t)gridDim.x * blockDim.x) {
    const double value = (double)values[e];
    if (!isfinite(value)) {
      atomicAdd(&found->unfit, 1ull);
      atomicMin(&found->first_unfit, (unsigned long long)e);
    } else if (value < GG_LEAST_DISTANCE && !may_be_negative) {
      atomicAdd(&found->negative, 1ull);
      atomicMin(&found->first_negative, (unsigned long long)e);
    }
  }
}

/* The lanes of a batch. */
template <class P> struct fill_job {
  int64_t n, lanes; /* lanes: of the batch, with those that fill up a thread block */
  int64_t first;    /* sum of lane 0; sum `all` is the total */
  int64_t all, columns;
  const P *given;       /* n by columns */
  P of_total;           /* what all points have in the lane of the total */
  const int32_t *order; /* permutations from `permutation` on, n each */
  int64_t permutation;  /* at least 1 */
  P *point;             /* n by lanes, lanes contiguous */
};

/* Puts what point i has in place of point s(i). */
template <class P> __global__ void __launch_bounds__(CHAIN_THREADS) fill(const fill_job<P> job) {
  const int64_t i = this_item(), lane = blockIdx.y, sum = job.first + lane;
  if (i >= job.n) return;
  int64_t at = i;
  P value = 0;
  if (sum == job.all) value = job.of_total;
  if (sum < job.all) {
    const int64_t permutation = sum / job.columns;
    if (permutation > 0) at = job.order[(permutation - job.permutation) * job.n + i];
    value = job.given[sum % job.columns * job.n + i];
  }
  job.point[at * job.lanes + lane] = value;
}

/* Tiles of one column of tiles. */
struct sums_job {
  const void *values; /* condensed distances */
  int64_t n;
  bool square;
  const void *point; /* n by lanes */
  int64_t lanes;
  int64_t column, row; /* the first of the first tile */
  int columns;         /* of a tile */
  double *added;       /* lanes by columns by tiles, lanes contiguous */
};

/* Returns the value of a pair, 0 where i <= j. */
template <class T>
__device__ __forceinline__ double value_of(const sums_job &job, int64_t i, int64_t j) {
  if (i <= j) return 0;
  const double value =
      (double)static_cast<const T *>(job.values)[all_pairs(job.n).offset(j) + i - j - 1];
  return job.square ? value * value : value;
}

/* Copies OWN_LANES values, which are aligned to as many bytes, up to 16. */
template <class P> __device__ __forceinline__ void copy_lanes(P *to, const P *from) {
  constexpr int words = OWN_LANES * sizeof(P) / sizeof(int4);
#pragma unroll
  for (int w = 0; w < words; ++w)
    reinterpret_cast<int4 *>(to)[w] = reinterpret_cast<const int4 *>(from)[w];
}

/* Adds up the values of COLUMNS columns over the rows of a tile, in LANES lanes. */
template <bool GROUPS, class T>
__global__ void __launch_bounds__(THREADS, 3) add_pairs(const sums_job job) {
  typedef typename of_point<GROUPS>::type P;
  alignas(16) __shared__ double value[STRIP][COLUMNS + 2];
  alignas(16) __shared__ P row_point[STRIP][LANES];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = OWN_LANES * lane;
  const P *point = static_cast<const P *>(job.point) + (int64_t)blockIdx.y * LANES + own;
  const int first_column = (int)blockIdx.x * COLUMNS,
            own_column = first_column + OWN_COLUMNS * warp;
  const int64_t first_row = job.row + (int64_t)blockIdx.z * SIDE;
  const int rows = (int)smaller(SIDE, job.n - first_row);

  P column[OWN_COLUMNS][OWN_LANES];
  double sum[OWN_COLUMNS][OWN_LANES];
#pragma unroll
  for (int c = 0; c < OWN_COLUMNS; ++c) {
    const int64_t j = job.column + smaller(own_column + c, job.columns - 1);
#pragma unroll
    for (int l = 0; l < OWN_LANES; ++l) {
      column[c][l] = GROUPS ? point[j * job.lanes + l] : P(0);
      sum[c][l] = 0;
    }
  }

  for (int r0 = 0; r0 < rows; r0 += STRIP) {
    __syncthreads();
    for (int c = warp; c < COLUMNS; c += THREADS / 32) {
      const bool there = first_column + c < job.columns && r0 + lane < rows;
      value[lane][c] =
          there ? value_of<T>(job, first_row + r0 + lane, job.column + first_column + c) : 0;
    }
    for (int r = warp; r < STRIP && r0 + r < rows; r += THREADS / 32)
      copy_lanes(&row_point[r][own], point + (first_row + r0 + r) * job.lanes);
    __syncthreads();
    const int left = rows - r0 < STRIP ? rows - r0 : STRIP;
#pragma unroll 2
    for (int r = 0; r < left; ++r) {
      alignas(16) P row[OWN_LANES];
      copy_lanes(row, &row_point[r][own]);
      const double *of_row = &value[r][OWN_COLUMNS * warp];
#pragma unroll
      for (int c = 0; c < OWN_COLUMNS; ++c) {
        const double a = of_row[c];
#pragma unroll
        for (int l = 0; l < OWN_LANES; ++l) {
          if (!GROUPS)
            sum[c][l] = fma(a, (double)row[l], sum[c][l]);
          else if (row[l] == column[c][l])
            sum[c][l] += a;
        }
      }
    }
  }

#pragma unroll
  for (int c = 0; c < OWN_COLUMNS; ++c) {
    if (own_column + c >= job.columns) continue;
    const int64_t step = (int64_t)blockIdx.z * job.columns + own_column + c;
    double *added = job.added + step * job.lanes + (int64_t)blockIdx.y * LANES + own;
#pragma unroll
    for (int l = 0; l < OWN_LANES; ++l)
      added[l] = sum[c][l];
  }
}

/* Adds the sums of columns, times what the column's point has, to those of the lanes, in their
   order. One warp adds what the others have brought. */
template <bool GROUPS>
__global__ void __launch_bounds__(CHAIN_THREADS)
    chain(const sums_job job, int steps, const double *weight, double *sums) {
  typedef typename of_point<GROUPS>::type P;
  __shared__ double part[CHAIN_STEPS][CHAIN_LANES], factor[CHAIN_STEPS][CHAIN_LANES];
  const int x = threadIdx.x % CHAIN_LANES, y = threadIdx.x / CHAIN_LANES;
  const int64_t lane = (int64_t)blockIdx.x * CHAIN_LANES + x;
  const P *point = static_cast<const P *>(job.point) + lane;
  double sum = y == 0 ? sums[lane] : 0;
  for (int s0 = 0; s0 < steps; s0 += CHAIN_STEPS) {
    const int left = steps - s0 < CHAIN_STEPS ? steps - s0 : CHAIN_STEPS;
    __syncthreads();
#pragma unroll
    for (int k = y; k < CHAIN_STEPS; k += CHAIN_THREADS / CHAIN_LANES) {
      if (k >= left) continue;
      const P of_column = point[(job.column + (s0 + k) % job.columns) * job.lanes];
      part[k][x] = job.added[(s0 + k) * job.lanes + lane];
      factor[k][x] = GROUPS ? weight[(int)of_column] : (double)of_column;
    }
    __syncthreads();
    if (y > 0) continue;
#pragma unroll 8
    for (int k = 0; k < left; ++k)
      sum = fma(part[k][x], factor[k][x], sum);
  }
  if (y == 0) sums[lane] = sum;
}

/* --- A call ----------------------------------------------------------------------------------- */

/* Returns the bytes of what a point has in a lane, with its number in the permutation. */
int64_t lane_bytes(const gg_permuted_sums_plan &plan) {
  return (plan.basis ? sizeof(double) : sizeof(int32_t)) + sizeof(int32_t);
}

int64_t matrix_bytes(const gg_permuted_sums_plan &plan) {
  return plan.source->on_device ? 0 : plan.n * (plan.n - 1) / 2 * (int64_t)sizeof(double);
}

class permuted {
public:
  permuted(const gg_permuted_sums_plan &plan, const worker &here, gpugeo_error *error);

  /* Returns the core's errors about distances. */
  gpugeo_status run();

private:
  gpugeo_status fill_matrix();
  gpugeo_status check_values();
  gg_bad_distances bad_distances(unsigned long long count, unsigned long long first) const;
  void run_batches();
  template <bool GROUPS> void run_batch(int64_t first, int64_t lanes);
  template <bool GROUPS> void fill_points(int64_t first, int64_t lanes);
  template <bool GROUPS> void add_tiles(sums_job job, int64_t tiles);
  const int32_t *bring_order(int64_t from, int64_t end);

  template <class Launch> void run_piece(Launch launch) {
    pieces_.begin(fraction());
    launch();
    pieces_.end();
  }
  double fraction() const { return begun_ + (1 - begun_) * pairs_done_ / (pairs_ * batches_); }

  const gg_permuted_sums_plan &plan_;
  const worker &here_;
  gpugeo_error *error_;
  const double pairs_;
  double begun_, pairs_done_ = 0, batches_ = 1;
  const int64_t all_; /* sums; the total is one more */
  int64_t most_;      /* lanes of a batch */
  int64_t added_bytes_;
  bool single_ = false;
  const void *values_ = nullptr;
  device_memory matrix_, given_, weight_, order_, point_, added_[2], sums_, found_;
  event computed_[2], chained_[2];
  int turn_ = 0;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

permuted::permuted(const gg_permuted_sums_plan &plan, const worker &here, gpugeo_error *error)
    : plan_(plan), here_(here), error_(error),
      pairs_((double)plan.n * (double)(plan.n + SIDE) / 2), /* of tiles, at most */
      begun_(plan.source->on_device ? plan.done : plan.done + (1 - plan.done) * SHARE_OF_DISTANCES),
      all_(gg_permuted_sums_count(&plan)), pieces_(here.resources->compute[0], here.clock),
      finish_(*here.resources) {
  const int64_t limit = plan.work_bytes > 0 ? plan.work_bytes : INT64_MAX;
  const int64_t point_bytes = smaller(POINT_BYTES, limit / 2);
  const int64_t fit = larger(1, point_bytes / (plan.n * lane_bytes(plan)) / LANES) * LANES;
  most_ = smaller(smaller(fit, MOST_LANES), round_up(all_ + 1, LANES));
  added_bytes_ = larger(smaller(ADDED_BYTES, limit / 4), SIDE * most_ * (int64_t)sizeof(double));
  batches_ = (double)divide_up(all_ + 1, most_);
}

gpugeo_status permuted::run() {
  gpugeo_status status = fill_matrix();
  if (!status) status = check_values();
  if (status) return status;
  run_batches();
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

/* --- The distances ---------------------------------------------------------------------------- */

gpugeo_status permuted::fill_matrix() {
  if (const gpugeo_dist_device *there = plan_.source->on_device) {
    values_ = there->values;
    single_ = there->single;
    return GPUGEO_OK;
  }
  matrix_.allocate(matrix_bytes(plan_));
  values_ = matrix_.as();
  part_clock part(here_.clock, plan_.done, begun_ - plan_.done);
  worker mine = here_;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*plan_.source, plan_.points, mine, budget, {matrix_.as(), plan_.n, true},
                       error_);
}

gg_bad_distances permuted::bad_distances(unsigned long long count, unsigned long long first) const {
  gg_bad_distances bad = {(int64_t)count, 0, 0, 0};
  if (count == 0) return bad;
  const pair_block all = all_pairs(plan_.n);
  const int64_t e = (int64_t)first;
  bad.j = all.column_of(e);
  bad.i = bad.j + 1 + e - all.offset(bad.j);
  float value = 0;
  const int64_t bytes = single_ ? sizeof value : sizeof bad.value;
  GG_CUDA(cudaMemcpy(single_ ? (void *)&value : &bad.value,
                     static_cast<const char *>(values_) + e * bytes, (size_t)bytes,
                     cudaMemcpyDeviceToHost));
  if (single_) bad.value = (double)value;
  return bad;
}

/* Fails for distances that are not finite, or negative. */
gpugeo_status permuted::check_values() {
  survey found = {0, ~0ull, 0, ~0ull};
  found_.allocate(sizeof found);
  copy_in(found_.as(), &found, sizeof found);
  const int64_t count = plan_.n * (plan_.n - 1) / 2;
  const unsigned blocks = (unsigned)smaller(divide_up(count, CHAIN_THREADS), 1 << 14);
  const bool may = plan_.may_be_negative;
  run_piece([&] {
    if (single_)
      find_bad<<<blocks, CHAIN_THREADS, 0, pieces_.stream()>>>(static_cast<const float *>(values_),
                                                               count, may, found_.as<survey>());
    else
      find_bad<<<blocks, CHAIN_THREADS, 0, pieces_.stream()>>>(static_cast<const double *>(values_),
                                                               count, may, found_.as<survey>());
  });
  pieces_.drain(fraction());
  GG_CUDA(cudaMemcpy(&found, found_.as(), sizeof found, cudaMemcpyDeviceToHost));
  const gg_bad_distances unfit = bad_distances(found.unfit, found.first_unfit);
  const gg_bad_distances negative = bad_distances(found.negative, found.first_negative);
  return gg_check_distances(plan_.name, &unfit, &negative, error_);
}

/* --- Batches ---------------------------------------------------------------------------------- */

void permuted::run_batches() {
  const bool groups = !plan_.basis;
  const int64_t value = groups ? (int64_t)sizeof(int32_t) : sizeof(double);
  const int64_t bytes = plan_.n * plan_.columns * value;
  given_.allocate(larger(bytes, 1));
  if (bytes > 0)
    copy_in(given_.as(), groups ? (const void *)plan_.group : plan_.basis, (size_t)bytes);
  std::vector<double> weight(plan_.weight, plan_.weight + (groups ? plan_.groups : 0));
  weight.push_back(1); /* of the total */
  weight_.allocate((int64_t)(weight.size() * sizeof weight[0]));
  copy_in(weight_.as(), weight.data(), weight.size() * sizeof weight[0]);
  point_.allocate(plan_.n * most_ * value);
  order_.allocate(plan_.n * larger(1, smaller(plan_.permutations, most_)) *
                  (int64_t)sizeof(int32_t));
  for (device_memory &added : added_)
    added.allocate(added_bytes_);
  sums_.allocate(most_ * (int64_t)sizeof(double));
  for (int64_t first = 0; first <= all_; first += most_) {
    const int64_t lanes = smaller(most_, round_up(all_ + 1 - first, LANES));
    if (groups)
      run_batch<true>(first, lanes);
    else
      run_batch<false>(first, lanes);
  }
}

/* Copies permutations [from, end) to the device, in parts between which the hooks are asked. */
const int32_t *permuted::bring_order(int64_t from, int64_t end) {
  const int64_t part = larger(1, (1 << 23) / plan_.n);
  for (int64_t p = from; p < end; p += part) {
    if (gg_clock_poll(here_.clock, fraction())) throw interrupted();
    const size_t bytes = (size_t)(smaller(part, end - p) * plan_.n) * sizeof(int32_t);
    copy_in(order_.as<int32_t>() + (p - from) * plan_.n, plan_.order + (p - 1) * plan_.n, bytes);
  }
  return order_.as<int32_t>();
}

/* Writes what the points have in the lanes of sums from `first` on. */
template <bool GROUPS> void permuted::fill_points(int64_t first, int64_t lanes) {
  typedef typename of_point<GROUPS>::type P;
  const int64_t columns = larger(plan_.columns, 1), end = smaller(first + lanes, all_);
  const int64_t from = larger(1, first / columns);
  fill_job<P> job = {};
  job.n = plan_.n;
  job.lanes = lanes;
  job.first = first;
  job.all = all_;
  job.columns = columns;
  job.given = given_.as<P>();
  job.of_total = GROUPS ? (P)plan_.groups : (P)1;
  job.order = bring_order(from, divide_up(end, columns));
  job.permutation = from;
  job.point = point_.as<P>();
  run_piece([&] {
    const dim3 grid(blocks_for(plan_.n, CHAIN_THREADS), (unsigned)lanes);
    fill<P><<<grid, CHAIN_THREADS, 0, pieces_.stream()>>>(job);
  });
}

/* Enqueues so many tiles and the chain of their sums. */
template <bool GROUPS> void permuted::add_tiles(sums_job job, int64_t tiles) {
  const int b = turn_;
  turn_ = 1 - turn_;
  const cudaStream_t second = here_.resources->compute[1];
  job.added = added_[b].as<double>();
  run_piece([&] {
    GG_CUDA(cudaStreamWaitEvent(pieces_.stream(), chained_[b], 0));
    const dim3 grid((unsigned)divide_up(job.columns, COLUMNS), (unsigned)(job.lanes / LANES),
                    (unsigned)tiles);
    if (single_)
      add_pairs<GROUPS, float><<<grid, THREADS, 0, pieces_.stream()>>>(job);
    else
      add_pairs<GROUPS, double><<<grid, THREADS, 0, pieces_.stream()>>>(job);
    GG_CUDA(cudaEventRecord(computed_[b], pieces_.stream()));
  });
  GG_CUDA(cudaStreamWaitEvent(second, computed_[b], 0));
  chain<GROUPS><<<(unsigned)(job.lanes / CHAIN_LANES), CHAIN_THREADS, 0, second>>>(
      job, (int)tiles * job.columns, weight_.as<double>(), sums_.as<double>());
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaEventRecord(chained_[b], second));
}

/* Computes the sums [first, first + lanes), as far as there are. */
template <bool GROUPS> void permuted::run_batch(int64_t first, int64_t lanes) {
  const int64_t n = plan_.n;
  fill_points<GROUPS>(first, lanes);
  GG_CUDA(
      cudaMemsetAsync(sums_.as(), 0, (size_t)lanes * sizeof(double), here_.resources->compute[1]));
  sums_job job = {};
  job.values = values_;
  job.n = n;
  job.square = plan_.value == GG_PAIR_SQUARE;
  job.point = point_.as();
  job.lanes = lanes;
  for (job.column = 0; job.column < n; job.column += SIDE) {
    job.columns = (int)smaller(SIDE, n - job.column);
    const int64_t tile_bytes = job.columns * lanes * (int64_t)sizeof(double);
    const int64_t most = added_bytes_ / tile_bytes;
    for (job.row = job.column; job.row < n; job.row += most * SIDE) {
      const int64_t tiles = smaller(most, divide_up(n - job.row, SIDE));
      add_tiles<GROUPS>(job, tiles);
      pairs_done_ += smaller(tiles * SIDE, n - job.row) * (double)job.columns;
    }
  }
  pieces_.drain(fraction());
  wait(chained_[0], here_.clock, fraction());
  wait(chained_[1], here_.clock, fraction());
  std::vector<double> sums((size_t)lanes);
  GG_CUDA(
      cudaMemcpy(sums.data(), sums_.as(), (size_t)lanes * sizeof(double), cudaMemcpyDeviceToHost));
  for (int64_t l = 0; l < lanes && first + l <= all_; ++l) {
    const int64_t sum = first + l, rows = 1 + plan_.permutations;
    if (sum == all_)
      *plan_.total = sums[(size_t)l];
    else
      plan_.sums[sum / plan_.columns + sum % plan_.columns * rows] = sums[(size_t)l];
  }
}

} // namespace

gpugeo_status permuted_sums(const gg_permuted_sums_plan &plan, team &team, gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  team.run([&](const worker &here) {
    const int64_t rest = POINT_BYTES + 2 * ADDED_BYTES + LEAST_REST;
    status = check_room("the test", plan.n, matrix_bytes(plan) + rest, here.device, error);
    if (!status) status = permuted(plan, here, error).run();
  });
  return status;
}

} // namespace gpugeo
