/* Trees by neighbour joining against their definition, and the same bits from points and condensed
   distances, on any number of threads; dendrograms as trees. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gpugeo.h"

/* --- A tree ----------------------------------------------------------------------------------- */

typedef struct tree {
  int64_t edges;
  int32_t *edge;
  double *length;
} tree;

static tree tree_make(int64_t edges) {
  return (tree){edges, calloc((size_t)(2 * edges), sizeof(int32_t)),
                calloc((size_t)edges, sizeof(double))};
}

static void tree_free(tree *t) {
  free(t->edge);
  free(t->length);
}

static bool trees_are_same(const tree *a, const tree *b) {
  return memcmp(a->edge, b->edge, (size_t)(2 * a->edges) * sizeof *a->edge) == 0 &&
         memcmp(a->length, b->length, (size_t)a->edges * sizeof *a->length) == 0;
}

/* --- The definition --------------------------------------------------------------------------- */

/* The nodes that are left, by position, in a matrix of `stride` columns. */
typedef struct nodes {
  int64_t m, stride;
  long double *d, *v, *sum;
  int32_t *node;
} nodes;

static long double *at(const nodes *s, long double *matrix, int64_t i, int64_t j) {
  return &matrix[i * s->stride + j];
}

/* True if a pair comes before another one whose criterion is as low. */
static bool is_first(bool bionj, int64_t i, int64_t j, const int64_t best[2]) {
  return bionj && (j < best[1] || (j == best[1] && i < best[0]));
}

/* Finds the first pair with the lowest criterion. Those within 1e-12 count as equal. */
static void find_pair(const nodes *s, bool bionj, int64_t best[2]) {
  long double least = INFINITY;
  for (int64_t i = 0; i < s->m; ++i) {
    s->sum[i] = 0;
    for (int64_t j = 0; j < s->m; ++j)
      s->sum[i] += *at(s, s->d, i, j);
  }
  for (int64_t i = 0; i < s->m; ++i)
    for (int64_t j = i + 1; j < s->m; ++j) {
      const long double q = *at(s, s->d, i, j) - (s->sum[i] + s->sum[j]) / (long double)(s->m - 2);
      if (q < least - 1e-12L || (q < least + 1e-12L && is_first(bionj, i, j, best))) {
        least = q < least ? q : least;
        best[0] = i;
        best[1] = j;
      }
    }
}

/* Returns the weight of the first of two nodes. */
static long double weight_of(const nodes *s, int64_t i, int64_t j) {
  long double by = 0, vij = *at(s, s->v, i, j);
  if (vij == 0) return 0.5L;
  for (int64_t k = 0; k < s->m; ++k)
    if (k != i && k != j) by += *at(s, s->v, j, k) - *at(s, s->v, i, k);
  const long double weight = 0.5L + by / (2 * (long double)(s->m - 2) * vij);
  return weight < 0 ? 0 : weight > 1 ? 1 : weight;
}

/* Replaces the node at position j by one of these distances and variances, and moves it to the
   front unless `bionj`. */
static void replace(nodes *s, bool bionj, int64_t i, int64_t j, int32_t node) {
  const int64_t m = s->m;
  long double *old_d = malloc((size_t)(m * m) * sizeof *old_d);
  long double *old_v = malloc((size_t)(m * m) * sizeof *old_v);
  int32_t *old = malloc((size_t)m * sizeof *old);
  int64_t *order = malloc((size_t)m * sizeof *order), count = 0;
  for (int64_t a = 0; a < m * m; ++a) {
    old_d[a] = *at(s, s->d, a / m, a % m);
    old_v[a] = *at(s, s->v, a / m, a % m);
  }
  for (int64_t a = 0; a < m; ++a)
    old[a] = a == j ? node : s->node[a];
  if (!bionj) order[count++] = j;
  for (int64_t a = 0; a < m; ++a)
    if (a != i && (bionj || a != j)) order[count++] = a;
  s->m = count;
  for (int64_t a = 0; a < count; ++a) {
    s->node[a] = old[order[a]];
    for (int64_t b = 0; b < count; ++b) {
      *at(s, s->d, a, b) = old_d[order[a] * m + order[b]];
      *at(s, s->v, a, b) = old_v[order[a] * m + order[b]];
    }
  }
  free(old_d);
  free(old_v);
  free(old);
  free(order);
}

