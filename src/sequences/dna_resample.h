/* Distances of alignments whose sites are drawn from those of another one. */
#ifndef GG_DNA_RESAMPLE_H
#define GG_DNA_RESAMPLE_H

#include "sequences/dist_dna.h"
#include "sequences/site_columns.h"

/* What all draws have in common, and the sites of one. */
typedef struct gg_dna_resample {
  const gg_dna_job *job;
  gg_site_columns columns;
  gg_site_planes planes; /* of the sites that were drawn */
  int32_t *bases;        /* of each site the numbers of A, C, G and T; NULL: not needed */
  int32_t *column;       /* of each site its column, or -1 */
  int32_t *drawn;        /* the columns that were drawn */
} gg_dna_resample;

/* Prepares draws from the alignment of a job that is open, which is borrowed. To be freed by
   gg_dna_resample_free(), also after a failure. */
gpugeo_status gg_dna_resample_make(gg_dna_resample *r, const gg_dna_job *job, gg_call *call);
void gg_dna_resample_free(gg_dna_resample *r);

/* Returns the bytes that gg_dna_resample_make() allocates. */
double gg_dna_resample_bytes(int64_t count, int64_t sites);

/* Computes the condensed distances of the alignment of so many sites as the first one has.

   sites  numbers of sites, as many as there are sites
   place  where each sequence goes, a permutation; NULL: in its own place */
gpugeo_status gg_dna_resample_distances(gg_dna_resample *r, const int32_t *sites,
                                        const int32_t *place, double *out, gg_call *call);

#endif
