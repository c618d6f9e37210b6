/*
 * Products of the matrix of distances, and of panels, with the condensed matrix in the device's
 * memory and the basis next to it. The search itself is the core's (krylov.c), which gets the
 * products of panels, 16 by 16 for each panel of the basis, on the host.
 *
 * A warp computes the products of its rows with all columns: a thread has two rows and all vectors
 * of a panel, so that an element is loaded and squared by one thread only, and the values of the
 * panel are loaded for all threads at a time. Elements of the next stages are on their way
 * meanwhile. Rows of the part above the diagonal are columns of the condensed matrix.
 *
 * A product reads all distances twice, 5 GB of 25,145 points. A pass with its panels takes 4 to 6
 * ms of an H200 then; which part of it limits it has not been measured.
 */
#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "cuda/ordination/tested.cuh"
#include "ordination/pcoa_solve.h"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t LEAST_REST = 128 * MIB, MOST_REST = 768 * MIB; /* while distances are computed */

/* Part of the call's time that the distances take, for progress. */
constexpr double SHARE_OF_DISTANCES = 0.5;

enum {
  SIDE = GG_GOWER_SIDE,
  ROWS = GG_GOWER_ROWS,
  PANEL = GG_PANEL,
  TILE = PANEL * PANEL,
  WARP = 32,
  WARP_ROWS = 2 * WARP, /* of the matrix */
  STEP = 16,            /* columns of a stage */
  STAGES = 4,
  MOST_PANELS = 16, /* of a launch */
  THREADS = 256,
  STRIP = 64,    /* rows of panels in shared memory */
  OWN_POINTS = 4 /* of a thread that combines panels */
};

/* --- Distances -------------------------------------------------------------------------------- */

/* Sums of one tile, and distances that are missing or infinite. */
struct tile_sums {
  double sum, squares, largest;
};
struct survey {
  unsigned long long unfit, first_unfit;
};

struct measure_job {
  const void *values; /* condensed distances */
  int64_t n;
  double scale;
  tile_sums *tile; /* of each strip of columns, and each tile from the first row on */
  int64_t sides;
  survey *found;
};

/* Returns where the distance of points i > j is. */
__device__ __forceinline__ int64_t position(int64_t n, int64_t i, int64_t j) {
  return all_pairs(n).offset(j) + i - j - 1;
}

/* Adds up a tile: a thread has a column. */
template <class T> __global__ void __launch_bounds__(SIDE) measure_tiles(const measure_job job) {
  __shared__ double value[WARP][SIDE + 1];
  __shared__ tile_sums column[SIDE];
  const int64_t first_column = (int64_t)blockIdx.y * SIDE;
  const int64_t first_row = first_column + (int64_t)blockIdx.x * SIDE;
  if (first_row >= job.n) return;
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const T *values = static_cast<const T *>(job.values);
  tile_sums sums = {0, 0, 0};
  for (int r0 = 0; r0 < SIDE; r0 += WARP) {
    __syncthreads();
    for (int c = warp; c < SIDE; c += SIDE / WARP) {
      const int64_t i = first_row + r0 + lane, j = first_column + c;
      double distance = 0;
      if (i < job.n && i > j) {
        const int64_t at = position(job.n, i, j);
        distance = (double)values[at];
        if (!isfinite(distance)) {
          atomicAdd(&job.found->unfit, 1ull);
          atomicMin(&job.found->first_unfit, (unsigned long long)at);
        }
      }
      value[lane][c] = distance;
    }
    __syncthreads();
#pragma unroll 8
    for (int r = 0; r < WARP; ++r) {
      const double distance = value[r][threadIdx.x], d = distance * job.scale;
      sums.sum += d;
      sums.squares += d * d;
      sums.largest = fmax(sums.largest, fabs(distance));
    }
  }
  column[threadIdx.x] = sums;
  __syncthreads();
  if (threadIdx.x > 0) return;
  sums = {0, 0, 0};
#pragma unroll 8
  for (int c = 0; c < SIDE; ++c) {
    sums.sum += column[c].sum;
    sums.squares += column[c].squares;
    sums.largest = fmax(sums.largest, column[c].largest);
  }
  job.tile[blockIdx.y * job.sides + blockIdx.x] = sums;
}

