/*
 * Kendall's correlations from the bits of all pairs of observations: a bit tells for a column which
 * observation of a pair has the larger value, and the bits of two columns are compared 32 at a
 * time. Bits are made of the columns' codes when they are needed, for the 128 columns of a square
 * of 64 by 64 pairs of columns, so that the memory is that of the codes. All counts are whole
 * numbers.
 *
 * Limited by the counting of bits, 16 words in a cycle of a multiprocessor, and by making them:
 * with 64 columns on each side, these take about as long.
 */
#include "cuda/distance/column_pairs.cuh"
#include "distance/kendall.h"

namespace gpugeo {
namespace {

/* Columns on a side, threads, words that are made together, and columns of a thread on a side. */
enum { SIDE = 64, THREADS = 256, WORDS = THREADS / 32, OWN = 4, PAIRS = SIDE * SIDE };

/* What two columns can have. */
enum columns_kind { DISTINCT, TIES, GAPS };

/* Bits of a word: the first value is larger; the two differ; none is missing. */
enum { GREATER, UNTIED, PRESENT };

__host__ __device__ constexpr int bits_of(columns_kind kind) {
  return kind == DISTINCT ? 1 : kind == TIES ? 2 : 3;
}

/* Counts of a pair of columns: discordant pairs of observations; those that differ in both columns;
   those that differ in one and are there in the other. */
enum { DISCORDANT, BOTH, OF_X, OF_Y };

__host__ __device__ constexpr int counts_of(columns_kind kind) {
  return kind == DISTINCT ? 1 : kind == TIES ? 2 : 4;
}

/* Words that a block counts in one launch, at most: an H200 takes about 0.1 s for them. */
constexpr int64_t SEGMENT = 1 << 18;

/* Some columns on the device, from column `first` on; see gg_kendall_columns. */
struct code_view {
  const int32_t *code;
  const unsigned long long *present, *untied;
  int64_t first;
};

struct kendall_job {
  code_view x, y;
  int64_t n;
  pair_block block;
  int64_t first_tile;
  int64_t word, end; /* the words to count, */
  int64_t part;      /* so many of them for each block */
  /* counts_of() by PAIRS counts for each tile, to which blocks add theirs; NULL: a block counts all
     words. */
  unsigned long long *totals;
  bool pairwise, covariance;
  void *out;
  bool to_float;
  double missing;
  int32_t *flat; /* set to 1 when a column is constant on the observations of a pair */
};

/* Makes this warp's word of the bits of SIDE columns. The word has pairs of observations k and l of
   each lane; columns beyond `count` are those of the last one. */
template <columns_kind KIND>
__device__ __forceinline__ void make_bits(const int32_t *code, int64_t n, int64_t count, int64_t k,
                                          int64_t l, bool there, uint32_t (*bits)[WORDS][SIDE]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int32_t *column = code;
#pragma unroll 1
  for (int half = 0; half < SIDE; half += 32) {
    uint32_t own[bits_of(KIND)] = {};
#pragma unroll 8
    for (int c = 0; c < 32; ++c) {
      const int32_t a = column[k], b = column[l];
      if (half + c + 1 < count) column += n;
      const bool present = there && (KIND != GAPS || (a >= 0 && b >= 0));
      const uint32_t greater = __ballot_sync(~0u, present && a > b);
      if (lane == c) own[GREATER] = greater;
      if (KIND != DISTINCT) {
        const uint32_t untied = __ballot_sync(~0u, present && a != b);
        if (lane == c) own[UNTIED % bits_of(KIND)] = untied;
      }
      if (KIND == GAPS) {
        const uint32_t all = __ballot_sync(~0u, present);
        if (lane == c) own[PRESENT % bits_of(KIND)] = all;
      }
    }
#pragma unroll
    for (int q = 0; q < bits_of(KIND); ++q)
      bits[q][warp][half + lane] = own[q];
  }
}

/* Reads a thread's words of four columns. */
__device__ __forceinline__ void read_words(const uint32_t *from, uint32_t (&word)[OWN]) {
  const uint4 four = *reinterpret_cast<const uint4 *>(from);
  word[0] = four.x;
  word[1] = four.y;
  word[2] = four.z;
  word[3] = four.w;
}

/* Adds what one word of two columns counts. */
template <columns_kind KIND>
__device__ __forceinline__ void count_word(const uint32_t (&x)[bits_of(KIND)][OWN],
                                           const uint32_t (&y)[bits_of(KIND)][OWN], int a, int b,
                                           int (&count)[counts_of(KIND)][OWN][OWN]) {
  const uint32_t differ = x[GREATER][a] ^ y[GREATER][b];
  if (KIND == DISTINCT) {
    count[DISCORDANT][a][b] += __popc(differ);
    return;
  }
  constexpr int untied = UNTIED % bits_of(KIND), present = PRESENT % bits_of(KIND);
  const uint32_t both = x[untied][a] & y[untied][b];
  count[DISCORDANT][a][b] += __popc(differ & both);
  count[BOTH % counts_of(KIND)][a][b] += __popc(both);
  if (KIND == GAPS) {
    count[OF_X % counts_of(KIND)][a][b] += __popc(x[untied][a] & y[present][b]);
    count[OF_Y % counts_of(KIND)][a][b] += __popc(x[present][a] & y[untied][b]);
  }
}

/* True if two columns have more than one observation in common. */
__device__ bool has_pairs(const int32_t *x, const int32_t *y, int64_t n) {
  int found = 0;
  for (int64_t k = 0; k < n && found < 2; ++k)
    found += x[k] >= 0 && y[k] >= 0;
  return found > 1;
}

/* Returns the correlation of a pair of columns, which are numbered from the views' first. */
template <columns_kind KIND>
__device__ double correlation(const kendall_job &job, int64_t i, int64_t j,
                              const long long (&count)[counts_of(KIND)]) {
  const unsigned long long all = (unsigned long long)job.n;
  const bool gap = job.x.present[i] < all || job.y.present[j] < all;
  if (gap && !job.pairwise) return job.missing;
  const long long both = KIND == DISTINCT ? job.n * (job.n - 1) / 2 : count[BOTH % counts_of(KIND)];
  const long long score = both - 2 * count[DISCORDANT];
  if (job.covariance) return 2 * (double)score;
  const long long of_x = KIND == GAPS ? count[OF_X % counts_of(KIND)] : (long long)job.x.untied[i];
  const long long of_y = KIND == GAPS ? count[OF_Y % counts_of(KIND)] : (long long)job.y.untied[j];
  if (of_x > 0 && of_y > 0) return gg_kendall_tau(of_x, of_y, score);
  if (job.pairwise && has_pairs(job.x.code + i * job.n, job.y.code + j * job.n, job.n))
    *job.flat = 1; /* all threads write the same value */
  return job.missing;
}

/* Writes the correlations of a thread's pairs of columns in a tile. */
template <columns_kind KIND>
__device__ __forceinline__ void write_pairs(const kendall_job &job, const tile_position &position,
                                            const long long (&count)[counts_of(KIND)][OWN][OWN]) {
  const int row0 = threadIdx.x / 16 * OWN, column0 = threadIdx.x % 16 * OWN;
#pragma unroll
  for (int b = 0; b < OWN; ++b) {
    const int64_t column = position.j + column0 + b;
    if (column >= position.end) continue;
    const int64_t first = job.block.first_row(column), at = job.block.offset(column) - first;
#pragma unroll
    for (int a = 0; a < OWN; ++a) {
      const int64_t row = position.i + row0 + a;
      if (row < first || row >= job.block.i1) continue;
      long long own[counts_of(KIND)];
#pragma unroll
      for (int c = 0; c < counts_of(KIND); ++c)
        own[c] = count[c][a][b];
      const double value = correlation<KIND>(job, row - job.x.first, column - job.y.first, own);
      if (job.to_float)
        static_cast<float *>(job.out)[at + row] = (float)value;
      else
        static_cast<double *>(job.out)[at + row] = value;
    }
  }
}

/* Returns a thread's total of a count and a pair in a tile of the launch. */
template <columns_kind KIND>
__device__ __forceinline__ unsigned long long *total_of(const kendall_job &job, int c, int a,
                                                        int b) {
  return job.totals + ((int64_t)blockIdx.x * counts_of(KIND) + c) * PAIRS +
         (a * OWN + b) * THREADS + threadIdx.x;
}

/* Counts words of a tile, the blockIdx.y-th part of those of the job. */
template <columns_kind KIND>
__global__ void __launch_bounds__(THREADS) count_pairs(const kendall_job job) {
  constexpr int COUNTS = counts_of(KIND), BITS = bits_of(KIND);
  __shared__ __align__(16) uint32_t x_bits[BITS][WORDS][SIDE], y_bits[BITS][WORDS][SIDE];
  const tile_position position =
      tile_grid{SIDE, SIDE}.position(job.block, job.first_tile + blockIdx.x);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = threadIdx.x / 16 * OWN, column0 = threadIdx.x % 16 * OWN;
  const int64_t i0 = position.i - job.x.first, j0 = position.j - job.y.first, n = job.n;
  const int64_t pairs = n * (n - 1) / 2, begin = job.word + blockIdx.y * job.part;
  const int64_t end = smaller(begin + job.part, job.end);
  int count[COUNTS][OWN][OWN] = {};
  for (int64_t word = begin; word < end; word += WORDS) {
    /* Pair p is that of observations p % n and p % n + 1 + p / n, the latter modulo n. */
    const int64_t p = (word + warp) * 32 + lane;
    const bool there = word + warp < end && p < pairs;
    const int64_t k = there ? p % n : 0, sum = there ? k + 1 + p / n : 0;
    const int64_t l = sum < n ? sum : sum - n;
    make_bits<KIND>(job.x.code + i0 * n, n, job.block.i1 - position.i, k, l, there, x_bits);
    make_bits<KIND>(job.y.code + j0 * n, n, position.end - position.j, k, l, there, y_bits);
    __syncthreads();
#pragma unroll 2
    for (int w = 0; w < WORDS; ++w) {
      uint32_t x[BITS][OWN], y[BITS][OWN];
#pragma unroll
      for (int q = 0; q < BITS; ++q) {
        read_words(&x_bits[q][w][row0], x[q]);
        read_words(&y_bits[q][w][column0], y[q]);
      }
#pragma unroll
      for (int a = 0; a < OWN; ++a)
#pragma unroll
        for (int b = 0; b < OWN; ++b)
          count_word<KIND>(x, y, a, b, count);
    }
    __syncthreads();
  }
  long long all[COUNTS][OWN][OWN];
#pragma unroll
  for (int c = 0; c < COUNTS; ++c)
#pragma unroll
    for (int a = 0; a < OWN; ++a)
#pragma unroll
      for (int b = 0; b < OWN; ++b) {
        all[c][a][b] = count[c][a][b];
        if (job.totals) atomicAdd(total_of<KIND>(job, c, a, b), (unsigned long long)count[c][a][b]);
      }
  if (!job.totals) write_pairs<KIND>(job, position, all);
}

/* Writes the correlations of tiles whose words have all been counted. */
template <columns_kind KIND>
__global__ void __launch_bounds__(THREADS) write_tile(kendall_job job) {
  const tile_position position =
      tile_grid{SIDE, SIDE}.position(job.block, job.first_tile + blockIdx.x);
  long long all[counts_of(KIND)][OWN][OWN];
#pragma unroll
  for (int c = 0; c < counts_of(KIND); ++c)
#pragma unroll
    for (int a = 0; a < OWN; ++a)
#pragma unroll
      for (int b = 0; b < OWN; ++b)
        all[c][a][b] = (long long)*total_of<KIND>(job, c, a, b);
  write_pairs<KIND>(job, position, all);
}

/* --- The job ---------------------------------------------------------------------------------- */

/* How the work is divided to fit into the device's memory. */
struct division {
  int64_t words, tiles; /* of a pair of columns; in a launch */
  int64_t blocks;       /* that are enough for the device: with fewer tiles, these are divided */
  int64_t total_bytes;  /* of all tiles in a launch whose words are divided */
  column_panels columns;
};

/* Some columns in device memory. */
class code_store {
public:
  static int64_t column_bytes(int64_t n) {
    return n * (int64_t)sizeof(int32_t) + 2 * (int64_t)sizeof(unsigned long long);
  }

