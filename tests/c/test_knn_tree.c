/* Neighbours by trees against those by all pairs: the same neighbours in the same order with the
   same bits, whatever the points, the metric, the threads and the vector instructions; and the work
   of a tree, which must not grow with the number of pairs. */
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
#include "workers.h"

static gg_simd widest;

/* --- The same bits ---------------------------------------------------------------------------- */

typedef struct nearest {
  int64_t size;
  int32_t *index;
  double *distance;
} nearest;

static nearest find_nearest(gg_tree_use use, const gpugeo_matrix *x, const gpugeo_matrix *query,
                            const gpugeo_knn_options *options, const char *name) {
  nearest found = {0};
  gpugeo_error error;
  gpugeo_status status = gpugeo_knn_size(x, query, options, &found.size, &error);
  found.index = malloc((size_t)found.size * sizeof *found.index + 1);
  found.distance = malloc((size_t)found.size * sizeof *found.distance + 1);
  gg_trees_set_use(use);
  if (!status) status = gpugeo_knn(x, query, options, found.index, found.distance, NULL, &error);
  CHECK(!status, "%s: %s", name, error.message);
  gg_trees_set_use(GG_TREES_AUTO);
  return found;
}

static int has_cuda; /* 1 or 0 */

/* Returns the options with a backend. */
static gpugeo_knn_options on(gpugeo_backend backend, const gpugeo_knn_options *options) {
  gpugeo_knn_options taken = *options;
  taken.run.backend = backend;
  return taken;
}

static void free_nearest(nearest *found) {
  free(found->index);
  free(found->distance);
}

/* Checks that trees of a backend find what a search of all pairs on the CPU has found. */
static void check_nearest(const char *name, const nearest *all, const nearest *tree, int64_t k) {
  const size_t size = (size_t)all->size;
  CHECK(all->size == tree->size && !memcmp(all->index, tree->index, size * sizeof *all->index),
        "%s, k = %lld: the indices differ", name, (long long)k);
  CHECK(all->size == tree->size &&
            !memcmp(all->distance, tree->distance, size * sizeof *all->distance),
        "%s, k = %lld: the distances differ", name, (long long)k);
}

static void compare_nearest(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                            const gpugeo_knn_options *options) {
  const gpugeo_knn_options cpu = on(GPUGEO_BACKEND_CPU, options);
  nearest all = find_nearest(GG_TREES_NEVER, x, query, &cpu, name);
  for (int b = 0; b <= has_cuda; ++b) {
    if (b && check_leaves_out(5)) continue;
    const gpugeo_knn_options taken = b ? on(GPUGEO_BACKEND_CUDA, options) : cpu;
    char what[200];
    snprintf(what, sizeof what, "%s, %s", name, b ? "CUDA" : "CPU");
    nearest tree = find_nearest(GG_TREES_ALWAYS, x, query, &taken, what);
    check_nearest(what, &all, &tree, options->k);
    free_nearest(&tree);
  }
  free_nearest(&all);
}

static gpugeo_neighbors find_near(gg_tree_use use, const gpugeo_matrix *x,
                                  const gpugeo_matrix *query, const gpugeo_knn_options *options,
                                  const char *name) {
  gpugeo_neighbors found = {0};
  gpugeo_error error;
  gg_trees_set_use(use);
  const gpugeo_status status = gpugeo_radius(x, query, options, &found, NULL, &error);
  gg_trees_set_use(GG_TREES_AUTO);
  CHECK(!status, "%s: %s", name, error.message);
  return found;
}

/* Checks that trees of a backend find what a search of all pairs on the CPU has found. */
static void check_near(const char *name, const gpugeo_neighbors *all,
                       const gpugeo_neighbors *tree) {
  const size_t starts = (size_t)(all->points + 1) * sizeof *all->start;
  if (!CHECK(all->start && all->points == tree->points && !memcmp(all->start, tree->start, starts),
             "%s: the numbers differ", name))
    return;
  const size_t total = (size_t)all->start[all->points];
  CHECK(!memcmp(all->index, tree->index, total * sizeof *all->index) &&
            !memcmp(all->distance, tree->distance, total * sizeof *all->distance),
        "%s: the neighbours differ", name);
}