/* --- Products with the matrix ----------------------------------------------------------------- */

/* Panels of a launch. */
struct panel_list {
  double *panel[MOST_PANELS];
};

struct product_job {
  const void *values; /* condensed distances */
  int64_t n;
  gg_gower_matrix matrix;
  bool plain; /* elements are the squares of the distances */
  panel_list v, out;
};

/* Columns that are brought at a time. */
template <class T> struct stage {
  alignas(16) double v[STEP][PANEL];
  T distance[WARP_ROWS][STEP + 1];
};

template <class T> __device__ __forceinline__ void bring_one(T *to, const T *from) {
  __pipeline_memcpy_async(to, from, sizeof(T));
}

/* Asks for the distances of STEP columns from j0 on in WARP_ROWS rows from i0 on, and for the
   values of the columns' points. Of points that are not there others are brought. */
template <class T>
__device__ __forceinline__ void bring(const product_job &job, const double *v, int64_t i0,
                                      int64_t j0, stage<T> &to) {
  const T *values = static_cast<const T *>(job.values);
  const int64_t n = job.n, last = n - 1;
  const int lane = threadIdx.x;
  if (j0 + STEP <= i0) { /* below the diagonal */
    const int64_t low = smaller(i0 + lane, last), high = smaller(i0 + lane + WARP, last);
    int64_t at = position(n, 0, j0);
#pragma unroll
    for (int c = 0; c < STEP; ++c) {
      bring_one(&to.distance[lane][c], values + at + low);
      bring_one(&to.distance[lane + WARP][c], values + at + high);
      at += n - 2 - (j0 + c);
    }
  } else if (j0 >= i0 + WARP_ROWS) { /* above: column j0 + c, and every second row */
    const int c = lane % STEP;
    const int64_t j = smaller(j0 + c, last);
    int64_t i = i0 + lane / STEP, at = position(n, j, i);
#pragma unroll
    for (int r = lane / STEP; r < WARP_ROWS; r += WARP / STEP) {
      bring_one(&to.distance[r][c], values + at);
      at += 2 * n - 5 - 2 * i;
      i += 2;
    }
  } else {
    for (int e = lane; e < WARP_ROWS * STEP; e += WARP) {
      const int64_t i = smaller(i0 + e / STEP, last), j = smaller(j0 + e % STEP, last);
      if (i != j)
        bring_one(&to.distance[e / STEP][e % STEP],
                  values + position(n, larger(i, j), smaller(i, j)));
    }
  }
  constexpr int at_a_time = sizeof(double2) / sizeof(double);
  double *point = &to.v[0][0];
  for (int e = lane * at_a_time; e < STEP * PANEL; e += WARP * at_a_time)
    if (j0 + e / PANEL < n) __pipeline_memcpy_async(point + e, v + j0 * PANEL + e, sizeof(double2));
}

/* Returns the element of A. */
__device__ __forceinline__ double element_of(const product_job &job, double distance) {
  if (job.plain) return distance * distance;
  const double d = distance * job.matrix.scale;
  if (job.matrix.root) return d;
  return (d + job.matrix.shift) * (d + job.matrix.shift);
}

/* Adds the products with a stage's columns. DIAGONAL: some of them may be the rows' own. */
template <bool DIAGONAL, class T>
__device__ __forceinline__ void add_stage(const product_job &job, const stage<T> &from, int64_t i0,
                                          int64_t j0, int columns, double (&sum)[2][PANEL]) {
  const int lane = threadIdx.x;
#pragma unroll 4
  for (int c = 0; c < columns; ++c) {
    double element[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      element[k] = element_of(job, (double)from.distance[lane + k * WARP][c]);
      if (DIAGONAL && i0 + lane + k * WARP == j0 + c) element[k] = 0;
    }
    const double2 *point = reinterpret_cast<const double2 *>(from.v[c]);
#pragma unroll
    for (int l = 0; l < PANEL; l += 2) {
      const double2 two = point[l / 2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        sum[k][l] = fma(element[k], two.x, sum[k][l]);
        sum[k][l + 1] = fma(element[k], two.y, sum[k][l + 1]);
      }
    }
  }
}

