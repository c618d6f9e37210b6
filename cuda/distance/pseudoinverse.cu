/*
 * The Moore-Penrose inverse of a covariance as a triangular factor, with the bits of
 * src/distance/pseudoinverse.c, whose letters these are: sums over coordinates have their order,
 * each thread has one or more of them.
 *
 * Limited by latency: of one addition after another in sums of up to m terms, of which there are 2
 * m after each other in each of four steps, and of 6 m launches.
 */
#include "cuda/distance/pseudoinverse.cuh"

#include "cuda/common/block_reduce.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/pairs.cuh"
#include "cuda/distance/square_sums.cuh"

namespace gpugeo {
namespace {

enum {
  CHOOSERS = 1024, /* threads of one block */
  THREADS = 64,    /* of a block whose threads have long sums */
  MANY = 256,
  OFTEN = 64, /* steps between two polls of the hooks */
  RANGE = 256 /* of rows that one launch solves for */
};

/* What steps tell each other. */
struct pseudo_state {
  int64_t pivot, rank; /* of G: the coordinate chosen last, and the columns with its own */
  int32_t done;        /* no pivot is left */
  int32_t failed;
  int64_t found; /* rows of T that do not vanish */
  int32_t active;
};

/* All matrices are m by m in device memory. */
struct pseudo_view {
  int64_t m;
  double *covariance; /* C, later T, row-major */
  double *columns;    /* G, later W, its columns contiguous: element a of row i is at a * m + i */
  double *square;     /* G'G, later its factor below the diagonal, row-major */
  double *sums;       /* of products of the factor's rows so far; later the inverse of T */
  double *rest;       /* m: variances that are left, later lengths of columns of W */
  double *root;       /* m: the diagonal of the factor */
  double *column;     /* m: a column of the factor, or of W */
  pseudo_state *state;
};

/* --- G ---------------------------------------------------------------------------------------- */

__global__ void begin_rest(const pseudo_view p) {
  const int64_t i = this_item();
  if (i < p.m) p.rest[i] = p.covariance[i * p.m + i];
}

/* A coordinate, and the part of its variance that is left. */
struct pivot {
  double part;
  int64_t coordinate;
};

/* Chooses the coordinate with the largest part, the first one of equals. */
__global__ void __launch_bounds__(CHOOSERS) choose_pivot(const pseudo_view p) {
  pseudo_state &state = *p.state;
  const bool done = state.done;
  pivot best = {GG_DEPENDENT, INT64_MAX};
  for (int64_t i = threadIdx.x; i < p.m; i += CHOOSERS) {
    const double all = p.covariance[i * p.m + i], part = all > 0 ? p.rest[i] / all : 0;
    if (part > best.part) best = {part, i};
  }
  best = block_reduce<CHOOSERS>(best, [](const pivot &a, const pivot &b) {
    return b.part > a.part || (b.part == a.part && b.coordinate < a.coordinate) ? b : a;
  });
  if (threadIdx.x > 0 || done) return;
  state.done = best.coordinate == INT64_MAX;
  if (state.done) return;
  state.pivot = best.coordinate;
  ++state.rank;
  *p.root = sqrt(p.rest[best.coordinate]);
}

/* Appends its column to G. */
__global__ void __launch_bounds__(THREADS) add_column(const pseudo_view p) {
  const int64_t i = this_item(), m = p.m, pivot = p.state->pivot, k = p.state->rank - 1;
  if (i >= m || p.state->done) return;
  double sum = 0;
#pragma unroll 8
  for (int64_t a = 0; a < k; ++a)
    sum += p.columns[a * m + i] * p.columns[a * m + pivot];
  const bool chosen = p.rest[i] == 0 && i != pivot && p.covariance[i * m + i] > 0;
  const double value = chosen ? 0 : (p.covariance[i * m + pivot] - sum) / *p.root;
  p.columns[k * m + i] = value;
  p.rest[i] = i == pivot ? 0 : p.rest[i] - value * value;
}

__global__ void check_rest(const pseudo_view p) {
  const int64_t i = this_item();
  if (i < p.m && p.rest[i] < -GG_DEPENDENT * fabs(p.covariance[i * p.m + i])) p.state->failed = 1;
}

/* --- G'G -------------------------------------------------------------------------------------- */

/* Computes the lower triangle, r by r. */
__global__ void __launch_bounds__(SQUARE_THREADS) square_columns(const pseudo_view p, int64_t r) {
  __shared__ __align__(16) square_terms terms;
  if (blockIdx.y > blockIdx.x) return;
  const int64_t row0 = (int64_t)blockIdx.x * SQUARE_SIDE,
                column0 = (int64_t)blockIdx.y * SQUARE_SIDE;
  const int term = threadIdx.x % SQUARE_DEPTH, line = threadIdx.x / SQUARE_DEPTH;
  const auto take = [](double a, double b, double s) { return s + a * b; };
  double sum[4][4] = {};
  for (int64_t i = 0; i < p.m; i += SQUARE_DEPTH) {
    const int64_t at = smaller(i + term, p.m - 1);
#pragma unroll
    for (int e = line; e < SQUARE_SIDE; e += SQUARE_THREADS / SQUARE_DEPTH) {
      terms.rows[term][e] = p.columns[smaller(row0 + e, r - 1) * p.m + at];
      terms.columns[term][e] = p.columns[smaller(column0 + e, r - 1) * p.m + at];
    }
    __syncthreads();
    if (p.m - i >= SQUARE_DEPTH) {
#pragma unroll
      for (int l = 0; l < SQUARE_DEPTH; ++l)
        add_term(terms, l, sum, take);
    } else {
      for (int l = 0; l < (int)(p.m - i); ++l)
        add_term(terms, l, sum, take);
    }
    __syncthreads();
  }
#pragma unroll
  for (int a = 0; a < 4; ++a)
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      const int64_t i = row0 + square_row(a), j = column0 + square_column(b);
      if (i < r && j <= i) p.square[i * p.m + j] = sum[a][b];
    }
}

/* Computes column b of the Cholesky factor. */
__global__ void __launch_bounds__(MANY) factor_column(const pseudo_view p, int64_t r, int64_t b) {
  const int64_t a = b + this_item(), m = p.m;
  if (a >= r) return;
  const double rest = p.square[b * m + b] - p.sums[b * m + b], root = sqrt(rest);
  if (a == b) {
    p.root[b] = root;
    if (!(rest > 0)) p.state->failed = 1;
    return;
  }
  const double value = (p.square[a * m + b] - p.sums[a * m + b]) / root;
  p.square[a * m + b] = value;
  p.column[a] = value;
}

/* Adds its products to the sums of later columns. */
__global__ void __launch_bounds__(MANY) add_products(const pseudo_view p, int64_t r, int64_t b) {
  const int64_t c = b + 1 + this_item();
  for (int64_t a = b + 1 + blockIdx.y; a < r; a += gridDim.y)
    if (c <= a) p.sums[a * p.m + c] += p.column[a] * p.column[c];
}

/* --- W ---------------------------------------------------------------------------------------- */

/* Solves for rows [a0, a1) of (G'G)^-1 G', forward. */
__global__ void __launch_bounds__(THREADS)
    solve_forward(const pseudo_view p, int64_t a0, int64_t a1) {
  const int64_t i = this_item(), m = p.m;
  if (i >= m) return;
  for (int64_t a = a0; a < a1; ++a) {
    double sum = 0;
#pragma unroll 8
    for (int64_t k = 0; k < a; ++k)
      sum += p.square[a * m + k] * p.columns[k * m + i];
    p.columns[a * m + i] = (p.columns[a * m + i] - sum) / p.root[a];
  }
}

/* Solves for them backward, from row a1 - 1 to a0. */
__global__ void __launch_bounds__(THREADS)
    solve_backward(const pseudo_view p, int64_t r, int64_t a0, int64_t a1) {
  const int64_t i = this_item(), m = p.m;
  if (i >= m) return;
  for (int64_t a = a1 - 1; a >= a0; --a) {
    double rest = p.columns[a * m + i];
#pragma unroll 8
    for (int64_t b = a + 1; b < r; ++b)
      rest -= p.square[b * m + a] * p.columns[b * m + i];
    p.columns[a * m + i] = rest / p.root[a];
  }
}

/* --- T ---------------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(THREADS) take_lengths(const pseudo_view p, int64_t r) {
  const int64_t i = this_item();
  if (i >= p.m) return;
  double sum = 0;
#pragma unroll 8
  for (int64_t a = 0; a < r; ++a)
    sum += p.columns[a * p.m + i] * p.columns[a * p.m + i];
  p.rest[i] = sqrt(sum);
}

/* Decides whether column c of W depends on later ones, and writes it with length 1 if not. */
__global__ void __launch_bounds__(MANY) take_column(const pseudo_view p, int64_t r, int64_t c) {
  __shared__ double part[MANY];
  __shared__ double length;
  __shared__ bool active;
  double sum = 0;
  for (int64_t a0 = 0; a0 < r; a0 += MANY) {
    const int64_t a = a0 + threadIdx.x;
    if (a < r) part[threadIdx.x] = p.columns[a * p.m + c];
    __syncthreads();
    if (threadIdx.x == 0) {
      const int here = (int)smaller(MANY, r - a0);
#pragma unroll 16
      for (int e = 0; e < here; ++e)
        sum += part[e] * part[e];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    length = sqrt(sum);
    active = p.state->found < r && length > GG_DEPENDENT_LENGTH * p.rest[c];
    p.state->active = active;
    if (active) ++p.state->found;
    p.covariance[c * p.m + c] = active ? length : GG_VANISHING;
  }
  __syncthreads();
  for (int64_t a = threadIdx.x; active && a < r; a += MANY)
    p.column[a] = p.columns[a * p.m + c] / length;
}

/* Takes it from the columns before. */
__global__ void __launch_bounds__(THREADS) project(const pseudo_view p, int64_t r, int64_t c) {
  const int64_t j = this_item(), m = p.m;
  if (j >= c || !p.state->active) return;
  double sum = 0;
#pragma unroll 8
  for (int64_t a = 0; a < r; ++a)
    sum += p.column[a] * p.columns[a * m + j];
  p.covariance[c * m + j] = sum;
#pragma unroll 8
  for (int64_t a = 0; a < r; ++a)
    p.columns[a * m + j] -= sum * p.column[a];
}

/* --- The inverse of T ------------------------------------------------------------------------- */

/* Ends row k of the inverse. */
__global__ void __launch_bounds__(MANY) end_row(const pseudo_view p, int64_t k) {
  const int64_t j = this_item();
  const double diagonal = p.covariance[k * p.m + k];
  double *value = p.sums + k * p.m + j;
  if (j < k) *value /= diagonal;
  if (j == k) *value = 1 / diagonal;
}

/* Takes it from later rows. */
__global__ void __launch_bounds__(MANY) take_row(const pseudo_view p, int64_t k) {
  const int64_t j = this_item(), m = p.m;
  if (j > k) return;
  const double value = p.sums[k * m + j];
  for (int64_t i = k + 1 + blockIdx.y; i < m; i += gridDim.y) {
    const double times = p.covariance[i * m + k];
    if (times != 0) p.sums[i * m + j] -= times * value;
  }
}

/* --- A call ----------------------------------------------------------------------------------- */

class pseudo {
public:
  pseudo(double *covariance, int64_t m, cudaStream_t stream, gg_clock *clock)
      : stream_(stream), clock_(clock) {
    const int64_t square = m * m;
    memory_.allocate(pseudo_bytes(m));
    double *at = memory_.as<double>();
    v_ = {m,
          covariance,
          at,
          at + square,
          at + 2 * square,
          at + 3 * square,
          at + 3 * square + m,
          at + 3 * square + 2 * m,
          reinterpret_cast<pseudo_state *>(at + 3 * square + 3 * m)};
    clear(v_.sums, square);
    GG_CUDA(cudaMemsetAsync(v_.state, 0, sizeof *v_.state, stream));
  }

  gg_pseudo_failure run(double *factor) {
    const int64_t m = v_.m, r = factor_covariance();
    if (state().failed) return GG_PSEUDO_NEGATIVE;
    if (r > 0) {
      factor_square(r);
      if (state().failed) return GG_PSEUDO_RANK;
      solve(r);
    }
    orthogonalize(r);
    if (state().found != r) return GG_PSEUDO_RANK;
    invert();
    GG_CUDA(cudaMemcpyAsync(factor, v_.sums, (size_t)(m * m) * sizeof *factor,
                            cudaMemcpyDeviceToHost, stream_));
    settle();
    return GG_PSEUDO_NONE;
  }

private:
  /* Waits for all that was launched. */
  void settle() {
    GG_CUDA(cudaGetLastError());
    GG_CUDA(cudaEventRecord(launched_, stream_));
    wait(launched_, clock_, 0);
  }
  void settle_often() {
    if (++steps_ % OFTEN == 0) settle();
  }

  pseudo_state state() {
    pseudo_state now;
    settle();
    GG_CUDA(cudaMemcpyAsync(&now, v_.state, sizeof now, cudaMemcpyDeviceToHost, stream_));
    GG_CUDA(cudaStreamSynchronize(stream_));
    return now;
  }

  void clear(double *values, int64_t count) {
    GG_CUDA(cudaMemsetAsync(values, 0, (size_t)count * sizeof *values, stream_));
  }

  /* Returns the rank. */
  int64_t factor_covariance() {
    const unsigned blocks = blocks_for(v_.m, THREADS);
    begin_rest<<<blocks_for(v_.m, MANY), MANY, 0, stream_>>>(v_);
    for (int64_t k = 0; k <= v_.m; ++k) {
      choose_pivot<<<1, CHOOSERS, 0, stream_>>>(v_);
      add_column<<<blocks, THREADS, 0, stream_>>>(v_);
      if (k % OFTEN == OFTEN - 1 && state().done) break;
    }
    check_rest<<<blocks_for(v_.m, MANY), MANY, 0, stream_>>>(v_);
    return state().rank;
  }

  void factor_square(int64_t r) {
    const unsigned squares = (unsigned)divide_up(r, SQUARE_SIDE);
    square_columns<<<dim3(squares, squares), SQUARE_THREADS, 0, stream_>>>(v_, r);
    for (int64_t b = 0; b < r; ++b) {
      factor_column<<<blocks_for(r - b, MANY), MANY, 0, stream_>>>(v_, r, b);
      if (b + 1 < r) add_products<<<grid_of(r - b - 1, r - b - 1), MANY, 0, stream_>>>(v_, r, b);
      settle_often();
    }
  }

  void solve(int64_t r) {
    const unsigned blocks = blocks_for(v_.m, THREADS);
    for (int64_t a = 0; a < r; a += RANGE) {
      solve_forward<<<blocks, THREADS, 0, stream_>>>(v_, a, smaller(a + RANGE, r));
      settle();
    }
    for (int64_t end = r; end > 0; end -= RANGE) {
      solve_backward<<<blocks, THREADS, 0, stream_>>>(v_, r, larger(0, end - RANGE), end);
      settle();
    }
  }

  void orthogonalize(int64_t r) {
    clear(v_.covariance, v_.m * v_.m);
    take_lengths<<<blocks_for(v_.m, THREADS), THREADS, 0, stream_>>>(v_, r);
    for (int64_t c = v_.m - 1; c >= 0; --c) {
      take_column<<<1, MANY, 0, stream_>>>(v_, r, c);
      if (c > 0) project<<<blocks_for(c, THREADS), THREADS, 0, stream_>>>(v_, r, c);
      settle_often();
    }
  }

  void invert() {
    clear(v_.sums, v_.m * v_.m);
    for (int64_t k = 0; k < v_.m; ++k) {
      end_row<<<blocks_for(k + 1, MANY), MANY, 0, stream_>>>(v_, k);
      if (k + 1 < v_.m) take_row<<<grid_of(k + 1, v_.m - k - 1), MANY, 0, stream_>>>(v_, k);
      settle_often();
    }
  }

  /* Returns the grid for items in lines. */
  static dim3 grid_of(int64_t items, int64_t lines) {
    return dim3(blocks_for(items, MANY), (unsigned)smaller(lines, 1024));
  }

  pseudo_view v_ = {};
  cudaStream_t stream_;
  gg_clock *clock_;
  int64_t steps_ = 0;
  event launched_;
  device_memory memory_;
};

} // namespace

int64_t pseudo_bytes(int64_t m) {
  return (3 * m * m + 3 * m) * (int64_t)sizeof(double) + (int64_t)sizeof(pseudo_state);
}

gg_pseudo_failure pseudo_factor(double *covariance, int64_t m, double *factor, cudaStream_t stream,
                                gg_clock *clock) {
  return pseudo(covariance, m, stream, clock).run(factor);
}

} // namespace gpugeo
