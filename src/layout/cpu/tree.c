/*
 * A tree of cells, built level by level from sorted keys. Cells with a single child are skipped:
 * there are fewer than 1.5 nodes a vertex, and at most as many levels as digits of a key.
 */
#include "layout/cpu/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/inline.h"
#include "common/memory.h"
#include "common/parallel.h"

/* --- dividing --------------------------------------------------------------------------------- */

/* Makes room for `count` nodes and keeps the present ones. False if memory is short. */
static bool make_room(gg_layout_tree *tree, int64_t count) {
  if (count <= tree->room) return true;
  const int64_t room = count + count / 2;
  gg_layout_node *node = gg_allocate(room, sizeof *node);
  gg_repel_cell *cell = gg_allocate(room, sizeof *cell);
  gg_layout_box *box = gg_allocate(room, sizeof *box);
  if (!node || !cell || !box) {
    gg_free(node);
    gg_free(cell);
    gg_free(box);
    return false;
  }
  if (tree->count) memcpy(node, tree->node, (size_t)tree->count * sizeof *node);
  gg_layout_tree_free(tree);
  tree->node = node;
  tree->cell = cell;
  tree->box = box;
  tree->room = room;
  return true;
}

void gg_layout_tree_free(gg_layout_tree *tree) {
  gg_free(tree->node);
  gg_free(tree->cell);
  gg_free(tree->box);
  tree->node = NULL;
  tree->cell = NULL;
  tree->box = NULL;
}

/* Returns the first vertex of [first, last) whose key is at least `least`. */
static int32_t seek_key(const uint64_t *key, int32_t first, int32_t last, uint64_t least) {
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    if (key[middle] < least)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/* True if a node has too many vertices for a leaf, and they are not all at one position. */
static bool divisible(const gg_layout_node *node, const uint64_t *key) {
  return node->last - node->first > GG_LAYOUT_TREE_LEAF && key[node->first] != key[node->last - 1];
}

/* Divides the vertices of a node by the first digit in which their keys differ, and appends the
   children. */
static void divide_node(gg_layout_tree *tree, const uint64_t *key, int64_t at) {
  const gg_layout_node node = tree->node[at];
  const uint64_t differ = key[node.first] ^ key[node.last - 1];
  const int shift = (63 - __builtin_clzll(differ)) / tree->dim * tree->dim;
  const uint64_t digits = (uint64_t)1 << tree->dim;
  const uint64_t above = key[node.first] >> shift >> tree->dim << tree->dim;
  int32_t first = node.first;
  tree->node[at].child = (int32_t)tree->count;
  for (uint64_t digit = 0; digit < digits && first < node.last; ++digit) {
    const int32_t last = digit + 1 == digits
                             ? node.last
                             : seek_key(key, first, node.last, (above | (digit + 1)) << shift);
    if (last == first) continue;
    tree->node[tree->count++] = (gg_layout_node){.first = first, .last = last};
    ++tree->node[at].children;
    first = last;
  }
}

bool gg_layout_tree_divide(gg_layout_tree *tree, const uint64_t *key, int64_t n) {
  tree->count = 0;
  tree->levels = 0;
  tree->has_alike = false;
  if (!make_room(tree, 1)) return false;
  tree->node[tree->count++] = (gg_layout_node){.first = 0, .last = (int32_t)n};
  tree->level[0] = 0;
  for (int64_t first = 0, last = 1; first < last; first = last, last = tree->count) {
    tree->level[++tree->levels] = last;
    int64_t more = 0;
    for (int64_t at = first; at < last; ++at)
      if (divisible(&tree->node[at], key))
        ++more;
      else if (tree->node[at].last - tree->node[at].first > GG_LAYOUT_TREE_SUMMED)
        tree->has_alike = true;
    if (!make_room(tree, tree->count + (more << tree->dim))) return false;
    for (int64_t at = first; at < last; ++at)
      if (divisible(&tree->node[at], key)) divide_node(tree, key, at);
  }
  return true;
}

/* --- what cells hold -------------------------------------------------------------------------- */

/* Sums over the parts of a node: mass, and mass times position; and the bounding box. */
typedef struct sums {
  double mass, centre[GG_LAYOUT_DIMS];
  gg_layout_box box;
} sums;

GG_INLINE void add_to_box(gg_layout_box *box, const int32_t *low, const int32_t *high, int dim) {
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) {
    if (low[c] < box->low[c]) box->low[c] = low[c];
    if (high[c] > box->high[c]) box->high[c] = high[c];
  }
}

/* Adds the moments of a part, shifted by t, to those of the whole. */
GG_INLINE void add_in_plane(const float *part, double mass, const double *t, double *moment) {
  const double x = t[0], y = t[1], xx = x * x - y * y, xy = 2 * x * y;
  const double a2x = (double)part[0], a2y = (double)part[1];
  const double a3x = (double)part[2], a3y = (double)part[3];
  moment[0] += a2x + mass * xx;
  moment[1] += a2y + mass * xy;
  /* a_3 + t (3 a_2 + m t^2) */
  const double bx = 3 * a2x + mass * xx, by = 3 * a2y + mass * xy;
  moment[2] += a3x + (x * bx - y * by);
  moment[3] += a3y + (x * by + y * bx);
  /* a_4 + t (4 a_3 + t (6 a_2 + m t^2)) */
  const double cx = 6 * a2x + mass * xx, cy = 6 * a2y + mass * xy;
  const double dx = 4 * a3x + (x * cx - y * cy), dy = 4 * a3y + (x * cy + y * cx);
  moment[4] += (double)part[4] + (x * dx - y * dy);
  moment[5] += (double)part[5] + (x * dy + y * dx);
}

