/* Fuzzes clustering: dendrograms, spanning trees, clusters by density, silhouettes and medoids, of
   points with any metric and of condensed distances, and merges and labels from outside. Checks
   results against their definitions on the distances of gpugeo_dist(). */
#include <float.h>

#include "cluster/hclust.h"
#include "common/test_hooks.h"
#include "distance/knn.h"
#include "fuzz.h"

enum { MOST_POINTS = 40 };

/* What one input is about; the options of all functions. */
typedef struct question {
  const given_distances *given;
  bytes *b;
  int64_t n;
  double *distance; /* condensed; NULL: gpugeo_dist() refuses them */
  gpugeo_hclust_options hclust;
  double eps, selection_epsilon;
  int64_t min_points, k, length, max_swaps, weights_length;
  double *weight;                 /* of points, for gpugeo_dbscan(); NULL: none */
  int32_t label[2 * MOST_POINTS]; /* clusters or medoids */
  bool border, swap, eager, chosen, silhouette;
} question;

static double at(const question *q, int64_t i, int64_t j) {
  return distance_at(q->distance, q->n, i, j);
}

/* True if all distances are finite numbers, none negative, whose sums are far from overflow. */
static bool is_plain(const question *q) {
  for (int64_t i = 0; i < q->n * (q->n - 1) / 2; ++i)
    if (!(q->distance[i] >= 0 && q->distance[i] < 1e100)) return false;
  return true;
}

/* True if the distances that are not 0 are of about the same size. If they are not, what a swap of
   medoids gains is lost in the rounding of much larger sums. */
static bool are_of_one_size(const question *q) {
  double least = INFINITY, most = 0;
  for (int64_t i = 0; i < q->n * (q->n - 1) / 2; ++i) {
    const double d = q->distance[i];
    if (d > 0 && d < least) least = d;
    most = fmax(most, d);
  }
  return most <= 1e3 * least;
}

static bool any_distance(const question *q, bool (*is)(double)) {
  for (int64_t i = 0; i < q->n * (q->n - 1) / 2; ++i)
    if (is(q->distance[i])) return true;
  return false;
}

static bool is_missing(double value) { return isnan(value); }
static bool is_unbounded(double value) { return !isfinite(value); }

/* --- Dendrograms ------------------------------------------------------------------------------ */

/* True if each point and each earlier merge is merged once. */
static bool is_tree(int64_t n, const int32_t *merge) {
  bool used[2 * MOST_POINTS] = {false};
  for (int64_t k = 0; k < n - 1; ++k)
    for (int side = 0; side < 2; ++side) {
      const int64_t cluster = merge[k + side * (n - 1)];
      if (cluster < 0 || cluster >= n + k || used[cluster]) return false;
      used[cluster] = true;
    }
  return true;
}

/* The points of each cluster as bits. */
static void find_members(int64_t n, const int32_t *merge, uint64_t *members) {
  for (int64_t i = 0; i < n; ++i)
    members[i] = (uint64_t)1 << i;
  for (int64_t k = 0; k < n - 1; ++k)
    members[n + k] = members[merge[k]] | members[merge[k + n - 1]];
}

/* Demands that the order has each point once, and the points of each merge side by side. */
static void check_order(int64_t n, const int32_t *merge, const int32_t *order) {
  uint64_t members[2 * MOST_POINTS], seen = 0;
  for (int64_t i = 0; i < n; ++i) {
    demand(order[i] >= 0 && order[i] < n && !(seen >> order[i] & 1));
    seen |= (uint64_t)1 << order[i];
  }
  find_members(n, merge, members);
  for (int64_t k = 0; k < n - 1; ++k) {
    int64_t first = n, last = -1, count = 0;
    for (int64_t p = 0; p < n; ++p)
      if (members[n + k] >> order[p] & 1) {
        first = p < first ? p : first;
        last = p;
        ++count;
      }
    demand(last - first + 1 == count);
  }
}

