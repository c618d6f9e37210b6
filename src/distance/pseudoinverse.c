/*
 * The Moore-Penrose inverse P of a covariance C of rank r, as a triangular factor.
 *
 * Cholesky with pivots gives C = G G', G m by r, and P = W'W with W = (G'G)^-1 G'. Orthogonalizing
 * the columns of W from the last to the first gives W = Q T with T'T = P and T lower triangular,
 * where the row of a column that depends on later ones is 0. The factor is the inverse of T with
 * 2^-600 in the diagonal of these rows, so what they add to a distance vanishes.
 */
#include "distance/pseudoinverse.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"

typedef struct pseudo {
  int64_t m, rank;
  double *covariance; /* C, later T, m by m, row-major */
  double *columns;    /* G, later W: m rows of m, of which `rank` elements are used */
  double *square;     /* G'G and its Cholesky factor, m by m, row-major */
  double *rest;       /* m: variances that are left */
} pseudo;

enum { ROWS = 8 }; /* whose sums do not wait for each other */

/* Returns the scalar product of two vectors. */
static double product(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k)
    sum += a[k] * b[k];
  return sum;
}

/* Writes the scalar products of x and `count` rows, at most ROWS, each in the order of elements. */
static void products(const double *rows, int64_t stride, int64_t count, const double *x, int64_t n,
                     double *sums) {
  for (int64_t r = 0; count < ROWS && r < count; ++r)
    sums[r] = product(rows + r * stride, x, n);
  if (count < ROWS) return;
  double sum[ROWS] = {0};
  for (int64_t k = 0; k < n; ++k) {
    _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; ++r) sum[r] += rows[r * stride + k] * x[k];
  }
  memcpy(sums, sum, sizeof sum);
}

/* Adds a multiple of one vector to another one. */
static void add_multiple(double *to, double times, const double *x, int64_t n) {
#pragma omp simd
  for (int64_t k = 0; k < n; ++k)
    to[k] += times * x[k];
}

/* Returns how many rows of a block there are from one row on. */
static int64_t rows_from(int64_t first, int64_t end) {
  return end - first < ROWS ? end - first : ROWS;
}

gpugeo_status gg_fail_pseudo(gg_pseudo_failure failure, gpugeo_error *error) {
  if (failure == GG_PSEUDO_NONE) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_DATA, "cov", "cov %s",
                 failure == GG_PSEUDO_NEGATIVE ? "must have no negative eigenvalue"
                                               : "is too near to a matrix of lower rank");
}

/* Returns the coordinate with the largest part of its variance left, -1 if all depend on those that
   were chosen. */
static int64_t choose_pivot(const pseudo *p) {
  int64_t best = -1;
  double most = GG_DEPENDENT;
  for (int64_t i = 0; i < p->m; ++i) {
    const double all = p->covariance[i * p->m + i], part = all > 0 ? p->rest[i] / all : 0;
    if (part > most) {
      most = part;
      best = i;
    }
  }
  return best;
}

/* Appends a column to G. */
static void add_column(pseudo *p, int64_t pivot) {
  const int64_t m = p->m, k = p->rank++;
  const double length = sqrt(p->rest[pivot]);
  const double *row = p->columns + pivot * m;
  for (int64_t first = 0; first < m; first += ROWS) {
    double sums[ROWS];
    products(p->columns + first * m, m, rows_from(first, m), row, k, sums);
    for (int64_t i = first; i < first + rows_from(first, m); ++i) {
      const bool chosen = p->rest[i] == 0 && i != pivot && p->covariance[i * m + i] > 0;
      const double left = p->covariance[i * m + pivot] - sums[i - first];
      p->columns[i * m + k] = chosen ? 0 : left / length;
    }
  }
  for (int64_t i = 0; i < m; ++i) {
    const double value = p->columns[i * m + k];
    p->rest[i] -= value * value;
  }
  p->rest[pivot] = 0;
}

/* Computes G. */
static gpugeo_status factor_covariance(pseudo *p, gg_call *call) {
  if (call->status) return call->status;
  for (int64_t i = 0; i < p->m; ++i)
    p->rest[i] = p->covariance[i * p->m + i];
  for (int64_t pivot; (pivot = choose_pivot(p)) >= 0;) {
    add_column(p, pivot);
    if (gg_call_poll(call, 0)) return call->status;
  }
  for (int64_t i = 0; i < p->m; ++i)
    if (p->rest[i] < -GG_DEPENDENT * fabs(p->covariance[i * p->m + i]))
      return GG_TRY(call, gg_fail_pseudo(GG_PSEUDO_NEGATIVE, call->error));
  return GPUGEO_OK;
}

/* Computes G'G, below its diagonal and there. */
static void multiply_columns(pseudo *p) {
  const int64_t m = p->m, r = p->rank;
  memset(p->square, 0, (size_t)(m * m) * sizeof *p->square);
  for (int64_t first = 0; first < r; first += ROWS)
    for (int64_t i = 0; i < m; ++i) {
      const double *row = p->columns + i * m;
      for (int64_t a = first; a < first + rows_from(first, r); ++a)
        add_multiple(p->square + a * m, row[a], row, a + 1);
    }
}

