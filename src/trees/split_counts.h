/* How often the clades or bipartitions of a tree are in other trees of the same tips. */
#ifndef GG_SPLIT_COUNTS_H
#define GG_SPLIT_COUNTS_H

#include <stdbool.h>

#include "common/call.h"

/* Tips below a node, by their numbers: those of a clade of the first tree are low, ..., high. */
typedef struct gg_span {
  int32_t low, high, size;
} gg_span;

typedef struct gg_split_counts {
  int64_t tips, nodes; /* nodes: inner ones, of any of the trees at most */
  bool rooted;         /* clades; else bipartitions */
  int32_t *number;     /* of each tip its position in the first tree */
  int32_t first;       /* the tip of number 0 */
  gg_span *span;       /* of each node of a tree */
  int32_t *above;      /* of each node of a tree */
  int32_t *path;       /* nodes from the first tip to the root of a tree */
  bool *on_path;
  uint64_t *keys; /* of the splits of the first tree, ascending */
  int64_t splits;
  int32_t *split_of; /* of each inner node of the first tree its split, or -1 */
  int32_t *times;    /* of each split */
  int64_t *seen;     /* the number of the tree that had each split last */
  int64_t trees;
} gg_split_counts;

/* Lists the splits of a tree with at most `nodes` inner nodes, whose edges are in preorder, as
   gpugeo_nj() returns them. To be freed by gg_split_counts_free(), also after a failure. */
gpugeo_status gg_split_counts_make(gg_split_counts *s, int64_t tips, int64_t edges, bool rooted,
                                   const int32_t *edge, gg_call *call);
void gg_split_counts_free(gg_split_counts *s);

/* Counts the splits that another tree has, with as many edges, in preorder. */
void gg_split_counts_add(gg_split_counts *s, int64_t edges, const int32_t *edge);

/* Writes for each inner node of the first tree the number of trees that have its split; -1: it has
   none, as the root of an unrooted tree, or as a tip is on its other side. */
void gg_split_counts_write(const gg_split_counts *s, int32_t *support);

#endif
