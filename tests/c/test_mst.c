/* Minimum spanning trees against Kruskal's on all distances: the same edges in the same order with
   the same bits, by trees and by all pairs, from points and from distances, on any number of
   threads, on the CPU and on CUDA; missing distances; and the time that a tree may take, counted in
   searches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cluster/forest.h"
#include "common/call.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/cpu/kd_neighbors.h"
#include "gpugeo.h"

static gg_simd widest;
static bool has_cuda;

/* --- The expected tree ------------------------------------------------------------------------ */

typedef struct edge {
  double distance;
  int32_t i, j;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *left = a, *right = b;
  if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
  if (left->i != right->i) return left->i < right->i ? -1 : 1;
  return left->j < right->j ? -1 : left->j > right->j;
}

static int32_t root_of(const int32_t *parent, int32_t vertex) {
  while (parent[vertex] != vertex)
    vertex = parent[vertex];
  return vertex;
}

/* Returns the tree of condensed distances, or the number of missing ones and the first of them as
   one edge. */
static edge *expected_tree(const double *condensed, int64_t n, int64_t *missing) {
  edge *edges = malloc((size_t)(n * n / 2 + 1) * sizeof *edges), first = {0};
  int32_t *parent = malloc((size_t)n * sizeof *parent + 1);
  int64_t count = 0, at = 0, kept = 0;
  *missing = 0;
  for (int32_t i = 0; i < n; ++i) {
    parent[i] = i;
    for (int32_t j = i + 1; j < n; ++j) {
      const edge here = {condensed[at++], i, j};
      if (isnan(here.distance) && (*missing)++ == 0) first = here;
      edges[count++] = here;
    }
  }
  if (*missing == 0) qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int64_t e = 0; *missing == 0 && e < count; ++e) {
    const int32_t a = root_of(parent, edges[e].i), b = root_of(parent, edges[e].j);
    if (a == b) continue;
    parent[a > b ? a : b] = a > b ? b : a;
    edges[kept++] = edges[e];
  }
  if (*missing) edges[0] = first;
  free(parent);
  return edges;
}

/* --- Comparison ------------------------------------------------------------------------------- */

static void check_error(const char *name, const gpugeo_error *error, int64_t missing, edge first) {
  char wanted[256];
  snprintf(wanted, sizeof wanted,
           "x must have a distance between any two points, but %lld %s missing; the first is "
           "between points %d and %d",
           (long long)missing, missing == 1 ? "is" : "are", first.i + 1, first.j + 1);
  CHECK(strcmp(error->message, wanted) == 0, "%s: %s", name, error->message);
}

/* Compares the tree of a source with the expected one, which has `missing` distances. */
static void compare_source(const char *name, const gpugeo_distances *x,
                           const gpugeo_mst_options *options, int64_t n, const edge *expected,
                           int64_t missing) {
  int64_t points = -1;
  const int64_t size = n > 1 ? n - 1 : 0;
  gpugeo_error error;
  gpugeo_status status = gpugeo_distances_points(x, options->points, &points, &error);
  CHECK(!status && points == n, "%s: %lld points", name, (long long)points);
  int32_t *i = malloc((size_t)n * sizeof *i + 1), *j = malloc((size_t)n * sizeof *j + 1);
  double *distance = malloc((size_t)n * sizeof *distance + 1);
  status = gpugeo_mst(x, options, i, j, distance, NULL, &error);
  if (missing) {
    if (CHECK(status == GPUGEO_ERROR_DATA, "%s: %d", name, status))
      check_error(name, &error, missing, expected[0]);
  } else if (CHECK(!status, "%s: %s", name, error.message)) {
    int64_t equal = 0;
    while (equal < size && i[equal] == expected[equal].i && j[equal] == expected[equal].j &&
           memcmp(&distance[equal], &expected[equal].distance, sizeof *distance) == 0)
      ++equal;
    if (!CHECK(equal == size, "%s: edge %lld differs", name, (long long)equal))
      printf("it is %d, %d, %g, not %d, %d, %g\n", i[equal], j[equal], distance[equal],
             expected[equal].i, expected[equal].j, expected[equal].distance);
  }
  free(i);
  free(j);
  free(distance);
}

