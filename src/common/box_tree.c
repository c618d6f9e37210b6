#include "common/box_tree.h"

#include <stdlib.h>

#include "common/memory.h"

static const int64_t leaf = 16; /* points, at most */

static void find_box(const gg_tree *tree, gg_tree_node *node) {
  for (int c = 0; c < tree->columns; ++c) {
    const double *at = tree->at[c];
    double low = at[tree->position[node->first]], high = low;
    for (int64_t p = node->first + 1; p < node->last; ++p) {
      const double value = at[tree->position[p]];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    node->low[c] = low;
    node->high[c] = high;
  }
}

/* Moves the positions in [first, last). After that none before `middle` has a larger coordinate
   than any from there on (Hoare's selection). */
static void partition_positions(const double *at, int64_t *position, int64_t first, int64_t last,
                                int64_t middle) {
  int64_t low = first, high = last - 1;
  while (low < high) {
    const double pivot = at[position[low + (high - low) / 2]];
    int64_t i = low, j = high;
    while (i <= j) {
      while (at[position[i]] < pivot)
        ++i;
      while (at[position[j]] > pivot)
        --j;
      if (i > j) break;
      const int64_t swap = position[i];
      position[i++] = position[j];
      position[j--] = swap;
    }
    if (middle <= j)
      high = j;
    else if (middle >= i)
      low = i;
    else
      return;
  }
}

/* Builds the tree breadth first: nodes before `tree->count` exist, and those of more than `leaf`
   points get children. */
static void grow_tree(gg_tree *tree) {
  for (int64_t n = 0; n < tree->count; ++n) {
    gg_tree_node *node = &tree->nodes[n];
    find_box(tree, node);
    if (node->last - node->first <= leaf) continue;
    int widest = 0;
    for (int c = 1; c < tree->columns; ++c)
      if (node->high[c] - node->low[c] > node->high[widest] - node->low[widest]) widest = c;
    const int64_t middle = node->first + (node->last - node->first) / 2;
    partition_positions(tree->at[widest], tree->position, node->first, node->last, middle);
    node->left = tree->count;
    tree->nodes[tree->count++] = (gg_tree_node){.first = node->first, .last = middle};
    tree->nodes[tree->count++] = (gg_tree_node){.first = middle, .last = node->last};
  }
}

bool gg_tree_make(int columns, const double *const *at, int64_t first, int64_t last,
                  gg_tree *tree) {
  const int64_t n = last - first;
  /* Leaves have more than leaf / 2 points each, unless there is but one. */
  const int64_t most = 2 * (n / (leaf / 2) + 1);
  *tree = (gg_tree){.columns = columns,
                    .position = gg_allocate(n, sizeof *tree->position),
                    .nodes = gg_allocate(most, sizeof *tree->nodes),
                    .count = 1};
  for (int c = 0; c < columns; ++c)
    tree->at[c] = at[c];
  if (!tree->position || !tree->nodes) {
    gg_tree_free(tree);
    return false;
  }
  for (int64_t p = 0; p < n; ++p)
    tree->position[p] = first + p;
  tree->nodes[0] = (gg_tree_node){.first = 0, .last = n};
  grow_tree(tree);
  return true;
}

void gg_tree_free(gg_tree *tree) {
  gg_free(tree->position);
  gg_free(tree->nodes);
  *tree = (gg_tree){0};
}

double gg_tree_gap(const gg_tree_node *a, const gg_tree_node *b, int columns, const double *box) {
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    double gap = 0;
    if (b->low[c] > a->high[c]) gap = b->low[c] - a->high[c];
    if (a->low[c] > b->high[c]) gap = a->low[c] - b->high[c];
    if (box[c] > 0) gap = 0;
    sum += gap * gap;
  }
  return sum;
}
