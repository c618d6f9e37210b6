/* Kendall's correlations against the definition, pair by pair, and the same bits in every way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/kendall.h"

static gg_simd widest;
static bool has_cuda;

static int sign_of(double a, double b) { return (a > b) - (a < b); }

/* A pair of columns counted from the definition. */
typedef struct naive {
  int64_t observations, untied_x, untied_y, score;
} naive;

static naive count_pairs(const double *a, const double *b, int64_t n) {
  naive c = {0};
  for (int64_t k = 0; k < n; ++k) {
    if (isnan(a[k]) || isnan(b[k])) continue;
    ++c.observations;
    for (int64_t l = 0; l < k; ++l) {
      if (isnan(a[l]) || isnan(b[l])) continue;
      const int u = sign_of(a[k], a[l]), v = sign_of(b[k], b[l]);
      c.untied_x += u * u;
      c.untied_y += v * v;
      c.score += u * v;
    }
  }
  return c;
}

/* The correlation, or NaN; `own` of a column with itself. */
static double naive_correlation(const double *a, const double *b, int64_t n, gpugeo_cor_use use,
                                bool own, bool covariance) {
  const naive c = count_pairs(a, b, n);
  if (n < 2) return NAN;
  if (covariance) return c.observations < n ? NAN : 2 * (double)c.score;
  if (own && use != GPUGEO_COR_USE_PAIRWISE) return 1; /* by rule, as stats::cor */
  if (use != GPUGEO_COR_USE_PAIRWISE && c.observations < n) return NAN;
  if (c.untied_x == 0 || c.untied_y == 0) return NAN;
  return gg_kendall_tau(c.untied_x, c.untied_y, c.score);
}

/* A matrix or two, and what is expected of them. */
typedef struct sample {
  data_kind kind;
  int64_t n, columns, others; /* others: of y; 0 without it */
  double *x_points, *y_points;
  gpugeo_matrix x, y;
  gpugeo_cor_use use;
  bool covariance;
  double *expected;
} sample;

