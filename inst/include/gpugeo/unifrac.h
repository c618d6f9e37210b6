/* Samples of taxa on a tree: UniFrac distances and phylogenetic diversity. Part of gpugeo.h. */
#ifndef GPUGEO_UNIFRAC_H
#define GPUGEO_UNIFRAC_H

#include "common.h"
#include "dist.h"
#include "trees.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distances of two samples A and B. For a branch of length L let a and b be the shares of A and of
   B below it, and n the number of individuals of both below it, of N in all. Sums run over the
   branches above individuals of A or B. */
typedef enum gpugeo_unifrac_type {
  GPUGEO_UNIFRAC_TYPE_UNWEIGHTED = 0,  /* sum(L, where a = 0 or b = 0) / sum(L); Lozupone and Knight
                                          2005 */
  GPUGEO_UNIFRAC_TYPE_WEIGHTED = 1,    /* sum(L |a - b|); Lozupone et al. 2007 */
  GPUGEO_UNIFRAC_TYPE_NORMALIZED = 2,  /* sum(L |a - b|) / sum(L (a + b)); likewise */
  GPUGEO_UNIFRAC_TYPE_GENERALIZED = 3, /* sum(L (a + b)^alpha |a - b| / (a + b)) /
                                          sum(L (a + b)^alpha); Chen et al. 2012 */
  GPUGEO_UNIFRAC_TYPE_VARIANCE = 4,    /* sum(L |a - b| / v) / sum(L (a + b) / v), where
                                          v = sqrt(n (N - n)), without branches of n = N; Chang et al.
                                          2011 */
  GPUGEO_UNIFRAC_TYPE_COUNT = 5
} gpugeo_unifrac_type;

typedef struct gpugeo_unifrac_options {
  size_t size; /* set by gpugeo_unifrac_options_init() */
  gpugeo_run run;
  gpugeo_unifrac_type type;
  int32_t root; /* nonzero: takes the base of the tree as its root also if three or more branches
                   meet there, as in trees without a root, and root_length is NaN */
  double alpha; /* of GENERALIZED, 0 to 1 */
} gpugeo_unifrac_options;

/* Fills *options with the defaults: unweighted, alpha 0.5, trees must have a root. */
GPUGEO_EXPORT void gpugeo_unifrac_options_init(gpugeo_unifrac_options *options, size_t size);

/*
 * Computes UniFrac distances between samples.
 *
 * x     a sample in each row, a taxon in each column: finite numbers of at least 0, dense or sparse
 * tree  has lengths of at least 0; root_length does not count
 * tip   of each column its tip, from 0; NULL: column k is tip k. Columns of one tip are added up
 * out   n (n - 1) / 2 distances of n samples, in the order of a condensed matrix
 *
 * A sample without individuals has no branches and shares of 0. The distance of two such samples is
 * NaN. Two other samples have distance 0 if the formula is 0 / 0.
 *
 * Sums of all types but VARIANCE are exact: their terms are rounded to whole multiples of a power
 * of two, which is at most 2^-49 of a bound of the sum of a sample. The bound depends on the tree:
 * the sum of all lengths (unweighted), the largest distance of a tip from the root (weighted,
 * normalized), and in between for alpha. VARIANCE adds up in preorder of the branches.
 *
 * CUDA has the first three types and GENERALIZED with alpha 1, with the bits of the CPU, for up to
 * 2^31 - 1 branches above individuals of all samples.
 *
 * Working memory is 12 bytes for each branch above individuals of each sample, with GENERALIZED 20.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_unifrac(const gpugeo_matrix *x, const gpugeo_tree *tree,
                                           const int32_t *tip,
                                           const gpugeo_unifrac_options *options, double *out,
                                           gpugeo_report *report, gpugeo_error *error);

/* Makes such distances a source of distances (gpugeo_distances), which computes them when they are
   asked for. The samples and the tree are not needed afterwards. made: to be freed by
   gpugeo_dist_lazy_free() */
GPUGEO_EXPORT gpugeo_status gpugeo_unifrac_lazy(const gpugeo_matrix *x, const gpugeo_tree *tree,
                                                const int32_t *tip,
                                                const gpugeo_unifrac_options *options,
                                                gpugeo_dist_lazy **made, gpugeo_report *report,
                                                gpugeo_error *error);

/* Computes Faith's phylogenetic diversity of each sample: the sum of the lengths of the branches
   above its individuals, up to the root, in preorder. type and alpha have no effect. out: a value
   for each row of x */
GPUGEO_EXPORT gpugeo_status gpugeo_faith(const gpugeo_matrix *x, const gpugeo_tree *tree,
                                         const int32_t *tip, const gpugeo_unifrac_options *options,
                                         double *out, gpugeo_report *report, gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
