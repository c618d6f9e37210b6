/* UniFrac distances and Faith's diversity: against sums branch by branch, with the same bits on any
   number of threads, with any instructions, in tiles and for sparse samples; trees of any depth;
   what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/backend.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

enum { TIPS = 700, SAMPLES = 150 };

/* Samples and a tree with room for it. */
typedef struct table_of_tips {
  int32_t edge[4 * TIPS], tip[TIPS];
  double length[2 * TIPS], counts[SAMPLES * TIPS];
  gpugeo_tree tree;
  gpugeo_matrix x;
} table_of_tips;

/* Makes a random tree of two branches at each node, with edges in a random order, and samples with
   few to all of the tips; the second one is empty. Column k is tip TIPS - 1 - k. */
static table_of_tips *make_table(void) {
  table_of_tips *t = calloc(1, sizeof *t);
  int32_t open[TIPS];
  dice d = {77};
  const int32_t edges = 2 * TIPS - 2;
  for (int32_t k = 0; k < TIPS; ++k)
    open[k] = k;
  for (int32_t left = TIPS, e = 0; left > 1; --left) {
    const int32_t node = 2 * TIPS + 1 - left == 2 * TIPS - 1 ? TIPS : 2 * TIPS + 1 - left;
    for (int child = 0; child < 2; ++child, ++e) {
      const int64_t at = dice_whole(&d, left - 1 - child);
      t->edge[e] = node;
      t->edge[e + edges] = open[at];
      open[at] = open[left - 1 - child];
      t->length[e] = fabs(dice_real(&d)) * (e % 9 ? 1 : 0);
    }
    open[left - 2] = node;
  }
  for (int64_t i = 0; i < SAMPLES; ++i)
    for (int64_t k = 0; k < TIPS; ++k) {
      const int64_t drawn = dice_whole(&d, SAMPLES);
      t->counts[i + k * SAMPLES] =
          i == 1 || drawn < i ? 0 : (double)dice_whole(&d, 60) / (1 + i % 3);
      t->tip[k] = (int32_t)(TIPS - 1 - k);
    }
  t->tree = (gpugeo_tree){TIPS, TIPS - 1, edges, t->edge, t->length, NULL, NULL, NAN};
  t->x = (gpugeo_matrix){t->counts, GPUGEO_TYPE_DOUBLE, SAMPLES, TIPS, SAMPLES, NULL};
  return t;
}

static gpugeo_unifrac_options options_of(gpugeo_unifrac_type type, double alpha) {
  gpugeo_unifrac_options options;
  gpugeo_unifrac_options_init(&options, sizeof options);
  options.type = type;
  options.alpha = alpha;
  return options;
}

/* --- Definitions ------------------------------------------------------------------------------ */

/* Writes the individuals of a sample below each node. */
static void add_below(const table_of_tips *t, int64_t sample, double *below) {
  const int64_t edges = t->tree.edges;
  int32_t above[2 * TIPS];
  memset(below, 0, 2 * TIPS * sizeof *below);
  above[TIPS] = -1;
  for (int64_t e = 0; e < edges; ++e)
    above[t->edge[e + edges]] = t->edge[e];
  for (int64_t k = 0; k < TIPS; ++k)
    for (int32_t node = t->tip[k]; node >= 0; node = above[node])
      below[node] += t->counts[sample + k * SAMPLES];
}

/* Returns the distance by its definition, branch by branch. */
static double define(const table_of_tips *t, int64_t i, int64_t j,
                     const gpugeo_unifrac_options *options) {
  static double u[2 * TIPS], v[2 * TIPS];
  add_below(t, i, u);
  add_below(t, j, v);
  long double part = 0, all = 0;
  const double nu = u[TIPS], nv = v[TIPS];
  for (int64_t e = 0; e < t->tree.edges; ++e) {
    const int64_t node = t->edge[e + t->tree.edges];
    const long double a = nu > 0 ? u[node] / nu : 0, b = nv > 0 ? v[node] / nv : 0;
    const long double m = u[node] + v[node], rest = (long double)nu + nv - m;
    long double weight = t->length[e];
    if (a + b == 0) continue;
    if (options->type == GPUGEO_UNIFRAC_TYPE_UNWEIGHTED) {
      part += a > 0 && b > 0 ? 0 : weight;
      all += weight;
      continue;
    }
    if (options->type == GPUGEO_UNIFRAC_TYPE_GENERALIZED)
      weight *= powl(a + b, (long double)options->alpha - 1);
    if (options->type == GPUGEO_UNIFRAC_TYPE_VARIANCE)
      weight = rest > 1e-9L ? weight / sqrtl(m * rest) : 0;
    part += weight * fabsl(a - b);
    all += weight * (a + b);
  }
  return (double)(options->type == GPUGEO_UNIFRAC_TYPE_WEIGHTED ? part : part / all);
}