/* Compares all ways to the tree of some points. */
static void compare(const char *name, const gpugeo_matrix *x, gpugeo_mst_options options) {
  static const int32_t threads[] = {1, 2, 7};
  static int turn;
  const int64_t n = options.points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  double *condensed = data_condensed(name, x, &options.metric, options.points);
  int64_t missing = 0;
  edge *expected = expected_tree(condensed, n, &missing);
  const gpugeo_distances points = {.x = x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  options.run.threads = threads[turn % 3];
  gg_set_simd((gg_simd)(turn++ % ((int)widest + 1)));
  char text[200];
  for (int b = 0; b < 1 + has_cuda; ++b)
    for (int use = GG_TREES_AUTO; use <= GG_TREES_NEVER; ++use) {
      if (b && check_leaves_out(11)) continue;
      options.run.backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
      snprintf(text, sizeof text, "%s, %s, use %d", b ? "CUDA" : "CPU", name, use);
      gg_trees_set_use((gg_tree_use)use);
      compare_source(text, &points, &options, n, expected, missing);
    }
  gg_trees_set_use(GG_TREES_AUTO);
  snprintf(text, sizeof text, "%s, condensed", name);
  compare_source(text, &given, &options, n, expected, missing);
  gg_set_simd(widest);
  free(expected);
  free(condensed);
}

/* --- Points ----------------------------------------------------------------------------------- */

static void test_kind(data_kind kind, gpugeo_metric metric, double p, int64_t n, int64_t m) {
  static int choice;
  double *points = data_points(kind, n, m, 61);
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.metric.p = p;
  options.metric.singular =
      metric == GPUGEO_METRIC_SEUCLIDEAN || metric == GPUGEO_METRIC_MAHALANOBIS
          ? GPUGEO_SINGULAR_PINV
          : GPUGEO_SINGULAR_ERROR;
  options.points = (gpugeo_points)(choice % 2);
  const gpugeo_matrix x =
      data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, options.points, choice++ % 5);
  char name[160];
  snprintf(name, sizeof name, "%s, p %g, %lld %s points of %lld",
           gpugeo_name(GPUGEO_ENUM_METRIC, metric), p, (long long)n, data_name(kind), (long long)m);
  compare(name, &x, options);
  free((void *)x.data);
  free(points);
}

/* True if the metric has parameters for such points. */
static bool has_metric(data_kind kind, gpugeo_metric metric) {
  const bool scaled = metric == GPUGEO_METRIC_SEUCLIDEAN || metric == GPUGEO_METRIC_MAHALANOBIS;
  const bool finite = kind == DATA_RANDOM || kind == DATA_TIED || kind == DATA_NEAR;
  if (metric == GPUGEO_METRIC_GOWER) return finite;
  return !scaled || finite;
}

static void test_kinds(void) {
  for (int metric = 0; metric < GPUGEO_METRIC_GREAT_CIRCLE; ++metric) /* the last one */
    for (int kind = 0; kind < DATA_KINDS; ++kind) {
      if (!has_metric((data_kind)kind, (gpugeo_metric)metric)) continue;
      const double p = kind % 3 == 0 ? 1.5 : kind % 3 == 1 ? 3.3 : 1;
      test_kind((data_kind)kind, (gpugeo_metric)metric, p, 150, 2);
      test_kind((data_kind)kind, (gpugeo_metric)metric, p, 200, 5);
    }
}

static void test_sizes(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 33, 127, 128, 129, 257, 700, 1100};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 2, sizes[s], 3);
    test_kind(DATA_TIED, GPUGEO_METRIC_MANHATTAN, 2, sizes[s], 2);
    test_kind(DATA_COINCIDENT, GPUGEO_METRIC_EUCLIDEAN, 2, sizes[s], 2);
    test_kind(DATA_INFINITE, GPUGEO_METRIC_MAXIMUM, 2, sizes[s], 4);
  }
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 2, 40, 0);
}

