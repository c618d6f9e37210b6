/* A tree of cells over vertices in the order of their keys. */
#ifndef GG_CPU_LAYOUT_TREE_H
#define GG_CPU_LAYOUT_TREE_H

#include "layout/cpu/kernels.h"

enum {
  GG_LAYOUT_TREE_LEVELS = 32, /* maximum: 31 bits a coordinate in the plane, 21 in space */
  GG_LAYOUT_TREE_LEAF = 8, /* maximum number of vertices of a leaf, unless their keys are equal */
  GG_LAYOUT_TREE_SUMMED =
      64 /* a leaf of more vertices with equal keys is always taken as a whole */
};

/* A cell: the ranges of its vertices and of its children. */
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
  int dim, expansion_order;
  double theta;
  int64_t count, room; /* nodes */
  gg_layout_node *node;
  gg_repel_cell *cell;
  gg_layout_box *box; /* of the vertices */
  int levels;
  int64_t level[GG_LAYOUT_TREE_LEVELS + 1]; /* first node of each, and the end */
} gg_layout_tree;

/* Builds the tree of vertices sorted by their keys. False if memory is short. A tree that was built
   before keeps its memory; a new one is all 0. */
bool gg_layout_tree_build(gg_layout_tree *tree, const uint64_t *key,
                          const gg_repel_sources *sources, int32_t threads);
void gg_layout_tree_free(gg_layout_tree *tree);

#endif
