/* Samples as lists of the branches of a tree above their individuals. */
#ifndef GG_BRANCHES_H
#define GG_BRANCHES_H

#include "common/call.h"
#include "gpugeo.h"

/* The branches of a tree, in preorder: a branch comes after the one above it. */
typedef struct gg_branch_tree {
  int64_t tips, count;
  double *length;
  int32_t *above;  /* of each branch the one above it; -1: the root */
  int32_t *of_tip; /* of each tip its branch */
  double total;    /* sum of all lengths */
  double height;   /* largest distance of a tip from the root */
} gg_branch_tree;

/* Checks a tree, and makes its branches. root: the base is the root, however many branches meet
   there. To be freed by gg_branch_tree_free(), also after a failure. */
gpugeo_status gg_branch_tree_make(const gpugeo_tree *tree, bool root, gg_branch_tree *made,
                                  gg_call *call);
void gg_branch_tree_free(gg_branch_tree *tree);

/* The samples. The branches of sample i are entries start[i] to start[i + 1] - 1, in preorder. */
typedef struct gg_branches {
  gg_branch_tree tree;
  int64_t samples;
  int64_t *start;  /* samples + 1 */
  int32_t *branch; /* of each entry */
  double *value;   /* the individuals below it */
  double *total;   /* of each sample its individuals */
} gg_branches;

/* Checks the arguments of gpugeo_unifrac() but the backend, and makes the samples. bytes: working
   memory of an entry, for which there must be room. To be freed by gg_branches_free(), also after a
   failure. */
gpugeo_status gg_branches_make(const gpugeo_matrix *x, const gpugeo_tree *tree, const int32_t *tip,
                               const gpugeo_unifrac_options *options, double bytes,
                               gg_branches *made, gg_call *call);
void gg_branches_free(gg_branches *made);

#endif
