/*
 * Trees over the points of crowded cells, which handle parts of them that are far from each other,
 * or all within the radius, as a whole.
 */
#ifndef GG_CPU_COLLIDE_TREE_H
#define GG_CPU_COLLIDE_TREE_H

#include "points/cpu/collide_search.h"

/* A range of points, and their bounding box. Without children their rows ascend. */
typedef struct gg_cpu_node {
  gg_span span;
  double low[GG_POINT_COLUMNS], high[GG_POINT_COLUMNS];
  double least_radius, most_radius; /* with radii */
  int32_t child;                    /* the first of two, 0: none */
} gg_cpu_node;

/* A tree; the root is node 0. */
typedef struct gg_cpu_tree {
  gg_cpu_node *nodes;
  int32_t count, room;
} gg_cpu_tree;

/* Returns a node with the bounding box of a span, without children. */
gg_cpu_node gg_cpu_node_make(const gg_cpu_search *search, const gg_cpu_points *points,
                             gg_span span);

/* Puts the points of a span, which are in ascending order of rows, into the order of a tree.
   Returns false if there is no memory. */
bool gg_cpu_tree_make(const gg_cpu_search *search, gg_cpu_points *points, gg_span span,
                      gg_cpu_tree *tree);

/* The points of node i of tree a are tested with those of node j of b. */
void gg_cpu_test_nodes(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *a, int32_t i,
                       const gg_cpu_node *b, int32_t j);

/* The points of a node are tested with each other (pairing ONCE). */
void gg_cpu_test_within(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *nodes,
                        int32_t i);

/* The points of node i of a tree are tested with those of the tree that stand after it. */
void gg_cpu_test_later(gg_cpu_search *search, gg_cpu_found *found, const gg_cpu_node *nodes,
                       int32_t i);

#endif
