/*
 * Neighbour joining of a matrix that stays in the device's memory: the criterion, the order of
 * equal pairs and the sums are those of src/trees, and so are the bits. A slot is a row of the
 * matrix. The list of slots loses those of joined nodes when the core's matrix would be written
 * anew, so that chunks of sums have the same nodes; the matrix itself is not written anew.
 *
 * A join is two launches: search_pairs() compares all pairs, update_sums() replaces two nodes. The
 * last block of a launch to end does what needs all others. The host only enqueues them.
 *
 * Limit: device memory. A join of m nodes reads 4 m^2 bytes, half of the matrix, and of the columns
 * of joined nodes what is between others.
 */
#include "trees/nj_plan.h"

#include <cstring>

#include "cuda/cluster/working.cuh"
#include "cuda/common/divider.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/team.cuh"
#include "cuda/distance/dist_resident.cuh"
#include "trees/join_state.h"

namespace gpugeo {
namespace {

enum {
  THREADS = 256,
  BLOCKS = 1024,       /* of a search, at most */
  SUM_LANES = 8,       /* partial sums of a chunk, as in joining.c */
  JOINS_OF_PIECE = 256 /* that are enqueued between two polls of the hooks, */
};
constexpr double PIECE_BYTES = 1e11; /* and that read no more: 0.05 s */
constexpr int64_t LEAST_REST = (int64_t)128 << 20, MOST_REST = (int64_t)768 << 20;
constexpr double SHARE_OF_DISTANCES = 0.2;

/* A pair of slots and its rank, as gg_join_pair. */
struct join_pair {
  double level, first, second;
  int32_t a, b;
};

/* Nodes by slots, and what launches leave for the next ones. */
struct join_view {
  double *d; /* n by n */
  int64_t n;
  double *sum, *mean, *key; /* the mean of a slot without a node is -Inf */
  int32_t *node;            /* -1: none */
  int32_t *slots;           /* the list */
  double *part;             /* sums of chunks */
  join_pair *found;         /* of blocks; the first one also of all */
  gg_nj_join *joins;
  unsigned *ended; /* blocks of a launch; 0 between launches */
};

/* What the host knows of a join. */
struct join_step {
  int64_t number; /* of joins before */
  int64_t width;  /* of the list */
  double quantum, scale;
};

/* True if this is the last of a launch's blocks to end, for all of its threads. A barrier. */
__device__ __forceinline__ bool is_last_block(unsigned *ended) {
  __shared__ unsigned before;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    before = atomicAdd(ended, 1u);
    if (before == gridDim.x - 1) *ended = 0;
  }
  __syncthreads();
  __threadfence();
  return before == gridDim.x - 1;
}

/* --- The first sums --------------------------------------------------------------------------- */

/* Multiplies all distances by a power of two, twice. */
__global__ void __launch_bounds__(THREADS) scale_all(double *d, int64_t count, double scale) {
  for (int64_t k = this_item(); k < count; k += (int64_t)gridDim.x * THREADS)
    d[k] = d[k] * scale * scale;
}

/* Sets the diagonal to 0 and adds up rows, a thread for each. The matrix is symmetric: column
   after column, a warp reads what lies together. */
__global__ void __launch_bounds__(THREADS) begin_nodes(const join_view v) {
  const int64_t i = this_item();
  if (i >= v.n) return;
  double sum = 0;
#pragma unroll 8
  for (int64_t j = 0; j < v.n; ++j)
    sum += j == i ? 0 : v.d[j * v.n + i];
  v.d[i * v.n + i] = 0;
  v.sum[i] = sum;
  v.mean[i] = sum / (double)(v.n - 2);
  v.key[i] = (double)i;
  v.node[i] = v.slots[i] = (int32_t)i;
}

/* --- The pair to join ------------------------------------------------------------------------- */

/* Returns the level of a criterion, as gg_join_level(). */
__device__ __forceinline__ double level_of(double criterion, double quantum) {
  return floor(criterion / quantum + 0.37);
}

/* Returns the pair that comes first, as gg_join_before() has it. */
__device__ __forceinline__ join_pair earlier(const join_pair &x, const join_pair &y) {
  if (x.level != y.level) return x.level < y.level ? x : y;
  if (x.first != y.first) return x.first < y.first ? x : y;
  return x.second <= y.second ? x : y;
}

/* Returns the pair of another lane. */
__device__ __forceinline__ join_pair of_lane(const join_pair &mine, int step) {
  return {__shfl_down_sync(~0u, mine.level, step), __shfl_down_sync(~0u, mine.first, step),
          __shfl_down_sync(~0u, mine.second, step), __shfl_down_sync(~0u, mine.a, step),
          __shfl_down_sync(~0u, mine.b, step)};
}

/* Returns the first pair of all threads of a block to thread 0. A barrier. */
__device__ __forceinline__ join_pair earliest_of_block(join_pair mine) {
  __shared__ join_pair of_warp[THREADS / 32];
  for (int step = 16; step > 0; step /= 2)
    mine = earlier(mine, of_lane(mine, step));
  __syncthreads(); /* all have read what the last call left */
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return mine;
  for (int w = 1; w < THREADS / 32; ++w)
    mine = earlier(mine, of_warp[w]);
  return mine;
}

/* Finds the first pair with the lowest level: of rows of the list, with the slots behind them. */
__global__ void __launch_bounds__(THREADS) search_pairs(const join_view v, const join_step step) {
  join_pair best = {INFINITY, INFINITY, INFINITY, -1, -1};
  double limit = INFINITY; /* criteria beyond it have a higher level than the best pair */
  for (int64_t r = blockIdx.x; r < step.width; r += gridDim.x) {
    const int32_t i = v.slots[r];
    if (v.node[i] < 0) continue;
    const double *row = v.d + i * v.n, own = v.mean[i];
#pragma unroll 4
    for (int64_t c = r + 1 + threadIdx.x; c < step.width; c += THREADS) {
      const int32_t j = v.slots[c];
      const double criterion = row[j] - (own + v.mean[j]); /* Inf where j has no node */
      if (!(criterion <= limit) || v.node[j] < 0) continue;
      const double level = level_of(criterion, step.quantum);
      const bool in_order = v.key[i] < v.key[j];
      const int32_t a = in_order ? i : j, b = in_order ? j : i;
      best = earlier(best, {level, v.key[a], v.key[b], a, b});
      limit = (best.level + 1) * step.quantum;
    }
  }
  best = earliest_of_block(best);
  if (threadIdx.x == 0) v.found[blockIdx.x] = best;
  if (!is_last_block(v.ended)) return;
  best = {INFINITY, INFINITY, INFINITY, -1, -1};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) {
    const join_pair *from = &v.found[b];
    best = earlier(best, {__ldcg(&from->level), __ldcg(&from->first), __ldcg(&from->second),
                          __ldcg(&from->a), __ldcg(&from->b)});
  }
  best = earliest_of_block(best);
  if (threadIdx.x == 0) v.found[0] = best;
}