/* Multiplies WARP_ROWS rows of -1/2 A by a panel. */
template <class T> __global__ void __launch_bounds__(WARP) multiply_rows(const product_job job) {
  __shared__ stage<T> stages[STAGES];
  const double *v = job.v.panel[blockIdx.y];
  const int64_t n = job.n, i0 = (int64_t)blockIdx.x * WARP_ROWS, count = divide_up(n, STEP);
  double sum[2][PANEL] = {}, out[2][PANEL] = {};
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < count) bring(job, v, i0, (int64_t)s * STEP, stages[s]);
    __pipeline_commit();
  }
  for (int64_t s = 0; s < count; ++s) {
    __pipeline_wait_prior(STAGES - 2);
    __syncwarp(); /* all threads have what they asked for, and have read the stage before */
    const int64_t next = s + STAGES - 1, j0 = s * STEP;
    if (next < count) bring(job, v, i0, next * STEP, stages[next % STAGES]);
    __pipeline_commit();
    const stage<T> &here = stages[s % STAGES];
    if (j0 + STEP > n || (j0 < i0 + WARP_ROWS && j0 + STEP > i0))
      add_stage<true>(job, here, i0, j0, (int)smaller(STEP, n - j0), sum);
    else
      add_stage<false>(job, here, i0, j0, STEP, sum);
    if ((s + 1) % (SIDE / STEP) != 0 && s + 1 < count) continue;
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int l = 0; l < PANEL; ++l) {
        out[k][l] += sum[k][l];
        sum[k][l] = 0;
      }
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int64_t i = i0 + threadIdx.x + k * WARP;
    if (i >= n) continue;
    double2 *to = reinterpret_cast<double2 *>(job.out.panel[blockIdx.y] + i * PANEL);
#pragma unroll
    for (int l = 0; l < PANEL; l += 2)
      to[l / 2] = make_double2(-0.5 * out[k][l], -0.5 * out[k][l + 1]);
  }
}

/* --- Products of panels ----------------------------------------------------------------------- */

/* Writes the sum of each vector over ROWS points. */
__global__ void __launch_bounds__(THREADS)
    add_points(const double *panel, int64_t n, double *partial) {
  __shared__ double value[STRIP * PANEL];
  const int64_t first = (int64_t)blockIdx.x * ROWS, end = smaller(n, first + ROWS);
  double sum = 0;
  for (int64_t i0 = first; i0 < end; i0 += STRIP) {
    const int count = (int)smaller(STRIP, end - i0);
    __syncthreads();
    for (int e = threadIdx.x; e < count * PANEL; e += THREADS)
      value[e] = panel[i0 * PANEL + e];
    __syncthreads();
    if (threadIdx.x >= PANEL) continue;
#pragma unroll 8
    for (int i = 0; i < count; ++i)
      sum += value[i * PANEL + threadIdx.x];
  }
  if (threadIdx.x < PANEL) partial[blockIdx.x * PANEL + threadIdx.x] = sum;
}

/* Takes the means from the vectors. chunks: of those sums. */
__global__ void __launch_bounds__(THREADS)
    subtract_means(double *panel, int64_t n, const double *partial, int chunks) {
  __shared__ double mean[PANEL];
  if (threadIdx.x < PANEL) {
    double sum = 0;
    for (int c = 0; c < chunks; ++c)
      sum += partial[c * PANEL + threadIdx.x];
    mean[threadIdx.x] = sum / (double)n;
  }
  __syncthreads();
  for (int64_t e = this_item(); e < n * PANEL; e += (int64_t)gridDim.x * THREADS)
    panel[e] -= mean[e % PANEL];
}

