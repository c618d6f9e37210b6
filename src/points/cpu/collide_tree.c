/*
 * A tree over the points of a crowded cell: each node is divided in the middle of its longest side,
 * down to leaves of LEAF points. The order of rows is kept in both parts.
 */
#include "points/cpu/collide_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "points/cpu/collide_bulk.h"
#include "points/cpu/collide_slow.h"

enum {
  LEAF = 32,   /* points; so many are tested with each other faster than boxes tell more */
  DEEPEST = 48 /* levels: halving a cell more often makes it no smaller */
};

/* --- Making ----------------------------------------------------------------------------------- */

gg_cpu_node gg_cpu_node_make(const gg_cpu_search *search, const gg_cpu_points *points,
                             gg_span span) {
  gg_cpu_node node = {.span = span};
  for (int c = 0; c < search->plan->rule.columns; ++c) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = span.begin; i < span.end; ++i) {
      low = fmin(low, points->coordinate[c][i]);
      high = fmax(high, points->coordinate[c][i]);
    }
    node.low[c] = low;
    node.high[c] = high;
  }
  if (points->radius) {
    node.least_radius = INFINITY;
    for (int64_t i = span.begin; i < span.end; ++i) {
      node.least_radius = fmin(node.least_radius, points->radius[i]);
      node.most_radius = fmax(node.most_radius, points->radius[i]);
    }
  }
  return node;
}

/* Returns the number of a node's points. */
static int64_t size_of(const gg_cpu_node *node) { return node->span.end - node->span.begin; }

/* Memory of a build: flags and values of the points of one span. */
typedef struct scratch {
  unsigned char *upper;
  double *values;
} scratch;

/* Partitions an array: moves the values in the upper half behind the others and keeps the order
   of both. */
static void partition_values(double *values, const unsigned char *upper, int64_t n, double *kept) {
  int64_t low = 0, high = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (upper[i])
      kept[high++] = values[i];
    else
      values[low++] = values[i];
  }
  memcpy(values + low, kept, (size_t)high * sizeof *kept);
}

/* Divides a node's points in the middle of its longest side. Returns the first position of the
   upper part, or -1 if all points are equal. */
static int64_t halve(const gg_cpu_search *search, gg_cpu_points *points, const gg_cpu_node *node,
                     scratch *memory) {
  const int columns = search->plan->rule.columns;
  const int64_t begin = node->span.begin, n = size_of(node);
  int longest = 0;
  for (int c = 1; c < columns; ++c)
    if (node->high[c] - node->low[c] > node->high[longest] - node->low[longest]) longest = c;
  const double low = node->low[longest], high = node->high[longest];
  if (!(low < high)) return -1;
  double middle = low + (high - low) / 2;
  if (middle >= high) middle = low; /* neighbours among doubles */
  int64_t lower = 0;
  for (int64_t i = 0; i < n; ++i) {
    memory->upper[i] = points->coordinate[longest][begin + i] > middle;
    lower += !memory->upper[i];
  }
  for (int c = 0; c < columns; ++c)
    partition_values(points->coordinate[c] + begin, memory->upper, n, memory->values);
  partition_values(points->row + begin, memory->upper, n, memory->values);
  if (points->radius) partition_values(points->radius + begin, memory->upper, n, memory->values);
  return begin + lower;
}

/* Reserves memory for two more nodes. */
static bool reserve_nodes(gg_cpu_tree *tree) {
  if (tree->count + 2 <= tree->room) return true;
  const int32_t room = 2 * tree->room + 64;
  gg_cpu_node *nodes = gg_reallocate(tree->nodes, room, sizeof *nodes);
  if (!nodes) return false;
  tree->nodes = nodes;
  tree->room = room;
  return true;
}

/* Divides node `at` and its children down to leaves. Returns false if there is no memory. */
static bool split_node(const gg_cpu_search *search, gg_cpu_points *points, gg_cpu_tree *tree,
                       int32_t at, int depth, scratch *memory) {
  if (size_of(&tree->nodes[at]) <= LEAF || depth == DEEPEST) return true;
  const int64_t middle = halve(search, points, &tree->nodes[at], memory);
  if (middle < 0) return true;
  if (!reserve_nodes(tree)) return false;
  const gg_span span = tree->nodes[at].span;
  const int32_t child = tree->count;
  tree->count += 2;
  tree->nodes[at].child = child;
  tree->nodes[child] = gg_cpu_node_make(search, points, (gg_span){span.begin, middle});
  tree->nodes[child + 1] = gg_cpu_node_make(search, points, (gg_span){middle, span.end});
  return split_node(search, points, tree, child, depth + 1, memory) &&
         split_node(search, points, tree, child + 1, depth + 1, memory);
}

bool gg_cpu_tree_make(const gg_cpu_search *search, gg_cpu_points *points, gg_span span,
                      gg_cpu_tree *tree) {
  const int64_t n = span.end - span.begin;
  scratch memory = {gg_allocate(n, 1), gg_allocate(n, sizeof(double))};
  bool good = memory.upper && memory.values && reserve_nodes(tree);
  if (good) {
    tree->count = 1;
    tree->nodes[0] = gg_cpu_node_make(search, points, span);
    good = split_node(search, points, tree, 0, 0, &memory);
  }
  gg_free(memory.upper);
  gg_free(memory.values);
  return good;
}