GG_INLINE void add_in_space(const float *part, double mass, const double *t, double *moment) {
  int k = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b, ++k)
      moment[k] += (double)part[k] + mass * t[a] * t[b];
}

static const float nothing[GG_REPEL_MOMENTS];

GG_INLINE void add_moments(int dim, const int32_t *at, const int32_t *centre, const float *part,
                           float mass, double *moment) {
  double t[GG_LAYOUT_DIMS];
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) t[c] =
      (double)(at[c] - centre[c]) / GG_LAYOUT_FINE;
  if (dim == 2)
    add_in_plane(part, (double)mass, t, moment);
  else
    add_in_space(part, (double)mass, t, moment);
}

/* Copies the fine offsets of the vertex of rank j. */
GG_INLINE void source_at(const gg_repel_sources *sources, int dim, int64_t j, int32_t *fine) {
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) fine[c] = sources->fine[c][j];
}

/* Returns the squared distance from the centre beyond which a cell is taken as a whole: that of the
   longest side of its box divided by theta. */
static float reach_of(const gg_layout_tree *tree, const gg_layout_box *box) {
  double size = 0;
  for (int c = 0; c < tree->dim; ++c) {
    const double side = (double)box->high[c] - box->low[c];
    if (side > size) size = side;
  }
  return (float)(size * size / (tree->theta * tree->theta));
}

GG_INLINE void add_part(sums *s, float mass, const int32_t *centre, const gg_layout_box *box,
                        int dim) {
  add_to_box(&s->box, box->low, box->high, dim);
  s->mass += (double)mass;
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) s->centre[c] += (double)mass * centre[c];
}

/* Returns the end of the vertices that a node sums itself: those of a leaf. */
static int32_t end_of_leaf(const gg_layout_node *node) {
  return node->children ? node->first : node->last;
}

/* Sums the children of a node, or the vertices of a leaf. */
GG_INLINE sums sum_parts(const gg_layout_tree *tree, const gg_repel_sources *sources,
                         const gg_layout_node *node, int dim) {
  sums s = {
      .box = {.low = {INT32_MAX, INT32_MAX, INT32_MAX}, .high = {INT32_MIN, INT32_MIN, INT32_MIN}}};
  for (int32_t k = node->child; k < node->child + node->children; ++k)
    add_part(&s, tree->cell[k].mass, tree->cell[k].centre, &tree->box[k], dim);
  for (int32_t j = node->first; j < end_of_leaf(node); ++j) {
    gg_layout_box point;
    source_at(sources, dim, j, point.low);
    source_at(sources, dim, j, point.high);
    add_part(&s, sources->mass[j], point.low, &point, dim);
  }
  return s;
}

/* Computes the moments of a cell from those of its children, or from the vertices of a leaf. */
GG_INLINE void sum_moments(const gg_layout_tree *tree, const gg_repel_sources *sources,
                           const gg_layout_node *node, gg_repel_cell *cell, int dim) {
  double moment[GG_REPEL_MOMENTS] = {0};
  for (int32_t k = node->child; k < node->child + node->children; ++k)
    add_moments(dim, tree->node[k].centre, node->centre, tree->cell[k].moment, tree->cell[k].mass,
                moment);
  for (int32_t j = node->first; j < end_of_leaf(node); ++j) {
    int32_t fine[GG_LAYOUT_DIMS];
    source_at(sources, dim, j, fine);
    add_moments(dim, fine, node->centre, nothing, sources->mass[j], moment);
  }
  for (int k = 0; k < GG_REPEL_MOMENTS; ++k)
    cell->moment[k] = (float)moment[k];
}

GG_INLINE void sum_node(gg_layout_tree *tree, const gg_repel_sources *sources, int64_t at,
                        int dim) {
  gg_layout_node *node = &tree->node[at];
  gg_repel_cell *cell = &tree->cell[at];
  const sums s = sum_parts(tree, sources, node, dim);
  *cell = (gg_repel_cell){.mass = (float)s.mass};
  GG_LAYOUT_UNROLL for (int c = 0; c < dim; ++c) cell->centre[c] = node->centre[c] =
      (int32_t)rint(s.centre[c] / s.mass);
  tree->box[at] = s.box;
  const bool alike = !node->children && node->last - node->first > GG_LAYOUT_TREE_SUMMED;
  node->reach = alike ? -1 : reach_of(tree, &s.box);
  if (!alike && tree->expansion_order > 0) sum_moments(tree, sources, node, cell, dim);
}

enum {
  FEW = 128, /* up to so many nodes of a level take one thread about 8 us */
  GRAIN = 32
};

typedef struct summing {
  gg_layout_tree *tree;
  const gg_repel_sources *sources;
  int64_t first; /* node of the level */
} summing;

/* Sums up the moments of a range of nodes of a level. */
static void sum_some(void *job, gg_range range) {
  const summing *s = job;
  const int64_t first = s->first + range.first, last = s->first + range.last;
  if (s->tree->dim == 2)
    for (int64_t at = first; at < last; ++at)
      sum_node(s->tree, s->sources, at, 2);
  else
    for (int64_t at = first; at < last; ++at)
      sum_node(s->tree, s->sources, at, 3);
}

void gg_layout_tree_sum(gg_layout_tree *tree, const gg_repel_sources *sources, int32_t threads) {
  for (int level = tree->levels - 1; level >= 0; --level) {
    const int64_t first = tree->level[level], last = tree->level[level + 1];
    gg_parallel_for(&(gg_loop){.threads = last - first > FEW ? threads : 1,
                               .count = last - first,
                               .grain = GRAIN,
                               .work = sum_some,
                               .job = &(summing){tree, sources, first},
                               .from_both_ends = true});
  }
}
