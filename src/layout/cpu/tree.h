/* A tree of cells over vertices in the order of their keys. */
#ifndef GG_CPU_LAYOUT_TREE_H
#define GG_CPU_LAYOUT_TREE_H

#include "layout/cpu/repel.h"

enum {
  GG_LAYOUT_TREE_LEVELS = 32, /* maximum: 31 bits a coordinate in the plane, 21 in space */
  /* Maximum number of vertices of a leaf, unless their keys are equal. With 8, iterations took 6 to
     11 % more processor time, with 32 up to 7 % less with AVX-512. */
  GG_LAYOUT_TREE_LEAF = 16,
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
  bool has_alike;     /* some leaf has more than GG_LAYOUT_TREE_SUMMED vertices */
  int levels;
  int64_t level[GG_LAYOUT_TREE_LEVELS + 1]; /* first node of each, and the end */
} gg_layout_tree;

/* Divides n vertices, sorted by their keys, into cells. False if memory is short. A tree that was
   divided before keeps its memory; a new one is all 0. */
bool gg_layout_tree_divide(gg_layout_tree *tree, const uint64_t *key, int64_t n);

/* Computes what the cells hold of the sources, which may have moved since the tree was divided
   unless it has leaves of vertices with equal keys. */
void gg_layout_tree_sum(gg_layout_tree *tree, const gg_repel_sources *sources, int32_t threads);
void gg_layout_tree_free(gg_layout_tree *tree);

#endif
