/*
 * Neighbour joining of a matrix that stays in the device's memory: the criterion, the order of
 * equal pairs and the sums are those of src/trees, and so are the bits. A slot is a row of the
 * matrix. The list of slots loses those of joined nodes when the core's matrix would be written
 * anew, so that chunks of sums have the same nodes; the matrix itself is not written anew.
 *
 * Reference: Simonsen, Mailund and Pedersen 2008, Rapid neighbour-joining, and Clausen 2023,
 * Dynamic neighbour joining: rows are read only if a bound does not leave them out.
 * Invariant: a row covers the slots of higher keys. A new node has the lowest key, so that no row
 * covers a node that is younger. At its last reading a row's lowest d_ij - mean_j was its bound
 * minus the rise of that time, where the rise is the sum of the largest increases of a mean at each
 * join. No covered d_ij - mean_j is below the bound minus the rise of now.
 * A join is four launches. find_limit() compares the pairs of each row and its nearest node,
 * list_rows() lists the rows whose bound is not beyond the first of these pairs, read_rows()
 * compares all pairs of these rows and computes their bounds, and update_sums() replaces two nodes.
 * The last block of a launch to end does what needs all others. The host only enqueues them.
 * Cost: O(n) for each join and for each row that is read. Of 16,000 nodes, 11 rows a join for
 * genomes, 27 for points of 50 normal coordinates; of 4,000 nodes, 50 for random distances. Where
 * distances differ by less than 1e-4 of them, all rows are read at half of the joins.
 *
 * Limit: the time of launches; device memory if thousands of rows are read at a join.
 */
#include "trees/nj_plan.h"

#include <cstring>

#include "cuda/cluster/nearest.cuh"
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
  SUM_THREADS = 64,    /* of the first sums: 250 blocks for 16,000 points */
  BLOCKS = 1024,       /* of a launch, at most; an H200 runs 1,056 of 256 threads at a time */
  FLIGHT = 4,          /* elements of a row that a thread reads at the same time */
  PART = 1024,         /* elements of a row for a block, at least */
  MOST_PARTS = 32,     /* of a row */
  SUM_LANES = 8,       /* partial sums of a chunk, as in joining.c */
  JOINS_OF_PIECE = 64, /* that are enqueued between two polls of the hooks: 1 ms, or 0.5 s if each
                          join of 64,000 nodes reads all rows */
};
constexpr double MARGIN = 128 * 0x1p-52; /* of the largest distance, as in pair_search.c */
constexpr int64_t LEAST_REST = (int64_t)128 << 20, MOST_REST = (int64_t)768 << 20;
constexpr double SHARE_OF_DISTANCES = 0.2;

/* A pair of slots and its rank, as gg_join_pair. */
struct join_pair {
  double level, first, second;
  int32_t a, b;
};

/* What launches leave for the next ones. Numbers that are not negative are in the order of their
   bits. */
struct join_progress {
  join_pair limit;             /* the pair to join is not after it */
  join_pair pair;              /* to join, */
  double distance;             /* and its distance */
  double rise;                 /* sum of the largest increases of a mean, rounded up */
  unsigned long long rise_now; /* bits of the largest increase at this join */
  unsigned long long most;     /* bits of the largest absolute distance so far */
  int32_t listed;              /* rows */
  unsigned ended;              /* blocks of a launch; 0 between launches */
};

/* Nodes by slots. */
struct join_view {
  double *d; /* n by n */
  int64_t n;
  double *sum, *mean, *key; /* the key of a slot without a node is -Inf */
  int32_t *node;            /* the numbers */
  double *bound;            /* of rows; -Inf: not read yet */
  double *near;             /* the distance of the nearest node of a row when it was read, */
  int32_t *nearest;         /* and its slot; -1: none */
  int32_t *slots;           /* the list of slots */
  int32_t *list;            /* rows to be read, by their positions in the list of slots */
  double *part;             /* sums of chunks */
  join_pair *found;         /* by blocks */
  gg_nearest *parts;        /* nearest nodes in parts of rows, */
  unsigned *parts_ended;    /* and how many of a row's parts have ended; 0 between launches */
  gg_nj_join *joins;
  join_progress *progress;
};