static void compare_near(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                         const gpugeo_knn_options *options) {
  const gpugeo_knn_options cpu = on(GPUGEO_BACKEND_CPU, options);
  gpugeo_neighbors all = find_near(GG_TREES_NEVER, x, query, &cpu, name);
  for (int b = 0; b <= has_cuda; ++b) {
    if (b && check_leaves_out(5)) continue;
    const gpugeo_knn_options taken = b ? on(GPUGEO_BACKEND_CUDA, options) : cpu;
    char what[200];
    snprintf(what, sizeof what, "%s, %s, radius %g", name, b ? "CUDA" : "CPU", options->radius);
    gpugeo_neighbors tree = find_near(GG_TREES_ALWAYS, x, query, &taken, what);
    check_near(what, &all, &tree);
    gpugeo_neighbors_free(&tree);
  }
  gpugeo_neighbors_free(&all);
}

/* Compares for several k, and for radii that some distances equal. */
static void compare(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                    gpugeo_knn_options options) {
  static int turn;
  static const int32_t threads[] = {1, 2, 7};
  const bool rows = options.points == GPUGEO_POINTS_ROWS;
  const int64_t n = rows ? x->nrow : x->ncol, most = n - (query ? 0 : 1);
  const int64_t ks[] = {1, 5, GG_KD_RANKED, GG_KD_RANKED + 1, most};
  options.run.threads = threads[turn % 3];
  options.run.backend = GPUGEO_BACKEND_CPU;
  gg_set_simd((gg_simd)(turn++ % ((int)widest + 1)));
  for (size_t i = 0; i < sizeof ks / sizeof *ks; ++i) {
    if (CHECK_SMALL && (i + (size_t)turn) % 4) continue;
    options.k = ks[i] < most ? ks[i] : most;
    compare_nearest(name, x, query, &options);
  }
  options.k = most < 7 ? most : 7;
  nearest some = find_nearest(GG_TREES_NEVER, x, query, &options, name);
  const double radii[] = {0, some.distance[some.size / 2], some.distance[some.size - 1], INFINITY};
  for (size_t i = 0; i < sizeof radii / sizeof *radii; ++i) {
    if (CHECK_SMALL && (i + (size_t)turn) % 4) continue;
    options.radius = radii[i] >= 0 ? radii[i] : 1;
    compare_near(name, x, query, &options);
  }
  gg_set_simd(widest);
  free(some.index);
  free(some.distance);
}

typedef struct metric_case {
  gpugeo_metric metric;
  double p;
} metric_case;

static const metric_case metrics[] = {
    {GPUGEO_METRIC_EUCLIDEAN, 2},   {GPUGEO_METRIC_SQEUCLIDEAN, 2},
    {GPUGEO_METRIC_MANHATTAN, 2},   {GPUGEO_METRIC_MAXIMUM, 2},
    {GPUGEO_METRIC_SEUCLIDEAN, 2},  {GPUGEO_METRIC_MAHALANOBIS, 2},
    {GPUGEO_METRIC_MINKOWSKI, 1.5}, {GPUGEO_METRIC_MINKOWSKI, 3.3},
    {GPUGEO_METRIC_MINKOWSKI, 0.7}, {GPUGEO_METRIC_MINKOWSKI, 0.01},
    {GPUGEO_METRIC_MINKOWSKI, 900}, {GPUGEO_METRIC_MINKOWSKI, INFINITY}};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Metrics that take their parameters from x want what has a covariance. */
static bool has_scale(data_kind kind) {
  return kind == DATA_RANDOM || kind == DATA_TIED || kind == DATA_NEAR;
}

static void test_kind(data_kind kind, metric_case metric, int64_t n, int64_t m) {
  const bool scaled =
      metric.metric == GPUGEO_METRIC_SEUCLIDEAN || metric.metric == GPUGEO_METRIC_MAHALANOBIS;
  if (scaled && (!has_scale(kind) || n < 3 * m)) return;
  static int choice;
  const gpugeo_type types[] = {GPUGEO_TYPE_DOUBLE, GPUGEO_TYPE_FLOAT, GPUGEO_TYPE_INT32};
  const int64_t others = n / 3 + 1;
  double *points = data_points(kind, n, m, 31), *more = data_points(kind, others, m, 32);
  const gpugeo_type type = types[choice % 3];
  const bool fits = data_fits(kind, type) && kind != DATA_NEAR; /* as floats they are equal */
  const gpugeo_type stored = fits ? type : GPUGEO_TYPE_DOUBLE;
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.kind = metric.metric;
  options.metric.p = metric.p;
  options.missing = choice % 2 ? NAN : -7;
  options.points = (gpugeo_points)(choice % 2);
  gpugeo_matrix x = data_matrix(points, n, m, stored, options.points, choice % 5);
  gpugeo_matrix query = data_matrix(more, others, m, stored, options.points, 1);
  char name[160];
  snprintf(name, sizeof name, "%s, p %g, %lld %s points of %lld, storage %d",
           gpugeo_name(GPUGEO_ENUM_METRIC, metric.metric), metric.p, (long long)n, data_name(kind),
           (long long)m, stored);
  compare(name, &x, choice++ % 4 == 3 ? &query : NULL, options);
  free((void *)x.data);
  free((void *)query.data);
  free(points);
  free(more);
}