static const struct {
  gpugeo_unifrac_type type;
  double alpha;
} kinds[] = {
    {GPUGEO_UNIFRAC_TYPE_UNWEIGHTED, 0.5},   {GPUGEO_UNIFRAC_TYPE_WEIGHTED, 0.5},
    {GPUGEO_UNIFRAC_TYPE_NORMALIZED, 0.5},   {GPUGEO_UNIFRAC_TYPE_GENERALIZED, 0},
    {GPUGEO_UNIFRAC_TYPE_GENERALIZED, 0.3},  {GPUGEO_UNIFRAC_TYPE_GENERALIZED, 0.5},
    {GPUGEO_UNIFRAC_TYPE_GENERALIZED, 0.99}, {GPUGEO_UNIFRAC_TYPE_GENERALIZED, 1},
    {GPUGEO_UNIFRAC_TYPE_VARIANCE, 0.5},
};
enum { KINDS = sizeof kinds / sizeof *kinds, PAIRS = SAMPLES * (SAMPLES - 1) / 2 };

static void test_definitions(const table_of_tips *t) {
  double *out = malloc(PAIRS * sizeof *out);
  for (int k = 0; k < KINDS; ++k) {
    const gpugeo_unifrac_options options = options_of(kinds[k].type, kinds[k].alpha);
    gpugeo_error error = {0};
    CHECK(!gpugeo_unifrac(&t->x, &t->tree, t->tip, &options, out, NULL, &error), "%s",
          error.message);
    for (int64_t j = 0, at = 0; j < SAMPLES; ++j)
      for (int64_t i = j + 1; i < SAMPLES; ++i, ++at) {
        if ((i + j) % 7) continue;
        const double wanted = define(t, i, j, &options);
        CHECK(fabs(out[at] - wanted) <= 1e-12 * (1 + fabs(wanted)), "kind %d, %d, %d: %.17g, %.17g",
              k, (int)i, (int)j, out[at], wanted);
      }
  }
  free(out);
}

static void test_faith(const table_of_tips *t) {
  double out[SAMPLES], below[2 * TIPS];
  const gpugeo_unifrac_options options = options_of(GPUGEO_UNIFRAC_TYPE_UNWEIGHTED, 0.5);
  CHECK(!gpugeo_faith(&t->x, &t->tree, t->tip, &options, out, NULL, NULL), "Faith");
  for (int64_t i = 0; i < SAMPLES; ++i) {
    double sum = 0;
    add_below(t, i, below);
    for (int64_t e = 0; e < t->tree.edges; ++e)
      sum += below[t->edge[e + t->tree.edges]] > 0 ? t->length[e] : 0;
    CHECK(fabs(out[i] - sum) <= 1e-12 * sum, "sample %d: %.17g, %.17g", (int)i, out[i], sum);
  }
}

/* --- The same bits ---------------------------------------------------------------------------- */

/* Compares with the bits of one thread. */
static void check_same(const table_of_tips *t, const gpugeo_matrix *x,
                       gpugeo_unifrac_options options, int threads, const double *one,
                       const char *what) {
  double *out = malloc(PAIRS * sizeof *out);
  options.run.threads = threads;
  CHECK(!gpugeo_unifrac(x, &t->tree, t->tip, &options, out, NULL, NULL) &&
            !memcmp(out, one, PAIRS * sizeof *out),
        "%s, type %d, alpha %g", what, (int)options.type, options.alpha);
  free(out);
}