/* What the host knows of a join. */
struct join_step {
  int64_t number; /* of joins before */
  int64_t width;  /* of the list */
  double quantum, scale;
};

/* --- The first sums --------------------------------------------------------------------------- */

/* Multiplies all distances by a power of two, twice. */
__global__ void __launch_bounds__(THREADS) scale_all(double *d, int64_t count, double scale) {
  for (int64_t k = this_item(); k < count; k += (int64_t)gridDim.x * THREADS)
    d[k] = d[k] * scale * scale;
}

/* Sets the diagonal to 0 and adds up rows, a thread for each. The matrix is symmetric: column
   after column, a warp reads what lies together. */
__global__ void __launch_bounds__(SUM_THREADS) begin_nodes(const join_view v, double most) {
  const int64_t i = this_item();
  if (i >= v.n) return;
  double sum = 0;
#pragma unroll 16
  for (int64_t j = 0; j < v.n; ++j)
    sum += j == i ? 0 : v.d[j * v.n + i];
  v.d[i * v.n + i] = 0;
  v.sum[i] = sum;
  v.mean[i] = sum / (double)(v.n - 2);
  v.key[i] = (double)i;
  v.node[i] = v.slots[i] = (int32_t)i;
  v.bound[i] = -INFINITY;
  v.nearest[i] = -1;
  if (i < BLOCKS) v.parts_ended[i] = 0;
  if (i == 0) *v.progress = {{}, {}, 0, 0, 0, (unsigned long long)__double_as_longlong(most), 0, 0};
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

/* Returns the pair of a slot and one that its row covers, at this distance. */
__device__ __forceinline__ join_pair pair_of(const join_view &v, const join_step &step, int32_t i,
                                             int32_t j, double d) {
  return {level_of(d - (v.mean[i] + v.mean[j]), step.quantum), v.key[i], v.key[j], i, j};
}

/* Returns what comes after all pairs. */
__device__ __forceinline__ join_pair no_pair() { return {INFINITY, INFINITY, INFINITY, -1, -1}; }

/* Replaces a block's first pair by that of the first so many blocks. Returns true to thread 0 of
   the last one to end, which has it. A barrier. */
__device__ __forceinline__ bool find_earliest(const join_view &v, unsigned blocks,
                                              join_pair &best) {
  best = earliest_of_block(best);
  if (threadIdx.x == 0) v.found[blockIdx.x] = best;
  if (!is_last_block(&v.progress->ended, blocks)) return false;
  best = no_pair();
  for (unsigned b = threadIdx.x; b < blocks; b += THREADS) {
    const join_pair *from = &v.found[b];
    best = earlier(best, {__ldcg(&from->level), __ldcg(&from->first), __ldcg(&from->second),
                          __ldcg(&from->a), __ldcg(&from->b)});
  }
  best = earliest_of_block(best);
  return threadIdx.x == 0;
}

/* Finds the first of the pairs of rows and their nearest nodes. One that is joined has a lower key
   since, or none. */
__global__ void __launch_bounds__(THREADS) find_limit(const join_view v, const join_step step) {
  join_pair best = no_pair();
  for (int64_t r = this_item(); r < step.width; r += (int64_t)gridDim.x * THREADS) {
    const int32_t i = v.slots[r], j = v.nearest[i];
    if (j >= 0 && v.key[j] > v.key[i]) best = earlier(best, pair_of(v, step, i, j, v.near[i]));
  }
  if (!find_earliest(v, gridDim.x, best)) return;
  v.progress->limit = best;
  v.progress->listed = 0;
}

/* Lists the rows that may have a pair before the limit, in any order: the pair is the same. All
   roundings lower a bound; the margin is more than those of a criterion. */
__global__ void __launch_bounds__(THREADS) list_rows(const join_view v, const join_step step) {
  const join_pair limit = v.progress->limit;
  const double rise = v.progress->rise;
  const double margin = MARGIN * __longlong_as_double((int64_t)v.progress->most);
  for (int64_t r = this_item(); r < step.width; r += (int64_t)gridDim.x * THREADS) {
    const int32_t i = v.slots[r];
    const double key = v.key[i], bound = __dsub_rd(__dsub_rd(v.bound[i], rise), v.mean[i]);
    const double level = level_of(__dsub_rd(bound, margin), step.quantum);
    const bool is_beyond = level > limit.level || (level == limit.level && key > limit.first);
    if (key > -INFINITY && !is_beyond) v.list[atomicAdd(&v.progress->listed, 1)] = (int32_t)r;
  }
}

/* Compares the pairs of a slot and those that its row covers in positions [first, last) of the list
   with the best one. Returns the nearest node of the block to thread 0. */
__device__ __forceinline__ gg_nearest read_columns(const join_view &v, const join_step &step,
                                                   int32_t i, int64_t first, int64_t last,
                                                   join_pair &best) {
  const double *row = v.d + i * v.n, own = v.mean[i], key = v.key[i];
  gg_nearest nearest = no_nearest();
  double limit = (best.level + 1) * step.quantum; /* criteria beyond it have a higher level */
  for (int64_t from = first + threadIdx.x; from < last; from += FLIGHT * THREADS) {
    int32_t j[FLIGHT];
    double d[FLIGHT], mean[FLIGHT];
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f)
      j[f] = from + f * THREADS < last ? v.slots[from + f * THREADS] : i; /* not covered */
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f) {
      d[f] = v.key[j[f]] > key ? row[j[f]] : INFINITY;
      mean[f] = v.mean[j[f]];
    }
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f) {
      nearest = nearer(nearest, {__dsub_rd(d[f], mean[f]), j[f]});
      if (!(d[f] - (own + mean[f]) <= limit) || d[f] == INFINITY) continue;
      best = earlier(best, pair_of(v, step, i, j[f], d[f]));
      limit = (best.level + 1) * step.quantum;
    }
  }
  return nearest_of_block<THREADS>(nearest);
}

