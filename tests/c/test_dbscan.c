/* Clusters by density against their definition on all distances: by trees and by all pairs, from
   points and from distances, on any number of threads, on the CPU and on CUDA. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/cpu/kd_neighbors.h"
#include "gpugeo.h"

static gg_simd widest;
static bool has_cuda;

/* --- The definition --------------------------------------------------------------------------- */

static double distance_of(const double *condensed, int64_t n, int64_t a, int64_t b) {
  const int64_t i = a < b ? a : b, j = a < b ? b : a;
  return condensed[n * i - i * (i + 1) / 2 + j - i - 1];
}

static bool is_near(const double *condensed, int64_t n, int64_t a, int64_t b, double eps) {
  return a != b && distance_of(condensed, n, a, b) <= eps;
}

/* Gives all core points that are reached from a core point the number of a cluster. */
static void spread(const double *condensed, int64_t n, double eps, const int32_t *core,
                   int32_t number, int64_t from, int32_t *cluster) {
  cluster[from] = number;
  for (int64_t i = 0; i < n; ++i)
    if (core[i] && cluster[i] == 0 && is_near(condensed, n, from, i, eps))
      spread(condensed, n, eps, core, number, i, cluster);
}

static void find_expected(const double *condensed, int64_t n, double eps, int64_t min_points,
                          bool border, int32_t *cluster, int32_t *core) {
  int32_t clusters = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t count = 1;
    for (int64_t j = 0; j < n; ++j)
      count += is_near(condensed, n, i, j, eps);
    core[i] = count >= min_points;
    cluster[i] = 0;
  }
  for (int64_t i = 0; i < n; ++i)
    if (core[i] && cluster[i] == 0) spread(condensed, n, eps, core, ++clusters, i, cluster);
  for (int64_t i = 0; i < n && border; ++i)
    for (int64_t j = 0; !core[i] && j < n; ++j)
      if (core[j] && is_near(condensed, n, i, j, eps) &&
          (cluster[i] == 0 || cluster[j] < cluster[i]))
        cluster[i] = cluster[j];
}

/* --- Comparison ------------------------------------------------------------------------------- */

static void compare_source(const char *name, const gpugeo_distances *x,
                           const gpugeo_dbscan_options *options, int64_t n, const int32_t *cluster,
                           const int32_t *core) {
  int64_t size = -1;
  gpugeo_error error;
  CHECK(!gpugeo_distances_points(x, options->points, &size, &error) && size == n, "%s: %lld points",
        name, (long long)size);
  int32_t *got = malloc((size_t)n * sizeof *got + 1);
  int32_t *got_core = malloc((size_t)n * sizeof *got_core + 1);
  const gpugeo_status status = gpugeo_dbscan(x, options, got, got_core, NULL, &error);
  if (CHECK(!status, "%s: %s", name, error.message)) {
    CHECK(!memcmp(got, cluster, (size_t)n * sizeof *got), "%s: the clusters differ", name);
    CHECK(!memcmp(got_core, core, (size_t)n * sizeof *core), "%s: the core points differ", name);
    CHECK(!gpugeo_dbscan(x, options, got, NULL, NULL, &error) &&
              !memcmp(got, cluster, (size_t)n * sizeof *got),
          "%s: the clusters differ without core points", name);
  }
  free(got);
  free(got_core);
}

/* Compares points that count as half a point each with twice as many that must be near. */
static void compare_halves(const char *name, const gpugeo_distances *x,
                           gpugeo_dbscan_options options, const double *condensed, int64_t n) {
  int32_t *cluster = malloc((size_t)n * sizeof *cluster + 1);
  int32_t *core = malloc((size_t)n * sizeof *core + 1);
  double *weights = malloc((size_t)n * sizeof *weights + 1);
  for (int64_t i = 0; i < n; ++i)
    weights[i] = 0.5;
  find_expected(condensed, n, options.eps, 2 * options.min_points, options.border, cluster, core);
  options.run.backend = GPUGEO_BACKEND_AUTO;
  options.weights = weights;
  options.weights_length = n;
  compare_source(name, x, &options, n, cluster, core);
  free(cluster);
  free(core);
  free(weights);
}

