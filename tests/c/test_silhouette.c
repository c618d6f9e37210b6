/* Silhouettes against the loop over all pairs, bit by bit: from points, condensed distances and a
   file, on any number of threads, with any instructions and in strips of any size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "data.h"
#include "gpugeo.h"
#include "system.h"
#include "temporary.h"

static gg_simd widest;

/* The results for n points. */
typedef struct widths {
  int64_t n;
  int32_t *neighbor;
  double *width;
} widths;

static widths widths_make(int64_t n) {
  return (widths){n, malloc((size_t)n * sizeof(int32_t) + 1),
                  malloc((size_t)n * sizeof(double) + 1)};
}

static void widths_free(widths *w) {
  free(w->neighbor);
  free(w->width);
}

static bool widths_are_same(const widths *a, const widths *b) {
  return memcmp(a->neighbor, b->neighbor, (size_t)a->n * sizeof *a->neighbor) == 0 &&
         memcmp(a->width, b->width, (size_t)a->n * sizeof *a->width) == 0;
}

/* --- The definition --------------------------------------------------------------------------- */

/* The silhouettes of condensed distances: sums in the order of the pairs i < j. */
static widths defined_widths(const double *condensed, int64_t n, const int32_t *cluster) {
  double *sum = calloc((size_t)(n * n) + 1, sizeof *sum);
  int64_t *size = calloc((size_t)n + 1, sizeof *size);
  for (int64_t i = 0, e = 0; i < n; ++i) {
    ++size[cluster[i] - 1];
    for (int64_t j = i + 1; j < n; ++j, ++e) {
      sum[i * n + cluster[j] - 1] += condensed[e];
      sum[j * n + cluster[i] - 1] += condensed[e];
    }
  }
  widths w = widths_make(n);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t own = cluster[i] - 1;
    double b = NAN;
    w.neighbor[i] = 0;
    for (int32_t c = 0; c < n; ++c) {
      if (c == own || size[c] == 0) continue;
      const double mean = sum[i * n + c] / (double)size[c];
      if (w.neighbor[i] > 0 && !(mean < b)) continue;
      b = mean;
      w.neighbor[i] = c + 1;
    }
    const double a = sum[i * n + own] / (double)(size[own] - 1);
    w.width[i] = w.neighbor[i] == 0 ? NAN : size[own] == 1 || a == b ? 0 : (b - a) / fmax(a, b);
  }
  free(sum);
  free(size);
  return w;
}

/* --- Comparison ------------------------------------------------------------------------------- */

static void compare_source(const char *name, const gpugeo_distances *x, const int32_t *cluster,
                           const gpugeo_silhouette_options *options, const widths *wanted) {
  gpugeo_error error = {0};
  int64_t size = -1;
  CHECK(!gpugeo_silhouette_size(x, options, &size, &error) && size == wanted->n, "%s: %lld points",
        name, (long long)size);
  widths w = widths_make(wanted->n);
  gpugeo_report report;
  const gpugeo_status status =
      gpugeo_silhouette(x, cluster, wanted->n, options, w.neighbor, w.width, &report, &error);
  if (CHECK(!status, "%s: %s", name, error.message)) {
    CHECK(widths_are_same(&w, wanted), "%s: the results differ", name);
    CHECK(report.backend == GPUGEO_BACKEND_CPU && report.threads >= 1, "%s: %d threads", name,
          (int)report.threads);
  }
  widths_free(&w);
}