/* --- Made-up points --------------------------------------------------------------------------- */

typedef enum shape {
  SHAPE_CLUSTERS, /* far from each other, of very different sizes */
  SHAPE_CHAIN,    /* on a line, each gap larger than the one before */
  SHAPE_LATTICE,  /* several points at each location */
  SHAPE_ONE,      /* all points are equal */
  SHAPE_OFFSET,   /* 1e8 and a little */
  SHAPE_COMBS,    /* two rows of points near each other */
  SHAPE_ODD,      /* some coordinates are missing or infinite */
  SHAPES
} shape;

static double shape_value(shape shape, int64_t i, int64_t n, int64_t k, dice *d) {
  const double uniform = dice_real(d);
  switch (shape) {
  case SHAPE_CLUSTERS:
    return (double)(i * 9 / n * (k + 7) % 13) * 100 + pow(10, -(double)(i * 9 / n)) * uniform;
  case SHAPE_CHAIN:
    return k > 0 ? 0 : pow(1.01, (double)(i * 7 % n));
  case SHAPE_LATTICE:
    return floor(4 * uniform);
  case SHAPE_ONE:
    return 0.1;
  case SHAPE_OFFSET:
    return 1e8 + uniform;
  case SHAPE_COMBS:
    return k > 0 ? (double)(i % 2) * 0.5 + 1e-3 * uniform : (double)(i / 2);
  default:
    return (i + k) % 97 == 5 ? NAN : (i + 2 * k) % 101 == 7 ? INFINITY : uniform;
  }
}

static void test_shapes(int64_t n) {
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_MANHATTAN,
                                          GPUGEO_METRIC_MAXIMUM, GPUGEO_METRIC_SQEUCLIDEAN};
  for (int shape = 0; shape < SHAPES; ++shape)
    for (int64_t m = 2; m <= 4; ++m) {
      dice d = {7};
      double *points = malloc((size_t)(n * m) * sizeof *points);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < m; ++k)
          points[i * m + k] = shape_value((enum shape)shape, i, n, k, &d);
      const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
      gpugeo_mst_options options;
      gpugeo_mst_options_init(&options, sizeof options);
      options.points = GPUGEO_POINTS_COLUMNS;
      options.metric.kind = metrics[(shape + m) % 4];
      char name[80];
      snprintf(name, sizeof name, "shape %d, %lld points of %lld", shape, (long long)n,
               (long long)m);
      compare(name, &x, options);
      free(points);
    }
}

/* --- Many points ------------------------------------------------------------------------------ */

/* A tree with the memory of its edges. */
typedef struct tree {
  int32_t *i, *j;
  double *distance;
} tree;

static gpugeo_status make_tree(const gpugeo_matrix *x, gpugeo_backend backend, tree *made,
                               gpugeo_error *error) {
  const size_t n = (size_t)x->ncol;
  const gpugeo_distances points = {.x = x};
  gpugeo_mst_options options;
  gpugeo_mst_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run.backend = backend;
  *made = (tree){malloc(n * sizeof *made->i), malloc(n * sizeof *made->j),
                 malloc(n * sizeof *made->distance)};
  return gpugeo_mst(&points, &options, made->i, made->j, made->distance, NULL, error);
}

static void free_tree(const tree *made) {
  free(made->i);
  free(made->j);
  free(made->distance);
}

/* Trees of boxes with several levels, components that are far from each other, and lists that are
   used up. */
