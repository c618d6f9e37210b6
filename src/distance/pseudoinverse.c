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

/* Returns the scalar product of two vectors. */
static double product(const double *a, const double *b, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < n; ++k)
    sum += a[k] * b[k];
  return sum;
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
  for (int64_t i = 0; i < m; ++i) {
    double *mine = p->columns + i * m;
    const bool chosen = p->rest[i] == 0 && i != pivot && p->covariance[i * m + i] > 0;
    mine[k] = chosen ? 0 : (p->covariance[i * m + pivot] - product(mine, row, k)) / length;
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

/* Computes G'G and its Cholesky factor. */
static gpugeo_status factor_square(pseudo *p, gpugeo_error *error) {
  const int64_t m = p->m, r = p->rank;
  double *s = p->square;
  for (int64_t a = 0; a < r; ++a)
    for (int64_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (int64_t i = 0; i < m; ++i)
        sum += p->columns[i * m + a] * p->columns[i * m + b];
      s[a * m + b] = sum;
    }
  for (int64_t a = 0; a < r; ++a)
    for (int64_t b = 0; b <= a; ++b) {
      const double rest = s[a * m + b] - product(s + a * m, s + b * m, b);
      if (a == b && !(rest > 0)) return gg_fail_pseudo(GG_PSEUDO_RANK, error);
      s[a * m + b] = a == b ? sqrt(rest) : rest / s[b * m + b];
    }
  return GPUGEO_OK;
}

/* Replaces each row of G by the column of W, which is (G'G)^-1 times it. */
static void solve_columns(pseudo *p) {
  const int64_t m = p->m, r = p->rank;
  const double *s = p->square;
  for (int64_t i = 0; i < m; ++i) {
    double *w = p->columns + i * m;
    for (int64_t a = 0; a < r; ++a)
      w[a] = (w[a] - product(s + a * m, w, a)) / s[a * m + a];
    for (int64_t a = r - 1; a >= 0; --a) {
      double rest = w[a];
      for (int64_t b = a + 1; b < r; ++b)
        rest -= s[b * m + a] * w[b];
      w[a] = rest / s[a * m + a];
    }
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
      row[j] = product(q, w, r);
      for (int64_t a = 0; a < r; ++a)
        w[a] -= row[j] * q[a];
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
      for (int64_t j = 0; times != 0 && j <= k; ++j)
        inverse[j] -= times * earlier[j];
    }
    for (int64_t j = 0; j < i; ++j)
      inverse[j] /= row[i];
    inverse[i] = 1 / row[i];
  }
}

gpugeo_status gg_pseudo_cholesky(double *covariance, int64_t m, double *factor, gg_call *call) {
  if (call->status) return call->status;
  const int64_t elements = 2 * m * m + m;
  double *room = gg_call_allocate(call, elements, sizeof *room);
  if (!room) return call->status;
  pseudo p = {m, 0, covariance, room, room + m * m, room + 2 * m * m};
  factor_covariance(&p, call);
  GG_TRY(call, factor_square(&p, call->error));
  if (!call->status) {
    solve_columns(&p);
    orthogonalize(&p, call);
  }
  if (!call->status) invert(&p, factor);
  gg_free(room);
  return call->status;
}
