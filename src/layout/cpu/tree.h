/* A tree of cells over vertices in the order of their keys. */
#ifndef GG_CPU_LAYOUT_TREE_H
#define GG_CPU_LAYOUT_TREE_H

#include "layout/cpu/kernels.h"

enum {
  GG_LAYOUT_TREE_LEVELS = 32, /* at most: 31 bits a coordinate in the plane, 21 in space */
  GG_LAYOUT_TREE_LEAF =
      8, /* more vertices are divided among smaller cells, unless their keys are equal */
  GG_LAYOUT_TREE_SUMMED =
      64 /* with more than so many equal keys a leaf is always taken as a whole */
};

/* A cell: where its vertices and its children are, all next to each other. */
typedef struct gg_layout_node {
  int32_t centre[GG_LAYOUT_DIMS];
  /* Squared distance from the centre, in fine offsets, beyond which it is taken as a whole. */
  float reach;
  int32_t first, last;     /* vertices */
  int32_t child, children; /* nodes; a leaf has none */
} gg_layout_node;

typedef struct gg_layout_box {
  int32_t low[GG_LAYOUT_DIMS], high[GG_LAYOUT_DIMS];
} gg_layout_box;

typedef struct gg_layout_tree {
  int dim, order;
  double theta;
  int64_t count, room; /* nodes */
  gg_layout_node *node;
  gg_repel_cell *cell;
  gg_layout_box *box; /* of the vertices */
  int levels;
  int64_t level[GG_LAYOUT_TREE_LEVELS + 1]; /* first node of each, and the end */
} gg_layout_tree;

/* Divides vertices that are sorted by their keys, and adds up what the cells hold. false: no
   memory. The tree may have been built before and keeps its memory; all 0 at first. */
bool gg_layout_tree_build(gg_layout_tree *tree, const uint64_t *key,
                          const gg_repel_sources *sources, int32_t threads);
void gg_layout_tree_free(gg_layout_tree *tree);

#endif