  void allocate(int64_t n, int64_t columns) {
    code_.allocate(n * columns * (int64_t)sizeof(int32_t));
    present_.allocate(columns * (int64_t)sizeof(unsigned long long));
    untied_.allocate(columns * (int64_t)sizeof(unsigned long long));
    kinds_.allocate(sizeof(int32_t));
  }

  /* Columns [first, first + count). Waits for them, and returns POINTS_HAVE_... of them. */
  int load(const gg_kendall_columns &from, int64_t first, int64_t count, column_ranker &by,
           gg_clock *clock, double fraction) {
    cudaStream_t stream = by.stream();
    first_ = first;
    GG_CUDA(cudaMemsetAsync(kinds_.as(), 0, sizeof(int32_t), stream));
    by.load(*from.values, first, count, fraction,
            [&](point_ranker &ranker, const double *z, int64_t ld, int64_t i, int64_t here) {
              ranker.code(z, ld, here,
                          {code_.as<int32_t>() + i * from.n, present_.as<unsigned long long>() + i,
                           untied_.as<unsigned long long>() + i, kinds_.as<int32_t>()},
                          stream);
            });
    int32_t kinds = 0;
    GG_CUDA(cudaMemcpyAsync(&kinds, kinds_.as(), sizeof kinds, cudaMemcpyDeviceToHost, stream));
    GG_CUDA(cudaEventRecord(loaded_, stream));
    wait(loaded_, clock, fraction);
    return kinds;
  }

