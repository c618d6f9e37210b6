/*
 * Eigenvalues by reflections to a tridiagonal matrix (Householder 1958) and implicit QL steps
 * (Dubrulle, Martin and Wilkinson 1968). All loops over elements run along rows, without sums
 * across lanes, so compilers make vector instructions of them that change no bits.
 */
#include "common/symmetric_eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 /* of QL for one eigenvalue; 2 are usual */ };

/* Adds factor * from to `to`, `count` numbers. */
static void add_row(double *restrict to, double factor, const double *restrict from,
                    int64_t count) {
#pragma omp simd
  for (int64_t j = 0; j < count; ++j)
    to[j] += factor * from[j];
}

/* Returns the dot product of `count` numbers. */
static double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t j = 0; j < count; ++j)
    sum += a[j] * b[j];
  return sum;
}

/* Multiplies by the power of two that makes the largest element 0.5 to 1, and returns its exponent.
 */
static int scale_matrix(double *a, int64_t count) {
  double largest = 0;
  int exponent = 0;
  for (int64_t i = 0; i < count; ++i)
    largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
  if (largest > 0) frexp(largest, &exponent);
  for (int64_t i = 0; i < count; ++i)
    a[i] = ldexp(a[i], -exponent);
  return exponent;
}

/* --- Tridiagonal form ------------------------------------------------------------------------- */

/* Makes a reflector of x[0..count), in place, that maps it to a multiple of the first unit vector:
   I - beta x x'. Returns beta, 0 if there is nothing to do, and that multiple. */
static double make_reflector(double *x, int64_t count, double *multiple) {
  *multiple = x[0];
  if (dot(x + 1, x + 1, count - 1) == 0) return 0;
  const double norm = sqrt(dot(x, x, count)), first = fabs(x[0]);
  *multiple = x[0] > 0 ? -norm : norm;
  x[0] -= *multiple;
  return 1 / (norm * (norm + first));
}

/* Reduces a to the diagonal and the elements next to it; row k keeps its reflector from column
   k + 1 on. */
static bool reduce(double *a, int64_t m, double *diagonal, double *off_diagonal, double *beta,
                   double *product, gg_clock *clock, double fraction) {
  for (int64_t k = 0; k < m - 1; ++k) {
    if (gg_clock_poll(clock, fraction)) return false;
    double *v = a + k * m + k + 1;
    const int64_t count = m - k - 1;
    diagonal[k] = a[k * m + k];
    beta[k] = make_reflector(v, count, &off_diagonal[k]);
    if (beta[k] == 0) continue;
    memset(product, 0, (size_t)count * sizeof *product);
    for (int64_t i = 0; i < count; ++i)
      add_row(product, beta[k] * v[i], a + (k + 1 + i) * m + k + 1, count);
    add_row(product, -beta[k] / 2 * dot(product, v, count), v, count);
    for (int64_t i = 0; i < count; ++i) {
      double *row = a + (k + 1 + i) * m + k + 1;
#pragma omp simd
      for (int64_t j = 0; j < count; ++j)
        row[j] -= v[i] * product[j] + product[i] * v[j];
    }
  }
  diagonal[m - 1] = a[m * m - 1];
  return true;
}

/* Writes the product of the reflectors, transposed. */
static bool accumulate(const double *a, int64_t m, const double *beta, double *q, double *product,
                       gg_clock *clock, double fraction) {
  memset(q, 0, (size_t)(m * m) * sizeof *q);
  for (int64_t i = 0; i < m; ++i)
    q[i * m + i] = 1;
  for (int64_t k = m - 2; k >= 0; --k) {
    if (gg_clock_poll(clock, fraction)) return false;
    const double *v = a + k * m + k + 1;
    const int64_t count = m - k - 1;
    memset(product, 0, (size_t)count * sizeof *product);
    for (int64_t i = 0; i < count; ++i)
      add_row(product, v[i], q + (k + 1 + i) * m + k + 1, count);
    for (int64_t i = 0; i < count; ++i)
      add_row(q + (k + 1 + i) * m + k + 1, -beta[k] * v[i], product, count);
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double other = q[i * m + j];
      q[i * m + j] = q[j * m + i];
      q[j * m + i] = other;
    }
  return true;
}

/* --- QL --------------------------------------------------------------------------------------- */

/* Rotates two rows of `count` numbers by the cosine c and the sine s. */
static void rotate(double *restrict low, double *restrict high, double c, double s, int64_t count) {
#pragma omp simd
  for (int64_t k = 0; k < count; ++k) {
    const double f = high[k];
    high[k] = s * low[k] + c * f;
    low[k] = c * low[k] - s * f;
  }
}

/* Returns the last index of the unreduced block that begins at l. */
static int64_t end_of_block(const double *d, const double *e, int64_t l, int64_t m) {
  int64_t end = l;
  while (end < m - 1 && fabs(e[end]) > DBL_EPSILON * (fabs(d[end]) + fabs(d[end + 1])) / 2)
    ++end;
  return end;
}

/* Does one implicit QL step on rows [l, end]. */
static void step_rows(double *d, double *e, double *vector, int64_t m, int64_t l, int64_t end) {
  double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1);
  g = d[end] - d[l] + e[l] / (g + (g < 0 ? -r : r));
  double s = 1, c = 1, p = 0;
  for (int64_t i = end - 1; i >= l; --i) {
    const double f = s * e[i], b = c * e[i];
    r = sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) {
      d[i + 1] -= p;
      e[end] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotate(vector + i * m, vector + (i + 1) * m, c, s, m);
  }
  d[l] -= p;
  e[l] = g;
  e[end] = 0;
}

/* Puts the eigenvalues into decreasing order, equal ones as they come. */
static void sort_eigenvalues(double *value, double *vector, int64_t m) {
  for (int64_t i = 0; i < m; ++i) {
    int64_t first = i;
    for (int64_t j = i + 1; j < m; ++j)
      if (value[j] > value[first]) first = j;
    if (first == i) continue;
    const double other = value[i];
    value[i] = value[first];
    value[first] = other;
    for (int64_t k = 0; k < m; ++k) {
      const double element = vector[i * m + k];
      vector[i * m + k] = vector[first * m + k];
      vector[first * m + k] = element;
    }
  }
}

bool gg_symmetric_eigen(double *a, int64_t m, double *value, double *vector, double *work,
                        gg_clock *clock, double fraction) {
  double *off_diagonal = work, *beta = work + m, *product = work + 2 * m;
  const int exponent = scale_matrix(a, m * m);
  if (!reduce(a, m, value, off_diagonal, beta, product, clock, fraction)) return false;
  if (!accumulate(a, m, beta, vector, product, clock, fraction)) return false;
  off_diagonal[m - 1] = 0;
  for (int64_t l = 0; l < m; ++l) {
    if (gg_clock_poll(clock, fraction)) return false;
    for (int steps = 0; steps < MOST_STEPS; ++steps) {
      const int64_t end = end_of_block(value, off_diagonal, l, m);
      if (end == l) break;
      step_rows(value, off_diagonal, vector, m, l, end);
    }
  }
  sort_eigenvalues(value, vector, m);
  for (int64_t i = 0; i < m; ++i)
    value[i] = ldexp(value[i], exponent);
  return true;
}
