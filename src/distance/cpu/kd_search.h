/* The interface between the search of a k-d tree and its kernels. */
#ifndef GG_KD_SEARCH_H
#define GG_KD_SEARCH_H

#include "common/simd.h"
#include "distance/cpu/kd_tree.h"
#include "distance/sum_limit.h"

typedef struct gg_kd_group gg_kd_group;

/* Searches take no points with more coordinates. */
enum { GG_KD_MOST_COORDINATES = 256 };

/* What searches have done. Counts do not depend on the number of threads. */
typedef struct gg_kd_work {
  int64_t eights; /* boxes of eight nodes compared with that of a group of queries */
  int64_t leaves; /* boxes of leaves compared with all queries of a group */
  int64_t scans;  /* leaves whose points were compared with a query */
} gg_kd_work;

/* Up to GG_KD_LEAF queries near each other, a panel of points, and what they ask for. */
struct gg_kd_group {
  /* Of each query: a box or a point whose sum is larger is left out; -1 where there is no query. */
  _Alignas(64) double limit[GG_KD_LEAF];
  /* The furthest of the neighbours that it has, for a point at the same distance is left out if its
     index is larger: infinity and INT32_MAX while all are taken. */
  double furthest[GG_KD_LEAF];
  int32_t furthest_index[GG_KD_LEAF];

  const gg_kd_tree *tree;
  const double *panel;
  const double
      *box;    /* of the queries: lowest and highest coordinate k at box[16 k], box[16 k + 8] */
  int64_t own; /* the queries are this leaf of the tree; else -1 */
  const double *weight; /* m */
  double p;
  int finish;               /* GG_FINISH_... */
  gg_sum_finish sum_finish; /* by which sums become distances */

  /* Where points have components, those of a query's own are left out. NULL: they have none. */
  const double *component;       /* of each position in the tree */
  const double *const *uniform;  /* for each level and node: that of all its points, or -1 */
  double own_component;          /* of all queries with a limit of at least 0, or -2 */
  double components[GG_KD_LEAF]; /* of each query */

  /* Takes points whose sums are within the limit of a query, which it may lower. */
  void (*take)(gg_kd_group *group, int query, int count, const double *distance,
               const int32_t *index);
  bool (*stopped)(gg_kd_group *group); /* asked after each 4096 leaves */
  void *own_job;
  gg_kd_work work;
};

/* Gives a group's queries all points of its tree that are within their limits and some that are
   not, themselves left out; nearest boxes first. */
typedef void gg_kd_search(gg_kd_group *group);

/* The longest lists that rank() sorts, and the room for one. */
enum { GG_KD_RANKED = 24, GG_KD_ROOM = GG_KD_RANKED + GG_KD_LEAF };

/* The nearest neighbours of a query so far, in order. A missing distance is infinity, at an index
   larger by GG_KD_MISSING, so it comes after all others. */
typedef struct gg_kd_list {
  double distance[GG_KD_ROOM], index[GG_KD_ROOM];
  int64_t count;
} gg_kd_list;
#define GG_KD_MISSING 0x1p32

typedef struct gg_kd_kernels {
  /* Sorts the neighbours of a list and `added` ones behind them, up to GG_KD_LEAF. The first k
     remain. */
  void (*rank)(gg_kd_list *list, int64_t k, int added);
  gg_kd_search *search[GG_STEP_COUNT];     /* for the steps that gg_sum_step() returns */
  gg_kd_search *euclidean_2, *euclidean_3; /* in two and in three dimensions */
} gg_kd_kernels;

extern const gg_kd_kernels GG_SIMD_FORMS(gg_kd_kernels);

#endif