/* Writes products of ROWS points of a panel of Q with those of v: a thread has one element. */
__global__ void __launch_bounds__(TILE)
    project_points(const __grid_constant__ panel_list q, const double *v, int64_t n,
                   double *partial) {
  __shared__ double left[STRIP][PANEL], right[STRIP][PANEL];
  const double *panel = q.panel[blockIdx.y];
  const int64_t first = (int64_t)blockIdx.x * ROWS, end = smaller(n, first + ROWS);
  const int x = threadIdx.x / PANEL, l = threadIdx.x % PANEL;
  double sum = 0;
  for (int64_t i0 = first; i0 < end; i0 += STRIP) {
    const int count = (int)smaller(STRIP, end - i0);
    __syncthreads();
    for (int e = threadIdx.x; e < count * PANEL; e += TILE) {
      left[e / PANEL][e % PANEL] = panel[i0 * PANEL + e];
      right[e / PANEL][e % PANEL] = v[i0 * PANEL + e];
    }
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < count; ++i)
      sum = fma(left[i][x], right[i][l], sum);
  }
  partial[((int64_t)blockIdx.x * gridDim.y + blockIdx.y) * TILE + threadIdx.x] = sum;
}

/* Adds up these products. */
__global__ void __launch_bounds__(TILE)
    add_chunks(const double *partial, int chunks, int64_t size, double *product) {
  const int64_t e = this_item();
  double sum = 0;
#pragma unroll 8
  for (int c = 0; c < chunks; ++c)
    sum += partial[c * size + e];
  product[e] = sum;
}

/* Computes v += Q c, or v = Q c: a thread has one vector of OWN_POINTS points. */
__global__ void __launch_bounds__(THREADS)
    combine_points(const __grid_constant__ panel_list q, int panels, const double *c, bool afresh,
                   int64_t n, double *v) {
  __shared__ double factor[MOST_PANELS * TILE];
  const int l = threadIdx.x % PANEL;
  const int64_t first = (int64_t)blockIdx.x * (THREADS / PANEL * OWN_POINTS) + threadIdx.x / PANEL;
  for (int e = threadIdx.x; e < panels * TILE; e += THREADS)
    factor[e] = c[e];
  __syncthreads();
  int64_t point[OWN_POINTS]; /* the last one instead of missing ones */
  double all[OWN_POINTS];
#pragma unroll
  for (int k = 0; k < OWN_POINTS; ++k) {
    point[k] = smaller(first + k * (THREADS / PANEL), n - 1);
    all[k] = afresh ? 0 : v[point[k] * PANEL + l];
  }
  for (int t = 0; t < panels; ++t) {
    double sum[OWN_POINTS] = {};
#pragma unroll
    for (int y = 0; y < PANEL; y += 2) {
      const double even = factor[t * TILE + y * PANEL + l],
                   odd = factor[t * TILE + (y + 1) * PANEL + l];
#pragma unroll
      for (int k = 0; k < OWN_POINTS; ++k) {
        const double2 two = *reinterpret_cast<const double2 *>(q.panel[t] + point[k] * PANEL + y);
        sum[k] = fma(two.y, odd, fma(two.x, even, sum[k]));
      }
    }
#pragma unroll
    for (int k = 0; k < OWN_POINTS; ++k)
      all[k] += sum[k];
  }
#pragma unroll
  for (int k = 0; k < OWN_POINTS; ++k)
    if (first + k * (THREADS / PANEL) < n) v[point[k] * PANEL + l] = all[k];
}

/* --- A call ----------------------------------------------------------------------------------- */

/* What the core works with: its functions keep what they throw, as no exception may pass the
   core, and do nothing after that. */
class gower_matrix {
public:
  gower_matrix(const gg_pcoa_plan &plan, const worker &here);

  /* Brings the distances, and has the core solve the plan. */
  gpugeo_status run(gpugeo_error *error);

  gpugeo_status measure(double scale, gg_distance_sums &sums, gpugeo_error *error);
  void multiply(const gg_gower_matrix &matrix, double *const *v, int64_t panels,
                double *const *out);
  double *panel_make();
  void panel_copy(void *to, const void *from, cudaMemcpyKind kind);
  void centre(double *panel);
  void project(double *const *q, int64_t panels, const double *v, double *product);
  void combine(double *const *q, int64_t panels, const double *c, bool afresh, double *v);

  /* True if work() has ended without an exception, now and before. progress: of the call. */
  template <class Work> bool attempt(double progress, Work work) {
    fraction_ = progress > fraction_ ? progress : fraction_;
    if (failure_) return false;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
    return !failure_;
  }
  template <class Work> bool attempt(Work work) { return attempt(fraction_, work); }

private:
  gpugeo_status fill_matrix(double share, gpugeo_error *error);
  void begin_panels();
  void finish_panels();

