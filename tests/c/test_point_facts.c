/* What distances depend on, found out on a device and on the host: the same results, reports and
   errors, for all kinds of data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "check.h"
#include "data.h"
#include "distance/point_facts.h"
#include "gpugeo.h"

enum { MOST = 400, M = 800 };

/* A call of gpugeo_dist(), and what it gives. */
typedef struct outcome {
  double out[MOST * (MOST - 1) / 2];
  gpugeo_status status;
  gpugeo_report report;
  gpugeo_error error;
} outcome;

static void run(const gpugeo_matrix *x, const gpugeo_dist_options *options, gpugeo_backend backend,
                outcome *to) {
  memset(to, 0, sizeof *to);
  gpugeo_dist_options own = *options;
  own.run.backend = backend;
  to->status = gpugeo_dist(x, NULL, &own, GPUGEO_TYPE_DOUBLE, to->out, &to->report, &to->error);
}

static bool same_missing(const gpugeo_missing *a, const gpugeo_missing *b) {
  bool same = a->distances == b->distances && a->x_rows == b->x_rows && a->reasons == b->reasons;
  for (int64_t i = 0; i < GPUGEO_MISSING_ROWS_MAX && i < a->x_rows; ++i)
    same = same && a->x_first[i] == b->x_first[i];
  return same;
}

static void compare(const gpugeo_matrix *x, const gpugeo_dist_options *options, const char *name) {
  outcome *out = malloc(2 * sizeof *out);
  run(x, options, GPUGEO_BACKEND_CPU, &out[0]);
  run(x, options, GPUGEO_BACKEND_CUDA, &out[1]);
  CHECK(out[0].status == out[1].status && strcmp(out[0].error.message, out[1].error.message) == 0,
        "%s: %d %s, %d %s", name, (int)out[0].status, out[0].error.message, (int)out[1].status,
        out[1].error.message);
  CHECK(out[0].status || memcmp(out[0].out, out[1].out, sizeof out[0].out) == 0,
        "%s: the bits differ", name);
  CHECK(same_missing(&out[0].report.missing, &out[1].report.missing) &&
            out[0].report.notes == out[1].report.notes,
        "%s: %lld and %lld are missing, notes %d and %d", name,
        (long long)out[0].report.missing.distances, (long long)out[1].report.missing.distances,
        (int)out[0].report.notes, (int)out[1].report.notes);
  free(out);
}

/* The device's facts are those of the host, and only points of 1 MiB and more are its work. */
static void check_facts(const gpugeo_matrix *x, const gpugeo_dist_options *options, bool large,
                        const char *name) {
  gg_point_facts here = {0}, there = {0};
  gg_clock clock;
  gpugeo_error error = {0};
  const gg_backend *cuda;
  gg_clock_start(&clock, &options->run);
  CHECK(!gg_backend_open(&gg_cuda_backend, &cuda, &error) &&
            !gg_point_facts_find(x, options, NULL, -1, &here, GG_CALL_OF(&clock, NULL, &error)) &&
            !gg_point_facts_find(x, options, cuda, GPUGEO_DEVICE_ALL, &there,
                                 GG_CALL_OF(&clock, NULL, &error)),
        "%s: %s", name, error.message);
  CHECK(!here.done && there.done == large && (there.brought.data != NULL) == large,
        "%s: done %d, brought %d", name, (int)there.done, there.brought.data != NULL);
  CHECK(here.found == there.found && here.rows.points == there.rows.points &&
            here.rows.count == there.rows.count && here.rows.reasons == there.rows.reasons &&
            memcmp(here.rows.first, there.rows.first, sizeof here.rows.first) == 0,
        "%s: found %d and %d, %lld and %lld rows", name, here.found, there.found,
        (long long)here.rows.count, (long long)there.rows.count);
  gg_point_facts_free(&here);
  gg_point_facts_free(&there);
}

/* Whole numbers for two of three columns, 0 and 1 for half of these. */
static void make_types(double *points, int64_t n, double *types) {
  for (int64_t k = 0; k < M; ++k) {
    types[k] = (double)(k % 3);
    for (int64_t i = 0; k % 3 > 0 && i < n; ++i) {
      double *v = &points[i * M + k];
      if (!isnan(*v)) *v = k % 3 == 1 ? floor(fmod(3 * *v, 5)) : fabs(*v) > 0.5;
    }
  }
}

static void test_kind(data_kind kind, gpugeo_metric metric, gpugeo_type type,
                      gpugeo_points orientation) {
  if (check_leaves_out(7)) return;
  const int64_t n = type == GPUGEO_TYPE_DOUBLE ? 200 : MOST;
  static double types[M];
  double *points = data_points(kind, n, M, 5);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.points = orientation;
  if (metric == GPUGEO_METRIC_GOWER && kind == DATA_MISSING) {
    make_types(points, n, types);
    options.metric.types = types;
    options.metric.types_length = M;
  }
  const gpugeo_matrix x = data_matrix(points, n, M, type, orientation, 3);
  char name[120];
  snprintf(name, sizeof name, "%s %s, type %d, orientation %d", data_name(kind),
           gpugeo_name(GPUGEO_ENUM_METRIC, metric), (int)type, (int)orientation);
  check_facts(&x, &options, true, name);
  compare(&x, &options, name);
  if (options.metric.types) { /* values that are none of their column's type */
    types[M - 3] = GPUGEO_COLUMN_ASYMMETRIC;
    compare(&x, &options, name);
  }
  free(points);
  free((void *)x.data);
}