/* Demands a tree, the smaller cluster of each merge first. */
static void check_merges(int64_t n, const int32_t *merge, const int32_t *order) {
  demand(is_tree(n, merge));
  for (int64_t k = 0; k < n - 1; ++k)
    demand(merge[k] < merge[k + n - 1]);
  check_order(n, merge, order);
}

static gpugeo_status call_hclust(const void *own, const given_distances *given,
                                 const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given);
  gpugeo_hclust_options o = q->hclust;
  o.metric = given->metric;
  o.points = given->points;
  o.run = *run;
  int32_t *merge = add_wholes(r, n ? 2 * (n - 1) : 0), *order = add_wholes(r, n);
  double *height = add_reals(r, n ? n - 1 : 0);
  return gpugeo_hclust(&given->from, &o, merge, height, order, NULL, error);
}

static gpugeo_status call_cophenetic(const void *own, const given_distances *given,
                                     const gpugeo_run *run, results *r, gpugeo_error *error) {
  const results *dendrogram = own;
  const int64_t n = points_of(given);
  double *out = add_reals(r, n ? n * (n - 1) / 2 : 0);
  return gpugeo_cophenetic(given->n, dendrogram->part[0].data, dendrogram->part[2].data, run, out,
                           NULL, error);
}

/* Computes cophenetic distances, and checks them by the points of all merges. */
static gpugeo_status check_cophenetic(const given_distances *given, const results *dendrogram) {
  results r;
  const gpugeo_status status = call_in_ways(call_cophenetic, dendrogram, given, false, &r);
  const int64_t n = points_of(given);
  const int32_t *merge = dendrogram->part[0].data;
  const double *height = dendrogram->part[2].data;
  uint64_t members[2 * MOST_POINTS];
  if (!status) find_members(n, merge, members);
  for (int64_t k = 0; !status && k < n - 1; ++k)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if ((members[merge[k]] >> i & 1) && (members[merge[k + n - 1]] >> j & 1)) {
          const double found = distance_at(r.part[0].data, n, i, j);
          demand(memcmp(&found, height + k, sizeof found) == 0 ||
                 (isnan(found) && isnan(height[k])));
        }
  results_free(&r);
  return status;
}

/* Demands heights that are numbers and do not decrease, where they must not. */
static void check_heights(const question *q, const double *height) {
  const gpugeo_linkage linkage = q->hclust.linkage;
  for (int64_t k = 0; k < q->n - 1; ++k) {
    demand(!isnan(height[k]));
    if (k > 0 && linkage != GPUGEO_LINKAGE_CENTROID && linkage != GPUGEO_LINKAGE_MEDIAN)
      demand(height[k] >= height[k - 1]);
  }
}

/* Takes the options. Returns true if Ward's linkage of points needs no matrix, whose heights are
   rounded otherwise. */
static bool take_hclust(question *q, bytes *b, double *members) {
  gpugeo_hclust_options *o = &q->hclust;
  gpugeo_hclust_options_init(o, sizeof *o);
  o->linkage = (gpugeo_linkage)take(b, GPUGEO_LINKAGE_COUNT);
  o->squared = take(b, 1);
  if (take(b, 3) == 3) {
    o->members = members;
    o->members_length = take(b, 7) ? q->n : take(b, MOST_POINTS);
    for (int64_t i = 0; i < MOST_POINTS; ++i)
      members[i] = take(b, 15) ? take(b, 9) + 1 : take_double(b);
  }
  const bool centroids = take(b, 1);
  gg_centroids_set_from(centroids ? 2 : 0);
  return centroids && (o->linkage == GPUGEO_LINKAGE_WARD_D || o->linkage == GPUGEO_LINKAGE_WARD_D2);
}

