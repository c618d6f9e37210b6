/*
 * Sparse matrices: their distances, correlations, neighbours and tiles have the bits that the CPU
 * computes from the dense matrix, however the matrix is stored and whichever kernels and backend
 * compute it; damaged ones are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/cpu/tiles.h"
#include "gpugeo.h"
#include "null_backend.h"
#include "workers.h"

/* --- Data ------------------------------------------------------------------------------------- */

typedef enum special {
  PLAIN,
  NEGATIVE_ZEROS,
  MISSING,
  INFINITE,
  TINY,
  HUGE_VALUES,
  SPECIALS
} special;
static const char *const special_names[] = {"plain",    "negative zeros", "missing",
                                            "infinite", "tiny",           "huge"};

static double special_value(special kind, dice *d) {
  const double value = 3 * dice_real(d);
  const bool odd = dice_whole(d, 9) == 0;
  switch (kind) {
  case NEGATIVE_ZEROS:
    return odd ? -0.0 : value;
  case MISSING:
    return odd ? NAN : value;
  case INFINITE:
    return odd ? copysign(INFINITY, value) : value;
  case TINY:
    return odd ? 5e-324 : value * 1e-160;
  case HUGE_VALUES:
    return value * 1e200;
  default:
    return odd ? 1 : value;
  }
}

/* n points of m coordinates, row-major, of which the fraction `density` is not 0. */
static double *sparse_points(special kind, double density, int64_t n, int64_t m, uint64_t seed) {
  dice d = {seed * 2654435761u + 88172645463325252u};
  double *points = malloc((size_t)(n * m + 1) * sizeof *points);
  for (int64_t e = 0; e < n * m; ++e) {
    const bool there = dice_real(&d) < 2 * density - 1;
    points[e] = there ? special_value(kind, &d) : 0;
  }
  return points;
}

/* A dense matrix and two sparse copies of it. */
typedef struct matrices {
  gpugeo_matrix dense;
  data_sparse columns, rows; /* compressed by columns, by rows */
} matrices;

static void make_matrices(special kind, double density, int64_t n, int64_t m, gpugeo_points points,
                          uint64_t seed, matrices *made) {
  double *values = sparse_points(kind, density, n, m, seed);
  made->dense = data_matrix(values, n, m, GPUGEO_TYPE_DOUBLE, points, 0);
  data_sparse_make(&made->dense, 0, 4, 3, &made->columns);
  data_sparse_make(&made->dense, 1, 8, 0, &made->rows);
  free(values);
}

static void free_matrices(matrices *made) {
  free((void *)made->dense.data);
  data_sparse_free(&made->columns);
  data_sparse_free(&made->rows);
}

/* --- Distances -------------------------------------------------------------------------------- */

/* Compares a call with that of dense matrices: its status, message and bits. */
static void compare(const char *what, const gpugeo_matrix *x, const gpugeo_matrix *y,
                    const gpugeo_dist_options *options, gpugeo_type type, gpugeo_status wanted,
                    const gpugeo_error *wanted_error, const void *expected, void *out,
                    size_t bytes) {
  gpugeo_error error = {0};
  memset(out, 0x22, bytes);
  const gpugeo_status status = gpugeo_dist(x, y, options, type, out, NULL, &error);
  CHECK(status == wanted && strcmp(error.message, wanted_error->message) == 0,
        "%s: \"%s\", not \"%s\"", what, error.message, wanted_error->message);
  if (status || wanted) return;
  CHECK(memcmp(expected, out, bytes) == 0, "%s: other bits", what);
}

