/* Trees of distances: neighbour joining, and dendrograms as trees; trees in files. Part of
   gpugeo.h. */
#ifndef GPUGEO_TREES_H
#define GPUGEO_TREES_H

#include "dist.h"
#include "sequences.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A tree has its tips, points 0 to n - 1, and its inner nodes, from n on; node n is the root. Its
 * edges are rows of a matrix of two columns, column-major: the node that is nearer to the root, and
 * the other one. Each edge is followed by those below it (preorder).
 */

typedef struct gpugeo_nj_options {
  size_t size;                  /* set by gpugeo_nj_options_init() */
  int32_t bionj;                /* nonzero: BIONJ (Gascuel 1997); 0: neighbour joining */
  gpugeo_metric_options metric; /* of points */
  gpugeo_points points;
  gpugeo_run run;
} gpugeo_nj_options;

/* Fills *options with the defaults: neighbour joining, euclidean, points in rows, p = 2. size is
   sizeof(gpugeo_nj_options). */
GPUGEO_EXPORT void gpugeo_nj_options_init(gpugeo_nj_options *options, size_t size);

/*
 * Makes the unrooted tree of n points by neighbour joining (Saitou and Nei 1987, Studier and
 * Keppler 1988): joins the two nodes with the lowest (m - 2) d_ij - r_i - r_j, where m is the
 * number of nodes that are left and r_i the sum of the distances of node i, until three are left.
 * BIONJ chooses the same way, and weights the distances of both nodes so that the variance of those
 * of the new one is the lowest.
 *
 * d       at least 3 points, finite distances
 * edge    2 n - 3 by 2: the edges. The first join makes node 2 n - 3, and the last one node n + 1.
 * length  2 n - 3: their lengths, which may be negative
 *
 * Criteria that differ by less than 2^-36 of the largest distance, per node, may count as equal. Of
 * equal pairs the first one is joined, in the order in which ape has the nodes. Neighbour joining:
 * a new node is placed before all others, and pairs are in the order of their first node, then of
 * their second one. BIONJ: a new node replaces the second one of those that are joined, and pairs
 * are in the order of their second node, then of their first one. The result is the same bits for
 * any number of threads and for every source of the same distances.
 *
 * Memory is 8 n^2 bytes, 16 n^2 for BIONJ, and 350 for each point.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite, or as gpugeo_dist() does.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_nj(const gpugeo_distances *d, const gpugeo_nj_options *options,
                                      int32_t *edge, double *length, gpugeo_report *report,
                                      gpugeo_error *error);

/*
 * Makes the rooted tree of a dendrogram, in which every point is at half the last height from the
 * root: with average linkage the tree of UPGMA.
 *
 * n              points, at least 2
 * merge, height  as gpugeo_hclust() returns them
 * edge           2 n - 2 by 2: the edges. The inner nodes are numbered from the last merge on: each
 *                merge numbers the merges that it has, the first one first.
 * length         2 n - 2: their lengths, halves of differences of heights
 */
GPUGEO_EXPORT gpugeo_status gpugeo_hclust_tree(int64_t n, const int32_t *merge,
                                               const double *height, int32_t *edge, double *length,
                                               gpugeo_error *error);

/* --- The bootstrap ---------------------------------------------------------------------------- */

/* How a tree is made of distances. */
typedef enum gpugeo_tree_method {
  GPUGEO_TREE_METHOD_NJ = 0,    /* gpugeo_nj() */
  GPUGEO_TREE_METHOD_BIONJ = 1, /* likewise, with `bionj` */
  GPUGEO_TREE_METHOD_UPGMA = 2, /* gpugeo_hclust_tree() with average linkage */
  GPUGEO_TREE_METHOD_COUNT = 3
} gpugeo_tree_method;

typedef struct gpugeo_boot_phylo_options {
  size_t size; /* set by gpugeo_boot_phylo_options_init() */
  gpugeo_tree_method tree;
  int32_t rooted; /* 1: compares clades, the tips below a node; 0: bipartitions, the tips on both
                     sides of an edge; -1: clades for UPGMA only */
  int64_t replicates;   /* 1 to 2^31 - 1 */
  const int32_t *sites; /* of each replicate the sites that were drawn, as many as x has, from 0 */
  int64_t sites_length; /* replicates times the sites of x */
  const int32_t *order; /* of each replicate the order of the sequences, by which equal criteria are
                           decided, from 0; NULL: that of x */
  int64_t order_length; /* replicates times the sequences of x */
  gpugeo_run run;
} gpugeo_boot_phylo_options;

/* Fills *options with the defaults: neighbour joining, rooted -1, no replicates. size is
   sizeof(gpugeo_boot_phylo_options). */
GPUGEO_EXPORT void gpugeo_boot_phylo_options_init(gpugeo_boot_phylo_options *options, size_t size);