static void test_kinds(void) {
  for (int metric = 0; metric < METRICS; ++metric)
    for (int kind = 0; kind < DATA_KINDS; ++kind) {
      test_kind((data_kind)kind, metrics[metric], 150, 2);
      test_kind((data_kind)kind, metrics[metric], 70, 5);
    }
}

/* The fewest points, whole leaves, whole nodes, and one point more or less. */
static void test_sizes(void) {
  static const int64_t sizes[] = {2,   3,   15,  16,  17,   32,   33,  127,
                                  128, 129, 144, 145, 1024, 1025, 1300};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    test_kind(DATA_RANDOM, metrics[0], sizes[s], 3);
    test_kind(DATA_TIED, metrics[2], sizes[s], 2);
    test_kind(DATA_MISSING, metrics[0], sizes[s], 2);
    test_kind(DATA_INFINITE, metrics[3], sizes[s], 1);
  }
  for (int64_t m = 1; m <= 10; ++m) {
    test_kind(DATA_RANDOM, metrics[m % METRICS], 400, m);
    test_kind(DATA_TIED, metrics[0], 400, m);
    test_kind(DATA_NEAR, metrics[m % 4], 400, m);
  }
  test_kind(DATA_RANDOM, metrics[0], 200, GG_KD_MOST_COORDINATES);
  test_kind(DATA_RANDOM, metrics[0], 40, GG_KD_MOST_COORDINATES + 1);
}

/* --- Made-up points in few dimensions --------------------------------------------------------- */

typedef enum shape {
  SHAPE_UNIFORM,
  SHAPE_CLUSTERS,     /* of very different sizes, in order */
  SHAPE_LINE,         /* on a line that is not along an axis, in order */
  SHAPE_AXIS,         /* all but the first coordinate are equal */
  SHAPE_ONE,          /* all points are equal */
  SHAPE_TWO,          /* at two locations */
  SHAPE_LATTICE,      /* whole numbers, several points at each */
  SHAPE_OFFSET,       /* 1e8 and a little */
  SHAPE_EXTENT,       /* within 1e8, most of them within 1 */
  SHAPE_GEOMETRIC,    /* each nearer to 0 by a factor */
  SHAPE_SOME_MISSING, /* some coordinates are NaN or infinite */
  SHAPES
} shape;

static double shape_value(shape shape, int64_t i, int64_t n, int64_t k, dice *d) {
  const double uniform = dice_real(d);
  switch (shape) {
  case SHAPE_CLUSTERS:
    return (double)(i * 20 / n * (k + 7) % 13) + pow(10, -(double)(i * 20 / n % 9)) * uniform;
  case SHAPE_LINE:
    return (double)i * (double)(k + 1) / (double)n;
  case SHAPE_AXIS:
    return k > 0 ? 3 : uniform;
  case SHAPE_ONE:
    return 0.1;
  case SHAPE_TWO:
    return (double)(i % 2);
  case SHAPE_LATTICE:
    return floor(5 * uniform);
  case SHAPE_OFFSET:
    return 1e8 + uniform;
  case SHAPE_EXTENT:
    return i % 100 == 0 ? 1e8 * uniform : uniform;
  case SHAPE_GEOMETRIC:
    return pow(0.999, (double)i) * (k > 0 ? uniform : 1);
  case SHAPE_SOME_MISSING:
    return (i + k) % 97 == 5 ? NAN : (i + 2 * k) % 101 == 7 ? INFINITY : uniform;
  default:
    return uniform;
  }
}

static double *shape_points(shape shape, int64_t n, int64_t m, uint64_t seed) {
  dice d = {seed};
  double *points = malloc((size_t)(n * m) * sizeof *points);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k)
      points[i * m + k] = shape_value(shape, i, n, k, &d);
  return points;
}

