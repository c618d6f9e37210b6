/*
 * The condensed tree of a dendrogram (Campello, Moulavi and Sander 2013): from the last merge down,
 * a node divides where both sides have at least min_points points. All other points leave their
 * node one by one: at the height of their last merge, or where the node divides if that is higher.
 * Of the nodes, those become clusters whose stability exceeds that of the clusters below them, or
 * that divide below the height `epsilon` (Malzer and Baum 2020).
 *
 * Coincident points would have infinite density, and so would any cluster with some of them.
 * Heights of the condensed tree are therefore at least the lowest positive height of the
 * dendrogram.
 */
#include <math.h>

#include "cluster/condense.h"
#include "common/error.h"
#include "common/memory.h"

typedef struct tree {
  gpugeo_hdbscan_result *result;
  gg_clock *clock; /* polled in each loop over points or nodes; those return false if it stops */
  int64_t n, min_points;
  double epsilon, least;
  int32_t *size;       /* of each merge: its points */
  int32_t *left;       /* of each point: the node that it leaves */
  int32_t *first;      /* of each node: its first child, 0 for none; the second follows */
  int32_t *sequence;   /* the points in the order in which they leave */
  double *height;      /* where they do */
  int64_t count;       /* of those points */
  double *least_death; /* of each node: the lowest death of the leaves below it */
} tree;

/* --- Nodes ------------------------------------------------------------------------------------ */

/* Returns the number of points of a cluster of the dendrogram. */
static int64_t points_of(const tree *t, int32_t cluster) {
  return cluster < t->n ? 1 : t->size[cluster - t->n];
}

/* Returns the height of a merge, at least the lowest positive one. */
static double height_of(const tree *t, int64_t merge) {
  return fmax(t->result->height[merge], t->least);
}

/* Finds the lowest positive height of the dendrogram, whose heights ascend; 0 if there is no finite
   one. */
static bool find_least(tree *t) {
  const double *height = t->result->height;
  int64_t k = 0;
  while (k < t->n - 1 && height[k] <= 0)
    if (gg_clock_poll_loop(t->clock, k++)) return false;
  t->least = k < t->n - 1 && isfinite(height[k]) ? height[k] : 0;
  return true;
}

/* Counts the points below each merge. */
static bool count_points(const tree *t) {
  const int32_t *merge = t->result->merge;
  for (int64_t k = 0; k < t->n - 1; ++k) {
    if (gg_clock_poll_loop(t->clock, k)) return false;
    t->size[k] = (int32_t)(points_of(t, merge[k]) + points_of(t, merge[k + t->n - 1]));
  }
  return true;
}

/* Appends a node of the condensed tree for a cluster. parent: -1 for the root. */
static void add_node(tree *t, int32_t parent, double birth, int32_t cluster) {
  gpugeo_hdbscan_result *r = t->result;
  const int32_t node = (int32_t)r->nodes++;
  r->parent[node] = parent;
  r->birth[node] = birth;
  r->divided[node] = 0;
  t->first[node] = 0;
  r->merge_node[cluster - t->n] = node;
}

/* Has one side of a merge go on in its node, or leave it. */
static void follow_side(tree *t, int32_t node, int32_t cluster, double height) {
  if (cluster >= t->n) {
    t->result->merge_node[cluster - t->n] = node;
    return;
  }
  gpugeo_hdbscan_result *r = t->result;
  if (r->divided[node] == 0) r->death[node] = height; /* the lowest height is the last one */
  t->left[cluster] = node;
  t->sequence[t->count] = cluster;
  t->height[t->count++] = r->death[node];
}

/* Ends a node at the height of its division and appends one for each of its two parts. */
static void divide_node(tree *t, int32_t node, int32_t a, int32_t b, double height) {
  gpugeo_hdbscan_result *r = t->result;
  r->death[node] = height;
  r->divided[node] = (int32_t)(points_of(t, a) + points_of(t, b));
  t->first[node] = (int32_t)r->nodes;
  add_node(t, node, height, a);
  add_node(t, node, height, b);
}