/* Returns the nearest node of all parts of a row to thread 0 of the last block to end. */
__device__ __forceinline__ gg_nearest nearest_of_parts(const join_view &v, int64_t first,
                                                       int64_t parts) {
  gg_nearest nearest = no_nearest();
  if (threadIdx.x < parts) nearest = read_found(&v.parts[first + threadIdx.x]);
  return nearest_of_warp(nearest);
}

/* Keeps what has been found of a slot's row. By one thread. */
__device__ __forceinline__ void keep_row(const join_view &v, int32_t i, gg_nearest nearest) {
  const bool is_any = nearest.distance < INFINITY;
  v.bound[i] = is_any ? __dadd_rd(nearest.distance, v.progress->rise) : INFINITY;
  v.nearest[i] = is_any ? nearest.cluster : -1;
  if (is_any) v.near[i] = v.d[i * v.n + nearest.cluster];
}

/* Returns the first two nodes, which are joined if no criterion is a number. By one thread. */
__device__ __forceinline__ join_pair first_nodes(const join_view &v) {
  int64_t r = 0;
  while (!(v.key[v.slots[r]] > -INFINITY))
    ++r;
  const int32_t first = v.slots[r++];
  while (!(v.key[v.slots[r]] > -INFINITY))
    ++r;
  const int32_t second = v.slots[r];
  const bool in_order = v.key[first] < v.key[second];
  return {0, 0, 0, in_order ? first : second, in_order ? second : first};
}

/* Reads the listed rows, each in parts if there are fewer rows than blocks, and finds the pair to
   join. The row of a point covers points behind it only. */
