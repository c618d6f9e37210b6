/* How well connectivities of a network follow a power law. */
#ifndef GG_SCALE_FREE_H
#define GG_SCALE_FREE_H

#include "common/option_table.h"
#include "gpugeo.h"

/* What is found for a power, the columns of a table of fits. */
typedef enum gg_scale_free_column {
  GG_SCALE_FREE_POWER,
  GG_SCALE_FREE_R_SQUARED,      /* of log10(share of genes in a bin) on log10(mean connectivity) */
  GG_SCALE_FREE_SLOPE,          /* of this regression */
  GG_SCALE_FREE_TRUNCATED,      /* adjusted, with the mean connectivity as a second predictor */
  GG_SCALE_FREE_MEAN,           /* of the connectivities */
  GG_SCALE_FREE_MEDIAN,         /* likewise */
  GG_SCALE_FREE_MAX,            /* likewise */
  GG_SCALE_FREE_DENSITY,        /* mean / (n - 1) */
  GG_SCALE_FREE_CENTRALIZATION, /* n / (n - 2) (max / (n - 1) - density) */
  GG_SCALE_FREE_HETEROGENEITY,  /* sqrt(n sum(k^2) / sum(k)^2 - 1) */
  GG_SCALE_FREE_COLUMNS
} gg_scale_free_column;

typedef struct gg_scale_free_rule {
  double least; /* R squared above which a power is recommended */
  int64_t bins;
  int32_t remove_first; /* leaves out the bin of the lowest connectivities */
} gg_scale_free_rule;

/* The options of a rule. */
extern const gg_option_table gg_soft_threshold_options;

/* Fails unless a rule is valid. */
gpugeo_status gg_scale_free_check(const gg_scale_free_rule *rule, gpugeo_error *error);

/* Connectivities, and where their fits are written. */
typedef struct gg_scale_free_result {
  const double *connectivities; /* n by powers, column-major */
  double *fits;                 /* powers by GG_SCALE_FREE_COLUMNS, column-major */
  double best;                  /* the first power whose R squared is above rule->least */
  double missing;               /* written where a value is not defined */
} gg_scale_free_result;

/* Computes the fits of all powers to the connectivities of n genes, by a valid rule. */
gpugeo_status gg_scale_free(int64_t n, const double *powers, int64_t count,
                            const gg_scale_free_rule *rule, gg_scale_free_result *result,
                            gpugeo_error *error);

#endif
