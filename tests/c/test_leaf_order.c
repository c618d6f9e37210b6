/* Optimal orders of leaves, against all orders of small trees, and against the recurrence of the
   definition; sources, threads, instruction sets, chains, memory and errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "gpugeo.h"

enum { MOST = 64 };

/* A tree, its distances, and room for the result. */
typedef struct tree {
  int64_t n;
  int32_t *merge, *arranged, *order;
  double *condensed;
  uint64_t members[2 * MOST]; /* of each cluster, for at most MOST leaves */
  uint64_t random;
} tree;

static uint32_t draw(tree *t, uint32_t below) {
  t->random = t->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(t->random >> 33) % below;
}

static tree tree_make(int64_t n, uint64_t seed) {
  const size_t size = sizeof(int32_t) * (size_t)n;
  return (tree){.n = n,
                .merge = malloc(2 * size),
                .arranged = malloc(2 * size),
                .order = malloc(size),
                .condensed = malloc((size_t)(n * (n - 1) / 2 + 1) * sizeof(double)),
                .random = seed};
}

static void tree_free(tree *t) {
  free(t->merge);
  free(t->arranged);
  free(t->order);
  free(t->condensed);
}

/* Merges random clusters, or the last ones: a chain with the leaf on either side. */
static void tree_fill(tree *t, bool chain) {
  int32_t there[MOST];
  for (int32_t i = 0; i < t->n; ++i)
    there[i] = i;
  for (int64_t i = 0; i < t->n; ++i)
    t->members[i] = (uint64_t)1 << i;
  for (int64_t k = 0, left = t->n; k < t->n - 1; ++k)
    for (int side = 0; side < 2; ++side, --left) {
      const uint32_t at = chain && side ? (uint32_t)left - 1 : draw(t, (uint32_t)left);
      t->merge[k + side * (t->n - 1)] = there[at];
      there[at] = there[left - 1];
      if (side) {
        there[left - 1] = (int32_t)(t->n + k);
        ++left;
        t->members[t->n + k] = t->members[t->merge[k]] | t->members[t->merge[k + t->n - 1]];
      }
    }
}

static double distance(const tree *t, int64_t i, int64_t j) {
  const int64_t a = i < j ? i : j, b = i < j ? j : i;
  return t->condensed[a * (2 * t->n - a - 1) / 2 + b - a - 1];
}

/* Whole numbers, so that sums are exact: many ties, and negative ones, or random numbers. */
static void tree_distances(tree *t, int kind) {
  for (int64_t e = 0; e < t->n * (t->n - 1) / 2; ++e)
    t->condensed[e] = kind == 0   ? draw(t, 3)
                      : kind == 1 ? draw(t, 1000)
                      : kind == 2 ? (double)draw(t, 9) - 4
                                  : draw(t, 1 << 30) / 1e9;
}

static gpugeo_leaf_order_options options_of(gpugeo_leaf_criterion criterion) {
  gpugeo_leaf_order_options options;
  gpugeo_leaf_order_options_init(&options, sizeof options);
  options.criterion = criterion;
  return options;
}

static gpugeo_status order_tree(const tree *t, const gpugeo_leaf_order_options *options,
                                double *sum, gpugeo_error *error) {
  const gpugeo_distances d = {.condensed = t->condensed, .condensed_points = t->n};
  gpugeo_leaf_order_result result = {t->arranged, t->order, NAN};
  const gpugeo_status status =
      gpugeo_leaf_order(&d, t->merge, t->n - 1, options, &result, NULL, error);
  *sum = result.sum;
  return status;
}

/* Writes the points of a tree from left to right, without recursion; returns their number. */
static int64_t walk(const int32_t *merge, int64_t n, int32_t *order) {
  int32_t *stack = malloc(sizeof *stack * (size_t)n);
  int64_t depth = 0, count = 0;
  stack[depth++] = (int32_t)(2 * n - 2);
  while (depth > 0) {
    const int32_t cluster = stack[--depth];
    if (cluster < n) {
      order[count++] = cluster;
      continue;
    }
    stack[depth++] = merge[cluster - n + n - 1];
    stack[depth++] = merge[cluster - n];
  }
  free(stack);
  return count;
}