/* Asks with all storages, of x, of y and of both. */
static void ask_storages(const char *what, const matrices *x, const matrices *y,
                         const gpugeo_dist_options *options, gpugeo_type type) {
  gpugeo_dist_options dense = *options;
  dense.run.backend = GPUGEO_BACKEND_CPU;
  int64_t size = 0;
  gpugeo_error error = {0};
  if (gpugeo_dist_size(&x->dense, y ? &y->dense : NULL, options, type, &size, NULL)) return;
  const size_t bytes = (size_t)size * (type == GPUGEO_TYPE_FLOAT ? 4 : 8);
  char *expected = malloc(bytes + 1), *out = malloc(bytes + 1);
  memset(expected, 0x11, bytes);
  const gpugeo_status wanted =
      gpugeo_dist(&x->dense, y ? &y->dense : NULL, &dense, type, expected, NULL, &error);
  const gpugeo_matrix *const of_x[] = {&x->columns.matrix, &x->rows.matrix, &x->dense,
                                       &x->columns.matrix};
  for (int s = 0; s < (y ? 4 : 2); ++s) {
    const gpugeo_matrix *const of_y[] = {y ? &y->rows.matrix : NULL, y ? &y->columns.matrix : NULL,
                                         y ? &y->columns.matrix : NULL, y ? &y->dense : NULL};
    char name[200];
    snprintf(name, sizeof name, "%s, storage %d", what, s);
    compare(name, of_x[s], of_y[s], options, type, wanted, &error, expected, out, bytes);
  }
  free(expected);
  free(out);
}

/* Asks for one metric with kernels, threads, memory, precisions and instruction sets. */
static void ask_ways(const char *what, const matrices *x, const matrices *y,
                     gpugeo_dist_options options, gg_simd widest) {
  static const gg_marked_use uses[] = {GG_MARKED_AUTO, GG_MARKED_ALWAYS, GG_MARKED_NEVER};
  static int turn;
  for (int way = CHECK_SMALL ? turn++ % 4 : 0; way < 6 + (int)widest; way += CHECK_SMALL ? 4 : 1) {
    gg_set_simd(way < 6 ? widest : (gg_simd)(way - 6));
    gg_cpu_set_marked_use(way < 6 ? uses[way % 3] : GG_MARKED_ALWAYS);
    options.run.threads = way == 3 ? 3 : 1;
    options.run.work_bytes = way == 4 ? 40000 : 0;
    options.run.precision = way % 2 ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
    options.shape = GPUGEO_SHAPE_CONDENSED;
    char name[160];
    snprintf(name, sizeof name, "%s, way %d", what, way);
    const gpugeo_type type = way % 2 ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE;
    ask_storages(name, x, NULL, &options, type);
    options.shape = GPUGEO_SHAPE_FULL;
    if (way % 3 == 0 || way >= 6) ask_storages(name, x, y, &options, type);
  }
  gg_cpu_set_marked_use(GG_MARKED_AUTO);
  gg_set_simd(widest);
}

/* Asks CUDA, with all points on the device and with panels of them, in both precisions. */
static void ask_cuda(const char *what, const matrices *x, const matrices *y,
                     gpugeo_dist_options options) {
  options.run.backend = GPUGEO_BACKEND_CUDA;
  for (int way = 0; way < 4; ++way) {
    if (check_leaves_out(7)) continue;
    const bool single = way % 2 == 1;
    options.run.work_bytes = way / 2;
    options.run.precision = single ? GPUGEO_PRECISION_SINGLE : GPUGEO_PRECISION_DOUBLE;
    options.shape = way == 0 ? GPUGEO_SHAPE_CONDENSED : GPUGEO_SHAPE_FULL;
    char name[160];
    snprintf(name, sizeof name, "%s, CUDA, way %d", what, way);
    ask_storages(name, x, way == 0 ? NULL : y, &options,
                 single ? GPUGEO_TYPE_FLOAT : GPUGEO_TYPE_DOUBLE);
  }
}

