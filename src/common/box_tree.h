/* A tree of boxes over some points. */
#ifndef GG_BOX_TREE_H
#define GG_BOX_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { GG_TREE_COLUMNS = 3 }; /* at most */

/* A node. Each child has half of its points, divided along the column of its largest extent. */
typedef struct gg_tree_node {
  double low[GG_TREE_COLUMNS], high[GG_TREE_COLUMNS];
  int64_t first, last; /* in gg_tree.position */
  int64_t left;        /* the right child follows it; 0: a leaf */
} gg_tree_node;

typedef struct gg_tree {
  int columns;
  const double *at[GG_TREE_COLUMNS]; /* the coordinates of all points, by column */
  int64_t *position;                 /* of the tree's points in these */
  gg_tree_node *nodes;               /* the root first */
  int64_t count;                     /* of nodes */
} gg_tree;

/* Makes a tree over the positions [first, last), at least one, of the coordinates in at[0] to
   at[columns - 1], which must stay. False without memory; nothing is left then. */
bool gg_tree_make(int columns, const double *const *at, int64_t first, int64_t last, gg_tree *tree);
void gg_tree_free(gg_tree *tree);

/* Returns a lower bound of the sum of squares, added up in the order of the columns without fma, of
   each pair of a point in a and one in b. Columns with box[c] > 0 don't count. */
double gg_tree_gap(const gg_tree_node *a, const gg_tree_node *b, int columns, const double *box);

#endif