/* Covariances of n points whose rank is less than their m coordinates, and the factor of the
   pseudoinverse; given ones are not quite symmetric. */
static void test_pseudoinverse(int64_t n, int64_t m, int64_t rank) {
  double *points = data_points(DATA_RANDOM, n, m, 7);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = rank; k < m; ++k)
      points[i * m + k] = points[i * m + k % rank] - 3 * points[i * m + (k + 1) % rank];
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.metric.kind = GPUGEO_METRIC_MAHALANOBIS;
  options.metric.singular = GPUGEO_SINGULAR_PINV;
  char name[120];
  snprintf(name, sizeof name, "pseudoinverse, %d points, %d coordinates, rank %d", (int)n, (int)m,
           (int)rank);
  compare(&x, &options, name);
  double *cov = calloc((size_t)(m * m), sizeof *cov);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t r = 0; r < rank; ++r)
        cov[i + k * m] += points[r * m + i] * points[r * m + k];
      if (i > k) cov[i + k * m] *= 1 + 1e-15;
    }
  options.metric.cov = (gpugeo_matrix){cov, GPUGEO_TYPE_DOUBLE, m, m, m, NULL};
  compare(&x, &options, name);
  cov[0] = -1; /* a negative eigenvalue */
  compare(&x, &options, name);
  free(cov);
  free(points);
}

/* Few points, which the host looks through. */
static void test_small(void) {
  double *points = data_points(DATA_MISSING, 100, 5, 5);
  const gpugeo_matrix x = data_matrix(points, 100, 5, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_HAMMING;
  check_facts(&x, &options, false, "few points");
  free(points);
  free((void *)x.data);
}

/* Rows that are made by hand, on the host: one of each kind. */
static void test_host(void) {
  enum { N = 6, K = 3 };
  const double points[N * K] = {1,   2,   3,   NAN, NAN, NAN, 0,        NAN, 0,
                                1.5, 1.5, 1.5, NAN, 4,   NAN, INFINITY, 1,   1e300};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, K, N, K, NULL};
  static const struct {
    gpugeo_metric metric;
    int64_t count, first[GPUGEO_MISSING_ROWS_MAX];
    int32_t reasons;
  } expected[] = {
      {GPUGEO_METRIC_EUCLIDEAN, 0, {0}, 0},
      {GPUGEO_METRIC_HAMMING, 1, {1}, GPUGEO_MISSING_EMPTY},
      {GPUGEO_METRIC_COSINE, 2, {1, 2}, GPUGEO_MISSING_EMPTY | GPUGEO_MISSING_ZERO},
      {GPUGEO_METRIC_PEARSON, 4, {1, 2, 3}, GPUGEO_MISSING_EMPTY | GPUGEO_MISSING_CONSTANT},
      {GPUGEO_METRIC_MAHALANOBIS, 4, {1, 2, 4}, GPUGEO_MISSING_NOT_FINITE},
  };
  for (size_t e = 0; e < sizeof expected / sizeof *expected; ++e) {
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.points = GPUGEO_POINTS_COLUMNS;
    options.metric.kind = expected[e].metric;
    gg_point_facts facts;
    gg_clock clock;
    gpugeo_error error = {0};
    gg_clock_start(&clock, &options.run);
    const gpugeo_status status =
        gg_point_facts_find(&x, &options, NULL, -1, &facts, GG_CALL_OF(&clock, NULL, &error));
    CHECK(!status && facts.found == (GG_HAS_MISSING | GG_HAS_INFINITE | GG_HAS_HUGE) &&
              !facts.done && !facts.columns,
          "found %d: %s", facts.found, error.message);
    CHECK(facts.rows.points == N && facts.rows.count == expected[e].count &&
              facts.rows.reasons == expected[e].reasons &&
              memcmp(facts.rows.first, expected[e].first, sizeof facts.rows.first) == 0,
          "%s: %lld rows, reasons %d", gpugeo_name(GPUGEO_ENUM_METRIC, expected[e].metric),
          (long long)facts.rows.count, (int)facts.rows.reasons);
    gg_point_facts_free(&facts);
  }
}

static void test_cuda(void) {
  static const gpugeo_metric metrics[] = {
      GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_CANBERRA, GPUGEO_METRIC_SEUCLIDEAN,
      GPUGEO_METRIC_PEARSON,   GPUGEO_METRIC_SPEARMAN, GPUGEO_METRIC_COSINE,
      GPUGEO_METRIC_HAMMING,   GPUGEO_METRIC_GOWER,    GPUGEO_METRIC_MAHALANOBIS};
  int turn = 0;
  for (int kind = 0; kind < DATA_KINDS; ++kind)
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; ++m)
      for (int type = GPUGEO_TYPE_DOUBLE; type <= GPUGEO_TYPE_INT32; ++type)
        if (data_fits((data_kind)kind, (gpugeo_type)type))
          test_kind((data_kind)kind, metrics[m], (gpugeo_type)type,
                    turn++ % 2 ? GPUGEO_POINTS_ROWS : GPUGEO_POINTS_COLUMNS);
  test_small();
  test_pseudoinverse(MOST, 2, 1);
  test_pseudoinverse(MOST, 130, 130);
  test_pseudoinverse(MOST, 130, 67);
  if (!CHECK_SMALL) test_pseudoinverse(MOST, 301, 300);
  test_pseudoinverse(40, 90, 64);
}

int main(void) {
  gpugeo_error error = {0};
  test_host();
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) != GPUGEO_OK)
    check_skip(1, "CUDA: not present (%s), points are looked through on the host", error.message);
  else
    test_cuda();
  return check_end();
}
