/* Nearest neighbours and neighbours within a radius against the full matrix of gpugeo_dist(),
   sorted: the same neighbours in the same order with the same bits, whatever the number of threads,
   the working memory, the vector instructions and the backend. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both_backends.h"
#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

/* --- the reference ---------------------------------------------------------------------------- */

typedef struct neighbor {
  double distance;
  int64_t index;
} neighbor;

/* By distance, missing ones last, then by index. */
static int in_order(const void *left, const void *right) {
  const neighbor *a = left, *b = right;
  if (isnan(a->distance) != isnan(b->distance)) return isnan(a->distance) ? 1 : -1;
  if (a->distance < b->distance) return -1;
  if (a->distance > b->distance) return 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Neighbours of all points of the query, in order: `each` of them for every point. */
typedef struct expected {
  neighbor *list;
  int64_t points, each;
} expected;

static expected reference(const gpugeo_matrix *x, const gpugeo_matrix *query,
                          const gpugeo_knn_options *options) {
  gpugeo_dist_options dist;
  gpugeo_dist_options_init(&dist, sizeof dist);
  dist.metric = options->metric;
  dist.points = options->points;
  dist.shape = GPUGEO_SHAPE_FULL;
  dist.run.backend = GPUGEO_BACKEND_CPU;
  const bool rows = options->points == GPUGEO_POINTS_ROWS;
  const int64_t nx = rows ? x->nrow : x->ncol;
  const int64_t ny = !query ? nx : rows ? query->nrow : query->ncol;
  double *matrix = malloc((size_t)(nx * ny) * sizeof *matrix + 1);
  gpugeo_error error;
  const gpugeo_status status =
      gpugeo_dist(x, query, &dist, GPUGEO_TYPE_DOUBLE, matrix, NULL, &error);
  CHECK(!status, "the matrix: %s", error.message);
  expected e = {NULL, ny, query ? nx : nx - 1};
  e.list = malloc((size_t)(ny * e.each) * sizeof *e.list + 1);
  for (int64_t j = 0; j < ny; ++j) {
    neighbor *list = e.list + j * e.each;
    for (int64_t i = 0, at = 0; i < nx; ++i)
      if (query || i != j) list[at++] = (neighbor){matrix[i + j * nx], i};
    qsort(list, (size_t)e.each, sizeof *list, in_order);
  }
  free(matrix);
  return e;
}

/* --- one question, in every manner ------------------------------------------------------------ */

static void check_knn(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                      const gpugeo_knn_options *options, const expected *e) {
  gpugeo_error error;
  int64_t size = 0, wrong = 0;
  gpugeo_status status = gpugeo_knn_size(x, query, options, &size, &error);
  if (!CHECK(!status, "%s: %s", name, error.message)) return;
  CHECK(size == e->points * options->k, "%s: %lld elements", name, (long long)size);
  int32_t *index = malloc((size_t)size * sizeof *index + 1);
  double *distance = malloc((size_t)size * sizeof *distance + 1);
  status = gpugeo_knn(x, query, options, index, distance, NULL, &error);
  if (CHECK(!status, "%s: %s", name, error.message)) {
    for (int64_t i = 0; i < e->points; ++i)
      for (int64_t r = 0; r < options->k; ++r) {
        const neighbor want = e->list[i * e->each + r];
        const int64_t at = i + r * e->points;
        if (index[at] == want.index && same_double(distance[at], want.distance)) continue;
        if (wrong++ == 0)
          CHECK(false, "%s: neighbour %lld of %lld is %d at %.17g, expected %lld at %.17g", name,
                (long long)r, (long long)i, index[at], distance[at], (long long)want.index,
                want.distance);
      }
    CHECK(wrong == 0, "%s: %lld neighbours differ", name, (long long)wrong);
  }
  free(index);
  free(distance);
}

static void check_radius(const char *name, const gpugeo_matrix *x, const gpugeo_matrix *query,
                         const gpugeo_knn_options *options, const expected *e) {
  gpugeo_error error;
  gpugeo_neighbors found;
  const gpugeo_status status = gpugeo_radius(x, query, options, &found, NULL, &error);
  if (!CHECK(!status, "%s: %s", name, error.message)) return;
  CHECK(found.points == e->points && found.start[0] == 0, "%s: %lld points", name,
        (long long)found.points);
  int64_t at = 0, wrong = 0;
  for (int64_t i = 0; i < e->points; ++i) {
    for (int64_t r = 0; r < e->each; ++r) {
      const neighbor want = e->list[i * e->each + r];
      if (!(want.distance <= options->radius)) break;
      if (at >= found.start[i + 1] || found.index[at] != want.index ||
          !same_double(found.distance[at], want.distance))
        ++wrong;
      ++at;
    }
    if (found.start[i + 1] != at) {
      CHECK(false, "%s: the neighbours of %lld end at %lld, expected %lld", name, (long long)i,
            (long long)found.start[i + 1], (long long)at);
      break;
    }
  }
  CHECK(wrong == 0, "%s: %lld neighbours differ", name, (long long)wrong);
  gpugeo_neighbors_free(&found);
}

/* Threads, working memory in bytes, and vector instructions, each with one way to ask. */
typedef struct manner {
  int32_t threads;
  int64_t work_bytes;
  gg_simd simd;
  gpugeo_backend backend;
} manner;

static gg_simd widest;
static bool cuda;

static int manners(manner *list) {
  const manner usual = {1, 0, widest, GPUGEO_BACKEND_CPU};
  static const int64_t work[] = {1, 20000, (int64_t)1 << 30};
  int count = 0;
  list[count++] = usual;
  for (int i = 0; i < 3; ++i) {
    list[count] = usual;
    list[count].work_bytes = work[i];
    list[count++].threads = i + 1;
  }
  for (int simd = 0; simd < (int)widest; ++simd) {
    list[count] = usual;
    list[count].simd = (gg_simd)simd;
    list[count++].threads = 2;
  }
  for (int i = 0; cuda && i < 2; ++i) {
    list[count] = usual;
    list[count].backend = GPUGEO_BACKEND_CUDA;
    list[count++].work_bytes = i ? 4 << 20 : 0;
  }
  return count;
}

/* A radius between the first and the second third of all distances, one that some have exactly. */
static double some_radius(const expected *e) {
  if (e->points == 0) return 0;
  const neighbor *list = e->list + e->points / 2 * e->each;
  double radius = 0;
  for (int64_t r = 0; r < e->each && r <= e->each / 3 && list[r].distance <= INFINITY; ++r)
    radius = list[r].distance;
  return radius > 0 ? radius : 0;
}

static void ask(const char *what, const gpugeo_matrix *x, const gpugeo_matrix *query,
                gpugeo_knn_options options) {
  const expected e = reference(x, query, &options);
  const int64_t ks[] = {1, e.each < 5 ? e.each : 5, e.each};
  manner list[12];
  const int count = manners(list);
  static int turn; /* the usual manner, and two of the others by turns */
  for (int t = 0; t < 3; ++t) {
    const int m = t == 0 ? 0 : 1 + turn++ % (count - 1);
    if (list[m].backend == GPUGEO_BACKEND_CUDA && check_leaves_out(7)) continue;
    options.run.threads = list[m].threads;
    options.run.work_bytes = list[m].work_bytes;
    options.run.backend = list[m].backend;
    gg_set_simd(list[m].simd);
    char name[256];
    for (int i = 0; i < 3; ++i) {
      options.k = ks[i];
      snprintf(name, sizeof name, "%s, k = %lld, manner %d", what, (long long)options.k, m);
      check_knn(name, x, query, &options, &e);
    }
    const double radii[] = {0, some_radius(&e), INFINITY};
    for (int i = 0; i < 3; ++i) {
      options.radius = radii[i];
      snprintf(name, sizeof name, "%s, radius = %g, manner %d", what, options.radius, m);
      check_radius(name, x, query, &options, &e);
    }
  }
  gg_set_simd(widest);
  free(e.list);
}

/* --- the questions ---------------------------------------------------------------------------- */

static void test_kind(data_kind kind, gpugeo_metric metric, double p, int64_t n, int64_t m) {
  const int64_t others = n / 3 + 1;
  double *points = data_points(kind, n, m, 11), *more = data_points(kind, others, m, 12);
  static const gpugeo_type types[] = {GPUGEO_TYPE_DOUBLE, GPUGEO_TYPE_FLOAT, GPUGEO_TYPE_INT32};
  for (int choice = 0; choice < 4; ++choice) {
    const gpugeo_type type = types[(choice + metric) % 3];
    const bool fits = data_fits(kind, type) && kind != DATA_NEAR; /* as floats they are equal */
    const gpugeo_type stored = fits ? type : GPUGEO_TYPE_DOUBLE;
    gpugeo_knn_options options;
    gpugeo_knn_options_init(&options, sizeof options);
    options.metric.kind = metric;
    options.metric.p = p;
    options.points = (gpugeo_points)(choice % 2);
    gpugeo_matrix x = data_matrix(points, n, m, stored, options.points, choice / 2);
    gpugeo_matrix query = data_matrix(more, others, m, stored, options.points, 1);
    char name[160];
    snprintf(name, sizeof name, "%s, p %g, %lld %s points of %lld, storage %d, choice %d",
             gpugeo_name(GPUGEO_ENUM_METRIC, metric), p, (long long)n, data_name(kind),
             (long long)m, stored, choice);
    ask(name, &x, choice / 2 ? &query : NULL, options);
    free((void *)x.data);
    free((void *)query.data);
  }
  free(points);
  free(more);
}

/* Metrics that take their parameters from x want what has a covariance. */
static bool has_scale(data_kind kind) {
  return kind == DATA_RANDOM || kind == DATA_TIED || kind == DATA_NEAR;
}

static void test_kinds(void) {
  static const struct {
    gpugeo_metric metric;
    double p;
  } jobs[] = {
      {GPUGEO_METRIC_EUCLIDEAN, 2},  {GPUGEO_METRIC_SQEUCLIDEAN, 2}, {GPUGEO_METRIC_MANHATTAN, 2},
      {GPUGEO_METRIC_MAXIMUM, 2},    {GPUGEO_METRIC_CANBERRA, 2},    {GPUGEO_METRIC_BINARY, 2},
      {GPUGEO_METRIC_SEUCLIDEAN, 2}, {GPUGEO_METRIC_MAHALANOBIS, 2}, {GPUGEO_METRIC_COSINE, 2},
      {GPUGEO_METRIC_PEARSON, 2},    {GPUGEO_METRIC_SPEARMAN, 2},    {GPUGEO_METRIC_BRAYCURTIS, 2},
      {GPUGEO_METRIC_HAMMING, 2},    {GPUGEO_METRIC_JACCARD, 2},     {GPUGEO_METRIC_MINKOWSKI, 1.5},
      {GPUGEO_METRIC_MINKOWSKI, 0.7}};
  for (size_t j = 0; j < sizeof jobs / sizeof *jobs; ++j)
    for (int kind = 0; kind < DATA_KINDS; ++kind) {
      const bool scaled =
          jobs[j].metric == GPUGEO_METRIC_SEUCLIDEAN || jobs[j].metric == GPUGEO_METRIC_MAHALANOBIS;
      if (scaled && !has_scale((data_kind)kind)) continue;
      test_kind((data_kind)kind, jobs[j].metric, jobs[j].p, 71, 5);
    }
}

/* More points than a tile, more tiles than threads, and the fewest there can be. */
static void test_sizes(void) {
  static const int64_t sizes[] = {2, 3, 15, 16, 17, 129, 400};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 2, sizes[s], 3);
    test_kind(DATA_TIED, GPUGEO_METRIC_MANHATTAN, 2, sizes[s], 2);
  }
  test_kind(DATA_MISSING, GPUGEO_METRIC_EUCLIDEAN, 2, 40,
            270); /* more than a kernel takes at a time */
}

