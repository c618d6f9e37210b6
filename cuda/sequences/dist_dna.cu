/*
 * Distances of DNA by the tensor cores: sites are bits, and an instruction adds up the ones that
 * two sequences have in common at 256 sites, for 16 sequences with 8 others. Each count is a sum of
 * such products of sets of bases: transitions of purines are A in one sequence and G in the other,
 * or G and A. Counts are whole numbers, and the formulas are the core's (dna_formula.h), so the
 * bits are the CPU's.
 *
 * The planes of sites stay on the device, in the order in which the lanes of a warp read them: 8
 * bytes for each lane, of 8 sequences and 256 sites. Lanes and words of both sides are in the same
 * order, and which bit of a product is which site does not matter.
 *
 * Limit: the result's way over the link; without it, the matrix instructions: 4 to 16 products for
 * each pair and site, 32,768 sites an instruction. A warp reads 8 bytes from the cache for each
 * lane and plane of 8 sequences, 18 times for 28 instructions (transitions and transversions).
 */
#include "sequences/dna_plan.h"

#include "cuda/common/chunks.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pieces.cuh"
#include "cuda/common/team.cuh"
#include "sequences/dna_formula.h"

namespace gpugeo {
namespace {

enum {
  THREADS = 512,
  WARP_ROWS = 4, /* of warps in a block, as many as columns */
  GROUP = 8,     /* sequences whose words a warp reads at a time */
  SITES = 256,   /* of an instruction */
  SPARE = 128    /* sequences of zeros behind the last one: tiles read them */
};
static_assert(THREADS == 32 * WARP_ROWS * WARP_ROWS, "the warps cover the tile");

constexpr int64_t PANEL_BYTES = 64 << 20;  /* of planes, copied at a time */
constexpr double LAUNCH_WORK = 2e11;       /* pairs by words of 32 sites: 0.1 s at the most */
constexpr int64_t TILE_LAUNCH_WORDS = 100; /* so many words take the time of a pair's formula */

/* Sequences on the device. */
struct packed_sites {
  uint2 *words; /* of group q, sites from 256 b on, plane p: from ((q blocks + b) 3 + p) 32 on */
  int64_t blocks;

