/* Distances of aligned sequences of DNA, in steps: for callers that resample the sites. */
#ifndef GG_DIST_DNA_H
#define GG_DIST_DNA_H

#include "sequences/dna_distance.h"
#include "sequences/gap_blocks.h"
#include "sequences/pair_counts.h"
#include "sequences/site_planes.h"

/* All that a call holds. */
typedef struct gg_dna_job {
  const gpugeo_dist_dna_options *options;
  gg_alignment x;
  const gg_dna_formula *formula;
  gg_count_kind kind;
  int32_t threads;
  gg_dna_data data;
  int64_t *kept; /* the sites that are packed, in ascending order; NULL: all */
  gg_site_planes planes;
  gg_pair_counter counter; /* of the planes, while pairs are counted */
  gg_gap_blocks gaps;
  double *gc;             /* of each sequence its share of G and C */
  double *out, *variance; /* borrowed */
} gg_dna_job;

/* Checks the arguments of a job whose options are set, and packs the sites. To be closed by
   gg_dna_job_close(), also after a failure. */
gpugeo_status gg_dna_job_open(gg_dna_job *job, const gpugeo_sequences *x, gg_call *call);
void gg_dna_job_close(gg_dna_job *job);

/* Computes the distances, and the variances if the options say so. */
gpugeo_status gg_dna_job_compute(gg_dna_job *job, gg_call *call);

/* Sets the shares of bases: those of the options, or by the numbers of A, C, G and T. */
void gg_dna_job_set_bases(gg_dna_job *job, const int64_t counts[4]);

#endif
