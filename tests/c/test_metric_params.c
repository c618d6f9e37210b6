/* What a metric needs of all points, and ranks, as CUDA computes them: distances with the CPU's
   bits, and its messages. Without CUDA: in panels of points, from both orientations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "gpugeo.h"

static bool has_cuda;

/* Points whose distances are compared. */
typedef struct sample {
  const char *what;
  int64_t n, m;
  gpugeo_matrix x; /* points in rows */
  gpugeo_metric_options metric;
} sample;

/* Computes the distances. *error has code 0 if that succeeds. */
static double *distances(const sample *s, const gpugeo_matrix *x, gpugeo_points points,
                         gpugeo_backend backend, int64_t work_bytes, gpugeo_error *error) {
  const int64_t size = s->n * (s->n - 1) / 2;
  double *out = calloc((size_t)(size > 0 ? size : 1), sizeof *out);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric = s->metric;
  options.points = points;
  options.run.backend = backend;
  options.run.work_bytes = work_bytes;
  *error = (gpugeo_error){0};
  (void)gpugeo_dist(x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, error);
  return out;
}

static void compare(const sample *s, const double *want, const gpugeo_error *want_error,
                    const gpugeo_matrix *x, gpugeo_points points, gpugeo_backend backend,
                    int64_t work_bytes) {
  gpugeo_error error;
  double *got = distances(s, x, points, backend, work_bytes, &error);
  const int64_t size = s->n * (s->n - 1) / 2;
  int64_t wrong = 0, first = -1;
  for (int64_t e = 0; e < size; ++e)
    if (memcmp(&got[e], &want[e], sizeof *got) != 0 && !(isnan(got[e]) && isnan(want[e])) &&
        wrong++ == 0)
      first = e;
  const bool same_error =
      error.code == want_error->code && strcmp(error.message, want_error->message) == 0;
  CHECK(
      wrong == 0 && same_error,
      "%s of %lld x %lld, orientation %d, backend %d, %lld bytes: %lld are wrong, %.17g instead of "
      "%.17g; \"%s\" instead of \"%s\"",
      s->what, (long long)s->n, (long long)s->m, points, backend, (long long)work_bytes,
      (long long)wrong, first < 0 ? 0 : got[first], first < 0 ? 0 : want[first], error.message,
      want_error->message);
  free(got);
}

/* Compares all ways with the CPU's first. */
static void check_sample(const sample *s) {
  gpugeo_error error;
  double *want = distances(s, &s->x, GPUGEO_POINTS_ROWS, GPUGEO_BACKEND_CPU, 0, &error);
  double *turned = malloc((size_t)(s->n * s->m) * sizeof *turned);
  const double *values = s->x.data;
  for (int64_t i = 0; i < s->n; ++i)
    for (int64_t k = 0; k < s->m; ++k)
      turned[k + i * s->m] = values[i + k * s->x.ld];
  const gpugeo_matrix columns = {
      .data = turned, .type = GPUGEO_TYPE_DOUBLE, .nrow = s->m, .ncol = s->n, .ld = s->m};
  data_sparse sparse;
  data_sparse_make(&s->x, 0, 4, 3, &sparse);
  compare(s, want, &error, &columns, GPUGEO_POINTS_COLUMNS, GPUGEO_BACKEND_CPU, 1 << 20);
  compare(s, want, &error, &sparse.matrix, GPUGEO_POINTS_ROWS, GPUGEO_BACKEND_CPU, 0);
  for (int i = 0; has_cuda && i < 3; ++i) {
    static const int64_t work[] = {0, (int64_t)64 << 20, 1};
    if (check_leaves_out(7)) continue;
    compare(s, want, &error, &s->x, GPUGEO_POINTS_ROWS, GPUGEO_BACKEND_CUDA, work[i]);
    compare(s, want, &error, &columns, GPUGEO_POINTS_COLUMNS, GPUGEO_BACKEND_CUDA, work[i]);
    compare(s, want, &error, &sparse.matrix, GPUGEO_POINTS_ROWS, GPUGEO_BACKEND_CUDA, work[i]);
  }
  data_sparse_free(&sparse);
  free(turned);
  free(want);
}

static gpugeo_metric_options metric_of(gpugeo_metric kind) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = kind;
  return options.metric;
}

/* Makes a sample of points in rows; x.data is to be freed. */
static sample make_sample(const char *what, data_kind kind, int64_t n, int64_t m,
                          gpugeo_metric metric) {
  double *points = data_points(kind, n, m, 7);
  const sample s = {what, n, m,
                    data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 2),
                    metric_of(metric)};
  free(points);
  return s;
}

static double *element(const sample *s, int64_t i, int64_t k) {
  return (double *)s->x.data + i + k * s->x.ld;
}