static void expect_all(sample *s) {
  const int64_t n = s->n, others = s->others ? s->others : s->columns;
  s->expected = malloc((size_t)(s->columns * others) * sizeof *s->expected);
  for (int64_t j = 0; j < others; ++j)
    for (int64_t i = 0; i < s->columns; ++i)
      s->expected[i + j * s->columns] =
          naive_correlation(s->x_points + i * n, (s->others ? s->y_points : s->x_points) + j * n, n,
                            s->use, !s->others && i == j, s->covariance);
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Computes the sample in one way and compares all values. */
static void check_way(const sample *s, gpugeo_backend backend, gg_kendall_use use, gg_simd simd,
                      int32_t threads, int64_t work_bytes) {
  const int64_t others = s->others ? s->others : s->columns, size = s->columns * others;
  double *out = malloc((size_t)size * sizeof *out);
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_KENDALL;
  options.use = s->use;
  options.covariance = s->covariance ? GPUGEO_COVARIANCE_SAMPLE : GPUGEO_COVARIANCE_NONE;
  options.run.backend = backend;
  options.run.threads = threads;
  options.run.work_bytes = work_bytes;
  gg_kendall_set_use(use);
  gg_set_simd(simd);
  gpugeo_error error = {0};
  gpugeo_report report = {0};
  const gpugeo_status status = gpugeo_cor(&s->x, s->others ? &s->y : NULL, &options,
                                          GPUGEO_TYPE_DOUBLE, out, &report, &error);
  gg_kendall_set_use(GG_KENDALL_BY_COST);
  gg_set_simd(widest);
  int64_t wrong = 0, first = -1;
  for (int64_t at = 0; !status && at < size; ++at)
    if (!same(out[at], s->expected[at]) && wrong++ == 0) first = at;
  CHECK(!status && wrong == 0,
        "%s, %lld observations, %lld columns, use %d, backend %d, way %d, instructions %d, %d "
        "threads, "
        "%lld bytes: %s, %lld are wrong: %.17g, expected %.17g",
        data_name(s->kind), (long long)s->n, (long long)s->columns, s->use, backend, use, simd,
        threads, (long long)work_bytes, error.message, (long long)wrong, first < 0 ? 0 : out[first],
        first < 0 ? 0 : s->expected[first]);
  free(out);
}

static void check_ways(const sample *s) {
  for (int simd = 0; simd <= (int)widest; ++simd)
    check_way(s, GPUGEO_BACKEND_CPU, GG_KENDALL_BITS, (gg_simd)simd, 1 + simd % 3, 0);
  check_way(s, GPUGEO_BACKEND_CPU, GG_KENDALL_BITS, widest, 2, 40000); /* panels of few groups */
  check_way(s, GPUGEO_BACKEND_CPU, GG_KENDALL_BITS, widest, 1, 1);     /* no panel at all */
  check_way(s, GPUGEO_BACKEND_CPU, GG_KENDALL_MERGE, widest, 1, 0);
  check_way(s, GPUGEO_BACKEND_CPU, GG_KENDALL_MERGE, widest, 3, 0);
  if (!has_cuda || check_leaves_out(5)) return;
  check_way(s, GPUGEO_BACKEND_CUDA, GG_KENDALL_BY_COST, widest, 2, 0);
  check_way(s, GPUGEO_BACKEND_CUDA, GG_KENDALL_BY_COST, widest, 1, 1); /* panels of a column */
}

static void test_sample(data_kind kind, int64_t n, int64_t columns, int64_t others,
                        gpugeo_cor_use use) {
  sample s = {.kind = kind, .n = n, .columns = columns, .others = others, .use = use};
  s.x_points = data_points(kind, columns, n, 3);
  s.y_points = data_points(kind, others + 1, n, 4);
  s.x = data_matrix(s.x_points, columns, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 1);
  s.y = data_matrix(s.y_points, others, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  for (int covariance = 0; covariance < (use == GPUGEO_COR_USE_PAIRWISE ? 1 : 2); ++covariance) {
    s.covariance = covariance;
    expect_all(&s);
    check_ways(&s);
    free(s.expected);
  }
  free(s.x_points);
  free(s.y_points);
  free((void *)s.x.data);
  free((void *)s.y.data);
}

static void test_sizes(void) {
  static const data_kind kinds[] = {DATA_RANDOM,  DATA_TIED,     DATA_COUNTS,  DATA_CONSTANT,
                                    DATA_MISSING, DATA_INFINITE, DATA_DENORMAL};
  static const int64_t sizes[] = {1, 2, 3, 11, 12, 33, 46, 130, 200};
  static const gpugeo_cor_use uses[] = {GPUGEO_COR_USE_EVERYTHING, GPUGEO_COR_USE_PAIRWISE};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
      for (int u = 0; u < 2; ++u) {
        test_sample(kinds[k], sizes[s], 21, 0, uses[u]);
        test_sample(kinds[k], sizes[s], 9, 18, uses[u]);
      }
  test_sample(DATA_RANDOM, 1000, 9, 0, GPUGEO_COR_USE_EVERYTHING);
  test_sample(DATA_COUNTS, 700, 3, 2, GPUGEO_COR_USE_EVERYTHING);
  test_sample(DATA_MISSING, 60, 150, 70, GPUGEO_COR_USE_PAIRWISE); /* several squares of CUDA's */
  test_sample(DATA_RANDOM, 40, 200, 0, GPUGEO_COR_USE_EVERYTHING);
}

/* All pairs in order, in reverse, and a single exchange: the sums that 64 bits must hold. */
static void test_many_rows(gpugeo_backend backend) {
  const int64_t n = CHECK_SMALL && backend == GPUGEO_BACKEND_CUDA ? 3000 : 100000;
  double *values = malloc((size_t)(3 * n) * sizeof *values);
  for (int64_t k = 0; k < n; ++k) {
    values[k] = (double)k;
    values[n + k] = -(double)k;
    values[2 * n + k] = (double)k;
  }
  values[2 * n] = 1;
  values[2 * n + 1] = 0;
  const gpugeo_matrix x = {
      .data = values, .type = GPUGEO_TYPE_DOUBLE, .nrow = n, .ncol = 3, .ld = n};
  double r[9];
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_KENDALL;
  options.run.backend = backend;
  const gpugeo_status status = gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, r, NULL, NULL);
  const int64_t all = n * (n - 1) / 2;
  const double exchanged = gg_kendall_tau(all, all, all - 2);
  CHECK(!status && r[0] == 1 && r[3] == -1 && r[6] == exchanged && r[7] == -exchanged,
        "status %d: %.17g, %.17g, %.17g, %.17g", status, r[0], r[3], r[6], r[7]);
  free(values);
}

/* Floats, whole numbers and sparse matrices have the results of doubles. */
static void test_storage(void) {
  const int64_t n = 50, columns = 13;
  double *points = data_points(DATA_COUNTS, columns, n, 5);
  gpugeo_matrix x = data_matrix(points, columns, n, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_COLUMNS, 0);
  gpugeo_matrix whole =
      data_matrix(points, columns, n, GPUGEO_TYPE_INT32, GPUGEO_POINTS_COLUMNS, 3);
  data_sparse sparse;
  data_sparse_make(&x, 1, 4, 5, &sparse);
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_KENDALL;
  double want[169], got[169];
  float narrow[169];
  gpugeo_status status = gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, want, NULL, NULL);
  CHECK(!status, "%d", status);
  status = gpugeo_cor(&whole, NULL, &options, GPUGEO_TYPE_DOUBLE, got, NULL, NULL);
  CHECK(!status && memcmp(got, want, sizeof got) == 0, "whole numbers: %d", status);
  status = gpugeo_cor(&sparse.matrix, &x, &options, GPUGEO_TYPE_DOUBLE, got, NULL, NULL);
  for (int i = 0; i < 13; ++i)
    got[14 * i] = want[14 * i]; /* between two matrices they are not 1 by rule */
  CHECK(!status && memcmp(got, want, sizeof got) == 0, "sparse: %d", status);
  options.run.precision = GPUGEO_PRECISION_SINGLE;
  status = gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_FLOAT, narrow, NULL, NULL);
  int wrong = 0;
  for (int i = 0; i < 169; ++i)
    wrong += narrow[i] != (float)want[i];
  CHECK(!status && wrong == 0, "floats: %d, %d are wrong", status, wrong);
  data_sparse_free(&sparse);
  free(points);
  free((void *)x.data);
  free((void *)whole.data);
}

/* One row has no pair: the sums of covariances are 0, as for the divisors that allow one row. */
static void test_one_row(void) {
  const double values[] = {3, 5};
  double out[4] = {9, 9, 9, 9};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 1, 2, 1, NULL};
  gpugeo_error error = {0};
  gpugeo_cor_options options;
  gpugeo_cor_options_init(&options, sizeof options);
  options.method = GPUGEO_COR_METHOD_KENDALL;
  options.covariance = GPUGEO_COVARIANCE_POPULATION;
  options.run.backend = GPUGEO_BACKEND_CPU;
  CHECK(!gpugeo_cor(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error), "%s",
        error.message);
  for (int e = 0; e < 4; ++e)
    CHECK(out[e] == 0, "sum %d is %g", e, out[e]);
}

int main(void) {
  widest = gg_context_get()->simd;
  has_cuda = !gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL);
  test_sizes();
  test_many_rows(GPUGEO_BACKEND_CPU);
  if (has_cuda) test_many_rows(GPUGEO_BACKEND_CUDA);
  test_storage();
  test_one_row();
  return check_end();
}
