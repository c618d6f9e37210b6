/*
 * The covariance of points and its Cholesky factor, for Mahalanobis' distance, with the bits of
 * src/distance/covariance.c: sums over points have their order, products are added up in panels of
 * as many points, and an element of the factor is what earlier columns leave of it, one after
 * another.
 *
 * Sums of single coordinates are limited by the latency of one addition after another; products,
 * and what the columns of a panel take from later ones, by the FP64 pipes; the factor of a panel by
 * the latency of its columns.
 */
#include <cfloat>
#include <vector>

#include "common/matrix.h"
#include "cuda/common/device.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/common/sort.cuh"
#include "cuda/common/team.cuh"
#include "cuda/common/transpose.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/distance/moments.cuh"
#include "cuda/distance/pseudoinverse.cuh"
#include "cuda/distance/square_sums.cuh"
#include "distance/dist.h"
#include "distance/pseudoinverse.h"
#include "distance/whitening.h"

namespace gpugeo {
namespace {

using real = double;
/* clang-format off */
#include "common/vector.h"
#include "distance/power.h"
#include "distance/metric_step.h"
/* clang-format on */

enum { MANY = 256, COORDINATES = 64 };  /* threads; coordinates that one of them looks at */
constexpr int64_t SLOT_BYTES = 1 << 24; /* of pinned memory */
constexpr int64_t POINTS = 1 << 17;     /* uploaded together */

/* The complete points, and the root of each coordinate's sum of squares. */
struct complete_view : moment_view {
  double *length;
};

/* --- Complete points -------------------------------------------------------------------------- */

__global__ void find_complete(const double *z, int64_t ld, int64_t n, int64_t m,
                              int32_t *incomplete) {
  const int64_t i = this_item();
  if (i >= n) return;
  const int64_t k0 = (int64_t)blockIdx.y * COORDINATES;
  bool found = false;
  for (int64_t k = k0; k < smaller(k0 + COORDINATES, m); ++k)
    found |= isnan(z[i + k * ld]);
  if (found) incomplete[i] = 1; /* all write the same value */
}

/* Lists the complete points. before[i]: incomplete points before point i. */
__global__ void list_complete(const int32_t *incomplete, const int32_t *before, int64_t n,
                              int32_t *row) {
  const int64_t i = this_item();
  if (i < n && !incomplete[i]) row[i - before[i]] = (int32_t)i;
}

/* --- Moments ---------------------------------------------------------------------------------- */

__global__ void start_moments(complete_view p) {
  const int64_t k = this_item();
  if (k >= p.m) return;
  p.first[k] = p.z[p.row[0] + k * p.ld];
  p.centre[k] = 0;
}

__global__ void move_centre(complete_view p) {
  const int64_t k = this_item();
  if (k < p.m) p.centre[k] += p.sum[k] / (double)p.count;
}

__global__ void take_length(complete_view p) {
  const int64_t k = this_item();
  if (k < p.m) p.length[k] = sqrt(p.sum[k]);
}

/* --- Products --------------------------------------------------------------------------------- */

/* Scales all coordinates to length 1 over the complete points. */
__global__ void scale_points(const complete_view p, int64_t n) {
  const int64_t i = this_item();
  if (i >= n) return;
  for (int64_t k = blockIdx.y; k < p.m; k += gridDim.y) {
    const double length = p.length[k], v = p.z[i + k * p.ld];
    p.z[i + k * p.ld] = length == 0 ? 0 : ((v - p.first[k]) - p.centre[k]) / length;
  }
}

/* The square of this block: those below the diagonal and on it have numbers. */
struct lower_square {
  int64_t row0, column0;
  bool there;
  __device__ __forceinline__ explicit lower_square(int64_t first)
      : row0(first + (int64_t)blockIdx.x * SQUARE_SIDE),
        column0(first + (int64_t)blockIdx.y * SQUARE_SIDE), there(blockIdx.y <= blockIdx.x) {}
};

/* Sums the products of coordinates over panels of `panel` points, and adds these up. */
__global__ void __launch_bounds__(SQUARE_THREADS)
    add_products(const complete_view p, int64_t panel, double *covariance) {
  __shared__ __align__(16) square_terms terms;
  const lower_square square(0);
  if (!square.there) return;
  const step_run run = step_run_make(1, 1, GG_FINISH_SIMILARITY);
  /* A thread brings one point's values of every 16th coordinate. */
  const int point = threadIdx.x % SQUARE_DEPTH, line = threadIdx.x / SQUARE_DEPTH;
  double total[4][4] = {}, sum[4][4] = {};
  for (int64_t i0 = 0; i0 < p.count; i0 += panel) {
    const int64_t end = smaller(i0 + panel, p.count);
    for (int64_t i = i0; i < end; i += SQUARE_DEPTH) {
      const int64_t at = p.row[smaller(i + point, end - 1)];
#pragma unroll
      for (int r = line; r < SQUARE_SIDE; r += SQUARE_THREADS / SQUARE_DEPTH) {
        terms.rows[point][r] = p.z[at + smaller(square.row0 + r, p.m - 1) * p.ld];
        terms.columns[point][r] = p.z[at + smaller(square.column0 + r, p.m - 1) * p.ld];
      }
      __syncthreads();
      const auto take = [](double a, double b, double s) { return fma(a, b, s); };
      if (end - i >= SQUARE_DEPTH) {
#pragma unroll
        for (int l = 0; l < SQUARE_DEPTH; ++l)
          add_term(terms, l, sum, take);
      } else {
        for (int l = 0; l < (int)(end - i); ++l)
          add_term(terms, l, sum, take);
      }
      __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        total[a][b] += product_finish(&sum[a][b], &run);
        sum[a][b] = 0;
      }
  }
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int64_t i = square.row0 + square_row(a), j = square.column0 + square_column(b);
      if (i < p.m && j <= i) covariance[i * p.m + j] = total[a][b];
    }
}

/* Makes covariances of the products of scaled coordinates; those that are not finite are noted. */
__global__ void scale_products(const complete_view p, double rest, double *covariance,
                               int32_t *odd) {
  const int64_t j = this_item();
  for (int64_t i = blockIdx.y; i < p.m; i += gridDim.y) {
    if (j > i) continue;
    const double size = (p.length[i] / rest) * (p.length[j] / rest);
    double *value = covariance + i * p.m + j;
    *value = i == j ? size : *value * size;
    if (!isfinite(*value)) *odd = 1; /* all write the same value */
  }
}

/* --- The factor ------------------------------------------------------------------------------- */

/* The matrix whose lower part becomes the factor, row-major. */
struct factor_job {
  double *a;
  const double *diagonal; /* as it was */
  int64_t m;
  bool drop;
  int64_t *failed; /* the first column without a pivot, or -1 */
};

__global__ void copy_diagonal(const double *a, int64_t m, double *diagonal) {
  const int64_t k = this_item();
  if (k < m) diagonal[k] = a[k * m + k];
}

/* Factors the square on the diagonal from column k0 on. Rows among the same ROWS as a column's
   pivot are divided by its root, later ones by the factor's element, as the CPU does. */
__global__ void __launch_bounds__(SQUARE_THREADS) factor_square(const factor_job job, int64_t k0) {
  constexpr int ROWS = GG_FACTOR_ROWS;
  __shared__ double square[SQUARE_SIDE][SQUARE_PITCH];
  __shared__ double root;
  __shared__ bool lost;
  const int64_t m = job.m;
  const int size = (int)smaller(SQUARE_SIDE, m - k0), lane = threadIdx.x % SQUARE_SIDE;
  const int group = threadIdx.x / SQUARE_SIDE, groups = SQUARE_THREADS / SQUARE_SIDE;
  if (*job.failed >= 0) return;
  for (int r = group; r < size; r += groups)
    square[r][lane] = lane <= r ? job.a[(k0 + r) * m + k0 + lane] : 0;
  __syncthreads();
  for (int j = 0; j < size; ++j) {
    if (threadIdx.x == 0) {
      double rest = square[j][j];
      const double all = job.diagonal[k0 + j];
      if (job.drop && fabs(rest) <= GG_DEPENDENT * all) rest = INFINITY;
      lost = !(rest > (double)m * DBL_EPSILON * all);
      root = sqrt(rest);
      square[j][j] = isinf(root) ? root : rest / root;
      if (lost) *job.failed = k0 + j;
    }
    __syncthreads();
    if (lost) return;
    const int row = j + 1 + (int)threadIdx.x;
    if (row < size) square[row][j] /= row / ROWS == j / ROWS ? root : square[j][j];
    __syncthreads();
    const double other = lane < size ? square[lane][j] : 0;
    for (int r = j + 1 + group; r < size; r += groups)
      if (lane > j && lane <= r) square[r][lane] -= square[r][j] * other;
    __syncthreads();
  }
  for (int r = group; r < size; r += groups)
    if (lane <= r) job.a[(k0 + r) * m + k0 + lane] = square[r][lane];
}

/* Solves for the rows below that square, SQUARE_SIDE of them in each block. */
__global__ void __launch_bounds__(SQUARE_THREADS) solve_rows(const factor_job job, int64_t k0) {
  __shared__ double square[SQUARE_SIDE][SQUARE_PITCH]; /* columns, and rows in lanes */
  const int64_t m = job.m, row0 = k0 + SQUARE_SIDE + (int64_t)blockIdx.x * SQUARE_SIDE;
  const int lane = threadIdx.x % SQUARE_SIDE, group = threadIdx.x / SQUARE_SIDE;
  const int groups = SQUARE_THREADS / SQUARE_SIDE, rows = (int)smaller(SQUARE_SIDE, m - row0);
  for (int r = group; r < SQUARE_SIDE; r += groups)
    square[lane][r] = r < rows ? job.a[(row0 + r) * m + k0 + lane] : 0;
  __syncthreads();
  for (int k = 0; k < SQUARE_SIDE; ++k) {
    const double *column = job.a + k0 * m + k0 + k;
    if (group == 0) square[k][lane] /= column[k * m];
    __syncthreads();
    const double x = square[k][lane];
#pragma unroll 4
    for (int j = k + 1 + group; j < SQUARE_SIDE; j += groups)
      square[j][lane] -= x * column[j * m];
    __syncthreads();
  }
  for (int r = group; r < rows; r += groups)
    job.a[(row0 + r) * m + k0 + lane] = square[lane][r];
}

/* Takes the products of these columns from all that is below and beside them. */
__global__ void __launch_bounds__(SQUARE_THREADS) take_columns(const factor_job job, int64_t k0) {
  __shared__ __align__(16) square_terms terms;
  const lower_square square(k0 + SQUARE_SIDE);
  if (!square.there) return;
  const int64_t m = job.m;
  double rest[4][4];
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int64_t i = square.row0 + square_row(a), j = square.column0 + square_column(b);
      rest[a][b] = i < m && j <= i ? job.a[i * m + j] : 0;
    }
  const int term = threadIdx.x % SQUARE_DEPTH, line = threadIdx.x / SQUARE_DEPTH;
  for (int64_t k = k0; k < k0 + SQUARE_SIDE; k += SQUARE_DEPTH) {
#pragma unroll
    for (int r = line; r < SQUARE_SIDE; r += SQUARE_THREADS / SQUARE_DEPTH) {
      terms.rows[term][r] = job.a[smaller(square.row0 + r, m - 1) * m + k + term];
      terms.columns[term][r] = job.a[smaller(square.column0 + r, m - 1) * m + k + term];
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < SQUARE_DEPTH; ++l)
      add_term(terms, l, rest, [](double a, double b, double s) { return s - a * b; });
    __syncthreads();
  }
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int64_t i = square.row0 + square_row(a), j = square.column0 + square_column(b);
      if (i < m && j <= i) job.a[i * m + j] = rest[a][b];
    }
}

