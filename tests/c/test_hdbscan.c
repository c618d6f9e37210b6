/* Clusters by density at all scales: core distances and the tree of mutual reachability against
   sorted distances, with the same bits by trees and by all pairs, from points and from distances,
   on any number of threads, on the CPU and on CUDA; the condensed tree against its definition, from
   the top. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cluster/condense.h"
#include "common/call.h"
#include "common/context.h"
#include "common/test_hooks.h"
#include "data.h"
#include "distance/knn.h"
#include "gpugeo.h"
#include "hdbscan_room.h"
#include "witness.h"

static gg_simd widest;
static bool has_cuda;

/* --- The expected dendrogram ------------------------------------------------------------------ */

typedef struct edge {
  double weight, distance;
  int32_t i, j;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *left = a, *right = b;
  if (left->weight != right->weight) return left->weight < right->weight ? -1 : 1;
  if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
  if (left->i != right->i) return left->i < right->i ? -1 : 1;
  return left->j < right->j ? -1 : left->j > right->j;
}

static int compare_doubles(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static double distance_of(const double *condensed, int64_t n, int64_t a, int64_t b) {
  const int64_t i = a > b ? a : b, j = a > b ? b : a;
  return a == b ? 0 : condensed[n * j - j * (j + 1) / 2 + i - j - 1];
}

/* Sorts all distances of each point; the first one is that to itself. */
static void find_core(const double *condensed, int64_t n, int64_t min_points, double *core) {
  double *row = malloc((size_t)n * sizeof *row);
  for (int64_t i = 0; i < n; ++i) {
    row[0] = -INFINITY;
    for (int64_t j = 0, at = 1; j < n; ++j)
      if (j != i) row[at++] = distance_of(condensed, n, i, j);
    qsort(row, (size_t)n, sizeof *row, compare_doubles);
    core[i] = row[min_points - 1];
  }
  free(row);
}

/* Merges clusters by all edges in their order, and numbers them as gpugeo_hclust() does. */
static void find_merges(const double *condensed, int64_t n, const double *core, int32_t *merge,
                        double *height) {
  edge *edges = malloc((size_t)(n * n / 2 + 1) * sizeof *edges);
  int32_t *label = malloc((size_t)n * sizeof *label);
  int64_t count = 0, k = 0;
  for (int32_t i = 0; i < n; ++i) {
    label[i] = i;
    for (int32_t j = i + 1; j < n; ++j) {
      const double d = distance_of(condensed, n, i, j);
      edges[count++] = (edge){fmax(d, fmax(core[i], core[j])), d, i, j};
    }
  }
  qsort(edges, (size_t)count, sizeof *edges, compare_edges);
  for (int64_t e = 0; e < count; ++e) {
    const int32_t a = label[edges[e].i], b = label[edges[e].j];
    if (a == b) continue;
    merge[k] = a < b ? a : b;
    merge[k + n - 1] = a < b ? b : a;
    height[k] = edges[e].weight;
    for (int64_t p = 0; p < n; ++p)
      if (label[p] == a || label[p] == b) label[p] = (int32_t)(n + k);
    ++k;
  }
  free(edges);
  free(label);
}

/* --- The expected condensed tree -------------------------------------------------------------- */

/* The clusters of a dendrogram, from the top, each with its own points. */
typedef struct definition {
  const gpugeo_hdbscan_result *got;
  int64_t n, min_points;
  double epsilon;
  const char *name;
} definition;

static int64_t count_points(const definition *d, int32_t cluster) {
  if (cluster < d->n) return 1;
  const int64_t k = cluster - d->n;
  return count_points(d, d->got->merge[k]) + count_points(d, d->got->merge[k + d->n - 1]);
}

/* Returns the height of a merge in the condensed tree: at least the lowest positive one of all. */
static double height_of(const definition *d, int64_t k) {
  double least = INFINITY;
  for (int64_t m = 0; m < d->n - 1; ++m)
    if (d->got->height[m] > 0) least = fmin(least, d->got->height[m]);
  return least < INFINITY ? fmax(d->got->height[k], least) : d->got->height[k];
}

static double gain(double height, double birth) {
  return height == birth ? 0 : 1 / height - 1 / birth;
}

/* What a node is by its definition. */
typedef struct node {
  double birth, death, stability, least;
  int64_t divided;
  int32_t below[2]; /* the clusters into which it divides */
} node;

/* Looks for the merge at which a node divides: goes down where one side is too small. */
static void descend(const definition *d, int32_t cluster, double height, node *to) {
  if (cluster < d->n) {
    if (to->divided == 0) to->death = height < to->death ? height : to->death;
    return;
  }
  const int64_t k = cluster - d->n;
  const int32_t a = d->got->merge[k], b = d->got->merge[k + d->n - 1];
  const int64_t na = count_points(d, a), nb = count_points(d, b);
  const double at = height_of(d, k);
  if (na >= d->min_points && nb >= d->min_points) {
    to->divided = na + nb;
    to->death = at;
    to->below[0] = a;
    to->below[1] = b;
    return;
  }
  descend(d, a, at, to);
  descend(d, b, at, to);
}

/* Adds up what the points of a cluster that leave a node add to its stability. */
static void add_stability(const definition *d, int32_t cluster, double height, node *to) {
  if (to->divided && (cluster == to->below[0] || cluster == to->below[1])) return;
  if (cluster < d->n) {
    to->stability += gain(to->divided ? fmax(height, to->death) : height, to->birth);
    return;
  }
  const int64_t k = cluster - d->n;
  add_stability(d, d->got->merge[k], height_of(d, k), to);
  add_stability(d, d->got->merge[k + d->n - 1], height_of(d, k), to);
}

static bool near(double got, double wanted) {
  return got == wanted || fabs(got - wanted) <= 1e-9 * fabs(wanted) ||
         (isnan(got) && isnan(wanted));
}

/* Checks a node and all below it; returns its score. inside: the cluster above it, or 0. */
static double check_node(const definition *d, int64_t at, int32_t cluster, double birth,
                         int32_t inside, int64_t *clusters) {
  const gpugeo_hdbscan_result *got = d->got;
  node wanted = {.birth = birth, .death = INFINITY};
  descend(d, cluster, birth, &wanted);
  add_stability(d, cluster, birth, &wanted);
  if (wanted.divided) wanted.stability += (double)wanted.divided * gain(wanted.death, birth);
  CHECK(got->birth[at] == birth && near(got->stability[at], wanted.stability) &&
            got->divided[at] == wanted.divided && got->death[at] == wanted.death,
        "%s: node %lld: birth %g, death %g, stability %g, %d points, not %g, %g, %g, %lld", d->name,
        (long long)at, got->birth[at], got->death[at], got->stability[at], got->divided[at], birth,
        wanted.death, wanted.stability, (long long)wanted.divided);
  int32_t above = inside;
  if (!inside && got->selected[at]) above = (int32_t)++ * clusters;
  CHECK(got->number[at] == above && !(inside && got->selected[at]), "%s: node %lld is %d, not %d",
        d->name, (long long)at, got->number[at], above);
  double below = 0;
  int64_t child = 0;
  while (wanted.divided && child < got->nodes && got->parent[child] != at)
    ++child;
  for (int side = 0; wanted.divided && side < 2; ++side)
    below += check_node(d, child + side, wanted.below[side], wanted.death, above, clusters);
  const bool better =
      at > 0 && (!wanted.divided || got->stability[at] > below || wanted.death < d->epsilon);
  const double score = wanted.divided && below >= got->stability[at] ? below : got->stability[at];
  CHECK(near(got->score[at], score) && (inside || got->selected[at] == better),
        "%s: node %lld: score %g, not %g", d->name, (long long)at, got->score[at], score);
  return got->score[at];
}

/* --- Points ----------------------------------------------------------------------------------- */

/* True if a node is another one or below it. */
static bool is_below(const gpugeo_hdbscan_result *got, int64_t node, int64_t other) {
  while (node > other)
    node = got->parent[node];
  return node == other;
}

static void check_points(const char *name, const gpugeo_hdbscan_result *got, int64_t n) {
  int64_t bad = 0, seen = 0;
  for (int64_t c = 0; c < got->nodes; ++c)
    for (int64_t e = got->start[c]; e < got->start[c + 1]; ++e, ++seen) {
      const int32_t i = got->point[e];
      double largest = 0, least = INFINITY;
      for (int64_t p = 0; p < n; ++p)
        if (got->cluster[p] == got->cluster[i]) largest = fmax(largest, got->core_distance[p]);
      for (int64_t leaf = c; leaf < got->nodes; ++leaf)
        if (!got->divided[leaf] && is_below(got, leaf, c)) least = fmin(least, got->death[leaf]);
      const double core = got->core_distance[i], outlier = 1 - least / got->leaves_at[e];
      const double member = core == 0         ? 1
                            : core == largest ? 0
                            : isinf(largest)  ? 1
                                              : (largest - core) / largest;
      bad += got->cluster[i] != got->number[c] ||
             !near(got->membership[i], got->cluster[i] ? member : 0) ||
             !near(got->outlier_score[i], isnan(outlier) ? 0 : outlier);
    }
  CHECK(bad == 0 && seen == n, "%s: %lld points of %lld differ", name, (long long)bad,
        (long long)seen);
}

/* --- Comparison ------------------------------------------------------------------------------- */

static void compare_tree(const char *name, const gpugeo_hdbscan_result *got,
                         const gpugeo_hdbscan_result *wanted, int64_t n) {
  CHECK(!memcmp(got->core_distance, wanted->core_distance, (size_t)n * sizeof(double)),
        "%s: core distances differ", name);
  CHECK(!memcmp(got->height, wanted->height, (size_t)(n - 1) * sizeof(double)),
        "%s: heights differ", name);
  CHECK(!memcmp(got->merge, wanted->merge, 2 * (size_t)(n - 1) * sizeof(int32_t)),
        "%s: merges differ", name);
}

/* Compares a source with the expected dendrogram; checks what follows from it if `all`. */
static void compare_source(const char *name, const gpugeo_distances *x,
                           const gpugeo_hdbscan_options *options, int64_t n,
                           const gpugeo_hdbscan_result *wanted, bool all) {
  int64_t size = -1;
  const int64_t nodes = hdbscan_nodes(n, options->min_points);
  gpugeo_error error;
  hdbscan_room room;
  CHECK(!gpugeo_distances_points(x, options->points, &size, &error) && size == n, "%s: %s", name,
        error.message);
  CHECK(hdbscan_room_make(n, nodes, &room), "no memory");
  const gpugeo_status status = gpugeo_hdbscan(x, options, &room.result, NULL, &error);
  if (CHECK(!status, "%s: %s", name, error.message)) {
    compare_tree(name, &room.result, wanted, n);
    CHECK(room.result.nodes <= nodes, "%s: %lld nodes", name, (long long)room.result.nodes);
    if (all) {
      const definition d = {&room.result, n, options->min_points, options->selection_epsilon, name};
      int64_t clusters = 0;
      check_node(&d, 0, (int32_t)(2 * n - 2), height_of(&d, n - 2), 0, &clusters);
      CHECK(clusters == room.result.clusters, "%s: %lld clusters, not %lld", name,
            (long long)room.result.clusters, (long long)clusters);
      check_points(name, &room.result, n);
    }
  }
  hdbscan_room_free(&room);
}

/* Compares all ways to the clusters of some points. */
static void compare(const char *name, const gpugeo_matrix *x, gpugeo_hdbscan_options options) {
  static const int32_t threads[] = {1, 2, 7};
  static int turn;
  const int64_t n = options.points == GPUGEO_POINTS_ROWS ? x->nrow : x->ncol;
  double *condensed = data_condensed(name, x, &options.metric, options.points);
  hdbscan_room wanted;
  CHECK(hdbscan_room_make(n, n, &wanted), "no memory");
  find_core(condensed, n, options.min_points, wanted.result.core_distance);
  find_merges(condensed, n, wanted.result.core_distance, wanted.result.merge, wanted.result.height);
  const gpugeo_distances points = {.x = x};
  const gpugeo_distances given = {.condensed = condensed, .condensed_points = n};
  options.run.threads = threads[turn % 3];
  gg_set_simd((gg_simd)(turn++ % ((int)widest + 1)));
  char text[240];
  for (int b = 0; b < 1 + has_cuda; ++b)
    for (int use = GG_TREES_AUTO; use <= GG_TREES_NEVER; ++use) {
      if (b && check_leaves_out(11)) continue;
      options.run.backend = b ? GPUGEO_BACKEND_CUDA : GPUGEO_BACKEND_CPU;
      snprintf(text, sizeof text, "%s, %s, %lld, use %d", b ? "CUDA" : "CPU", name,
               (long long)options.min_points, use);
      gg_trees_set_use((gg_tree_use)use);
      compare_source(text, &points, &options, n, &wanted.result,
                     b == 0 && use == GG_TREES_ALWAYS && n < 400);
    }
  gg_trees_set_use(GG_TREES_AUTO);
  snprintf(text, sizeof text, "%s, condensed", name);
  compare_source(text, &given, &options, n, &wanted.result, false);
  gg_set_simd(widest);
  hdbscan_room_free(&wanted);
  free(condensed);
}

static void test_kind(data_kind kind, gpugeo_metric metric, int64_t n, int64_t m,
                      int64_t min_points) {
  static int choice;
  double *points = data_points(kind, n, m, 81);
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  options.metric.kind = metric;
  options.min_points = min_points;
  options.points = (gpugeo_points)(choice % 2);
  const gpugeo_matrix x =
      data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, options.points, choice++ % 5);
  char name[160];
  snprintf(name, sizeof name, "%s, %lld %s points of %lld", gpugeo_name(GPUGEO_ENUM_METRIC, metric),
           (long long)n, data_name(kind), (long long)m);
  compare(name, &x, options);
  free((void *)x.data);
  free(points);
}