static void test_metrics(const matrices *x, const matrices *y, gpugeo_points points,
                         const char *what, gg_simd widest, bool cpu, bool cuda) {
  static const double powers[] = {1.5, 3, 0.7};
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE + 2; ++metric) {
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    options.points = points;
    const bool more = metric >= GPUGEO_METRIC_GREAT_CIRCLE;
    options.metric.kind = more ? GPUGEO_METRIC_MINKOWSKI : (gpugeo_metric)metric;
    options.metric.p = powers[more ? metric - GPUGEO_METRIC_GREAT_CIRCLE + 1 : 0];
    char name[120];
    snprintf(name, sizeof name, "%s p %g, %s", gpugeo_name(GPUGEO_ENUM_METRIC, options.metric.kind),
             options.metric.p, what);
    if (cpu) ask_ways(name, x, y, options, widest);
    if (cuda) ask_cuda(name, x, y, options);
  }
}

static void test_distances(gg_simd widest, bool cuda) {
  static const double densities[] = {0, 0.01, 0.05, 0.5, 1};
  static const int64_t sizes[][3] = {
      {75, 37, 9}, {19, 17, 260}, {1, 3, 5}, {7, 5, 1}, {140, 3, 70}};
  for (size_t s = 0; s < (CHECK_SMALL ? 2 : sizeof sizes / sizeof *sizes); ++s)
    for (int d = 0; d < 5 + SPECIALS - 1; ++d) {
      const special kind = d < 5 ? PLAIN : (special)(d - 4);
      const double density = d < 5 ? densities[d] : 0.3;
      const gpugeo_points points = (int)s % 2 ? GPUGEO_POINTS_COLUMNS : GPUGEO_POINTS_ROWS;
      matrices x, y;
      make_matrices(kind, density, sizes[s][0], sizes[s][2], points, 3 + s, &x);
      make_matrices(kind, density, sizes[s][1], sizes[s][2], points, 77 + s, &y);
      char what[80];
      snprintf(what, sizeof what, "%s, density %g, %lld x %lld", special_names[kind], density,
               (long long)sizes[s][0], (long long)sizes[s][2]);
      test_metrics(&x, &y, points, what, widest, true, cuda && (d == 2 || d >= 5));
      free_matrices(&x);
      free_matrices(&y);
    }
}

/* On CUDA, points of several panels whose elements take several slots of pinned memory, on one
   thread and on several. */
static void test_cuda_panels(gg_simd widest) {
  for (int which = 0; which < 4; ++which) {
    const gpugeo_points points = which % 2 ? GPUGEO_POINTS_COLUMNS : GPUGEO_POINTS_ROWS;
    matrices x, y;
    make_matrices(PLAIN, 0.3, 400, 310, points, 41, &x);
    make_matrices(which < 2 ? PLAIN : MISSING, 0.3, 190, 310, points, 42, &y);
    set_workers(which == 3 ? 3 : 0);
    char what[80];
    snprintf(what, sizeof what, "panels %d", which);
    test_metrics(&x, &y, points, what, widest, false, true);
    free_matrices(&x);
    free_matrices(&y);
  }
  set_workers(0);
}

/* Whole numbers, patterns and floats. */
static void test_types(gpugeo_backend backend) {
  const int32_t start[] = {0, 2, 2, 3}, index[] = {0, 3, 1}, whole[] = {2, INT32_MIN, -1};
  const float real[] = {2, NAN, -1};
  const double dense_real[] = {2, 0, 0, NAN, 0, 0, 0, 0, 0, -1, 0, 0};
  const double dense_ones[] = {1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0};
  const gpugeo_sparse sparse = {start, index, 4, 0, 3};
  const gpugeo_matrix of[] = {{whole, GPUGEO_TYPE_INT32, 4, 3, 0, &sparse},
                              {real, GPUGEO_TYPE_FLOAT, 4, 3, 0, &sparse},
                              {NULL, GPUGEO_TYPE_DOUBLE, 4, 3, 0, &sparse}};
  for (int t = 0; t < 3; ++t) {
    const gpugeo_matrix dense = {
        t < 2 ? dense_real : dense_ones, GPUGEO_TYPE_DOUBLE, 4, 3, 4, NULL};
    double expected[6], out[6];
    gpugeo_error error = {0};
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    gpugeo_dist_options sparse_options = options;
    sparse_options.run.backend = backend;
    CHECK(!gpugeo_dist(&dense, NULL, &options, GPUGEO_TYPE_DOUBLE, expected, NULL, &error) &&
              !gpugeo_dist(&of[t], NULL, &sparse_options, GPUGEO_TYPE_DOUBLE, out, NULL, &error),
          "%s", error.message);
    CHECK(memcmp(expected, out, sizeof out) == 0, "type %d: other bits", t);
  }
}

