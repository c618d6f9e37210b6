/* The formulas of distances of DNA: from counts of a pair to its distance. */
#ifndef GG_DNA_DISTANCE_H
#define GG_DNA_DISTANCE_H

#include <stdbool.h>

#include "gpugeo.h"
#include "sequences/count_kernels.h"

/* What the distances of a call have in common. */
typedef struct gg_dna_data {
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

/* A model. */
typedef struct gg_dna_formula {
  gg_count_kind kind; /* of the counts; COMMON and KNOWN become DIFFERENCES where all are known */
  bool bases;         /* takes the shares of bases */
  bool gamma, has_variance;
  /* Returns the distance and writes its variance, unless that is NULL. */
  double (*distance)(const gg_dna_pair *pair, const gg_dna_data *data, double *variance);
} gg_dna_formula;

/* Returns the formula of a model. */
const gg_dna_formula *gg_dna_formula_of(gpugeo_dna_model model);

/* Returns a distance as results have it: NaN where the formula is not defined, with NaN as its
   variance. */
double gg_dna_distance(const gg_dna_formula *formula, const gg_dna_pair *pair,
                       const gg_dna_data *data, double *variance);

/* Returns the ratio of the rates of transitions and transversions of a pair by Kimura 1980, which
   is not finite where it is not defined. */
double gg_dna_kappa(const gg_dna_pair *pair);

#endif
