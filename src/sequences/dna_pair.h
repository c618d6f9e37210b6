/* What the formulas of distances of DNA take. */
#ifndef GG_DNA_PAIR_H
#define GG_DNA_PAIR_H

#include "gpugeo.h"

/* What the distances of a call have in common. */
typedef struct gg_dna_data {
  gpugeo_dna_model model;
  double base[4]; /* shares of A, C, G and T */
  double gamma;   /* 0: one rate */
  double kappa;   /* GG95: the mean ratio of the rates of transitions and transversions */
} gg_dna_data;

/* The counts of a pair. */
typedef struct gg_dna_pair {
  double sites, purines, pyrimidines, first, second; /* of GG_COUNT_CHANGES; those of other kinds
                                                        have all differences in `first` */
  double table[4][4];                                /* of GG_COUNT_TABLE */
  double gc[2];                                      /* shares of G and C of both sequences: GG95 */
} gg_dna_pair;

#endif