  __host__ __device__ int64_t group_words() const { return blocks * GG_PLANES * 32; }
};

/* What a launch computes. */
struct dna_job {
  packed_sites sites;
  pair_block block;
  int64_t first_tile;
  double *out;
  gg_dna_data data;
  double kept; /* sites */
  bool variance;
};

/* --- Packing ---------------------------------------------------------------------------------- */

enum { PACK_THREADS = 256 };

/* Copies planes of sequences [first, first + count), a group for each 8 of them, in the order of
   packed_sites; zeros beyond the last sequence and word. */
__global__ void __launch_bounds__(PACK_THREADS)
    pack_groups(const uint2 *planes, int64_t words, int64_t first, int64_t count, int64_t items,
                packed_sites to) {
  const int64_t item = this_item();
  if (item >= items) return;
  const int64_t lane = item % 32, plane = item / 32 % GG_PLANES, block = item / 32 / GG_PLANES;
  const int64_t sequence = block / to.blocks * GROUP + lane / 4;
  const int64_t word = block % to.blocks * 4 + lane % 4;
  const bool is_there = sequence < count && word < words;
  to.words[first / GROUP * to.group_words() + item] =
      is_there ? planes[(sequence * GG_PLANES + plane) * words + word] : make_uint2(0, 0);
}

/* --- Counting --------------------------------------------------------------------------------- */

/* Sets of bases. PADDED_A has the unknown sites, too. */
enum base_set { KNOWN, A, G, C, T, PURINE, PYRIMIDINE, LOW, NOT_LOW, PADDED_A };

/* The same 32 sites of a sequence's planes. */
struct site_word {
  uint32_t high, low, known;
};

/* Returns the sites of a word that are in a set. */
template <base_set SET> __device__ __forceinline__ uint32_t members(const site_word &w) {
  switch (SET) {
  case KNOWN:
    return w.known;
  case A:
    return w.known & ~w.high & ~w.low;
  case G:
    return w.low & ~w.high;
  case C:
    return w.high & ~w.low;
  case T:
    return w.high & w.low;
  case PURINE:
    return w.known & ~w.high;
  case PYRIMIDINE:
    return w.high;
  case LOW:
    return w.low;
  case NOT_LOW:
    return w.known & ~w.low;
  default:
    return ~w.high & ~w.low;
  }
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* Adds the numbers of common ones of 16 rows and 8 columns of 256 bits to a lane's sums. */
__device__ __forceinline__ void add_common(int32_t (&sum)[4], const uint32_t (&a)[4],
                                           const uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
/* Does the same without such instructions: a lane has the sums of rows g and g + 8 with columns
   2 t and 2 t + 1, and the words t and t + 4 of rows g and g + 8 and of column g, for lane 4 g + t.
 */
__device__ __forceinline__ void add_common(int32_t (&sum)[4], const uint32_t (&a)[4],
                                           const uint32_t (&b)[2]) {
  const int lane = (int)threadIdx.x % 32, row = lane / 4 * 4, column = lane % 4 * 8;
  for (int t = 0; t < 4; ++t)
    for (int half = 0; half < 2; ++half) {
      const uint32_t upper = __shfl_sync(~0u, a[2 * half], row + t);
      const uint32_t lower = __shfl_sync(~0u, a[2 * half + 1], row + t);
      const uint32_t left = __shfl_sync(~0u, b[half], column + t);
      const uint32_t right = __shfl_sync(~0u, b[half], column + 4 + t);
      sum[0] += __popc(upper & left);
      sum[1] += __popc(upper & right);
      sum[2] += __popc(lower & left);
      sum[3] += __popc(lower & right);
    }
}
#endif

/* The words of a warp's rows and columns: MI by 16 rows, NI by 8 columns. */
template <int MI, int NI> struct warp_words { site_word row[MI][4], column[NI][2]; };

/* The sums of a lane. */
template <int SUMS, int MI, int NI> struct lane_sums {
  int32_t of[SUMS][MI][NI][4];

  /* Adds the sites at which rows are in one set and columns in another. */
  template <int SUM, base_set ROW, base_set COLUMN>
  __device__ __forceinline__ void add(const warp_words<MI, NI> &w) {
    uint32_t b[NI][2];
#pragma unroll
    for (int j = 0; j < NI; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        b[j][half] = members<COLUMN>(w.column[j][half]);
#pragma unroll
    for (int i = 0; i < MI; ++i) {
      const uint32_t a[4] = {members<ROW>(w.row[i][0]), members<ROW>(w.row[i][1]),
                             members<ROW>(w.row[i][2]), members<ROW>(w.row[i][3])};
#pragma unroll
      for (int j = 0; j < NI; ++j)
        add_common(of[SUM][i][j], a, b[j]);
    }
  }

  /* Does so for two sets, either of them in the row. */
  template <int SUM, base_set ONE, base_set OTHER>
  __device__ __forceinline__ void add_both(const warp_words<MI, NI> &w) {
    add<SUM, ONE, OTHER>(w);
    add<SUM, OTHER, ONE>(w);
  }
};

/* Reads the words of 8 sequences, `half` 0 and 1. */
__device__ __forceinline__ void read_group(const uint2 *from, site_word &first, site_word &second) {
  const uint2 high = __ldg(from), low = __ldg(from + 32), known = __ldg(from + 64);
  first = {high.x, low.x, known.x};
  second = {high.y, low.y, known.y};
}

/* --- Kinds of counts -------------------------------------------------------------------------- */

/* Returns the distance of a pair or its variance. */
__device__ __forceinline__ double value_of(const dna_job &job, double d, double variance) {
  return job.variance ? (d == d ? variance : NAN) : known_distance(d, nullptr);
}

/* Does so by counts. A call: the formulas are long. */
__device__ __noinline__ double value_by_counts(const dna_job &job, double sites, int32_t purines,
                                               int32_t pyrimidines, int32_t first, int32_t second) {
  gg_dna_pair pair = {};
  pair.sites = sites;
  pair.purines = purines;
  pair.pyrimidines = pyrimidines;
  pair.first = first;
  pair.second = second;
  double variance = 0;
  const double d = distance_by_counts(&pair, &job.data, job.variance ? &variance : nullptr);
  return value_of(job, d, variance);
}

/* Does so by a table: counts of each base of the row with each base of the column. */
__device__ __noinline__ double value_by_table(const dna_job &job, const int32_t (&count)[16]) {
  gg_dna_pair pair = {};
  for (int k = 0; k < 16; ++k) {
    pair.sites += count[k];
    pair.table[k / 4][k % 4] = count[k];
  }
  double variance = 0;
  const double d = distance_by_table(&pair, &job.data, job.variance ? &variance : nullptr);
  return value_of(job, d, variance);
}

/* A kind has the numbers of sums of a pair and of a warp's tile, adds the sites of words to sums,
   and computes the value of a pair from its sums. */
struct differences_kind {
  enum { SUMS = 1, MI = 2, NI = 2 };
  static __device__ __forceinline__ void add(lane_sums<SUMS, MI, NI> &sums,
                                             const warp_words<MI, NI> &w) {
    sums.add<0, PADDED_A, PADDED_A>(w);
    sums.add<0, G, G>(w);
    sums.add<0, C, C>(w);
    sums.add<0, T, T>(w);
  }
  static __device__ __forceinline__ double value(const dna_job &job, const int32_t (&sum)[SUMS]) {
    return value_by_counts(job, job.kept, 0, 0, (int32_t)(job.sites.blocks * SITES) - sum[0], 0);
  }
};

struct common_kind {
  enum { SUMS = 2, MI = 2, NI = 2 };
  static __device__ __forceinline__ void add(lane_sums<SUMS, MI, NI> &sums,
                                             const warp_words<MI, NI> &w) {
    sums.add<0, KNOWN, KNOWN>(w);
    sums.add<1, A, A>(w);
    sums.add<1, G, G>(w);
    sums.add<1, C, C>(w);
    sums.add<1, T, T>(w);
  }
  static __device__ __forceinline__ double value(const dna_job &job, const int32_t (&sum)[SUMS]) {
    return value_by_counts(job, sum[0], 0, 0, sum[0] - sum[1], 0);
  }
};

/* Without the two kinds of transversions, which only K81 has. */
struct changes_kind {
  enum { SUMS = 4, MI = 2, NI = 2 };
  template <class SUM_TYPE>
  static __device__ __forceinline__ void add(SUM_TYPE &sums, const warp_words<MI, NI> &w) {
    sums.template add<0, KNOWN, KNOWN>(w);
    sums.template add_both<1, A, G>(w);
    sums.template add_both<2, C, T>(w);
    sums.template add_both<3, PURINE, PYRIMIDINE>(w);
  }
  static __device__ __forceinline__ double value(const dna_job &job, const int32_t (&sum)[SUMS]) {
    return value_by_counts(job, sum[0], sum[1], sum[2], sum[3], 0);
  }
};

/* Sites that differ in the low plane are transitions and the second kind of transversions. */
struct all_changes_kind {
  enum { SUMS = 5, MI = 2, NI = 2 };
  static __device__ __forceinline__ void add(lane_sums<SUMS, MI, NI> &sums,
                                             const warp_words<MI, NI> &w) {
    changes_kind::add(sums, w);
    sums.add_both<4, LOW, NOT_LOW>(w);
  }
  static __device__ __forceinline__ double value(const dna_job &job, const int32_t (&sum)[SUMS]) {
    const int32_t second = sum[4] - sum[1] - sum[2];
    return value_by_counts(job, sum[0], sum[1], sum[2], sum[3] - second, second);
  }
};

struct table_kind {
  enum { SUMS = 16, MI = 1, NI = 1 };
  template <int FIRST, base_set ROW>
  static __device__ __forceinline__ void add_row(lane_sums<SUMS, MI, NI> &sums,
                                                 const warp_words<MI, NI> &w) {
    sums.add<FIRST, ROW, A>(w);
    sums.add<FIRST + 1, ROW, G>(w);
    sums.add<FIRST + 2, ROW, C>(w);
    sums.add<FIRST + 3, ROW, T>(w);
  }
  static __device__ __forceinline__ void add(lane_sums<SUMS, MI, NI> &sums,
                                             const warp_words<MI, NI> &w) {
    add_row<0, A>(sums, w);
    add_row<4, G>(sums, w);
    add_row<8, C>(sums, w);
    add_row<12, T>(sums, w);
  }
  static __device__ __forceinline__ double value(const dna_job &job, const int32_t (&sum)[SUMS]) {
    return value_by_table(job, sum);
  }
};

/* --- Tiles ------------------------------------------------------------------------------------ */

/* Returns the tiles of a kind: WARP_ROWS by WARP_ROWS warps. */
template <class KIND> __host__ __device__ constexpr tile_grid grid_of() {
  return {WARP_ROWS * KIND::MI * 16, WARP_ROWS * KIND::NI * 8};
}

/* Counts all sites of a warp's rows and columns, which begin at groups of sequences. */
template <class KIND>
__device__ __forceinline__ void count_sites(const packed_sites &sites, int64_t row_group,
                                            int64_t column_group,
                                            lane_sums<KIND::SUMS, KIND::MI, KIND::NI> &sums) {
  const int64_t stride = sites.group_words();
  const uint2 *rows = sites.words + row_group * stride + threadIdx.x % 32;
  const uint2 *columns = sites.words + column_group * stride + threadIdx.x % 32;
  for (int64_t b = 0; b < sites.blocks; ++b) {
    warp_words<KIND::MI, KIND::NI> w;
#pragma unroll
    for (int i = 0; i < KIND::MI; ++i) { /* words t and t + 4 of rows g and g + 8 */
      read_group(rows + 2 * i * stride, w.row[i][0], w.row[i][2]);
      read_group(rows + (2 * i + 1) * stride, w.row[i][1], w.row[i][3]);
    }
#pragma unroll
    for (int j = 0; j < KIND::NI; ++j)
      read_group(columns + j * stride, w.column[j][0], w.column[j][1]);
    KIND::add(sums, w);
    rows += GG_PLANES * 32;
    columns += GG_PLANES * 32;
  }
}

/* Writes a lane's values, those of rows g and g + 8 with columns 2 t and 2 t + 1 of each 16 by 8,
   as far as they are in the block. */
template <class KIND>
__device__ __forceinline__ void
write_values(const dna_job &job, int64_t row0, int64_t column0, int64_t end,
             const lane_sums<KIND::SUMS, KIND::MI, KIND::NI> &sums) {
  const int lane = (int)threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < KIND::NI; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int64_t column = column0 + 8 * j + lane % 4 * 2 + e % 2;
      if (column >= end) continue;
      const int64_t first = job.block.first_row(column);
      double *out = job.out + job.block.offset(column) - first;
#pragma unroll
      for (int i = 0; i < KIND::MI; ++i) {
        const int64_t row = row0 + 16 * i + lane / 4 + e / 2 * 8;
        if (row < first || row >= job.block.i1) continue;
        int32_t sum[KIND::SUMS];
#pragma unroll
        for (int s = 0; s < KIND::SUMS; ++s)
          sum[s] = sums.of[s][i][j][e];
        out[row] = KIND::value(job, sum);
      }
    }
}

/* Computes a tile. */
template <class KIND>
__global__ void __launch_bounds__(THREADS, 1) compare_tile(const __grid_constant__ dna_job job) {
  const tile_position at = grid_of<KIND>().position(job.block, job.first_tile + blockIdx.x);
  const int warp = (int)threadIdx.x / 32;
  const int64_t row = at.i + warp / WARP_ROWS * KIND::MI * 16;
  const int64_t column = at.j + warp % WARP_ROWS * KIND::NI * 8;
  lane_sums<KIND::SUMS, KIND::MI, KIND::NI> sums = {};
  count_sites<KIND>(job.sites, row / GROUP, column / GROUP, sums);
  write_values<KIND>(job, row, column, at.end, sums);
}

/* --- A worker's pairs ------------------------------------------------------------------------- */

/* The kernel of a plan. */
struct tile_launch {
  void (*run)(dna_job);
  tile_grid grid;
};

template <class KIND> tile_launch launch_of() { return {compare_tile<KIND>, grid_of<KIND>()}; }

tile_launch choose_launch(const gg_dna_plan &plan) {
  switch (plan.kind) {
  case GG_COUNT_DIFFERENCES:
    return launch_of<differences_kind>();
  case GG_COUNT_COMMON:
  case GG_COUNT_KNOWN:
    return launch_of<common_kind>();
  case GG_COUNT_CHANGES:
    return plan.data.model == GPUGEO_DNA_MODEL_K81 ? launch_of<all_changes_kind>()
                                                   : launch_of<changes_kind>();
  default:
    return launch_of<table_kind>();
  }
}

/* Returns the result of a plan, to be filled with distances or variances. */
result result_of(const gg_dna_plan &plan, double *out, int32_t threads) {
  const double n = (double)plan.planes->count;
  result to;
  to.out = out;
  to.type = GPUGEO_TYPE_DOUBLE;
  to.from_float = false;
  to.condensed = to.symmetric = !plan.square;
  to.rows = plan.planes->count;
  to.missing = NAN;
  to.threads = threads;
  to.pairs = plan.square ? n * n : n * (n - 1) / 2;
  return to;
}

/* The sizes of a worker's memory. */
struct dna_memory {
  int64_t blocks, groups; /* of packed sites */
  int64_t panel;          /* sequences copied at a time, whole groups */
  int64_t values;         /* of a chunk */

  dna_memory(const gg_dna_plan &plan, const result &to)
      : blocks(divide_up(plan.planes->words, SITES / 64)),
        groups(divide_up(plan.planes->count + SPARE, GROUP)),
        panel(larger(PANEL_BYTES / sequence_bytes(plan) / GROUP, 1) * GROUP),
        values(larger(chunk_queue::values_wanted(to, plan.workers),
                      smaller((int64_t)to.pairs, chunk_queue::COLUMNS * to.rows))) {
    panel = smaller(panel, groups * GROUP);
  }

  /* Returns the bytes of a sequence as the host has it, at least 1. */
  static int64_t sequence_bytes(const gg_dna_plan &plan) {
    return larger(GG_PLANES * plan.planes->words * (int64_t)sizeof(uint64_t), 1);
  }
  int64_t packed_bytes() const {
    return larger(groups * blocks * GG_PLANES * 32 * (int64_t)sizeof(uint2), 1);
  }
  int64_t bytes(const gg_dna_plan &plan) const {
    return packed_bytes() + panel * sequence_bytes(plan) + 2 * values * (int64_t)sizeof(double);
  }
};

class comparison {
public:
  comparison(const gg_dna_plan &plan, const worker &here, const result &to,
             const dna_memory &memory, gg_clock *clock, chunk_counter *untaken);

  /* Computes all chunks that are this worker's: distances, or variances. To be called once. */
  void run(bool variance);

private:
  void bring_sites();

  const gg_dna_plan &plan_;
  const worker &here_;
  gg_clock *clock_;
  const dna_memory memory_;
  const tile_launch launch_;
  device_memory words_, panel_;
  dna_job job_ = {};
  busy_time busy_;
  event packed_;
  chunk_queue chunks_;
  finish_streams finish_; /* last: before all of the above is let go */
};

comparison::comparison(const gg_dna_plan &plan, const worker &here, const result &to,
                       const dna_memory &memory, gg_clock *clock, chunk_counter *untaken)
    : plan_(plan), here_(here), clock_(clock), memory_(memory), launch_(choose_launch(plan)),
      busy_(here.resources->upload),
      chunks_(*here.resources, to, clock, &busy_, memory.values, to.rows, untaken),
      finish_(*here.resources) {
  words_.allocate(memory.packed_bytes());
  panel_.allocate(memory.panel * dna_memory::sequence_bytes(plan));
  job_.sites = {words_.as<uint2>(), memory.blocks};
  job_.data = plan.data;
  job_.kept = (double)plan.planes->sites;
}

/* Copies all sequences to the device, and packs them. */
void comparison::bring_sites() {
  const gg_site_planes &planes = *plan_.planes;
  const cudaStream_t stream = here_.resources->upload;
  for (int64_t first = 0; first < memory_.groups * GROUP; first += memory_.panel) {
    const int64_t count = larger(smaller(memory_.panel, planes.count - first), 0);
    const int64_t groups = smaller(memory_.panel, memory_.groups * GROUP - first) / GROUP;
    const int64_t items = groups * job_.sites.group_words();
    if (items == 0) break; /* no sites */
    if (count > 0)
      GG_CUDA(cudaMemcpyAsync(panel_.as(), gg_site_planes_of(&planes, first),
                              (size_t)(count * dna_memory::sequence_bytes(plan_)),
                              cudaMemcpyHostToDevice, stream));
    pack_groups<<<blocks_for(items, PACK_THREADS), PACK_THREADS, 0, stream>>>(
        panel_.as<uint2>(), planes.words, first, count, items, job_.sites);
    GG_CUDA(cudaGetLastError());
    if (gg_clock_poll(clock_, 0)) throw interrupted();
  }
  GG_CUDA(cudaEventRecord(packed_, stream));
  chunks_.hold_chunks(packed_);
}

void comparison::run(bool variance) {
  bring_sites();
  job_.variance = variance;
  const int64_t n = plan_.planes->count;
  const pair_block all = plan_.square ? pair_block{0, n, 0, n, n, 0} : pair_block{0, n, 0, n, 0, 1};
  const tile_grid grid = launch_.grid;
  const double words = (double)(memory_.blocks * SITES / 32 + TILE_LAUNCH_WORDS);
  const double tiles = LAUNCH_WORK / (words * (double)grid.rows * (double)grid.columns);
  chunk_walk at(chunks_, all);
  while (at.next_chunk())
    for (at.divide(grid.count(at.chunk()), larger((int64_t)tiles, 1)); at.next_launch();) {
      job_.block = at.chunk();
      job_.first_tile = at.first();
      job_.out = static_cast<double *>(at.values());
      launch_.run<<<(unsigned)at.items(), THREADS, 0, at.stream()>>>(job_);
    }
  chunks_.finish();
  here_.report->device_seconds += busy_.seconds();
}

/* Computes distances or variances on all workers. `share` of the call's progress, after `done`. */
gpugeo_status compare(const gg_dna_plan &plan, bool variance, double done, double share,
                      call &call) {
  chunk_counter untaken(0);
  gpugeo_status status = GPUGEO_OK;
  call.workers().run([&](const worker &here) {
    const result to = result_of(plan, variance ? plan.variance : plan.out, here.threads);
    const dna_memory memory(plan, to);
    const bool first = here.number == 0; /* if it has no room; else it computes for the others */
    const gpugeo_status room = check_room("the comparison", to.rows, memory.bytes(plan),
                                          here.device, first ? call.error : nullptr);
    if (first) status = room;
    if (room) return;
    part_clock part(here.clock, done, share);
    comparison(plan, here, to, memory, part.get(), &untaken).run(variance);
  });
  return status;
}

} // namespace

gpugeo_status dist_dna(const gg_dna_plan &plan, call &call) {
  const double share = plan.variance ? 0.5 : 1;
  gpugeo_status status = compare(plan, false, 0, share, call);
  if (!status && plan.variance) status = compare(plan, true, share, share, call);
  return status;
}

} // namespace gpugeo
