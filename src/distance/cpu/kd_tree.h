/*
 * A k-d tree of eight-way nodes over points, for neighbours in few dimensions.
 *
 * Its leaves are panels of points as in tile.h; all but the last are full. Level 0 are the leaves,
 * a node of level h covers the leaves [i 8^h, (i + 1) 8^h), and the highest level has at most eight
 * nodes: the shape follows from the number of points, whatever they are. A node's points are
 * divided by medians of the coordinate with the largest extent, ties by index, three times over.
 */
#ifndef GG_KD_TREE_H
#define GG_KD_TREE_H

#include "common/call.h"
#include "distance/dist.h"

enum {
  GG_KD_LEAF = 16,  /* points of a leaf: a panel of doubles */
  GG_KD_NODES = 8,  /* children of a node */
  GG_KD_LEVELS = 10 /* at most: 8^10 leaves are more than there are points */
};

/* The nodes of a level by eights, in the order of the leaves. The boxes of eight nodes are
   2 m vectors of eight: the lowest and the highest coordinates k are at box[16 k] and
   box[16 k + 8]. */
typedef struct gg_kd_level {
  int64_t count;  /* nodes */
  double *box;    /* 16 m for each eight nodes */
  int32_t *least; /* smallest index of a node's points */
} gg_kd_level;

typedef struct gg_kd_tree {
  int64_t m;
  int64_t n;      /* points in the tree: those whose coordinates are all finite */
  int64_t leaves; /* of GG_KD_LEAF points */
  double *panel;  /* m * GG_KD_LEAF for each leaf; the last one filled up with its last point */
  int32_t *index; /* of each point of the leaves in the matrix; -1 where they are filled up */
  int levels;
  gg_kd_level level[GG_KD_LEVELS];
  int64_t odd;        /* points with a coordinate that is not finite, */
  int64_t odd_panels; /* in panels of their own, filled up with zeros, */
  double *odd_panel;
  int32_t *odd_index; /* in increasing order */
} gg_kd_tree;

/* Returns the bytes that a tree takes while it is made, which is more than later. */
double gg_kd_bytes(int64_t n, int64_t m);

/* Makes a tree over the points of x, which is one of the plan's matrices. To be freed also after a
   failure. */
gpugeo_status gg_kd_make(const gg_dist_plan *plan, const gpugeo_matrix *x, gg_kd_tree *tree,
                         gg_call *call);
void gg_kd_free(gg_kd_tree *tree);

/* Returns the number of points in a leaf. */
static inline int64_t gg_kd_leaf_size(const gg_kd_tree *tree, int64_t leaf) {
  const int64_t rest = tree->n - leaf * GG_KD_LEAF;
  return rest < GG_KD_LEAF ? rest : GG_KD_LEAF;
}

/* Returns a node's box, borrowed from the tree: the lowest and the highest coordinate k at
   [16 k] and [16 k + 8]. */
static inline double *gg_kd_box(const gg_kd_level *level, int64_t node, int64_t m) {
  return level->box + node / GG_KD_NODES * 2 * GG_KD_NODES * m + node % GG_KD_NODES;
}

#endif
