/* Hierarchical clustering against the definition: always the nearest pair, found among all. Larger
   sizes than the golden cases', so that all kinds of rounds are in it. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cluster/hclust.h"
#include "common/backend.h"
#include "common/clock.h"
#include "common/context.h"
#include "common/cpu.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"
#include "host_device.h"
#include "system.h"
#include "temporary.h"
#include "workers.h"

/* A tree of n points. */
typedef struct tree {
  int64_t n;
  int32_t *merge, *order;
  double *height;
} tree;

static tree tree_make(int64_t n) {
  return (tree){n, malloc((size_t)n * 2 * sizeof(int32_t)), malloc((size_t)n * sizeof(int32_t)),
                malloc((size_t)n * sizeof(double))};
}

static void tree_free(tree *t) {
  free(t->merge);
  free(t->order);
  free(t->height);
}

static bool trees_are_same(const tree *a, const tree *b) {
  const size_t merges = (size_t)a->n - 1;
  return memcmp(a->merge, b->merge, 2 * merges * sizeof *a->merge) == 0 &&
         memcmp(a->order, b->order, (size_t)a->n * sizeof *a->order) == 0 &&
         memcmp(a->height, b->height, merges * sizeof *a->height) == 0;
}

/* --- The definition --------------------------------------------------------------------------- */

static double joined(gpugeo_linkage linkage, double di, double dj, double dij, double ni, double nj,
                     double nk) {
  switch (linkage) {
  case GPUGEO_LINKAGE_SINGLE:
    return fmin(di, dj);
  case GPUGEO_LINKAGE_COMPLETE:
    return fmax(di, dj);
  case GPUGEO_LINKAGE_AVERAGE:
    return (ni * di + nj * dj) / (ni + nj);
  case GPUGEO_LINKAGE_MCQUITTY:
    return (di + dj) / 2;
  case GPUGEO_LINKAGE_CENTROID:
    return (ni * di + nj * dj) / (ni + nj) - ni * nj * dij / ((ni + nj) * (ni + nj));
  case GPUGEO_LINKAGE_MEDIAN:
    return (di + dj) / 2 - dij / 4;
  default:
    return ((ni + nk) * di + (nj + nk) * dj - nk * dij) / (ni + nj + nk);
  }
}

/* Merges the nearest pair, the one of the lowest points if there are several. d is n by n. */
static void merge_nearest(double *d, int64_t n, gpugeo_linkage linkage, tree *t) {
  double *size = malloc((size_t)n * sizeof *size);
  int32_t *cluster = malloc((size_t)n * sizeof *cluster);
  for (int64_t i = 0; i < n; ++i) {
    size[i] = 1;
    cluster[i] = (int32_t)i;
  }
  for (int64_t k = 0; k < n - 1; ++k) {
    int64_t a = -1, b = -1;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; size[i] > 0 && j < n; ++j)
        if (size[j] > 0 && (a < 0 || d[i * n + j] < d[a * n + b])) a = i, b = j;
    const double dij = d[a * n + b];
    t->height[k] = dij;
    t->merge[k] = cluster[a] < cluster[b] ? cluster[a] : cluster[b];
    t->merge[k + n - 1] = cluster[a] < cluster[b] ? cluster[b] : cluster[a];
    for (int64_t c = 0; c < n; ++c)
      if (c != a && c != b && size[c] > 0)
        d[c * n + a] = d[a * n + c] =
            joined(linkage, d[c * n + a], d[c * n + b], dij, size[a], size[b], size[c]);
    size[a] += size[b];
    size[b] = 0;
    cluster[a] = (int32_t)(n + k);
  }
  free(size);
  free(cluster);
}

/* The tree of condensed distances by the definition. */
static tree defined_tree(const double *condensed, int64_t n, gpugeo_linkage linkage) {
  double *d = calloc((size_t)(n * n), sizeof *d);
  const bool squared = linkage == GPUGEO_LINKAGE_WARD_D2;
  for (int64_t j = 0, e = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i, ++e)
      d[i * n + j] = d[j * n + i] = squared ? condensed[e] * condensed[e] : condensed[e];
  tree t = tree_make(n);
  merge_nearest(d, n, linkage, &t);
  for (int64_t k = 0; squared && k < n - 1; ++k)
    t.height[k] = sqrt(t.height[k]);
  free(d);
  return t;
}

/* --- Calls ------------------------------------------------------------------------------------ */

static gpugeo_hclust_options options_for(gpugeo_linkage linkage, gpugeo_backend backend) {
  gpugeo_hclust_options options;
  gpugeo_hclust_options_init(&options, sizeof options);
  options.linkage = linkage;
  options.run.backend = backend;
  return options;
}

static gpugeo_status cluster(const gpugeo_distances *d, gpugeo_linkage linkage, int32_t threads,
                             tree *t, gpugeo_error *error) {
  gpugeo_hclust_options options = options_for(linkage, GPUGEO_BACKEND_CPU);
  options.run.threads = threads;
  return gpugeo_hclust(d, &options, t->merge, t->height, t->order, NULL, error);
}

static double *condensed_of(const gpugeo_matrix *x) {
  gpugeo_dist_options options;
  gpugeo_error error = {0};
  gpugeo_dist_options_init(&options, sizeof options);
  options.run.backend = GPUGEO_BACKEND_CPU;
  double *d = malloc((size_t)(x->nrow * (x->nrow - 1) / 2) * sizeof *d);
  CHECK(!gpugeo_dist(x, NULL, &options, GPUGEO_TYPE_DOUBLE, d, NULL, &error), "%s", error.message);
  return d;
}

/* True if the merges have the heights and, if `merges`, the clusters of the definition. */
static bool is_defined(const tree *t, const tree *wanted, double tolerance, bool merges) {
  for (int64_t k = 0; k < t->n - 1; ++k) {
    if (fabs(t->height[k] - wanted->height[k]) > tolerance * fabs(wanted->height[k])) return false;
    for (int side = 0; merges && side < 2; ++side)
      if (t->merge[k + side * (t->n - 1)] != wanted->merge[k + side * (t->n - 1)]) return false;
  }
  return true;
}

static void check_order(const tree *t, const char *what) {
  bool *seen = calloc((size_t)t->n, sizeof *seen);
  int64_t good = 0;
  for (int64_t i = 0; i < t->n; ++i)
    if (t->order[i] >= 0 && t->order[i] < t->n && !seen[t->order[i]]) {
      seen[t->order[i]] = true;
      ++good;
    }
  CHECK(good == t->n, "%s: the order has %lld points", what, (long long)good);
  free(seen);
}

/* Compares a tree with those by all kinds of instructions of this machine. */
static void check_simd(const char *what, const gpugeo_distances *d, gpugeo_linkage linkage,
                       const tree *wanted) {
  const gg_simd widest = gg_context_get()->simd;
  tree t = tree_make(wanted->n);
  for (int simd = 0; simd <= (int)widest; ++simd) {
    gpugeo_error error = {0};
    gg_set_simd((gg_simd)simd);
    CHECK(!cluster(d, linkage, 1 + simd % 2, &t, &error) && trees_are_same(&t, wanted),
          "%s, %s, instructions %d: %s", what, gpugeo_name(GPUGEO_ENUM_LINKAGE, linkage), simd,
          error.message);
  }
  gg_set_simd(widest);
  tree_free(&t);
}