__global__ void __launch_bounds__(THREADS, 3) read_rows(const join_view v, const join_step step) {
  const int64_t listed = v.progress->listed;
  const int64_t most = smaller(MOST_PARTS, (step.width + PART - 1) / PART);
  const int64_t parts = listed < gridDim.x && listed > 0 ? smaller(most, gridDim.x / listed) : 1;
  const int64_t items = listed * parts;
  const unsigned blocks = items > 0 ? (unsigned)smaller(gridDim.x, items) : 1;
  if (blockIdx.x >= blocks) return;
  join_pair best = v.progress->limit;
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t row = item / parts, r = v.list[row];
    const int32_t i = v.slots[r];
    const int64_t begin = v.key[i] < 0 ? 0 : r + 1, size = (step.width - begin + parts - 1) / parts;
    const int64_t first = begin + item % parts * size;
    gg_nearest nearest = read_columns(v, step, i, first, smaller(first + size, step.width), best);
    if (parts > 1) {
      if (threadIdx.x == 0) v.parts[item] = nearest;
      if (!is_last_block(&v.parts_ended[row], (unsigned)parts)) continue;
      nearest = nearest_of_parts(v, row * parts, parts);
    }
    if (threadIdx.x == 0) keep_row(v, i, nearest);
  }
  if (!find_earliest(v, blocks, best)) return;
  if (best.a < 0) best = first_nodes(v);
  v.progress->pair = best;
  v.progress->distance = v.d[best.a * v.n + best.b];
}

/* --- Joining two nodes ------------------------------------------------------------------------ */

/* Gives a new node with this sum the slot of the first one, and notes the join. By one thread. */
__device__ __forceinline__ void place_node(const join_view &v, const join_step &step, double sum) {
  const int32_t a = v.progress->pair.a, b = v.progress->pair.b;
  const double dab = v.progress->distance, alive = (double)(v.n - step.number);
  const double length = (dab + (v.sum[a] - v.sum[b]) / (alive - 2)) * 0.5;
  gg_nj_join *join = &v.joins[step.number];
  join->node[0] = v.node[a];
  join->node[1] = v.node[b];
  join->length[0] = length / step.scale / step.scale;
  join->length[1] = (dab - length) / step.scale / step.scale;
  v.sum[a] = sum;
  v.mean[a] = sum / (alive - 3);
  v.key[a] = -(double)(step.number + 1);
  v.key[b] = -INFINITY;
  v.node[a] = (int32_t)(2 * v.n - 3 - step.number);
  v.bound[a] = -INFINITY;
  v.nearest[a] = v.nearest[b] = -1;
}

/* Adds the largest increase of a mean at this join to the rise. By one thread. */
__device__ __forceinline__ void add_rise(join_progress *progress) {
  const double now = __longlong_as_double((int64_t)__ldcg(&progress->rise_now));
  progress->rise = __dadd_ru(progress->rise, now);
  progress->rise_now = 0;
}

/* Replaces the bits of a number by those of a block's largest value, none of which is negative, if
   these are larger. A barrier. */