/* Joins two nodes. Writes the lengths of their edges to those of their numbers. */
static void join(nodes *s, bool bionj, const int64_t pair[2], int32_t node, int32_t *parent,
                 double *length) {
  const int64_t i = pair[0], j = pair[1];
  const long double dij = *at(s, s->d, i, j), vij = *at(s, s->v, i, j);
  const long double li = dij / 2 + (s->sum[i] - s->sum[j]) / (2 * (long double)(s->m - 2));
  const long double w = bionj ? weight_of(s, i, j) : 0.5L;
  parent[s->node[i]] = parent[s->node[j]] = node;
  length[s->node[i]] = (double)li;
  length[s->node[j]] = (double)(dij - li);
  for (int64_t k = 0; k < s->m; ++k) {
    if (k == i || k == j) continue;
    const long double d =
        w * (*at(s, s->d, i, k) - li) + (1 - w) * (*at(s, s->d, j, k) - (dij - li));
    const long double v = w * *at(s, s->v, i, k) + (1 - w) * *at(s, s->v, j, k) - w * (1 - w) * vij;
    *at(s, s->d, j, k) = *at(s, s->d, k, j) = d;
    *at(s, s->v, j, k) = *at(s, s->v, k, j) = v;
  }
  replace(s, bionj, i, j, node);
}

/* Makes the tree of n by n distances: of each node but the root its parent and length. */
static void define(const double *d, int64_t n, bool bionj, int32_t *parent, double *length) {
  const size_t bytes = (size_t)(n * n) * sizeof(long double);
  nodes s = {
      n, n, malloc(bytes), malloc(bytes), malloc(bytes), malloc((size_t)n * sizeof(int32_t))};
  for (int64_t k = 0; k < n * n; ++k)
    s.d[k] = s.v[k] = d[k];
  for (int64_t i = 0; i < n; ++i)
    s.node[i] = (int32_t)i;
  for (int32_t node = (int32_t)(2 * n - 3); s.m > 3; --node) {
    int64_t pair[2] = {0, 0};
    find_pair(&s, bionj, pair);
    join(&s, bionj, pair, node, parent, length);
  }
  for (int k = 0; k < 3; ++k) {
    const int a = k == 0, b = k == 2 ? 1 : 2;
    parent[s.node[k]] = (int32_t)n;
    length[s.node[k]] =
        (double)((*at(&s, s.d, k, a) + *at(&s, s.d, k, b) - *at(&s, s.d, a, b)) / 2);
  }
  free(s.d);
  free(s.v);
  free(s.sum);
  free(s.node);
}

/* --- Distances -------------------------------------------------------------------------------- */

typedef enum kind { SCATTERED, SEQUENCES, TIES, COPIES, KINDS } kind;

/* Fills points of 6 coordinates: normal ones; those that derive from an earlier point each; small
   whole numbers; and few different ones. */
static void fill_points(kind kind, int64_t n, double *x) {
  uint64_t state = (uint64_t)n;
  for (int64_t i = 0; i < n; ++i)
    for (int c = 0; c < 6; ++c) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double u = (double)(state >> 11) * 0x1p-53;
      const int64_t from = (int64_t)(u * (double)i);
      x[i + c * n] = kind == SCATTERED   ? u
                     : kind == SEQUENCES ? (i ? x[from + c * n] : 0) + u * u
                     : kind == TIES      ? floor(3 * u)
                                         : floor(9 * (double)((state >> 40) % 7) / 7);
    }
}

/* Returns the n by n distances of condensed ones. */
static double *make_square(const double *condensed, int64_t n) {
  double *d = calloc((size_t)(n * n), sizeof *d);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j + 1; i < n; ++i)
      d[i * n + j] = d[j * n + i] = *condensed++;
  return d;
}