static void test_backends(shape shape, int64_t n, int64_t m) {
  dice d = {11};
  double *points = malloc((size_t)(n * m) * sizeof *points);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k)
      points[i * m + k] = shape_value(shape, i, n, k, &d);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  tree cpu, cuda;
  gpugeo_error error;
  CHECK(!make_tree(&x, GPUGEO_BACKEND_CPU, &cpu, &error), "%s", error.message);
  if (CHECK(!make_tree(&x, GPUGEO_BACKEND_CUDA, &cuda, &error), "%s", error.message)) {
    const size_t edges = (size_t)n - 1;
    CHECK(!memcmp(cpu.i, cuda.i, edges * sizeof *cpu.i) &&
              !memcmp(cpu.j, cuda.j, edges * sizeof *cpu.j) &&
              !memcmp(cpu.distance, cuda.distance, edges * sizeof *cpu.distance),
          "shape %d, %lld points of %lld: CUDA's tree differs", (int)shape, (long long)n,
          (long long)m);
  }
  free_tree(&cpu);
  free_tree(&cuda);
  free(points);
}

/* --- Forests ---------------------------------------------------------------------------------- */

static gg_clock plain_clock(void) {
  static gpugeo_run run;
  gg_clock clock;
  gpugeo_run_init(&run, sizeof run);
  gg_clock_start(&clock, &run);
  return clock;
}

/* Edges that come a few at a time, with negative and infinite weights, and those of zero of both
   signs, which are ties. */
static void test_forest(void) {
  enum { N = 60 };
  dice d = {9};
  gg_forest forest;
  gpugeo_error error;
  gg_clock clock = plain_clock();
  CHECK(!gg_forest_make(N, NULL, 4, 2, &forest, &error), "%s", error.message);
  double condensed[N * N];
  int64_t at = 0, missing;
  for (int32_t i = 0; i < N; ++i)
    for (int32_t j = i + 1; j < N; ++j) {
      const double weights[] = {-1, 0, 0.0 * -1, 3, INFINITY, dice_real(&d)};
      condensed[at] = weights[dice_whole(&d, 5)];
      if (i % 7 == 0 || j % 7 == 0) condensed[at] = j % 2 ? INFINITY : 1e300;
      CHECK(gg_forest_add(&forest, gg_edge_between(condensed[at], j, i)), "no memory");
      if (++at % 50 == 0)
        CHECK(!gg_forest_reduce(&forest, GG_CALL_OF(&clock, NULL, &error)), "%s", error.message);
    }
  CHECK(!gg_forest_reduce(&forest, GG_CALL_OF(&clock, NULL, &error)), "%s", error.message);
  edge *expected = expected_tree(condensed, N, &missing);
  CHECK(forest.count == N - 1, "%lld edges", (long long)forest.count);
  for (int64_t e = 0; e < forest.count; ++e)
    CHECK(forest.edge[e].distance == expected[e].distance && forest.edge[e].i == expected[e].i &&
              forest.edge[e].j == expected[e].j,
          "edge %lld", (long long)e);
  free(expected);
  gg_forest_free(&forest);
}

/* Makes a complete graph of n vertices, all of whose edges have the same weight, in mixed order. */
static void make_tied(int32_t n, gg_forest *forest) {
  dice d = {12};
  gpugeo_error error;
  CHECK(!gg_forest_make(n, NULL, n * (n - 1) / 2, 2, forest, &error), "%s", error.message);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = i + 1; j < n; ++j) {
      const int64_t at = dice_whole(&d, forest->count);
      gg_forest_add(forest, (gg_edge){7, i, j});
      const gg_edge last = forest->edge[forest->count - 1];
      forest->edge[forest->count - 1] = forest->edge[at];
      forest->edge[at] = last;
    }
}