/* True if all sizes of clusters are such that sums of them are far from overflow. */
static bool are_plain_members(const gpugeo_hclust_options *o) {
  for (int64_t i = 0; o->members && i < o->members_length; ++i)
    if (!(o->members[i] >= 1e-3 && o->members[i] < 1e6)) return false;
  return true;
}

static void check_hclust(question *q) {
  results r;
  double members[MOST_POINTS];
  const bool centroids = take_hclust(q, q->b, members);
  const bool same = q->given->precision == GPUGEO_PRECISION_DOUBLE && !centroids;
  gpugeo_status status = call_in_ways(call_hclust, q, q->given, same && !take(q->b, 1), &r);
  gg_centroids_set_from(0);
  if (!status) {
    demand(q->n >= 2 && q->distance && !any_distance(q, is_unbounded));
    const int32_t *merge = r.part[0].data, *order = r.part[1].data;
    check_merges(q->n, merge, order);
    if (is_plain(q) && are_plain_members(&q->hclust)) check_heights(q, r.part[2].data);
    given_distances unlimited = *q->given;
    unlimited.work_bytes = 0;
    demand(check_cophenetic(&unlimited, &r) == GPUGEO_OK);
  }
  results_free(&r);
}

/* Cophenetic distances of any merges and heights. */
static void check_foreign_merges(question *q) {
  given_distances given = *q->given;
  results dendrogram = {.parts = 0};
  const int64_t n = given.n, count = points_of(&given) ? n - 1 : 0;
  int32_t *merge = add_wholes(&dendrogram, 2 * count);
  add_wholes(&dendrogram, 0);
  double *height = add_reals(&dendrogram, count);
  const bool wild = take(q->b, 3) == 3;
  for (int64_t k = 0; k < count; ++k) {
    height[k] = take_double(q->b);
    for (int side = 0; side < 2; ++side)
      merge[k + side * count] = wild ? (int32_t)take_int64(q->b) : take(q->b, (int)(n + k)) - 1;
  }
  const bool valid = n >= 2 && count && is_tree(n, merge);
  const gpugeo_status status = check_cophenetic(&given, &dendrogram);
  demand(status == (valid ? GPUGEO_OK : GPUGEO_ERROR_ARGUMENT));
  results_free(&dendrogram);
}

/* --- Spanning trees --------------------------------------------------------------------------- */

typedef struct edge {
  double distance;
  int32_t i, j;
} edge;

/* By distance, i, j. */
static int compare_edges(const void *left, const void *right) {
  const edge *a = left, *b = right;
  if (a->distance < b->distance || a->distance > b->distance)
    return a->distance < b->distance ? -1 : 1;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

static gpugeo_status call_mst(const void *own, const given_distances *given, const gpugeo_run *run,
                              results *r, gpugeo_error *error) {
  (void)own;
  const int64_t n = points_of(given), count = n ? n - 1 : 0;
  gpugeo_mst_options o;
  gpugeo_mst_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.run = *run;
  int32_t *i = add_wholes(r, count), *j = add_wholes(r, count);
  return gpugeo_mst(&given->from, &o, i, j, add_reals(r, count), NULL, error);
}

/* Demands the edges that Kruskal's algorithm takes. */
static void check_edges(const question *q, const results *r) {
  const int32_t *i = r->part[0].data, *j = r->part[1].data;
  const double *distance = r->part[2].data;
  edge all[MOST_POINTS * MOST_POINTS] = {{0}};
  int32_t tree[MOST_POINTS];
  int64_t count = 0, taken = 0;
  for (int32_t a = 0; a < q->n; ++a) {
    tree[a] = a;
    for (int32_t b = a + 1; b < q->n; ++b)
      all[count++] = (edge){at(q, a, b), a, b};
  }
  qsort(all, (size_t)count, sizeof *all, compare_edges);
  for (int64_t e = 0; e < count; ++e) {
    const int32_t from = tree[all[e].i], to = tree[all[e].j];
    if (from == to) continue;
    demand(i[taken] == all[e].i && j[taken] == all[e].j);
    demand(distance[taken] <= all[e].distance && distance[taken] >= all[e].distance);
    ++taken;
    for (int64_t a = 0; a < q->n; ++a)
      if (tree[a] == to) tree[a] = from;
  }
  demand(taken == q->n - 1);
}

static void check_mst(question *q) {
  results r;
  const gpugeo_status status = call_in_ways(call_mst, NULL, q->given, true, &r);
  if (!status && q->n > 1) {
    demand(q->distance && !any_distance(q, is_missing));
    check_edges(q, &r);
  }
  results_free(&r);
}

/* --- Clusters by density ---------------------------------------------------------------------- */

static gpugeo_status call_dbscan(const void *own, const given_distances *given,
                                 const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given);
  gpugeo_dbscan_options o;
  gpugeo_dbscan_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.eps = q->eps;
  o.min_points = q->min_points;
  o.border = q->border;
  o.weights = q->weight;
  o.weights_length = q->weights_length;
  o.run = *run;
  int32_t *cluster = add_wholes(r, n), *core = add_wholes(r, n);
  return gpugeo_dbscan(&given->from, &o, cluster, core, NULL, error);
}

