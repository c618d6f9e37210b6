/* Contributions of species to the Bray-Curtis dissimilarities between two groups of sites. */
#ifndef GG_SIMPER_H
#define GG_SIMPER_H

#include "common/call.h"

/* Two groups of sites of a table. All memory is the caller's. */
typedef struct gg_simper_plan {
  const gpugeo_matrix *x; /* sites by species, at least 0; dense or compressed by columns */
  const int32_t *group;   /* of each site: 1, 2, or 0 for neither; NULL: all pairs of sites */
} gg_simper_plan;

/* Computes the mean and the standard deviation of the contributions of each species over all pairs
   of a site of each group. A pair without individuals has contributions of 0. */
gpugeo_status gg_simper_averages(const gg_simper_plan *plan, double *average, double *deviation,
                                 gg_call *call);

/* Counts for each species the permutations of the groups for which its mean contribution is more
   than 2^-26 above `average`.
   order  of each permutation the site, from 1, from which each site has its group; checked */
gpugeo_status gg_simper_count(const gg_simper_plan *plan, const int32_t *order,
                              int64_t permutations, const double *average, double *count,
                              gg_call *call);

#endif