/* All linkages of some points: the definition, and the same bits on any threads, from any source
   and by any instructions. `ties`: rounding may then decide which of several equal pairs is merged.
 */
static void check_points(const char *what, const double *points, int64_t n, int64_t m, bool ties) {
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 2);
  double *d = condensed_of(&x);
  const gpugeo_distances from_points = {.x = &x},
                         in_memory = {.condensed = d, .condensed_points = n};
  for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l) {
    const gpugeo_linkage linkage = (gpugeo_linkage)l;
    const bool chosen = linkage == GPUGEO_LINKAGE_SINGLE || linkage == GPUGEO_LINKAGE_COMPLETE;
    const char *name = gpugeo_name(GPUGEO_ENUM_LINKAGE, l);
    gpugeo_error error = {0};
    tree t = tree_make(n), other = tree_make(n), wanted = defined_tree(d, n, linkage);
    CHECK(!cluster(&in_memory, linkage, 1, &t, &error), "%s, %s: %s", what, name, error.message);
    const bool merges = !ties || linkage == GPUGEO_LINKAGE_COMPLETE;
    if (!ties || chosen)
      CHECK(is_defined(&t, &wanted, chosen ? 0 : 1e-12, merges), "%s, %s", what, name);
    check_order(&t, what);
    for (int32_t threads = 1; threads <= 5; threads += 2) {
      CHECK(!cluster(&from_points, linkage, threads, &other, &error) && trees_are_same(&t, &other),
            "%s, %s: points on %d threads: %s", what, name, threads, error.message);
      CHECK(!cluster(&in_memory, linkage, threads, &other, &error) && trees_are_same(&t, &other),
            "%s, %s: %d threads: %s", what, name, threads, error.message);
    }
    check_simd(what, &from_points, linkage, &t);
    check_simd(what, &in_memory, linkage, &t);
    for (int64_t k = 0; linkage < GPUGEO_LINKAGE_CENTROID && k < n - 2; ++k)
      CHECK(t.height[k] <= t.height[k + 1], "%s, %s: merge %lld", what, name, (long long)k);
    tree_free(&t);
    tree_free(&other);
    tree_free(&wanted);
  }
  free(d);
  free((void *)x.data);
}

static void test_definition(void) {
  const int64_t sizes[] = {2, 3, 4, 5, 17, 64, 150, 331};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int64_t m = 1; m <= 5; m += 2) {
      char what[64];
      snprintf(what, sizeof what, "%lld x %lld", (long long)sizes[s], (long long)m);
      double *points = data_points(DATA_RANDOM, sizes[s], m, (uint64_t)(s + 10 * (size_t)m));
      check_points(what, points, sizes[s], m, false);
      free(points);
    }
}

static void test_ties(void) {
  const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    double *points = data_points(kinds[k], 160, 2, k);
    check_points(data_name(kinds[k]), points, 160, 2, true);
    free(points);
  }
}

/* Points whose distances from the origin have a heavy tail: many rounds of few pairs. */
static double *scattered_points(int64_t n, int64_t m) {
  double *points = data_points(DATA_RANDOM, n, m, 41);
  dice dice = {17};
  for (int64_t i = 0; i < n; ++i) {
    const double factor = 1 / sqrt(fabs(dice_real(&dice)));
    for (int64_t k = 0; k < m; ++k)
      points[i * m + k] *= factor;
  }
  return points;
}

static void test_scattered(void) {
  double *points = scattered_points(500, 7);
  check_points("scattered", points, 500, 7, false);
  free(points);
}

/* All points are nearest to the first one, and after each merge to the cluster that has it: rounds
   of one pair, in which all others lose their nearest cluster. */
static double *star(int64_t n) {
  double *d = malloc((size_t)(n * (n - 1) / 2) * sizeof *d);
  for (int64_t j = 0, e = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i, ++e)
      d[e] = 1 + (double)i / 1024 + (double)j * 0x1p-30;
  return d;
}

static void test_star(void) {
  enum { N = 350 };
  double *d = star(N);
  const gpugeo_distances given = {.condensed = d, .condensed_points = N};
  for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l)
    for (int32_t threads = 1; threads <= 3; threads += 2) {
      const bool chosen = l == GPUGEO_LINKAGE_SINGLE || l == GPUGEO_LINKAGE_COMPLETE;
      tree t = tree_make(N), wanted = defined_tree(d, N, (gpugeo_linkage)l);
      gpugeo_error error = {0};
      CHECK(!cluster(&given, (gpugeo_linkage)l, threads, &t, &error) &&
                is_defined(&t, &wanted, chosen ? 0 : 1e-12, true),
            "star, %s: %s", gpugeo_name(GPUGEO_ENUM_LINKAGE, l), error.message);
      tree_free(&t);
      tree_free(&wanted);
    }
  free(d);
}

/* A line of points with growing gaps: a chain of nearest neighbours that is as long as the line,
   and rounds of one pair. */
static void test_line(void) {
  enum { N = 400 };
  double points[N], at = 0;
  for (int i = 0; i < N; ++i)
    points[i] = at += 1 + i / 1024.0;
  check_points("line", points, N, 1, false);
  for (int i = 0; i < N / 2; ++i) {
    const double kept = points[i];
    points[i] = points[N - 1 - i];
    points[N - 1 - i] = kept;
  }
  check_points("line backwards", points, N, 1, false);
}

/* All distances are equal: each merge is that of the first two clusters. */
static void test_equal(void) {
  enum { N = 200 };
  static double d[N * (N - 1) / 2];
  for (int e = 0; e < N * (N - 1) / 2; ++e)
    d[e] = 0.1;
  const gpugeo_distances equal = {.condensed = d, .condensed_points = N};
  for (int l = 0; l <= GPUGEO_LINKAGE_MCQUITTY; ++l) {
    gpugeo_error error = {0};
    tree t = tree_make(N);
    CHECK(!cluster(&equal, (gpugeo_linkage)l, 2, &t, &error), "%s", error.message);
    int64_t good = 0;
    for (int k = 0; k < N - 1; ++k)
      good += t.height[k] == 0.1 && t.merge[k] == (k == 0 ? 0 : k + 1) &&
              t.merge[k + N - 1] == (k == 0 ? 1 : N + k - 1);
    CHECK(good == N - 1, "linkage %d: %lld merges", l, (long long)good);
    tree_free(&t);
  }
}

/* Distances whose squares or sums would overflow or vanish give the scaled tree. */
static void test_extremes(void) {
  const double factors[] = {0x1p1000, 0x1p-1000, 0x1p600, 0x1p-600};
  double *points = data_points(DATA_RANDOM, 60, 3, 77);
  const gpugeo_matrix x = data_matrix(points, 60, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  double *d = condensed_of(&x), scaled[60 * 59 / 2];
  for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f)
    for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l) {
      gpugeo_error error = {0};
      const gpugeo_distances plain = {.condensed = d, .condensed_points = 60};
      const gpugeo_distances extreme = {.condensed = scaled, .condensed_points = 60};
      for (int e = 0; e < 60 * 59 / 2; ++e)
        scaled[e] = d[e] * factors[f];
      tree t = tree_make(60), wanted = tree_make(60);
      CHECK(!cluster(&plain, (gpugeo_linkage)l, 1, &wanted, &error) &&
                !cluster(&extreme, (gpugeo_linkage)l, 1, &t, &error),
            "%s", error.message);
      for (int k = 0; k < 59; ++k)
        wanted.height[k] *= factors[f];
      CHECK(is_defined(&t, &wanted, l == GPUGEO_LINKAGE_COMPLETE ? 0 : 1e-15, true),
            "linkage %d times %g", l, factors[f]);
      tree_free(&t);
      tree_free(&wanted);
    }
  free(points);
  free(d);
  free((void *)x.data);
}