static bool is_near(const question *q, int64_t i, int64_t j) {
  return i == j || at(q, i, j) <= q->eps;
}

static bool is_core(const question *q, int64_t i) {
  double sum = 0;
  for (int64_t j = 0; j < q->n; ++j)
    if (is_near(q, i, j)) sum += q->weight ? q->weight[j] : 1;
  return sum >= (double)q->min_points;
}

/* Gives a number to all core points that are reached from one. */
static void fill_cluster(const question *q, int64_t from, int32_t number, int32_t *expected) {
  expected[from] = number;
  for (bool more = true; more;) {
    more = false;
    for (int64_t i = 0; i < q->n; ++i)
      for (int64_t j = 0; j < q->n; ++j)
        if (expected[i] == number && !expected[j] && is_core(q, j) && is_near(q, i, j)) {
          expected[j] = number;
          more = true;
        }
  }
}

/* Takes weights, or leaves them out. Returns false if sums of them are rounded. */
static bool take_weights(question *q, bytes *b, double *weight) {
  if (take(b, 3) != 3) return true;
  bool simple = true;
  for (int64_t i = 0; i < MOST_POINTS; ++i) {
    weight[i] = take(b, 31) == 31 ? take_double(b) : 0.25 * take(b, 12);
    simple = simple && is_simple(weight[i]);
  }
  q->weight = weight;
  q->weights_length = take(b, 15) == 15 ? take(b, MOST_POINTS) : points_of(q->given);
  return simple;
}

static void check_dbscan(question *q) {
  results r;
  double weight[MOST_POINTS];
  const bool exact = take_weights(q, q->b, weight);
  const gpugeo_status status = call_in_ways(call_dbscan, q, q->given, true, &r);
  const bool matrix = q->given->metric.kind != GPUGEO_METRIC_GREAT_CIRCLE;
  if (!status && q->n > 1 && matrix && exact) {
    const int32_t *cluster = r.part[0].data, *core = r.part[1].data;
    int32_t expected[MOST_POINTS] = {0}, number = 0;
    demand(q->distance != NULL);
    for (int64_t i = 0; i < q->n; ++i)
      if (!expected[i] && is_core(q, i)) fill_cluster(q, i, ++number, expected);
    for (int64_t i = 0; i < q->n; ++i) {
      int32_t least = expected[i];
      for (int64_t j = 0; q->border && !is_core(q, i) && j < q->n; ++j)
        if (is_core(q, j) && is_near(q, i, j) && (!least || expected[j] < least))
          least = expected[j];
      demand(core[i] == is_core(q, i) && cluster[i] == least);
    }
  }
  results_free(&r);
}