static void compute(const gpugeo_distances *d, bool bionj, int32_t threads, tree *t) {
  gpugeo_nj_options options;
  gpugeo_error error = {0};
  gpugeo_nj_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  options.bionj = bionj;
  options.run.threads = threads;
  gpugeo_report report = {0};
  const gpugeo_status status = gpugeo_nj(d, &options, t->edge, t->length, &report, &error);
  CHECK(status == GPUGEO_OK && report.threads == threads, "%s", error.message);
}

/* The edges are those of the definition, and each follows the one above it. */
static void compare(const tree *t, const double *condensed, int64_t n, bool bionj,
                    const char *name) {
  double *square = make_square(condensed, n), *length = malloc((size_t)(2 * n) * sizeof *length);
  int32_t *parent = malloc((size_t)(2 * n) * sizeof *parent);
  bool *seen = calloc((size_t)(2 * n), sizeof *seen);
  define(square, n, bionj, parent, length);
  seen[n] = true;
  int64_t wrong = 0;
  double most = 0;
  for (int64_t e = 0; e < t->edges; ++e) {
    const int32_t above = t->edge[e], below = t->edge[e + t->edges];
    wrong +=
        !(below >= 0 && below < 2 * n - 2 && !seen[below] && seen[above] && parent[below] == above);
    seen[below] = true;
    most = fmax(most, fabs(length[below] - t->length[e]));
  }
  CHECK(wrong == 0 && most < 1e-11, "%s, %lld points, bionj %d: %lld edges, lengths by %g", name,
        (long long)n, bionj, (long long)wrong, most);
  free(square);
  free(length);
  free(parent);
  free(seen);
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void test_kind(kind kind, int64_t n, const char *name) {
  double *x = malloc((size_t)(6 * n) * sizeof *x);
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  fill_points(kind, n, x);
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 6, n, NULL};
  gpugeo_dist_options options;
  gpugeo_error error = {0};
  gpugeo_dist_options_init(&options, sizeof options);
  options.metric.kind = GPUGEO_METRIC_MANHATTAN;
  CHECK(!gpugeo_dist(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, condensed, NULL, &error), "%s",
        error.message);
  const gpugeo_distances points = {.x = &view},
                         given = {.condensed = condensed, .condensed_points = n};
  for (int bionj = 0; bionj < 2; ++bionj) {
    tree one = tree_make(2 * n - 3), other = tree_make(2 * n - 3);
    compute(&given, bionj, 1, &one);
    compare(&one, condensed, n, bionj, name);
    for (int32_t threads = 1; threads <= 5; threads += 2) {
      compute(&points, bionj, threads, &other);
      CHECK(trees_are_same(&one, &other), "%s, %lld points, %d threads", name, (long long)n,
            threads);
    }
    tree_free(&one);
    tree_free(&other);
  }
  free(x);
  free(condensed);
}

static void test_definition(void) {
  static const char *const names[KINDS] = {"scattered", "sequences", "ties", "copies"};
  static const int64_t sizes[] = {3, 4, 5, 6, 9, 17, 40, 150};
  for (int k = 0; k < KINDS; ++k)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes - CHECK_SMALL; ++s)
      test_kind((kind)k, sizes[s], names[k]);
}

/* Several chunks of slots, whose sums are added up by several threads. */
static void test_threads(void) {
  const int64_t n = CHECK_SMALL ? 600 : 5000;
  double *x = malloc((size_t)(6 * n) * sizeof *x);
  fill_points(SCATTERED, n, x);
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 6, n, NULL};
  const gpugeo_distances points = {.x = &view};
  for (int bionj = 0; bionj < 2; ++bionj) {
    tree one = tree_make(2 * n - 3), other = tree_make(2 * n - 3);
    compute(&points, bionj, 1, &one);
    compute(&points, bionj, 4, &other);
    CHECK(trees_are_same(&one, &other), "%lld points, 4 threads", (long long)n);
    tree_free(&one);
    tree_free(&other);
  }
  free(x);
}

