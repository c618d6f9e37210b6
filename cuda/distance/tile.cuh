/*
 * The tile kernel of all metrics. Included within a namespace after vector.h and metric_step.h,
 * with `real` defined: once for double and once for float.
 *
 * A thread block of four warps computes one tile of pairs. Coordinates of its points are copied to
 * three buffers in shared memory by asynchronous copies in advance; each thread holds the sums of
 * TI by TJ pairs in registers while it walks along the coordinates in their order. Within a warp
 * eight lanes lie along the rows and four along the columns, so that reads from shared memory are
 * whole 16-byte words that neighbours share, and writes run down the columns.
 *
 * Limited by FP64 (FP32) throughput, and for short points by the end of a tile: the roots of a
 * column are taken together, so that none waits for another. A thread of the 8 by 8 kernel reads 16
 * numbers from shared memory for 128 operations of euclidean.
 */

enum {
  THREADS = 128,
  STAGES = 3,
  DEPTH = 64 / sizeof(real), /* coordinates in a stage */
  COPY = 16 / sizeof(real)   /* reals in an asynchronous copy */
};

/* COUNT reals that are moved as one. */
template <int COUNT> struct alignas(COUNT * sizeof(real)) pack { real value[COUNT]; };

/* T values of a thread: groups of W contiguous ones, over `lanes` neighbouring threads. */
template <int T, int W>
static __device__ __forceinline__ void read_row(const real *row, int lane, int lanes, real *to) {
#pragma unroll
  for (int g = 0; g < T / W; ++g) {
    const pack<W> p = *reinterpret_cast<const pack<W> *>(row + (g * lanes + lane) * W);
#pragma unroll
    for (int w = 0; w < W; ++w)
      to[g * W + w] = p.value[w];
  }
}

/* Finds the position of a tile. Not inlined, because kernels for many metrics have tiles of the
   same shape. */
template <int ROWS, int COLUMNS>
static __device__ __noinline__ tile_position position_of(const pair_block block, int64_t tile) {
  return tile_grid{ROWS, COLUMNS}.position(block, tile);
}

/* Computes tiles; STEP is one of the types below. */
template <class STEP, int TI, int TJ>
static __global__ void __launch_bounds__(THREADS, STEP::blocks) pair_tile(const tile_job job) {
  constexpr int ROWS = 16 * TI, COLUMNS = 8 * TJ; /* two by two warps of eight by four lanes */
  constexpr int WI = TI < COPY ? TI : COPY, WJ = TJ < COPY ? TJ : COPY;
  constexpr int UNROLL = STEP::sums == 1 ? 4 : 2;
  __shared__ alignas(16) real stage[STAGES][DEPTH * (ROWS + COLUMNS)];

  const tile_position position = position_of<ROWS, COLUMNS>(job.block, job.first_tile + blockIdx.x);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_lane = lane % 8, column_lane = lane / 8;
  const int row0 = warp % 2 * 8 * TI, column0 = warp / 2 * 4 * TJ;
  const step_run run =
      step_run_make(job.m, job.p, STEP::rooted ? job.finish | GG_FINISH_SQUARED : job.finish);
  const real *weight = static_cast<const real *>(job.weight);

  V s[TI][TJ][STEP::sums];
#pragma unroll
  for (int i = 0; i < TI; ++i)
#pragma unroll
    for (int j = 0; j < TJ; ++j)
#pragma unroll
      for (int q = 0; q < STEP::sums; ++q)
        s[i][j][q] = sum_start(STEP::id, q);

  /* Walks along the coordinates; `step` adds those of a pair to its sums. */
  const auto walk = [&](const auto &step) {
    panel_copy<real, ROWS, ROWS, DEPTH, THREADS> a_copy(job.a, position.i);
    panel_copy<real, COLUMNS, COLUMNS, DEPTH, THREADS> b_copy(job.b, position.j);
    const auto copy = [&](int buffer, int64_t k) {
      if (k < job.m) {
        a_copy.start(stage[buffer], job.m - k);
        b_copy.start(stage[buffer] + DEPTH * ROWS, job.m - k);
      }
      __pipeline_commit(); /* also when empty, so that the wait below can count */
    };
    const auto take = [&](const real *coordinate, int row, int64_t k) {
      real a[TI], b[TJ];
      read_row<TI, WI>(coordinate + row * ROWS + row0, row_lane, 8, a);
      read_row<TJ, WJ>(coordinate + DEPTH * ROWS + row * COLUMNS + column0, column_lane, 4, b);
      const real w = STEP::weighted ? weight[k + row] : 1;
#pragma unroll
      for (int i = 0; i < TI; ++i)
#pragma unroll
        for (int j = 0; j < TJ; ++j)
          step(a[i], b[j], w, s[i][j]);
    };

#pragma unroll 1
    for (int ahead = 0; ahead < STAGES - 1; ++ahead)
      copy(ahead, ahead * DEPTH);
    int buffer = 0;
    for (int64_t k = 0; k < job.m; k += DEPTH) {
      __pipeline_wait_prior(1);
      __syncthreads(); /* this stage is there, and everyone has left the one that is filled next */
      const int rows = (int)smaller(DEPTH, job.m - k);
      if (STEP::light && rows == DEPTH) {
#pragma unroll(STEP::sums == 1 ? 2 : 1) /* the most used steps all at once */
        for (int half = 0; half < 2; ++half) {
          /* Only now, so that the first reads of the stage need not queue behind the copies. */
          if (half == 1) copy((buffer + 2) % STAGES, k + 2 * DEPTH);
          const int begin = half * (DEPTH / 2);
#pragma unroll(UNROLL)
          for (int row = 0; row < DEPTH / 2; ++row)
            take(stage[buffer], begin + row, k);
        }
      } else {
        copy((buffer + 2) % STAGES, k + 2 * DEPTH);
#pragma unroll 1
        for (int row = 0; row < rows; ++row)
          take(stage[buffer], row, k);
      }
      buffer = buffer == STAGES - 1 ? 0 : buffer + 1;
    }
  };

  /* Calls `finish` for the sums of each column, and writes the values that `wants` holds for. */
  const auto put = [&](const auto &finish, const auto &wants) {
#pragma unroll
    for (int j = 0; j < TJ; ++j) {
      const int64_t column = position.j + column0 + (j / WJ * 4 + column_lane) * WJ + j % WJ;
      if (column >= position.end) continue;
      const int64_t first = job.block.first_row(column);
      const int64_t at = job.block.offset(column) - first + position.i;
      const int low = (int)larger(first - position.i, 0);
      const int high = (int)smaller(job.block.i1 - position.i, ROWS);
      real value[TI];
#pragma unroll
      for (int i = 0; i < TI; ++i)
        value[i] = finish(s[i][j]);
      if (STEP::rooted && !(job.finish & GG_FINISH_SQUARED)) take_roots(value);
#pragma unroll
      for (int i = 0; i < TI; ++i) {
        const int row = row0 + (i / WI * 8 + row_lane) * WI + i % WI;
        if (row >= low && row < high && wants(value[i], j * TI + i))
          put_value<STEP::marks_flat>(job, at + row, value[i]);
      }
    }
  };

  walk([&](V a, V b, V w, V *sums) { STEP::step(a, b, w, &run, sums); });
  const auto finish = [&](const V *sums) { return STEP::finish(sums, &run); };
  if constexpr (STEP::id != GG_STEP_product) {
    put(finish, [](real, int) { return true; });
  } else { /* near pairs: a second time, for their squared differences */
    uint64_t near = 0;
    put(finish, [&](real value, int pair) {
      const bool lost = has_lost_digits(value, job.finish);
      near |= (uint64_t)lost << pair;
      return !lost;
    });
    if (!__syncthreads_or(near != 0)) return;
#pragma unroll
    for (int i = 0; i < TI; ++i)
#pragma unroll
      for (int j = 0; j < TJ; ++j)
        s[i][j][0] = 0;
    walk([&](V a, V b, V w, V *sums) { euclidean_step(a, b, w, &run, sums); });
    put([](const V *sums) { return near_distance(*sums); },
        [&](real, int pair) { return near >> pair & 1; });
  }
}