/* --- Mahalanobis ------------------------------------------------------------------------------ */

/* Numbers of points and coordinates at and next to those that kernels take together. */
static const int64_t sizes[][2] = {{5, 2},    {40, 3},    {300, 31},  {150, 33},  {200, 64},
                                   {130, 65}, {400, 128}, {300, 129}, {500, 200}, {70, 300}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_covariance(void) {
  for (int t = 0; t < SIZES; ++t) {
    const int64_t n = sizes[t][0], m = sizes[t][1];
    sample s = make_sample("covariance", DATA_RANDOM, n, m, GPUGEO_METRIC_MAHALANOBIS);
    check_sample(&s); /* for fewer points than coordinates: a message */
    for (int64_t i = 3; i < n; i += 7)
      *element(&s, i, i % m) = NAN; /* incomplete points */
    check_sample(&s);
    free((void *)s.x.data);
  }
}

/* Columns that depend on others, one of them within a square of CUDA's kernel and one after it. */
static void test_singular(void) {
  static const int64_t singular[] = {GPUGEO_SINGULAR_ERROR, GPUGEO_SINGULAR_DROP,
                                     GPUGEO_SINGULAR_PINV};
  for (int t = 1; t < SIZES - 1; ++t) {
    const int64_t n = sizes[t][0], m = sizes[t][1];
    sample s = make_sample("singular covariance", DATA_RANDOM, n, m, GPUGEO_METRIC_MAHALANOBIS);
    for (int64_t i = 0; i < n; ++i) {
      *element(&s, i, 1) = 3;
      *element(&s, i, m - 1) = *element(&s, i, 0) + 1;
      if (m > 40) *element(&s, i, 40) = *element(&s, i, 33) - *element(&s, i, 2);
    }
    for (size_t k = 0; k < sizeof singular / sizeof *singular; ++k) {
      s.metric.singular = singular[k];
      check_sample(&s);
    }
    free((void *)s.x.data);
  }
}

static void test_given(void) {
  for (int t = 0; t < SIZES; ++t) {
    const int64_t n = sizes[t][0], m = sizes[t][1];
    sample s = make_sample("given covariance", DATA_RANDOM, n, m, GPUGEO_METRIC_MAHALANOBIS);
    double *cov = malloc((size_t)(m * m) * sizeof *cov);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < m; ++j)
        cov[i + j * m] = i == j ? 3 + (double)(i % 5) : 1 / (1 + fabs((double)(i - j)));
    cov[1] *= 1 + 1e-13; /* not quite symmetric */
    s.metric.cov =
        (gpugeo_matrix){.data = cov, .type = GPUGEO_TYPE_DOUBLE, .nrow = m, .ncol = m, .ld = m};
    check_sample(&s);
    cov[m * m - 1] = -1;
    check_sample(&s); /* not positive definite */
    free(cov);
    free((void *)s.x.data);
  }
}

static void test_bad_points(void) {
  sample s = make_sample("one complete point", DATA_RANDOM, 9, 4, GPUGEO_METRIC_MAHALANOBIS);
  for (int64_t i = 1; i < 9; ++i)
    *element(&s, i, i % 4) = NAN;
  check_sample(&s);
  free((void *)s.x.data);
  s = make_sample("infinite points", DATA_RANDOM, 30, 4, GPUGEO_METRIC_MAHALANOBIS);
  *element(&s, 5, 2) = INFINITY;
  check_sample(&s);
  free((void *)s.x.data);
  s = make_sample("huge points", DATA_HUGE, 30, 4, GPUGEO_METRIC_MAHALANOBIS);
  check_sample(&s);
  free((void *)s.x.data);
}

/* --- Ranks ------------------------------------------------------------------------------------ */

static void test_ranks(void) {
  static const data_kind kinds[] = {DATA_RANDOM,  DATA_TIED,     DATA_COUNTS,
                                    DATA_MISSING, DATA_INFINITE, DATA_DENORMAL};
  static const int64_t ranked[][2] = {{5, 2}, {33, 7}, {70, 31}, {40, 33}, {65, 130}, {20, 2100}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (size_t t = 0; t < sizeof ranked / sizeof *ranked; ++t) {
      sample s = make_sample(data_name(kinds[k]), kinds[k], ranked[t][0], ranked[t][1],
                             GPUGEO_METRIC_SPEARMAN);
      *element(&s, 2, 0) = -0.0; /* a tie with 0 */
      *element(&s, 2, 1) = 0;
      check_sample(&s);
      free((void *)s.x.data);
    }
}

int main(void) {
  has_cuda = !gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL);
  if (!has_cuda) check_skip(1, "CUDA cannot be used");
  test_covariance();
  test_singular();
  test_given();
  test_bad_points();
  test_ranks();
  return check_end();
}