enum { HDBSCAN_CLUSTER, HDBSCAN_MERGE, HDBSCAN_ORDER, HDBSCAN_MERGE_NODE, HDBSCAN_POINT };
enum { HDBSCAN_MEMBERSHIP = 5, HDBSCAN_OUTLIER, HDBSCAN_CORE, HDBSCAN_HEIGHT, HDBSCAN_LEAVES };
enum { HDBSCAN_PARENT = 10, HDBSCAN_SELECTED = 13, HDBSCAN_START, HDBSCAN_BIRTH };
enum { HDBSCAN_COUNTS = 19 };

static gpugeo_status call_hdbscan(const void *own, const given_distances *given,
                                  const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given);
  gpugeo_hdbscan_options o;
  gpugeo_hdbscan_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.min_points = q->min_points;
  o.selection_epsilon = q->selection_epsilon;
  o.run = *run;
  const int64_t merges = n ? n - 1 : 0;
  const int64_t nodes = n < o.min_points || o.min_points < 2 ? 1 : 2 * (n / o.min_points) - 1;
  gpugeo_hdbscan_result found = {0};
  found.cluster = add_wholes(r, n);
  found.merge = add_wholes(r, 2 * merges);
  found.order = add_wholes(r, n);
  found.merge_node = add_wholes(r, merges);
  found.point = add_wholes(r, n);
  double **const reals[] = {&found.membership, &found.outlier_score, &found.core_distance,
                            &found.height,     &found.leaves_at,     &found.birth,
                            &found.death,      &found.stability,     &found.score};
  int32_t **const of_nodes[] = {&found.parent, &found.divided, &found.number, &found.selected};
  for (int k = 0; k < 5; ++k)
    *reals[k] = add_reals(r, k == 3 ? merges : n);
  for (int k = 0; k < 4; ++k)
    *of_nodes[k] = add_wholes(r, nodes);
  found.start = add_wholes(r, nodes + 1);
  for (int k = 5; k < 9; ++k)
    *reals[k] = add_reals(r, nodes);
  int32_t *count = add_wholes(r, 2);
  const gpugeo_status status = gpugeo_hdbscan(&given->from, &o, &found, NULL, error);
  if (status) return status;
  demand(found.nodes >= 1 && found.nodes <= nodes && found.clusters >= 0);
  count[0] = (int32_t)found.nodes;
  count[1] = (int32_t)found.clusters;
  return GPUGEO_OK;
}

/* Demands that nodes come after their parents, and that each point leaves one of them. */
static void check_nodes(const question *q, const results *r) {
  const int32_t *parent = r->part[HDBSCAN_PARENT].data, *start = r->part[HDBSCAN_START].data;
  const int32_t *count = r->part[HDBSCAN_COUNTS].data, *point = r->part[HDBSCAN_POINT].data;
  uint64_t seen = 0;
  demand(parent[0] == -1 && start[0] == 0 && start[count[0]] == q->n);
  for (int32_t c = 1; c < count[0]; ++c)
    demand(parent[c] >= 0 && parent[c] < c && start[c] >= start[c - 1]);
  for (int64_t e = 0; e < q->n; ++e) {
    demand(point[e] >= 0 && point[e] < q->n && !(seen >> point[e] & 1));
    seen |= (uint64_t)1 << point[e];
  }
  const int32_t *of_merge = r->part[HDBSCAN_MERGE_NODE].data;
  for (int64_t k = 0; k < q->n - 1; ++k)
    demand(of_merge[k] >= 0 && of_merge[k] < count[0]);
}

static int compare_reals(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Demands core distances from sorted distances. */
static void check_core_distances(const question *q, const double *core) {
  for (int64_t i = 0; i < q->n; ++i) {
    double sorted[MOST_POINTS] = {0};
    int64_t count = 0;
    for (int64_t j = 0; j < q->n; ++j)
      if (i != j) sorted[count++] = at(q, i, j);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_reals);
    const double expected = sorted[q->min_points - 2];
    demand(core[i] <= expected && core[i] >= expected);
  }
}