/* Adds up what two neighbours that merge k joins count. */
static double cost_of(const tree *t, int64_t k, int64_t i, int64_t j,
                      gpugeo_leaf_criterion criterion) {
  if (criterion == GPUGEO_LEAF_CRITERION_ADJACENT) return distance(t, i, j);
  const uint64_t a = t->members[t->merge[k]], b = t->members[t->merge[k + t->n - 1]];
  const uint64_t of_i = a >> i & 1 ? b : a, of_j = a >> j & 1 ? b : a;
  double sum = 0;
  for (int64_t l = 0; l < t->n; ++l)
    sum += (of_i >> l & 1 ? distance(t, i, l) : 0) + (of_j >> l & 1 ? distance(t, j, l) : 0);
  return sum;
}

/* Returns the merge that joins two points. */
static int64_t joined_by(const tree *t, int64_t i, int64_t j) {
  const uint64_t pair = (uint64_t)1 << i | (uint64_t)1 << j;
  for (int64_t k = 0;; ++k)
    if ((t->members[t->n + k] & pair) == pair) return k;
}

static double sum_of(const tree *t, const int32_t *order, gpugeo_leaf_criterion criterion) {
  double sum = 0;
  for (int64_t p = 1; p < t->n; ++p)
    sum += cost_of(t, joined_by(t, order[p - 1], order[p]), order[p - 1], order[p], criterion);
  return sum;
}

/* Writes what ranks orders with the same sum: whether the first cluster of the last merge is on the
   right, the positions of both ends, and of the neighbours of each merge from the last one on, that
   in its first cluster first. Negative: the last one is the best. */
static void rank_order(const tree *t, const int32_t *order, const int32_t *position, int32_t *key) {
  const int64_t n = t->n;
  key[0] = !(t->members[t->merge[n - 2]] >> order[0] & 1);
  key[1] = position[order[0]];
  key[2] = -position[order[n - 1]];
  for (int64_t p = 1; p < n; ++p) {
    const int64_t k = joined_by(t, order[p - 1], order[p]);
    const bool turned = !(t->members[t->merge[k]] >> order[p - 1] & 1);
    key[3 + 2 * (n - 2 - k)] = -position[order[turned ? p : p - 1]];
    key[4 + 2 * (n - 2 - k)] = position[order[turned ? p - 1 : p]];
  }
}

static bool key_is_before(const int32_t *a, const int32_t *b, int64_t length) {
  for (int64_t e = 0; e < length; ++e)
    if (a[e] != b[e]) return a[e] < b[e];
  return false;
}

/* Finds the best of all orders: the smallest sum, then the rank. */
static double best_of_all(const tree *t, gpugeo_leaf_criterion criterion, int32_t *best) {
  int32_t merge[2 * MOST], order[MOST], position[MOST], key[2 * MOST + 1], best_key[2 * MOST + 1];
  const int64_t n = t->n;
  double least = INFINITY;
  walk(t->merge, n, order);
  for (int32_t p = 0; p < n; ++p)
    position[order[p]] = p;
  for (uint32_t flips = 0; flips < (uint32_t)1 << (n - 1); ++flips) {
    for (int64_t k = 0; k < n - 1; ++k)
      for (int side = 0; side < 2; ++side)
        merge[k + side * (n - 1)] = t->merge[k + (side ^ (int)(flips >> k & 1)) * (n - 1)];
    walk(merge, n, order);
    const double sum = sum_of(t, order, criterion);
    if (sum > least) continue;
    rank_order(t, order, position, key);
    if (sum == least && !key_is_before(key, best_key, 2 * n + 1)) continue;
    least = sum;
    memcpy(best_key, key, sizeof key);
    memcpy(best, order, sizeof *order * (size_t)n);
  }
  return least;
}

/* Checks that the result is a tree with the same merges, and the order its order. */
static void check_arranged(const tree *t) {
  const int64_t n = t->n;
  int32_t *order = malloc(sizeof *order * (size_t)n);
  int64_t differ = 0;
  for (int64_t k = 0; k < n - 1; ++k) {
    const int32_t *had = t->merge + k, *has = t->arranged + k;
    differ += !((had[0] == has[0] && had[n - 1] == has[n - 1]) ||
                (had[0] == has[n - 1] && had[n - 1] == has[0]));
  }
  CHECK(differ == 0, "%lld leaves: %lld other merges", (long long)n, (long long)differ);
  CHECK(walk(t->arranged, n, order) == n && memcmp(order, t->order, sizeof *order * (size_t)n) == 0,
        "%lld leaves: the order is not that of the merges", (long long)n);
  free(order);
}

