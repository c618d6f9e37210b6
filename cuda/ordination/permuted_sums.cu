/*
 * Sums over pairs for many permutations, with the condensed matrix of distances in the device's
 * memory, and at most 1 GiB more.
 *
 * A sum belongs to a lane. What the points have in all lanes of a batch is written first; then
 * tiles of pairs are taken in the order of the plan, as many as there is room for their sums of
 * columns (add_pairs, add_listed). These are chained together on a second stream (sum_chain.cu),
 * while the next tiles are computed: its kernels go first, as those of the tiles leave them no
 * room. The total of all values is one lane more, with a basis or a weight of 1.
 *
 * Up to MOST_LISTED groups are listed: for each lane, the rows of a tile that each group has, in
 * their order (list_rows). A column then adds the rows of its own group alone. With more groups,
 * and in less shared memory than the values of a tile take, each row is compared with the column.
 *
 * Limits: of a basis, the tensor cores (basis_sums.cu) or, without those that take doubles, the
 * FP64 pipe, since 25,145 points and 1,000 lanes are 3.2e11 fma; a thread loads 4 lanes of a row
 * and 8 values from shared memory for 32 of them. Of lists, the loads from shared memory, one for
 * each addition, of which there are as many as pairs within groups.
 */
#include <cmath>
#include <cstring>

#include "cuda/common/launch.cuh"
#include "cuda/common/upload.cuh"
#include "cuda/ordination/basis_sums.cuh"
#include "cuda/ordination/sum_chain.cuh"
#include "cuda/ordination/tested.cuh"
#include "ordination/permuted_sums.h"

