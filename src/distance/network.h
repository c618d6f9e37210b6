/* Weighted networks of correlations: the weights of their edges. */
#ifndef GG_NETWORK_H
#define GG_NETWORK_H

#include <stdbool.h>

#include "common/call.h"
#include "common/option_table.h"
#include "gpugeo.h"

/* How a correlation r becomes a similarity, whose power is the weight of an edge. */
typedef enum gg_network {
  GG_NETWORK_UNSIGNED = 0, /* |r| */
  GG_NETWORK_SIGNED = 1,   /* (1 + r) / 2 */
  GG_NETWORK_HYBRID = 2,   /* r, or 0 if it is negative */
  GG_NETWORK_COUNT = 3
} gg_network;

enum { GG_NETWORK_CHUNK = 256 /* similarities whose powers are in the first-level cache */ };

/* Writes the similarities of n correlations, 0 for those that are missing. */
void gg_network_similarities(const double *r, int64_t n, gg_network network, double *s);

/* True if powers are found by multiplication. */
bool gg_network_is_whole(double power);

/* Replaces t, GG_NETWORK_CHUNK similarities s to the power `from`, by those to the power `to`. Only
   if `to` is whole, t is read, and `from` must be whole, too, and not above it. */
void gg_network_raise(const double *s, double from, double to, double *t);

/* Fails unless a power is positive and finite. */
gpugeo_status gg_network_check_power(const char *argument, double power, gpugeo_error *error);

/* How the correlations of a network become weights. */
typedef struct gg_adjacency_rule {
  gg_network network;
  double power;
  bool keep_sign; /* a negative correlation has the negative weight; of GG_NETWORK_UNSIGNED only */
} gg_adjacency_rule;

/* The options networkType and power of a rule. */
extern const gg_option_table gg_adjacency_options;

/*
 * Computes the weights between all columns of x, or between those of x and of y, which may be NULL.
 *
 * out  ncol(x) by ncol(x) or ncol(y), column-major; as options->missing where the correlation is
 *      missing
 *
 * Correlations are computed by gpugeo_cor() on any backend, their powers by the host. Fails as
 * gpugeo_cor() does.
 */
gpugeo_status gg_adjacency(const gpugeo_matrix *x, const gpugeo_matrix *y,
                           const gpugeo_cor_options *options, const gg_adjacency_rule *rule,
                           double *out, gpugeo_report *report, gpugeo_error *error);

/* Computes the weights of correlations that are given, a dense matrix that must be symmetric and
   between -1 and 1. Missing ones become `missing`. */
gpugeo_status gg_adjacency_of(const gpugeo_matrix *x, const gpugeo_run *run,
                              const gg_adjacency_rule *rule, double missing, double *out,
                              gpugeo_report *report, gpugeo_error *error);

/* Fails unless a dense matrix x is symmetric up to rounding, which gg_is_symmetric() tells, and its
   elements are missing or between `least`, -1 or 0, and 1, up to a rounding error of 1e-8. *exact
   becomes true if no two elements of a pair differ. */
gpugeo_status gg_network_check(const gpugeo_matrix *x, int least, bool *exact, gpugeo_error *error);

/* --- Panels ----------------------------------------------------------------------------------- */

/* Returns columns [first, first + count) of a dense matrix. */
gpugeo_matrix gg_network_columns(const gpugeo_matrix *x, int64_t first, int64_t count);

/* Returns options for correlations of x with columns [first, first + count) of it, whose weights
   are those of the columns of x. */
gpugeo_cor_options gg_network_part_options(const gpugeo_cor_options *options, int64_t first,
                                           int64_t count);

/* Changes options for correlations of x with some of its columns at a time, whose missing ones
   become NaN: if one column makes all Pearson's, those of every panel are. The call's report gets
   what is noted of that column, or nothing. */
gpugeo_status gg_network_panel_options(const gpugeo_matrix *x, gpugeo_cor_options *options,
                                       gg_call *call);

/* Adds what the report of a panel notes of the columns of x; those of the panel are among them. */
void gg_network_add_notes(const gpugeo_report *report, int32_t *notes, gpugeo_missing *missing);

#endif