static void test_shape(shape shape, int64_t n, int64_t queries, int64_t m, metric_case metric) {
  double *x_points = shape_points(shape, n, m, 41), *y_points = shape_points(shape, queries, m, 42);
  const gpugeo_matrix x = {x_points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  const gpugeo_matrix y = {y_points, GPUGEO_TYPE_DOUBLE, m, queries, m, NULL};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.kind = metric.metric;
  options.metric.p = metric.p;
  options.points = GPUGEO_POINTS_COLUMNS;
  char name[160];
  snprintf(name, sizeof name, "%s, p %g, shape %d, %lld points of %lld, %lld queries",
           gpugeo_name(GPUGEO_ENUM_METRIC, metric.metric), metric.p, shape, (long long)n,
           (long long)m, (long long)queries);
  compare(name, &x, queries ? &y : NULL, options);
  free(x_points);
  free(y_points);
}

static void test_shapes(void) {
  for (int shape = 0; shape < SHAPES; ++shape)
    for (int64_t m = 1; m <= 3; ++m) {
      const metric_case metric = metrics[(shape + m) % 4];
      test_shape((enum shape)shape, 300, 0, m, metric);
      test_shape((enum shape)shape, 270, 90, m, metrics[0]);
      test_shape((enum shape)shape, 50, 140, m, metrics[6 + (shape + m) % 5]);
    }
}

/* --- Calls on CUDA that are divided ----------------------------------------------------------- */

/* How a call is divided: by threads on each device, and by working memory into turns and, of
   neighbours within a radius, into parts of turns. */
typedef struct division {
  int32_t workers;
  int64_t work_bytes;
} division;

static const division divisions[] = {{1, 0}, {1, 1}, {1, 50000}, {1, 2000000}, {2, 0}, {3, 1}};
enum { DIVISIONS = sizeof divisions / sizeof *divisions };

static void divide(const division *by, gpugeo_knn_options *options) {
  set_workers(by->workers);
  options->run.device = GPUGEO_DEVICE_ALL;
  options->run.work_bytes = by->work_bytes;
}

static void compare_divided_nearest(const char *name, const gpugeo_matrix *x,
                                    const gpugeo_matrix *query, const gpugeo_knn_options *options) {
  const gpugeo_knn_options cpu = on(GPUGEO_BACKEND_CPU, options);
  nearest all = find_nearest(GG_TREES_NEVER, x, query, &cpu, name);
  for (int d = 0; d < DIVISIONS; ++d) {
    if (check_leaves_out(7)) continue;
    gpugeo_knn_options taken = on(GPUGEO_BACKEND_CUDA, options);
    divide(&divisions[d], &taken);
    char what[200];
    snprintf(what, sizeof what, "%s, division %d", name, d);
    nearest tree = find_nearest(GG_TREES_ALWAYS, x, query, &taken, what);
    check_nearest(what, &all, &tree, options->k);
    free_nearest(&tree);
  }
  set_workers(0);
  free_nearest(&all);
}

/* Both with and without trees, which divide a turn in the same way. */
static void compare_divided_near(const char *name, const gpugeo_matrix *x,
                                 const gpugeo_matrix *query, const gpugeo_knn_options *options) {
  static const gg_tree_use uses[] = {GG_TREES_ALWAYS, GG_TREES_NEVER};
  const gpugeo_knn_options cpu = on(GPUGEO_BACKEND_CPU, options);
  gpugeo_neighbors all = find_near(GG_TREES_NEVER, x, query, &cpu, name);
  for (int d = 0; d < 2 * DIVISIONS; ++d) {
    if (check_leaves_out(7)) continue;
    gpugeo_knn_options taken = on(GPUGEO_BACKEND_CUDA, options);
    divide(&divisions[d / 2], &taken);
    char what[200];
    snprintf(what, sizeof what, "%s, radius %g, division %d, %s", name, options->radius, d / 2,
             d % 2 ? "all pairs" : "trees");
    gpugeo_neighbors found = find_near(uses[d % 2], x, query, &taken, what);
    check_near(what, &all, &found);
    gpugeo_neighbors_free(&found);
  }
  set_workers(0);
  gpugeo_neighbors_free(&all);
}

/* Points of 1,100, some of them not finite, whose turns and parts of turns end within the points of
   a leaf and within rows of a tile. k is on both sides of 32, the largest that has its lists in
   shared memory. With a radius of 3 most points are neighbours of all others: 2,000,000 bytes have
   room for those of some 75 points. */
static void test_divisions(void) {
  static const shape shapes[] = {SHAPE_UNIFORM, SHAPE_SOME_MISSING, SHAPE_LATTICE};
  static const int64_t ks[] = {9, 31, 32, 33, 100};
  static const double radii[] = {0.1, 3, INFINITY};
  if (!has_cuda) {
    check_skip(1, "no CUDA device: no call on it is divided");
    return;
  }
  const int64_t n = 1100, queries = 700;
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s)
    for (int other = 0; other < 2; ++other) {
      const int64_t m = 2 + (int64_t)s % 2;
      double *x_points = shape_points(shapes[s], n, m, 81);
      double *y_points = shape_points(shapes[s], queries, m, 82);
      const gpugeo_matrix x = {x_points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
      const gpugeo_matrix y = {y_points, GPUGEO_TYPE_DOUBLE, m, queries, m, NULL};
      gpugeo_knn_options options;
      gpugeo_knn_options_init(&options, sizeof options);
      options.points = GPUGEO_POINTS_COLUMNS;
      char name[100];
      snprintf(name, sizeof name, "shape %d, %s", (int)shapes[s],
               other ? "queries of another set" : "within a set");
      for (size_t i = 0; i < sizeof ks / sizeof *ks; ++i) {
        options.k = ks[i];
        compare_divided_nearest(name, &x, other ? &y : NULL, &options);
      }
      for (size_t i = 0; i < sizeof radii / sizeof *radii; ++i) {
        options.radius = radii[i];
        compare_divided_near(name, &x, other ? &y : NULL, &options);
      }
      free(x_points);
      free(y_points);
    }
}

/* --- Growth of the work ----------------------------------------------------------------------- */

/* Returns how many nodes, leaves and points were compared with queries, per query. */
static double work_of(shape shape, metric_case metric, int64_t n, int64_t queries, int64_t m) {
  double *points = shape_points(shape, n, m, 51), *more = shape_points(shape, queries, m, 52);
  /* Queries of equal points stand at another location. */
  for (int64_t e = 0; shape == SHAPE_ONE && e < queries * m; ++e)
    more[e] += 0.3;
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  const gpugeo_matrix y = {more, GPUGEO_TYPE_DOUBLE, m, queries, m, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.metric.p = metric.p;
  options.run.threads = 2;
  gg_dist_plan dist = gg_dist_plan_make(&x, queries ? &y : NULL, &options, 0);
  dist.step = metric.metric == GPUGEO_METRIC_MINKOWSKI ? GG_STEP_power
              : metric.metric == GPUGEO_METRIC_MAXIMUM ? GG_STEP_maximum
                                                       : GG_STEP_euclidean;
  const int64_t asked = queries ? queries : n, k = 10;
  int32_t *index = malloc((size_t)(asked * k) * sizeof *index);
  double *distance = malloc((size_t)(asked * k) * sizeof *distance);
  const gg_knn_plan plan = {dist, GG_TREES_ALWAYS, k, index, distance};
  gg_clock clock;
  gg_clock_start(&clock, &options.run);
  gg_kd_work work = {0};
  gpugeo_error error;
  bool done = false;
  CHECK(gg_kd_knn(&plan, &work, &done, GG_CALL_OF(&clock, NULL, &error)) == GPUGEO_OK && done,
        "shape %d", shape);
  free(points);
  free(more);
  free(index);
  free(distance);
  return (double)(work.eights + work.leaves + work.scans) / (double)asked;
}

/* Four times as many points are at most a fifth more work for each: all pairs are four times as
   much. */
static void test_growth(void) {
  static const metric_case cases[] = {
      {GPUGEO_METRIC_EUCLIDEAN, 2}, {GPUGEO_METRIC_MAXIMUM, 2}, {GPUGEO_METRIC_MINKOWSKI, 3.3}};
  const int64_t n = CHECK_SMALL ? 1000 : 3000;
  for (int shape = 0; shape < SHAPES; ++shape) {
    if (shape == SHAPE_SOME_MISSING || shape == SHAPE_LATTICE) continue; /* points or ties grow */
    for (int64_t m = 2; m <= 3; ++m)
      for (int c = 0; c < (CHECK_SMALL ? 1 : 3); ++c) {
        const double before = work_of((enum shape)shape, cases[c], n, 0, m);
        const double after = work_of((enum shape)shape, cases[c], 4 * n, 0, m);
        CHECK(after < 1.2 * before + 5, "shape %d, metric %d, %lld coordinates: %.1f, then %.1f",
              shape, c, (long long)m, before, after);
        CHECK(after < 100, "shape %d, metric %d, %lld coordinates: %.1f for each query", shape, c,
              (long long)m, after);
      }
    if (shape == SHAPE_GEOMETRIC || shape == SHAPE_CLUSTERS) continue;
    const double other = work_of((enum shape)shape, cases[0], 4 * n, n, 2);
    CHECK(other < 200, "shape %d: %.1f for each query of another set", shape, other);
  }
}

/* --- The choice ------------------------------------------------------------------------------- */

static gg_dist_plan plan_of(int64_t n, int64_t queries, int64_t m, const gpugeo_matrix *x,
                            const gpugeo_matrix *y, int64_t work_bytes) {
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.threads = 1;
  options.run.work_bytes = work_bytes;
  gg_dist_plan plan = gg_dist_plan_make(x, queries ? y : NULL, &options, 0);
  plan.nx = n;
  plan.ny = queries ? queries : n;
  plan.m = m;
  plan.step = GG_STEP_euclidean;
  return plan;
}

static void test_choice(void) {
  const gpugeo_matrix x = {NULL, GPUGEO_TYPE_DOUBLE, 1, 1, 1, NULL};
  gg_dist_plan plan = plan_of(100000, 0, 3, &x, &x, 0);
  CHECK(gg_kd_suits(&plan, GG_TREES_AUTO, 10), "many points in few dimensions");
  plan = plan_of(100000, 3, 3, &x, &x, 0);
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10),
        "three queries are searched sooner than a tree is made");
  plan = plan_of(100000, 0, 1000, &x, &x, 0);
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10), "many dimensions");
  plan = plan_of(100000, 0, 3, &x, &x, 1 << 20);
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10), "a tree takes more than 1 MiB");
  plan = plan_of(100000, 0, 3, &x, &x, 0);
  plan.step = GG_STEP_canberra;
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10), "a metric that is no function of differences");
  plan.step = GG_STEP_power;
  plan.p = 1e6;
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10), "a power beyond the bounds");
  double weight[3] = {1, INFINITY, 1};
  plan.step = GG_STEP_seuclidean;
  plan.weight = weight;
  CHECK(!gg_kd_suits(&plan, GG_TREES_AUTO, 10), "a weight that is not finite");
}