/* Trees of n sequences have 2 n - 3 edges and n - 2 inner nodes, by UPGMA 2 n - 2 and n - 1. */
typedef struct gpugeo_boot_phylo_result {
  int32_t *edge;    /* edges by 2: the tree of all sites */
  double *length;   /* of its edges */
  int32_t *support; /* of its inner nodes: the number of replicates that have the clade or
                       bipartition; -1: a bipartition that all trees have, as the root's */
  int32_t *edges;   /* edges by 2 of each replicate; NULL: not wanted */
  double *lengths;  /* of these edges; NULL: not wanted */
} gpugeo_boot_phylo_result;

/*
 * Makes the tree of aligned sequences, and trees of the same sequences at sites that were drawn
 * with replacement (Felsenstein 1985), and counts which of these have each clade of the first tree.
 *
 * x          at least 3 sequences, 2 for UPGMA, of 1 to 2^31 - 1 sites
 * distances  not BH87, without variances; their run is not used
 * result     allocated by the caller
 *
 * Distances and trees of a replicate are the bits of gpugeo_dist_dna() and gpugeo_nj() for an
 * alignment of its sites. Working memory is 4 n^2 bytes, that of one tree, and 3 bits for each site
 * of x, three times.
 *
 * Fails with GPUGEO_ERROR_DATA if a distance is missing or infinite.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_boot_phylo(const gpugeo_sequences *x,
                                              const gpugeo_dist_dna_options *distances,
                                              const gpugeo_boot_phylo_options *options,
                                              const gpugeo_boot_phylo_result *result,
                                              gpugeo_report *report, gpugeo_error *error);

/* --- Trees in files --------------------------------------------------------------------------- */

/* A tree with names. All of it is borrowed. */
typedef struct gpugeo_tree {
  int64_t tips, nodes, edges;    /* nodes: inner ones, at least 1; edges: tips + nodes - 1 */
  const int32_t *edge;           /* edges by 2, in any order; the root is node `tips` */
  const double *length;          /* of the edges, NaN: none; NULL: no edge has one */
  const char *const *tip_label;  /* UTF-8; NULL: none */
  const char *const *node_label; /* of inner nodes, "": none; NULL: no node has one */
  double root_length;            /* of an edge that ends at the root; NaN: none */
} gpugeo_tree;

/* A tree that was read. */
typedef struct gpugeo_newick {
  gpugeo_tree tree; /* its edges are in preorder, and nodes are numbered in their order */
  void *memory;     /* that the tree borrows */
} gpugeo_newick;

/*
 * Reads a tree in the Newick format, of a regular file, also if it is compressed by gzip and gpugeo
 * was built with zlib, or of a text: "((a:1,'b c':2)ab:0.5,c);". Nothing is recursive, so that the
 * depth of a tree has no limit.
 *
 * - Labels may be in single quotes, where two of them stand for one. Blanks and ends of lines
 * within other labels become one blank; underscores stay as they are. Comments in brackets are left
 * out.
 * - Lengths are finite numbers, which do not depend on the locale, and may be missing.
 * - There is one tree, with at least one "(", and ";" at its end.
 *
 * path    the file; NULL: there is a text
 * text    ends with 0; NULL: there is a file
 * run     its hooks are called; work_bytes limits the memory of the tree, 80 bytes for each node
 * and its labels; 0: the memory of the machine newick  allocated by the call; the caller releases
 * it with gpugeo_newick_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT, with the numbers of the line and the byte, if it is no tree.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_newick_read(const char *path, const char *text,
                                               const gpugeo_run *run, gpugeo_newick *newick,
                                               gpugeo_error *error);

/* Releases a tree that was read; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_newick_free(gpugeo_newick *newick);

/*
 * Writes a tree in the Newick format, to a file or to memory. Lengths have as few digits as keep
 * all their bits, at least 15 if they need them. Labels with blanks or marks are in quotes.
 *
 * path  the file, which is replaced when the new one is complete; NULL: to memory
 * run   its hooks are called
 * text  allocated by the call, ends with 0; the caller releases it with gpugeo_newick_text_free().
 *       NULL: there is a file
 *
 * Fails with GPUGEO_ERROR_ARGUMENT if the edges are not those of a tree, or with GPUGEO_ERROR_FILE.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_newick_write(const gpugeo_tree *tree, const char *path,
                                                const gpugeo_run *run, char **text,
                                                gpugeo_error *error);

/* Releases a text that gpugeo_newick_write() made; NULL is allowed. */
GPUGEO_EXPORT void gpugeo_newick_text_free(char *text);

/*
 * Computes the distances between all tips of a tree along its edges.
 *
 * tree  has lengths; an edge without one makes distances across it missing, NaN
 * out   tips by tips, symmetric
 *
 * The result is the same bits for any number of threads. Working memory is 32 bytes for each node,
 * and 8 more for each thread.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_tree_distances(const gpugeo_tree *tree, const gpugeo_run *run,
                                                  double *out, gpugeo_report *report,
                                                  gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