/* Compares all sources, strips and threads. */
static void compare(const char *name, const gpugeo_matrix *x, gpugeo_metric metric,
                    gpugeo_points points, const int32_t *cluster) {
  static const int32_t threads[] = {1, 2, 7};
  static const int64_t bytes[] = {0, 1 << 17, 1 << 20, 1 << 22};
  static int turn;
  const int64_t n = points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.metric.kind = metric;
  double *condensed = data_condensed(name, x, &options.metric, points);
  const gpugeo_distances given = {.x = x};
  const gpugeo_distances stored = {.condensed = condensed, .condensed_points = n};
  options.points = points;
  options.run.backend = GPUGEO_BACKEND_CPU;
  widths wanted = defined_widths(condensed, n, cluster);
  for (size_t b = 0; b < sizeof bytes / sizeof *bytes; ++b) {
    char text[240];
    options.run.work_bytes = bytes[b];
    options.run.threads = threads[turn % 3];
    gg_set_simd((gg_simd)(turn++ % ((int)widest + 1)));
    snprintf(text, sizeof text, "%s, %lld bytes, %d threads", name, (long long)bytes[b],
             (int)options.run.threads);
    compare_source(text, &given, cluster, &options, &wanted);
    compare_source(text, &stored, cluster, &options, &wanted);
  }
  gg_set_simd(widest);
  widths_free(&wanted);
  free(condensed);
}

/* The clusters of n points, k of them in no order. */
static int32_t *clusters_of(int64_t n, int64_t k) {
  int32_t *cluster = malloc((size_t)n * sizeof *cluster + 1);
  uint32_t state = 12345;
  for (int64_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    cluster[i] = (int32_t)(state >> 8) % (int32_t)k + 1;
  }
  return cluster;
}

static void test_kind(data_kind kind, gpugeo_metric metric, int64_t n, int64_t m, int64_t k) {
  static int choice;
  const gpugeo_points points = (gpugeo_points)(choice % 2);
  double *values = data_points(kind, n, m, 91);
  for (int64_t e = 0; e < n * m; ++e) /* distances must be finite */
    if (!isfinite(values[e]) || fabs(values[e]) > 1e100) values[e] = (double)(e % 7);
  const gpugeo_matrix x = data_matrix(values, n, m, GPUGEO_TYPE_DOUBLE, points, choice++ % 5);
  int32_t *cluster = clusters_of(n, k);
  char name[160];
  snprintf(name, sizeof name, "%s, %lld %s points of %lld in %lld clusters",
           gpugeo_name(GPUGEO_ENUM_METRIC, metric), (long long)n, data_name(kind), (long long)m,
           (long long)k);
  compare(name, &x, metric, points, cluster);
  free(cluster);
  free((void *)x.data);
  free(values);
}

static void test_kinds(void) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_MANHATTAN,
                                          GPUGEO_METRIC_MAXIMUM, GPUGEO_METRIC_HAMMING,
                                          GPUGEO_METRIC_SEUCLIDEAN};
  for (size_t metric = 0; metric < sizeof metrics / sizeof *metrics; ++metric)
    test_kind(DATA_RANDOM, metrics[metric], 150, 4, 5);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_PEARSON, 150, 4, 5);
  for (int kind = 0; kind < DATA_KINDS; ++kind)
    test_kind((data_kind)kind, GPUGEO_METRIC_MANHATTAN, 130, 3, 4);
  static const int64_t sizes[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 129, 1023, 1025, 2100};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, sizes[s], 3, 3 < sizes[s] ? 3 : sizes[s]);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 700, 3, 1);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 700, 3, 60);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 40, 3, 40);
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 700, 3, 150);
}

static void check_file(const gpugeo_matrix *x, gpugeo_shape shape) {
  char path[300];
  snprintf(path, sizeof path, "%.200s/gpugeo-silhouette-%d.h5", temporary_root(), (int)shape);
  remove(path);
  gpugeo_dist_options options;
  gpugeo_dist_file_options file;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file_options_init(&file, sizeof file);
  options.run.backend = GPUGEO_BACKEND_CPU;
  file.file = path;
  file.shape = shape;
  file.side = 16;
  const gpugeo_point_source source = {.matrix = x};
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist_file_write(&source, &options, &file, NULL, &error) &&
            !gpugeo_dist_file_open(path, NULL, &opened, &info, &error),
        "%s", error.message);
  const gpugeo_distances points = {.x = x}, stored = {.file = opened};
  int32_t *cluster = clusters_of(x->nrow, 4);
  gpugeo_silhouette_options own;
  gpugeo_silhouette_options_init(&own, sizeof own);
  own.run.backend = GPUGEO_BACKEND_CPU;
  widths wanted = widths_make(x->nrow);
  CHECK(!gpugeo_silhouette(&points, cluster, x->nrow, &own, wanted.neighbor, wanted.width, NULL,
                           &error),
        "%s", error.message);
  compare_source("a file", &stored, cluster, &own, &wanted);
  own.run.work_bytes = 1 << 17;
  compare_source("a file in strips", &stored, cluster, &own, &wanted);
  widths_free(&wanted);
  free(cluster);
  gpugeo_dist_file_close(opened);
  remove(path);
}