/* Uniform points in many dimensions are left to the search of all pairs, after some groups. */
static void test_change_of_mind(void) {
  const int64_t n = 3000;
  double *points = shape_points(SHAPE_UNIFORM, n, 12, 61);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 12, n, NULL};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.k = 3;
  options.radius = 0.9;
  nearest tree = find_nearest(GG_TREES_AUTO, &x, NULL, &options, "all pairs after all");
  nearest all = find_nearest(GG_TREES_NEVER, &x, NULL, &options, "all pairs");
  check_nearest("all pairs after all", &all, &tree, options.k);
  gpugeo_neighbors near = find_near(GG_TREES_AUTO, &x, NULL, &options, "all pairs after all");
  gpugeo_neighbors near_all = find_near(GG_TREES_NEVER, &x, NULL, &options, "all pairs");
  CHECK(near.start && near_all.start &&
            !memcmp(near.start, near_all.start, (size_t)(n + 1) * sizeof *near.start),
        "the numbers");
  gpugeo_neighbors_free(&near);
  gpugeo_neighbors_free(&near_all);
  free(points);
  free(all.index);
  free(all.distance);
  free(tree.index);
  free(tree.distance);
}

/* 300,000 points on CUDA, more than are searched at a time, are left to trees or to all pairs by a
   sample: trees in the plane, and all pairs in 16 dimensions. */
