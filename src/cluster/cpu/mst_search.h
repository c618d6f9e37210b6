/* The search for a minimum spanning tree by a k-d tree: see mst_kd.c. */
#ifndef GG_MST_SEARCH_H
#define GG_MST_SEARCH_H

#include "cluster/mst.h"
#include "common/parallel.h"
#include "distance/cpu/kd_neighbors.h"
#include "distance/cpu/nearest.h"
#include "distance/cpu/tiles.h"

/* What a thread has for its present group. */
typedef struct gg_mst_worker {
  gg_kd_group group;
  struct gg_mst_search *search;
  int64_t leaf;
  gg_kd_list list[GG_KD_LEAF];
  gg_neighbor *heap;          /* k for each query, instead of lists if k > GG_KD_RANKED, */
  int64_t heaped[GG_KD_LEAF]; /* and how many there are */
  double found[GG_KD_LEAF];   /* of each query: the weight of the first edge, */
  double found_distance[GG_KD_LEAF];
  int32_t found_index[GG_KD_LEAF]; /* and the point of another component to which it leads, or -1 */
  double values[GG_KD_LEAF * GG_KD_LEAF]; /* of a panel of odd points and another panel */
  gg_missing_pairs missing;
} gg_mst_worker;

typedef struct gg_mst_search {
  const gg_dist_plan *dist;
  gg_tree_use trees;
  gg_kd_tree tree;
  gg_kd_search *search;
  const gg_cpu_kernels *kernels;
  const gg_kd_kernels *kd_kernels;
  gg_sum_finish sum_finish;
  double *weight;
  gg_mst_worker *workers;
  int32_t *position; /* of each point in the tree */

  /* Of each position: */
  double *component;
  int64_t list;           /* how many each list has */
  double *list_distance;  /* the nearest points, */
  int32_t *list_position; /* where they are in the tree */
  uint8_t *list_next;     /* those before it are of the same component */
  double *bound;          /* no edge to another component has a smaller weight, */
  int32_t *nearest;       /* and that to this point is the first with this weight, or -1 */

  /* With core distances: */
  int64_t k;        /* else 0 */
  double *core;     /* of each point */
  double *reach;    /* of each position; NULL: without core distances */
  uint8_t *sure;    /* of each list: the first ones are those whose core distances are no larger */
  double *distance; /* of each position: to the nearest */

  /* Of each level's nodes: the component of all their points, or -1. */
  double *uniform[GG_KD_LEVELS];

  /* Of each component: */
  int64_t components;
  double *best;           /* the distance of its first edge so far */
  int32_t *best_position; /* the position with that edge, or -1 */
  int32_t *next;          /* the component to which it leads; then the new component */

  gg_forest *forest;
  gg_lock lock; /* of the forest, while the edges of odd points are added */
  bool full;    /* there was no memory for an edge */
  bool adds;    /* odd points have their limits, and edges are added */
  gg_call *call;
} gg_mst_search;

#endif