/* --- Tiles, correlations, neighbours ---------------------------------------------------------- */

static void test_tiles(gpugeo_backend backend) {
  matrices x;
  make_matrices(PLAIN, 0.2, 41, 23, GPUGEO_POINTS_ROWS, 5, &x);
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) {
    gpugeo_dist_options options;
    gpugeo_dist_options_init(&options, sizeof options);
    options.run.backend = GPUGEO_BACKEND_CPU;
    options.metric.kind = (gpugeo_metric)metric;
    gpugeo_dist_options sparse_options = options;
    sparse_options.run.backend = backend;
    gpugeo_tiles tiles;
    gpugeo_tiles_plan(41, -1, 23, 16, 0, &tiles, NULL);
    const gpugeo_point_source dense = {.matrix = &x.dense}, sparse = {.matrix = &x.rows.matrix};
    for (int64_t t = 0; t < tiles.count; ++t) {
      if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(5)) continue;
      double expected[256] = {0}, out[256] = {0};
      gpugeo_error error = {0};
      gpugeo_status wanted = gpugeo_dist_tile(&dense, NULL, &options, NULL, 0, &tiles, t,
                                              GPUGEO_TYPE_DOUBLE, expected, NULL, NULL);
      gpugeo_status status = gpugeo_dist_tile(&sparse, NULL, &sparse_options, NULL, 0, &tiles, t,
                                              GPUGEO_TYPE_DOUBLE, out, NULL, &error);
      CHECK(status == wanted && memcmp(expected, out, sizeof out) == 0, "%s, tile %lld: %s",
            gpugeo_name(GPUGEO_ENUM_METRIC, metric), (long long)t, error.message);
    }
  }
  free_matrices(&x);
}

static void compare_correlations(const matrices *x, const matrices *y,
                                 const gpugeo_cor_options *options, gpugeo_backend backend,
                                 int64_t work_bytes, const char *what) {
  if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(7)) return;
  gpugeo_cor_options sparse_options = *options;
  sparse_options.run.backend = backend;
  sparse_options.run.work_bytes = work_bytes;
  double expected[30 * 30], out[30 * 30];
  gpugeo_report report = {0}, dense_report = {0};
  memset(expected, 0, sizeof expected);
  memset(out, 0, sizeof out);
  const gpugeo_status wanted = gpugeo_cor(&x->dense, y ? &y->dense : NULL, options,
                                          GPUGEO_TYPE_DOUBLE, expected, &dense_report, NULL);
  gpugeo_error error = {0};
  const gpugeo_status status =
      gpugeo_cor(&x->columns.matrix, y ? &y->rows.matrix : NULL, &sparse_options,
                 GPUGEO_TYPE_DOUBLE, out, &report, &error);
  CHECK(status == wanted && report.notes == dense_report.notes, "%s: \"%s\", notes %d", what,
        error.message, report.notes);
  if (!status) CHECK(memcmp(expected, out, sizeof out) == 0, "%s: other bits", what);
}

