/*
 * Products for stress majorization, with the condensed distances and weights in the device's
 * memory. The iteration is the core's (mds_solve.c), which gets the products, n by k, on the host.
 * Sums are in the order of src/ordination/cpu/mds.c, so that the bits are the CPU's.
 *
 * A block has 32 points. All of its threads compute the factors of these points with 64 others;
 * then a thread adds up one coordinate of one point. A pair is computed twice, once for each of
 * its points. The sums of the stress have a kernel of their own, whose blocks are the CPU's tiles.
 */
#include <exception>
#include <vector>

#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "ordination/mds_solve.h"

namespace gpugeo {
namespace {

constexpr int64_t REST = (int64_t)128 << 20; /* device memory while distances are copied */
constexpr double SHARE_OF_DISTANCES = 0.1;   /* of the progress, while they are copied */

enum {
  STRIP = GG_MDS_STRIP,
  ROWS = GG_MDS_ROWS,
  LANES = GG_MDS_LANES,
  POINTS = 32, /* of a block; STRIP is a multiple of it */
  OTHERS = 64, /* of a stage; STRIP and ROWS are multiples of it */
  THREADS = 256,
  COORDINATES = THREADS / POINTS, /* of a block */
  STAGE = 4,                      /* columns of a tile that are measured at a time */
  SUMS = 3                        /* of gg_mds_sums */
};

struct product_job {
  const double *delta;  /* condensed; NULL: factors are weights */
  const double *weight; /* condensed; NULL: all are 1 */
  int64_t n, padded, k;
  double scale, weight_scale;
  const double *x; /* padded by k */
};

/* A pair in a configuration: its weight, its distance there, and the given one. */
struct measured {
  double weight, d, delta;
};

/* Measures the pair of points i > j. */
__device__ __forceinline__ measured measure_pair(const product_job &job, int64_t i, int64_t j) {
  const int64_t at = all_pairs(job.n).offset(j) + i - j - 1;
  double sum = 0;
  for (int64_t c = 0; c < job.k; ++c) {
    const double difference = job.x[c * job.padded + i] - job.x[c * job.padded + j];
    sum = fma(difference, difference, sum);
  }
  return {job.weight ? job.weight[at] * job.weight_scale : 1, sqrt(sum), job.delta[at] * job.scale};
}

/* Returns what the difference of points i > j is multiplied by. */
__device__ __forceinline__ double find_factor(const product_job &job, int64_t i, int64_t j) {
  if (!job.delta) return job.weight[all_pairs(job.n).offset(j) + i - j - 1] * job.weight_scale;
  const measured pair = measure_pair(job, i, j);
  return pair.d > 0 ? pair.weight * pair.delta / pair.d : 0;
}

/* The sums of one coordinate of one point: of the points before it, one after another, and of
   those after it by tiles, whose sums are of LANES lanes. */
struct point_sums {
  double all, tile, lane[LANES];