static void test_sample(void) {
  if (!has_cuda) {
    check_skip(1, "no CUDA device: no sample on it");
    return;
  }
  if (CHECK_SMALL) {
    check_skip(1, "small sizes: no sample of 300,000 points");
    return;
  }
  const int64_t n = 300000;
  for (int64_t m = 2; m <= 16; m += 14) {
    double *points = shape_points(SHAPE_UNIFORM, n, m, 62);
    const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    options.points = GPUGEO_POINTS_COLUMNS;
    options.k = 3;
    options.run.backend = GPUGEO_BACKEND_CUDA;
    nearest all = find_nearest(GG_TREES_NEVER, &x, NULL, &options, "all pairs");
    nearest chosen = find_nearest(GG_TREES_AUTO, &x, NULL, &options, "after a sample");
    check_nearest("after a sample", &all, &chosen, options.k);
    free_nearest(&all);
    free_nearest(&chosen);
    free(points);
  }
}

/* --- Hooks ------------------------------------------------------------------------------------ */

static int32_t asked, allowed;
static int interrupt_late(void *data) {
  (void)data;
  return ++asked > allowed;
}

/* Asks the interrupt hook at each poll, and interrupts after `polls` of them. */
static gpugeo_status interrupted_nearest(const gpugeo_matrix *x, gpugeo_knn_options *options,
                                         int32_t polls) {
  int64_t size = 0;
  gpugeo_error error;
  gpugeo_status status = gpugeo_knn_size(x, NULL, options, &size, &error);
  int32_t *index = malloc((size_t)size * sizeof *index);
  double *distance = malloc((size_t)size * sizeof *distance);
  asked = 0;
  allowed = polls;
  if (!status) status = gpugeo_knn(x, NULL, options, index, distance, NULL, &error);
  free(index);
  free(distance);
  return status;
}
static gpugeo_status interrupted_near(const gpugeo_matrix *x, gpugeo_knn_options *options,
                                      int32_t polls) {
  gpugeo_neighbors near = {0};
  gpugeo_error error;
  asked = 0;
  allowed = polls;
  const gpugeo_status status = gpugeo_radius(x, NULL, options, &near, NULL, &error);
  gpugeo_neighbors_free(&near);
  return status;
}