static void test_kinds(void) {
  static const data_kind kinds[] = {DATA_RANDOM, DATA_TIED, DATA_COUNTS,  DATA_COINCIDENT,
                                    DATA_NEAR,   DATA_HUGE, DATA_DENORMAL};
  static const gpugeo_metric metrics[] = {GPUGEO_METRIC_EUCLIDEAN, GPUGEO_METRIC_MANHATTAN,
                                          GPUGEO_METRIC_MAXIMUM, GPUGEO_METRIC_SQEUCLIDEAN,
                                          GPUGEO_METRIC_HAMMING};
  static const int64_t sizes[] = {2, 3, 5, 12, 25, 40};
  int turn = 0;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind)
    for (size_t metric = 0; metric < sizeof metrics / sizeof *metrics; ++metric)
      for (int64_t m = 1; m <= 5; m += 2)
        test_kind(kinds[kind], metrics[metric], 170, m, sizes[turn++ % 6]);
}

/* Trees of boxes with several levels: the core distances and the dendrograms of both backends. */
static void test_backends(data_kind kind, int64_t n, int64_t m, int64_t min_points) {
  double *points = data_points(kind, n, m, 17);
  const gpugeo_matrix x = data_matrix(points, n, m, GPUGEO_TYPE_DOUBLE, GPUGEO_POINTS_ROWS, 0);
  const gpugeo_distances distances = {.x = &x};
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  options.min_points = min_points;
  hdbscan_room room;
  gpugeo_error error;
  CHECK(hdbscan_room_make(n, n, &room), "no memory");
  options.run.backend = GPUGEO_BACKEND_CPU;
  CHECK(!gpugeo_hdbscan(&distances, &options, &room.result, NULL, &error), "%s", error.message);
  options.run.backend = GPUGEO_BACKEND_CUDA;
  char name[100];
  snprintf(name, sizeof name, "CUDA, %lld %s points of %lld", (long long)n, data_name(kind),
           (long long)m);
  compare_source(name, &distances, &options, n, &room.result, false);
  hdbscan_room_free(&room);
  free((void *)x.data);
  free(points);
}