/* Compares tiles, which may have both sides of the diagonal, with the condensed matrix. */
static void check_tiles(const table_of_tips *t, const gpugeo_unifrac_options *options,
                        const double *one) {
  gpugeo_dist_lazy *lazy = NULL;
  gpugeo_error error = {0};
  if (!CHECK(!gpugeo_unifrac_lazy(&t->x, &t->tree, t->tip, options, &lazy, NULL, &error), "%s",
             error.message))
    return;
  const gpugeo_distances distances = {.lazy = lazy};
  gpugeo_knn_options nearest;
  gpugeo_knn_options_init(&nearest, sizeof nearest);
  nearest.k = 3;
  int32_t index[3 * SAMPLES];
  double d[3 * SAMPLES];
  CHECK(!gpugeo_distances_knn(&distances, &nearest, index, d, NULL, &error), "%s", error.message);
  for (int64_t i = 0; i < SAMPLES; ++i)
    for (int64_t k = 0; k < 3; ++k) {
      const int64_t j = index[i + k * SAMPLES], low = i < j ? i : j, high = i < j ? j : i;
      const double wanted = one[low * (SAMPLES - 1) - low * (low - 1) / 2 + high - low - 1];
      CHECK(d[i + k * SAMPLES] == wanted, "%d, %d", (int)i, (int)j);
    }
  gpugeo_dist_lazy_free(lazy);
}

static void test_same_bits(const table_of_tips *t) {
  double *one = malloc(PAIRS * sizeof *one);
  data_sparse columns, rows;
  data_sparse_make(&t->x, 0, 4, 3, &columns);
  data_sparse_make(&t->x, 1, 8, 0, &rows);
  const gg_simd widest = gg_context_get()->simd;
  for (int k = 0; k < KINDS; ++k) {
    gpugeo_unifrac_options options = options_of(kinds[k].type, kinds[k].alpha);
    options.run.threads = 1;
    CHECK(!gpugeo_unifrac(&t->x, &t->tree, t->tip, &options, one, NULL, NULL), "one thread");
    check_same(t, &t->x, options, 5, one, "five threads");
    check_same(t, &columns.matrix, options, 2, one, "sparse columns");
    check_same(t, &rows.matrix, options, 2, one, "sparse rows");
    for (int simd = 0; simd <= (int)widest; ++simd) {
      gg_context_get()->simd = (gg_simd)simd;
      check_same(t, &t->x, options, 2, one, "other instructions");
    }
    gg_context_get()->simd = widest;
    check_tiles(t, &options, one);
  }
  data_sparse_free(&columns);
  data_sparse_free(&rows);
  free(one);
}

/* Computes on a backend, whose bits are those of the host. */
static void check_backend(const table_of_tips *t, gpugeo_backend backend) {
  double *out = malloc(PAIRS * sizeof *out);
  for (int k = 0; k < KINDS; ++k) {
    gpugeo_unifrac_options options = options_of(kinds[k].type, kinds[k].alpha);
    options.run.backend = backend;
    gpugeo_report report;
    gpugeo_error error;
    const gpugeo_status status =
        gpugeo_unifrac(&t->x, &t->tree, t->tip, &options, out, &report, &error);
    const bool shares = kinds[k].type <= GPUGEO_UNIFRAC_TYPE_NORMALIZED || kinds[k].alpha == 1;
    if (kinds[k].type == GPUGEO_UNIFRAC_TYPE_VARIANCE || !shares) {
      CHECK(status == GPUGEO_ERROR_ARGUMENT && strcmp(error.argument, "backend") == 0,
            "kind %d: %s", k, error.message);
      continue;
    }
    CHECK(!status && report.backend == backend, "kind %d: %s", k, error.message);
    options.run.backend = GPUGEO_BACKEND_CPU;
    check_same(t, &t->x, options, 2, out, "backend");
  }
  free(out);
}