  const gg_pcoa_plan &plan_;
  const worker &here_;
  const int64_t n_;
  const int chunks_; /* of ROWS points */
  const cudaStream_t stream_;
  double fraction_;
  bool single_ = false;
  const void *values_ = nullptr;
  device_memory matrix_, partial_, product_, factor_;
  std::exception_ptr failure_;
  event begun_, ended_; /* of work on panels */
  bool pending_ = false;
  busy_time busy_;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* Returns the bytes of the distances that have to be copied to the device. */
int64_t matrix_bytes(const gg_pcoa_plan &plan) {
  return plan.source->on_device ? 0 : plan.n * (plan.n - 1) / 2 * (int64_t)sizeof(double);
}

gower_matrix::gower_matrix(const gg_pcoa_plan &plan, const worker &here)
    : plan_(plan), here_(here), n_(plan.n), chunks_((int)divide_up(plan.n, ROWS)),
      stream_(here.resources->compute[0]), fraction_(plan.done), busy_(stream_),
      pieces_(stream_, here.clock), finish_(*here.resources) {
  const int64_t products = MOST_PANELS * TILE * (int64_t)sizeof(double);
  partial_.allocate(chunks_ * products);
  product_.allocate(products);
  factor_.allocate(products);
}

gpugeo_status gower_matrix::fill_matrix(double share, gpugeo_error *error) {
  if (const gpugeo_dist_device *there = plan_.source->on_device) {
    values_ = there->values;
    single_ = there->single;
    return GPUGEO_OK;
  }
  matrix_.allocate(matrix_bytes(plan_));
  values_ = matrix_.as();
  part_clock part(here_.clock, plan_.done, share);
  worker mine = here_;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*plan_.source, plan_.points, mine, budget, {matrix_.as(), n_, true}, error);
}

gpugeo_status gower_matrix::measure(double scale, gg_distance_sums &sums, gpugeo_error *error) {
  const int64_t sides = divide_up(n_, SIDE);
  std::vector<tile_sums> tile((size_t)(sides * sides));
  survey found = {0, ~0ull};
  device_memory tiles, survey_memory;
  tiles.allocate((int64_t)(tile.size() * sizeof tile[0]));
  survey_memory.allocate(sizeof found);
  copy_in(survey_memory.as(), &found, sizeof found);
  const measure_job job = {
      values_, n_, scale, tiles.as<tile_sums>(), sides, survey_memory.as<survey>()};
  const dim3 grid((unsigned)sides, (unsigned)sides);
  pieces_.begin(fraction_);
  if (single_)
    measure_tiles<float><<<grid, SIDE, 0, stream_>>>(job);
  else
    measure_tiles<double><<<grid, SIDE, 0, stream_>>>(job);
  pieces_.end();
  pieces_.drain(fraction_);
  GG_CUDA(cudaMemcpy(&found, survey_memory.as(), sizeof found, cudaMemcpyDeviceToHost));
  GG_CUDA(
      cudaMemcpy(tile.data(), tiles.as(), tile.size() * sizeof tile[0], cudaMemcpyDeviceToHost));
  sums = {0, 0, 0};
  for (int64_t strip = 0; strip < sides; ++strip)
    for (int64_t t = 0; t < sides - strip; ++t) {
      const tile_sums &one = tile[(size_t)(strip * sides + t)];
      sums.sum += one.sum;
      sums.squares += one.squares;
      if (one.largest > sums.largest) sums.largest = one.largest;
    }
  if (found.unfit == 0) return GPUGEO_OK;
  const gg_bad_distances bad = bad_distances(values_, single_, n_, found.unfit, found.first_unfit);
  return gg_fail_distances(plan_.name, &bad, error);
}