__device__ __forceinline__ void raise_most(unsigned long long *most, double value) {
  __shared__ unsigned long long of_block;
  for (int step = 16; step > 0; step /= 2)
    value = fmax(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicMax(&of_block, (unsigned long long)__double_as_longlong(value));
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(most, of_block);
  __syncthreads(); /* before another call */
}

/* Returns the sum of a chunk to thread 0, in the order of joining.c. A barrier. */
__device__ __forceinline__ double sum_of_chunk(const double *value) {
  __shared__ double lane[SUM_LANES];
  if (threadIdx.x < SUM_LANES) {
    double sum = 0;
#pragma unroll 16
    for (int k = 0; k < GG_JOIN_CHUNK; k += SUM_LANES)
      sum += value[k + threadIdx.x];
    lane[threadIdx.x] = sum;
  }
  __syncthreads();
  double sum = 0;
  for (int k = 0; threadIdx.x == 0 && k < SUM_LANES; ++k)
    sum += lane[k];
  return sum;
}

/* Replaces two nodes: the sums and means of the others, the new distances, and their sums by chunks
   of the list, a block for each and a thread for each slot. The sums of both nodes stay for
   place_node(). There are fewer chunks than threads: 2^20 nodes would take 8 TB. */
__global__ void __launch_bounds__(GG_JOIN_CHUNK)
    update_sums(const join_view v, const join_step step) {
  __shared__ double value[GG_JOIN_CHUNK];
  const int32_t a = v.progress->pair.a, b = v.progress->pair.b;
  const double left = (double)(v.n - step.number - 3);
  const int64_t r = this_item();
  const int32_t j = r < step.width ? v.slots[r] : a;
  double d = 0, rise = 0;
  if (j != a && j != b && v.key[j] > -INFINITY) {
    const double da = v.d[a * v.n + j], db = v.d[b * v.n + j];
    d = (da + db - v.progress->distance) * 0.5;
    const double sum = v.sum[j] - da - db + d, mean = sum / left;
    rise = fmax(0.0, __dsub_ru(mean, v.mean[j]));
    v.sum[j] = sum;
    v.mean[j] = mean;
    v.d[a * v.n + j] = v.d[j * v.n + a] = d;
  }
  value[threadIdx.x] = d;
  raise_most(&v.progress->rise_now, rise);
  raise_most(&v.progress->most, fabs(d));
  const double of_chunk = sum_of_chunk(value);
  if (threadIdx.x == 0) v.part[blockIdx.x] = of_chunk;
  if (!is_last_block(&v.progress->ended, gridDim.x)) return;
  if (threadIdx.x < gridDim.x) value[threadIdx.x] = __ldcg(&v.part[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (unsigned c = 0; c < gridDim.x; ++c)
    sum += value[c];
  place_node(v, step, sum);
  add_rise(v.progress);
}

/* Removes slots without a node from the list; one block. */
__global__ void __launch_bounds__(THREADS) shorten_list(const join_view v, int64_t width) {
  __shared__ int64_t base;
  if (threadIdx.x == 0) base = 0;
  for (int64_t first = 0; first < width; first += THREADS) {
    const int64_t k = first + threadIdx.x;
    const int32_t slot = k < width ? v.slots[k] : -1;
    const int is_alive = slot >= 0 && v.key[slot] > -INFINITY;
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
    if (v.key[v.slots[k]] > -INFINITY) slot[count++] = v.slots[k];
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
  for (double **list : {&v.sum, &v.mean, &v.key, &v.bound, &v.near})
    part.take(*list, n);
  for (int32_t **list : {&v.node, &v.nearest, &v.slots, &v.list})
    part.take(*list, n);
  part.take(v.part, 1 + n / GG_JOIN_CHUNK);
  part.take(v.found, BLOCKS);
  part.take(v.parts, BLOCKS);
  part.take(v.parts_ended, BLOCKS);
  part.take(v.joins, n);
  part.take(v.progress, 1);
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
  begin_nodes<<<blocks_for(v_.n, SUM_THREADS), SUM_THREADS, 0, pieces_.stream()>>>(v_, rest_->most);
  pieces_.end();
}

void joining::join_all() {
  const cudaStream_t stream = pieces_.stream();
  const double n = (double)v_.n, most = rest_->most;
  join_step step = {0, v_.n, most > 0 ? ldexp(most, -36) : 1, rest_->scale};
  for (int64_t alive = v_.n; alive > GG_NJ_LAST;) {
    const double left = (double)alive / n;
    pieces_.begin(SHARE_OF_DISTANCES + (1 - SHARE_OF_DISTANCES) * (1 - left * left));
    for (int k = 0; k < JOINS_OF_PIECE && alive > GG_NJ_LAST; ++k) {
      const unsigned chunks = blocks_for(step.width, GG_JOIN_CHUNK);
      const unsigned rows = (unsigned)smaller(BLOCKS, blocks_for(step.width, THREADS));
      find_limit<<<rows, THREADS, 0, stream>>>(v_, step);
      list_rows<<<rows, THREADS, 0, stream>>>(v_, step);
      read_rows<<<BLOCKS, THREADS, 0, stream>>>(v_, step);
      update_sums<<<chunks, GG_JOIN_CHUNK, 0, stream>>>(v_, step);
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