/* Ties are in the order of their vertices, in several runs that are merged, too. */
static void test_tied(int32_t n) {
  gg_forest forest;
  gpugeo_error error = {0};
  gg_clock clock = plain_clock();
  make_tied(n, &forest);
  CHECK(!gg_forest_sort(&forest, GG_CALL_OF(&clock, NULL, &error)), "%s", error.message);
  int64_t at = 0, wrong = 0;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = i + 1; j < n; ++j, ++at)
      wrong += forest.edge[at].i != i || forest.edge[at].j != j;
  CHECK(at == forest.count && wrong == 0, "%d vertices: %lld edges out of order", n,
        (long long)wrong);
  CHECK(!gg_forest_reduce(&forest, GG_CALL_OF(&clock, NULL, &error)) && forest.count == n - 1 &&
            forest.edge[n - 2].i == 0 && forest.edge[n - 2].j == n - 1,
        "%d vertices: %lld edges, %s", n, (long long)forest.count, error.message);
  gg_forest_free(&forest);
}

static int stop_at(void *polls) { return --*(int *)polls == 0; }

/* Stops the reduction of a forest with many ties at each of its polls. */
static void test_forest_stop(void) {
  int polls = 0;
  gg_clock clock;
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  run.interrupt = stop_at;
  run.hook_data = &polls;
  gg_clock_set_polls(1);
  for (int at = 0, all = 1; at <= all; ++at) { /* 0: never */
    gg_forest forest;
    make_tied(600, &forest);
    forest.threads = 1; /* only the calling thread asks the hooks */
    polls = at;
    gg_clock_start(&clock, &run);
    const gpugeo_status status = gg_forest_reduce(&forest, GG_CALL_OF(&clock, NULL, &error));
    if (at == 0) all = -polls;
    CHECK(status == (at == 0 ? GPUGEO_OK : GPUGEO_ERROR_INTERRUPT) && all > 6 &&
              (at == 0 || polls == 0),
          "poll %d of %d: status %d, %d left", at, all, status, polls);
    gg_forest_free(&forest);
  }
  gg_clock_set_polls(0);
}

/* No edge of a tree is larger than the limits of both of its ends, and some edges that are in no
   tree are. */
static void test_limits(void) {
  enum { N = 40 };
  gg_forest forest;
  gpugeo_error error;
  gg_clock clock = plain_clock();
  CHECK(!gg_forest_make(N, NULL, N * N, 1, &forest, &error), "%s", error.message);
  for (int32_t i = 0; i < N - 1; ++i) /* vertex N - 1 has no edge */
    for (int32_t j = i + 1; j < N - 1; ++j)
      gg_forest_add(&forest, (gg_edge){(double)((j - i) * (i % 5 + 1)), i, j});
  CHECK(!gg_forest_reduce(&forest, GG_CALL_OF(&clock, NULL, &error)), "%s", error.message);
  for (int64_t e = 0; e < forest.count; ++e) {
    const gg_edge at = forest.edge[e];
    CHECK(at.distance <= forest.limit[at.i] || at.distance <= forest.limit[at.j], "edge %lld",
          (long long)e);
  }
  CHECK(isinf(forest.limit[N - 1]) && forest.limit[0] <= 5 && forest.limit[N - 2] <= 5,
        "%g, %g, %g", forest.limit[N - 1], forest.limit[0], forest.limit[N - 2]);
  gg_forest_free(&forest);
}

int main(void) {
  widest = gg_context_get()->simd;
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL) == GPUGEO_OK;
  test_kinds();
  test_sizes();
  test_shapes(600);
  test_shapes(CHECK_SMALL ? 300 : 2100);
  test_forest();
  test_tied(300);
  test_tied(600);
  test_forest_stop();
  test_limits();
  for (int64_t m = 1; has_cuda && m <= 5; ++m) {
    test_backends(SHAPE_CLUSTERS, CHECK_SMALL ? 4000 : 70000, m);
    test_backends(SHAPE_OFFSET, CHECK_SMALL ? 4000 : 70000, m);
  }
  if (has_cuda) test_backends(SHAPE_LATTICE, CHECK_SMALL ? 2000 : 20000, 5);
  if (has_cuda) test_backends(SHAPE_CLUSTERS, CHECK_SMALL ? 900 : 5000, 40);
  if (has_cuda) test_backends(SHAPE_OFFSET, CHECK_SMALL ? 1500 : 9000, 30);
  return check_end();
}