static void test_sizes(void) {
  static const int64_t sizes[] = {2, 3, 15, 16, 17, 33, 128, 129, 257, 1100};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, sizes[s], 2, 2);
    test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, sizes[s], 3, sizes[s] < 9 ? sizes[s] : 9);
    test_kind(DATA_TIED, GPUGEO_METRIC_MANHATTAN, sizes[s], 2, sizes[s] < 5 ? sizes[s] : 5);
    test_kind(DATA_HUGE, GPUGEO_METRIC_EUCLIDEAN, sizes[s], 2, sizes[s] < 4 ? sizes[s] : 4);
    if (sizes[s] < 20) /* later points have no distance */
      test_kind(DATA_ENDLESS, GPUGEO_METRIC_MAXIMUM, sizes[s], 2, sizes[s] < 4 ? sizes[s] : 4);
  }
  test_kind(DATA_RANDOM, GPUGEO_METRIC_EUCLIDEAN, 60, 2, 60);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void check_error(int64_t min_points, double second, const char *message) {
  const double points[] = {0, second, 5};
  const gpugeo_matrix x = {points, GPUGEO_TYPE_DOUBLE, 3, 1, 3, NULL};
  const gpugeo_distances distances = {.x = &x};
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  options.min_points = min_points;
  hdbscan_room room;
  CHECK(hdbscan_room_make(3, 3, &room), "no memory");
  gpugeo_error error;
  CHECK(gpugeo_hdbscan(&distances, &options, &room.result, NULL, &error) &&
            strcmp(error.message, message) == 0,
        "%s", error.message);
  hdbscan_room_free(&room);
}

