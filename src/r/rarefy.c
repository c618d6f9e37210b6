/*
 * Random subsamples of communities, with the numbers that vegan::rrarefy() takes from R's
 * generator.
 *
 * Each individual is R_unif_index() of those that remain, counted along the species. As in vegan,
 * species are in the order of the columns, or, if there are more than 100, in that of revsort().
 * Cost: a number and the height of a tree for each individual. One thread, since the numbers depend
 * on each other.
 */
#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <string.h>

#include "entry.h"

enum { UNSORTED_SPECIES = 100 }; /* more are sorted by their counts, as in vegan 2.6 */

/* The species of a site that have individuals. Node k of the tree has the sum of its children 2 k
   and 2 k + 1; leaves begin at node `leaves`, a power of 2. */
typedef struct site_tree {
  double *sum;   /* of R */
  int *position; /* of R; of the species in the site's counts */
  R_xlen_t leaves;
} site_tree;

/* Returns the least power of 2 that is at least n. */
static R_xlen_t power_of_two(int n) {
  R_xlen_t power = 1;
  while (power < n)
    power *= 2;
  return power;
}

/* Fills the tree with the counts of a site. Returns the number of individuals. */
static double plant(site_tree *tree, const double *count, int n) {
  int present = 0;
  for (int k = 0; k < n; ++k)
    present += count[k] > 0;
  tree->leaves = power_of_two(present);
  double *leaf = tree->sum + tree->leaves;
  memset(leaf, 0, (size_t)tree->leaves * sizeof *leaf);
  for (int k = 0, i = 0; k < n; ++k)
    if (count[k] > 0) {
      leaf[i] = count[k];
      tree->position[i++] = k;
    }
  if (present > UNSORTED_SPECIES) revsort(leaf, tree->position, present);
  for (R_xlen_t k = tree->leaves - 1; k > 0; --k)
    tree->sum[k] = tree->sum[2 * k] + tree->sum[2 * k + 1];
  return tree->sum[1];
}

/* Removes an individual, by its number among those that remain. Returns its species. */
static int take_individual(site_tree *tree, double number) {
  R_xlen_t node = 1;
  while (node < tree->leaves) {
    tree->sum[node] -= 1;
    node *= 2;
    if (number >= tree->sum[node]) number -= tree->sum[node++];
  }
  tree->sum[node] -= 1;
  return tree->position[node - tree->leaves];
}

/* Draws individuals of a site. A site without more of them is copied. */
static void draw_site(site_tree *tree, const double *count, int n, double sample, double *drawn) {
  const double individuals = plant(tree, count, n);
  if (individuals <= sample) {
    memcpy(drawn, count, (size_t)n * sizeof *drawn);
    return;
  }
  memset(drawn, 0, (size_t)n * sizeof *drawn);
  for (double k = 0; k < sample; ++k)
    drawn[take_individual(tree, R_unif_index(individuals - k))] += 1;
}

/* Returns a tree with room for the largest site. The memory is R's. */
static site_tree allocate_tree(const double *first, R_xlen_t sites) {
  int most = 1;
  for (R_xlen_t s = 0; s < sites; ++s)
    if (first[s + 1] - first[s] > most) most = (int)(first[s + 1] - first[s]);
  return (site_tree){.sum = (double *)R_alloc(2 * (size_t)power_of_two(most), sizeof(double)),
                     .position = (int *)R_alloc((size_t)most, sizeof(int))};
}

SEXP gg_r_rarefy(SEXP counts, SEXP first, SEXP sample) {
  const double *start = REAL_RO(first);
  SEXP drawn = PROTECT(Rf_allocVector(REALSXP, XLENGTH(counts)));
  site_tree tree = allocate_tree(start, XLENGTH(sample));
  for (R_xlen_t s = 0; s < XLENGTH(sample); ++s) {
    R_CheckUserInterrupt();
    GetRNGstate();
    const R_xlen_t at = (R_xlen_t)start[s];
    draw_site(&tree, REAL_RO(counts) + at, (int)(start[s + 1] - start[s]), REAL_RO(sample)[s],
              REAL(drawn) + at);
    PutRNGstate();
  }
  UNPROTECT(1);
  return drawn;
}