  code_view view() const {
    return {code_.as<int32_t>(), present_.as<unsigned long long>(),
            untied_.as<unsigned long long>(), first_};
  }

private:
  event loaded_;
  device_memory code_, present_, untied_, kinds_;
  int64_t first_ = 0;
};

division divide(const gg_kendall_plan &plan, const result &to, const column_ranks_size &ranking,
                int64_t budget, team &team) {
  const int64_t n = plan.x->n;
  const double processors = attribute(cudaDevAttrMultiProcessorCount, team.first_device());
  const double cycles = 1.5e8; /* of a tenth of a second */
  const int counts = counts_of(plan.pairwise ? GAPS : TIES);
  division d;
  d.words = divide_up(n * (n - 1) / 2, 32);
  const double tile = (double)smaller(d.words, SEGMENT) * PAIRS * counts / 8; /* cycles */
  d.blocks = (int64_t)(2 * processors);
  d.tiles = larger(d.blocks, (int64_t)(cycles * processors / tile));
  if (d.words > SEGMENT) d.tiles = d.blocks;
  const int64_t all = divide_up(plan.x->columns, SIDE) * divide_up(plan.y->columns, SIDE);
  d.total_bytes = smaller(all, d.blocks) * counts * PAIRS * (int64_t)sizeof(unsigned long long);
  d.columns = divide_columns(plan, to, 2 * code_store::column_bytes(n),
                             budget - 2 * d.total_bytes - ranking.bytes);
  return d;
}

/* One worker's part. */
class kendall_work {
public:
  kendall_work(const gg_kendall_plan &plan, const worker &here, const result &to,
               const column_ranks_size &ranking, const division &division, chunk_counter *untaken)
      : plan_(plan), here_(here), resources_(*here.resources), d_(division),
        busy_(resources_.upload), ranker_(resources_, plan.x->n, ranking, here.threads, here.clock),
        chunks_(resources_, to, here.clock, &busy_, d_.columns.values,
                smaller(d_.columns.panel, plan.x->columns), untaken),
        flat_(resources_.upload), finish_(resources_) {
    const int64_t panel = d_.columns.panel;
    x_.allocate(plan.x->n, smaller(panel, plan.x->columns));
    if (has_two_panels(plan, panel)) y_.allocate(plan.y->n, smaller(panel, plan.y->columns));
    totals_.allocate(2 * d_.total_bytes);
    job_.n = plan.x->n;
    job_.pairwise = plan.pairwise;
    job_.covariance = plan.covariance;
    job_.to_float = plan.type == GPUGEO_TYPE_FLOAT;
    job_.missing = plan.missing;
    job_.flat = flat_.get();
  }

