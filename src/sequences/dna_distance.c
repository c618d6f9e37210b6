/* The table of models, and their distances on the host. */
#include "sequences/dna_distance.h"

#include "sequences/dna_formula.h"

/* --- The table of models ---------------------------------------------------------------------- */

const gg_dna_formula *gg_dna_formula_of(gpugeo_dna_model model) {
  static const gg_dna_formula formulas[GPUGEO_DNA_MODEL_COUNT] = {
      [GPUGEO_DNA_MODEL_RAW] = {.kind = GG_COUNT_COMMON},
      [GPUGEO_DNA_MODEL_JC69] = {.kind = GG_COUNT_COMMON, .gamma = true, .has_variance = true},
      [GPUGEO_DNA_MODEL_K80] = {.kind = GG_COUNT_CHANGES, .gamma = true, .has_variance = true},
      [GPUGEO_DNA_MODEL_F81] = {.kind = GG_COUNT_COMMON,
                                .bases = true,
                                .gamma = true,
                                .has_variance = true},
      [GPUGEO_DNA_MODEL_K81] = {.kind = GG_COUNT_CHANGES, .has_variance = true},
      [GPUGEO_DNA_MODEL_F84] = {.kind = GG_COUNT_CHANGES, .bases = true, .has_variance = true},
      [GPUGEO_DNA_MODEL_T92] = {.kind = GG_COUNT_CHANGES, .bases = true, .has_variance = true},
      [GPUGEO_DNA_MODEL_TN93] = {.kind = GG_COUNT_CHANGES,
                                 .bases = true,
                                 .gamma = true,
                                 .has_variance = true},
      [GPUGEO_DNA_MODEL_GG95] = {.kind = GG_COUNT_CHANGES, .has_variance = true},
      [GPUGEO_DNA_MODEL_LOGDET] = {.kind = GG_COUNT_TABLE, .has_variance = true},
      [GPUGEO_DNA_MODEL_BH87] = {.kind = GG_COUNT_TABLE},
      [GPUGEO_DNA_MODEL_PARALIN] = {.kind = GG_COUNT_TABLE, .has_variance = true},
      [GPUGEO_DNA_MODEL_N] = {.kind = GG_COUNT_KNOWN},
      [GPUGEO_DNA_MODEL_TS] = {.kind = GG_COUNT_CHANGES},
      [GPUGEO_DNA_MODEL_TV] = {.kind = GG_COUNT_CHANGES},
      [GPUGEO_DNA_MODEL_INDEL] = {.kind = GG_COUNT_DIFFERENCES},
      [GPUGEO_DNA_MODEL_INDELBLOCK] = {.kind = GG_COUNT_DIFFERENCES},
      [GPUGEO_DNA_MODEL_SNP] = {.kind = GG_COUNT_KNOWN},
  };
  return &formulas[model];
}

double gg_dna_kappa(const gg_dna_pair *pair) { return kappa_of_counts(pair); }

double gg_dna_distance(const gg_dna_pair *pair, const gg_dna_data *data, double *variance) {
  const bool table = gg_dna_formula_of(data->model)->kind == GG_COUNT_TABLE;
  const double d =
      table ? distance_by_table(pair, data, variance) : distance_by_counts(pair, data, variance);
  return known_distance(d, variance);
}