/* Computes the Cholesky factor of G'G, and writes it above the diagonal, too. */
static gpugeo_status factor_square(pseudo *p, gpugeo_error *error) {
  const int64_t m = p->m, r = p->rank;
  double *s = p->square;
  multiply_columns(p);
  for (int64_t b = 0; b < r; ++b)
    for (int64_t first = b; first < r; first += ROWS) {
      double sums[ROWS];
      products(s + first * m, m, rows_from(first, r), s + b * m, b, sums);
      for (int64_t a = first; a < first + rows_from(first, r); ++a) {
        const double rest = s[a * m + b] - sums[a - first];
        if (a == b && !(rest > 0)) return gg_fail_pseudo(GG_PSEUDO_RANK, error);
        s[b * m + a] = s[a * m + b] = a == b ? sqrt(rest) : rest / s[b * m + b];
      }
    }
  return GPUGEO_OK;
}

/* Solves for ROWS columns of W at once, element a of column r in w[a * ROWS + r]. */
static void solve_block(const pseudo *p, double *w) {
  const int64_t m = p->m, r = p->rank;
  for (int64_t a = 0; a < r; ++a) {
    const double *s = p->square + a * m;
    double sum[ROWS] = {0};
    for (int64_t b = 0; b < a; ++b)
      for (int q = 0; q < ROWS; ++q)
        sum[q] += s[b] * w[b * ROWS + q];
    for (int q = 0; q < ROWS; ++q)
      w[a * ROWS + q] = (w[a * ROWS + q] - sum[q]) / s[a];
  }
  for (int64_t a = r - 1; a >= 0; --a) {
    const double *s = p->square + a * m;
    double rest[ROWS];
    memcpy(rest, w + a * ROWS, sizeof rest);
    for (int64_t b = a + 1; b < r; ++b)
      for (int q = 0; q < ROWS; ++q)
        rest[q] -= s[b] * w[b * ROWS + q];
    for (int q = 0; q < ROWS; ++q)
      w[a * ROWS + q] = rest[q] / s[a];
  }
}

/* Replaces each row of G by the column of W, which is (G'G)^-1 times it; room: ROWS times m. */
static void solve_columns(pseudo *p, double *room) {
  const int64_t m = p->m, r = p->rank;
  memset(room, 0, (size_t)(ROWS * m) * sizeof *room);
  for (int64_t first = 0; first < m; first += ROWS) {
    const int64_t rows = rows_from(first, m);
    double *g = p->columns + first * m;
    for (int64_t q = 0; q < rows; ++q)
      for (int64_t a = 0; a < r; ++a)
        room[a * ROWS + q] = g[q * m + a];
    solve_block(p, room);
    for (int64_t q = 0; q < rows; ++q)
      for (int64_t a = 0; a < r; ++a)
        g[q * m + a] = room[a * ROWS + q];
  }
}

/* Overwrites C with T, by modified Gram-Schmidt. */
static gpugeo_status orthogonalize(pseudo *p, gg_call *call) {
  if (call->status) return call->status;
  const int64_t m = p->m, r = p->rank;
  int64_t found = 0;
  memset(p->covariance, 0, (size_t)(m * m) * sizeof *p->covariance);
  for (int64_t i = 0; i < m; ++i)
    p->rest[i] = sqrt(product(p->columns + i * m, p->columns + i * m, r));
  for (int64_t c = m - 1; c >= 0; --c) {
    double *row = p->covariance + c * m, *q = p->columns + c * m;
    const double length = sqrt(product(q, q, r));
    row[c] = GG_VANISHING;
    if (found == r || !(length > GG_DEPENDENT_LENGTH * p->rest[c])) continue;
    ++found;
    row[c] = length;
    for (int64_t a = 0; a < r; ++a)
      q[a] /= length;
    for (int64_t j = 0; j < c; ++j) {
      double *w = p->columns + j * m;
      if (j % ROWS == 0) products(w, m, rows_from(j, c), q, r, row + j);
      add_multiple(w, -row[j], q, r);
    }
    if (gg_call_poll(call, 0)) return call->status;
  }
  return found == r ? GPUGEO_OK : GG_TRY(call, gg_fail_pseudo(GG_PSEUDO_RANK, call->error));
}

/* Computes the inverse of T. */
static void invert(const pseudo *p, double *factor) {
  const int64_t m = p->m;
  memset(factor, 0, (size_t)(m * m) * sizeof *factor);
  for (int64_t i = 0; i < m; ++i) {
    const double *row = p->covariance + i * m;
    double *inverse = factor + i * m;
    for (int64_t k = 0; k < i; ++k) {
      const double *earlier = factor + k * m, times = row[k];
      if (times != 0) add_multiple(inverse, -times, earlier, k + 1);
    }
    for (int64_t j = 0; j < i; ++j)
      inverse[j] /= row[i];
    inverse[i] = 1 / row[i];
  }
}

gpugeo_status gg_pseudo_cholesky(double *covariance, int64_t m, double *factor, gg_call *call) {
  if (call->status) return call->status;
  const int64_t elements = 2 * m * m + m + ROWS * m;
  double *room = gg_call_allocate(call, elements, sizeof *room);
  if (!room) return call->status;
  pseudo p = {m, 0, covariance, room, room + m * m, room + 2 * m * m};
  factor_covariance(&p, call);
  GG_TRY(call, factor_square(&p, call->error));
  if (!call->status) {
    solve_columns(&p, p.rest + m);
    orthogonalize(&p, call);
  }
  if (!call->status) invert(&p, factor);
  gg_free(room);
  return call->status;
}