static void test_correlations(gpugeo_backend backend) {
  for (int kind = PLAIN; kind <= INFINITE; ++kind)
    for (int d = 0; d < 3; ++d) {
      const double density = d == 0 ? 0.05 : d == 1 ? 0.3 : 1;
      matrices x, y;
      make_matrices((special)kind, density, 30, 17, GPUGEO_POINTS_COLUMNS, 9, &x);
      make_matrices((special)kind, density, 11, 17, GPUGEO_POINTS_COLUMNS, 10, &y);
      for (int choice = 0; choice < 40; ++choice) {
        gpugeo_cor_options options;
        gpugeo_cor_options_init(&options, sizeof options);
        options.run.backend = GPUGEO_BACKEND_CPU;
        options.method = (gpugeo_cor_method)(choice % 2);
        options.use = (gpugeo_cor_use)(choice / 2 % 5);
        options.covariance = choice < 20 ? GPUGEO_COVARIANCE_NONE : GPUGEO_COVARIANCE_SAMPLE;
        if (choice >= 20 && options.use == GPUGEO_COR_USE_PAIRWISE && choice % 2) continue;
        char what[100];
        snprintf(what, sizeof what, "%s, density %g, method %d, use %d, y %d, covariance %d",
                 special_names[kind], density, choice % 2, choice / 2 % 5, choice / 10 % 2,
                 choice / 20);
        /* Pairs of columns that are ranked on their own rows are computed on the CPU, in panels of
           all columns, of seven, and of one. */
        const bool ranks = kind == MISSING && options.use == GPUGEO_COR_USE_PAIRWISE &&
                           options.method == GPUGEO_COR_METHOD_SPEARMAN;
        for (int panels = 0; panels < (ranks ? 3 : 1); ++panels)
          compare_correlations(&x, choice / 10 % 2 ? &y : NULL, &options,
                               ranks ? GPUGEO_BACKEND_AUTO : backend,
                               panels == 0   ? 0
                               : panels == 1 ? 40 * 17 * 7
                                             : 1,
                               what);
      }
      free_matrices(&x);
      free_matrices(&y);
    }
}

static void compare_neighbors(const matrices *x, const matrices *y,
                              const gpugeo_knn_options *options, gpugeo_backend backend,
                              int64_t work_bytes, const char *what) {
  if (backend == GPUGEO_BACKEND_CUDA && check_leaves_out(5)) return;
  gpugeo_knn_options sparse_options = *options;
  sparse_options.run.backend = backend;
  sparse_options.run.work_bytes = work_bytes;
  enum { ROOM = 2000 };
  int32_t index[ROOM] = {0}, expected_index[ROOM] = {0};
  double distance[ROOM] = {0}, expected[ROOM] = {0};
  gpugeo_error error = {0};
  const gpugeo_matrix *query = y ? &y->dense : NULL, *sparse_query = y ? &y->rows.matrix : NULL;
  gpugeo_status wanted =
      gpugeo_knn(&x->dense, query, options, expected_index, expected, NULL, NULL);
  gpugeo_status status =
      gpugeo_knn(&x->columns.matrix, sparse_query, &sparse_options, index, distance, NULL, &error);
  CHECK(status == wanted && memcmp(index, expected_index, sizeof index) == 0 &&
            memcmp(distance, expected, sizeof distance) == 0,
        "%s: other neighbours, \"%s\"", what, error.message);
  gpugeo_neighbors near = {0}, dense_near = {0};
  wanted = gpugeo_radius(&x->dense, query, options, &dense_near, NULL, NULL);
  status = gpugeo_radius(&x->columns.matrix, sparse_query, &sparse_options, &near, NULL, &error);
  if (CHECK(status == wanted &&
                (status || near.start[near.points] == dense_near.start[near.points]),
            "%s: other neighbours within a radius, \"%s\"", what, error.message) &&
      !status) {
    const size_t total = (size_t)near.start[near.points];
    CHECK(memcmp(near.index, dense_near.index, total * sizeof *near.index) == 0 &&
              memcmp(near.distance, dense_near.distance, total * sizeof *near.distance) == 0,
          "%s: other neighbours within a radius", what);
  }
  gpugeo_neighbors_free(&near);
  gpugeo_neighbors_free(&dense_near);
}