  __device__ __forceinline__ void start() {
    all = tile = 0;
#pragma unroll
    for (int l = 0; l < LANES; ++l)
      lane[l] = 0;
  }
  /* Adds the lanes to the tile's sum. */
  __device__ __forceinline__ void end_lanes() {
    tile -=
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
#pragma unroll
    for (int l = 0; l < LANES; ++l)
      lane[l] = 0;
  }
  __device__ __forceinline__ void end_tile() {
    end_lanes();
    all += tile;
    tile = 0;
  }
};

/* Adds the products with the LANES points from `first` on. x: this coordinate of all points. The
   group with point i, and one that is not full, have sums of their own. */
__device__ __forceinline__ void add_group(const double *x, int64_t n, int64_t i, int64_t first,
                                          double own, const double *factor, point_sums &sums) {
  if (first + LANES <= i) {
#pragma unroll
    for (int l = 0; l < LANES; ++l)
      sums.all = fma(factor[l], own - x[first + l], sums.all);
  } else if (first > i && first + LANES <= n) {
#pragma unroll
    for (int l = 0; l < LANES; ++l)
      sums.lane[l] = fma(factor[l], x[first + l] - own, sums.lane[l]);
  } else {
    sums.end_lanes();
#pragma unroll
    for (int l = 0; l < LANES; ++l) {
      const int64_t j = first + l;
      if (j < i) sums.all = fma(factor[l], own - x[j], sums.all);
      if (j > i && j < n) sums.lane[l] = fma(factor[l], x[j] - own, sums.lane[l]);
    }
    sums.end_lanes();
  }
}

/* Writes the factors of the block's points with the OTHERS points from j0 on; 0 for those that are
   not there, and of a point with itself. Threads run along the column of the condensed matrix. */
__device__ __forceinline__ void find_factors(const product_job &job, int64_t i0, int64_t j0,
                                             double (*factor)[OTHERS + 1]) {
  const bool below = j0 < i0;
  for (int e = (int)threadIdx.x; e < POINTS * OTHERS; e += THREADS) {
    const int p = below ? e % POINTS : e / OTHERS, o = below ? e / POINTS : e % OTHERS;
    const int64_t i = i0 + p, j = j0 + o;
    factor[p][o] =
        i < job.n && j < job.n && i != j ? find_factor(job, larger(i, j), smaller(i, j)) : 0;
  }
}

/* Writes COORDINATES coordinates, of those from COORDINATES * blockIdx.y on, of POINTS points. */
__global__ void __launch_bounds__(THREADS) multiply(const product_job job, double *out) {
  __shared__ double factor[POINTS][OTHERS + 1];
  const int p = (int)threadIdx.x % POINTS;
  const int64_t i0 = (int64_t)blockIdx.x * POINTS, i = i0 + p;
  const int64_t c = (int64_t)blockIdx.y * COORDINATES + (int)threadIdx.x / POINTS;
  const bool mine = i < job.n && c < job.k;
  const int64_t strip = i0 / STRIP * STRIP;
  const double *x = job.x + (mine ? c * job.padded : 0);
  const double own = mine ? x[i] : 0;
  point_sums sums;
  sums.start();
  for (int64_t j0 = 0; j0 < job.n; j0 += OTHERS) {
    __syncthreads(); /* all have read the last factors */
    find_factors(job, i0, j0, factor);
    __syncthreads();
    if (!mine) continue;
    for (int o = 0; o < OTHERS && j0 + o < job.n; o += LANES)
      add_group(x, job.n, i, j0 + o, own, &factor[p][o], sums);
    const int64_t end = j0 + OTHERS;
    if (end > i && (end - strip) % ROWS == 0) sums.end_tile();
  }
  sums.end_tile();
  if (mine) out[c * job.padded + i] = sums.all;
}

/* Writes the sums of the stress of a tile: SUMS times LANES numbers. */
__global__ void __launch_bounds__(THREADS) measure_tiles(const product_job job, double *tiles) {
  __shared__ measured pair[STAGE][ROWS];
  const int64_t column = (int64_t)blockIdx.y * STRIP, row = column + (int64_t)blockIdx.x * ROWS;
  if (row >= job.n) return;
  const int lane = (int)threadIdx.x % LANES, which = (int)threadIdx.x / LANES;
  double sum = 0;
  for (int c0 = 0; c0 < STRIP; c0 += STAGE) {
    __syncthreads(); /* all have read the last pairs */
    for (int e = (int)threadIdx.x; e < STAGE * ROWS; e += THREADS) {
      const int64_t i = row + e % ROWS, j = column + c0 + e / ROWS;
      const measured none = {0, 0, 0};
      pair[e / ROWS][e % ROWS] = i < job.n && i > j ? measure_pair(job, i, j) : none;
    }
    __syncthreads();
    if (which >= SUMS) continue;
    for (int c = 0; c < STAGE; ++c)
#pragma unroll 4
      for (int r = lane; r < ROWS; r += LANES) {
        const measured one = pair[c][r];
        const double gap = one.d - one.delta;
        sum = fma(one.weight * (which == 0 ? gap : one.d), which == 2 ? one.d : gap, sum);
      }
  }
  if (which < SUMS)
    tiles[((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * SUMS * LANES + threadIdx.x] = sum;
}

/* --- A call ----------------------------------------------------------------------------------- */

/* What the core works with: its functions keep what they throw, as no exception may pass the
   core, and do nothing after that. */
class scaling {
public:
  scaling(const gg_mds_plan &plan, const worker &here);

  /* Copies distances and weights to the device, and has the core solve the plan. */
  gpugeo_status run(gpugeo_error *error);

  void transform(const double *x, double *out, gg_mds_sums &sums);
  void weigh(const double *x, double *out);

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

private:
  gpugeo_status bring(const double *pairs, const device_memory &to, double done, double share,
                      gpugeo_error *error);
  product_job job_for(const double *x, bool weighing);
  void launch_product(const product_job &job);
  void finish(double *out);
  void add_tiles(gg_mds_sums &sums) const;

  const gg_mds_plan &plan_;
  const worker &here_;
  const int64_t strips_, most_tiles_; /* of a strip */
  const cudaStream_t stream_;
  double fraction_;
  device_memory delta_, weight_, x_, out_, tiles_;
  std::vector<double> tile_;
  std::exception_ptr failure_;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

/* Returns the bytes of distances and weights. */
int64_t matrix_bytes(const gg_mds_plan &plan) {
  return plan.n * (plan.n - 1) / 2 * (int64_t)sizeof(double) * (plan.weight ? 2 : 1);
}

/* Returns the numbers of a configuration. */
int64_t size_of(const gg_mds_plan &plan) { return plan.padded * plan.k; }

scaling::scaling(const gg_mds_plan &plan, const worker &here)
    : plan_(plan), here_(here), strips_(divide_up(plan.n, STRIP)),
      most_tiles_(divide_up(plan.n, ROWS)), stream_(here.resources->compute[0]),
      fraction_(plan.done), tile_((size_t)(strips_ * most_tiles_ * SUMS * LANES)),
      pieces_(stream_, here.clock), finish_(*here.resources) {
  const int64_t bytes = size_of(plan) * (int64_t)sizeof(double);
  x_.allocate(bytes);
  out_.allocate(bytes);
  tiles_.allocate((int64_t)(tile_.size() * sizeof tile_[0]));
  GG_CUDA(cudaMemsetAsync(out_.as(), 0, (size_t)bytes, stream_)); /* the padding stays 0 */
}

/* Copies a number of each pair to the device; [done, done + share] of the call's progress. */
gpugeo_status scaling::bring(const double *pairs, const device_memory &to, double done,
                             double share, gpugeo_error *error) {
  gg_dist_source source = {};
  source.kind = GG_DIST_SOURCE_CONDENSED;
  source.n = plan_.n;
  source.condensed = pairs;
  part_clock part(here_.clock, done, share);
  worker mine = here_;
  mine.clock = part.get();
  return fill_resident(source, nullptr, mine, REST, {to.as(), plan_.n, true}, error);
}

/* Copies x to the device, and returns the job of a product with it. */
product_job scaling::job_for(const double *x, bool weighing) {
  GG_CUDA(cudaMemcpyAsync(x_.as(), x, (size_t)size_of(plan_) * sizeof *x, cudaMemcpyHostToDevice,
                          stream_));
  product_job job = {};
  job.delta = weighing ? nullptr : delta_.as<double>();
  job.weight = plan_.weight ? weight_.as<double>() : nullptr;
  job.n = plan_.n;
  job.padded = plan_.padded;
  job.k = plan_.k;
  job.scale = plan_.scale;
  job.weight_scale = plan_.weight ? plan_.weight_scale : 1;
  job.x = x_.as<double>();
  return job;
}

void scaling::launch_product(const product_job &job) {
  const dim3 grid(blocks_for(job.n, POINTS), blocks_for(job.k, COORDINATES));
  pieces_.begin(fraction_);
  multiply<<<grid, THREADS, 0, stream_>>>(job, out_.as<double>());
  pieces_.end();
}

/* Waits for the product and copies it to the host. */
void scaling::finish(double *out) {
  pieces_.drain(fraction_);
  GG_CUDA(cudaMemcpyAsync(out, out_.as(), (size_t)size_of(plan_) * sizeof *out,
                          cudaMemcpyDeviceToHost, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
}

/* Adds up the sums of the tiles, in the order of the CPU. */
void scaling::add_tiles(gg_mds_sums &sums) const {
  sums = {0, 0, 0};
  for (int64_t s = 0; s < strips_; ++s)
    for (int64_t t = 0; t < divide_up(plan_.n - s * STRIP, ROWS); ++t) {
      const double *tile = &tile_[(size_t)((s * most_tiles_ + t) * SUMS * LANES)];
      for (int lane = 0; lane < LANES; ++lane) {
        sums.residual += tile[lane];
        sums.excess += tile[LANES + lane];
        sums.squares += tile[2 * LANES + lane];
      }
    }
}

void scaling::transform(const double *x, double *out, gg_mds_sums &sums) {
  const product_job job = job_for(x, false);
  const dim3 grid((unsigned)most_tiles_, (unsigned)strips_);
  launch_product(job);
  pieces_.begin(fraction_);
  measure_tiles<<<grid, THREADS, 0, stream_>>>(job, tiles_.as<double>());
  pieces_.end();
  finish(out);
  GG_CUDA(cudaMemcpyAsync(tile_.data(), tiles_.as(), tile_.size() * sizeof tile_[0],
                          cudaMemcpyDeviceToHost, stream_));
  GG_CUDA(cudaStreamSynchronize(stream_));
  add_tiles(sums);
}

void scaling::weigh(const double *x, double *out) {
  launch_product(job_for(x, true));
  finish(out);
}

/* --- The functions of gg_mds_products --------------------------------------------------------- */

gpugeo_status call_transform(void *own, const double *x, double *out, gg_mds_sums *sums,
                             double progress, gpugeo_error *) {
  scaling &call = *static_cast<scaling *>(own);
  const bool done = call.attempt(progress, [&] { call.transform(x, out, *sums); });
  return done ? GPUGEO_OK : GPUGEO_ERROR_BACKEND;
}

gpugeo_status call_weigh(void *own, const double *x, double *out, double progress, gpugeo_error *) {
  scaling &call = *static_cast<scaling *>(own);
  const bool done = call.attempt(progress, [&] { call.weigh(x, out); });
  return done ? GPUGEO_OK : GPUGEO_ERROR_BACKEND;
}

gpugeo_status scaling::run(gpugeo_error *error) {
  const int64_t bytes = plan_.n * (plan_.n - 1) / 2 * (int64_t)sizeof(double);
  const double share = (1 - plan_.done) * SHARE_OF_DISTANCES / 2;
  gg_mds_plan rest = plan_;
  delta_.allocate(bytes);
  gpugeo_status status = bring(plan_.delta, delta_, rest.done, share, error);
  rest.done += share;
  if (!status && plan_.weight) {
    weight_.allocate(bytes);
    status = bring(plan_.weight, weight_, rest.done, share, error);
    rest.done += share;
  }
  if (status) return status;
  gg_mds_products products = {};
  products.own = this;
  products.transform = call_transform;
  products.weigh = call_weigh;
  status = gg_mds_solve(&rest, &products, error);
  if (failure_) std::rethrow_exception(failure_);
  here_.report->device_seconds += pieces_.seconds();
  return status;
}

} // namespace

gpugeo_status mds(const gg_mds_plan &plan, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    status = check_room("the scaling", plan.n, matrix_bytes(plan) + REST, here.device, call.error);
    if (!status) status = scaling(plan, here).run(call.error);
  });
  return status;
}

} // namespace gpugeo