  /* Computes all chunks that are this worker's. */
  void run() {
    int x_kinds = 0, y_kinds = 0;
    visit_panels(
        plan_, d_.columns.panel, chunks_, resources_.upload,
        [&](int64_t first, int64_t count) {
          x_kinds = x_.load(*plan_.x, first, count, ranker_, here_.clock, chunks_.fraction());
        },
        [&](int64_t first, int64_t count) {
          y_kinds = y_.load(*plan_.y, first, count, ranker_, here_.clock, chunks_.fraction());
        },
        [&](const pair_block &block, bool same) {
          job_.x = x_.view();
          job_.y = same ? job_.x : y_.view();
          choose_kernel(same ? x_kinds : x_kinds | y_kinds);
          compute(block);
        });
    chunks_.finish();
    here_.report->device_seconds += busy_.seconds();
    flat_.report(here_.report);
  }

private:
  /* Chooses the kernels for columns that have POINTS_HAVE_... . */
  void choose_kernel(int kinds) {
    const columns_kind kind = plan_.pairwise && (kinds & POINTS_HAVE_GAPS) ? GAPS
                              : kinds & POINTS_HAVE_TIES                   ? TIES
                                                                           : DISTINCT;
    count_ = kind == GAPS   ? count_pairs<GAPS>
             : kind == TIES ? count_pairs<TIES>
                            : count_pairs<DISTINCT>;
    write_ = kind == GAPS   ? write_tile<GAPS>
             : kind == TIES ? write_tile<TIES>
                            : write_tile<DISTINCT>;
    tile_bytes_ = counts_of(kind) * PAIRS * (int64_t)sizeof(unsigned long long);
  }

