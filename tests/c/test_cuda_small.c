/* Layouts, neighbours and clusters on CUDA by the smallest jobs that take every way through their
   kernels: for compute-sanitizer, which slows a program down a hundredfold (make sanitize). The
   other tests compare results with references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "both_backends.h"
#include "check.h"
#include "data.h"
#include "gpugeo.h"
#include "workers.h"

/* --- Layouts ---------------------------------------------------------------------------------- */

enum { VERTICES = 1100, EDGES = 2 * VERTICES };

/* Most vertices close together, some far from them: a warp that holds those walks the tree for one
   vertex at a time. */
static void place(double *init, int64_t values) {
  dice d = {3};
  for (int64_t i = 0; i < values; ++i)
    init[i] = (i % 25 == 0 ? 900 : 1) * dice_real(&d);
}

/* Three iterations of a cycle with chords, twice: the same bits. */
static void test_layout(int32_t dim, int32_t order, gpugeo_layout_repulsion repulsion) {
  static int32_t edges[2 * EDGES];
  for (int32_t i = 0; i < VERTICES; ++i) {
    edges[i] = edges[i + VERTICES] = i;
    edges[i + EDGES] = (i + 1) % VERTICES;
    edges[i + VERTICES + EDGES] = (7 * i + 5) % VERTICES;
  }
  const gpugeo_graph graph = {.vertices = VERTICES,
                              .edges = {edges, GPUGEO_TYPE_INT32, EDGES, 2, EDGES, NULL}};
  double init[3 * VERTICES], positions[2][3 * VERTICES];
  const int64_t values = VERTICES * dim;
  place(init, values);
  gpugeo_layout_options options;
  gpugeo_layout_options_init(&options, sizeof options);
  options.dim = dim;
  options.expansion_order = order;
  options.repulsion = repulsion;
  options.iterations = 3;
  options.init = init;
  options.init_length = values;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  for (int nth = 0; nth < 2; ++nth) {
    gpugeo_layout_result result;
    gpugeo_error error;
    const gpugeo_status status =
        gpugeo_layout(&graph, &options, positions[nth], &result, NULL, &error);
    if (!CHECK(!status, "%d-D, order %d: %s", dim, order, error.message)) return;
  }
  int64_t finite = 0;
  for (int64_t i = 0; i < values; ++i)
    finite += isfinite(positions[0][i]) ? 1 : 0;
  CHECK(finite == values, "%d-D, order %d: %lld of %lld coordinates are finite", dim, order,
        (long long)finite, (long long)values);
  CHECK(memcmp(positions[0], positions[1], (size_t)values * sizeof **positions) == 0,
        "%d-D, order %d: two runs differ", dim, order);
}

/* --- Neighbours ------------------------------------------------------------------------------- */

static void test_neighbors(gpugeo_metric metric, int64_t m) {
  const int64_t n = 8192, queries = 2048; /* the filter takes no fewer */
  double *points = data_points(DATA_RANDOM, n, m, 11);
  double *query_points = data_points(DATA_RANDOM, queries, m, 12);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  const gpugeo_matrix query = {query_points, GPUGEO_TYPE_DOUBLE, m, queries, m, NULL};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.k = 3;
  options.radius = compare_knn(gpugeo_name(GPUGEO_ENUM_METRIC, metric), &x, &query, options);
  compare_radius(gpugeo_name(GPUGEO_ENUM_METRIC, metric), &x, &query, options);
  free(points);
  free(query_points);
}

/* --- Clusters --------------------------------------------------------------------------------- */

/* Merges points, in rounds and along a chain, from points and from distances. */
static void test_clusters(gpugeo_linkage linkage, int64_t n) {
  double *points = data_points(DATA_RANDOM, n, 2, 13);
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  int32_t *merge = malloc((size_t)(3 * n) * sizeof *merge);
  double *height = malloc((size_t)(2 * n) * sizeof *height);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 2, n, 2, NULL};
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.points = GPUGEO_POINTS_COLUMNS;
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.linkage = linkage;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run.backend = GPUGEO_BACKEND_CUDA;
  const gpugeo_distances sources[] = {{.x = &x}, {.condensed = condensed, .condensed_points = n}};
  gpugeo_error error = {0};
  gpugeo_status status = gpugeo_dist(&x, NULL, &dist, GPUGEO_TYPE_DOUBLE, condensed, NULL, &error);
  for (int s = 0; !status && s < 2; ++s)
    status =
        gpugeo_hclust(&sources[s], &options, merge, height + s * n, merge + 2 * n, NULL, &error);
  const size_t bytes = (size_t)(n - 1) * sizeof *height;
  CHECK(!status && memcmp(height, height + n, bytes) == 0, "linkage %d: %s", (int)linkage,
        error.message);
  free(points);
  free(condensed);
  free(merge);
  free(height);
}

/* Silhouettes of several blocks of distances. */
static void test_silhouettes(gpugeo_precision precision) {
  enum { N = 600, M = 3 };
  double *points = data_points(DATA_RANDOM, N, M, 14), width[2][N];
  int32_t cluster[N], neighbor[2][N];
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, M, N, M, NULL};
  const gpugeo_distances source = {.x = &x};
  gpugeo_silhouette_options options;
  gpugeo_silhouette_options_init(&options, sizeof options);
  options.points = GPUGEO_POINTS_COLUMNS;
  options.run.precision = precision;
  options.run.work_bytes = 1 << 20;
  for (int i = 0; i < N; ++i)
    cluster[i] = 1 + i * i % 7;
  gpugeo_error error = {0};
  gpugeo_status status = GPUGEO_OK;
  for (int b = 0; !status && b < 2; ++b) {
    options.run.backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
    status = gpugeo_silhouette(&source, cluster, N, &options, neighbor[b], width[b], NULL, &error);
  }
  CHECK(!status && memcmp(width[0], width[1], sizeof width[0]) == 0 &&
            memcmp(neighbor[0], neighbor[1], sizeof neighbor[0]) == 0,
        "silhouettes, precision %d: %s", (int)precision, error.message);
  free(points);
}

int main(void) {
  gpugeo_error error = {0};
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) != GPUGEO_OK) {
    check_skip(1, "CUDA: not present (%s), its kernels not run", error.message);
    CHECK(strlen(error.message) > 0, "nobody says why");
    return check_end();
  }
  for (int32_t dim = 2; dim <= 3; ++dim) {
    test_layout(dim, -1, GPUGEO_LAYOUT_REPULSION_EXACT);
    for (int32_t order = 0; order <= (dim == 2 ? 4 : 2); order += 2)
      test_layout(dim, order, GPUGEO_LAYOUT_REPULSION_BARNES_HUT);
  }
  test_neighbors(GPUGEO_METRIC_EUCLIDEAN, 3);
  test_neighbors(GPUGEO_METRIC_EUCLIDEAN, 64);
  test_neighbors(GPUGEO_METRIC_SEUCLIDEAN, 100);
  test_neighbors(GPUGEO_METRIC_COSINE, 20);
  for (int linkage = 0; linkage < GPUGEO_LINKAGE_CENTROID; ++linkage)
    test_clusters((gpugeo_linkage)linkage, 300);
  test_clusters(GPUGEO_LINKAGE_AVERAGE, 2100); /* rows of two chunks */
  test_silhouettes(GPUGEO_PRECISION_DOUBLE);
  test_silhouettes(GPUGEO_PRECISION_SINGLE);
  set_workers(2);
  test_neighbors(GPUGEO_METRIC_EUCLIDEAN, 20);
  set_workers(0);
  return check_end();
}