/* Nothing to compute: no coordinates, no query, a single point. */
static void test_empty(void) {
  double values[8] = {0};
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.radius = 1;
  const gpugeo_matrix bare = {NULL, GPUGEO_TYPE_DOUBLE, 4, 0, 4, NULL},
                      none = {NULL, GPUGEO_TYPE_DOUBLE, 0, 2, 0, NULL};
  const gpugeo_matrix some = {values, GPUGEO_TYPE_DOUBLE, 4, 2, 4, NULL},
                      one = {values, GPUGEO_TYPE_DOUBLE, 1, 2, 1, NULL};
  ask("no coordinates", &bare, NULL, options);
  ask("no coordinates, query", &bare, &bare, options);
  ask("no query", &some, &none, options);
  ask("one point, query", &one, &some, options);
  gpugeo_neighbors found;
  gpugeo_report report;
  CHECK(gpugeo_radius(&one, NULL, &options, &found, &report, NULL) == GPUGEO_OK &&
            found.points == 1 && found.start[1] == 0,
        "a point alone has no neighbours");
  gpugeo_neighbors_free(&found);
  CHECK(gpugeo_radius(&none, NULL, &options, &found, &report, NULL) == GPUGEO_OK &&
            found.points == 0 && found.start[0] == 0,
        "no points have none");
  gpugeo_neighbors_free(&found);
  CHECK(!found.start && !found.index && !found.distance, "freed neighbours are gone");
}