/* --- Without a matrix ------------------------------------------------------------------------- */

/* Ward's linkages from centroids: the definition, and the same bits on any threads. `ties`: as in
   check_points(), where a matrix and centroids may merge different ones of several equal pairs. */
static void check_centroids(const char *what, const double *points, int64_t n, int64_t m,
                            bool ties) {
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 2);
  double *d = condensed_of(&x);
  const gpugeo_distances from_points = {.x = &x};
  gpugeo_error error = {0};
  tree t = tree_make(n), other = tree_make(n);
  gg_centroids_set_from(2);
  for (int power = 1; power <= 2; ++power) {
    const gpugeo_linkage linkage = power == 1 ? GPUGEO_LINKAGE_WARD_D2 : GPUGEO_LINKAGE_WARD_D;
    gpugeo_hclust_options options = options_for(linkage, GPUGEO_BACKEND_CPU);
    for (int64_t e = 0; power == 2 && e < n * (n - 1) / 2; ++e)
      d[e] *= d[e];
    if (power == 2) options.metric.kind = GPUGEO_METRIC_SQEUCLIDEAN;
    tree wanted = defined_tree(d, n, linkage);
    for (int32_t threads = 1; threads <= 5; threads += 2) {
      tree *made = threads == 1 ? &t : &other;
      options.run.threads = threads;
      CHECK(!gpugeo_hclust(&from_points, &options, made->merge, made->height, made->order, NULL,
                           &error) &&
                (threads == 1 || trees_are_same(&t, &other)),
            "%s, %d threads: %s", what, threads, error.message);
    }
    if (power == 1) check_simd(what, &from_points, linkage, &t);
    if (!ties) CHECK(is_defined(&t, &wanted, 1e-12, true), "%s, power %d", what, power);
    check_order(&t, what);
    for (int64_t k = 0; k < n - 2; ++k)
      CHECK(t.height[k] <= t.height[k + 1], "%s: merge %lld", what, (long long)k);
    tree_free(&wanted);
  }
  gg_centroids_set_from(0);
  tree_free(&t);
  tree_free(&other);
  free(d);
  free((void *)x.data);
}

/* Groups of points that are far apart or far from the origin, and whose own points are close
   together. */
static double *distant_groups(int64_t n, int64_t m, double offset, double size) {
  double *points = data_points(DATA_RANDOM, n, m, 19);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < m; ++k)
      points[i * m + k] = points[i * m + k] * size + offset + (double)(i % 9 * (k + 1));
  return points;
}

/* Coordinates whose squares vanish or overflow on the way, or would without a scale. */
static void test_centroids_extremes(void) {
  enum { N = 60, M = 3 };
  const double factors[] = {0x1p-1000, 0x1p-505, 0x1p-420, 0x1p450};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f)
    for (int power = 1; power <= (factors[f] * factors[f] > 0 ? 2 : 1); ++power) {
      double *points = data_points(DATA_RANDOM, N, M, 77);
      gpugeo_error error = {0};
      tree t = tree_make(N), wanted = tree_make(N);
      gpugeo_hclust_options options = options_for(
          power == 1 ? GPUGEO_LINKAGE_WARD_D2 : GPUGEO_LINKAGE_WARD_D, GPUGEO_BACKEND_CPU);
      if (power == 2) options.metric.kind = GPUGEO_METRIC_SQEUCLIDEAN;
      gg_centroids_set_from(2);
      for (int scaled = 0; scaled < 2; ++scaled) {
        const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, M, N, M, NULL};
        const gpugeo_distances from_points = {.x = &x};
        tree *made = scaled ? &t : &wanted;
        options.points = GPUGEO_POINTS_COLUMNS;
        CHECK(!gpugeo_hclust(&from_points, &options, made->merge, made->height, made->order, NULL,
                             &error),
              "%s", error.message);
        for (int k = 0; k < N * M; ++k)
          points[k] *= factors[f];
      }
      gg_centroids_set_from(0);
      for (int k = 0; k < N - 1; ++k)
        wanted.height[k] *= power == 1 ? factors[f] : factors[f] * factors[f];
      CHECK(is_defined(&t, &wanted, 1e-12, true), "power %d times %g", power, factors[f]);
      tree_free(&t);
      tree_free(&wanted);
      free(points);
    }
}

static void test_centroids(void) {
  const int64_t sizes[] = {2, 3, 5, 64, 331, 700};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    double *points = data_points(DATA_RANDOM, sizes[s], 5, 3 + s);
    check_centroids("centroids", points, sizes[s], 5, false);
    free(points);
  }
  for (int64_t m = 63; m < 200; m = 2 * m + 3) {
    double *points = data_points(DATA_RANDOM, 150, m, 3);
    check_centroids("centroids of many coordinates", points, 150, m, false);
    free(points);
  }
  double *points = scattered_points(500, 7);
  check_centroids("centroids, scattered", points, 500, 7, false);
  free(points);
  for (int k = 0; k < 4; ++k) {
    points = distant_groups(300, 3, k % 2 ? 1e8 : 0, k / 2 ? 1e-9 : 1);
    check_centroids("centroids, groups", points, 300, 3, k == 3);
    free(points);
  }
  const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    points = data_points(kinds[k], 300, 2, k);
    check_centroids(data_name(kinds[k]), points, 300, 2, true);
    free(points);
  }
}

/* --- A file ----------------------------------------------------------------------------------- */

static void check_file(const gpugeo_matrix *x, gpugeo_shape shape) {
  char path[300];
  snprintf(path, sizeof path, "%.200s/gpugeo-hclust-%d.h5", temporary_root(), (int)shape);
  const gpugeo_point_source source = {x, NULL, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_file_options file;
  gpugeo_dist_options_init(&options, sizeof options);
  gpugeo_dist_file_options_init(&file, sizeof file);
  options.run.backend = GPUGEO_BACKEND_CPU;
  file.file = path;
  file.shape = shape;
  file.side = 16;
  gpugeo_error error = {0};
  gpugeo_dist_file *opened = NULL;
  gpugeo_dist_file_info info;
  remove(path);
  CHECK(!gpugeo_dist_file_write(&source, &options, &file, NULL, &error) &&
            !gpugeo_dist_file_open(path, NULL, &opened, &info, &error),
        "%s", error.message);
  const gpugeo_distances points = {.x = x}, stored = {.file = opened};
  for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l) {
    tree t = tree_make(x->nrow), wanted = tree_make(x->nrow);
    CHECK(!cluster(&points, (gpugeo_linkage)l, 2, &wanted, &error) &&
              !cluster(&stored, (gpugeo_linkage)l, 2, &t, &error) && trees_are_same(&t, &wanted),
          "linkage %d of a file: %s", l, error.message);
    tree_free(&t);
    tree_free(&wanted);
  }
  gpugeo_dist_file_close(opened);
  remove(path);
}