static void test_errors(void) {
  check_error(1, 1, "min_points must be a whole number of at least 2, not 1");
  check_error(4, 1, "min_points must be at most the number of points, 3, not 4");
  check_error(2, NAN,
              "x must have a distance between any two points, but 2 are missing; the first is "
              "between points 1 and 2");
}

/* --- Interrupts ------------------------------------------------------------------------------- */

/* Condenses a dendrogram that adds one point after another, with hooks that note their calls. */
static gpugeo_status condense_chain(int64_t n, witness *w, hdbscan_room *room) {
  for (int64_t k = 0; k < n - 1; ++k) {
    room->result.merge[k] = (int32_t)(k + 1);
    room->result.merge[k + n - 1] = k == 0 ? 0 : (int32_t)(n + k - 1);
    room->result.height[k] = (double)(k + 1);
  }
  gpugeo_run run;
  gpugeo_run_init(&run, sizeof run);
  witness_watch(w, &run);
  gg_clock clock;
  gg_clock_start(&clock, &run);
  gpugeo_error error = {0};
  gpugeo_hdbscan_options options;
  gpugeo_hdbscan_options_init(&options, sizeof options);
  return gg_condense(n, &options, &room->result, GG_CALL_OF(&clock, NULL, &error));
}

/* Each of the eight loops over points that condense a tree polls twice for 65,536 to 131,072
   points, and the call stops at any poll. */