/* The steps as types. */
#define STEP_TYPE(name, count)                                                                     \
  struct name##_type {                                                                             \
    static constexpr gg_step id = GG_STEP_##name;                                                  \
    static constexpr int sums = count;                                                             \
    static constexpr bool weighted =                                                               \
        id == GG_STEP_seuclidean || id == GG_STEP_seuclidean_missing || id == GG_STEP_gower;       \
    /* An infinite value tells of a constant point. */                                             \
    static constexpr bool marks_flat = id == GG_STEP_correlation_missing;                          \
    /* Branches, divisions and powers need registers of their own. */                              \
    static constexpr bool light = id != GG_STEP_canberra && id < GG_STEP_halves;                   \
    /* Blocks for which a multiprocessor must have registers: branches between all pairs want */   \
    /* many warps, arithmetic wants many pairs in a thread. */                                     \
    static constexpr int blocks = id == GG_STEP_canberra ? 3 : 2;                                  \
    /* Square roots are taken of several sums at a time. */                                        \
    static constexpr bool rooted = id == GG_STEP_euclidean || id == GG_STEP_euclidean_missing ||   \
                                   id == GG_STEP_seuclidean || id == GG_STEP_seuclidean_missing;   \
    /* A maximum takes more registers than a sum. */                                               \
    static constexpr bool selects = id == GG_STEP_maximum || id == GG_STEP_maximum_missing;        \
    static VFN_MEMBER void step(V a, V b, V w, const step_run *run, V *s) {                        \
      name##_step(a, b, w, run, s);                                                                \
    }                                                                                              \
    static VFN_MEMBER V finish(const V *s, const step_run *run) { return name##_finish(s, run); }  \
  };
#define VFN_MEMBER __device__ __forceinline__

/* Rows and columns of pairs of a thread: as many as its registers hold sums for. */
struct shape {
  int rows, columns;
};
template <class STEP> constexpr shape shape_of(bool small) {
  if (STEP::id == GG_STEP_canberra) return small ? shape{2, 2} : shape{4, 2};
  if (STEP::id > GG_STEP_power_missing) return {2, 2}; /* measures of communities: up to 11 sums */
  if (!STEP::light) return small ? shape{4, 2} : shape{4, 4};
  if (STEP::sums == 1 && !STEP::selects) return small ? shape{4, 4} : shape{8, 8};
  if (STEP::sums <= 2) return small ? shape{4, 2} : shape{8, 4};
  if (STEP::sums == 3) return small ? shape{2, 2} : shape{4, 4};
  return small ? shape{2, 2} : shape{4, 2};
}

template <class STEP, bool SMALL> constexpr tile_kernel kernel_of() {
  constexpr shape thread = shape_of<STEP>(SMALL);
  constexpr int rows = thread.rows, columns = thread.columns;
  return {pair_tile<STEP, rows, columns>, {16 * rows, 8 * columns}, THREADS, 0};
}
