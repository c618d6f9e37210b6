/* From the dendrogram of mutual reachability to clusters by density. */
#ifndef GG_CONDENSE_H
#define GG_CONDENSE_H

#include "common/call.h"
#include "gpugeo.h"

/* Returns the largest number of nodes that a condensed tree of n points may have: each of its
   leaves has at least min_points of them. */
static inline int64_t gg_condensed_nodes(int64_t n, int64_t min_points) {
  return n < min_points ? 1 : 2 * (n / min_points) - 1;
}

/* Sets the condensed tree, the clusters, memberships and outlier scores from the dendrogram and the
   core distances. */
gpugeo_status gg_condense(int64_t n, const gpugeo_hdbscan_options *options,
                          gpugeo_hdbscan_result *result, gg_call *call);

#endif