void gower_matrix::multiply(const gg_gower_matrix &matrix, double *const *v, int64_t panels,
                            double *const *out) {
  finish_panels();
  product_job job = {};
  job.values = values_;
  job.n = n_;
  job.matrix = matrix;
  job.plain = !matrix.root && matrix.scale == 1 && matrix.shift == 0;
  for (int64_t t = 0; t < panels; t += MOST_PANELS) {
    const int64_t count = smaller(MOST_PANELS, panels - t);
    for (int64_t k = 0; k < count; ++k) {
      job.v.panel[k] = v[t + k];
      job.out.panel[k] = out[t + k];
    }
    const dim3 grid((unsigned)divide_up(n_, WARP_ROWS), (unsigned)count);
    pieces_.begin(fraction_);
    if (single_)
      multiply_rows<float><<<grid, WARP, 0, stream_>>>(job);
    else
      multiply_rows<double><<<grid, WARP, 0, stream_>>>(job);
    pieces_.end();
  }
  pieces_.drain(fraction_);
}

/* --- Panels ----------------------------------------------------------------------------------- */

void gower_matrix::begin_panels() {
  if (!pending_) GG_CUDA(cudaEventRecord(begun_, stream_));
  pending_ = true;
}

/* Waits for work on panels. */
void gower_matrix::finish_panels() {
  if (!pending_) return;
  pending_ = false;
  GG_CUDA(cudaEventRecord(ended_, stream_));
  GG_CUDA(cudaEventSynchronize(ended_));
  busy_.add(begun_, ended_);
}

double *gower_matrix::panel_make() {
  device_memory memory;
  memory.allocate(n_ * PANEL * (int64_t)sizeof(double));
  return static_cast<double *>(memory.give_up());
}