static void test_file(void) {
  if (!*gpugeo_hdf5_version()) return; /* built without HDF5 */
  double *values = data_points(DATA_RANDOM, 300, 3, 5);
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 300, 3, 300, NULL};
  check_file(&x, GPUGEO_SHAPE_CONDENSED);
  check_file(&x, GPUGEO_SHAPE_FULL);
  free(values);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void expect_error(const double *condensed, int64_t n, const int32_t *cluster, int64_t length,
                         int64_t work_bytes, const char *message) {
  int32_t neighbor[8];
  double width[8];
  gpugeo_error error = {0};
  const gpugeo_distances x = {.condensed = condensed, .condensed_points = n};
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.run.work_bytes = work_bytes;
  CHECK(gpugeo_silhouette(&x, cluster, length, &options, neighbor, width, NULL, &error),
        "no error: %s", message);
  CHECK(strcmp(error.message, message) == 0, "%s", error.message);
}

static void test_arguments(void) {
  const double d[] = {1, 2, 3, 4, NAN, 6}, inf[] = {1, 2, INFINITY, NAN, 5, NAN};
  const int32_t good[] = {1, 2, 1, 2}, none[] = {1, 0, 1, 2}, large[] = {1, 2, 5, 2};
  expect_error(d, 4, good, 4, 0,
               "x must have finite distances only, but 1 of them is not; the first is missing, "
               "between points 2 and 4");
  expect_error(
      inf, 4, good, 4, 0,
      "x must have finite distances only, but 3 of them are not; the first is Inf, between "
      "points 1 and 4");
  expect_error(d, 4, good, 3, 0,
               "clusters must have a number for each of the 4 points, not 3 numbers");
  expect_error(d, 4, none, 4, 0,
               "clusters must be between 1 and 4, the number of points, but value 2 is 0");
  expect_error(d, 4, large, 4, 0,
               "clusters must be between 1 and 4, the number of points, but value 3 is 5");
  expect_error(
      d, 4, good, 4, 1000,
      "memory_limit must be at least 1168 bytes for the silhouettes of 2 clusters, not 1000");
}

/* Bad distances in several tiles are counted once, and the first one is named. */
static void test_bad(void) {
  enum { N = 300 };
  double *d = malloc(sizeof *d * N * (N - 1) / 2);
  int32_t *cluster = clusters_of(N, 4), neighbor[N];
  double width[N];
  for (int64_t e = 0; e < N * (N - 1) / 2; ++e)
    d[e] = e % 1000 == 999 ? NAN : 1 + (double)(e % 17);
  for (int t = 1; t <= 4; ++t) {
    gpugeo_error error = {0};
    const gpugeo_distances x = {.condensed = d, .condensed_points = N};
    gpugeo_silhouette_options options;
    gpugeo_silhouette_options_init(&options, sizeof options);
    options.run.threads = t;
    options.run.work_bytes = t % 2 ? 0 : 1 << 17;
    CHECK(gpugeo_silhouette(&x, cluster, N, &options, neighbor, width, NULL, &error) ==
              GPUGEO_ERROR_DATA,
          "no error on %d threads", t);
    CHECK(strcmp(error.message, "x must have finite distances only, but 44 of them are not; the "
                                "first is missing, between points 4 and 110") == 0,
          "%s", error.message);
  }
  free(d);
  free(cluster);
}

int main(void) {
  widest = gg_context_get()->simd;
  test_kinds();
  test_file();
  test_arguments();
  test_bad();
  return check_end();
}