__global__ void clear_upper(double *a, int64_t m) {
  const int64_t j = this_item();
  for (int64_t i = blockIdx.y; i < m; i += gridDim.y)
    if (j > i && j < m) a[i * m + j] = 0;
}

__global__ void fill_upper(double *a, int64_t m) {
  const int64_t j = this_item();
  for (int64_t i = blockIdx.y; i < m; i += gridDim.y)
    if (j > i && j < m) a[i * m + j] = a[j * m + i];
}

/* --- The job ---------------------------------------------------------------------------------- */

/* Returns the grid for items in lines. */
dim3 grid_of(int64_t items, int64_t lines) {
  return dim3(blocks_for(items, MANY), (unsigned)smaller(lines, 4096));
}

class whitening_job {
public:
  whitening_job(const gg_whitening_plan &plan, const worker &here)
      : plan_(plan), clock_(here.clock), resources_(*here.resources), stream_(resources_.upload),
        m_(plan.m), n_(plan.covariance ? 0 : gg_point_count(&plan.x, plan.points)),
        ld_(round_up(n_, 16)) {}

  /* True if so much device memory is enough. */
  bool fits(int64_t budget) const {
    const bool sparse = plan_.x.sparse != nullptr;
    const int64_t staging = uploader::device_bytes(plan_.points, SLOT_BYTES, sparse);
    const int64_t bytes = (ld_ + m_) * m_ * (int64_t)sizeof(double) +
                          3 * n_ * (int64_t)sizeof(int32_t) +
                          (plan_.covariance ? m_ * m_ * (int64_t)sizeof(double) : staging) +
                          (plan_.pinv ? pseudo_bytes(m_) : 0) + (1 << 20);
    return n_ <= INT32_MAX && bytes <= budget;
  }

