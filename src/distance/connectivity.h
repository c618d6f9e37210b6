/* Connectivities of weighted networks of correlations, for several powers at a time. */
#ifndef GG_CONNECTIVITY_H
#define GG_CONNECTIVITY_H

#include "distance/network.h"

/*
 * For each column of x and each power p, sums the weights s^p to all other columns, where s is the
 * similarity of both. A missing correlation counts as 0.
 *
 * x        dense
 * options  of the correlations
 * powers   count numbers above 0
 * out      ncol(x) by count, column-major
 *
 * Correlations of a panel of columns with all others are in memory at a time, of as many columns as
 * fit into the working memory. Fails as gpugeo_cor() does.
 */
gpugeo_status gg_connectivity(const gpugeo_matrix *x, const gpugeo_cor_options *options,
                              gg_network network, const double *powers, int64_t count, double *out,
                              gpugeo_report *report, gpugeo_error *error);

#endif