static void test_file(void) {
  if (!*gpugeo_hdf5_version()) {
    check_skip(2, "built without HDF5");
    return;
  }
  double *points = data_points(DATA_RANDOM, 70, 3, 5);
  const gpugeo_matrix x = data_matrix(points, 70, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  check_file(&x, GPUGEO_SHAPE_CONDENSED);
  check_file(&x, GPUGEO_SHAPE_FULL);
  free(points);
  free((void *)x.data);
}

/* --- Cophenetic distances --------------------------------------------------------------------- */

/* For two points the height of the first merge that contains both. */
static void define_cophenetic(const tree *t, double *out) {
  const int64_t n = t->n;
  bool *member = calloc((size_t)((2 * n - 1) * n), sizeof *member);
  for (int64_t i = 0; i < n; ++i)
    member[i * n + i] = true;
  for (int64_t k = n - 2; k >= 0; --k)
    for (int64_t i = 0; i < n; ++i)
      member[(n + k) * n + i] = false;
  for (int64_t k = 0; k < n - 1; ++k)
    for (int64_t i = 0; i < n; ++i)
      member[(n + k) * n + i] = member[t->merge[k] * n + i] || member[t->merge[k + n - 1] * n + i];
  for (int64_t k = n - 2; k >= 0; --k)
    for (int64_t j = 0, e = 0; j < n; ++j)
      for (int64_t i = j + 1; i < n; ++i, ++e)
        if (member[(n + k) * n + i] && member[(n + k) * n + j]) out[e] = t->height[k];
  free(member);
}

static void test_cophenetic(void) {
  for (int64_t n = 2; n <= 130; n *= 2)
    for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l) {
      double *points = data_points(DATA_RANDOM, n, 2, (uint64_t)n);
      const gpugeo_matrix x = data_matrix(points, n, 2, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
      const gpugeo_distances d = {.x = &x};
      const size_t bytes = (size_t)(n * (n - 1) / 2) * sizeof(double);
      double *out = malloc(bytes), *wanted = malloc(bytes);
      tree t = tree_make(n);
      gpugeo_error error = {0};
      gpugeo_run run;
      gpugeo_run_init(&run, sizeof run);
      CHECK(!cluster(&d, (gpugeo_linkage)l, 1, &t, &error), "%s", error.message);
      define_cophenetic(&t, wanted);
      for (run.threads = 1; run.threads <= 4; run.threads += 3)
        CHECK(!gpugeo_cophenetic(n, t.merge, t.height, &run, out, NULL, &error) &&
                  memcmp(out, wanted, bytes) == 0,
              "%lld points, linkage %d: %s", (long long)n, l, error.message);
      gpugeo_report report = {0};
      run.work_bytes = 46 * n; /* of two threads */
      CHECK(!gpugeo_cophenetic(n, t.merge, t.height, &run, out, &report, &error) &&
                memcmp(out, wanted, bytes) == 0 && report.threads == 2,
            "%lld points, linkage %d, %d threads: %s", (long long)n, l, report.threads,
            error.message);
      tree_free(&t);
      free(out);
      free(wanted);
      free(points);
      free((void *)x.data);
    }
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void check_error(gpugeo_status status, const gpugeo_error *error, gpugeo_status code,
                        const char *message) {
  CHECK(status == code && strcmp(error->message, message) == 0, "status %d: \"%s\"", status,
        error->message);
}

static int stop(void *polls) { return ++*(int *)polls > 3; }

/* Stops Ward's linkage of n points without a matrix after up to so many polls. */
static void check_centroids_stop(gpugeo_backend backend, int64_t n, int most, int step) {
  double *points = data_points(DATA_RANDOM, n, 3, 5);
  const gpugeo_matrix x = data_matrix(points, n, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances from_points = {.x = &x};
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_WARD_D2, backend);
  gpugeo_error error = {0};
  tree t = tree_make(n);
  gg_centroids_set_from(2);
  options.run.interrupt = stop;
  gg_clock_set_polls(1);
  for (int before = 3; before > -most; before -= step) {
    int polls = before;
    options.run.hook_data = &polls;
    check_error(gpugeo_hclust(&from_points, &options, t.merge, t.height, t.order, NULL, &error),
                &error, GPUGEO_ERROR_INTERRUPT, "interrupted");
  }
  gg_clock_set_polls(0);
  gg_centroids_set_from(0);
  tree_free(&t);
  free(points);
  free((void *)x.data);
}

/* What a matrix is needed for is left to the matrix. */
static void test_centroids_errors(void) {
  enum { N = 400 };
  double *points = data_points(DATA_RANDOM, N, 3, 5);
  points[7 * 3] = INFINITY;
  const gpugeo_matrix x = data_matrix(points, N, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances from_points = {.x = &x};
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_WARD_D2, GPUGEO_BACKEND_CPU);
  gpugeo_error error = {0};
  tree t = tree_make(N);
  gg_centroids_set_from(2);
  check_error(gpugeo_hclust(&from_points, &options, t.merge, t.height, t.order, NULL, &error),
              &error, GPUGEO_ERROR_DATA,
              "d must have finite distances only, but 399 of them are not; the first is Inf, "
              "between points 1 and 8");
  gg_centroids_set_from(0);
  tree_free(&t);
  free(points);
  free((void *)x.data);
}

/* Single linkage of points finds infinite distances that are not in the tree. */
static void check_infinite_distances(gpugeo_backend backend) {
  static const struct {
    gpugeo_metric metric;
    double p, x[6]; /* 3 points, by columns; only the first two are infinitely far apart */
  } given[] = {{GPUGEO_METRIC_BRAYCURTIS, 2, {1, -1, 3, 0, 0, 0}},
               {GPUGEO_METRIC_MANHATTAN, 2, {1e308, -1e308, NAN, 0, 0, 0}},
               {GPUGEO_METRIC_MINKOWSKI, 0x1p-10, {0, 1e10, 1e10, 0, 1e10, 0}}};
  for (size_t k = 0; k < sizeof given / sizeof *given; ++k) {
    const gpugeo_matrix x = {given[k].x, GPUGEO_TYPE_DOUBLE, 3, 2, 3, NULL};
    const gpugeo_distances from_points = {.x = &x};
    gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_SINGLE, backend);
    options.metric.kind = given[k].metric;
    options.metric.p = given[k].p;
    gpugeo_error error = {0};
    tree t = tree_make(3);
    check_error(gpugeo_hclust(&from_points, &options, t.merge, t.height, t.order, NULL, &error),
                &error, GPUGEO_ERROR_DATA,
                "d must have finite distances only, but 1 of them is not; the first is Inf, "
                "between points 1 and 2");
    tree_free(&t);
  }
}

static void test_errors(void) {
  const double d[] = {1, NAN, 3, 4, INFINITY, NAN};
  const gpugeo_distances bad = {.condensed = d, .condensed_points = 4}, none = {.x = NULL};
  gpugeo_distances later = {.condensed = d, .condensed_points = 2};
  gpugeo_error error = {0};
  tree t = tree_make(4);
  for (int l = 0; l < GPUGEO_LINKAGE_COUNT; ++l)
    check_error(cluster(&bad, (gpugeo_linkage)l, 3, &t, &error), &error, GPUGEO_ERROR_DATA,
                "d must have finite distances only, but 3 of them are not; the first is missing, "
                "between points 1 and 3");
  check_error(cluster(&none, GPUGEO_LINKAGE_SINGLE, 1, &t, &error), &error, GPUGEO_ERROR_ARGUMENT,
              "d must be points, condensed distances, a file of them or distances on a device");
  check_error(cluster(&later, GPUGEO_LINKAGE_COUNT, 1, &t, &error), &error, GPUGEO_ERROR_ARGUMENT,
              "linkage must be between 0 and 7, not 8");
  later.reserved[2] = 1;
  check_error(cluster(&later, GPUGEO_LINKAGE_SINGLE, 1, &t, &error), &error, GPUGEO_ERROR_ARGUMENT,
              "d must be points, condensed distances, a file of them or distances on a device");
  tree_free(&t);
}

static void test_work_bytes(void) {
  enum { N = 2000 };
  double *d = calloc(N * (N - 1) / 2, sizeof *d);
  const gpugeo_distances large = {.condensed = d, .condensed_points = N};
  const gpugeo_distances two = {.condensed = d, .condensed_points = 2};
  gpugeo_error error = {0};
  tree t = tree_make(N);
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_COMPLETE, GPUGEO_BACKEND_CPU);
  options.run.work_bytes = (int64_t)1 << 24;
  CHECK(gpugeo_hclust(&large, &options, t.merge, t.height, t.order, NULL, &error) ==
                GPUGEO_ERROR_MEMORY &&
            strncmp(error.message, "memory_limit must be at least", 29) == 0,
        "%s", error.message);
  options.linkage = GPUGEO_LINKAGE_SINGLE; /* no matrix */
  CHECK(!gpugeo_hclust(&large, &options, t.merge, t.height, t.order, NULL, &error), "%s",
        error.message);
  options.run.work_bytes = 1000;
  CHECK(!gpugeo_hclust(&two, &options, t.merge, t.height, t.order, NULL, &error), "%s",
        error.message);
  tree_free(&t);
  free(d);
}