/* --- what a device leaves out in lower precision ---------------------------------------------- */

typedef enum many_kind {
  MANY_NORMAL,     /* sums of four uniform ones */
  MANY_SCALED,     /* the same, ten times as large from one coordinate to the next, and far out */
  MANY_TIED,       /* a lattice with several points at a location */
  MANY_COINCIDENT, /* three different points, repeated */
  MANY_LINE,       /* in order along a line */
  MANY_CLUSTERS,   /* in order, by clusters far apart */
  MANY_NEAR,       /* 1e8 and a little */
  MANY_TWO_NEAR,   /* the same, and as many near 0 */
  MANY_OUTLIER,    /* one of them very far */
  MANY_SOME_TIED,  /* some of them the same */
  MANY_HUGE,       /* squares overflow */
  MANY_LARGE,      /* they don't quite */
  MANY_SMALL,      /* squares are denormal */
  MANY_DENORMAL,   /* coordinates are */
  MANY_ZERO,       /* one has length 0 */
  MANY_MISSING,    /* one is missing, but for a coordinate */
  MANY_KINDS
} many_kind;

static double many_value(many_kind kind, int64_t i, int64_t n, int64_t k, dice *d) {
  const double uniform = dice_real(d);
  const double normal = uniform + dice_real(d) + dice_real(d) + dice_real(d);
  switch (kind) {
  case MANY_SCALED:
    return 1e5 + normal * pow(10, (double)k);
  case MANY_TIED:
    return floor(6 * uniform);
  case MANY_COINCIDENT:
    return (double)(i % 3);
  case MANY_LINE:
    return 1e4 * (double)i / (double)n + uniform;
  case MANY_CLUSTERS:
    return (double)(i * 100 / n * (k + 7) % 13) + 1e-3 * uniform;
  case MANY_NEAR:
    return 1e8 + uniform;
  case MANY_TWO_NEAR:
    return (i % 2 == 0 ? 1e8 : 0) + uniform;
  case MANY_OUTLIER:
    return i == 77 ? 1e6 : normal;
  case MANY_SOME_TIED:
    return i % 20 == 0 ? 0.5 : uniform;
  case MANY_HUGE:
    return 1e300 * uniform;
  case MANY_LARGE:
    return 1e150 * uniform;
  case MANY_SMALL:
    return 1e-155 * uniform;
  case MANY_DENORMAL:
    return 1e-310 * uniform;
  case MANY_ZERO:
    return i == 5 ? 0 : uniform;
  case MANY_MISSING:
    return i == 5 && k > 0 ? NAN : uniform;
  default:
    return normal;
  }
}

