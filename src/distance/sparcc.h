/* Correlations of the basis of compositions: SparCC. */
#ifndef GG_SPARCC_H
#define GG_SPARCC_H

#include "common/option_table.h"
#include "gpugeo.h"

typedef struct gg_sparcc_rule {
  int64_t parts;    /* columns of a table */
  int64_t inner;    /* the most pairs that are excluded */
  double threshold; /* pairs whose correlation is not larger in magnitude are not */
} gg_sparcc_rule;

/* The options inner and threshold of a rule. */
extern const gg_option_table gg_sparcc_options;

/* Fails unless the memory has room for the results of such tables. */
gpugeo_status gg_sparcc_check_size(const gpugeo_matrix *tables, const gg_sparcc_rule *rule,
                                   gpugeo_error *error);

/*
 * Computes the medians, over several tables, of the correlations of the basis of their columns, at
 * least 4.
 *
 * tables       dense, at least 0, one table beside the other: rule->parts columns each. Rows need
 *              not have the same sum.
 * covariance   parts by parts: correlations times the roots of the medians of the variances
 * correlation  parts by parts
 *
 * Variances of log ratios are computed on any backend, the rest by the host.
 */
gpugeo_status gg_sparcc(const gpugeo_matrix *tables, const gpugeo_run *run,
                        const gg_sparcc_rule *rule, double *covariance, double *correlation,
                        gpugeo_report *report, gpugeo_error *error);

#endif