namespace gpugeo {
namespace {

constexpr int64_t MIB = 1 << 20;
constexpr int64_t POINT_BYTES = 512 * MIB; /* of what the points have in a batch of lanes */
constexpr int64_t MOST_LANES = 1 << 15;    /* of a batch: a grid has fewer than 2^16 rows */
constexpr int64_t ADDED_BYTES = 128 * MIB; /* of sums of columns, in each of two buffers */
constexpr int64_t SLOT_BYTES = 16 * MIB;   /* of pinned memory for permutations */

/* Parts of the call's time that the distances take, and the copy of ranks, for progress. */
constexpr double SHARE_OF_DISTANCES = 0.5, SHARE_OF_RANKS = 0.3;

enum {
  SIDE = GG_SUMS_SIDE,
  THREADS = 128,
  OWN_LANES = 4,          /* of a thread: those of a warp follow each other */
  OWN_COLUMNS = 8,        /* of a warp */
  LANES = 32 * OWN_LANES, /* of a thread block */
  COLUMNS = 4 * OWN_COLUMNS,
  STRIP = 32, /* rows in shared memory */
  FILL_THREADS = 256,
  MOST_LISTED = 64,  /* groups, of which a tile has 8 rows each if they are of one size */
  LIST_STEP = 8,     /* rows that are read together: those of a group are filled up to so many */
  LISTERS = 128,     /* threads of a block that makes lists */
  LISTED_LANES = 512 /* of a thread block */
};

/* --- Kernels ---------------------------------------------------------------------------------- */

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

/* Writes the values of point i to the position of point s(i). */
template <class P> __global__ void __launch_bounds__(FILL_THREADS) fill(const fill_job<P> job) {
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

/* Copies OWN_LANES values, which are aligned to as many bytes, up to 16. */
template <class P> __device__ __forceinline__ void copy_lanes(P *to, const P *from) {
  constexpr int words = OWN_LANES * sizeof(P) / sizeof(int4);
#pragma unroll
  for (int w = 0; w < words; ++w)
    reinterpret_cast<int4 *>(to)[w] = reinterpret_cast<const int4 *>(from)[w];
}

/* Adds a value to a sum if two groups are equal: by one predicated addition, where the compiler
   would add always and select the result by two more instructions. */
__device__ __forceinline__ void add_if_equal(int32_t group, int32_t other, double value,
                                             double &sum) {
  asm("{\n\t.reg .pred equal;\n\t"
      "setp.eq.s32 equal, %1, %2;\n\t"
      "@equal add.rn.f64 %0, %0, %3;\n\t}"
      : "+d"(sum)
      : "r"(group), "r"(other), "d"(value));
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
          if (GROUPS)
            add_if_equal((int32_t)row[l], (int32_t)column[c][l], a, sum[c][l]);
          else
            sum[c][l] = fma(a, (double)row[l], sum[c][l]);
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

/* The rows of each group in the tiles, for all lanes. The group of the total is one more. */
struct row_lists {
  int groups;           /* with that of the total */
  int room;             /* steps of a list */
  const uint4 *rows;    /* tiles by lanes by room: LIST_STEP rows of the tile, SIDE for none */
  const uint8_t *begin; /* tiles by lanes by groups + 1: first steps of the groups, and the end */
};

/* Returns the steps that the list of a tile may have. */
int list_room(int64_t groups) { return SIDE / LIST_STEP + (int)smaller(groups, SIDE); }

/* Lists the rows of each group in a tile; a thread has one lane. Lanes beyond that of the total
   have empty lists. */
__global__ void __launch_bounds__(LISTERS)
    list_rows(const int32_t *point, int64_t n, int64_t lanes, int64_t used, int groups, int room,
              uint16_t *rows, uint8_t *begin) {
  __shared__ uint16_t next[MOST_LISTED + 1][LISTERS];
  const int own = threadIdx.x;
  const int64_t lane = (int64_t)blockIdx.x * LISTERS + own, first = (int64_t)blockIdx.y * SIDE;
  const int there = lane < used ? (int)smaller(SIDE, n - first) : 0;
  const int32_t *group = point + first * lanes + lane;
  uint16_t *list = rows + ((int64_t)blockIdx.y * lanes + lane) * room * LIST_STEP;
  uint8_t *of_group = begin + ((int64_t)blockIdx.y * lanes + lane) * (groups + 1);
  for (int g = 0; g < groups; ++g)
    next[g][own] = 0;
  for (int r = 0; r < there; ++r)
    ++next[group[r * lanes]][own];
  int step = 0;
  for (int g = 0; g < groups; ++g) {
    const int count = next[g][own], end = step * LIST_STEP + count;
    next[g][own] = (uint16_t)(step * LIST_STEP);
    of_group[g] = (uint8_t)step;
    step += (count + LIST_STEP - 1) / LIST_STEP;
    for (int k = end; k < step * LIST_STEP; ++k)
      list[k] = SIDE;
  }
  of_group[groups] = (uint8_t)step;
  for (int r = 0; r < there; ++r)
    list[next[group[r * lanes]][own]++] = (uint16_t)r;
}

/* Returns the bytes of a tile's values in shared memory, with a row of zeros. */
constexpr int listed_bytes(int columns) { return (SIDE + 1) * columns * (int)sizeof(double); }

/* Writes the values of a tile to shared memory, with a row of zeros after them. A warp takes 4 rows
   of 8 columns: whole sectors of memory, and two stores to a bank. */
template <int COLUMNS_, class T>
__device__ __forceinline__ void fill_values(const sums_job &job, int first_column,
                                            int64_t first_row, int rows, double *value) {
  constexpr int parts = COLUMNS_ / 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int c = warp % parts * 8 + lane % 8;
  for (int r = warp / parts * 4 + lane / 8; r < SIDE; r += 32) {
    const bool there = first_column + c < job.columns && r < rows;
    value[r * COLUMNS_ + c] =
        there ? value_of<T>(job, first_row + r, job.column + first_column + c) : 0;
  }
  if (threadIdx.x < COLUMNS_) value[SIDE * COLUMNS_ + threadIdx.x] = 0;
}

/* Adds two values of a column, of the rows in the halves of a word. */
template <int COLUMNS_>
__device__ __forceinline__ void add_two(const double *value, unsigned rows, double &sum) {
  sum += value[(rows & 0xffff) * COLUMNS_];
  sum += value[(rows >> 16) * COLUMNS_];
}

/* Adds up the values of a column over the rows of its group. The rows of the next step are read
   while those of a step are added. */
template <int COLUMNS_>
__device__ __forceinline__ double add_list(const row_lists &lists, int64_t list, int32_t group,
                                           const double *value) {
  const uint8_t *begin = lists.begin + list * (lists.groups + 1) + group;
  const int end = begin[1];
  const uint4 *rows = lists.rows + list * lists.room;
  uint4 next = {};
  int k = begin[0];
  if (k < end) next = __ldg(rows + k);
  double sum = 0;
  while (k < end) {
    const uint4 step = next;
    if (++k < end) next = __ldg(rows + k);
    add_two<COLUMNS_>(value, step.x, sum);
    add_two<COLUMNS_>(value, step.y, sum);
    add_two<COLUMNS_>(value, step.z, sum);
    add_two<COLUMNS_>(value, step.w, sum);
  }
  return sum;
}

/* Does what add_pairs() does with groups, for LISTED_LANES lanes of COLUMNS_ columns. A thread has
   one column, and OWN_LANES lanes at a time. */
template <int COLUMNS_, class T>
__global__ void __launch_bounds__(32 * COLUMNS_)
    add_listed(const sums_job job, const row_lists lists) {
  extern __shared__ double value[]; /* SIDE + 1 by COLUMNS_, columns contiguous */
  const int first_column = (int)blockIdx.x * COLUMNS_;
  const int64_t tile = job.row / SIDE + blockIdx.z, first_row = tile * SIDE;
  fill_values<COLUMNS_, T>(job, first_column, first_row, (int)smaller(SIDE, job.n - first_row),
                           value);
  __syncthreads();
  const int c = threadIdx.x % COLUMNS_, own_column = first_column + c;
  if (own_column >= job.columns) return;
  const int32_t *point = static_cast<const int32_t *>(job.point);
  const int32_t *of_column = point + (job.column + own_column) * job.lanes;
  double *added = job.added + ((int64_t)blockIdx.z * job.columns + own_column) * job.lanes;
  const int64_t begin = (int64_t)blockIdx.y * LISTED_LANES;
  const int64_t end = smaller(begin + LISTED_LANES, job.lanes);
  for (int64_t lane = begin + (int)threadIdx.x / COLUMNS_ * OWN_LANES; lane < end;
       lane += 32 * OWN_LANES) {
    alignas(16) int32_t group[OWN_LANES];
    copy_lanes(group, of_column + lane);
    alignas(16) double sum[OWN_LANES];
#pragma unroll
    for (int l = 0; l < OWN_LANES; ++l)
      sum[l] = add_list<COLUMNS_>(lists, tile * job.lanes + lane + l, group[l], value + c);
    copy_lanes(added + lane, sum);
  }
}

/* --- A call ----------------------------------------------------------------------------------- */

/* A stream whose thread blocks take room on the device before those of other streams. */
class urgent_stream {
public:
  urgent_stream() {
    int least = 0, greatest = 0;
    GG_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    GG_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
  }
  ~urgent_stream() {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
  }
  urgent_stream(const urgent_stream &) = delete;
  urgent_stream &operator=(const urgent_stream &) = delete;
  operator cudaStream_t() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

/* Returns the columns of tiles of a kernel that takes lists, 0: none has room for them. */
int listed_columns(const gg_permuted_sums_plan &plan, int device) {
  if (plan.basis || plan.groups > MOST_LISTED) return 0;
  const int room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return listed_bytes(32) <= room ? 32 : listed_bytes(16) <= room ? 16 : 0;
}

/* Returns the bytes of what all points have in a lane, with their numbers in the permutation. */
int64_t lane_bytes(const gg_permuted_sums_plan &plan, bool listed) {
  const int64_t point = (plan.basis ? sizeof(double) : sizeof(int32_t)) + sizeof(int32_t);
  const int64_t list = list_room(plan.groups + 1) * (int64_t)sizeof(uint4) + plan.groups + 2;
  return plan.n * point + (listed ? divide_up(plan.n, SIDE) * list : 0);
}

/* Returns the distances of a plan. Those that are ranked may be infinite, and have any sign. */
tested_source source_of(const gg_permuted_sums_plan &plan) {
  return {plan.source, plan.points, plan.name, plan.ranked, plan.may_be_negative || plan.ranked,
          plan.ranked, false};
}

class permuted {
public:
  permuted(const gg_permuted_sums_plan &plan, const worker &here, gpugeo_error *error);

  /* Returns the core's errors about distances. */
  gpugeo_status run();

private:
  void run_batches();
  void fetch_ranks();
  template <bool GROUPS> void run_batch(int64_t first, int64_t lanes);
  template <bool GROUPS> void fill_points(int64_t first, int64_t lanes);
  void list_groups(int64_t lanes, int64_t used);
  template <bool GROUPS> void add_tiles(sums_job job, int64_t tiles);
  template <bool GROUPS, class T> void launch_tiles(const sums_job &job, int64_t tiles);
  template <int COLUMNS_, class T> void launch_listed(const sums_job &job, int64_t tiles);
  const int32_t *bring_order(int64_t from, int64_t end);

  template <class Launch> void run_piece(Launch launch) {
    pieces_.begin(fraction());
    launch();
    pieces_.end();
  }
  double fraction() const { return begun_ + (end_ - begun_) * pairs_done_ / (pairs_ * batches_); }

  const gg_permuted_sums_plan &plan_;
  const worker &here_;
  gpugeo_error *error_;
  const double pairs_;
  double begun_, end_, pairs_done_ = 0, batches_ = 1;
  const int64_t all_;        /* sums; the total is one more */
  const int listed_columns_; /* of a tile whose groups are listed, or 0 */
  int64_t most_;             /* lanes of a batch */
  int64_t added_bytes_;
  tested_distances distances_;
  row_lists lists_ = {};
  device_memory given_, weight_, order_, point_, rows_, begin_, added_[2], sums_, within_;
  uploader uploader_;
  event brought_, computed_[2], chained_[2];
  int turn_ = 0;
  pieces pieces_;
  finish_streams finish_; /* last, with the next one: before all of the above is let go */
  urgent_stream chain_stream_;
};

permuted::permuted(const gg_permuted_sums_plan &plan, const worker &here, gpugeo_error *error)
    : plan_(plan), here_(here), error_(error),
      pairs_((double)plan.n * (double)(plan.n + SIDE) / 2), /* of tiles, at most */
      begun_(plan.source->on_device ? plan.done : plan.done + (1 - plan.done) * SHARE_OF_DISTANCES),
      end_(plan.ranks ? 1 - (1 - begun_) * SHARE_OF_RANKS : 1), all_(gg_permuted_sums_count(&plan)),
      listed_columns_(listed_columns(plan, here.device)),
      uploader_(*here.resources, GPUGEO_POINTS_ROWS, 1, here.threads, here.clock, SLOT_BYTES),
      pieces_(here.resources->compute[0], here.clock), finish_(*here.resources) {
  const int64_t limit = plan.work_bytes > 0 ? plan.work_bytes : INT64_MAX;
  const int64_t point_bytes = smaller(POINT_BYTES, limit / 2);
  const int64_t of_lane = lane_bytes(plan, listed_columns_ > 0);
  const int64_t fit = larger(1, point_bytes / of_lane / LANES) * LANES;
  most_ = smaller(smaller(fit, MOST_LANES), round_up(all_ + 1, LANES));
  added_bytes_ = larger(smaller(ADDED_BYTES, limit / 4), SIDE * most_ * (int64_t)sizeof(double));
  batches_ = (double)divide_up(all_ + 1, most_);
}

gpugeo_status permuted::run() {
  const gpugeo_status status =
      distances_.bring(source_of(plan_), here_, pieces_, plan_.done, begun_ - plan_.done, error_);
  if (status) return status;
  run_batches();
  if (plan_.ranks) fetch_ranks();
  here_.report->device_seconds += pieces_.seconds();
  return GPUGEO_OK;
}

void permuted::fetch_ranks() {
  part_clock part(here_.clock, end_, 1 - end_);
  worker mine = here_;
  mine.clock = part.get();
  fetch_columns({distances_.values(), plan_.n, false, 0}, 0, plan_.n - 1, plan_.ranks, mine);
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
  if (listed_columns_ > 0) {
    const int64_t lists = divide_up(plan_.n, SIDE) * most_;
    lists_.groups = (int)plan_.groups + 1;
    lists_.room = list_room(lists_.groups);
    rows_.allocate(lists * lists_.room * (int64_t)sizeof(uint4));
    begin_.allocate(lists * (lists_.groups + 1));
    lists_.rows = rows_.as<uint4>();
    lists_.begin = begin_.as<uint8_t>();
  }
  for (device_memory &added : added_)
    added.allocate(added_bytes_);
  sums_.allocate(most_ * (int64_t)sizeof(double));
  const int64_t within = plan_.within ? plan_.groups * (int64_t)sizeof(double) : 0;
  within_.allocate(larger(within, 1));
  GG_CUDA(cudaMemsetAsync(within_.as(), 0, (size_t)within, chain_stream_));
  for (int64_t first = 0; first <= all_; first += most_) {
    const int64_t lanes = smaller(most_, round_up(all_ + 1 - first, LANES));
    if (groups)
      run_batch<true>(first, lanes);
    else
      run_batch<false>(first, lanes);
  }
  if (within > 0)
    GG_CUDA(cudaMemcpy(plan_.within, within_.as(), (size_t)within, cudaMemcpyDeviceToHost));
}

/* Copies permutations [from, end) to the device; what is launched next waits for them. */
const int32_t *permuted::bring_order(int64_t from, int64_t end) {
  uploader_.copy(plan_.order + (from - 1) * plan_.n,
                 (end - from) * plan_.n * (int64_t)sizeof(int32_t), order_.as(), fraction());
  GG_CUDA(cudaEventRecord(brought_, here_.resources->upload));
  GG_CUDA(cudaStreamWaitEvent(pieces_.stream(), brought_, 0));
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
    const dim3 grid(blocks_for(plan_.n, FILL_THREADS), (unsigned)lanes);
    fill<P><<<grid, FILL_THREADS, 0, pieces_.stream()>>>(job);
  });
}

/* Lists the rows of the groups in all tiles, for the lanes that are used. */
void permuted::list_groups(int64_t lanes, int64_t used) {
  const dim3 grid((unsigned)(lanes / LISTERS), (unsigned)divide_up(plan_.n, SIDE));
  run_piece([&] {
    list_rows<<<grid, LISTERS, 0, pieces_.stream()>>>(point_.as<int32_t>(), plan_.n, lanes, used,
                                                      lists_.groups, lists_.room,
                                                      rows_.as<uint16_t>(), begin_.as<uint8_t>());
  });
}

/* Launches the kernel that takes lists, for COLUMNS_ columns in a thread block. */
template <int COLUMNS_, class T> void permuted::launch_listed(const sums_job &job, int64_t tiles) {
  constexpr int bytes = listed_bytes(COLUMNS_);
  GG_CUDA(cudaFuncSetAttribute(add_listed<COLUMNS_, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               bytes));
  const dim3 grid((unsigned)divide_up(job.columns, COLUMNS_),
                  (unsigned)divide_up(job.lanes, LISTED_LANES), (unsigned)tiles);
  add_listed<COLUMNS_, T><<<grid, 32 * COLUMNS_, bytes, pieces_.stream()>>>(job, lists_);
}

/* Launches the kernel for so many tiles of distances of a type. */
template <bool GROUPS, class T> void permuted::launch_tiles(const sums_job &job, int64_t tiles) {
  if (!GROUPS && has_basis_kernel())
    return add_basis(job, distances_.single(), tiles, pieces_.stream());
  if (GROUPS && listed_columns_ == 32) return launch_listed<32, T>(job, tiles);
  if (GROUPS && listed_columns_ == 16) return launch_listed<16, T>(job, tiles);
  const dim3 grid((unsigned)divide_up(job.columns, COLUMNS), (unsigned)(job.lanes / LANES),
                  (unsigned)tiles);
  add_pairs<GROUPS, T><<<grid, THREADS, 0, pieces_.stream()>>>(job);
}

/* Enqueues so many tiles and the chain of their sums. */
template <bool GROUPS> void permuted::add_tiles(sums_job job, int64_t tiles) {
  const int b = turn_;
  turn_ = 1 - turn_;
  const cudaStream_t second = chain_stream_;
  job.added = added_[b].as<double>();
  run_piece([&] {
    GG_CUDA(cudaStreamWaitEvent(pieces_.stream(), chained_[b], 0));
    if (distances_.single())
      launch_tiles<GROUPS, float>(job, tiles);
    else
      launch_tiles<GROUPS, double>(job, tiles);
    GG_CUDA(cudaEventRecord(computed_[b], pieces_.stream()));
  });
  GG_CUDA(cudaStreamWaitEvent(second, computed_[b], 0));
  const int steps = (int)tiles * job.columns;
  add_chain<GROUPS>(job, steps, weight_.as<double>(), sums_.as<double>(), second);
  if (GROUPS && job.first == 0 && plan_.within)
    add_within(job, steps, given_.as<int32_t>(), plan_.groups, within_.as<double>(), second);
  GG_CUDA(cudaGetLastError());
  GG_CUDA(cudaEventRecord(chained_[b], second));
}

/* Computes the sums [first, first + lanes), as far as there are. */
template <bool GROUPS> void permuted::run_batch(int64_t first, int64_t lanes) {
  const int64_t n = plan_.n;
  fill_points<GROUPS>(first, lanes);
  if (listed_columns_ > 0) list_groups(lanes, smaller(lanes, all_ + 1 - first));
  GG_CUDA(cudaMemsetAsync(sums_.as(), 0, (size_t)lanes * sizeof(double), chain_stream_));
  sums_job job = {};
  job.values = distances_.values();
  job.n = n;
  job.square = plan_.value == GG_PAIR_SQUARE;
  job.point = point_.as();
  job.lanes = lanes;
  job.first = first;
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

gpugeo_status permuted_sums(const gg_permuted_sums_plan &plan, call &call) {
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    const tested_source source = source_of(plan);
    const int64_t rest = POINT_BYTES + 2 * ADDED_BYTES;
    const int64_t bytes =
        larger(tested_distances::device_bytes(source), tested_distances::kept_bytes(source) + rest);
    status = check_room("the test", plan.n, bytes + tested_distances::LEAST_REST, here.device,
                        call.error);
    if (!status) status = permuted(plan, here, call.error).run();
  });
  return status;
}

} // namespace gpugeo
