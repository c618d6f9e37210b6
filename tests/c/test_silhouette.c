/* Silhouettes against the loop over all pairs, bit by bit: from points, condensed distances and a
   file, on any number of threads, with any instructions and in strips of any size; and those of
   CUDA against the CPU's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
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
  CHECK(!gpugeo_distances_points(x, options->points, &size, &error) && size == wanted->n,
        "%s: %lld points", name, (long long)size);
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
  expect_error(d, 4, NULL, 4, 0, "clusters must have a number for each of the 4 points, not NULL");
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

/* --- On a device ------------------------------------------------------------------------------ */

/* What the CPU and CUDA make of distances. */
typedef struct both_widths {
  widths of[2];
  gpugeo_status status[2];
  gpugeo_error error[2];
  gpugeo_report report; /* CUDA's */
} both_widths;

static both_widths both_find(const gpugeo_distances *x, const int32_t *cluster, int64_t n,
                             gpugeo_silhouette_options options) {
  both_widths both = {.status = {GPUGEO_OK}};
  for (int b = 0; b < 2; ++b) {
    both.of[b] = widths_make(n);
    options.run.backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
    both.status[b] = gpugeo_silhouette(x, cluster, n, &options, both.of[b].neighbor,
                                       both.of[b].width, &both.report, &both.error[b]);
  }
  return both;
}

static void both_free(both_widths *both) {
  widths_free(&both->of[0]);
  widths_free(&both->of[1]);
}

/* Checks that the results are the same. */
static void compare_both(const char *name, const gpugeo_distances *x, const int32_t *cluster,
                         int64_t n, const gpugeo_silhouette_options *options) {
  both_widths both = both_find(x, cluster, n, *options);
  if (CHECK(!both.status[0] && !both.status[1], "%s: %s, %s", name, both.error[0].message,
            both.error[1].message)) {
    CHECK(widths_are_same(&both.of[0], &both.of[1]), "%s: CUDA's results differ", name);
    CHECK(both.report.backend == GPUGEO_BACKEND_CUDA && both.report.device >= 0 &&
              both.report.device_seconds > 0,
          "%s: backend %d, device %d", name, (int)both.report.backend, (int)both.report.device);
  }
  both_free(&both);
}

static gpugeo_silhouette_options device_options(gpugeo_metric metric, gpugeo_precision precision) {
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.metric.p = 3; /* Minkowski's */
  options.run.precision = precision;
  return options;
}

/* Compares n random points of m coordinates, in blocks of two sizes. */
static void compare_points(gpugeo_metric metric, gpugeo_precision precision, int64_t n, int64_t m,
                           const int32_t *cluster, const char *kind) {
  static int turn;
  char name[200];
  gpugeo_silhouette_options options = device_options(metric, precision);
  options.points = (gpugeo_points)(turn++ % 2);
  double *values = data_points(DATA_RANDOM, n, m, 17);
  for (int64_t e = 0; e < n * m; ++e)
    values[e] = fabs(values[e]); /* for Bray and Curtis */
  const gpugeo_matrix matrix = data_matrix(values, n, m, GPUGEO_TYPE_DOUBLE, options.points, 1);
  const gpugeo_distances x = {.x = &matrix};
  for (int64_t bytes = 0; bytes <= 1 << 22; bytes += 1 << 22) {
    if (check_leaves_out(3)) continue;
    options.run.work_bytes = bytes;
    snprintf(name, sizeof name, "%s, precision %d, %lld points of %lld, %s, %lld bytes",
             gpugeo_name(GPUGEO_ENUM_METRIC, metric), (int)precision, (long long)n, (long long)m,
             kind, (long long)bytes);
    compare_both(name, &x, cluster, n, &options);
  }
  free((void *)matrix.data);
  free(values);
}

static void test_device_metrics(void) {
  static const gpugeo_metric metrics[] = {
      GPUGEO_METRIC_EUCLIDEAN,  GPUGEO_METRIC_SQEUCLIDEAN, GPUGEO_METRIC_SEUCLIDEAN,
      GPUGEO_METRIC_MANHATTAN,  GPUGEO_METRIC_MAXIMUM,     GPUGEO_METRIC_CANBERRA,
      GPUGEO_METRIC_BRAYCURTIS, GPUGEO_METRIC_HAMMING,     GPUGEO_METRIC_COSINE,
      GPUGEO_METRIC_PEARSON,    GPUGEO_METRIC_SPEARMAN,    GPUGEO_METRIC_MAHALANOBIS,
      GPUGEO_METRIC_MINKOWSKI};
  enum { N = 700 };
  int32_t *cluster = clusters_of(N, 5);
  for (size_t k = 0; k < sizeof metrics / sizeof *metrics; ++k)
    for (int precision = 0; precision < 2; ++precision)
      compare_points(metrics[k], (gpugeo_precision)precision, N, 6, cluster, "5 clusters");
  free(cluster);
}