/* Writes the nodes of the condensed tree, parents before children. */
static bool make_nodes(tree *t) {
  gpugeo_hdbscan_result *r = t->result;
  const int64_t n = t->n;
  r->nodes = 0;
  add_node(t, -1, height_of(t, n - 2), (int32_t)(2 * n - 2));
  for (int64_t k = n - 2; k >= 0; --k) {
    if (gg_clock_poll_loop(t->clock, k)) return false;
    const int32_t a = r->merge[k], b = r->merge[k + n - 1], node = r->merge_node[k];
    const double height = height_of(t, k);
    if (points_of(t, a) >= t->min_points && points_of(t, b) >= t->min_points) {
      divide_node(t, node, a, b, height);
    } else {
      follow_side(t, node, a, height);
      follow_side(t, node, b, height);
    }
  }
  return true;
}

/* Lists the points that leave each node, in their order. */
static bool list_points(const tree *t) {
  const gpugeo_hdbscan_result *r = t->result;
  for (int64_t c = 0; c <= r->nodes; ++c)
    r->start[c] = 0;
  for (int64_t i = 0; i < t->n; ++i) {
    if (gg_clock_poll_loop(t->clock, i)) return false;
    ++r->start[t->left[i] + 1];
  }
  for (int64_t c = 0; c < r->nodes; ++c)
    r->start[c + 1] += r->start[c];
  for (int64_t e = 0; e < t->n; ++e) {
    if (gg_clock_poll_loop(t->clock, e)) return false;
    const int64_t at = r->start[t->left[t->sequence[e]]]++;
    r->point[at] = t->sequence[e];
    r->leaves_at[at] = t->height[e];
  }
  for (int64_t c = r->nodes; c > 0; --c)
    r->start[c] = r->start[c - 1];
  r->start[0] = 0;
  return true;
}

/* --- Stability -------------------------------------------------------------------------------- */

/* Returns what a point adds to the stability of a node that it leaves. */
static double gain(double height, double birth) {
  return height == birth ? 0 : 1 / height - 1 / birth;
}

/* Computes the stability of each node: the sum of its points' gains. */
static bool find_stabilities(const tree *t) {
  const gpugeo_hdbscan_result *r = t->result;
  for (int64_t c = 0; c < r->nodes; ++c) {
    double sum = 0;
    for (int64_t e = r->start[c]; e < r->start[c + 1]; ++e) {
      if (gg_clock_poll_loop(t->clock, e)) return false;
      sum += gain(r->leaves_at[e], r->birth[c]);
    }
    if (r->divided[c]) sum += (double)r->divided[c] * gain(r->death[c], r->birth[c]);
    r->stability[c] = sum;
  }
  return true;
}

/* True if a node may be a cluster, unless one above it is: if its stability exceeds the scores of
   its children, or if these begin below epsilon. */
static bool is_candidate(const tree *t, int64_t node, double below) {
  const gpugeo_hdbscan_result *r = t->result;
  if (node == 0) return false;
  return !t->first[node] || r->stability[node] > below || r->death[node] < t->epsilon;
}

/* Computes scores from the stabilities, and selects nodes by them, as 1 in r->number. Children come
   after their parents. */
static bool score_nodes(const tree *t) {
  const gpugeo_hdbscan_result *r = t->result;
  for (int64_t c = r->nodes - 1; c >= 0; --c) {
    if (gg_clock_poll_loop(t->clock, c)) return false;
    const int32_t first = t->first[c];
    const double below = first ? r->score[first] + r->score[first + 1] : 0;
    r->number[c] = is_candidate(t, c, below);
    r->score[c] = first && below >= r->stability[c] ? below : r->stability[c];
    t->least_death[c] =
        !first ? r->death[c] : fmin(t->least_death[first], t->least_death[first + 1]);
  }
  return true;
}

/* Numbers the selected nodes from the root down, the first child first, and gives their number to
   all nodes below them. stack has room for all nodes. */