static void compare(const char *name, const gpugeo_matrix *x, gpugeo_dbscan_options options) {
  static const int32_t threads[] = {1, 2, 7};
  static int turn;
  const int64_t n = options.points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  double *condensed = data_condensed(name, x, &options.metric, options.points);
  int32_t *cluster = malloc((size_t)n * sizeof *cluster + 1);
  int32_t *core = malloc((size_t)n * sizeof *core + 1);
  if (n > 2 && !(options.eps >= 0)) { /* one of the distances, so that some are equal */
    const double some = distance_of(condensed, n, 1, n - 1);
    options.eps = isnan(some) ? 0.5 : some / 4;
  }
  if (!(options.eps >= 0)) options.eps = 1;
  const gpugeo_distances points = {.x = x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  for (int m = 0; m <= 12; m += 3) {
    options.min_points = m;
    options.border = turn % 2;
    options.run.threads = threads[turn % 3];
    gg_set_simd((gg_simd)(turn++ % ((int)widest + 1)));
    find_expected(condensed, n, options.eps, m, options.border, cluster, core);
    char text[240];
    for (int b = 0; b < 1 + has_cuda; ++b)
      for (int use = GG_TREES_AUTO; use <= GG_TREES_NEVER; ++use) {
        options.run.backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
        if (b && (options.metric.kind == GPUGEO_METRIC_GREAT_CIRCLE || check_leaves_out(17)))
          continue;
        snprintf(text, sizeof text, "%s, %s, %d points within %g, use %d", b ? "CUDA" : "CPU", name,
                 m, options.eps, use);
        gg_trees_set_use((gg_tree_use)use);
        compare_source(text, &points, &options, n, cluster, core);
        compare_halves(text, &points, options, condensed, n);
      }
    gg_trees_set_use(GG_TREES_AUTO);
    snprintf(text, sizeof text, "%s, condensed, %d points within %g", name, m, options.eps);
    compare_source(text, &given, &options, n, cluster, core);
    compare_halves(text, &given, options, condensed, n);
  }
  gg_set_simd(widest);
  free(condensed);
  free(cluster);
  free(core);
}

static void test_kind(data_kind kind, gpugeo_metric metric, int64_t n, int64_t m, double eps) {
  static int choice;
  double *points = data_points(kind, n, m, 71);
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.eps = eps;
  options.points = (gpugeo_points)(choice % 2);
  const gpugeo_matrix x =
      data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, options.points, choice++ % 5);
  char name[160];
  snprintf(name, sizeof name, "%s, %lld %s points of %lld", gpugeo_name(GPUGEO_ENUM_METRIC, metric),
           (long long)n, data_name(kind), (long long)m);
  compare(name, &x, options);
  free((void *)x.data);
  free(points);
}

static void test_kinds(void) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_MANHATTAN,
                                          GPUGEO_METRIC_MAXIMUM,   GPUGEO_METRIC_CANBERRA,
                                          GPUGEO_METRIC_PEARSON,   GPUGEO_METRIC_HAMMING};
  for (size_t metric = 0; metric < sizeof metrics / sizeof *metrics; ++metric)
    for (int kind = 0; kind < DATA_KINDS; ++kind)
      test_kind((data_kind)kind, metrics[metric], 160, 3, NAN);
  static const double radii[] = {0, 0.02, 0.06, 0.2, INFINITY};
  for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 900, 2, radii[r]);
    test_kind(DATA_COINCIDENT, GPUGEO_METRIC_EUCLIDEAN, 100, 2, radii[r]);
    test_kind(DATA_MISSING, GPUGEO_METRIC_EUCLIDEAN, 300, 2, radii[r]);
  }
}

static void test_sizes(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 17, 128, 129, 1100};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, sizes[s], 2, 0.1);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 20, 0, 1);
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* Checks the error of two points, of options that begin with the defaults. */
static void check_error_of(const gpugeo_dbscan_options *options, const char *message) {
  const double condensed[] = {1};
  const gpugeo_distances distances = {.condensed = condensed, .condensed_points = 2};
  int32_t cluster[2];
  gpugeo_error error;
  CHECK(gpugeo_dbscan(&distances, options, cluster, NULL, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, message) == 0,
        "%s", error.message);
}

static void check_error(double eps, int64_t min_points, const char *message) {
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.eps = eps;
  options.min_points = min_points;
  check_error_of(&options, message);
}

static void check_weights_error(double second, int64_t length, const char *message) {
  const double weights[] = {1, second};
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.weights = weights;
  options.weights_length = length;
  check_error_of(&options, message);
}

static void test_arguments(void) {
  check_weights_error(1, 1, "weights must have a value for each of the 2 points, not 1 values");
  check_weights_error(-1, 2, "weights must be finite and at least 0, but value 2 is -1");
  check_weights_error(INFINITY, 2, "weights must be finite and at least 0, but value 2 is Inf");
  check_error(-1, 5, "eps must be a number of at least 0, not -1");
  check_error(NAN, 5, "eps must be a number of at least 0, not NaN");
  check_error(1, -2, "min_points must be a whole number of at least 0, not -2");
}

/* Trees of boxes with several levels, or the filter: the clusters of both backends. */
static void test_backends(int64_t n, int64_t m, double eps, int64_t min_points) {
  double *points = data_points(DATA_RANDOM, n, m, 19);
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances distances = {.x = &x};
  gpugeo_dbscan_options options;
  gpugeo_dbscan_options_init(&options, sizeof options);
  options.eps = eps;
  options.min_points = min_points;
  int32_t *cluster = malloc((size_t)n * sizeof *cluster);
  int32_t *core = malloc((size_t)n * sizeof *core);
  gpugeo_error error;
  options.run.backend = GPUGEO_BACKEND_CPU;
  CHECK(!gpugeo_dbscan(&distances, &options, cluster, core, NULL, &error), "%s", error.message);
  options.run.backend = GPUGEO_BACKEND_CUDA;
  char name[100];
  snprintf(name, sizeof name, "CUDA, %lld points of %lld within %g", (long long)n, (long long)m,
           eps);
  compare_source(name, &distances, &options, n, cluster, core);
  free(cluster);
  free(core);
  free((void *)x.data);
  free(points);
}

int main(void) {
  widest = gg_context_get()->simd;
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL) == GPUGEO_OK;
  test_kinds();
  test_sizes();
  test_arguments();
  for (int64_t m = 2; has_cuda && m <= 4; ++m) {
    test_backends(CHECK_SMALL ? 4000 : 60000, m, 0.02, 4);
    test_backends(CHECK_SMALL ? 4000 : 60000, m, 0.1, 20);
  }
  if (has_cuda) test_backends(CHECK_SMALL ? 2000 : 20000, 20, 2.5, 5);
  return check_end();
}