void gower_matrix::panel_copy(void *to, const void *from, cudaMemcpyKind kind) {
  finish_panels();
  GG_CUDA(cudaMemcpyAsync(to, from, (size_t)(n_ * PANEL) * sizeof(double), kind, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
}

void gower_matrix::centre(double *panel) {
  const int64_t blocks = smaller(divide_up(n_ * PANEL, THREADS), 1024);
  begin_panels();
  add_points<<<(unsigned)chunks_, THREADS, 0, stream_>>>(panel, n_, partial_.as<double>());
  subtract_means<<<(unsigned)blocks, THREADS, 0, stream_>>>(panel, n_, partial_.as<double>(),
                                                            chunks_);
  GG_CUDA(cudaGetLastError());
}

void gower_matrix::project(double *const *q, int64_t panels, const double *v, double *product) {
  begin_panels();
  for (int64_t t = 0; t < panels; t += MOST_PANELS) {
    const int64_t count = smaller(MOST_PANELS, panels - t), size = count * TILE;
    panel_list list = {};
    for (int64_t k = 0; k < count; ++k)
      list.panel[k] = q[t + k];
    const dim3 grid((unsigned)chunks_, (unsigned)count);
    project_points<<<grid, TILE, 0, stream_>>>(list, v, n_, partial_.as<double>());
    add_chunks<<<(unsigned)count, TILE, 0, stream_>>>(partial_.as<double>(), chunks_, size,
                                                      product_.as<double>());
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaMemcpyAsync(product + t * TILE, product_.as(), (size_t)size * sizeof *product,
                            cudaMemcpyDeviceToHost, stream_));
  }
  finish_panels();
}

void gower_matrix::combine(double *const *q, int64_t panels, const double *c, bool afresh,
                           double *v) {
  begin_panels();
  for (int64_t t = 0; t < panels; t += MOST_PANELS) {
    const int64_t count = smaller(MOST_PANELS, panels - t);
    panel_list list = {};
    for (int64_t k = 0; k < count; ++k)
      list.panel[k] = q[t + k];
    /* From memory that is not pinned: c is read when this returns. */
    GG_CUDA(cudaMemcpyAsync(factor_.as(), c + t * TILE, (size_t)(count * TILE) * sizeof *c,
                            cudaMemcpyHostToDevice, stream_));
    const unsigned blocks = blocks_for(n_, THREADS / PANEL * OWN_POINTS);
    combine_points<<<blocks, THREADS, 0, stream_>>>(list, (int)count, factor_.as<double>(),
                                                    afresh && t == 0, n_, v);
    GG_CUDA(cudaGetLastError());
  }
}

/* --- The functions of gg_gower ---------------------------------------------------------------- */

gower_matrix &matrix_of(const gg_gower *gower) { return *static_cast<gower_matrix *>(gower->own); }

/* Calls gower_matrix::measure() for the core. */
gpugeo_status call_measure(const gg_gower *gower, double scale, gg_distance_sums *sums,
                           double progress, gpugeo_error *error) {
  gower_matrix &matrix = matrix_of(gower);
  gpugeo_status status = GPUGEO_OK;
  const bool done = matrix.attempt(progress, [&] { status = matrix.measure(scale, *sums, error); });
  return done ? status : GPUGEO_ERROR_BACKEND;
}

/* Calls gower_matrix::multiply() for the core. */
gpugeo_status call_multiply(const gg_gower *gower, const gg_gower_matrix *matrix, double *const *v,
                            int64_t panels, double *const *out, double progress, gpugeo_error *) {
  gower_matrix &own = matrix_of(gower);
  const bool done = own.attempt(progress, [&] { own.multiply(*matrix, v, panels, out); });
  return done ? GPUGEO_OK : GPUGEO_ERROR_BACKEND;
}

/* Allocates a panel for the core. Returns null if that fails. */
double *call_panel_make(const gg_gower *gower) {
  double *panel = nullptr;
  matrix_of(gower).attempt([&] { panel = matrix_of(gower).panel_make(); });
  return panel;
}

/* Frees a panel. */
void call_panel_free(const gg_gower *, double *panel) { (void)cudaFree(panel); }

/* Copies values of the core to a panel. */
void call_panel_write(const gg_gower *gower, const double *values, double *panel) {
  matrix_of(gower).attempt(
      [&] { matrix_of(gower).panel_copy(panel, values, cudaMemcpyHostToDevice); });
}

/* Copies a panel to the core, zeros if that fails. */
void call_panel_read(const gg_gower *gower, const double *panel, double *values) {
  const bool done = matrix_of(gower).attempt(
      [&] { matrix_of(gower).panel_copy(values, panel, cudaMemcpyDeviceToHost); });
  if (!done) std::fill_n(values, gower->n * PANEL, 0.0);
}

/* Calls gower_matrix::centre() for the core. */
void call_centre(const gg_gower *gower, double *panel) {
  matrix_of(gower).attempt([&] { matrix_of(gower).centre(panel); });
}

/* Calls gower_matrix::project() for the core, whose product is 0 if that fails. */
void call_project(const gg_gower *gower, double *const *q, int64_t panels, const double *v,
                  double *product) {
  const bool done =
      matrix_of(gower).attempt([&] { matrix_of(gower).project(q, panels, v, product); });
  if (!done) std::fill_n(product, panels * TILE, 0.0);
}

/* Calls gower_matrix::combine() for the core. */
void call_combine(const gg_gower *gower, double *const *q, int64_t panels, const double *c,
                  bool afresh, double *v) {
  matrix_of(gower).attempt([&] { matrix_of(gower).combine(q, panels, c, afresh, v); });
}

gpugeo_status gower_matrix::run(gpugeo_error *error) {
  gg_pcoa_plan rest = plan_;
  const double share = plan_.source->on_device ? 0 : (1 - plan_.done) * SHARE_OF_DISTANCES;
  gpugeo_status status = fill_matrix(share, error);
  if (status) return status;
  rest.done += share;
  gg_gower gower = {};
  gower.n = n_;
  gower.own = this;
  gower.measure = call_measure;
  gower.multiply = call_multiply;
  gower.panel_make = call_panel_make;
  gower.panel_free = call_panel_free;
  gower.panel_write = call_panel_write;
  gower.panel_read = call_panel_read;
  gower.centre = call_centre;
  gower.project = call_project;
  gower.combine = call_combine;
  gower.clock = here_.clock;
  status = gg_pcoa_solve(&rest, &gower, error);
  if (failure_) std::rethrow_exception(failure_);
  here_.report->device_seconds += pieces_.seconds() + busy_.seconds();
  return status;
}

} // namespace

gpugeo_status pcoa(const gg_pcoa_plan &plan, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    const int64_t rest = larger(LEAST_REST, (int64_t)plan.working + LEAST_REST / 2);
    status = check_room("the scaling", plan.n, matrix_bytes(plan) + rest, here.device, call.error);
    if (!status) status = gower_matrix(plan, here).run(call.error);
  });
  return status;
}

} // namespace gpugeo
