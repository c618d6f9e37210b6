/* Ranks against counting, and Spearman's correlations against Pearson's of counted ranks. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "distance/rank.h"
#include "reference.h"

static const data_kind kinds[] = {DATA_RANDOM,  DATA_TIED,      DATA_COUNTS,   DATA_CONSTANT,
                                  DATA_MISSING, DATA_WHOLE,     DATA_INFINITE, DATA_DENORMAL,
                                  DATA_NEAR,    DATA_COINCIDENT};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const int64_t sizes[] = {1, 2, 3, 16, 33, 130, 700};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Ranks of n points, as float and double, of rows and of columns. */
static void test_points(data_kind kind, int64_t n, int64_t m) {
  double *points = data_points(kind, n, m, 1), *expected = malloc((size_t)m * sizeof *expected);
  void *ranks = malloc((size_t)(n * m) * sizeof(double));
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  for (int choice = 0; choice < 4; ++choice) {
    const gpugeo_points orientation = (gpugeo_points)(choice % 2);
    const gpugeo_type type = (gpugeo_type)(choice / 2);
    gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, orientation, choice);
    gpugeo_error error;
    gpugeo_status status =
        gg_rank_points(&x, orientation, type, ranks, 1 + choice, GG_CALL_OF(&clock, NULL, &error));
    CHECK(!status, "%s", status ? error.message : "");
    int64_t wrong = 0;
    for (int64_t i = 0; !status && i < n; ++i) {
      reference_rank(points + i * m, m, expected);
      for (int64_t k = 0; k < m; ++k) {
        const int64_t at = k + i * m;
        const double got =
            type == GPUGEO_TYPE_FLOAT ? ((const float *)ranks)[at] : ((const double *)ranks)[at];
        wrong += !same(got, expected[k]);
      }
    }
    CHECK(wrong == 0, "%s, %lld points of %lld: %lld ranks are wrong", data_name(kind),
          (long long)n, (long long)m, (long long)wrong);
    free((void *)x.data);
  }
  free(points);
  free(expected);
  free(ranks);
}