/* Demands clusters and scores in their ranges. */
static void check_scores(const question *q, const results *r) {
  const int32_t *cluster = r->part[HDBSCAN_CLUSTER].data, *count = r->part[HDBSCAN_COUNTS].data;
  const double *membership = r->part[HDBSCAN_MEMBERSHIP].data;
  const double *outlier = r->part[HDBSCAN_OUTLIER].data, *height = r->part[HDBSCAN_HEIGHT].data;
  for (int64_t k = 1; k < q->n - 1; ++k)
    demand(height[k] >= height[k - 1]);
  bool found[MOST_POINTS + 1] = {false};
  for (int64_t i = 0; i < q->n; ++i) {
    demand(cluster[i] >= 0 && cluster[i] <= count[1]);
    found[cluster[i]] = true;
    demand(membership[i] >= 0 && membership[i] <= 1 && (cluster[i] || membership[i] <= 0));
    demand(outlier[i] >= 0 && outlier[i] <= 1);
  }
  for (int32_t c = 1; c <= count[1]; ++c)
    demand(found[c]);
}

/* Demands that clusters begin at selection_epsilon or above it, unless they are parts of the root.
 */
static void check_births(const question *q, const results *r) {
  const int32_t *parent = r->part[HDBSCAN_PARENT].data, *count = r->part[HDBSCAN_COUNTS].data;
  const int32_t *selected = r->part[HDBSCAN_SELECTED].data;
  const double *birth = r->part[HDBSCAN_BIRTH].data;
  for (int32_t c = 0; c < count[0]; ++c)
    demand(!selected[c] || (c > 0 && (parent[c] == 0 || birth[c] >= q->selection_epsilon)));
}

static bool is_negative(double value) { return value < 0; }

static void check_hdbscan(question *q) {
  results r;
  q->selection_epsilon = take(q->b, 3) == 3 ? take_double(q->b) : 0;
  const gpugeo_status status = call_in_ways(call_hdbscan, q, q->given, true, &r);
  if (!status) {
    demand(q->distance && !any_distance(q, is_missing));
    check_merges(q->n, r.part[HDBSCAN_MERGE].data, r.part[HDBSCAN_ORDER].data);
    check_nodes(q, &r);
    check_births(q, &r);
    check_core_distances(q, r.part[HDBSCAN_CORE].data);
    if (!any_distance(q, is_negative)) check_scores(q, &r);
  }
  results_free(&r);
}

/* --- Silhouettes ------------------------------------------------------------------------------ */

static gpugeo_status call_silhouette(const void *own, const given_distances *given,
                                     const gpugeo_run *run, results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given);
  gpugeo_silhouette_options o;
  gpugeo_silhouette_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.run = *run;
  int32_t *neighbor = add_wholes(r, n);
  return gpugeo_silhouette(&given->from, q->label, q->length, &o, neighbor, add_reals(r, n), NULL,
                           error);
}

/* The mean distance from the points of a cluster, in their order; NaN if there are none. */
static double mean_distance(const question *q, const int32_t *label, int64_t i, int32_t cluster) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t j = 0; j < q->n; ++j)
    if (j != i && label[j] == cluster) {
      sum += at(q, i, j);
      ++count;
    }
  return sum / (double)count;
}

/* Demands the neighbour and the width of each point. */
static void check_widths(const question *q, const int32_t *label, const int32_t *neighbor,
                         const double *width) {
  for (int64_t i = 0; i < q->n; ++i) {
    const double a = mean_distance(q, label, i, label[i]);
    double b = INFINITY;
    int32_t nearest = 0;
    for (int32_t c = 1; c <= q->n; ++c) {
      const double mean = c == label[i] ? NAN : mean_distance(q, label, i, c);
      if (mean < b) {
        b = mean;
        nearest = c;
      }
    }
    demand(neighbor[i] == nearest);
    if (!nearest) {
      demand(isnan(width[i]));
      continue;
    }
    const double expected = isnan(a) || !(a < b || a > b) ? 0 : (b - a) / (a > b ? a : b);
    demand(width[i] <= expected && width[i] >= expected && width[i] >= -1 && width[i] <= 1);
  }
}