static void check_small(int64_t n, int kind, bool chain, int c, uint64_t seed) {
  const gpugeo_leaf_criterion criterion = (gpugeo_leaf_criterion)c;
  tree t = tree_make(n, seed);
  tree_fill(&t, chain);
  tree_distances(&t, kind);
  int32_t want[MOST];
  const gpugeo_leaf_order_options options = options_of(criterion);
  double sum = NAN;
  const double least = best_of_all(&t, criterion, want);
  gpugeo_error error = {.message = ""};
  CHECK(!order_tree(&t, &options, &sum, &error), "%s", error.message);
  check_arranged(&t);
  if (kind < 3) {
    CHECK(sum == least && memcmp(want, t.order, sizeof *want * (size_t)n) == 0,
          "%lld leaves, kind %d, criterion %d, seed %d: %g, not %g", (long long)n, kind, c,
          (int)seed, sum, least);
  } else {
    CHECK(fabs(sum - least) <= 1e-12 * least && sum_of(&t, t.order, criterion) <= least + 1e-9,
          "%lld leaves, criterion %d: %.17g, not %.17g", (long long)n, c, sum, least);
  }
  tree_free(&t);
}

static void test_all_orders(void) {
  for (int64_t n = 2; n <= 9; ++n)
    for (int kind = 0; kind < 4; ++kind)
      for (int c = 0; c < GPUGEO_LEAF_CRITERION_COUNT; ++c)
        for (uint64_t seed = 0; seed < (n < 8 ? 40 : 8); ++seed)
          check_small(n, kind, seed % 4 == 3, c, seed);
}

/* Returns the smallest sum by the definition: best[i][j] is that of the cluster in which points i
   and j are joined, with these at its ends; `in` is that cluster. */
static double plain_sum(const tree *t, gpugeo_leaf_criterion criterion) {
  static double best[MOST][MOST];
  static int64_t in[MOST][MOST];
  const int64_t n = t->n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      best[i][j] = i == j ? 0 : INFINITY;
      in[i][j] = i == j ? i : n + joined_by(t, i, j);
    }
  double least = INFINITY;
  for (int64_t k = 0; k < n - 1; ++k) {
    least = INFINITY;
    for (int64_t pair = 0; pair < n * n; ++pair) {
      const int64_t m = pair / n, l = pair % n, a = t->merge[k], b = t->merge[k + n - 1];
      if (!(t->members[a] >> m & 1) || !(t->members[b] >> l & 1)) continue;
      const double between = cost_of(t, k, m, l, criterion);
      for (int64_t u = 0; u < n; ++u)
        for (int64_t w = 0; w < n; ++w) {
          if (in[u][m] != a || in[l][w] != b) continue;
          const double sum = best[u][m] + between + best[l][w];
          if (sum < best[u][w]) best[u][w] = best[w][u] = sum;
          if (sum < least) least = sum;
        }
    }
  }
  return least;
}

static void test_definition(void) {
  for (uint64_t seed = 0; seed < 24; ++seed)
    for (int c = 0; c < GPUGEO_LEAF_CRITERION_COUNT; ++c) {
      const int64_t n = 10 + (int64_t)(seed * 7 % 54);
      tree t = tree_make(n, seed);
      tree_fill(&t, seed % 5 == 0);
      tree_distances(&t, (int)(seed % 3));
      const gpugeo_leaf_order_options options = options_of((gpugeo_leaf_criterion)c);
      double sum = NAN;
      CHECK(!order_tree(&t, &options, &sum, NULL), "seed %d", (int)seed);
      const double least = plain_sum(&t, options.criterion);
      CHECK(sum == least && sum_of(&t, t.order, options.criterion) == least,
            "%lld leaves, criterion %d: %g, not %g", (long long)n, c, sum, least);
      check_arranged(&t);
      tree_free(&t);
    }
}

/* --- Larger trees ----------------------------------------------------------------------------- */

