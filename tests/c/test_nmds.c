/* Nonmetric scaling: pooling compared with the lower convex hull of sums in whole numbers, and the
   loops over pairs with their definitions, for each instruction set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/random.h"
#include "ordination/monotone.h"

enum { MOST = 1100, POINTS = 37 };

/* Kinds of values: few different ones; rising, with noise; rising; falling; equal. */
static double value_of(int kind, int64_t i) {
  const int64_t drawn = (int64_t)(gg_random(kind, (uint64_t)i) % 100);
  const int64_t values[] = {drawn % 5, i + drawn, i, MOST - i, 3};
  return (double)values[kind];
}

/* Returns the end of the hull's edge from `first`: the last one of those with the least slope.
   ends: where an edge may end. */
static int64_t edge_end(const double *value, int64_t first, const int32_t *ends, int64_t groups) {
  double sum = 0, least = 0;
  int64_t end = first, t = first;
  for (int64_t g = 0; g < groups; ++g) {
    for (; t < ends[g]; ++t)
      sum += value[t];
    if (ends[g] > first &&
        (end == first || sum * (double)(end - first) <= least * (double)(ends[g] - first))) {
      end = ends[g];
      least = sum;
    }
  }
  return end;
}

/* Compares blocks with the hull's edges. stride: values of a group; 1: no groups. */
static void test_pool(gg_monotone *m, int kind, int64_t count, int64_t stride) {
  double value[MOST] = {0};
  int32_t ends[MOST] = {0};
  int64_t groups = 0, wrong = 0, first = 0, block = 0;
  for (int64_t i = 0; i < count; ++i) {
    value[i] = value_of(kind, i);
    if ((i + 1) % stride == 0 || i + 1 == count) ends[groups++] = (int32_t)(i + 1);
  }
  const int64_t blocks = gg_monotone_pool(m, value, count, stride > 1 ? ends : NULL, groups);
  for (; first < count && block < blocks; first = m->end[block++]) {
    double sum = 0;
    for (int64_t i = first; i < m->end[block]; ++i)
      sum += value[i];
    wrong += m->end[block] != edge_end(value, first, ends, groups) || m->sum[block] != sum;
  }
  CHECK(wrong == 0 && first == count && block == blocks,
        "kind %d, %lld values in groups of %lld: %lld wrong of %lld", kind, (long long)count,
        (long long)stride, (long long)wrong, (long long)blocks);
}

/* Fills arrays with pairs of points, some of them the same, and disparities. */
static void draw_pairs(int64_t k, int32_t *row, int32_t *column, double *fitted, double *x) {
  for (uint64_t i = 0; i < MOST; ++i) {
    row[i] = (int32_t)(gg_random(11, i) % POINTS);
    column[i] = (int32_t)(gg_random(12, i) % POINTS);
    fitted[i] = (double)(gg_random(13, i) % 1000) / 300;
  }
  for (uint64_t i = 0; i < (uint64_t)(POINTS * k); ++i)
    x[i] = (double)(gg_random(14, i) % 1000) / 700;
}

/* Compares the loops over pairs with their definitions, in long double. */
static void test_pairs(const gg_nmds_kernels *kernels, int64_t k, int64_t count) {
  static int32_t row[MOST], column[MOST];
  static double value[MOST], fitted[MOST], pull[MOST];
  double x[3 * POINTS], gradient[3 * POINTS] = {0}, gaps, squares;
  long double want[3 * POINTS] = {0}, all_gaps = 0, all_squares = 0, worst = 0;
  draw_pairs(k, row, column, fitted, x);
  const gg_nmds_pairs pairs = {count, k, row, column, value, fitted};
  kernels->measure(&pairs, x);
  kernels->sums(&pairs, &gaps, &squares);
  kernels->pull(&pairs, x, 0.75, pull, gradient);
  for (int64_t p = 0; p < count; ++p) {
    const double *a = x + row[p] * k, *b = x + column[p] * k;
    long double square = 0;
    for (int64_t c = 0; c < k; ++c)
      square += ((long double)a[c] - b[c]) * ((long double)a[c] - b[c]);
    const long double d = sqrtl(square), gap = d - fitted[p];
    worst = fmaxl(worst, fabsl(d - value[p]));
    all_gaps += gap * gap;
    all_squares += square;
    for (int64_t c = 0; c < k && d > 0; ++c) {
      want[row[p] * k + c] += (0.75L - fitted[p] / d) * (a[c] - b[c]);
      want[column[p] * k + c] -= (0.75L - fitted[p] / d) * (a[c] - b[c]);
    }
  }
  for (int64_t i = 0; i < POINTS * k; ++i)
    worst = fmaxl(worst, fabsl(want[i] - gradient[i]));
  worst = fmaxl(worst, fmaxl(fabsl(all_gaps - gaps), fabsl(all_squares - squares)));
  CHECK(worst < 1e-10L, "%lld pairs in %lld dimensions: an error of %Lg", (long long)count,
        (long long)k, worst);
}

/* Compares the bits of a form with those of plain C. */
static void test_bits(const gg_nmds_kernels *kernels, int64_t k, int64_t count) {
  static int32_t row[MOST], column[MOST];
  static double value[2][MOST], fitted[MOST], pull[MOST];
  double x[3 * POINTS], result[2][3 * POINTS + 2] = {{0}};
  const gg_nmds_kernels *forms[] = {kernels, &gg_nmds_kernels_generic};
  draw_pairs(k, row, column, fitted, x);
  for (int form = 0; form < 2; ++form) {
    const gg_nmds_pairs pairs = {count, k, row, column, value[form], fitted};
    forms[form]->measure(&pairs, x);
    forms[form]->sums(&pairs, result[form], result[form] + 1);
    forms[form]->pull(&pairs, x, 0.75, pull, result[form] + 2);
  }
  CHECK(memcmp(value[0], value[1], (size_t)count * sizeof **value) == 0 &&
            memcmp(result[0], result[1], sizeof *result) == 0,
        "%lld pairs in %lld dimensions have other bits", (long long)count, (long long)k);
}

int main(void) {
  static const int64_t counts[] = {0,   1,   2,   15,  63,  64,  65,  127,
                                   128, 255, 256, 257, 321, 513, 1100};
  const gg_simd widest = gg_context_get()->simd;
  for (int simd = 0; simd <= (int)widest; ++simd) {
    gg_context_get()->simd = (gg_simd)simd;
    gg_monotone monotone;
    if (!CHECK(gg_monotone_allocate(&monotone, MOST), "no memory")) break;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      for (int kind = 0; kind < 5 && counts[c] > 0; ++kind)
        for (int64_t stride = 1; stride < 6; stride += 2)
          test_pool(&monotone, kind, counts[c], stride);
      for (int64_t k = 1; k <= 3; ++k) {
        test_pairs(monotone.kernels, k, counts[c]);
        test_bits(monotone.kernels, k, counts[c]);
      }
    }
    gg_monotone_free(&monotone);
  }
  gg_context_get()->simd = widest;
  return check_end();
}