static void check_silhouette(question *q) {
  results r;
  const bool same = q->given->precision == GPUGEO_PRECISION_DOUBLE;
  const gpugeo_status status = call_in_ways(call_silhouette, q, q->given, same, &r);
  bool valid = q->length == q->n;
  for (int64_t i = 0; i < q->length; ++i)
    valid = valid && q->label[i] >= 1 && q->label[i] <= q->n;
  if (!status && q->n > 1) {
    demand(valid && q->distance && !any_distance(q, is_unbounded));
    if (same && is_plain(q)) check_widths(q, q->label, r.part[0].data, r.part[1].data);
  }
  results_free(&r);
}

/* --- Medoids ---------------------------------------------------------------------------------- */

static gpugeo_status call_pam(const void *own, const given_distances *given, const gpugeo_run *run,
                              results *r, gpugeo_error *error) {
  const question *q = own;
  const int64_t n = points_of(given), k = q->k > 0 && q->k <= n ? q->k : 0;
  gpugeo_pam_options o;
  gpugeo_pam_options_init(&o, sizeof o);
  o.metric = given->metric;
  o.points = given->points;
  o.k = q->k;
  o.swap = q->swap;
  o.eager = q->eager;
  o.max_swaps = q->max_swaps;
  if (q->chosen) {
    o.medoids = q->label;
    o.medoids_length = q->length;
  }
  o.run = *run;
  gpugeo_pam_result found = {0};
  found.medoid = add_wholes(r, k);
  found.cluster = add_wholes(r, n);
  found.distance = add_reals(r, n);
  found.all = add_reals(r, n * k);
  double *objective = add_reals(r, 2);
  int32_t *swaps = add_wholes(r, 2);
  if (q->silhouette) {
    found.neighbor = add_wholes(r, n);
    found.width = add_reals(r, n);
    found.furthest = add_reals(r, n);
    found.nearest = add_reals(r, n);
  }
  const gpugeo_status status = gpugeo_pam(&given->from, &o, &found, NULL, error);
  if (status) return status;
  memcpy(objective, found.objective, sizeof found.objective);
  swaps[0] = (int32_t)found.swaps;
  swaps[1] = found.converged;
  return GPUGEO_OK;
}

/* Demands clusters numbered in the order of the points, each around its medoid, and each point in
   that of the nearest one. */
static void check_partition(const question *q, const results *r) {
  const int32_t *medoid = r->part[0].data, *cluster = r->part[1].data;
  const double *distance = r->part[2].data, *all = r->part[3].data;
  int32_t numbered = 0;
  for (int32_t m = 0; m < q->k; ++m)
    demand(medoid[m] >= 0 && medoid[m] < q->n && cluster[medoid[m]] == m + 1);
  for (int64_t i = 0; i < q->n; ++i) {
    const int32_t own = cluster[i];
    demand(own >= 1 && own <= numbered + 1);
    numbered = own > numbered ? own : numbered;
    demand(distance[i] <= all[i + (own - 1) * q->n] && distance[i] >= all[i + (own - 1) * q->n]);
    for (int64_t m = 0; m < q->k; ++m)
      demand(medoid[own - 1] == i || distance[i] <= all[i + m * q->n]);
  }
  demand(numbered == q->k);
}

