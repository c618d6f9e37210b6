/* Topological overlaps of weighted networks. */
#ifndef GG_OVERLAP_H
#define GG_OVERLAP_H

#include "common/call.h"
#include "distance/network.h"

/* The metric that distances by overlap name. */
#define GG_OVERLAP_METRIC "TOM"

/* Which overlap: see overlap.c. */
typedef enum gg_overlap_type {
  GG_OVERLAP_NONE = 0, /* the weight itself */
  GG_OVERLAP_UNSIGNED = 1,
  GG_OVERLAP_SIGNED = 2, /* the magnitude of Nowick's */
  GG_OVERLAP_NOWICK = 3,
  GG_OVERLAP_UNSIGNED_2 = 4,
  GG_OVERLAP_SIGNED_2 = 5,
  GG_OVERLAP_NOWICK_2 = 6,
  GG_OVERLAP_COUNT = 7
} gg_overlap_type;

typedef struct gg_overlap_rule {
  gg_overlap_type type;
  int32_t mean; /* the denominator has the mean of both connectivities, not the smaller one */
  int32_t suppress_zero;     /* 0 where the weight is 0 */
  int32_t suppress_negative; /* 0 for negative overlaps */
  int32_t distances;         /* 1 minus the overlap */
} gg_overlap_rule;

/* The options of a rule. */
extern const gg_option_table gg_overlap_options;

/* Where overlaps are written. */
typedef struct gg_overlap_result {
  gpugeo_shape shape; /* full: with 1, or the distance 0, on the diagonal */
  double *out;        /* doubles of that shape */
} gg_overlap_result;

/* Fails unless the memory has room for overlaps of n genes; correlated: with their weights. */
gpugeo_status gg_overlap_check_size(int64_t n, gpugeo_shape shape, bool correlated,
                                    gpugeo_error *error);

/*
 * Computes the overlaps of all pairs of genes from their weights, as gg_network_check() accepts
 * them. Negative ones are accepted unless the type is unsigned. Missing weights count as 0, those
 * on the diagonal as 1.
 *
 * The sums over genes are distance tiles on any backend. A copy of the weights is made if they are
 * not doubles, are missing, differ from the transposed ones by rounding or are not 1 on the
 * diagonal.
 */
gpugeo_status gg_overlap(const gpugeo_matrix *weights, const gpugeo_run *run,
                         const gg_overlap_rule *rule, const gg_overlap_result *result,
                         gpugeo_report *report, gpugeo_error *error);

/* Computes them from the correlations of the columns of x; all weights are in memory. The sign of a
   correlation is kept for signed types of unsigned networks. */
gpugeo_status gg_overlap_of_columns(const gpugeo_matrix *x, const gpugeo_cor_options *options,
                                    const gg_adjacency_rule *network, const gg_overlap_rule *rule,
                                    const gg_overlap_result *result, gpugeo_report *report,
                                    gpugeo_error *error);

/* --- Parts ------------------------------------------------------------------------------------ */

/* Overlaps of some genes with some others. */
typedef struct gg_overlap_part {
  int64_t n; /* genes */
  const gg_overlap_rule *rule;
  double *connectivity;         /* n */
  const double *rows, *columns; /* their weights with all n genes: a column each */
  int64_t row, row_count, column, column_count;
  gpugeo_shape shape; /* condensed: of all genes */
  double *sums;       /* room of that shape; may be `out` */
  double *out;
  int64_t out_rows; /* of `out`, if it is not condensed */
} gg_overlap_part;

/* Checks weights as gg_overlap() does. *ready becomes a dense matrix of them, without missing ones
   and with 1 on the diagonal; *copy, to be freed by gg_free(), its memory or NULL. */
gpugeo_status gg_overlap_ready(const gpugeo_matrix *weights, const gg_overlap_rule *rule,
                               const double **ready, double **copy, gg_call *call);

/* Returns the rule of the weights that overlaps of a network need. */
gg_adjacency_rule gg_overlap_network(const gg_adjacency_rule *network, const gg_overlap_rule *rule);

/* Computes such weights between the columns of x and those of y, which are the columns of x from
   `first` on, or NULL: all. */
gpugeo_status gg_overlap_weights(const gpugeo_matrix *x, const gpugeo_matrix *y, int64_t first,
                                 const gpugeo_cor_options *options,
                                 const gg_adjacency_rule *network, double *out, gg_call *call);

/* Computes the connectivities of the part's columns. */
gpugeo_status gg_overlap_sum(gg_overlap_part *part, gg_call *call);

/* Computes the overlaps of a part, of which all connectivities are known. The bits do not depend on
   the part. */
gpugeo_status gg_overlap_compute(gg_overlap_part *part, gg_call *call);

#endif