static void test_device_sizes(void) {
  static const int64_t sizes[] = {1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 3001, 4500};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 2 : 0); ++s) {
    const int64_t n = sizes[s], counts[] = {1, 2, 17, n};
    for (int k = 0; k < 4; ++k) {
      if (counts[k] > n || (k == 3 && n > 3001)) continue;
      int32_t *cluster = clusters_of(n, counts[k]);
      char kind[80];
      snprintf(kind, sizeof kind, "%lld clusters", (long long)counts[k]);
      compare_points(GPUGEO_METRIC_EUCLIDEAN, GPUGEO_PRECISION_DOUBLE, n, 3, cluster, kind);
      compare_points(GPUGEO_METRIC_PEARSON, GPUGEO_PRECISION_SINGLE, n, 50, cluster, kind);
      free(cluster);
    }
  }
  const int32_t most = CHECK_SMALL ? 1001 : 3001;
  int32_t *cluster = clusters_of(most, 4);
  for (int i = 0; i < most; ++i)
    cluster[i] *= most / 4 - 50; /* most clusters have no points */
  cluster[5] = most;
  cluster[most - 2] = 1;
  compare_points(GPUGEO_METRIC_MANHATTAN, GPUGEO_PRECISION_DOUBLE, most, 3, cluster,
                 "clusters without points");
  free(cluster);
}

/* Distances of 0, tied and of any size. */
static void test_device_kinds(void) {
  enum { N = 500 };
  static const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR,
                                    DATA_DENORMAL};
  int32_t *cluster = clusters_of(N, 4);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (int power = -500; power <= 500; power += 250) {
      double *values = data_points(kinds[k], N, 3, 21);
      for (int e = 0; e < 3 * N; ++e)
        values[e] = ldexp(values[e], power);
      const gpugeo_matrix matrix = {values, GPUGEO_TYPE_DOUBLE, 3, N, 3, NULL};
      const gpugeo_distances x = {.x = &matrix};
      gpugeo_silhouette_options options =
          device_options(GPUGEO_METRIC_EUCLIDEAN, GPUGEO_PRECISION_DOUBLE);
      options.points = GPUGEO_POINTS_COLUMNS;
      char name[80];
      snprintf(name, sizeof name, "%s points times 2^%d", data_name(kinds[k]), power);
      compare_both(name, &x, cluster, N, &options);
      free(values);
    }
  free(cluster);
}

static void test_device_sparse(void) {
  enum { N = 900, M = 9 };
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_MANHATTAN,
                                          GPUGEO_METRIC_COSINE};
  int32_t *cluster = clusters_of(N, 7);
  double *values = data_points(DATA_COUNTS, N, M, 3);
  for (int i = 0; i < N; ++i)
    values[i * M + i % M] += 1; /* a point of zeros has no cosine */
  const gpugeo_matrix dense = {values, GPUGEO_TYPE_DOUBLE, M, N, M, NULL};
  data_sparse sparse;
  data_sparse_make(&dense, 0, 4, 3, &sparse);
  const gpugeo_distances x = {.x = &sparse.matrix};
  for (int k = 0; k < 3; ++k) {
    gpugeo_silhouette_options options = device_options(metrics[k], GPUGEO_PRECISION_DOUBLE);
    options.points = GPUGEO_POINTS_COLUMNS;
    compare_both("sparse points", &x, cluster, N, &options);
  }
  data_sparse_free(&sparse);
  free(values);
  free(cluster);
}

/* Correlations depend on the order of two points if values are missing: they are left to the host.
 */
static void test_device_missing(void) {
  enum { N = 900, M = 9 };
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_CANBERRA,
                                          GPUGEO_METRIC_COSINE, GPUGEO_METRIC_PEARSON};
  int32_t *cluster = clusters_of(N, 7);
  double *values = data_points(DATA_RANDOM, N, M, 3);
  for (int i = 0; i < N; i += 3)
    values[i * M + i % 2] = NAN;
  const gpugeo_matrix matrix = {values, GPUGEO_TYPE_DOUBLE, M, N, M, NULL};
  const gpugeo_distances x = {.x = &matrix};
  for (int k = 0; k < 4; ++k) {
    gpugeo_silhouette_options options = device_options(metrics[k], GPUGEO_PRECISION_DOUBLE);
    options.points = GPUGEO_POINTS_COLUMNS;
    compare_both("missing values", &x, cluster, N, &options);
  }
  free(values);
  free(cluster);
}