static void test_neighbors(gpugeo_backend backend) {
  for (int d = 0; d < 3; ++d)
    for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric)
      for (int way = 0; way < 4; ++way) {
        const int64_t m = way % 2 ? 3 : 90;
        matrices x, y;
        make_matrices(PLAIN, d == 0 ? 0.02 : d == 1 ? 0.2 : 1, 80, m, GPUGEO_POINTS_ROWS, 21, &x);
        make_matrices(PLAIN, d == 0 ? 0.02 : d == 1 ? 0.2 : 1, 33, m, GPUGEO_POINTS_ROWS, 22, &y);
        gpugeo_knn_options options;
        gpugeo_knn_options_init(&options, sizeof options);
        options.run.backend = GPUGEO_BACKEND_CPU;
        options.metric.kind = (gpugeo_metric)metric;
        options.metric.p = 3;
        options.k = 5;
        options.radius = 0.8;
        gg_trees_set_use(way == 3 ? GG_TREES_ALWAYS : GG_TREES_AUTO);
        char what[80];
        snprintf(what, sizeof what, "%s, %lld coordinates, density %d",
                 gpugeo_name(GPUGEO_ENUM_METRIC, metric), (long long)m, d);
        compare_neighbors(&x, way / 2 ? &y : NULL, &options, backend, 0, what);
        free_matrices(&x);
        free_matrices(&y);
      }
  gg_trees_set_use(GG_TREES_AUTO);
}

/* On CUDA, points that are expanded panel by panel, with little working memory. */
static void test_cuda_neighbor_panels(void) {
  for (int which = 0; which < 4; ++which)
    for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) {
      const gpugeo_points points = which % 2 ? GPUGEO_POINTS_COLUMNS : GPUGEO_POINTS_ROWS;
      const special kind = which < 2 ? PLAIN : MISSING;
      matrices x, y;
      make_matrices(kind, 0.2, 390, 70, points, 51, &x);
      make_matrices(kind, 0.2, 190, 70, points, 52, &y);
      gpugeo_knn_options options;
      gpugeo_knn_options_init(&options, sizeof options);
      options.run.backend = GPUGEO_BACKEND_CPU;
      options.points = points;
      options.metric.kind = (gpugeo_metric)metric;
      options.metric.p = 1.5;
      options.k = 5;
      options.radius = 0.8;
      char what[80];
      snprintf(what, sizeof what, "%s, panels %d", gpugeo_name(GPUGEO_ENUM_METRIC, metric), which);
      set_workers(which == 1 ? 3 : 0);
      compare_neighbors(&x, which % 2 ? NULL : &y, &options, GPUGEO_BACKEND_CUDA, 1, what);
      compare_neighbors(&x, which % 2 ? &y : NULL, &options, GPUGEO_BACKEND_CUDA, 1, what);
      free_matrices(&x);
      free_matrices(&y);
    }
  set_workers(0);
}

/* --- Damage ----------------------------------------------------------------------------------- */

static void expect_refused(const char *what, const gpugeo_matrix *x, const char *words) {
  double out[16];
  gpugeo_error error = {0};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_status status = gpugeo_dist(x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, "x") == 0 &&
            strstr(error.message, words),
        "%s: status %d, \"%s\"", what, status, error.message);
  gpugeo_cor_options cor;
  gpugeo_cor_options_init(&cor, sizeof cor);
  status = gpugeo_cor(x, NULL, &cor, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT, "%s: status %d of cor", what, status);
}

