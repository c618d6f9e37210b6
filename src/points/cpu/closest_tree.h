/* A tree of boxes over some points of a grid, for cells with many points. */
#ifndef GG_CPU_CLOSEST_TREE_H
#define GG_CPU_CLOSEST_TREE_H

#include "points/cpu/grid.h"

/* A node. Each child has half of its points, divided along the column of its largest extent. */
typedef struct gg_tree_node {
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS];
  int64_t first, last; /* in gg_tree.position */
  int64_t left;        /* the right child follows it; 0: a leaf */
} gg_tree_node;

typedef struct gg_tree {
  const gg_grid *grid;
  int64_t *position;   /* in the grid */
  gg_tree_node *nodes; /* the root first */
  int64_t count;       /* of nodes */
} gg_tree;

/* Makes a tree over the positions [first, last), at least one. Returns false if there is no
   memory; then nothing need be freed. */
bool gg_tree_make(const gg_grid *grid, int64_t first, int64_t last, gg_tree *tree);
void gg_tree_free(gg_tree *tree);

/* Returns a lower bound of the sum of squares, added up in the order of the columns without fma,
   of each pair of a point in a and one in b. Columns with box[c] > 0 don't count. */
double gg_tree_gap(const gg_tree_node *a, const gg_tree_node *b, int columns, const double *box);

#endif