/* Distances that stay on the device. */
static void test_device_resident(gpugeo_precision precision) {
  const int64_t n = CHECK_SMALL ? 700 : 2500;
  double *values = data_points(DATA_RANDOM, n, 4, 8);
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 4, n, 4, NULL};
  int32_t *cluster = clusters_of(n, 9);
  gpugeo_dist_options made;
  gpugeo_dist_options_init(&made, sizeof made);
  made.points = GPUGEO_POINTS_COLUMNS;
  made.run.backend = GPUGEO_BACKEND_CUDA;
  made.run.precision = precision;
  gpugeo_dist_device *device = NULL;
  gpugeo_error error = {0};
  if (CHECK(!gpugeo_dist_device_make(&x, &made, &device, NULL, &error), "%s", error.message)) {
    gpugeo_silhouette_options options =
        device_options(GPUGEO_METRIC_EUCLIDEAN, GPUGEO_PRECISION_DOUBLE);
    const gpugeo_distances resident = {.device = device};
    compare_both("on the device", &resident, cluster, n, &options);
    options.run.work_bytes = 1 << 20;
    compare_both("on the device, small blocks", &resident, cluster, n, &options);
    options.run.backend = GPUGEO_BACKEND_CUDA;
    options.run.work_bytes = 0;
    widths wanted = widths_make(n), found = widths_make(n);
    const gpugeo_distances points = {.x = &x};
    options.points = GPUGEO_POINTS_COLUMNS;
    gpugeo_status status = gpugeo_silhouette(&resident, cluster, n, &options, found.neighbor,
                                             found.width, NULL, &error);
    options.run.precision = precision;
    if (!status)
      status = gpugeo_silhouette(&points, cluster, n, &options, wanted.neighbor, wanted.width, NULL,
                                 &error);
    CHECK(!status && widths_are_same(&wanted, &found), "precision %d: %s", (int)precision,
          error.message);
    widths_free(&wanted);
    widths_free(&found);
  }
  gpugeo_dist_device_free(device);
  free(cluster);
  free(values);
}

/* Sums that overflow are computed again, and bad distances are the CPU's error. */
static void test_device_extremes(void) {
  enum { N = 600 };
  double *values = data_points(DATA_RANDOM, N, 2, 4);
  const gpugeo_matrix matrix = {values, GPUGEO_TYPE_DOUBLE, 2, N, 2, NULL};
  const gpugeo_distances x = {.x = &matrix};
  int32_t *cluster = clusters_of(N, 3);
  gpugeo_silhouette_options options =
      device_options(GPUGEO_METRIC_MANHATTAN, GPUGEO_PRECISION_DOUBLE);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run.work_bytes = 1 << 20;
  for (int e = 0; e < 2 * N; ++e)
    values[e] *= 2e307;
  compare_both("sums that overflow", &x, cluster, N, &options);
  const double bad[] = {NAN, INFINITY, 1.5e308};
  for (int b = 0; b < 3; ++b)
    for (int metric = 0; metric < 2; ++metric) {
      const double before[] = {values[2 * 70], values[2 * 70 + 1], values[2 * 500]};
      options.metric.kind = metric ? GPUGEO_METRIC_EUCLIDEAN : GPUGEO_METRIC_MANHATTAN;
      values[2 * 70] = values[2 * 70 + 1] = bad[b];
      values[2 * 500] = -bad[b];
      both_widths both = both_find(&x, cluster, N, options);
      CHECK(both.status[0] == GPUGEO_ERROR_DATA && both.status[1] == GPUGEO_ERROR_DATA &&
                strcmp(both.error[0].message, both.error[1].message) == 0,
            "%g, metric %d: \"%s\", \"%s\"", bad[b], metric, both.error[0].message,
            both.error[1].message);
      both_free(&both);
      values[2 * 70] = before[0];
      values[2 * 70 + 1] = before[1];
      values[2 * 500] = before[2];
    }
  free(cluster);
  free(values);
}

/* Stops at the poll that the counter comes to. */
static int stop(void *polls) { return --*(int *)polls < 0; }

static void test_device_stop(void) {
  enum { N = 3000 };
  double *values = data_points(DATA_RANDOM, N, 3, 6);
  const gpugeo_matrix matrix = {values, GPUGEO_TYPE_DOUBLE, 3, N, 3, NULL};
  const gpugeo_distances x = {.x = &matrix};
  int32_t *cluster = clusters_of(N, 3);
  widths w = widths_make(N);
  gpugeo_silhouette_options options =
      device_options(GPUGEO_METRIC_EUCLIDEAN, GPUGEO_PRECISION_DOUBLE);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  options.run.interrupt = stop;
  gg_clock_set_polls(1);
  for (int before = 0; before < 4; ++before) {
    int polls = before;
    gpugeo_error error = {0};
    options.run.hook_data = &polls;
    CHECK(gpugeo_silhouette(&x, cluster, N, &options, w.neighbor, w.width, NULL, &error) ==
              GPUGEO_ERROR_INTERRUPT,
          "not stopped after %d polls", before);
  }
  gg_clock_set_polls(0);
  widths_free(&w);
  free(cluster);
  free(values);
}

static void test_device(void) {
  gpugeo_error error = {0};
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), its silhouettes are not compared", error.message);
    return;
  }
  test_device_metrics();
  test_device_sizes();
  test_device_kinds();
  test_device_sparse();
  test_device_missing();
  test_device_resident(GPUGEO_PRECISION_DOUBLE);
  test_device_resident(GPUGEO_PRECISION_SINGLE);
  test_device_extremes();
  test_device_stop();
}

int main(void) {
  widest = gg_context_get()->simd;
  test_kinds();
  test_file();
  test_arguments();
  test_bad();
  test_device();
  return check_end();
}