/* The sum of the distances from the nearest medoid, of which number `without` is `instead`. */
static double sum_of_swap(const question *q, const int32_t *medoid, int64_t without,
                          int64_t instead) {
  double sum = 0;
  for (int64_t i = 0; i < q->n; ++i) {
    double least = INFINITY;
    for (int64_t m = 0; m < q->k; ++m)
      least = fmin(least, at(q, i, m == without ? instead : medoid[m]));
    sum += least;
  }
  return sum;
}

/* Demands the mean of the distances, and that no swap makes it smaller, unless swaps have ended
   early. Where distances are not of one size, only that swaps have not made it larger. */
static void check_objective(const question *q, const results *r) {
  const int32_t *medoid = r->part[0].data, *swaps = r->part[5].data;
  const double *objective = r->part[4].data, sum = sum_of_swap(q, medoid, -1, 0);
  const double mean = sum / (double)q->n, slack = 1e-9 * objective[0];
  demand(fabs(objective[1] - mean) <= slack && objective[1] <= objective[0]);
  demand(swaps[0] >= 0 && swaps[0] <= (q->swap ? q->max_swaps : 0));
  if (!are_of_one_size(q) || !swaps[1]) return;
  for (int64_t m = 0; q->swap && m < q->k; ++m)
    for (int64_t i = 0; i < q->n; ++i)
      demand(sum_of_swap(q, medoid, m, i) >= sum - slack * (double)q->n);
}

static void check_pam(question *q) {
  results r;
  q->max_swaps = take(q->b, 3) == 3 ? take(q->b, 9) - 1 : INT64_MAX;
  const bool same = q->given->precision == GPUGEO_PRECISION_DOUBLE;
  const gpugeo_status status = call_in_ways(call_pam, q, q->given, same, &r);
  if (!status) {
    demand(q->k >= 1 && q->k <= q->n);
    const bool plain = q->distance && is_plain(q);
    if (plain) check_partition(q, &r);
    if (same && plain) check_objective(q, &r);
    if (same && plain && q->silhouette && q->n > 1)
      check_widths(q, r.part[1].data, r.part[6].data, r.part[7].data);
  }
  results_free(&r);
}

/* -----------------------------------------------------------------------------------------------
 */

/* Takes what functions other than gpugeo_hclust() are asked for. */
static void take_options(question *q, bytes *b) {
  const int switches = take(b, 31);
  q->border = switches & 1;
  q->swap = switches & 2;
  q->eager = switches & 4;
  q->chosen = switches & 8;
  q->silhouette = switches & 16;
  q->eps = take_double(b);
  if (take(b, 7)) q->eps = fabs(q->eps);
  q->min_points = take(b, 12) - 1;
  q->k = take(b, 9);
  const int clusters = take(b, 5) + 1;
  q->length = take(b, 15) ? (q->chosen ? q->k : q->n) : take(b, MOST_POINTS);
  if (q->length < 0 || q->length > MOST_POINTS) q->length = 0;
  const int lowest = q->chosen ? 0 : 1, kind = take(b, 15);
  for (int64_t i = 0; i < q->length; ++i) {
    q->label[i] = lowest + take(b, clusters);
    if (kind == 15) q->label[i] = (int32_t)take_int64(b);
    if (q->chosen && kind < 8) q->label[i] = (int32_t)(i * (kind + 1)); /* all different */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const checks[])(question *) = {check_hclust, check_foreign_merges, check_mst,
                                               check_dbscan, check_hdbscan,        check_silhouette,
                                               check_pam};
  bytes b = bytes_of(data, size);
  const int check = take(&b, (int)(sizeof checks / sizeof *checks) - 1);
  gg_trees_set_use((gg_tree_use)take(&b, 2));
  given_distances given = take_given(&b, MOST_POINTS);
  question q = {.given = &given, .b = &b, .n = given.n};
  q.distance = points_of(&given) ? distances_of(&given) : NULL;
  take_options(&q, &b);
  checks[check](&q);
  gg_trees_set_use(GG_TREES_AUTO);
  free(q.distance);
  given_distances_free(&given);
  return 0;
}