static void test_damage(void) {
  static const struct {
    const char *what, *words;
    int32_t start[4], index[3];
  } cases[] = {
      {"first start is not 0", "begin at increasing numbers", {1, 2, 2, 3}, {0, 3, 1}},
      {"negative start", "begin at increasing numbers", {0, -2, 2, 3}, {0, 3, 1}},
      {"decreasing starts", "begin at increasing numbers", {0, 2, 1, 3}, {0, 3, 1}},
      {"more than is stored", "from 0 to 3, but number 4 is 4", {0, 2, 2, 4}, {0, 3, 1}},
      {"far more", "begin at increasing numbers", {0, 2, 2, INT32_MAX}, {0, 3, 1}},
      {"negative index", "increasing row numbers", {0, 2, 2, 3}, {-1, 3, 1}},
      {"index beyond the rows", "below 4 in each column", {0, 2, 2, 3}, {0, 4, 1}},
      {"the same index twice", "number 3 follows 3", {0, 2, 2, 3}, {3, 3, 1}},
      {"decreasing indices", "in column 0 number 0 follows 3", {0, 2, 2, 3}, {3, 0, 1}},
  };
  const double data[] = {1, 2, 3};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const gpugeo_sparse sparse = {cases[c].start, cases[c].index, 4, 0, 3};
    const gpugeo_matrix x = {data, GPUGEO_TYPE_DOUBLE, 4, 3, 4, &sparse};
    expect_refused(cases[c].what, &x, cases[c].words);
    int64_t start[4], index[3];
    for (int i = 0; i < 4; ++i)
      start[i] = cases[c].start[i];
    for (int i = 0; i < 3; ++i)
      index[i] = cases[c].index[i];
    const gpugeo_sparse wide = {start, index, 8, 0, 3};
    const gpugeo_matrix x_wide = {data, GPUGEO_TYPE_DOUBLE, 4, 3, 4, &wide};
    expect_refused(cases[c].what, &x_wide, cases[c].words);
  }
  const int32_t start[] = {0, 2, 2, 3}, index[] = {0, 3, 1};
  const gpugeo_sparse good = {start, index, 4, 0, 3};
  gpugeo_sparse bad[] = {good, good, good, good};
  bad[0].index_bytes = 2;
  bad[1].start = NULL;
  bad[2].index = NULL;
  bad[3].stored = -1;
  for (int b = 0; b < 4; ++b) {
    const gpugeo_matrix x = {data, GPUGEO_TYPE_DOUBLE, 4, 3, 4, &bad[b]};
    expect_refused("bad struct", &x, "must be a sparse matrix with");
  }
  const gpugeo_matrix type = {data, (gpugeo_type)9, 4, 3, 4, &good};
  expect_refused("bad type", &type, "must be of type");
  const gpugeo_matrix size = {data, GPUGEO_TYPE_DOUBLE, -4, 3, 4, &good};
  expect_refused("negative size", &size, "sizes of at least 0");
  const gpugeo_matrix rows = {data, GPUGEO_TYPE_DOUBLE, ((int64_t)1 << 48) + 1, 3, 0, &good};
  expect_refused("too many rows", &rows, "at most 2^48 rows");
  const int64_t none[2] = {0, 0};
  const gpugeo_sparse one = {none, NULL, 8, 0, 0};
  const gpugeo_matrix column = {NULL, GPUGEO_TYPE_DOUBLE, INT64_MAX, 1, 0, &one};
  expect_refused("one long column", &column,
                 "2^56 elements, stored or not, not 9223372036854775807");
  const gpugeo_matrix elements = {data, GPUGEO_TYPE_DOUBLE, (int64_t)1 << 55, 3, 0, &good};
  expect_refused("too many elements", &elements, "2^56 elements");
}

/* Families that take no sparse matrices, and backends. */
static void test_refused(void) {
  const int32_t start[] = {0, 2, 3}, index[] = {0, 3, 1};
  const double data[] = {1, 2, 3};
  const gpugeo_sparse sparse = {start, index, 4, 0, 3};
  const gpugeo_matrix x = {data, GPUGEO_TYPE_DOUBLE, 4, 2, 4, &sparse};
  gpugeo_closest_options closest;
  gpugeo_closest_options_init(&closest, sizeof closest);
  int64_t size;
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_closest_pair_size(&x, NULL, &closest, &size, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "x must be a numeric matrix, not a sparse matrix") == 0,
        "\"%s\"", error.message);
  gg_backend_add(&null_backend);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.backend = null_backend.id;
  double out[6];
  status = gpugeo_dist(&x, NULL, &options, GPUGEO_TYPE_DOUBLE, out, NULL, &error);
  CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, "backend") == 0 &&
            strstr(error.message, "for sparse matrices, not"),
        "\"%s\"", error.message);
}