/* Joins on a backend. */
static void compute_on(gpugeo_backend backend, const gpugeo_distances *d, int64_t n, tree *made) {
  gpugeo_nj_options options;
  gpugeo_nj_options_init(&options, sizeof options);
  options.run.backend = backend;
  gpugeo_error error = {0};
  gpugeo_report report;
  CHECK(!gpugeo_nj(d, &options, made->edge, made->length, &report, &error), "%lld points: %s",
        (long long)n, error.message);
  CHECK(report.backend == backend, "%lld points: backend %d", (long long)n, (int)report.backend);
}

/* The same bits on CUDA. */
static void compare_backends(const gpugeo_distances *d, int64_t n, const char *name) {
  tree one = tree_make(2 * n - 3), other = tree_make(2 * n - 3);
  compute_on(GPUGEO_BACKEND_CPU, d, n, &one);
  compute_on(GPUGEO_BACKEND_CUDA, d, n, &other);
  CHECK(trees_are_same(&one, &other), "%s, %lld points", name, (long long)n);
  tree_free(&one);
  tree_free(&other);
}

/* Compares trees of points and of condensed distances of all sizes. */
static void compare_points(kind kind, int64_t n, double scale) {
  static const char *const names[KINDS] = {"scattered", "sequences", "ties", "copies"};
  double *x = malloc((size_t)(6 * n) * sizeof *x);
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  fill_points(kind, n, x);
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 6, n, NULL};
  gpugeo_dist_options options;
  gpugeo_dist_options_init(&options, sizeof options);
  CHECK(!gpugeo_dist(&view, NULL, &options, GPUGEO_TYPE_DOUBLE, condensed, NULL, NULL), "dist");
  for (int64_t k = 0; k < n * (n - 1) / 2; ++k)
    condensed[k] *= scale;
  compare_backends(&(gpugeo_distances){.x = &view}, n, names[kind]);
  compare_backends(&(gpugeo_distances){.condensed = condensed, .condensed_points = n}, n,
                   names[kind]);
  free(x);
  free(condensed);
}

/* Compares trees of distances that are no distances of points: equal ones; nearly equal ones, whose
   bounds leave out few rows; those of both signs; and those of a tree with lengths of 0 to 3. */
static void compare_given(int64_t n) {
  static const char *const names[] = {"equal", "nearly equal", "both signs", "additive"};
  double *condensed = malloc((size_t)(n * (n - 1) / 2) * sizeof *condensed);
  double *depth = malloc((size_t)n * sizeof *depth);
  uint64_t state = (uint64_t)n;
  for (int kind = 0; kind < 4; ++kind) {
    double *to = condensed;
    for (int64_t i = 0; i < n; ++i)
      depth[i] = (i > 0 ? depth[i - 1] : 0) + (double)(i * i % 4);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j + 1; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double u = (double)(state >> 11) * 0x1p-53;
        *to++ = kind == 0   ? 1
                : kind == 1 ? 1 + (n < 1000 ? 1e-6 : 1e-2) * u
                : kind == 2 ? u - 0.5
                            : depth[i] - depth[j] + (double)(i % 3 + j % 3);
      }
    compare_backends(&(gpugeo_distances){.condensed = condensed, .condensed_points = n}, n,
                     names[kind]);
  }
  free(depth);
  free(condensed);
}

/* Sizes about those of chunks of sums and of parts of rows, and more rows than blocks. */
static void test_cuda(void) {
  static const int64_t sizes[] = {5, 6, 7, 33, 300, 1023, 1024, 1025, 2049};
  gpugeo_error error;
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error)) {
    check_skip(1, "CUDA: not present (%s), the CPU only", error.message);
    return;
  }
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes - 4 * CHECK_SMALL; ++s) {
    for (int k = 0; k < KINDS; ++k)
      if (!check_leaves_out(3)) compare_points((kind)k, sizes[s], 1);
    if (!check_leaves_out(3)) compare_given(sizes[s]);
  }
  compare_points(SCATTERED, 50, 0x1p+1000);
  compare_points(SEQUENCES, 50, 0x1p-1060);
}