  void compute(const pair_block &block) {
    chunk_walk at(chunks_, block);
    while (at.next_chunk())
      for (at.divide(tile_grid{SIDE, SIDE}.count(at.chunk()), d_.tiles); at.next_launch();) {
        job_.block = at.chunk();
        job_.out = at.values();
        job_.first_tile = at.first();
        count(at.items(), at.stream());
      }
  }

  /* Counts all words of some tiles. */
  void count(int64_t tiles, cudaStream_t stream) {
    const int64_t most = divide_up(d_.words, 4 * WORDS); /* parts that are not too small */
    const int64_t parts = larger(1, smaller(d_.blocks / tiles, most));
    job_.part = round_up(smaller(divide_up(d_.words, parts), SEGMENT), WORDS);
    const bool divided = parts * job_.part < d_.words || parts > 1;
    /* Each stream has totals of its own. */
    char *totals = totals_.as() + (stream == resources_.compute[0] ? 0 : d_.total_bytes);
    job_.totals = divided ? reinterpret_cast<unsigned long long *>(totals) : nullptr;
    if (divided) GG_CUDA(cudaMemsetAsync(totals, 0, (size_t)(tiles * tile_bytes_), stream));
    const dim3 grid((unsigned)tiles, (unsigned)parts);
    for (job_.word = 0; job_.word < d_.words; job_.word = job_.end) {
      if (job_.word > 0) { /* so that an interrupt need not wait for all words */
        GG_CUDA(cudaEventRecord(counted_, stream));
        wait(counted_, here_.clock, chunks_.fraction());
      }
      job_.end = smaller(job_.word + parts * job_.part, d_.words);
      count_<<<grid, THREADS, 0, stream>>>(job_);
      GG_CUDA(cudaGetLastError());
    }
    if (divided) write_<<<(unsigned)tiles, THREADS, 0, stream>>>(job_);
    GG_CUDA(cudaGetLastError());
  }

  const gg_kendall_plan &plan_;
  const worker &here_;
  device_resources &resources_;
  const division &d_;
  kendall_job job_ = kendall_job();
  code_store x_, y_;
  device_memory totals_;
  void (*count_)(kendall_job) = nullptr, (*write_)(kendall_job) = nullptr;
  int64_t tile_bytes_ = 0; /* of a tile's totals */
  busy_time busy_;
  event counted_;
  column_ranker ranker_;
  chunk_queue chunks_;
  flat_flag flat_;
  finish_streams finish_; /* last: before all of the above is let go */
};

} // namespace

gpugeo_status kendall(const gg_kendall_plan &plan, call &call) {
  team &team = call.workers();
  correlate_columns(
      plan, team,
      [&](const result &to, const column_ranks_size &ranking, int64_t budget) {
        return divide(plan, to, ranking, budget, team);
      },
      [&](const worker &here, const result &to, const column_ranks_size &ranking,
          const division &division, chunk_counter *untaken) {
        kendall_work(plan, here, to, ranking, division, untaken).run();
      });
  return GPUGEO_OK;
}

} // namespace gpugeo