/* --- The choice of a backend ------------------------------------------------------------------ */

static int64_t free_bytes; /* of the one device of the quick backend */

static int32_t one_device(void) { return 1; }
static int32_t first_device(void) { return 0; }
static int32_t one_worker(int32_t device) {
  (void)device;
  return 1;
}
static gpugeo_status get_device(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  (void)device, (void)error;
  *info = (gpugeo_device){.name = "quick", .free_bytes = free_bytes};
  return GPUGEO_OK;
}

/* Returns the backend that AUTO takes for 300 points of 2,000 coordinates on one thread. */
static gpugeo_backend chosen_backend(double density, gpugeo_metric metric) {
  matrices x;
  make_matrices(PLAIN, density, 300, 2000, GPUGEO_POINTS_ROWS, 61, &x);
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.run.threads = 1;
  double *out = malloc(300 * 299 / 2 * sizeof *out);
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist(&x.rows.matrix, NULL, &options, GPUGEO_TYPE_DOUBLE, out, &report, &error),
        "%s", error.message);
  free(out);
  free_matrices(&x);
  return report.backend;
}

/* The CPU is chosen if it leaves out nearly all of the work, or if the points do not fit into the
   device's memory. A quick backend replaces CUDA's. */
static void test_choice(void) {
  const gg_backend *cuda = gg_backend_of(GPUGEO_BACKEND_CUDA);
  static gg_backend quick;
  quick = null_backend;
  quick.id = GPUGEO_BACKEND_CUDA;
  quick.can.sparse = quick.can.automatic = quick.can.devices = true;
  quick.can.bytes_per_second = 40e9;
  quick.can.work_per_second = 2e11;
  quick.can.spread_seconds = 1;
  quick.device_count = one_device;
  quick.device_default = first_device;
  quick.workers = one_worker;
  quick.device_get = get_device;
  gg_backend_add(&quick);
  static const struct {
    double density;
    gpugeo_metric metric;
    int64_t free_bytes;
    bool cpu;
  } cases[] = {{0.05, GPUGEO_METRIC_EUCLIDEAN, 1 << 30, false},
               {0.0005, GPUGEO_METRIC_EUCLIDEAN, 1 << 30, true},
               {0.0005, GPUGEO_METRIC_PEARSON, 1 << 30, false},
               {0.05, GPUGEO_METRIC_EUCLIDEAN, 1 << 20, true}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    free_bytes = cases[c].free_bytes;
    const gpugeo_backend taken = chosen_backend(cases[c].density, cases[c].metric);
    CHECK(taken == (cases[c].cpu ? GPUGEO_BACKEND_CPU : GPUGEO_BACKEND_CUDA), "case %d: backend %d",
          (int)c, (int)taken);
  }
  gg_backend_add(cuda);
}

int main(void) {
  const gg_simd widest = gg_context_get()->simd;
  gpugeo_error error;
  const bool cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!cuda) check_skip(1, "CUDA: %s", error.message);
  test_distances(widest, cuda);
  if (cuda) test_cuda_panels(widest);
  if (cuda) test_cuda_neighbor_panels();
  for (int b = 0; b < 1 + (int)cuda; ++b) {
    const gpugeo_backend backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
    test_types(backend);
    test_tiles(backend);
    test_correlations(backend);
    test_neighbors(backend);
  }
  test_damage();
  test_refused();
  test_choice();
  return check_end();
}
