/* The queries of a search of a tree of boxes, as its kernels take them. */
#ifndef GG_CUDA_TREE_QUERIES_CUH
#define GG_CUDA_TREE_QUERIES_CUH

#include "cuda/distance/neighbor_tree.cuh"

namespace gpugeo {

/* What a search has done, of all warps together. */
struct tree_work {
  unsigned long long opened;   /* nodes, whose 32 boxes were compared with the box of the queries */
  unsigned long long tested;   /* boxes that were compared with each query */
  unsigned long long scanned;  /* leaves, or points in them, see scan() */
  unsigned long long taken;    /* candidates whose distances were computed */
  unsigned long long given_up; /* warps that gave up */
};

/* A search for the queries in leaves first, first + step, ... before `end` of `asking`. */
struct tree_search {
  tree_view tree, asking;
  int64_t first, end, step;
  bool within;          /* the queries are among the tree's points: each leaves itself out */
  bool same;            /* `asking` is `tree` */
  const double *weight; /* or NULL */
  double p;
  int finish;      /* GG_FINISH_... */
  tree_work *work; /* added to, or NULL */
  unsigned most;   /* with `work`: nodes and leaves after which a warp gives up */
};

} // namespace gpugeo

#endif