/* --- Joining two nodes ------------------------------------------------------------------------ */

/* Gives a new node the slot of the first one, and notes the join. By one thread. */
__device__ void place_node(const join_view &v, const join_step &step, double dab, int64_t chunks) {
  const int32_t a = v.found[0].a, b = v.found[0].b;
  const double alive = (double)(v.n - step.number);
  const double length = (dab + (v.sum[a] - v.sum[b]) / (alive - 2)) * 0.5;
  gg_nj_join *join = &v.joins[step.number];
  join->node[0] = v.node[a];
  join->node[1] = v.node[b];
  join->length[0] = length / step.scale / step.scale;
  join->length[1] = (dab - length) / step.scale / step.scale;
  double sum = 0;
  for (int64_t c = 0; c < chunks; ++c)
    sum += __ldcg(&v.part[c]);
  v.sum[a] = sum;
  v.mean[a] = sum / (alive - 3);
  v.key[a] = -(double)(step.number + 1);
  v.node[a] = (int32_t)(2 * v.n - 3 - step.number);
  v.node[b] = -1;
  v.mean[b] = -INFINITY;
}

/* Replaces two nodes: the sums and means of the others, the new distances, and their sums by chunks
   of the list, a block for each. The sums of both nodes stay for place_node(). */
__global__ void __launch_bounds__(THREADS) update_sums(const join_view v, const join_step step) {
  __shared__ double value[GG_JOIN_CHUNK], lane[SUM_LANES];
  const int32_t a = v.found[0].a, b = v.found[0].b;
  double *da = v.d + a * v.n;
  const double *db = v.d + b * v.n;
  const double dab = v.found[0].level; /* search_pairs() has left it to share_distance() */
  const double left = (double)(v.n - step.number - 3);
  const int64_t first = (int64_t)blockIdx.x * GG_JOIN_CHUNK;
  for (int k = (int)threadIdx.x; k < GG_JOIN_CHUNK; k += THREADS) {
    value[k] = 0;
    if (first + k >= step.width) continue;
    const int32_t j = v.slots[first + k];
    if (v.node[j] < 0 || j == a || j == b) continue;
    const double d = (da[j] + db[j] - dab) * 0.5, sum = v.sum[j] - da[j] - db[j] + d;
    v.sum[j] = sum;
    v.mean[j] = sum / left;
    da[j] = v.d[j * v.n + a] = value[k] = d;
  }
  __syncthreads();
  if (threadIdx.x < SUM_LANES) {
    double sum = 0;
    for (int k = (int)threadIdx.x; k < GG_JOIN_CHUNK; k += SUM_LANES)
      sum += value[k];
    lane[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (int k = 0; k < SUM_LANES; ++k)
      sum += lane[k];
    v.part[blockIdx.x] = sum;
  }
  if (is_last_block(v.ended) && threadIdx.x == 0) place_node(v, step, dab, gridDim.x);
}

/* Replaces the level of the pair that was found by its distance, which update_sums() changes. */
__global__ void share_distance(const join_view v) {
  const join_pair pair = v.found[0];
  v.found[0].level = v.d[pair.a * v.n + pair.b];
}

/* Removes slots without a node from the list; one block. */
__global__ void __launch_bounds__(THREADS) shorten_list(const join_view v, int64_t width) {
  __shared__ int64_t base;
  if (threadIdx.x == 0) base = 0;
  for (int64_t first = 0; first < width; first += THREADS) {
    const int64_t k = first + threadIdx.x;
    const int32_t slot = k < width ? v.slots[k] : -1;
    const int is_alive = slot >= 0 && v.node[slot] >= 0;
    const int before = block_sum_before<THREADS>(is_alive);
    const int64_t start = base;
    __syncthreads(); /* all have read the slots and the base */
    if (is_alive) v.slots[start + before] = slot;
    if (threadIdx.x == THREADS - 1) base = start + before + is_alive;
    __syncthreads();
  }
}

/* Copies the matrix of the last nodes; one thread. */
__global__ void copy_rest(const join_view v, gg_nj_rest *rest, int64_t width) {
  int32_t slot[GG_NJ_LAST];
  int count = 0;
  for (int64_t k = 0; k < width && count < GG_NJ_LAST; ++k)
    if (v.node[v.slots[k]] >= 0) slot[count++] = v.slots[k];
  for (int i = 0; i < count; ++i) {
    rest->sum[i] = v.sum[slot[i]];
    rest->key[i] = v.key[slot[i]];
    rest->node[i] = v.node[slot[i]];
    for (int j = 0; j < count; ++j)
      rest->d[i][j] = v.d[slot[i] * v.n + slot[j]];
  }
}

/* --- A tree ----------------------------------------------------------------------------------- */

/* Divides memory for n points. Returns its bytes. */
int64_t divide(join_view &v, survey *&found, gg_nj_rest *&rest, int64_t n, char *memory) {
  divider part(memory);
  v.n = n;
  for (double **list : {&v.sum, &v.mean, &v.key})
    part.take(*list, n);
  part.take(v.node, n);
  part.take(v.slots, n);
  part.take(v.part, 1 + n / GG_JOIN_CHUNK);
  part.take(v.found, BLOCKS);
  part.take(v.joins, n);
  part.take(v.ended, 1);
  part.take(found, 1);
  part.take(rest, 1);
  return part.bytes();
}

class joining {
public:
  joining(const gg_nj_plan &plan, const worker &here, gg_nj_rest *rest, gpugeo_error *error);

  /* Returns the core's errors about distances. */
  gpugeo_status run();

private:
  gpugeo_status fill();
  gpugeo_status check_distances();
  void begin();
  void join_all();

  const gg_nj_plan &plan_;
  const worker &here_;
  gg_nj_rest *rest_;
  gpugeo_error *error_;
  device_memory matrix_, lists_;
  join_view v_ = {};
  survey *found_ = nullptr;
  gg_nj_rest *rest_there_ = nullptr;
  pieces pieces_;
  finish_streams finish_; /* last: before all of the above is let go */
};

joining::joining(const gg_nj_plan &plan, const worker &here, gg_nj_rest *rest, gpugeo_error *error)
    : plan_(plan), here_(here), rest_(rest), error_(error),
      pieces_(here.resources->compute[0], here.clock), finish_(*here.resources) {
  matrix_.allocate(plan.n * plan.n * (int64_t)sizeof(double));
  lists_.allocate(divide(v_, found_, rest_there_, plan.n, nullptr));
  divide(v_, found_, rest_there_, plan.n, lists_.as());
  v_.d = matrix_.as<double>();
}

gpugeo_status joining::fill() {
  part_clock part(here_.clock, 0, SHARE_OF_DISTANCES);
  worker mine = here_;
  mine.clock = part.get();
  const int64_t budget = smaller(MOST_REST, free_bytes() - LEAST_REST / 2);
  return fill_resident(*plan_.source, plan_.points, mine, budget, {v_.d, v_.n, false}, error_);
}

/* Fails for distances that are not finite, and finds the largest one. */
gpugeo_status joining::check_distances() {
  survey found = {0, ~0ull, 0};
  working_view w = {};
  w.values = v_.d;
  w.n = w.rows = v_.n;
  copy_in(found_, &found, sizeof found);
  pieces_.begin(SHARE_OF_DISTANCES);
  survey_distances(w, found_, pieces_.stream());
  pieces_.end();
  pieces_.drain(SHARE_OF_DISTANCES);
  GG_CUDA(cudaMemcpy(&found, found_, sizeof found, cudaMemcpyDeviceToHost));
  memcpy(&rest_->most, &found.most, sizeof rest_->most);
  if (found.bad == 0) return GPUGEO_OK;
  gg_bad_distances bad = {(int64_t)found.bad, (int64_t)(found.first & UINT32_MAX),
                          (int64_t)(found.first >> 32), 0};
  GG_CUDA(cudaMemcpy(&bad.value, v_.d + bad.j * v_.n + bad.i, sizeof bad.value,
                     cudaMemcpyDeviceToHost));
  return gg_fail_distances(plan_.name, &bad, error_);
}

/* Scales the distances as the core does, and sets what nodes have at the beginning. */
void joining::begin() {
  const double most = rest_->most;
  pieces_.begin(SHARE_OF_DISTANCES);
  rest_->scale = 1;
  if (most != 0 && !(most > 0x1p-300 && most < 0x1p+300)) {
    rest_->scale = ldexp(1, -ilogb(most) / 2);
    rest_->most = most * rest_->scale * rest_->scale;
    scale_all<<<BLOCKS, THREADS, 0, pieces_.stream()>>>(v_.d, v_.n * v_.n, rest_->scale);
    GG_CUDA(cudaGetLastError());
  }
  GG_CUDA(cudaMemsetAsync(v_.ended, 0, sizeof *v_.ended, pieces_.stream()));
  begin_nodes<<<blocks_for(v_.n, THREADS), THREADS, 0, pieces_.stream()>>>(v_);
  pieces_.end();
}

void joining::join_all() {
  const cudaStream_t stream = pieces_.stream();
  const double n = (double)v_.n, most = rest_->most;
  join_step step = {0, v_.n, most > 0 ? ldexp(most, -36) : 1, rest_->scale};
  for (int64_t alive = v_.n; alive > GG_NJ_LAST;) {
    const double left = (double)alive / n, read = 4 * (double)alive * (double)step.width;
    const double done = SHARE_OF_DISTANCES + (1 - SHARE_OF_DISTANCES) * (1 - left * left);
    const int64_t joins = smaller(JOINS_OF_PIECE, 1 + (int64_t)(PIECE_BYTES / read));
    pieces_.begin(done);
    for (int64_t k = 0; k < joins && alive > GG_NJ_LAST; ++k) {
      search_pairs<<<(unsigned)smaller(step.width, BLOCKS), THREADS, 0, stream>>>(v_, step);
      share_distance<<<1, 1, 0, stream>>>(v_);
      update_sums<<<blocks_for(step.width, GG_JOIN_CHUNK), THREADS, 0, stream>>>(v_, step);
      ++step.number;
      --alive;
      if (4 * alive > 3 * step.width || alive <= GG_NJ_LAST) continue;
      shorten_list<<<1, THREADS, 0, stream>>>(v_, step.width);
      step.width = alive;
    }
    pieces_.end();
  }
  copy_rest<<<1, 1, 0, stream>>>(v_, rest_there_, step.width);
  GG_CUDA(cudaGetLastError());
  pieces_.drain(1);
  GG_CUDA(cudaStreamSynchronize(stream));
}

gpugeo_status joining::run() {
  gpugeo_status status = fill();
  if (!status) status = check_distances();
  if (status) return status;
  begin();
  join_all();
  const double scale = rest_->scale, most = rest_->most;
  GG_CUDA(cudaMemcpy(rest_, rest_there_, sizeof *rest_, cudaMemcpyDeviceToHost));
  rest_->scale = scale;
  rest_->most = most;
  GG_CUDA(cudaMemcpy(plan_.joins, v_.joins, (size_t)(v_.n - GG_NJ_LAST) * sizeof *v_.joins,
                     cudaMemcpyDeviceToHost));
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

} // namespace

gpugeo_status nj(const gg_nj_plan &plan, gg_nj_rest *rest, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    join_view unread = {};
    survey *found = nullptr;
    gg_nj_rest *there = nullptr;
    const int64_t bytes = plan.n * plan.n * (int64_t)sizeof(double) +
                          divide(unread, found, there, plan.n, nullptr) + LEAST_REST;
    status = check_room("the tree", plan.n, bytes, plan.device, call.error);
    if (!status) status = joining(plan, here, rest, call.error).run();
  });
  return status;
}

} // namespace gpugeo