/* Orders of columns: sorted, missing last, with the counts that they future. */
static void test_orders(data_kind kind, int64_t n, int64_t columns) {
  double *points = data_points(kind, columns, n, 2);
  gpugeo_matrix x = data_matrix(points, columns, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gg_rank_order made = {0};
  gpugeo_error error;
  gpugeo_status status = gg_rank_order_make(&x, true, &made, 2, GG_CALL_OF(&clock, NULL, &error));
  int64_t wrong = 0;
  for (int64_t i = 0; !status && i < columns; ++i) {
    const double *values = points + i * n;
    const int32_t *order = made.order + i * n;
    for (int64_t t = 1; t < n; ++t) {
      const double a = values[order[t - 1]], b = values[order[t]];
      wrong += !(a <= b || isnan(b));
    }
    for (int64_t k = 0; k < n; ++k) {
      int32_t smaller = 0, not_larger = 0;
      for (int64_t l = 0; l < n; ++l) {
        smaller += values[l] < values[k];
        not_larger += values[l] <= values[k];
      }
      if (isnan(values[k])) smaller = not_larger = -1;
      wrong += made.first[i * n + k] != smaller || made.last[i * n + k] != not_larger;
    }
  }
  CHECK(!status && wrong == 0, "%s, %lld columns of %lld: status %d, %lld places are wrong",
        data_name(kind), (long long)columns, (long long)n, status, (long long)wrong);
  gg_rank_order_free(&made);
  free(points);
  free((void *)x.data);
}

/* The values both columns have, ranked anew, then Pearson's correlation; NaN where that is missing.
 */
static double naive_pairwise(const double *a, const double *b, int64_t n) {
  double *both = malloc((size_t)(4 * n) * sizeof *both + 1);
  double *u = both, *v = both + n, *rank_u = both + 2 * n, *rank_v = both + 3 * n;
  int64_t count = 0;
  for (int64_t k = 0; k < n; ++k) {
    if (isnan(a[k]) || isnan(b[k])) continue;
    u[count] = a[k];
    v[count++] = b[k];
  }
  reference_rank(u, count, rank_u);
  reference_rank(v, count, rank_v);
  const double r = (double)reference_correlation(rank_u, rank_v, count);
  free(both);
  return r;
}

/* Everywhere but pairwise a column is ranked by itself. */
static double naive_correlation(const double *a, const double *b, int64_t n, gpugeo_cor_use use) {
  if (use == GPUGEO_COR_USE_PAIRWISE) return naive_pairwise(a, b, n);
  for (int64_t k = 0; k < n; ++k)
    if (isnan(a[k]) || isnan(b[k])) return NAN;
  return naive_pairwise(a, b, n);
}

static void test_spearman(gpugeo_backend backend, data_kind kind, int64_t n, gpugeo_cor_use use,
                          bool two) {
  if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(3)) return;
  const int64_t columns = 9, others = two ? 4 : columns;
  double *x_points = data_points(kind, columns, n, 3);
  double *y_points = two ? data_points(kind, others, n, 4) : x_points;
  gpugeo_matrix x = data_matrix(x_points, columns, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 1);
  gpugeo_matrix y = data_matrix(y_points, others, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_SPEARMAN;
  options.use = use;
  options.run.backend = backend;
  double *out = malloc((size_t)(columns * others) * sizeof *out);
  gpugeo_error error = {0};
  gpugeo_report report = {0};
  gpugeo_status status =
      gpugeo_cor(&x, two ? &y : NULL, &options, GPUGEO_TYPE_DOUBLE, out, &report, &error);
  int64_t wrong = 0;
  double got = 0, want = 0;
  for (int64_t j = 0; !status && j < others; ++j)
    for (int64_t i = 0; i < columns; ++i) {
      double r = naive_correlation(x_points + i * n, y_points + j * n, n, use);
      if (!two && i == j && n > 1 && use == GPUGEO_COR_USE_EVERYTHING) r = 1; /* as stats::cor */
      const double value = out[i + j * columns];
      const double most = 4 * (double)(n + 4) * DBL_EPSILON;
      if (isnan(r) ? isnan(value) : fabs(value - r) <= most) continue;
      if (wrong++ == 0) got = value, want = r;
    }
  CHECK(!status && wrong == 0,
        "%s on %s, %lld observations, use %d: status %d, %lld are wrong: %.17g, expected %.17g",
        data_name(kind), gpugeo_name(GPUGEO_ENUM_BACKEND, backend), (long long)n, use, status,
        (long long)wrong, got, want);
  if (two) free(y_points);
  free(x_points);
  free(out);
  free((void *)x.data);
  free((void *)y.data);
}

static void test_backend(gpugeo_backend backend) {
  for (int k = 0; k < KINDS; ++k)
    for (int s = 0; s < SIZES; ++s)
      for (int two = 0; two < 2; ++two) {
        test_spearman(backend, kinds[k], sizes[s], GPUGEO_COR_USE_PAIRWISE, two);
        test_spearman(backend, kinds[k], sizes[s], GPUGEO_COR_USE_EVERYTHING, two);
      }
}

int main(void) {
  for (int k = 0; k < KINDS; ++k)
    for (int s = 0; s < SIZES; ++s) {
      test_points(kinds[k], 7, sizes[s]);
      test_orders(kinds[k], sizes[s], 5);
    }
  CHECK(gg_rank_correlation(4, 4, 4) == 1 && gg_rank_correlation(4, 9, -6) == -1 &&
            gg_rank_correlation(1, 16, 2) == 0.5,
        "correlations of small sums are not exact");
  test_backend(GPUGEO_BACKEND_CPU);
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK)
    test_backend(GPUGEO_BACKEND_CUDA);
  else
    check_skip(1, "CUDA: not present (%s), its rank correlations are not compared", error.message);
  return check_end();
}
