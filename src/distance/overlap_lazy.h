/* Distances by topological overlap, computed in tiles. */
#ifndef GG_OVERLAP_LAZY_H
#define GG_OVERLAP_LAZY_H

#include "common/dist_lazy.h"
#include "distance/overlap.h"

/* What a network is computed from: the columns of x, or weights. Data is borrowed. */
typedef struct gg_overlap_input {
  gpugeo_matrix x;
  gpugeo_cor_options options;
  gg_adjacency_rule network;
  int32_t given; /* x has weights, and only options.run counts */
} gg_overlap_input;

/*
 * Makes the distances of a network, 1 minus its overlaps, whatever rule->distances is. The caller
 * frees them by gpugeo_dist_lazy_free(), and keeps x until then. The bits are those of gg_overlap()
 * and gg_overlap_of_columns().
 *
 * Weights of correlations that fit into the working memory are computed once. Those of more genes
 * are computed anew for each tile, in panels that fit; of sparse x all are in memory.
 */
gpugeo_status gg_overlap_lazy(const gg_overlap_input *input, const gg_overlap_rule *rule,
                              gpugeo_dist_lazy **made, gpugeo_report *report, gpugeo_error *error);

#endif