static void test_points(void) {
  const double values[6] = {0};
  const gpugeo_matrix x = {values, GPUGEO_TYPE_DOUBLE, 2, 3, 2, NULL};
  const gpugeo_distances none = {.x = NULL}, of_x = {.x = &x},
                         later = {.x = &x, .reserved = {0, 1}},
                         four = {.condensed = values, .condensed_points = 4},
                         negative = {.condensed = values, .condensed_points = -1},
                         both = {.x = &x, .condensed = values};
  const char *const no_source =
      "x must be points, condensed distances, a file of them or distances on a device";
  gpugeo_error error = {0};
  int64_t n = 0;
  CHECK(!gpugeo_distances_points(&of_x, GPUGEO_POINTS_ROWS, &n, &error) && n == 2, "rows");
  CHECK(!gpugeo_distances_points(&of_x, GPUGEO_POINTS_COLUMNS, &n, &error) && n == 3, "columns");
  CHECK(!gpugeo_distances_points(&four, GPUGEO_POINTS_ROWS, &n, &error) && n == 4, "condensed");
  const gpugeo_distances *const wrong[] = {NULL, &none, &later, &both};
  for (int k = 0; k < 4; ++k)
    check_error(gpugeo_distances_points(wrong[k], GPUGEO_POINTS_ROWS, &n, &error), &error,
                GPUGEO_ERROR_ARGUMENT, no_source);
  check_error(gpugeo_distances_points(&negative, GPUGEO_POINTS_ROWS, &n, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "x must have at least 0 points, not -1");
}

static void test_cophenetic_errors(void) {
  const int32_t twice[] = {0, 0, 1, 2}, itself[] = {0, 4, 1, 2}, below[] = {0, -1, 1, 2};
  const int32_t *const wrong[] = {twice, itself, below};
  const double height[] = {1, 2};
  double out[3];
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  for (int w = 0; w < 3; ++w)
    check_error(gpugeo_cophenetic(3, wrong[w], height, &run, out, NULL, &error), &error,
                GPUGEO_ERROR_ARGUMENT,
                "merge must have each point and each earlier merge once, but row 2 does not");
  check_error(gpugeo_cophenetic(1, twice, height, &run, out, NULL, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "n must be between 2 and 1073741824, not 1");
  check_error(gpugeo_cophenetic(INT64_MAX, twice, height, &run, out, NULL, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "n must be between 2 and 1073741824, not 9223372036854775807");
  check_error(gpugeo_cophenetic(3, NULL, height, &run, out, NULL, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "merge must not be NULL");
  check_error(gpugeo_cophenetic(3, twice, NULL, &run, out, NULL, &error), &error,
              GPUGEO_ERROR_ARGUMENT, "height must not be NULL");
  run.work_bytes = 3 * 38 - 1;
  check_error(
      gpugeo_cophenetic(3, twice, height, &run, out, NULL, &error), &error, GPUGEO_ERROR_MEMORY,
      "memory_limit must be at least 114 bytes for cophenetic distances of 3 points, not 113");
}

/* Stops the cophenetic distances of a dendrogram in which each point joins those before it, at each
   of the polls. */
static void test_cophenetic_stop(void) {
  enum { N = 1200 };
  static int32_t merge[2 * (N - 1)];
  static double height[N - 1], out[N * (N - 1) / 2];
  for (int k = 0; k < N - 1; ++k) {
    merge[k] = k == 0 ? 0 : N + k - 1;
    merge[k + N - 1] = k + 1;
    height[k] = k + 1;
  }
  gpugeo_run run;
  gpugeo_error error = {0};
  gpugeo_run_init(&run, sizeof run);
  run.threads = 1;
  run.interrupt = stop;
  gg_clock_set_polls(1);
  int polls = -1000; /* stop() counts up to 3 */
  run.hook_data = &polls;
  CHECK(!gpugeo_cophenetic(N, merge, height, &run, out, NULL, &error), "%s", error.message);
  const int all = polls + 1000;
  CHECK(all > 5, "%d polls", all);
  for (int at = 1; at <= all; ++at) {
    polls = 4 - at;
    check_error(gpugeo_cophenetic(N, merge, height, &run, out, NULL, &error), &error,
                GPUGEO_ERROR_INTERRUPT, "interrupted");
    CHECK(polls == 4, "poll %d of %d: %d", at, all, polls);
  }
  gg_clock_set_polls(0);
  run.interrupt = NULL;
  CHECK(!gpugeo_cophenetic(N, merge, height, &run, out, NULL, &error) && out[0] == 1 &&
            out[N * (N - 1) / 2 - 1] == N - 1,
        "%s", error.message);
}

/* --- On a device ------------------------------------------------------------------------------ */

/* True if both backends make the same tree; `report` is that of CUDA. */
static bool is_same_tree(const gpugeo_distances *d, gpugeo_hclust_options options, int64_t n,
                         gpugeo_report *report, gpugeo_error *error) {
  tree cpu = tree_make(n), cuda = tree_make(n);
  options.run.backend = GPUGEO_BACKEND_CPU;
  gpugeo_status status = gpugeo_hclust(d, &options, cpu.merge, cpu.height, cpu.order, NULL, error);
  options.run.backend = GPUGEO_BACKEND_CUDA;
  if (!status)
    status = gpugeo_hclust(d, &options, cuda.merge, cuda.height, cuda.order, report, error);
  const bool same = !status && trees_are_same(&cpu, &cuda);
  tree_free(&cpu);
  tree_free(&cuda);
  return same;
}

/* All linkages that a device has, from points with a metric and from their distances. */
static void compare_sources(const char *what, const gpugeo_matrix *x, gpugeo_metric metric,
                            const double *members) {
  const int64_t n = x->nrow;
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.run.backend = GPUGEO_BACKEND_CPU;
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  gpugeo_error error = {0};
  CHECK(!gpugeo_dist(x, NULL, &options, GPUGEO_TYPE_DOUBLE, condensed, NULL, &error), "%s: %s",
        what, error.message);
  const gpugeo_distances sources[] = {{.x = x}, {.condensed = condensed, .condensed_points = n}};
  for (int l = 0; l < GPUGEO_LINKAGE_CENTROID; ++l)
    for (int s = 0; s < 2; ++s) {
      if (check_leaves_out(n > 1000 ? 11 : 5)) continue;
      gpugeo_hclust_options job = options_for((gpugeo_linkage)l, GPUGEO_BACKEND_CUDA);
      gpugeo_report report = {0};
      job.metric = options.metric;
      job.members = members;
      job.members_length = members ? n : 0;
      CHECK(is_same_tree(&sources[s], job, n, &report, &error) &&
                report.backend == GPUGEO_BACKEND_CUDA && report.device_seconds > 0,
            "%s, %s, %s: backend %d: %s", what, gpugeo_name(GPUGEO_ENUM_LINKAGE, l),
            s ? "condensed" : "points", (int)report.backend, error.message);
    }
  free(condensed);
}

static void compare_kind(data_kind kind, int64_t n, int64_t m, gpugeo_metric metric) {
  double *points = data_points(kind, n, m, 31);
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 3);
  char what[120];
  snprintf(what, sizeof what, "%lld %s points of %lld, %s", (long long)n, data_name(kind),
           (long long)m, gpugeo_name(GPUGEO_ENUM_METRIC, metric));
  compare_sources(what, &x, metric, NULL);
  free(points);
  free((void *)x.data);
}

/* More observations in some points than in others. */
static void compare_members(void) {
  enum { N = 300 };
  double *points = data_points(DATA_RANDOM, N, 2, 8), members[N];
  for (int i = 0; i < N; ++i)
    members[i] = 1 + i % 7 + 0.5 * (i % 3);
  const gpugeo_matrix x = data_matrix(points, N, 2, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  compare_sources("members", &x, GPUGEO_METRIC_EUCLIDEAN, members);
  free(points);
  free((void *)x.data);
}

static void compare_condensed(const char *what, const double *d, int64_t n) {
  const gpugeo_distances given = {.condensed = d, .condensed_points = n};
  for (int l = 0; l < GPUGEO_LINKAGE_CENTROID; ++l) {
    if (check_leaves_out(5)) continue;
    gpugeo_report report;
    gpugeo_error error = {0};
    CHECK(is_same_tree(&given, options_for((gpugeo_linkage)l, GPUGEO_BACKEND_CUDA), n, &report,
                       &error),
          "%s, %s: %s", what, gpugeo_name(GPUGEO_ENUM_LINKAGE, l), error.message);
  }
}

/* One point is the nearest of all others. Some distances are equal. */
static void compare_hub(int64_t n) {
  double *d = malloc((size_t)(n * (n - 1) / 2) * sizeof *d);
  dice dice = {12};
  for (int64_t e = 0; e < n * (n - 1) / 2; ++e)
    d[e] = e < n - 1 ? 1 + 0.125 * dice_real(&dice) : 1.5 + floor(512 * dice_real(&dice)) / 512;
  compare_condensed("hub", d, n);
  free(d);
}

static void compare_few_pairs(int64_t n) {
  double *d = star(n), *points = scattered_points(n, 10);
  const gpugeo_matrix x = data_matrix(points, n, 10, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  compare_condensed("star", d, n);
  compare_sources("scattered", &x, GPUGEO_METRIC_EUCLIDEAN, NULL);
  free(d);
  free(points);
  free((void *)x.data);
}

/* Distances that must be scaled. */
static void compare_extremes(void) {
  enum { N = 90 };
  static double d[N * (N - 1) / 2];
  const double factors[] = {0x1p1000, 0x1p-1000};
  dice dice = {9};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
    for (int e = 0; e < N * (N - 1) / 2; ++e)
      d[e] = (1 + dice_real(&dice)) * factors[f];
    const gpugeo_distances extreme = {.condensed = d, .condensed_points = N};
    for (int l = 0; l < GPUGEO_LINKAGE_CENTROID; ++l) {
      gpugeo_report report;
      gpugeo_error error = {0};
      CHECK(is_same_tree(&extreme, options_for((gpugeo_linkage)l, GPUGEO_BACKEND_CUDA), N, &report,
                         &error),
            "linkage %d times %g: %s", l, factors[f], error.message);
    }
  }
}

/* Ward's linkages from centroids: the bits of the CPU. */
static void compare_centroids(const char *what, const gpugeo_matrix *x) {
  const gpugeo_distances from_points = {.x = x};
  gg_centroids_set_from(2);
  for (int power = 1; power <= 2; ++power) {
    if (check_leaves_out(3)) continue;
    gpugeo_hclust_options options = options_for(
        power == 1 ? GPUGEO_LINKAGE_WARD_D2 : GPUGEO_LINKAGE_WARD_D, GPUGEO_BACKEND_CUDA);
    if (power == 2) options.metric.kind = GPUGEO_METRIC_SQEUCLIDEAN;
    gpugeo_report report = {0};
    gpugeo_error error = {0};
    CHECK(is_same_tree(&from_points, options, x->nrow, &report, &error) &&
              report.backend == GPUGEO_BACKEND_CUDA && report.device_seconds > 0,
          "%s, power %d: backend %d: %s", what, power, (int)report.backend, error.message);
  }
  gg_centroids_set_from(0);
}

/* The same of points, which it frees. */
static void compare_centroids_of(const char *what, double *points, int64_t n, int64_t m) {
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 2);
  compare_centroids(what, &x);
  free((void *)x.data);
  free(points);
}

static void compare_all_centroids(void) {
  const int64_t sizes[] = {2, 3, 5, 64, 129, 331, 700, 6000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes - (CHECK_SMALL ? 1 : 0); ++s)
    for (int64_t m = 1; m <= 41; m += 20)
      compare_centroids_of("centroids", data_points(DATA_RANDOM, sizes[s], m, 3 + s), sizes[s], m);
  const int64_t many = CHECK_SMALL ? 400 : 2500;
  compare_centroids_of("centroids, scattered", scattered_points(many, 7), many, 7);
  for (int k = 0; k < 4; ++k)
    compare_centroids_of("centroids, groups",
                         distant_groups(900, 3, k % 2 ? 1e8 : 0, k / 2 ? 1e-9 : 1), 900, 3);
  /* More than a sample, rows of one and of several parts, and groups that take two halves and have
     more pairs that may be nearest than there is room for. */
  for (int64_t m = 3; m <= (CHECK_SMALL ? 3 : 73); m += 35) {
    compare_centroids_of("centroids, many", data_points(DATA_RANDOM, 9100, m, m), 9100, m);
    compare_centroids_of("centroids, many groups", distant_groups(9100, m, 0, 1e-4), 9100, m);
  }
  compare_centroids_of("centroids, equal", data_points(DATA_COINCIDENT, many, 2, 1), many, 2);
  const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    compare_centroids_of(data_name(kinds[k]), data_points(kinds[k], 700, 2, k), 700, 2);
  const double factors[] = {0x1p-1000, 0x1p-505, 0x1p-420, 0x1p450};
  for (size_t f = 0; f < sizeof factors / sizeof *factors; ++f) {
    double *points = data_points(DATA_RANDOM, 60, 3, 77);
    for (int k = 0; k < 60 * 3; ++k)
      points[k] *= factors[f];
    compare_centroids_of("centroids, extremes", points, 60, 3);
  }
}

static void test_device_errors(void) {
  static double d[1000 * 999 / 2];
  dice dice = {4};
  for (int e = 0; e < 1000 * 999 / 2; ++e)
    d[e] = dice_real(&dice);
  gpugeo_distances given = {.condensed = d, .condensed_points = 1000};
  gpugeo_error error = {0};
  tree t = tree_make(1000);
  for (int l = 0; l < GPUGEO_LINKAGE_CENTROID; ++l) {
    int polls = 0;
    gpugeo_hclust_options options = options_for((gpugeo_linkage)l, GPUGEO_BACKEND_CUDA);
    options.run.interrupt = stop;
    options.run.hook_data = &polls;
    gg_clock_set_polls(1);
    check_error(gpugeo_hclust(&given, &options, t.merge, t.height, t.order, NULL, &error), &error,
                GPUGEO_ERROR_INTERRUPT, "interrupted");
    gg_clock_set_polls(0);
    d[2] = NAN;
    d[999 + 5] = INFINITY;
    options.run.interrupt = NULL;
    check_error(gpugeo_hclust(&given, &options, t.merge, t.height, t.order, NULL, &error), &error,
                GPUGEO_ERROR_DATA,
                "d must have finite distances only, but 2 of them are not; the first is missing, "
                "between points 1 and 4");
    d[2] = 1;
    check_error(
        gpugeo_hclust(&given, &options, t.merge, t.height, t.order, NULL, &error), &error,
        GPUGEO_ERROR_DATA,
        "d must have finite distances only, but 1 of them is not; the first is Inf, between "
        "points 2 and 8");
    d[999 + 5] = 1;
  }
  tree_free(&t);
}

/* Those that rounds cannot merge are refused, and left to the CPU by default. */
static void test_device_linkages(void) {
  const double d[] = {1, 2, 3};
  const gpugeo_distances given = {.condensed = d, .condensed_points = 3};
  tree t = tree_make(3);
  for (int l = GPUGEO_LINKAGE_CENTROID; l < GPUGEO_LINKAGE_COUNT; ++l) {
    gpugeo_hclust_options options = options_for((gpugeo_linkage)l, GPUGEO_BACKEND_CUDA);
    gpugeo_report report = {0};
    gpugeo_error error = {0};
    char message[120];
    snprintf(message, sizeof message,
             "backend must be \"auto\" or \"cpu\" for the method \"%s\", not \"cuda\"",
             gpugeo_name(GPUGEO_ENUM_LINKAGE, l));
    check_error(gpugeo_hclust(&given, &options, t.merge, t.height, t.order, NULL, &error), &error,
                GPUGEO_ERROR_ARGUMENT, message);
    options.run.backend = GPUGEO_BACKEND_AUTO;
    CHECK(!gpugeo_hclust(&given, &options, t.merge, t.height, t.order, &report, &error) &&
              report.backend == GPUGEO_BACKEND_CPU,
          "linkage %d: %s", l, error.message);
  }
  tree_free(&t);
}

/* Devices that are too small: an error that says how much each of them needs. */
static void check_device_memory(const char *where, const char *needed) {
  const int64_t n = 1000000;
  const double d[] = {1};
  const gpugeo_distances large = {.condensed = d, .condensed_points = n};
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_AVERAGE, GPUGEO_BACKEND_CUDA);
  gpugeo_error error = {0};
  tree t = tree_make(n);
  const gpugeo_status status =
      gpugeo_hclust(&large, &options, t.merge, t.height, t.order, NULL, &error);
  char begin[100];
  snprintf(begin, sizeof begin, "the clustering of 1000000 points needs %s", needed);
  CHECK(status == GPUGEO_ERROR_MEMORY && strstr(error.message, begin) &&
            strstr(error.message, where) && strstr(error.message, "GiB more than are free"),
        "status %d: \"%s\"", status, error.message);
  tree_free(&t);
}

/* --- On several devices ----------------------------------------------------------------------- */

/* True if so many devices share the matrix of a linkage. */
static bool is_divided(gpugeo_linkage linkage, int32_t devices) {
  enum { N = 40 };
  double *points = data_points(DATA_RANDOM, N, 2, 6);
  const gpugeo_matrix x = data_matrix(points, N, 2, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances given = {.x = &x};
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  const bool same =
      is_same_tree(&given, options_for(linkage, GPUGEO_BACKEND_CUDA), N, &report, &error);
  free(points);
  free((void *)x.data);
  return same && report.devices == devices;
}

/* Stops a clustering after up to so many polls. */
static void check_divided_stop(int most, int step) {
  enum { N = 1500 };
  double *points = scattered_points(N, 3);
  const gpugeo_matrix x = data_matrix(points, N, 3, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances given = {.x = &x};
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_AVERAGE, GPUGEO_BACKEND_CUDA);
  gpugeo_error error = {0};
  tree t = tree_make(N);
  options.run.interrupt = stop;
  gg_clock_set_polls(1);
  for (int before = 3; before > -most; before -= step) {
    int polls = before;
    options.run.hook_data = &polls;
    check_error(gpugeo_hclust(&given, &options, t.merge, t.height, t.order, NULL, &error), &error,
                GPUGEO_ERROR_INTERRUPT, "interrupted");
  }
  gg_clock_set_polls(0);
  tree_free(&t);
  free(points);
  free((void *)x.data);
}

/* A matrix in so many parts on each device; of few points, some parts have no rows. */
static void compare_divided(int32_t each) {
  const int32_t devices = each * gpugeo_device_count();
  const int64_t sizes[] = {2, 3, 4, 5, 31, 150, 700};
  printf("matrices on %d devices\n", (int)devices);
  fflush(stdout);
  set_workers(each);
  CHECK(is_divided(GPUGEO_LINKAGE_AVERAGE, devices), "not on %d devices", (int)devices);
  CHECK(is_divided(GPUGEO_LINKAGE_SINGLE, 1), "a spanning tree is not divided");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    compare_kind(DATA_RANDOM, sizes[s], 3, GPUGEO_METRIC_EUCLIDEAN);
  const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    compare_kind(kinds[k], 260, 2, GPUGEO_METRIC_MANHATTAN);
  if (!CHECK_SMALL) /* rows come in several turns */
    compare_kind(DATA_RANDOM, 4700, 2, GPUGEO_METRIC_CANBERRA);
  compare_members();
  compare_extremes();
  compare_few_pairs(CHECK_SMALL ? 100 : 500);
  compare_hub(500);
  check_divided_stop(60, 9);
  test_device_errors();
  char where[60], needed[20];
  snprintf(where, sizeof where, "GiB of memory on each of %d CUDA devices, ", (int)devices);
  snprintf(needed, sizeof needed, "%d", (int)(8e10 / devices / 1024 / 1024 / 1024)); /* hundreds */
  check_device_memory(where, needed);
  set_workers(0);
}

static void test_divided(void) {
  if (gpugeo_device_count() > 1)
    compare_divided(1);
  else
    check_skip(1, "one CUDA device: no matrix is divided between two");
  compare_divided(3);
}

static void test_device(void) {
  gpugeo_error error = {0};
  test_device_linkages();
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), its trees are not compared", error.message);
    return;
  }
  const int64_t sizes[] = {2, 3, 5, 31, 150, 331, 700};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int64_t m = 1; m <= 5; m += 2)
      compare_kind(DATA_RANDOM, sizes[s], m, GPUGEO_METRIC_EUCLIDEAN);
  const data_kind kinds[] = {DATA_TIED, DATA_COUNTS, DATA_COINCIDENT, DATA_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    compare_kind(kinds[k], 260, 2, GPUGEO_METRIC_MANHATTAN);
  compare_kind(DATA_RANDOM, 2500, 3, GPUGEO_METRIC_CANBERRA); /* rows of several chunks */
  if (!CHECK_SMALL) compare_kind(DATA_RANDOM, 4700, 2, GPUGEO_METRIC_EUCLIDEAN);
  compare_members();
  compare_hub(CHECK_SMALL ? 2100 : 3300); /* rows of several blocks */
  compare_few_pairs(CHECK_SMALL ? 200 : 2500);
  compare_extremes();
  compare_all_centroids();
  check_centroids_stop(GPUGEO_BACKEND_CUDA, 3000, 60, 9);
  check_infinite_distances(GPUGEO_BACKEND_CUDA);
  test_device_errors();
  check_device_memory("GiB of memory on CUDA device 0, ", "7450.");
  test_divided();
}

/* --- A device with less memory than the matrix ------------------------------------------------ */

static int64_t free_bytes;     /* of each device */
static int32_t small_devices;  /* how many there are, */
static int32_t device_workers; /* and how many the last call had */
static int device_calls;       /* of device_hclust() */

static int32_t count_small_devices(void) { return small_devices; }
static int32_t small_workers(int32_t device) {
  return device == GPUGEO_DEVICE_ALL ? small_devices : 1;
}

static gpugeo_status device_get(int32_t device, gpugeo_device *info, gpugeo_error *error) {
  (void)device, (void)error;
  *info = (gpugeo_device){.name = "small", .total_bytes = free_bytes, .free_bytes = free_bytes};
  return GPUGEO_OK;
}

static gpugeo_status device_hclust(const gg_hclust_plan *plan, gg_merge *merges, gg_call *call) {
  gpugeo_report host = *call->report;
  ++device_calls;
  device_workers = plan->workers;
  return gg_cpu_hclust(plan, merges, GG_CALL_OF(call->clock, &host, call->error));
}

/* Clusters d by the backend "auto", with so much free memory on each device. Returns how many of
   the devices computed, and fills the tree. */
static int32_t devices_that_take(const gpugeo_distances *d, int64_t bytes, int32_t device,
                                 tree *t) {
  gpugeo_hclust_options options = options_for(GPUGEO_LINKAGE_AVERAGE, GPUGEO_BACKEND_AUTO);
  gpugeo_report report = {0};
  gpugeo_error error = {0};
  options.run.threads = 1;
  options.run.device = device;
  free_bytes = bytes;
  device_calls = 0;
  CHECK(!gpugeo_hclust(d, &options, t->merge, t->height, t->order, &report, &error), "%s",
        error.message);
  const int32_t devices = device_calls ? device_workers : 0, where = devices == 1 ? 0 : -1;
  CHECK(report.backend == (devices ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU) &&
            report.device == where && report.devices == devices && device_calls == (devices > 0),
        "backend %d, device %d of %d, %d calls of the device", report.backend, report.device,
        report.devices, device_calls);
  return devices;
}

/* Three devices share a matrix that one has no memory for, unless the call names one. */
static void check_small_devices(const gpugeo_distances *d, int64_t n, const tree *wanted) {
  const int64_t rest = (int64_t)1 << 30, all = 8 * n * n + rest, part = 8 * n * n / 3 + rest + 1;
  tree t = tree_make(n);
  small_devices = 3;
  CHECK(devices_that_take(d, all, GPUGEO_DEVICE_ALL, &t) == 1, "one device has the memory");
  CHECK(devices_that_take(d, all - 1, GPUGEO_DEVICE_ALL, &t) == 3, "they do not share a matrix");
  CHECK(devices_that_take(d, part, GPUGEO_DEVICE_ALL, &t) == 3, "they do not share a matrix");
  CHECK(is_defined(&t, wanted, 1e-12, true), "another tree");
  CHECK(devices_that_take(d, part - 2, GPUGEO_DEVICE_ALL, &t) == 0, "they have no memory for it");
  CHECK(devices_that_take(d, part, 0, &t) == 0, "one was named, and has no memory for it");
  small_devices = 1;
  tree_free(&t);
}

/* By default, a device computes if it has memory for the matrix and 1 GiB, and else the CPU. */
static void test_small_device(void) {
  const gg_backend *cuda = gg_backend_of(GPUGEO_BACKEND_CUDA);
  static gg_backend device; /* instead of CUDA */
  device = host_device;
  device.id = GPUGEO_BACKEND_CUDA;
  device.can.algorithms[GG_FAMILY_DIST] = 0; /* its reports would be those of distances */
  device.can.algorithms[GG_FAMILY_HCLUST] = GG_ALL_ALGORITHMS;
  device.can.automatic = true;
  device.can.bytes_per_second = 1e12;
  device.device_get = device_get;
  device.device_count = count_small_devices;
  device.workers = small_workers;
  device.can.spread_seconds = 1;
  small_devices = 1;
  device.hclust = device_hclust;
  CHECK(gg_backend_add(&device), "no room");
  const int64_t n = 1000, needed = 8 * n * n + ((int64_t)1 << 30);
  double *points = data_points(DATA_RANDOM, n, 2, 5);
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, n, 2, n, NULL};
  double *d = condensed_of(&x);
  const gpugeo_distances given[] = {{.condensed = d, .condensed_points = n}, {.x = &x}};
  tree wanted = defined_tree(d, n, GPUGEO_LINKAGE_AVERAGE), t = tree_make(n);
  for (int source = 0; source < 2; ++source) {
    for (int64_t less = 0; less < 2; ++less) {
      const int32_t takes = devices_that_take(&given[source], needed - less, -1, &t);
      CHECK(takes == (less == 0), "source %d, %lld bytes less than the device needs", source,
            (long long)less);
      CHECK(is_defined(&t, &wanted, 1e-12, true), "source %d: another tree", source);
    }
    check_small_devices(&given[source], n, &wanted);
  }
  CHECK(gg_backend_add(cuda), "CUDA is not back");
  tree_free(&wanted);
  tree_free(&t);
  free(points);
  free(d);
}

int main(void) {
  test_definition();
  test_ties();
  test_line();
  test_scattered();
  test_star();
  test_equal();
  test_extremes();
  test_centroids();
  test_centroids_extremes();
  test_centroids_errors();
  check_centroids_stop(GPUGEO_BACKEND_CPU, 400, 200, 20);
  test_file();
  test_cophenetic();
  test_errors();
  test_work_bytes();
  test_points();
  test_cophenetic_errors();
  check_infinite_distances(GPUGEO_BACKEND_CPU);
  test_cophenetic_stop();
  test_device();
  test_small_device();
  return check_end();
}