/* --- Candidate pairs -------------------------------------------------------------------------- */

typedef enum relation { NONE, SOME, ALL } relation;

/* Returns whether none, some or all pairs of points of two nodes collide. Rounding is monotonic,
   so the smallest and largest differences of the boxes bound the computed differences of all
   their points. */
static relation relate(const gg_cpu_search *search, const gg_cpu_node *a, const gg_cpu_node *b) {
  double least[GG_POINT_COLUMNS] = {0}, most[GG_POINT_COLUMNS] = {0};
  if (search->far) return SOME;
  for (int c = 0; c < search->plan->rule.columns; ++c) {
    const double length = search->plan->rule.box[c];
    double gap = fmax(0, fmax(b->low[c] - a->high[c], a->low[c] - b->high[c]));
    double reach = fmax(b->high[c] - a->low[c], a->high[c] - b->low[c]);
    if (length > 0) { /* the nearer way round */
      const double shortest = fmin(gap, length - reach);
      reach = fmin(reach, length - gap);
      gap = shortest;
    }
    least[c] = gap;
    most[c] = reach;
  }
  const bool radii = search->plan->radii_x != NULL;
  const double smallest = radii            ? a->least_radius + b->least_radius
                          : search->sphere ? search->sphere->sure
                                           : search->plan->radius;
  const double largest = radii ? a->most_radius + b->most_radius : search->plan->radius;
  if (smallest >= 0 && gg_cpu_is_near(search, smallest, most)) return ALL;
  return gg_cpu_is_near(search, largest, least) ? SOME : NONE;
}

/* Tests each point of a with the span. */
static void test_directly(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *a,
                          gg_span span) {
  for (int64_t i = a->span.begin; i < a->span.end; ++i) {
    gg_cpu_test_point(search, found, i, &span, 1);
    if (gg_cpu_stopped_after(search, found, span.end - span.begin)) return;
  }
}

/* True if points that all collide can be counted at once: not for PAIRS, and only in ascending
   rows if pairs are excluded. */
static bool counts_at_once(const gg_cpu_search *search, const gg_cpu_node *node) {
  const bool ascending = search->plan->within && search->plan->exclude > 0;
  return search->what != GPUGEO_COLLISIONS_WHAT_PAIRS && !(ascending && node->child);
}

/* Maximum number of pairs that are tested directly, without dividing nodes further. */
static const int64_t few_pairs = 2048;

void gg_cpu_test_nodes(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *a, int32_t i,
                       const gg_cpu_node *b, int32_t j) {
  const gg_cpu_node *first = &a[i], *second = &b[j];
  if (gg_cpu_stopped_after(search, found, 64)) return;
  const relation related = relate(search, first, second);
  if (related == NONE) return;
  if (related == ALL && counts_at_once(search, first) && counts_at_once(search, second)) {
    gg_cpu_bulk_between(search, found, first->span, second->span);
    return;
  }
  if (size_of(first) * size_of(second) <= few_pairs || (!first->child && !second->child)) {
    test_directly(search, found, first, second->span);
    return;
  }
  const bool halve_first = first->child && (!second->child || size_of(first) >= size_of(second));
  for (int32_t half = 0; half < 2; ++half)
    if (halve_first)
      gg_cpu_test_nodes(search, found, a, first->child + half, b, j);
    else
      gg_cpu_test_nodes(search, found, a, i, b, second->child + half);
}

void gg_cpu_test_within(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *nodes,
                        int32_t i) {
  const gg_cpu_node *node = &nodes[i];
  if (counts_at_once(search, node) && relate(search, node, node) == ALL) {
    gg_cpu_bulk_within(search, found, node->span);
    return;
  }
  if (node->child) {
    gg_cpu_test_within(search, found, nodes, node->child);
    gg_cpu_test_within(search, found, nodes, node->child + 1);
    gg_cpu_test_nodes(search, found, nodes, node->child, nodes, node->child + 1);
    return;
  }
  for (int64_t k = node->span.begin; k < node->span.end; ++k) {
    const gg_span rest = {k + 1, node->span.end};
    gg_cpu_test_point(search, found, k, &rest, 1);
    if (gg_cpu_stopped_after(search, found, rest.end - rest.begin)) return;
  }
}

/* Tests the points of node i with those of node j that come after them. */
static void test_later(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *nodes,
                       int32_t i, int32_t j) {
  if (nodes[j].span.end <= nodes[i].span.end) return;
  if (nodes[j].span.begin >= nodes[i].span.end) {
    gg_cpu_test_nodes(search, found, nodes, i, nodes, j);
    return;
  }
  test_later(search, found, nodes, i, nodes[j].child); /* it holds node i */
  test_later(search, found, nodes, i, nodes[j].child + 1);
}

void gg_cpu_test_later(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *nodes,
                       int32_t i) {
  test_later(search, found, nodes, i, 0);
}