  void run(gg_whitening_result *result) {
    finish_streams finish(resources_);
    a_.allocate(m_ * m_ * (int64_t)sizeof(double));
    numbers_.allocate(5 * m_ * (int64_t)sizeof(double));
    if (plan_.covariance)
      upload_covariance();
    else if (!compute_covariance(result))
      return;
    result->done = true;
    if (plan_.pinv) {
      result->failure = pseudo_factor(a_.as<double>(), m_, plan_.factor, stream_, clock_);
      return;
    }
    result->column = factor();
    if (result->column >= 0) return;
    clear_upper<<<grid_of(m_, m_), MANY, 0, stream_>>>(a_.as<double>(), m_);
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaMemcpyAsync(plan_.factor, a_.as(), (size_t)(m_ * m_) * sizeof(double),
                            cudaMemcpyDeviceToHost, stream_));
    settle();
  }

private:
  double *numbers(int i) const { return numbers_.as<double>() + i * m_; }

  /* Waits for all that was launched. */
  void settle() {
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaEventRecord(launched_, stream_));
    wait(launched_, clock_, 0);
  }

  /* Brings a covariance that was given, which is column-major. The pseudoinverse takes its columns
     for rows, as on the host. */
  void upload_covariance() {
    if (plan_.pinv) return copy_in(a_.as(), plan_.covariance, (size_t)(m_ * m_) * sizeof(double));
    given_.allocate(m_ * m_ * (int64_t)sizeof(double));
    GG_CUDA(cudaMemcpyAsync(given_.as(), plan_.covariance, (size_t)(m_ * m_) * sizeof(double),
                            cudaMemcpyHostToDevice, stream_));
    transpose_points(given_.as<double>(), m_, m_, a_.as<double>(), m_, stream_);
  }

  void load_points() {
    z_.allocate(ld_ * m_ * (int64_t)sizeof(double));
    uploader loader(resources_, plan_.points, m_, plan_.threads, clock_, SLOT_BYTES,
                    plan_.x.sparse != nullptr);
    for (int64_t i = 0; i < n_; i += POINTS)
      loader.load(plan_.x, i, smaller(POINTS, n_ - i), z_.as<double>() + i, ld_, 0);
    settle();
  }

  /* Lists the complete points and returns their number. */
  int64_t find_rows() {
    const int64_t bytes = n_ * (int64_t)sizeof(int32_t);
    incomplete_.allocate(bytes);
    before_.allocate(bytes);
    row_.allocate(bytes);
    int32_t *incomplete = incomplete_.as<int32_t>(), *before = before_.as<int32_t>();
    GG_CUDA(cudaMemsetAsync(incomplete, 0, (size_t)bytes, stream_));
    const dim3 grid(blocks_for(n_, MANY), (unsigned)divide_up(m_, COORDINATES));
    find_complete<<<grid, MANY, 0, stream_>>>(z_.as<double>(), ld_, n_, m_, incomplete);
    size_t scratch_bytes = 0;
    exclusive_sum(nullptr, scratch_bytes, incomplete, before, n_, stream_);
    scratch_.allocate((int64_t)scratch_bytes);
    exclusive_sum(scratch_.as(), scratch_bytes, incomplete, before, n_, stream_);
    list_complete<<<blocks_for(n_, MANY), MANY, 0, stream_>>>(incomplete, before, n_,
                                                              row_.as<int32_t>());
    int32_t last[2] = {};
    GG_CUDA(
        cudaMemcpyAsync(&last[0], before + n_ - 1, sizeof *last, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaMemcpyAsync(&last[1], incomplete + n_ - 1, sizeof *last, cudaMemcpyDeviceToHost,
                            stream_));
    settle();
    return n_ - last[0] - last[1];
  }

  complete_view moments(int64_t count) {
    const complete_view p = {
        {z_.as<double>(), ld_, count, m_, row_.as<int32_t>(), numbers(0), numbers(1), numbers(2)},
        numbers(3)};
    const unsigned each = blocks_for(m_, MANY), sums = blocks_for(m_, SUM_COLUMNS);
    start_moments<<<each, MANY, 0, stream_>>>(p);
    for (int pass = 0; pass < 2; ++pass) {
      sum_deviations<false><<<sums, SUM_THREADS, 0, stream_>>>(p);
      move_centre<<<each, MANY, 0, stream_>>>(p);
    }
    sum_deviations<true><<<sums, SUM_THREADS, 0, stream_>>>(p);
    take_length<<<each, MANY, 0, stream_>>>(p);
    settle();
    return p;
  }

  /* Computes the covariance and the means. False if there are fewer than two complete points, or if
     it is not finite, which the host finds out again for its message. */
  bool compute_covariance(gg_whitening_result *result) {
    load_points();
    result->complete = find_rows();
    result->done = result->complete < 2;
    if (result->done) return false;
    const complete_view p = moments(result->complete);
    std::vector<double> first((size_t)m_), centre((size_t)m_);
    const size_t bytes = (size_t)m_ * sizeof(double);
    GG_CUDA(cudaMemcpyAsync(first.data(), p.first, bytes, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaMemcpyAsync(centre.data(), p.centre, bytes, cudaMemcpyDeviceToHost, stream_));
    scale_points<<<grid_of(n_, m_), MANY, 0, stream_>>>(p, n_);
    const unsigned squares = (unsigned)divide_up(m_, SQUARE_SIDE);
    add_products<<<dim3(squares, squares), SQUARE_THREADS, 0, stream_>>>(p, gg_covariance_panel(m_),
                                                                         a_.as<double>());
    odd_.allocate(sizeof(int32_t));
    GG_CUDA(cudaMemsetAsync(odd_.as(), 0, sizeof(int32_t), stream_));
    scale_products<<<grid_of(m_, m_), MANY, 0, stream_>>>(p, sqrt((double)(p.count - 1)),
                                                          a_.as<double>(), odd_.as<int32_t>());
    int32_t odd = 0;
    GG_CUDA(cudaMemcpyAsync(&odd, odd_.as(), sizeof odd, cudaMemcpyDeviceToHost, stream_));
    settle();
    if (plan_.pinv) fill_upper<<<grid_of(m_, m_), MANY, 0, stream_>>>(a_.as<double>(), m_);
    GG_CUDA(cudaGetLastError());
    for (int64_t k = 0; k < m_; ++k)
      plan_.centre[k] = first[(size_t)k] + centre[(size_t)k];
    return !odd;
  }

  /* Returns the first column without a pivot, or -1. */
  int64_t factor() {
    failed_.allocate(sizeof(int64_t));
    int64_t column = -1;
    copy_in(failed_.as(), &column, sizeof column);
    const factor_job job = {a_.as<double>(), numbers(4), m_, plan_.drop, failed_.as<int64_t>()};
    copy_diagonal<<<blocks_for(m_, MANY), MANY, 0, stream_>>>(a_.as<double>(), m_, numbers(4));
    int launched = 0;
    for (int64_t k = 0; k < m_; k += SQUARE_SIDE) {
      factor_square<<<1, SQUARE_THREADS, 0, stream_>>>(job, k);
      const int64_t below = m_ - k - SQUARE_SIDE;
      if (below > 0) {
        const unsigned squares = (unsigned)divide_up(below, SQUARE_SIDE);
        solve_rows<<<squares, SQUARE_THREADS, 0, stream_>>>(job, k);
        take_columns<<<dim3(squares, squares), SQUARE_THREADS, 0, stream_>>>(job, k);
      }
      if (++launched % 16 == 0) settle();
    }
    GG_CUDA(cudaMemcpyAsync(&column, failed_.as(), sizeof column, cudaMemcpyDeviceToHost, stream_));
    settle();
    return column;
  }

  const gg_whitening_plan &plan_;
  gg_clock *clock_;
  device_resources &resources_;
  cudaStream_t stream_;
  const int64_t m_, n_, ld_;
  event launched_;
  device_memory z_, a_, given_, numbers_, incomplete_, before_, row_, scratch_, odd_, failed_;
};

} // namespace

gpugeo_status whitening(const gg_whitening_plan &plan, gg_whitening_result *result, call &call) {
  team &team = call.workers();
  const int64_t budget = team.least_budget(plan.work_bytes);
  team.run([&](const worker &here) {
    whitening_job job(plan, here);
    if (job.fits(budget)) job.run(result);
  });
  return GPUGEO_OK;
}

} // namespace gpugeo