/* Computes by the steps of a device: on one, where there is one, and on the host. */
static void test_backends(const table_of_tips *t) {
  static gg_backend other;
  gpugeo_error error;
  const gg_backend *cuda = gg_backend_of(GPUGEO_BACKEND_CUDA);
  if (gpugeo_backend_available(GPUGEO_BACKEND_CUDA, &error) == GPUGEO_OK)
    check_backend(t, GPUGEO_BACKEND_CUDA);
  else
    check_skip(KINDS, "CUDA: not present (%s)", error.message);
  other = *gg_host_backend();
  other.id = 3;
  other.name = "other";
  memcpy(other.can.algorithms, cuda->can.algorithms, sizeof other.can.algorithms);
  if (CHECK(gg_backend_add(&other), "no room")) check_backend(t, other.id);
}

/* The distance of two samples does not depend on the others. */
static void test_two_samples(const table_of_tips *t) {
  double *all = malloc(PAIRS * sizeof *all), two;
  for (int k = 0; k < KINDS; ++k) {
    const gpugeo_unifrac_options options = options_of(kinds[k].type, kinds[k].alpha);
    const gpugeo_matrix x = {t->counts + 2, GPUGEO_TYPE_DOUBLE, 2, TIPS, SAMPLES, NULL};
    CHECK(!gpugeo_unifrac(&t->x, &t->tree, t->tip, &options, all, NULL, NULL) &&
              !gpugeo_unifrac(&x, &t->tree, t->tip, &options, &two, NULL, NULL) &&
              two == all[2 * SAMPLES - 3],
          "kind %d", k);
  }
  free(all);
}

/* --- Edges ------------------------------------------------------------------------------------ */

/* A ladder of 100,000 tips, and samples of its ends and of all tips. */
static void test_ladder(void) {
  enum { DEEP = 100000, EDGES = 2 * DEEP - 2 };
  int32_t *edge = malloc(2 * EDGES * sizeof *edge);
  double *length = malloc(EDGES * sizeof *length), *x = calloc(3 * DEEP, sizeof *x), d[3];
  for (int32_t k = 0; k < DEEP - 1; ++k) {
    edge[2 * k] = edge[2 * k + 1] = DEEP + k;
    edge[EDGES + 2 * k] = k;
    edge[EDGES + 2 * k + 1] = k < DEEP - 2 ? DEEP + k + 1 : DEEP - 1;
    length[2 * k] = length[2 * k + 1] = 1;
  }
  x[0] = x[1 + 3 * (DEEP - 1)] = 1;
  for (int k = 0; k < DEEP; ++k)
    x[2 + 3 * k] = 1;
  const gpugeo_tree tree = {DEEP, DEEP - 1, EDGES, edge, length, NULL, NULL, NAN};
  const gpugeo_matrix samples = {x, GPUGEO_TYPE_DOUBLE, 3, DEEP, 3, NULL};
  gpugeo_unifrac_options options = options_of(GPUGEO_UNIFRAC_TYPE_WEIGHTED, 0.5);
  CHECK(!gpugeo_unifrac(&samples, &tree, NULL, &options, d, NULL, NULL) && d[0] == DEEP, "%.17g",
        d[0]);
  options.type = GPUGEO_UNIFRAC_TYPE_UNWEIGHTED;
  CHECK(!gpugeo_unifrac(&samples, &tree, NULL, &options, d, NULL, NULL) && d[0] == 1 &&
            d[1] == (EDGES - 1.0) / EDGES && d[2] == (EDGES - (DEEP - 1.0)) / EDGES,
        "%.17g %.17g %.17g", d[0], d[1], d[2]);
  free(edge);
  free(length);
  free(x);
}