static bool number_clusters(const tree *t, int32_t *stack) {
  gpugeo_hdbscan_result *r = t->result;
  int64_t depth = 0;
  r->clusters = 0;
  stack[depth++] = 0;
  for (int64_t step = 0; depth > 0; ++step) {
    if (gg_clock_poll_loop(t->clock, step)) return false;
    const int32_t node = stack[--depth], parent = r->parent[node], first = t->first[node];
    const int32_t above = parent < 0 ? 0 : r->number[parent];
    if (above > 0) {
      r->selected[node] = 0;
      r->number[node] = above;
    } else {
      r->selected[node] = r->number[node];
      if (r->selected[node]) r->number[node] = (int32_t)++r->clusters;
    }
    if (!first) continue;
    stack[depth++] = first + 1;
    stack[depth++] = first;
  }
  return true;
}

/* --- Points ----------------------------------------------------------------------------------- */

/* Returns 1 for a point whose core distance is 0, and 0 for the largest one of a cluster. */
static double membership_of(double core, double largest) {
  if (core == 0) return 1;
  return core == largest ? 0 : isinf(largest) ? 1 : (largest - core) / largest;
}

/* Sets the points' clusters and memberships. largest has room for all clusters and 0. */
static bool assign_points(const tree *t, double *largest) {
  const gpugeo_hdbscan_result *r = t->result;
  for (int64_t c = 0; c <= r->clusters; ++c)
    largest[c] = 0;
  for (int64_t i = 0; i < t->n; ++i) {
    if (gg_clock_poll_loop(t->clock, i)) return false;
    const int32_t cluster = r->number[t->left[i]];
    r->cluster[i] = cluster;
    largest[cluster] = fmax(largest[cluster], r->core_distance[i]);
  }
  for (int64_t i = 0; i < t->n; ++i) {
    if (gg_clock_poll_loop(t->clock, i)) return false;
    r->membership[i] =
        r->cluster[i] ? membership_of(r->core_distance[i], largest[r->cluster[i]]) : 0;
  }
  return true;
}

/* Computes outlier scores (GLOSH, Campello et al. 2015). */
static bool score_outliers(const tree *t) {
  const gpugeo_hdbscan_result *r = t->result;
  for (int64_t c = 0; c < r->nodes; ++c)
    for (int64_t e = r->start[c]; e < r->start[c + 1]; ++e) {
      if (gg_clock_poll_loop(t->clock, e)) return false;
      const double height = r->leaves_at[e], least = t->least_death[c];
      r->outlier_score[r->point[e]] = height == least ? 0 : 1 - least / height;
    }
  return true;
}

gpugeo_status gg_condense(int64_t n, const gpugeo_hdbscan_options *options,
                          gpugeo_hdbscan_result *result, gg_call *call) {
  if (call->status) return call->status;
  const int64_t min_points = options->min_points;
  const int64_t nodes = gg_condensed_nodes(n, min_points);
  int32_t *whole = gg_allocate(3 * n + nodes, sizeof *whole);
  double *real = gg_allocate(n + nodes + 1, sizeof *real);
  if (whole && real) {
    tree t = {.result = result,
              .clock = call->clock,
              .n = n,
              .min_points = min_points,
              .epsilon = options->selection_epsilon,
              .size = whole,
              .left = whole + n,
              .sequence = whole + 2 * n,
              .first = whole + 3 * n,
              .height = real,
              .least_death = real + n};
    const bool done = find_least(&t) && count_points(&t) && make_nodes(&t) && list_points(&t) &&
                      find_stabilities(&t) && score_nodes(&t) && number_clusters(&t, t.size) &&
                      assign_points(&t, t.height) && score_outliers(&t);
    gg_call_require(call, done);
  } else {
    GG_TRY(call, gg_fail_memory(call->error, n * 20 + nodes * 12));
  }
  gg_free(whole);
  gg_free(real);
  return call->status;
}