static double *many_points(many_kind kind, int64_t n, int64_t m, uint64_t seed) {
  dice d = {seed};
  double *points = malloc((size_t)(n * m) * sizeof *points);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k)
      points[i * m + k] = many_value(kind, i, n, k, &d);
  return points;
}

/* As many points as it takes for CUDA to leave candidates out in half precision. queries 0: within
   x. */
static void test_many(many_kind kind, gpugeo_metric metric, int64_t n, int64_t queries, int64_t m,
                      int64_t k, int64_t work_bytes) {
  if (check_leaves_out(5) || (CHECK_SMALL && n > 9000)) return;
  double *x_points = many_points(kind, n, m, 21), *y_points = many_points(kind, queries, m, 22);
  const gpugeo_matrix x = {x_points, GPUGEO_TYPE_DOUBLE, m, n, m, NULL};
  const gpugeo_matrix y = {y_points, GPUGEO_TYPE_DOUBLE, m, queries, m, NULL};
  const gpugeo_matrix *query = queries ? &y : NULL;
  gpugeo_knn_options options;
  gpugeo_knn_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.points = GPUGEO_POINTS_COLUMNS;
  options.k = k;
  options.run.work_bytes = work_bytes;
  char name[160];
  snprintf(name, sizeof name, "%s, many, kind %d, %lld points of %lld, %lld queries, k = %lld",
           gpugeo_name(GPUGEO_ENUM_METRIC, metric), kind, (long long)n, (long long)m,
           (long long)queries, (long long)k);
  options.radius = compare_knn(name, &x, query, options);
  /* Where all is tied, all are within. */
  const bool few = kind != MANY_COINCIDENT && kind != MANY_HUGE && kind != MANY_DENORMAL;
  if (few && options.radius >= 0) compare_radius(name, &x, query, options);
  free(x_points);
  free(y_points);
}