/* Orders the leaves of a clustering of points; the sum in *sum. */
static gpugeo_status order_points(const gpugeo_matrix *x, gpugeo_linkage linkage, int32_t threads,
                                  tree *t, double *sum) {
  const gpugeo_distances d = {.x = x};
  gpugeo_hclust_options how;
  gpugeo_hclust_options_init(&how, sizeof how);
  how.linkage = linkage;
  double *height = malloc(sizeof *height * (size_t)t->n);
  gpugeo_status status = gpugeo_hclust(&d, &how, t->merge, height, t->order, NULL, NULL);
  free(height);
  gpugeo_leaf_order_options options = options_of(GPUGEO_LEAF_CRITERION_ADJACENT);
  options.run.threads = threads;
  gpugeo_leaf_order_result result = {t->arranged, t->order, NAN};
  gpugeo_report report = {.threads = 0};
  if (!status) status = gpugeo_leaf_order(&d, t->merge, t->n - 1, &options, &result, &report, NULL);
  CHECK(report.threads == threads, "%d threads", (int)report.threads);
  *sum = result.sum;
  return status;
}

/* Threads, instruction sets and kinds of distances change nothing; matrices have more than one
   stripe and more than one part of their depth. */
static void test_same_bits(void) {
  const int64_t n = CHECK_SMALL ? 150 : 700, p = 3;
  const gg_simd widest = gg_context_get()->simd;
  double *x = data_points(DATA_RANDOM, n, p, 5);
  const gpugeo_matrix view = data_matrix(x, n, p, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  for (int linkage = 0; linkage < 3; ++linkage) {
    tree want = tree_make(n, 1), found = tree_make(n, 1);
    double least, sum;
    CHECK(!order_points(&view, (gpugeo_linkage)linkage, 1, &want, &least), "linkage %d", linkage);
    for (int turn = 0; turn < 8; ++turn) {
      gg_set_simd((gg_simd)(turn % (widest + 1)));
      CHECK(!order_points(&view, (gpugeo_linkage)linkage, 1 + turn, &found, &sum) && sum == least &&
                memcmp(want.order, found.order, sizeof *want.order * (size_t)n) == 0,
            "linkage %d, turn %d: %.17g, not %.17g", linkage, turn, sum, least);
    }
    gg_set_simd(widest);
    gpugeo_dist_options how;
    gpugeo_dist_options_init(&how, sizeof how);
    CHECK(!gpugeo_dist(&view, NULL, &how, GPUGEO_TYPE_DOUBLE, found.condensed, NULL, NULL),
          "distances");
    const gpugeo_leaf_order_options options = options_of(GPUGEO_LEAF_CRITERION_ADJACENT);
    CHECK(!order_tree(&found, &options, &sum, NULL) && sum == least &&
              memcmp(want.order, found.order, sizeof *want.order * (size_t)n) == 0,
          "linkage %d: the order of distances", linkage);
    double path = 0;
    for (int64_t i = 1; i < n; ++i)
      path += distance(&found, found.order[i - 1], found.order[i]);
    CHECK(fabs(path - least) < 1e-9 * least, "linkage %d: %.17g, not %.17g", linkage, path, least);
    check_arranged(&found);
    tree_free(&want);
    tree_free(&found);
  }
  free((void *)view.data);
  free(x);
}

/* A chain of points on a line, joined from the left: their order is the best one. The result may
   be written over the merges. */
static void test_chain(void) {
  const int64_t n = CHECK_SMALL ? 300 : 3000;
  tree t = tree_make(n, 1);
  double *x = malloc(sizeof *x * (size_t)n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = (double)i;
  for (int64_t k = 0; k < n - 1; ++k) {
    t.merge[k] = (int32_t)k + 1;
    t.merge[k + n - 1] = (int32_t)(k ? n + k - 1 : 0);
  }
  const gpugeo_matrix view = {x, GPUGEO_TYPE_DOUBLE, n, 1, n, NULL};
  const gpugeo_distances d = {.x = &view};
  gpugeo_leaf_order_result result = {t.merge, t.order, NAN};
  const gpugeo_leaf_order_options options = options_of(GPUGEO_LEAF_CRITERION_ADJACENT);
  CHECK(!gpugeo_leaf_order(&d, t.merge, n - 1, &options, &result, NULL, NULL), "chain");
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i)
    wrong += t.order[i] != n - 1 - i;
  CHECK(wrong == 0 && result.sum == (double)(n - 1), "%lld points, sum %g", (long long)wrong,
        result.sum);
  free(x);
  tree_free(&t);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void check_error(const tree *t, const gpugeo_leaf_order_options *options,
                        gpugeo_status expected, const char *want) {
  gpugeo_error error = {.message = ""};
  double sum;
  const gpugeo_status status = order_tree(t, options, &sum, &error);
  CHECK(status == expected && strncmp(error.message, want, strlen(want)) == 0, "%d: \"%s\"",
        (int)status, error.message);
}

static void test_errors(void) {
  tree t = tree_make(5, 3);
  tree_fill(&t, false);
  tree_distances(&t, 1);
  gpugeo_leaf_order_options options = options_of(GPUGEO_LEAF_CRITERION_COUNT);
  check_error(&t, &options, GPUGEO_ERROR_ARGUMENT, "criterion must be between 0 and 1, not 2");
  options = options_of(GPUGEO_LEAF_CRITERION_ADJACENT);
  options.run.work_bytes = 600;
  check_error(&t, &options, GPUGEO_ERROR_MEMORY, "memory_limit must be at least");
  options.run.work_bytes = 0;
  t.condensed[4] = NAN;
  check_error(&t, &options, GPUGEO_ERROR_DATA,
              "d must have finite distances only, but 1 of them is not; the first is missing, "
              "between points 2 and 3");
  for (int e = 0; e < 10; ++e)
    t.condensed[e] = 1e308;
  check_error(&t, &options, GPUGEO_ERROR_DATA, "d must have distances whose sums are finite");
  for (int e = 0; e < 10; ++e)
    t.condensed[e] = -1e308;
  check_error(&t, &options, GPUGEO_ERROR_DATA, "d must have distances whose sums are finite");
  t.merge[3] = t.merge[2];
  check_error(&t, &options, GPUGEO_ERROR_ARGUMENT,
              "merge must have each point and each earlier merge once, but row 4 does not");
  const gpugeo_distances d = {.condensed = t.condensed, .condensed_points = 5};
  gpugeo_leaf_order_result result = {t.arranged, t.order, 0};
  gpugeo_error error = {.message = ""};
  CHECK(gpugeo_leaf_order(&d, t.merge, 5, &options, &result, NULL, &error) ==
                GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "d must have the 6 leaves of the tree, not 5 points") == 0,
        "%s", error.message);
  for (int64_t n = 0; n < 2; ++n) {
    const gpugeo_distances few = {.condensed = t.condensed, .condensed_points = n};
    CHECK(gpugeo_leaf_order(&few, t.merge, n - 1, &options, &result, NULL, &error) ==
              GPUGEO_ERROR_ARGUMENT,
          "%lld leaves", (long long)n);
  }
  CHECK(gpugeo_leaf_order(&d, NULL, 4, &options, &result, NULL, &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "merge must not be NULL") == 0,
        "%s", error.message);
  tree_free(&t);
}

/* The working memory that is said to suffice does. */
static void test_memory(void) {
  tree t = tree_make(MOST, 3);
  tree_fill(&t, false);
  tree_distances(&t, 1);
  gpugeo_leaf_order_options options = options_of(GPUGEO_LEAF_CRITERION_ADJACENT);
  options.run.work_bytes = 1;
  gpugeo_error error = {.message = ""};
  double sum, least = plain_sum(&t, options.criterion);
  CHECK(order_tree(&t, &options, &sum, &error) == GPUGEO_ERROR_MEMORY, "memory");
  const char *digits = strpbrk(error.message, "0123456789");
  options.run.work_bytes = digits ? atoll(digits) : 0;
  CHECK(options.run.work_bytes > 0 && !order_tree(&t, &options, &sum, &error) && sum == least, "%s",
        error.message);
  --options.run.work_bytes;
  CHECK(order_tree(&t, &options, &sum, &error) == GPUGEO_ERROR_MEMORY, "one byte less");
  tree_free(&t);
}

int main(void) {
  test_all_orders();
  test_definition();
  test_same_bits();
  test_chain();
  test_errors();
  test_memory();
  return check_end();
}