/* Samples without individuals, branches without lengths, and lengths near the ends of the range. */
static void test_edges(void) {
  static const int32_t edge[] = {2, 2, 0, 1};
  static const double counts[] = {0, 0, 1, 2, 0, 0, 0, 2}, zero[] = {0, 0};
  static const double scales[] = {1, 0x1p-1060, 0x1p1000};
  const gpugeo_matrix x = {counts, GPUGEO_TYPE_DOUBLE, 4, 2, 4, NULL};
  double d[6];
  for (int k = 0; k < KINDS; ++k) {
    const gpugeo_unifrac_options options = options_of(kinds[k].type, kinds[k].alpha);
    for (int s = 0; s < 3; ++s) {
      const double length[] = {scales[s], 2 * scales[s]};
      const bool weighted = options.type == GPUGEO_UNIFRAC_TYPE_WEIGHTED;
      const gpugeo_tree tree = {2, 1, 2, edge, length, NULL, NULL, NAN};
      CHECK(
          !gpugeo_unifrac(&x, &tree, NULL, &options, d, NULL, NULL) && isnan(d[0]) &&
              (options.type == GPUGEO_UNIFRAC_TYPE_VARIANCE || d[1] == (weighted ? scales[s] : 1)),
          "kind %d: %g %g", k, d[0], d[1]);
    }
    const gpugeo_tree tree = {2, 1, 2, edge, zero, NULL, NULL, NAN};
    CHECK(!gpugeo_unifrac(&x, &tree, NULL, &options, d, NULL, NULL) && isnan(d[0]) && d[5] == 0,
          "kind %d: %g %g", k, d[0], d[5]);
  }
}

/* Checks the message of a call. */
static void check_refused(const gpugeo_matrix *x, const gpugeo_tree *tree, const int32_t *tip,
                          const gpugeo_unifrac_options *options, const char *message) {
  double d[16];
  gpugeo_error error = {0};
  CHECK(gpugeo_unifrac(x, tree, tip, options, d, NULL, &error) != GPUGEO_OK &&
            strcmp(error.message, message) == 0,
        "\"%s\", not \"%s\"", error.message, message);
}

static void test_refused(void) {
  static const int32_t edge[] = {3, 3, 3, 0, 1, 2}, tip[] = {0, 3};
  static const double length[] = {1, 1, 1}, huge[] = {1e308, 1e308, 1e308};
  static const double counts[] = {1, 1, 1, 1e308, 1, 1e308};
  gpugeo_tree tree = {3, 1, 3, edge, length, NULL, NULL, NAN};
  const gpugeo_matrix x = {counts, GPUGEO_TYPE_DOUBLE, 2, 2, 2, NULL};
  const gpugeo_matrix wide = {counts, GPUGEO_TYPE_DOUBLE, 1, 4, 1, NULL};
  const gpugeo_matrix large = {counts, GPUGEO_TYPE_DOUBLE, 2, 3, 2, NULL};
  gpugeo_unifrac_options options = options_of(GPUGEO_UNIFRAC_TYPE_WEIGHTED, 0.5);
  check_refused(&x, &tree, NULL, &options,
                "root must be true for a tree with 3 branches at its base, which then is the root; "
                "trees without a root have such a base");
  tree.root_length = 0;
  double d;
  CHECK(!gpugeo_unifrac(&x, &tree, NULL, &options, &d, NULL, NULL), "an edge above the root");
  options.root = 1;
  check_refused(&x, &tree, tip, &options,
                "x must have taxa that are tips of the tree, but column 2 has none");
  check_refused(&wide, &tree, NULL, &options,
                "x must have at most as many columns as the tree has tips, 3, not 4");
  check_refused(&large, &tree, NULL, &options,
                "x must have a finite sum in each row, but that of row 2 is not");
  tree.length = huge;
  check_refused(&x, &tree, NULL, &options, "tree must have a finite sum of lengths");
  tree.length = NULL;
  check_refused(&x, &tree, NULL, &options, "tree must have lengths of its edges, not none");
  tree.length = length;
  options.run.work_bytes = 1;
  check_refused(
      &x, &tree, NULL, &options,
      "memory_limit must be at least 48 bytes for 2 samples on a tree of 3 branches, not 1");
  options = options_of(GPUGEO_UNIFRAC_TYPE_COUNT, 0.5);
  check_refused(&x, &tree, NULL, &options, "type must be between 0 and 4, not 5");
  options = options_of(GPUGEO_UNIFRAC_TYPE_GENERALIZED, NAN);
  check_refused(&x, &tree, NULL, &options, "alpha must be a number from 0 to 1, not NaN");
}

int main(void) {
  table_of_tips *t = make_table();
  test_definitions(t);
  test_faith(t);
  test_same_bits(t);
  test_backends(t);
  test_two_samples(t);
  free(t);
  test_ladder();
  test_edges();
  test_refused();
  return check_end();
}