static void test_condense_polls(void) {
  const int64_t n = 70000;
  hdbscan_room room;
  if (!hdbscan_room_make(n, gg_condensed_nodes(n, 5), &room)) {
    CHECK(0, "no memory");
    return;
  }
  gg_clock_set_polls(1);
  witness whole = {0};
  const gpugeo_status status = condense_chain(n, &whole, &room);
  CHECK(!status && room.result.nodes == 1 && room.result.clusters == 0 && whole.asked >= 16,
        "status %d, %lld nodes, asked %d times", status, (long long)room.result.nodes, whole.asked);
  for (int poll = 1; poll <= whole.asked; ++poll) {
    witness w = {.stop_at = poll};
    const gpugeo_status stopped = condense_chain(n, &w, &room);
    CHECK(stopped == GPUGEO_ERROR_INTERRUPT && w.asked == poll && w.after == 0,
          "poll %d of %d: status %d, asked %d times, %d after the answer", poll, whole.asked,
          stopped, w.asked, w.after);
  }
  gg_clock_set_polls(0);
  hdbscan_room_free(&room);
}

int main(void) {
  widest = gg_context_get()->simd;
  has_cuda = gpugeo_backend_available(GPUGEO_BACKEND_CUDA, NULL) == GPUGEO_OK;
  test_kinds();
  test_sizes();
  test_errors();
  test_condense_polls();
  for (int64_t m = 2; has_cuda && m <= 4; ++m) {
    test_backends(DATA_RANDOM, CHECK_SMALL ? 3000 : 40000, m, 5);
    test_backends(DATA_TIED, CHECK_SMALL ? 2000 : 20000, m, 20);
  }
  if (has_cuda) test_backends(DATA_RANDOM, CHECK_SMALL ? 900 : 5000, 30, 6);
  if (has_cuda) test_backends(DATA_RANDOM, CHECK_SMALL ? 3000 : 40000, 2, 50);
  return check_end();
}