static void test_interrupt(void) {
  const int64_t n = 20000;
  double *points = shape_points(SHAPE_UNIFORM, n, 3, 71);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 3, n, NULL};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.k = 5;
  options.radius = 0.1;
  options.run.threads = 1;
  options.run.backend = GPUGEO_BACKEND_CPU;
  options.run.interrupt = interrupt_late;
  gg_trees_set_use(GG_TREES_ALWAYS);
  gg_clock_set_polls(1);
  CHECK(interrupted_nearest(&x, &options, 40) == GPUGEO_ERROR_INTERRUPT,
        "the nearest can be interrupted");
  CHECK(interrupted_near(&x, &options, 40) == GPUGEO_ERROR_INTERRUPT,
        "those within a radius can be interrupted");
  gg_clock_set_polls(0);
  gg_trees_set_use(GG_TREES_AUTO);
  free(points);
}

/* Interrupts calls on CUDA, divided into turns of 128 queries, after more and more polls, until a
   call ends before that. */
static void test_interrupt_cuda(void) {
  if (!has_cuda) {
    check_skip(1, "no CUDA device: no call on it is interrupted");
    return;
  }
  const int64_t n = 5000;
  double *points = shape_points(SHAPE_UNIFORM, n, 3, 72);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 3, n, NULL};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.k = 5;
  options.radius = 0.1;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  options.run.work_bytes = 1;
  options.run.interrupt = interrupt_late;
  gg_trees_set_use(GG_TREES_ALWAYS);
  gg_clock_set_polls(1);
  for (int near = 0; near < 2; ++near) {
    gpugeo_status status = GPUGEO_ERROR_INTERRUPT;
    for (int32_t polls = 0; status == GPUGEO_ERROR_INTERRUPT && polls < 1 << 28;
         polls = 3 * polls + 1) {
      status =
          near ? interrupted_near(&x, &options, polls) : interrupted_nearest(&x, &options, polls);
      CHECK(status == (asked > polls ? GPUGEO_ERROR_INTERRUPT : GPUGEO_OK),
            "status %d after %d of %d polls", (int)status, asked, polls);
    }
    CHECK(status == GPUGEO_OK && asked >= n / 128, "status %d after %d polls", (int)status, asked);
  }
  gg_clock_set_polls(0);
  gg_trees_set_use(GG_TREES_AUTO);
  free(points);
}

int main(void) {
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL) == GPUGEO_OK;
  widest = gg_context_get()->simd;
  test_kinds();
  test_sizes();
  test_shapes();
  test_divisions();
  test_growth();
  test_choice();
  test_change_of_mind();
  test_sample();
  test_interrupt();
  test_interrupt_cuda();
  return check_end();
}
