/* The formulas of distances of DNA: from counts of a pair to its distance. */
#ifndef GG_DNA_DISTANCE_H
#define GG_DNA_DISTANCE_H

#include <stdbool.h>

#include "gpugeo.h"
#include "sequences/count_kernels.h"
#include "sequences/dna_pair.h"

/* A model. */
typedef struct gg_dna_formula {
  gg_count_kind kind; /* of the counts; COMMON and KNOWN become DIFFERENCES where all are known */
  bool bases;         /* takes the shares of bases */
  bool gamma, has_variance;
} gg_dna_formula;

/* Returns the formula of a model. */
const gg_dna_formula *gg_dna_formula_of(gpugeo_dna_model model);

/* Returns the distance of a pair, NaN where the formula is not defined, and writes its variance,
   then NaN, too, unless that is NULL. */
double gg_dna_distance(const gg_dna_pair *pair, const gg_dna_data *data, double *variance);

/* Returns the ratio of the rates of transitions and transversions of a pair by Kimura 1980, which
   is not finite where it is not defined. */
double gg_dna_kappa(const gg_dna_pair *pair);

#endif
