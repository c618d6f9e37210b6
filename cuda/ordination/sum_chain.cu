/*
 * The sums of a lane's columns, added up in one order.
 *
 * Limited by the latency of fma: the chain of a lane has 617,000 of them for 25,145 points, and
 * they wait for each other.
 */
#include "cuda/ordination/sum_chain.cuh"

#include <cuda_pipeline.h>

#include "cuda/common/launch.cuh"

namespace gpugeo {
namespace {

enum {
  CHAIN_LANES = 32,
  CHAIN_STEPS = 32,   /* of a stage */
  CHAIN_STAGES = 6,   /* one is added while the others are on their way */
  CHAIN_AHEAD = 8,    /* steps that are read from shared memory before they are added */
  CHAIN_BRINGERS = 4, /* warps */
  CHAIN_THREADS = 32 * (CHAIN_BRINGERS + 1),
  GROUP_THREADS = 256
};

/* Steps of a chain on their way to shared memory: the sums of columns, and what the columns' points
   have. */
template <bool GROUPS> struct chain_stage {
  typedef typename of_point<GROUPS>::type P;
  double part[CHAIN_STEPS][CHAIN_LANES];
  P point[CHAIN_STEPS][CHAIN_LANES];
};

/* Starts the copies of steps s0, ... to a stage, by the warps that bring them. */
template <bool GROUPS>
__device__ __forceinline__ void start_steps(const sums_job &job, int s0, int steps, int64_t lane,
                                            chain_stage<GROUPS> &to) {
  typedef typename of_point<GROUPS>::type P;
  constexpr int word = 2, words = CHAIN_LANES / word; /* lanes of a copy; copies of a step */
  const int own = (int)threadIdx.x % words * word;
  for (int k = (int)threadIdx.x / words; k < CHAIN_STEPS; k += 32 * CHAIN_BRINGERS / words) {
    const int s = s0 + k;
    if (s >= steps) break;
    const P *point = static_cast<const P *>(job.point) + (job.column + s % job.columns) * job.lanes;
    __pipeline_memcpy_async(&to.part[k][own], job.added + s * job.lanes + lane + own,
                            word * sizeof(double));
    __pipeline_memcpy_async(&to.point[k][own], point + lane + own, word * sizeof(P));
  }
}

/* Returns the factor of a step: an element of a basis, or the weight of a group. */
__device__ __forceinline__ double factor_of(double element, const double *) { return element; }
__device__ __forceinline__ double factor_of(int32_t group, const double *weight) {
  return __ldg(weight + group);
}

/* Adds `count` steps of a stage to a sum. Those of the next CHAIN_AHEAD are read while some are
   added. */
template <bool GROUPS>
__device__ __forceinline__ void add_steps(const chain_stage<GROUPS> &from, int count,
                                          const double *weight, double &sum) {
  const int x = threadIdx.x % CHAIN_LANES;
  double part[CHAIN_AHEAD], factor[CHAIN_AHEAD];
  const auto read = [&](int k, int e) {
    part[e] = from.part[k][x];
    factor[e] = factor_of(from.point[k][x], weight);
  };
  if (count < CHAIN_STEPS) {
    for (int k = 0; k < count; ++k) {
      read(k, 0);
      sum = fma(part[0], factor[0], sum);
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < CHAIN_AHEAD; ++e)
    read(e, e);
#pragma unroll
  for (int k = 0; k < CHAIN_STEPS; ++k) {
    const int e = k % CHAIN_AHEAD;
    sum = fma(part[e], factor[e], sum);
    if (k + CHAIN_AHEAD < CHAIN_STEPS) read(k + CHAIN_AHEAD, e);
  }
}

/* Adds the sums of columns, times what the column's point has, to those of the lanes, in their
   order. The last warp adds what the others bring, and does nothing else, since the chain takes as
   long as this warp. */
template <bool GROUPS>
__global__ void __launch_bounds__(CHAIN_THREADS)
    chain(const __grid_constant__ sums_job job, int steps, const double *weight, double *sums) {
  extern __shared__ double2 shared[];
  chain_stage<GROUPS> *const stages = reinterpret_cast<chain_stage<GROUPS> *>(shared);
  const int64_t first = (int64_t)blockIdx.x * CHAIN_LANES;
  const bool adds = threadIdx.x >= 32 * CHAIN_BRINGERS;
  double *const own = sums + first + threadIdx.x % CHAIN_LANES;
  double sum = adds ? *own : 0;
  const auto start = [&](int s0) {
    if (!adds) start_steps<GROUPS>(job, s0, steps, first, stages[s0 / CHAIN_STEPS % CHAIN_STAGES]);
    __pipeline_commit(); /* also when empty, so that the wait below can count */
  };
  for (int stage = 0; stage < CHAIN_STAGES - 1; ++stage)
    start(stage * CHAIN_STEPS);
  for (int s0 = 0; s0 < steps; s0 += CHAIN_STEPS) {
    __pipeline_wait_prior(CHAIN_STAGES - 2);
    __syncthreads(); /* this stage is there, and the one before has been added */
    start(s0 + (CHAIN_STAGES - 1) * CHAIN_STEPS);
    if (adds)
      add_steps<GROUPS>(stages[s0 / CHAIN_STEPS % CHAIN_STAGES],
                        steps - s0 < CHAIN_STEPS ? steps - s0 : CHAIN_STEPS, weight, sum);
  }
  __pipeline_wait_prior(0);
  if (adds) *own = sum;
}

/* Adds the sums of columns of the first lane, whose points are as they are, to those of the group
   of each column, in their order. A thread has one group. */
__global__ void __launch_bounds__(GROUP_THREADS)
    chain_groups(const sums_job job, int steps, const int32_t *group, int64_t groups,
                 double *within) {
  __shared__ double part[GROUP_THREADS];
  __shared__ int32_t of_column[GROUP_THREADS];
  const int64_t own = this_item();
  double sum = own < groups ? within[own] : 0;
  for (int s0 = 0; s0 < steps; s0 += GROUP_THREADS) {
    const int s = s0 + (int)threadIdx.x;
    const int left = steps - s0 < GROUP_THREADS ? steps - s0 : GROUP_THREADS;
    __syncthreads();
    if (s < steps) {
      part[threadIdx.x] = job.added[s * job.lanes];
      of_column[threadIdx.x] = group[job.column + s % job.columns];
    }
    __syncthreads();
    for (int k = 0; k < left; ++k)
      if (of_column[k] == own) sum += part[k];
  }
  if (own < groups) within[own] = sum;
}

} // namespace

template <bool GROUPS>
void add_chain(const sums_job &job, int steps, const double *weight, double *sums,
               cudaStream_t stream) {
  constexpr int stages = CHAIN_STAGES * sizeof(chain_stage<GROUPS>);
  GG_CUDA(cudaFuncSetAttribute(chain<GROUPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, stages));
  chain<GROUPS><<<(unsigned)(job.lanes / CHAIN_LANES), CHAIN_THREADS, stages, stream>>>(
      job, steps, weight, sums);
}

template void add_chain<true>(const sums_job &job, int steps, const double *weight, double *sums,
                              cudaStream_t stream);
template void add_chain<false>(const sums_job &job, int steps, const double *weight, double *sums,
                               cudaStream_t stream);

void add_within(const sums_job &job, int steps, const int32_t *group, int64_t groups,
                double *within, cudaStream_t stream) {
  chain_groups<<<blocks_for(groups, GROUP_THREADS), GROUP_THREADS, 0, stream>>>(job, steps, group,
                                                                                groups, within);
}

} // namespace gpugeo