static void test_filter(void) {
  for (int kind = 0; kind < MANY_KINDS; ++kind)
    test_many((many_kind)kind, GPUGEO_METRIC_EUCLIDEAN, 8300, 2100, 3, kind % 2 ? 10 : 4, 0);
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_SQEUCLIDEAN, GPUGEO_METRIC_SEUCLIDEAN,
                                          GPUGEO_METRIC_MAHALANOBIS, GPUGEO_METRIC_COSINE,
                                          GPUGEO_METRIC_PEARSON};
  for (size_t a = 0; a < sizeof metrics / sizeof *metrics; ++a)
    test_many(MANY_NORMAL, metrics[a], 8200, 2050, 5, 10, 0);
  test_many(MANY_SCALED, GPUGEO_METRIC_SEUCLIDEAN, 8200, 2050, 7, 64, 0);
  test_many(MANY_ZERO, GPUGEO_METRIC_COSINE, 8200, 2050, 3, 10, 0);
  test_many(MANY_MISSING, GPUGEO_METRIC_COSINE, 8200, 2050, 3, 10, 0);
  static const int64_t sizes[] = {1, 2, 16, 17, 40, 48, 64, 65, 128, 150};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    test_many(MANY_NORMAL, GPUGEO_METRIC_EUCLIDEAN, 8200, 2050, sizes[s], 10, 0);
  static const int64_t ks[] = {1, 10, 32, 64};
  for (size_t a = 0; a < sizeof ks / sizeof *ks; ++a)
    test_many(MANY_CLUSTERS, GPUGEO_METRIC_EUCLIDEAN, 8321, 2111, 6, ks[a], 3 << 20);
  test_many(MANY_NORMAL, GPUGEO_METRIC_EUCLIDEAN, 8320, 0, 4, 10, 0);
  test_many(MANY_TIED, GPUGEO_METRIC_EUCLIDEAN, 16777, 0, 3, 5, 0);
  test_many(MANY_NORMAL, GPUGEO_METRIC_EUCLIDEAN, 70000, 300, 3, 500, 0);
}

int main(void) {
  widest = gg_context_get()->simd;
  gpugeo_error error;
  cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK;
  if (!cuda) check_skip(1, "CUDA: not present (%s), its neighbours not compared", error.message);
  test_kinds();
  test_sizes();
  test_empty();
  if (cuda) test_filter();
  return check_end();
}