static void test_errors(void) {
  const double two[] = {1}, missing[] = {1, NAN, 2}, infinite[] = {1, 2, INFINITY};
  int32_t edge[8];
  double length[4];
  gpugeo_error error = {0};
  gpugeo_nj_options options;
  gpugeo_nj_options_init(&options, sizeof options);
  gpugeo_distances d = {.condensed = two, .condensed_points = 2};
  CHECK(gpugeo_nj(&d, &options, edge, length, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "d must have 3 to 1073741824 points to join, not 2") == 0,
        "%s", error.message);
  d = (gpugeo_distances){.condensed = missing, .condensed_points = 3};
  CHECK(gpugeo_nj(&d, &options, edge, length, NULL, &error) == GPUGEO_ERROR_DATA &&
            strstr(error.message, "the first is missing, between points 1 and 3"),
        "%s", error.message);
  d.condensed = infinite;
  CHECK(gpugeo_nj(&d, &options, edge, length, NULL, &error) == GPUGEO_ERROR_DATA &&
            strstr(error.message, "the first is Inf, between points 2 and 3"),
        "%s", error.message);
  options.run.work_bytes = 1 << 20;
  double *many = calloc((size_t)1000 * 999 / 2, sizeof *many);
  d = (gpugeo_distances){.condensed = many, .condensed_points = 1000};
  CHECK(gpugeo_nj(&d, &options, edge, length, NULL, &error) == GPUGEO_ERROR_MEMORY &&
            strstr(error.message, "bytes for the tree of 1000 points, not 1048576"),
        "%s", error.message);
  free(many);
}

/* Distances whose sums overflow, and those that are subnormal. */
static void test_scales(void) {
  static const double scales[] = {1, 0x1p+1020, 0x1p-1060};
  for (int s = 0; s < 3; ++s) {
    double d[] = {3, 6, 7, 7, 8, 5}, length[5];
    const double expected[] = {3, 2, 3, 1, 2};
    int32_t edge[10];
    for (int k = 0; k < 6; ++k)
      d[k] *= scales[s];
    const gpugeo_distances given = {.condensed = d, .condensed_points = 4};
    for (int bionj = 0; bionj < 2; ++bionj) {
      gpugeo_nj_options options;
      gpugeo_nj_options_init(&options, sizeof options);
      options.bionj = bionj;
      CHECK(!gpugeo_nj(&given, &options, edge, length, NULL, NULL), "scale %d", s);
      double sum = 0, wanted = 0;
      for (int k = 0; k < 5; ++k) {
        sum += length[k] / scales[s];
        wanted += expected[k];
      }
      CHECK(sum == wanted, "scale %d, bionj %d: %g", s, bionj, sum);
    }
  }
}

/* The dendrogram of points 0, 2 and 6, and merges that are none. */
static void test_dendrogram(void) {
  const int32_t merge[] = {0, 2, 1, 3}, twice[] = {0, 0, 1, 3}, later[] = {0, 2, 4, 3};
  const double height[] = {2, 6}, lengths[] = {3, 2, 1, 1};
  const int32_t edges[] = {3, 3, 4, 4, 2, 4, 0, 1};
  int32_t edge[8];
  double length[4];
  gpugeo_error error = {0};
  CHECK(!gpugeo_hclust_tree(3, merge, height, edge, length, &error), "%s", error.message);
  CHECK(memcmp(edge, edges, sizeof edges) == 0 && memcmp(length, lengths, sizeof lengths) == 0,
        "edges");
  const int32_t *const wrong[] = {twice, later};
  for (int k = 0; k < 2; ++k)
    CHECK(gpugeo_hclust_tree(3, wrong[k], height, edge, length, &error) == GPUGEO_ERROR_ARGUMENT &&
              strstr(error.message, "merge must have each point and each earlier merge once"),
          "%s", error.message);
  CHECK(gpugeo_hclust_tree(1, merge, height, edge, length, &error) == GPUGEO_ERROR_ARGUMENT,
        "one point");
  CHECK(gpugeo_hclust_tree(3, NULL, height, edge, length, &error) == GPUGEO_ERROR_ARGUMENT, "NULL");
}

int main(void) {
  test_definition();
  test_threads();
  test_cuda();
  test_errors();
  test_scales();
  test_dendrogram();
  return check_end();
}
