/* Proportionality of the parts of compositions. */
#ifndef GG_PROPORTIONALITY_H
#define GG_PROPORTIONALITY_H

#include "common/option_table.h"
#include "gpugeo.h"

/* What is computed for two parts a and b with transformed values of variances v_a and v_b, and the
   variance v_ab of their differences. */
typedef enum gg_proportionality_metric {
  GG_PROPORTIONALITY_RHO = 0, /* 1 - v_ab / (v_a + v_b) */
  GG_PROPORTIONALITY_PHI = 1, /* v_ab / v_b */
  GG_PROPORTIONALITY_PHS = 2, /* v_ab / var(a + b) = (1 - rho) / (1 + rho) */
  GG_PROPORTIONALITY_VLR = 3, /* v_ab */
  GG_PROPORTIONALITY_COUNT = 4
} gg_proportionality_metric;

typedef struct gg_proportionality_rule {
  gg_proportionality_metric metric;
  int32_t iqlr;       /* the reference: the parts whose variance is between the quartiles, */
  const double *ivar; /* or these columns, from 1, or NULL: all parts */
  int64_t ivar_count;
  double alpha;       /* power of Box and Cox; NaN: logarithms */
  int32_t symmetrize; /* phi: above the diagonal the value below it */
  int32_t distances;  /* condensed; 1 - rho */
} gg_proportionality_rule;

/* The options of a rule but iqlr and ivar. */
extern const gg_option_table gg_proportionality_options;

/* Fails unless the memory has room for the result of such counts. */
gpugeo_status gg_proportionality_check_size(const gpugeo_matrix *counts, bool distances,
                                            gpugeo_error *error);

/*
 * Computes the proportionality of all pairs of columns of counts, which are dense or sparse, finite
 * and at least 0, with a sample in each of at least two rows.
 *
 * missing  written where 0 is divided by 0: parts without variance
 * out      columns by columns, or condensed
 *
 * Sums of squares are distance tiles on any backend; the rest is done by the host.
 */
gpugeo_status gg_proportionality(const gpugeo_matrix *counts, const gpugeo_run *run,
                                 const gg_proportionality_rule *rule, double missing, double *out,
                                 gpugeo_report *report, gpugeo_error *error);

#endif
